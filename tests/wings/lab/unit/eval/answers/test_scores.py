"""Exact match and F1 as the multi-hop literature counts them; what a file of questions may hold; what was saved."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from kg_neo4j.errors import SourceNotFound, UnreadableSource
from kg_neo4j.records import Usage
from kg_neo4j_lab.answers.questions import AnsweredQuestion, read_answered
from kg_neo4j_lab.answers.recalling import OF_ONE_MODE, RecordFile
from kg_neo4j_lab.answers.scorecard import half_of, saved_answers
from kg_neo4j_lab.answers.scores import (
    SCORED,
    Case,
    GivenAnswer,
    GoldenScore,
    differences,
    exact_match,
    f1,
    normalise,
    score,
    score_system,
)


@pytest.mark.parametrize(
    ("said", "gold", "exact", "expected"),
    [
        ("The Glass Year", "glass year", 1.0, 1.0),
        ("Glass-Year!", "glassyear", 1.0, 1.0),
        ("Paris, France", "Paris", 0.0, 2 / 3),
        ("yes", "yes", 1.0, 1.0),
        ("no", "yes", 0.0, 0.0),
        ("yes it is", "yes", 0.0, 0.0),  # HotpotQA: a closed answer is right as a whole, or not
        ("", "Paris", 0.0, 0.0),
        ("a the", "an", 1.0, 1.0),
        ("one two two", "two two three", 0.0, 2 / 3),
    ],
)
def test_answers_are_compared_as_the_literature_does(said: str, gold: str, exact: float, expected: float) -> None:
    assert exact_match(said, [gold]) == exact
    assert f1(said, [gold]) == pytest.approx(expected)


def test_the_best_of_several_answers_counts() -> None:
    assert exact_match("NYC", ["New York City", "NYC"]) == 1.0
    assert f1("York", ["NYC", "New York"]) == pytest.approx(2 / 3)
    assert normalise(" An  apple, the PEAR. ") == "apple pear"


def given(name: str, kind: str = "", **options: object) -> GivenAnswer:
    values = {"said": "x", "short": "", "exact": 1.0, "f1": 1.0, "found": True, "cited_claims": 2, "supported": 1}
    values |= {"citations": 2, "valid": 2, "usage": Usage(), "seconds": 0.1}
    return GivenAnswer(name, kind, **(values | options))  # type: ignore[arg-type]


def test_scores_are_means_over_questions_and_shares_over_claims() -> None:
    found = given("a", "x", usage=Usage(1, 10, 2, 0.5))
    missing = given("b", "y", exact=0.0, f1=0.5, found=False, cited_claims=0, supported=0, citations=0, valid=0)
    card = score([found, missing])
    assert (card.exact, card.f1, card.found, card.exact_of_found) == (0.5, 0.75, 0.5, 1.0)
    assert (card.claim_precision, card.citation_validity) == (0.5, 1.0)
    assert card.usage == Usage(1, 10, 2, 0.5)
    assert (card.types["x"].exact, card.types["y"].exact) == (1.0, 0.0)
    assert card.types["y"].claim_precision is None
    assert card.exact_interval[0] <= card.exact <= card.exact_interval[1]


def case(system: str, number: int, chosen: int | None, correctness: float | None = None) -> Case:
    question = AnsweredQuestion(str(number), "Q?", ("b",), options=("a", "b"))
    golden = GoldenScore("b", 0.0, correctness, correctness)
    return Case(system, question, given(str(number), chosen=chosen), (golden,), "words", Usage(), "x")


def test_accuracy_counts_the_right_options_and_one_that_was_not_chosen_is_wrong() -> None:
    found = score_system([case("naive", number, chosen) for number, chosen in enumerate((2, 1, 0, 2))])
    assert found.accuracy == 0.5
    assert found.accuracy_interval is not None
    assert found.accuracy_interval[0] <= 0.5 <= found.accuracy_interval[1]
    assert score_system([case("naive", 1, None)]).accuracy is None


def test_systems_are_compared_by_question_and_an_interval_with_zero_decides_nothing() -> None:
    better = {name: [case(name, each, chosen) for each in range(40)] for name, chosen in (("naive", 1), ("tree", 2))}
    (found,) = differences(better)
    assert (found.system, found.other, found.measure, found.points) == ("tree", "naive", "accuracy", 100.0)
    assert found.is_decided
    even = {name: [case(name, each, 1 + (each + at) % 2, 0.5) for each in range(40)] for at, name in enumerate("ab")}
    accuracy, correctness = differences(even)
    assert (accuracy.points, accuracy.is_decided) == (0.0, False)
    assert (correctness.points, correctness.interval) == (0.0, (0.0, 0.0))


def test_the_whole_answer_or_the_short_one_is_scored() -> None:
    found = given("a", said="Ines", text="Ines opened the sluice [1].")
    assert [found.scored(how) for how in SCORED] == ["Ines opened the sluice.", "Ines"]
    assert given("a", said="", text="The passages that fit best", found=False).scored(SCORED[0]) == ""


def write(path: Path, *rows: object) -> str:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def test_questions_may_have_several_answers(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "Q?", "answer": "a", "answer_aliases": ["b", "a"], "type": "t", "gold": [3]},
        {"id": 2, "question": "R?", "answer": ["c", "d"]},
    ]
    first, second = read_answered(write(tmp_path / "q.jsonl", *rows))
    assert (first.answers, first.type) == (("a", "b"), "t")
    assert (second.id, second.answers) == ("2", ("c", "d"))


@pytest.mark.parametrize(
    "row",
    [
        {"id": "1", "question": "Q?"},
        {"id": "1", "question": "Q?", "answer": " "},
        {"id": "1", "question": "", "answer": "a"},
    ],
)
def test_what_is_no_question_is_refused_with_its_line(tmp_path: Path, row: dict[str, str]) -> None:
    with pytest.raises(UnreadableSource, match="line 1"):
        read_answered(write(tmp_path / "q.jsonl", row))


def test_a_question_may_not_come_twice_and_a_file_has_to_be_there(tmp_path: Path) -> None:
    row = {"id": "1", "question": "Q?", "answer": "a"}
    with pytest.raises(UnreadableSource, match="twice"):
        read_answered(write(tmp_path / "q.jsonl", row, row))
    with pytest.raises(SourceNotFound):
        read_answered(str(tmp_path / "none.jsonl"))


def saved(path: Path, run: str) -> dict[str, GivenAnswer]:
    return saved_answers(RecordFile(str(path)), run)


def keep(path: Path, run: str, answer: GivenAnswer) -> None:
    RecordFile(str(path)).append(OF_ONE_MODE, {"run": run, **asdict(answer)})


def test_saved_answers_are_there_for_the_same_run_alone(tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    answer = given("a", usage=Usage(1, 2, 3, 0.5), text="Ä [1]", notes=("n",))
    keep(path, "one", answer)
    assert saved(path, "one") == {"a": answer}
    assert saved(path, "other") == {}


def test_a_line_without_a_kind_is_an_answer_of_one_mode(tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    path.write_text(json.dumps({"run": "one", **asdict(given("a"))}) + "\n", "utf-8")
    assert saved(path, "one") == {"a": given("a")}


def test_a_line_that_was_cut_off_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    for name in ("a", "b"):
        keep(path, "one", given(name))
    path.write_bytes(path.read_bytes()[:-20])
    assert saved(path, "one") == {"a": given("a")}
    keep(path, "one", given("b"))
    assert saved(path, "one")["b"] == given("b")


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("buy milk\n", encoding="utf-8")
    with pytest.raises(UnreadableSource, match="line 1"):
        RecordFile(str(path))


def test_halves_are_stable_and_about_equal() -> None:
    halves = [half_of(str(number)) for number in range(1_000)]
    assert half_of("7") == half_of("7")
    assert 400 < sum(halves) < 600
