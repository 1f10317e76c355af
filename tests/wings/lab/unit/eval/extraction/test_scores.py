"""Shares, means over types, and intervals by resampling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_lab.extraction.scores import Counts, Shares, score, shares


def counts(right: float, found: float, gold: float) -> Counts:
    return Counts(right, found, right, gold)


def test_precision_recall_and_f1() -> None:
    assert shares(counts(2, 4, 3)) == Shares(0.5, pytest.approx(2 / 3), pytest.approx(4 / 7))
    assert shares(Counts(1, 2, 3, 4)) == Shares(0.5, 0.75, pytest.approx(0.6))


def test_shares_of_nothing_are_nothing() -> None:
    assert shares(Counts()) == shares(counts(0, 3, 0)) == Shares(0.0, 0.0, 0.0)
    assert score([]).shares == score([{}]).macro == Shares(0.0, 0.0, 0.0)


def test_micro_counts_all_alike_and_macro_all_types_that_the_annotation_has() -> None:
    found = score([{"PER": counts(8, 8, 8), "LOC": counts(0, 2, 2)}, {"PER": counts(0, 0, 2), "ORG": counts(0, 10, 0)}])
    assert found.shares == Shares(0.4, pytest.approx(8 / 12), pytest.approx(0.5))
    assert found.macro == Shares(0.5, pytest.approx(0.4), pytest.approx((2 * 0.8 / 1.8) / 2))
    assert found.counts == counts(8, 20, 12)
    assert list(found.types) == ["PER", "LOC", "ORG"]
    assert found.types["PER"] == (Shares(1.0, 0.8, pytest.approx(1.6 / 1.8)), counts(8, 8, 10))


def test_one_passage_leaves_no_doubt_and_many_like_it_none_either() -> None:
    for number in (1, 20):
        found = score([{"PER": counts(1, 2, 4)}] * number)
        assert found.interval.precision == (0.5, 0.5)
        assert found.interval.recall == (0.25, 0.25)
        assert found.interval.f1 == found.macro_interval.f1 == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_an_interval_is_that_of_the_binomial_where_passages_are_coins() -> None:
    """100 passages, half of them right: 0.5 with a standard error of 0.05, so about 0.40 to 0.60."""
    found = score([{"PER": counts(number % 2, 1, 1)} for number in range(100)])
    low, high = found.interval.precision
    assert found.shares.precision == 0.5
    assert low == pytest.approx(0.402, abs=0.01)
    assert high == pytest.approx(0.598, abs=0.01)


def test_the_same_input_gives_the_same_interval() -> None:
    passages = [{"PER": counts(number % 3, 3, 4), "LOC": counts(0, number % 2, 1)} for number in range(30)]
    assert score(passages) == score(passages)


PASSAGES = st.lists(
    st.dictionaries(
        st.sampled_from(["PER", "LOC", "ORG"]),
        st.tuples(*[st.integers(0, 5)] * 3).map(lambda each: counts(each[0], each[0] + each[1], each[0] + each[2])),
    ),
    max_size=8,
)


@given(PASSAGES)
def test_every_share_is_one_and_lies_in_the_span_of_its_interval(passages: list[dict[str, Counts]]) -> None:
    found = score(passages)
    for one, interval in ((found.shares, found.interval), (found.macro, found.macro_interval)):
        for share, (low, high) in zip(
            (one.precision, one.recall, one.f1), (interval.precision, interval.recall, interval.f1), strict=True
        ):
            assert 0 <= share <= 1
            assert 0 <= low <= high <= 1


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_what_is_perfect_is_one_throughout(numbers: list[int]) -> None:
    found = score([{"PER": counts(number, number, number)} for number in numbers])
    assert found.shares == found.macro == Shares(1.0, 1.0, 1.0)
    assert found.interval.f1 == (1.0, 1.0)
