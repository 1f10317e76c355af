"""A crew of daemon threads: work is begun and results are taken in the caller's thread."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Generic, TypeVar

from kg_neo4j.interrupts import released

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class DoneItem(Generic[A, B]):
    """An item that was worked on: its result, or the error that the work raised."""

    number: int  # of `begin`, from 0
    item: A
    result: B | None
    error: BaseException | None = None


@dataclass(slots=True, eq=False, repr=False)
class Crew(Generic[A, B]):
    """At most `size` items are worked on at a time; with one, in the caller's thread, when its result is taken.

    The threads are daemons: an interrupt ends the program at once.
    """

    work: Callable[[A], B]
    size: int
    _begun: int = 0
    _threads: list[threading.Thread] = field(default_factory=list)
    _stopped: bool = False
    _waiting: deque[tuple[int, A]] = field(default_factory=deque)  # with one worker
    _tasks: SimpleQueue[tuple[Context, int, A] | None] = field(default_factory=SimpleQueue)
    _done: deque[DoneItem[A, B]] = field(default_factory=deque)
    _signs: SimpleQueue[None] = field(default_factory=SimpleQueue)  # one for each item that was added to `_done`

    def begin(self, item: A) -> int:
        """Hand an item to the crew and return its number."""
        number = self._begun
        self._begun += 1
        if self.size == 1:
            self._waiting.append((number, item))
            return number
        self._tasks.put((copy_context(), number, item))
        if len(self._threads) < self.size:
            thread = threading.Thread(target=self._run, name=f"kg-worker-{len(self._threads)}", daemon=True)
            thread.start()
            self._threads.append(thread)
        return number

    def take(self) -> DoneItem[A, B]:
        """Wait for the next item to be finished. Only for as many items as were begun; after `stop`, for none."""
        with released():
            if self.size == 1:
                self._finish(*self._waiting.popleft())
            while not self._done:
                self._signs.get()
        return self._done.popleft()

    def finished(self) -> list[DoneItem[A, B]]:
        """Return what is finished at this moment and was not taken."""
        return [self._done.popleft() for _ in range(len(self._done))]

    def stop(self) -> None:
        """Begin nothing any more; what is being worked on is left to end by itself."""
        self._stopped = True
        for _ in self._threads:
            self._tasks.put(None)

    def wait(self, seconds: float = 15.0) -> None:
        """After `stop`, wait until what is being worked on has ended, but not longer than that."""
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            if not self._stopped:
                task[0].run(self._finish, *task[1:])

    def _finish(self, number: int, item: A) -> None:
        try:
            done = DoneItem(number, item, self.work(item))
        except BaseException as error:  # handed over, whatever it is; in the caller's thread an interrupt goes on
            self.stop()
            done = DoneItem(number, item, None, error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._done.append(done)
            self._signs.put(None)
