"""The table of docs/benchmarks.md on GraphRAG-Bench, from recorded answers and verdicts of a large model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kg_neo4j.records import Usage
from kg_neo4j_lab.answers.questions import AnsweredQuestion
from kg_neo4j_lab.answers.scores import NONE_FOUND, Case, GivenAnswer, GoldenScore, differences, notes_on, score_system

DATA = Path(__file__).resolve().parents[5] / "data"
TYPES = ("Complex Reasoning", "Contextual Summarize", "Creative Generation", "Fact Retrieval")


def cases() -> dict[str, list[Case]]:
    """Return the recorded cases by system. Golden answers are not ours: of statements the numbers are recorded."""
    found: dict[str, list[Case]] = {}
    for line in (DATA / "recorded" / "graphrag_bench.answers.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        right, wrong, missing = (tuple(map(str, range(row[name]))) for name in ("right", "wrong", "missing"))
        f1 = len(right) / (len(right) + 0.5 * (len(wrong) + len(missing))) if right else 0.0
        correctness = 0.25 * row["similarity"] + 0.75 * f1
        golden = GoldenScore("", row["similarity"], f1, correctness, right, wrong, missing)
        said = row["answer"] if row["found"] else ""
        given = GivenAnswer(
            row["id"], row["type"], said, row["short"], row["exact"], row["f1"], row["found"], 0, 0, 0, 0, Usage(), 0.0
        )
        case = Case(
            row["system"], AnsweredQuestion(row["id"], "", ("",), row["type"]), given, (golden,), "model", Usage()
        )
        found.setdefault(row["system"], []).append(case)
    return found


@pytest.mark.parametrize(
    ("system", "correct", "by_type", "answered", "stated"),
    [("auto", 34.0, (39.8, 39.5, 17.7, 36.8), 37, 39.6), ("none", 25.9, (17.3, 37.7, 21.5, 27.6), 34, 32.6)],
)
def test_the_rows_are_those_of_the_recorded_answers(
    system: str, correct: float, by_type: tuple[float, ...], answered: int, stated: float
) -> None:
    found = cases()[system]
    assert len(found) == 40
    assert round(100 * (score_system(found).correctness or 0), 1) == correct
    means = [score_system([each for each in found if each.question.type == kind]).correctness for kind in TYPES]
    assert tuple(round(100 * (each or 0), 1) for each in means) == by_type
    assert sum(each.given.found for each in found) == answered
    shares = [
        len(each.goldens[0].right) / max(1, len(each.goldens[0].right + each.goldens[0].missing)) for each in found
    ]
    assert round(100 * sum(shares) / len(shares), 1) == stated


def test_both_systems_answered_the_same_questions_and_no_difference_is_decided() -> None:
    found = cases()
    (asked,) = {frozenset(case.question.id for case in each) for each in found.values()}
    assert len(asked) == 40
    (difference,) = differences({name: sorted(each, key=lambda case: case.question.id) for name, each in found.items()})
    assert not difference.is_decided
    assert (difference.system, difference.measure, round(difference.points, 1)) == ("none", "correctness", -8.1)


def test_a_table_of_zeros_is_explained() -> None:
    found = cases()["auto"]
    assert notes_on(found) == []
    assert notes_on([replace(each, given=replace(each.given, found=False)) for each in found]) == [NONE_FOUND]
    asked = [replace(each, given=replace(each.given, found=False, usage=Usage(calls=1))) for each in found]
    assert notes_on(asked) == []
