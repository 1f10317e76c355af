"""A bounded map over daemon threads that keeps the order, and keeps what was finished when something fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")


def map_in_order(work: Callable[[A], B], items: Sequence[A], concurrency: int) -> Iterator[B]:
    """Yield `work(item)` for each item, in order, with at most `concurrency` calls at a time.

    At most twice as many results are begun as were taken, so a slow consumer slows the work. At the first error
    no further call begins; the results that are finished by then are yielded, then it is raised. With concurrency 1
    everything happens in the caller's thread. The threads are daemons: an interrupt ends the program at once.
    """
    if concurrency == 1 or len(items) < 2:
        yield from map(work, items)
        return
    crew = _Crew(work, items, concurrency)
    try:
        yield from crew.results()
    finally:
        crew.stop()


class _Crew(Generic[A, B]):
    """The threads that share one list of items."""

    def __init__(self, work: Callable[[A], B], items: Sequence[A], concurrency: int) -> None:
        self._work = work
        self._items = items
        self._futures: list[Future[B]] = [Future() for _ in items]
        self._next = 0
        self._lock = threading.Lock()
        self._stopped = False
        self._room = threading.Semaphore(2 * concurrency)
        for number in range(min(concurrency, len(items))):
            threading.Thread(target=self._run, name=f"kg-extract-{number}", daemon=True).start()

    def results(self) -> Iterator[B]:
        for place, future in enumerate(self._futures):
            error = future.exception()
            if error is not None:
                self.stop()
                yield from self._finished(place + 1)
                raise error
            yield future.result()
            self._room.release()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
        for _ in self._items:  # nobody waits for room that is never made
            self._room.release()

    def _finished(self, start: int) -> Iterator[B]:
        for future in self._futures[start:]:
            if future.done() and future.exception() is None:
                yield future.result()

    def _run(self) -> None:
        while True:
            self._room.acquire()
            with self._lock:
                place = self._next
                if self._stopped or place >= len(self._items):
                    return
                self._next += 1
            with _Delivery(self, self._futures[place]) as future:
                future.set_result(self._work(self._items[place]))


class _Delivery(Generic[A, B]):
    """Hands an error of the work to whoever waits for its result, and stops the crew."""

    def __init__(self, crew: _Crew[A, B], future: Future[B]) -> None:
        self._crew = crew
        self._future = future

    def __enter__(self) -> Future[B]:
        return self._future

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> bool:
        if error is not None:
            self._crew.stop()
            self._future.set_exception(error)
        return True
