"""`kg doctor --model`: what is printed and kept; and the line that proposes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_neo4j.rooms.fitness.command import planned, proposal, result_file
from kg_neo4j.rooms.fitness.probes import report
from kg_neo4j.settings import Settings
from kg_runner import RunKg
from model_kinds import ModelKind


@pytest.fixture
def llm() -> Iterator[ModelKind]:
    with ModelKind(window=4_096, at_window="beginning") as server:
        yield server


@pytest.fixture
def given(llm: ModelKind, tmp_path: Path) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": llm.url,
        "OPENAI_API_KEY": "key-0123456789",
        "KG_MODEL": "scripted",
        "KG_CACHE": str(tmp_path / "cache"),
        "KG_HOME": str(tmp_path / "home"),
    }


def settings_of(given: dict[str, str]) -> Settings:
    return Settings(**{name.removeprefix("KG_").lower(): value for name, value in given.items()})


def test_the_result_is_printed_and_kept(run_kg: RunKg, given: dict[str, str]) -> None:
    code, out, err = run_kg(["doctor", "--model"], given)
    assert code == 0
    assert "the test takes about 10 calls, 45,700 tokens in, 5,500 out, price not known" in err
    assert "passage, lean   45 of 45 rows kept, 24 of 25 facts found" in out
    assert "window          4,096 tokens: longer ones lose their beginning without an error" in out
    assert "\nIn kg.toml:\nmodel_window = 4096\n\nFit with limits: " in out
    kept = json.loads(result_file(settings_of(given)).read_text(encoding="utf-8"))
    assert (kept["lines"], kept["window"]["limit"]) == (["model_window = 4096"], 4_096)
    assert "key-0123456789" not in out + err + str(kept)


def test_the_result_as_json(run_kg: RunKg, given: dict[str, str]) -> None:
    code, out, _ = run_kg(["doctor", "--model", "--json"], given)
    found = json.loads(out)
    assert (code, found["verdict"][:16], found["usage"]["calls"]) == (0, "Fit with limits:", 9)
    assert set(found) >= {"model", "server", "thinking", "offers", "constraints", "passages", "longest", "window"}


def test_a_model_of_no_use_is_a_problem(run_kg: RunKg, given: dict[str, str], llm: ModelKind) -> None:
    llm.facts = 2
    assert run_kg(["doctor", "--model"], given)[0] == 1


def test_a_key_that_is_refused_ends_the_test(run_kg: RunKg, given: dict[str, str], llm: ModelKind) -> None:
    llm.header = ("authorization", "Bearer other")
    code, out, err = run_kg(["doctor", "--model"], given)
    assert (code, out, "refused the key" in err, llm.calls) == (5, "", True, 1)


def test_without_a_model_there_is_nothing_to_test(run_kg: RunKg, given: dict[str, str]) -> None:
    code, _, err = run_kg(["doctor", "--model"], {**given, "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""})
    assert (code, "no model is set, so none can be tested" in err) == (2, True)


def test_a_budget_without_a_price_is_refused(run_kg: RunKg, given: dict[str, str], llm: ModelKind) -> None:
    code, _, err = run_kg(["doctor", "--model", "--budget-usd", "0.05"], given)
    assert (code, "none is known for 'scripted'" in err, llm.calls) == (2, True, 0)


def test_the_test_is_proposed_once_for_each_model(given: dict[str, str], tmp_path: Path) -> None:
    settings = settings_of(given)
    said = "was never tested; `kg doctor --model` takes about 10 calls, 45,700 tokens in, 5,500 out"
    assert proposal(settings) == [f"the model scripted {said}, price not known"]
    assert proposal(settings) == []
    priced = settings.model_copy(update={"model": "gpt-4o-mini"})
    assert proposal(priced) == [f"the model gpt-4o-mini {said}, 0.0102 USD"]
    assert proposal(settings.model_copy(update={"model_options": {"think": False}})) != []
    assert proposal(settings.model_copy(update={"openai_base_url": None, "openai_api_key": None})) == []
    (tmp_path / "file").touch()
    in_no_folder = settings.model_copy(update={"cache": tmp_path / "file" / "cache"})
    assert proposal(in_no_folder) == proposal(in_no_folder) != []


def test_a_tested_model_is_not_proposed(run_kg: RunKg, given: dict[str, str]) -> None:
    assert run_kg(["doctor", "--model"], given)[0] == 0
    assert proposal(settings_of(given)) == []


def test_a_plan_fits_the_budget(given: dict[str, str]) -> None:
    """The longest prompt and the longest answer of a dear model are shorter; a known window is not passed."""
    dear = planned(settings_of({**given, "KG_MODEL": "gpt-5"}), 0.02)
    assert (dear.window, dear.longest) == (6_400, 500)
    assert planned(settings_of({**given, "KG_MODEL": "gpt-3.5-turbo"})).window == 16_385


@pytest.mark.parametrize("size", [1_500, 8_000, 32_000])
def test_a_report_has_its_length_and_three_numbers(size: int) -> None:
    from kg_neo4j._models import tokens

    text = report(size)
    assert 0.9 * size < tokens.load().count(text) < 1.1 * size
    assert [text.find(number) > 0 for number in ("4718", "2953", "8362")] == [True] * 3
    assert text.index("4718") < 100
    assert len(text) - text.index("8362") < 100
