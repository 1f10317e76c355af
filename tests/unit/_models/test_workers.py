"""A bounded crew that hands results over as they are finished, and stops at the first error."""

from __future__ import annotations

import threading

import pytest

from kg_neo4j._models.workers import Crew

WAIT_S = 20


@pytest.mark.parametrize("size", [1, 2, 5, 50])
def test_every_item_is_worked_on_once(size: int) -> None:
    crew: Crew[int, int] = Crew(lambda item: item * 2, size)
    numbers = [crew.begin(item) for item in range(40)]
    found = {done.number: done.result for done in (crew.take() for _ in numbers)}
    assert found == {number: number * 2 for number in range(40)}
    crew.stop()


def test_calls_run_at_the_same_time_up_to_the_bound() -> None:
    together = threading.Barrier(3)
    crew: Crew[int, bool] = Crew(lambda _: together.wait(WAIT_S) >= 0, 3)
    for item in range(6):
        crew.begin(item)
    assert [crew.take().result for _ in range(6)] == [True] * 6
    crew.stop()


def test_one_worker_is_the_caller_itself() -> None:
    crew: Crew[int, int] = Crew(lambda _: threading.get_ident(), 1)
    crew.begin(0)
    assert crew.take().result == threading.get_ident()


@pytest.mark.parametrize("size", [1, 4])
def test_an_error_is_handed_over_and_nothing_is_begun_after_it(size: int) -> None:
    called: list[int] = []

    def work(item: int) -> int:
        called.append(item)
        if item == 10:
            raise ValueError(item)
        return item

    crew: Crew[int, int] = Crew(work, size)
    for item in range(1000):
        crew.begin(item)
    taken = [crew.take()]
    while taken[-1].error is None:
        taken.append(crew.take())
    assert isinstance(taken[-1].error, ValueError)
    assert taken[-1].item == 10
    assert len(called) <= 11 + 2 * size


def test_what_was_finished_can_be_taken_after_a_stop() -> None:
    crew: Crew[int, int] = Crew(lambda item: item, 2)
    hold = threading.Event()
    waiting: Crew[int, bool] = Crew(lambda _: hold.wait(WAIT_S), 2)
    crew.begin(1)
    assert crew.take().result == 1
    waiting.begin(1)
    waiting.stop()
    assert waiting.finished() == []
    hold.set()
