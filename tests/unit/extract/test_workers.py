"""A map that keeps the order, is bounded, and keeps what was finished when something fails."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from kg_neo4j.extract.workers import map_in_order

WAIT_S = 20


@pytest.mark.parametrize("concurrency", [1, 2, 5, 50])
def test_results_come_in_the_order_of_the_items(concurrency: int) -> None:
    assert list(map_in_order(lambda item: item * 2, range(40), concurrency)) == [item * 2 for item in range(40)]


def test_nothing_to_do_is_no_error() -> None:
    assert list(map_in_order(str, [], 3)) == []


def test_calls_run_at_the_same_time_up_to_the_bound() -> None:
    together = threading.Barrier(3)
    assert list(map_in_order(lambda _: together.wait(WAIT_S) >= 0, range(6), 3)) == [True] * 6


def test_items_are_taken_at_most_twice_the_bound_ahead() -> None:
    taken: list[int] = []
    hold = threading.Event()

    def items() -> Iterator[int]:
        for item in range(100):
            taken.append(item)
            yield item

    def work(item: int) -> int:
        if item:
            hold.wait(WAIT_S)
        return item

    results = map_in_order(work, items(), 2)
    assert next(results) == 0
    assert len(taken) <= 5
    hold.set()
    assert list(results) == list(range(1, 100))


@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_error_is_raised_after_the_results_before_it_and_stops_further_calls(concurrency: int) -> None:
    called: list[int] = []

    def work(item: int) -> int:
        called.append(item)
        if item == 10:
            raise ValueError(item)
        return item

    results: list[int] = []
    with pytest.raises(ValueError, match="10"):
        results.extend(map_in_order(work, range(1000), concurrency))
    assert results[:10] == list(range(10))
    assert len(called) <= 11 + 2 * concurrency


def test_an_error_of_the_source_is_raised() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(map_in_order(str, items(), 3))
