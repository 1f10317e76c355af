"""What an engine is given; and the engine of one process, which extracts several shards where a model is awaited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from kg_neo4j._models.workers import Crew

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class EngineTask(Protocol):
    """A part of the work. Pickles."""

    @property
    def name(self) -> str:
        """A name that no other task of the work has."""


class EngineWorker(Protocol[T_contra, R_co]):
    """Does tasks in one process; several threads may call `run`."""

    @property
    def at_once(self) -> int:
        """Tasks to be worked on at a time."""

    def run(self, task: T_contra, /) -> R_co:
        """Do a task and return the report, which has the task's name as `shard`."""


class EngineWork(Protocol[T_contra, R_co]):
    """What every worker has to know. Pickles."""

    def worker(self) -> EngineWorker[T_contra, R_co]:
        """Load what every task needs."""

    def given_up(self, task: T_contra, reason: str) -> R_co:
        """Return the report of a task whose workers died; or raise what ends the run."""


def run(worker: EngineWorker[T, R], shards: Iterable[T]) -> Iterator[R]:
    """Yield the reports of shards as they are finished; with one at a time, shards are taken one by one."""
    crew: Crew[T, R] = Crew(worker.run, worker.at_once)
    running = 0
    try:
        for shard in shards:
            crew.begin(shard)
            running += 1
            if running == worker.at_once:
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
