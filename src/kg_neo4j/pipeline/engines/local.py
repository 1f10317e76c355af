"""The engine of one process: shards are extracted here, several at a time where a model is waited for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from kg_neo4j._models.workers import Crew
from kg_neo4j.pipeline.engines.seam import EngineWorker

T = TypeVar("T")
R = TypeVar("R")


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
        while running:
            yield _taken(crew)
            running -= 1
    finally:
        crew.stop()


def _taken(crew: Crew[T, R]) -> R:
    done = crew.take()
    if done.result is None:
        raise done.error or AssertionError("a shard without a report")
    return done.result
