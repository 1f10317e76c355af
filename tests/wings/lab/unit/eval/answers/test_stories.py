"""The table of docs/answers.md on our four stories, from recorded answers and verdicts of a large model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_neo4j_lab.answers.asking import given_of
from kg_neo4j_lab.answers.published_sets import read_set
from kg_neo4j_lab.answers.questions import StorySelection
from kg_neo4j_lab.answers.scores import Case, differences, read_case, score_system

DATA = Path(__file__).resolve().parents[5] / "data"
QUESTIONS = {
    each.id: each for each in read_set(str(DATA / "stories" / "stories.jsonl"), None, StorySelection()).questions
}


def cases(name: str) -> dict[str, list[Case]]:
    """Return the recorded cases of a set by system; answers and cases stand in the same order."""
    text = (DATA / "recorded" / "stories.answers.jsonl").read_text("utf-8")
    rows = [row for line in text.splitlines() if (row := json.loads(line))["set"] == name]
    given = {(row["system"], row["given"]["id"]): given_of(row["given"]) for row in rows if row["kind"] == "answer"}
    found: dict[str, list[Case]] = {}
    for row in rows:
        if row["kind"] == "case":
            key = row["system"], row["id"]
            found.setdefault(row["system"], []).append(read_case(row, QUESTIONS[row["id"]], given[key]))
    return found


@pytest.mark.parametrize(
    ("name", "questions", "accuracies", "correct"),
    [
        ("kept", 20, {"naive": 95, "raptor": 100, "tree": 100}, {"naive": 27.8, "raptor": 27.3, "tree": 29.4}),
        ("nursery", 10, {"naive": 90, "raptor": 100, "tree": 100}, {"naive": 25.2, "raptor": 29.2, "tree": 20.4}),
    ],
)
def test_the_table_of_the_stories_is_that_of_the_recorded_answers(
    name: str, questions: int, accuracies: dict[str, int], correct: dict[str, float]
) -> None:
    found = cases(name)
    assert {system: len(each) for system, each in found.items()} == dict.fromkeys(accuracies, questions)
    scores = {system: score_system(each) for system, each in found.items()}
    assert {system: round(100 * (each.accuracy or 0)) for system, each in scores.items()} == accuracies
    assert {system: round(100 * (each.correctness or 0), 1) for system, each in scores.items()} == correct
    assert not any(each.is_decided for each in differences(found))
