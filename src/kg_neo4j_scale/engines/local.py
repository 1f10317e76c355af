"""What an engine is given; and the engine of one process, which extracts several shards where a model is awaited."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from kg_neo4j._models.workers import Crew


class EngineTask(Protocol):
    """A part of the work. Pickles."""

    @property
    def name(self) -> str:
        """A name that no other task of the work has."""


T = TypeVar("T", bound=EngineTask)
R = TypeVar("R")


class Work(ABC, Generic[T, R]):
    """How to do tasks of one kind. Pickles; each process loads what tasks need when it first needs it."""

    @property
    def at_once(self) -> int:
        """Tasks to be worked on at a time, in one process."""
        return 1

    @abstractmethod
    def run(self, task: T) -> R:
        """Do a task and return the report, which has the task's name as `shard`. Several threads may call it."""

    @abstractmethod
    def given_up(self, task: T, reason: str) -> R:
        """Return the report of a task whose workers died; or raise what ends the run."""


def run(work: Work[T, R], shards: Iterable[T]) -> Iterator[R]:
    """Yield the reports of shards as they are finished; with one at a time, shards are taken one by one."""
    crew: Crew[T, R] = Crew(work.run, work.at_once)
    running = 0
    try:
        for shard in shards:
            crew.begin(shard)
            running += 1
            if running == work.at_once:
                yield _taken(crew)
                running -= 1
        for _ in range(running):
            yield _taken(crew)
    finally:
        crew.stop()


def _taken(crew: Crew[T, R]) -> R:
    done = crew.take()
    if done.result is None:
        raise done.error or AssertionError("a shard without a report")
    return done.result
