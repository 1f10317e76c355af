"""Recall, all-gold, reciprocal rank and paired differences, by hand."""

from __future__ import annotations

import pytest

from kg_neo4j_lab.retrieval.questions import GoldQuestion
from kg_neo4j_lab.retrieval.scores import Ranking, compare, recall, score

QUESTIONS = (
    GoldQuestion("a", "?", frozenset({1, 2}), type="bridge"),
    GoldQuestion("b", "?", frozenset({3}), type="comparison"),
)
RANKINGS = (Ranking((9, 1, 8, 2), 0.010), Ranking((7, 6), 0.030))


def test_recall_is_the_share_of_the_passages_needed() -> None:
    assert [recall(QUESTIONS[0], RANKINGS[0], depth) for depth in (1, 2, 4, 100)] == [0, 0.5, 1, 1]


def test_the_means_over_all_questions() -> None:
    found = score(QUESTIONS, RANKINGS, (2, 4))
    assert found.recall == {2: 0.25, 4: 0.5}
    assert found.all_gold == {2: 0, 4: 0.5}
    assert found.all_gold_interval == {2: (0, 0), 4: (0, 1)}
    assert found.mrr == 0.25
    assert found.types == {"bridge": {2: 0.5, 4: 1}, "comparison": {2: 0, 4: 0}}
    assert found.p50_ms == pytest.approx(20)


def test_the_interval_holds_the_mean_and_repeats() -> None:
    questions = QUESTIONS * 20
    found = score(questions, RANKINGS * 20, (4,))
    low, high = found.interval[4]
    assert low < found.recall[4] < high
    assert score(questions, RANKINGS * 20, (4,)) == found


def test_a_difference_is_paired() -> None:
    ours, theirs = [1.0, 0.5, 0.0, 0.75] * 10, [0.5, 0.0, -0.5, 0.25] * 10
    found = compare(ours, theirs)
    assert (found.points, found.low, found.high) == (50, 50, 50)  # every question gains the same
