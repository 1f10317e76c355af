"""kg eval extraction: the shape that other programs rely on, the tables for a person, and exit codes."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotated import ANSWER, row, write
from fake_llm import FakeLlm
from kg_neo4j._cli import app as command_line

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


@pytest.fixture
def kg(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run `kg eval extraction` in this process: exit code, standard output, standard error."""

    def run(*arguments: str, **environment: str) -> tuple[int, str, str]:
        base = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "KG_MODEL": "", "KG_CACHE": str(tmp_path / "cache")}
        for name, value in {**base, "COLUMNS": "80", **environment}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["kg", "eval", "extraction", *arguments])
        with pytest.raises(SystemExit) as exit_:
            command_line.main()
        output = capsys.readouterr()
        return int(exit_.value.code or 0), output.out, output.err

    return run


def test_the_shape_that_other_programs_rely_on(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    llm.say(ANSWER)
    scripted = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "key"}
    code, out, err = kg(
        "--gold",
        write(tmp_path),
        "--model",
        "scripted",
        "--gleanings",
        "0",
        "--schema",
        "described",
        "--json",
        **scripted,
    )
    assert (code, err) == (0, "")
    shape = json.loads(out)
    assert shape["documents"] == 1
    assert shape["extractor"] == "scripted"
    assert (shape["gives_mentions"], len(shape["config_hash"])) == (False, 32)
    for of_all, by_name in (
        (shape["mentions"]["strict"], shape["mentions"]["by_name"]["strict"]),
        (shape["entities"], shape["entities"]["by_name"]),
        (shape["relations"]["end_to_end"]["document"], shape["relations"]["end_to_end"]["by_name"]["document"]),
        (shape["clusters"]["all"]["ceaf_e"], shape["clusters"]["by_name"]["ceaf_e"]),
    ):
        assert (of_all["f1"], of_all["found"]) == (by_name["f1"], by_name["found"])
    measures = [shape["mentions"]["strict"], shape["mentions"]["span"], shape["entities"]]
    for setting in ("gold_entities", "end_to_end"):
        measures += [shape["relations"][setting][scope] for scope in ("within_sentence", "document")]
    for scope in ("all", "shared"):
        measures += [shape["clusters"][scope][name] for name in ("b_cubed", "ceaf_e")]
    for measure in measures:
        assert {"precision", "recall", "f1", "interval", "right", "found", "gold"} <= set(measure)
        assert set(measure["interval"]) == {"precision", "recall", "f1"}
    strict = shape["mentions"]["strict"]
    assert (strict["precision"], strict["recall"], strict["f1"]) == (0.8, 0.6667, 0.7273)
    assert strict["macro"]["f1"] == 0.5556
    assert strict["types"]["LOC"]["recall"] == 0.5
    assert "name" not in strict["types"]["LOC"]
    born = shape["relations"]["end_to_end"]["document"]["types"]["P19"]
    assert (born["name"], born["precision"], born["recall"]) == ("place of birth", 0.5, 1.0)
    assert shape["rows"] == {"read": 11, "accepted": 11, "rejected": 0}
    assert (shape["evidence"]["found"], shape["evidence"]["share"]) == (9, 0.8182)
    assert shape["duplicates"] == {"matched": 4, "surplus": 1, "rate": 0.25}
    assert (shape["calls"], shape["tokens"]) == (1, {"input": 100, "output": 20})
    assert (shape["usd"], shape["usd_per_right_fact"], shape["right_facts"]) == (None, None, 2)
    assert shape["words_per_s"] > 0
    assert shape["unscored"] == {"relationships": {"ADMIRED": 1}, "nodes": 0}


def test_a_person_sees_what_was_measured_and_how_to_repeat_it(kg: Run, tmp_path: Path) -> None:
    gold = write(tmp_path, row(), row("Rome"))
    code, out, err = kg("--gold", gold, "--split", "test")
    assert (code, err) == (0, "")
    assert re.search(rf"offline-1 \([0-9a-f]{{8}}\) on {re.escape(gold)}, split test: 1 passages", out)
    assert "By the names of node rows alone" in out
    assert "the places that the extractor gives itself" in out
    assert "given the annotated entities, at its default threshold" in out
    for measure in ("Mentions, place and type", "Relations, end to end, document", "Who is who, all, CEAF-e"):
        assert measure in out
    assert re.search(r"^right facts +\d+, 0.00000 USD each$", out, re.MULTILINE)
    assert f"again:  kg eval extraction --gold {gold} --split test\n" in out
    measures = (" Mentions", " Entities", " Relations", " Who is who", "   sentence", "   document")
    tables = [line for line in out.splitlines() if re.search(r" \d\.\d| - ", line) and line.startswith(measures)]
    assert len(tables) > 8
    assert max(len(line) for line in tables) <= 80  # a terminal folds none of them


def test_types_beyond_the_table_are_counted(kg: Run, tmp_path: Path) -> None:
    kinds = [f"P{number}" for number in range(1, 16)]
    labels = tuple((0, kind, 1, ()) for kind in kinds)
    _, out, _ = kg("--gold", write(tmp_path, row(labels=labels), names={}))
    assert "types more; --json has all" in out


def test_what_failed_is_named_and_exits_with_3(kg: Run, llm: FakeLlm, tmp_path: Path) -> None:
    llm.fail(400, code="content_filter")
    scripted = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "key"}
    code, out, err = kg("--gold", write(tmp_path), "--model", "scripted", "--gleanings", "0", **scripted)
    assert code == 3
    assert re.search(r"^right facts +none$", out, re.MULTILINE)
    assert "Mentions, place and type" in out
    assert "note: 'Ada': filtered" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--split", "tests"],
        ["--limit", "0"],
        ["--types", "nothing.toml"],
        ["--schema", "nonsense"],
        ["--model", "gpt-4o-mini"],
    ],
    ids=" ".join,
)
def test_an_argument_that_cannot_be_meant_exits_with_2(kg: Run, tmp_path: Path, arguments: list[str]) -> None:
    code, out, err = kg("--gold", write(tmp_path), *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")


def test_a_file_that_is_not_there_is_named(kg: Run) -> None:
    code, out, err = kg("--gold", "nothing.json", "--json")
    assert (code, err) == (1, "")
    assert "nothing.json" in json.loads(out)["error"]["message"]
