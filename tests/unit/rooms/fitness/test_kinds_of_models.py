"""The fitness test against servers as people run them: verdict and lines for kg.toml, each right."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kg_neo4j.rooms.fitness.command import Fitness, assess, planned
from kg_neo4j.settings import Settings
from model_kinds import ModelKind

PRICED = '["scripted"]\ninput = 1.0\noutput = 4.0\n'
FIT = "Fit: 24 of 25 known facts and 100% of 45 rows are kept."


def settings_of(llm: ModelKind, folder: Path, **more: Any) -> Settings:
    given = {"openai_base_url": llm.url, "openai_api_key": "key-0123456789", "model": "scripted", "cache": folder}
    return Settings(**{**given, **more})


def assessed(llm: ModelKind, folder: Path, **more: Any) -> Fitness:
    settings = settings_of(llm, folder, **more)
    with llm:
        found = assess(settings, planned(settings))
    for line in found.lines:  # each is a setting that there is
        assert line.startswith("[") or tomllib.loads(line)
    return found


def test_an_honest_server(tmp_path: Path) -> None:
    found = assessed(ModelKind(), tmp_path, model_window=16_000)
    assert (found.verdict, found.lines) == (FIT, ())
    assert 15_000 < found.window.whole < 16_500
    assert found.passages[0].missing == ("Sela Marrodin - Port Evenlode",)
    assert (found.longest.tokens, found.longest.is_limit) == (4_000, False)
    assert all(found.offers.values())
    assert set(found.constraints.values()) == {"ignored"}


def test_a_window_that_nobody_knows_is_proposed(tmp_path: Path) -> None:
    found = assessed(ModelKind(), tmp_path)
    assert (found.verdict, found.window.limit) == (FIT, None)
    assert found.lines == (f"model_window = {found.window.whole}",)
    assert found.window.whole > 30_000


@pytest.mark.parametrize("end", ["beginning", "end"])
def test_a_window_of_4096_tokens_that_cuts_prompts_without_an_error(tmp_path: Path, end: str) -> None:
    found = assessed(ModelKind(window=4_096, at_window=end), tmp_path)
    said = f"a prompt may have 4,096 tokens, and a longer one loses its {end} without an error"
    assert found.verdict == f"Fit with limits: {said}."
    assert found.lines == ("model_window = 4096",)


@pytest.mark.parametrize("end", ["beginning", "end"])
def test_a_silent_window_of_a_server_that_counts_nothing(tmp_path: Path, end: str) -> None:
    found = assessed(ModelKind(window=4_096, at_window=end, counts_nothing=True), tmp_path)
    assert found.window.limit is not None
    assert 3_500 <= found.window.limit <= 4_096
    assert found.lines == (f"model_window = {found.window.limit}",)
    assert f"loses its {end} without an error" in found.verdict
    assert not found.offers["usage"]


def test_a_window_that_is_refused_with_its_size(tmp_path: Path) -> None:
    found = assessed(ModelKind(window=6_000), tmp_path)
    assert found.lines == ("model_window = 6000",)
    assert found.verdict == "Fit with limits: a prompt may have 6,000 tokens, and a longer one is refused."


def test_a_window_too_small_for_extraction(tmp_path: Path) -> None:
    found = assessed(ModelKind(window=3_000, at_window="end"), tmp_path)
    assert found.verdict.startswith("Not fit: a prompt may have 3,000 tokens, and extraction takes 3,500")


@pytest.mark.parametrize(
    ("switches", "line"),
    [
        ({"reasoning_effort": "minimal"}, 'reasoning_effort = "minimal"'),
        ({"think": False}, "think = false"),
        ({"chat_template_kwargs": {"enable_thinking": False}}, "chat_template_kwargs = { enable_thinking = false }"),
    ],
)
@pytest.mark.parametrize("shows_thought", [False, True])
def test_thoughts_that_an_option_ends(
    tmp_path: Path, switches: Mapping[str, Any], line: str, shows_thought: bool
) -> None:
    llm = ModelKind(thought=20, switches=switches, shows_thought=shows_thought)
    found = assessed(llm, tmp_path, model_window=8_000)
    assert (found.verdict, found.lines) == (FIT, ("[model_options]", line))
    assert found.thinking.tokens > 200
    assert tomllib.loads(line) == switches
    after = [each.body for each in llm.requests if "knowledge graph" in each.prompt]
    assert [{name: body.get(name) for name in switches} for body in after] == [switches]  # the passage was read with it


def test_thoughts_that_nothing_ends(tmp_path: Path) -> None:
    found = assessed(ModelKind(thought=20, refuses="think"), tmp_path, model_window=8_000)
    assert found.verdict == "Fit with limits: it thinks, and nothing that was tried ends that."
    assert found.lines == ()
    assert found.thinking.tried["think = false"] == "refused"
    assert len(found.thinking.tried) == 5


def test_a_server_that_refuses_streams(tmp_path: Path) -> None:
    found = assessed(ModelKind(streams_refused=True), tmp_path, model_window=8_000)
    assert (found.verdict, found.offers["streaming"], found.offers["usage"]) == (FIT, False, True)


def test_answers_that_end_early(tmp_path: Path) -> None:
    found = assessed(ModelKind(longest=512), tmp_path, model_window=8_000)
    assert (found.longest.tokens, found.longest.is_limit) == (512, True)
    assert "answers end at 512 tokens" in found.verdict


@pytest.mark.parametrize(
    ("field", "way"),
    [
        ("structured_outputs", "vllm"),
        ("grammar", "llama"),
        ("format", "ollama"),
        ("response_format", "json_schema"),
    ],
)
def test_a_server_that_takes_a_constraint(tmp_path: Path, field: str, way: str) -> None:
    found = assessed(ModelKind(takes=field), tmp_path, model_window=8_000)
    assert [each for each, became in found.constraints.items() if became == "works"] == [way]


def test_a_weak_model(tmp_path: Path) -> None:
    found = assessed(ModelKind(facts=12, broken=20), tmp_path, model_window=8_000)
    assert found.verdict == "Fit with limits: 12 of 25 known facts and 55% of 40 rows are kept."


def test_a_model_of_no_use(tmp_path: Path) -> None:
    found = assessed(ModelKind(facts=3), tmp_path, model_window=8_000)
    assert found.verdict == "Not fit: 3 of 25 known facts and 100% of 7 rows are kept."


def test_a_server_that_dies_in_the_middle(tmp_path: Path) -> None:
    found = assessed(ModelKind(dies_after=7), tmp_path, model_window=8_000)
    print(found)


def test_the_budget_is_kept(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICED, encoding="utf-8")
    for limit in (0.1, 0.02, 0.004):
        llm = ModelKind(thought=20)
        settings = settings_of(llm, tmp_path, prices=prices)
        with llm:
            found = assess(settings, planned(settings, limit))
        paid = sum(read + 4 * written for read, written in llm.counted) / 1e6
        print(found.verdict, found.usage, paid)
        assert paid <= limit
        assert found.usage.usd == pytest.approx(paid)
