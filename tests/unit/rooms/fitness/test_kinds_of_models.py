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
FIT = "Fit: --schema lean gave 24 of 25 facts, 100% of 45 rows are kept."


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
    assert 15_000 < found.window.tokens < 16_500
    assert found.passages[0].missing == ("Sela Marrodin - Port Evenlode",)
    assert (found.longest.tokens, found.longest.limit) == (4_000, None)
    assert all(found.offers.values())
    assert set(found.constraints.values()) == {"ignored"}


def test_a_window_that_nobody_knows_is_proposed(tmp_path: Path) -> None:
    found = assessed(ModelKind(), tmp_path)
    assert (found.verdict, found.window.limit) == (FIT, None)
    assert found.lines == (f"model_window = {found.window.tokens}",)
    assert found.window.tokens > 30_000


@pytest.mark.parametrize("end", ["beginning", "end"])
def test_a_window_of_4096_tokens_that_cuts_prompts_without_an_error(tmp_path: Path, end: str) -> None:
    found = assessed(ModelKind(window=4_096, at_window=end), tmp_path)
    said = f"a prompt may have 4,096 tokens, and longer ones lose their {end} without an error"
    assert found.verdict == f"Fit with limits: {said}."
    assert found.lines == ("model_window = 4096",)


@pytest.mark.parametrize("end", ["beginning", "end"])
def test_a_silent_window_of_a_server_that_counts_nothing(tmp_path: Path, end: str) -> None:
    found = assessed(ModelKind(window=4_096, at_window=end, counts_nothing=True), tmp_path)
    assert found.window.limit is not None
    assert 3_500 <= found.window.limit <= 4_096
    assert found.lines == (f"model_window = {found.window.limit}",)
    assert f"lose their {end} without an error" in found.verdict
    assert not found.offers["usage"]


def test_a_window_that_is_refused_with_its_size(tmp_path: Path) -> None:
    found = assessed(ModelKind(window=6_000), tmp_path)
    assert found.lines == ("model_window = 6000",)
    assert found.verdict == "Fit with limits: a prompt may have 6,000 tokens, and longer ones are refused."


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


def test_thoughts_that_leave_the_answer_empty(tmp_path: Path) -> None:
    llm = ModelKind(thought=20, empties=True, switches={"think": False})
    found = assessed(llm, tmp_path, model_window=8_000)
    assert (found.verdict, found.lines) == (FIT, ("[model_options]", "think = false"))
    assert "an answer without content" in found.thinking.tried['reasoning_effort = "none"']


def test_a_model_that_never_answers(tmp_path: Path) -> None:
    found = assessed(ModelKind(thought=20, empties=True), tmp_path, model_window=8_000)
    assert (found.verdict[:8], found.lines) == ("Not fit:", ())
    assert found.passages[0].found == 0


def test_thoughts_that_nothing_ends(tmp_path: Path) -> None:
    found = assessed(ModelKind(thought=20, refuses="think"), tmp_path, model_window=8_000)
    assert found.verdict == "Fit with limits: it thinks, and nothing that was tried ends that."
    assert found.lines == ()
    assert "Unrecognized request argument supplied: think" in found.thinking.tried["think = false"]
    assert len(found.thinking.tried) == 5


def test_a_server_that_refuses_streams(tmp_path: Path) -> None:
    found = assessed(ModelKind(streams_refused=True), tmp_path, model_window=8_000)
    assert (found.verdict, found.offers["streaming"], found.offers["usage"]) == (FIT, False, True)


def test_answers_that_end_early(tmp_path: Path) -> None:
    found = assessed(ModelKind(longest=512), tmp_path, model_window=8_000)
    assert (found.longest.tokens, found.longest.limit) == (512, 512)
    assert "answers end at 512 tokens" in found.verdict


@pytest.mark.parametrize(
    ("field", "refuses", "ways"),
    [
        ("structured_outputs", "", ["vllm"]),
        ("grammar", "", ["llama"]),
        ("response_format", "", ["ollama", "json_schema"]),
        ("response_format", "pattern", ["json_schema"]),
    ],
)
def test_a_server_that_takes_a_constraint(tmp_path: Path, field: str, refuses: str, ways: list[str]) -> None:
    found = assessed(ModelKind(takes=field, refuses=refuses), tmp_path, model_window=8_000)
    assert [each for each, became in found.constraints.items() if became == "works"] == ways


def test_a_weak_model(tmp_path: Path) -> None:
    found = assessed(ModelKind(facts=12, broken=20), tmp_path, model_window=8_000)
    assert found.verdict == "Fit with limits: --schema lean gave 12 of 25 facts, 52% of 42 rows are kept."


def test_a_model_of_no_use(tmp_path: Path) -> None:
    found = assessed(ModelKind(facts=3), tmp_path, model_window=8_000)
    assert found.verdict == "Not fit: --schema lean gave 3 of 25 facts, 100% of 7 rows are kept."


@pytest.mark.parametrize(
    ("requests", "verdict"), [(3, "Not tested: "), (7, "Fit with limits: "), (8, "Fit with limits: ")]
)
def test_a_server_that_dies_in_the_middle(tmp_path: Path, requests: int, verdict: str) -> None:
    """What was found before that stays; each probe after it says why it gave nothing."""
    found = assessed(ModelKind(dies_after=requests), tmp_path, model_window=8_000)
    assert found.verdict.startswith(verdict)
    assert "cannot be reached" in found.verdict
    assert found.thinking.tokens == 0
    assert [became for became in found.constraints.values() if became == "ignored"] == ["ignored"] * min(
        requests - 1, 4
    )


@pytest.mark.parametrize("limit", [0.1, 0.02, 0.004])
def test_the_budget_is_kept(tmp_path: Path, limit: float) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICED, encoding="utf-8")
    llm = ModelKind(thought=20)
    settings = settings_of(llm, tmp_path, prices=prices)
    with llm:
        found = assess(settings, planned(settings, limit))
    paid = sum(read + 4 * written for read, written in llm.counted) / 1e6
    assert 0 < paid <= limit
    assert found.usage.usd == pytest.approx(paid)


def test_a_gateway_that_asks_for_a_header(tmp_path: Path) -> None:
    llm = ModelKind(header=("x-team", "maps-0123456789"))
    address = f"{llm.url}/deployments/one?api-version=2024-10-21"
    headers = {"X-Team": "maps-0123456789"}
    found = assessed(llm, tmp_path, openai_base_url=address, model_headers=headers, model_window=8_000)
    assert (found.verdict, found.lines) == (FIT, ())
    assert {each.path for each in llm.requests} == {"/v1/deployments/one/chat/completions?api-version=2024-10-21"}
    assert not [secret for secret in ("maps-0123456789", "key-0123456789") if secret in str(found)]


def test_the_fields_that_extraction_has_go_with_each_question(tmp_path: Path) -> None:
    options = {"service_tier": "flex", "extract": {"seed": 7}, "answer": {"seed": 9}}
    llm = ModelKind()
    assessed(llm, tmp_path, model_window=8_000, model_options=options)
    assert {(each.body.get("service_tier"), each.body.get("seed")) for each in llm.requests} == {("flex", 7)}


def test_a_prompt_that_is_read_slowly_is_answered_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading may take longer than an answer: its time does not end the answer. Longer prompts are not tried."""
    monkeypatch.setattr("kg_neo4j.rooms.fitness.probes.SLOW_S", 0.5)
    found = assessed(ModelKind(reads_a_second=1_000), tmp_path)
    assert 1_300 < found.window.tokens < 1_700
    assert found.window.how.startswith("longer ones were not tried: 8,000 tokens would take some ")
    assert (found.verdict, found.lines) == (FIT, ())
