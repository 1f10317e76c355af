"""What `kg ask` prints: the answer and its quotes; on demand the rest."""

from __future__ import annotations

import pytest

from kg_neo4j._cli.answers import show_answer, show_notes
from kg_neo4j.records import Answer, Citation, Claim, Passage, PathStep, Routing, Usage

QUOTE = "Ada Lind was born in Oslo, Norway."
CITED = Citation("c" * 32, "Ada Lind", 12, 46, QUOTE)


def given(text: str, *citations: Citation, found: bool = True, **more: object) -> Answer:
    return Answer("Where was Ada born?", "local", text, found, citations, (), Usage(), 0.1, **more)  # type: ignore[arg-type]


def printed(answer: Answer, capsys: pytest.CaptureFixture[str], *, evidence: bool = False) -> tuple[str, str]:
    show_answer(answer, evidence=evidence)
    show_notes(answer, evidence=evidence)
    output = capsys.readouterr()
    return output.out, output.err


def test_a_short_answer_its_quote_and_the_passages_without_ids_paths_and_notes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = given(
        f"Oslo [1]\n{QUOTE} [1]",
        CITED,
        claims=(Claim("Oslo", (1,), "supported", judged_by="path"), Claim(QUOTE, (1,), "supported")),
        short="Oslo",
        path=(PathStep("Ada Lind", "BORN_IN", "Oslo", 1),),
        passages=(Passage(CITED, "", "She left *early*.", "Early life"),),
        notes=("answered without a model",),
        routing=Routing("local", "Ada"),
    )
    passages = f"The passages that fit best:\n  [1] Ada Lind, Early life\n    > {QUOTE}\n      She left early.\n"
    assert printed(answer, capsys) == (f"Oslo [1] (supported)\n  [1] Ada Lind, “{QUOTE}”\n{passages}", "")
    out, err = printed(answer, capsys, evidence=True)
    assert f"[1] Ada Lind, chunk {'c' * 32} [12:46]: “{QUOTE}”" in out
    assert "Ada Lind -BORN_IN-> Oslo [1]" in out
    assert "  supported, by path: Oslo [1]\n" in out
    assert passages in out
    assert err == "note: mode local, because Ada\nnote: answered without a model\n"


def test_a_quote_that_is_the_answer_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(given(f"{QUOTE} [1]", CITED), capsys)[0] == f"{QUOTE} [1]\n  [1] Ada Lind\n"


def test_a_long_quote_is_shortened(capsys: pytest.CaptureFixture[str]) -> None:
    long = Citation("c1", "Ada Lind", 0, 900, "word " * 180)
    last = printed(given("Something [1]", long), capsys)[0].splitlines()[-1]
    assert len(last) < 330
    assert last.endswith("word …”")


def test_without_a_short_answer_the_passages_and_what_to_do_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    other = Citation("d" * 32, "Letters", 0, 21, "Ada was in *Norway*.", page=3)
    passages = (Passage(CITED, "Ada Lind was a baker.", "", "Ada Lind"), Passage(other, "", "", ""))
    answer = given(f"{QUOTE} [1]", CITED, found=False, passages=passages, notes=("ask otherwise",))
    assert printed(answer, capsys) == (
        "The passages that fit best:\n"
        f"  [1] Ada Lind\n      Ada Lind was a baker.\n    > {QUOTE}\n"
        "  [2] Letters, page 3\n    > Ada was in Norway.\n",
        "note: ask otherwise\n",
    )


def test_where_nothing_fits_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    answer = given("No answer found.", found=False, notes=("ask otherwise",))
    assert printed(answer, capsys) == ("No answer found.\n", "note: ask otherwise\n")


def test_a_model_without_an_answer_says_so_before_the_passages(capsys: pytest.CaptureFixture[str]) -> None:
    answer = given("No answer found.", found=False, passages=(Passage(CITED, "", "", ""),))
    out = f"No answer found.\nThe passages that fit best:\n  [1] Ada Lind\n    > {QUOTE}\n"
    assert printed(answer, capsys) == (out, "")
