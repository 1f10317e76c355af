"""A bounded map over daemon threads that keeps the order, and keeps what was finished when something fails."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from types import TracebackType
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")


def map_in_order(work: Callable[[A], B], items: Iterable[A], concurrency: int) -> Iterator[B]:
    """Yield `work(item)` for each item, in order, with at most `concurrency` calls at a time.

    Items are taken in the caller's thread, at most twice `concurrency` ahead of the results, so a slow consumer slows
    the work. At the first error no further call begins; the results that are finished by then are yielded, then it is
    raised. With concurrency 1 everything happens in the caller's thread. The threads are daemons: an interrupt ends
    the program at once.
    """
    if concurrency == 1:
        yield from map(work, items)
        return
    crew = _Crew(work, concurrency)
    begun: deque[Future[B]] = deque()
    try:
        for item in items:
            begun.append(crew.begin(item))
            while begun and (begun[0].done() or len(begun) == 2 * concurrency):
                yield from _take(crew, begun)
        while begun:
            yield from _take(crew, begun)
    finally:
        crew.stop()


def _take(crew: _Crew[A, B], begun: deque[Future[B]]) -> Iterator[B]:
    """Yield the oldest result, or what was finished after it and then its error."""
    future = begun.popleft()
    error = future.exception()
    if error is None:
        yield future.result()
        return
    crew.stop()
    for other in begun:
        if other.done() and not other.cancelled() and other.exception() is None:
            yield other.result()
    raise error


class _Crew(Generic[A, B]):
    """Threads that share one queue of items; begun as they are needed."""

    def __init__(self, work: Callable[[A], B], size: int) -> None:
        self._work = work
        self._size = size
        self._threads = 0
        self._begun = 0
        self._last = math.inf  # number of the last item that is still to be worked on
        self._tasks: SimpleQueue[tuple[int, A, Future[B]] | None] = SimpleQueue()

    def begin(self, item: A) -> Future[B]:
        future: Future[B] = Future()
        self._tasks.put((self._begun, item, future))
        self._begun += 1
        if self._threads < self._size:
            threading.Thread(target=self._run, name=f"kg-extract-{self._threads}", daemon=True).start()
            self._threads += 1
        return future

    def stop(self, last: float = -1) -> None:
        """Begin no item after number `last`; those before it are still finished, so that the first error is found."""
        self._last = min(self._last, last)
        for _ in range(self._threads):
            self._tasks.put(None)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            number, item, future = task
            if number > self._last:
                future.cancel()
                continue
            with _Delivery(self, number, future):
                future.set_result(self._work(item))


class _Delivery(Generic[A, B]):
    """Hands an error of the work to whoever waits for its result, and stops the crew."""

    def __init__(self, crew: _Crew[A, B], number: int, future: Future[B]) -> None:
        self._crew = crew
        self._number = number
        self._future = future

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> bool:
        if error is not None:
            self._crew.stop(self._number)
            self._future.set_exception(error)
        return True
