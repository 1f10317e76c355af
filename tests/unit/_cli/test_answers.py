"""What `kg ask` prints: the answer and its quotes; on demand the rest."""

from __future__ import annotations

import pytest

from kg_neo4j._cli.answers import show_answer, show_notes
from kg_neo4j.records import Answer, Citation, PathStep, Routing, Usage

QUOTE = "Ada Lind was born in Oslo, Norway."
CITED = Citation("c" * 32, "Ada Lind", 12, 46, QUOTE)


def given(text: str, *citations: Citation, found: bool = True, **more: object) -> Answer:
    return Answer("Where was Ada born?", "local", text, found, citations, (), Usage(), 0.1, **more)  # type: ignore[arg-type]


def printed(answer: Answer, capsys: pytest.CaptureFixture[str], *, evidence: bool = False) -> tuple[str, str]:
    show_answer(answer, evidence=evidence)
    show_notes(answer, evidence=evidence)
    output = capsys.readouterr()
    return output.out, output.err


def test_a_short_answer_and_its_quote_without_ids_paths_and_notes(capsys: pytest.CaptureFixture[str]) -> None:
    path = (PathStep("Ada Lind", "BORN_IN", "Oslo", 1),)
    notes = ("answered without a model",)
    answer = given(
        f"Oslo [1]\n{QUOTE} [1]", CITED, short="Oslo", path=path, notes=notes, routing=Routing("local", "Ada")
    )
    assert printed(answer, capsys) == (f"Oslo [1]\n  [1] Ada Lind, “{QUOTE}”\n", "")
    out, err = printed(answer, capsys, evidence=True)
    assert f"[1] Ada Lind, chunk {'c' * 32} [12:46]: “{QUOTE}”" in out
    assert "Ada Lind -BORN_IN-> Oslo [1]" in out
    assert err == "note: mode local, because Ada\nnote: answered without a model\n"


def test_a_quote_that_is_the_answer_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(given(f"{QUOTE} [1]", CITED), capsys)[0] == f"{QUOTE} [1]\n  [1] Ada Lind\n"


def test_a_long_quote_is_shortened(capsys: pytest.CaptureFixture[str]) -> None:
    long = Citation("c1", "Ada Lind", 0, 900, "word " * 180)
    last = printed(given("Something [1]", long), capsys)[0].splitlines()[-1]
    assert len(last) < 330
    assert last.endswith("word …”")


def test_no_answer_shows_the_nearest_passages_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    answer = given("No answer found.", found=False, nearest=(CITED,), notes=("ask otherwise",))
    out, err = printed(answer, capsys)
    assert out == f"No answer found.\nThe nearest passages:\n  [1] Ada Lind, “{QUOTE}”\n"
    assert err == "note: ask otherwise\n"
