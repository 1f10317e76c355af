"""B-cubed and CEAF on examples worked out by hand, and the assignment against trying everything."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_lab.extraction.scores import Counts, assign, b_cubed, ceaf, shared, shares


def sets(*texts: str) -> list[frozenset[str]]:
    return [frozenset(text) for text in texts]


def test_b_cubed_of_the_textbook_example() -> None:
    """Twelve mentions in three clusters, two of which were joined: precision 76 %, recall 100 %."""
    gold = sets("12345", "67", "89ABC")
    assert b_cubed(sets("12345", "6789ABC"), gold).right == pytest.approx(5 + 4 / 7 + 25 / 7)
    found = shares(b_cubed(sets("12345", "6789ABC"), gold))
    assert (found.precision, found.recall) == (pytest.approx(0.7619, abs=1e-4), 1.0)
    joined = shares(b_cubed(sets("1234589ABC", "67"), gold))
    assert (joined.precision, joined.recall) == (pytest.approx(7 / 12), 1.0)


def test_a_mention_of_one_side_counts_against_that_side() -> None:
    assert b_cubed(sets("ab", "x"), sets("abc")) == Counts(2.0, 3.0, pytest.approx(4 / 3), 3.0)


def test_ceaf_aligns_clusters_one_to_one() -> None:
    """Both found clusters are parts of one; only the better one is counted: 2 x 3 / (3 + 5)."""
    assert ceaf(sets("abc", "de"), sets("abcde")) == Counts(0.75, 2, 0.75, 1)
    assert ceaf(sets("ab", "cd"), sets("cd", "ab")) == Counts(2.0, 2, 2.0, 2)
    assert ceaf([], sets("ab")) == Counts(0.0, 0, 0.0, 1)


def test_shared_mentions_leave_only_who_is_who() -> None:
    assert shared(sets("abx", "y"), sets("a", "bz")) == (sets("ab"), sets("a", "b"))


SIDES = st.lists(st.frozensets(st.integers(0, 9), min_size=1, max_size=4), max_size=5)
MATRIX = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 20), min_size=width, max_size=width), max_size=5)
)


@given(SIDES, SIDES)
def test_scores_stay_between_nothing_and_all(found: list[frozenset[int]], gold: list[frozenset[int]]) -> None:
    for counts in (b_cubed(found, gold), ceaf(found, gold)):
        assert 0 <= counts.right <= counts.found + 1e-9
        assert 0 <= counts.covered <= counts.gold + 1e-9


@given(SIDES)
def test_what_is_perfect_gets_all_and_what_is_empty_nothing(gold: list[frozenset[int]]) -> None:
    for measure in (b_cubed, ceaf):
        counts = measure(gold, gold)
        assert counts.right == pytest.approx(counts.found)
        assert measure([], gold).covered == 0


def best(weights: list[list[int]], row: int, taken: frozenset[int]) -> int:
    """Return the most that the rows from `row` on can get, by trying everything."""
    if row == len(weights):
        return 0
    tried = [best(weights, row + 1, taken)]
    for column, weight in enumerate(weights[row]):
        if column not in taken:
            tried.append(weight + best(weights, row + 1, taken | {column}))
    return max(tried)


@given(MATRIX)
def test_the_assignment_is_the_best_there_is(weights: list[list[int]]) -> None:
    pairs = assign(weights)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    assert sum(weights[row][column] for row, column in pairs) == best(weights, 0, frozenset())
    assert all(weights[row][column] for row, column in pairs)


def test_the_assignment_is_the_best_for_full_tables_too() -> None:
    chance = random.Random(5)
    for _ in range(200):
        weights = [[chance.randint(0, 9) for _ in range(5)] for _ in range(4)]
        for table in (weights, [list(column) for column in zip(*weights, strict=True)]):
            assert sum(table[row][column] for row, column in assign(table)) == best(table, 0, frozenset())
