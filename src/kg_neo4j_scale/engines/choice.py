"""Which engine runs an extraction, and with how many workers; and the engine of a cluster, Ray.

Ray carries shards and reports, a few hundred bytes a document; files are written to the folder, which every node sees
under the same path. A task whose actor or node dies is run again by Ray.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psutil

from kg_neo4j.errors import UsageError
from kg_neo4j.settings import forbid_reports_of_use
from kg_neo4j_scale.engines import local, processes
from kg_neo4j_scale.engines.local import R, T, Work

LOCAL, PROCESSES, RAY = "local", "processes", "ray"
WORTH_S = 30.0  # of work; below it, one process ends before others have started
RULES_BYTES_S, MODEL_BYTES_S = 10_000, 500_000  # of sources that one process works through (benchmarks/size.py)
WORKER_BYTES = 500_000_000  # of memory that a worker may take (benchmarks/size.py)
TASKS_AN_ACTOR = 2  # of Ray: one is worked on, one waits


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where to run; None leaves the choice to the size of the work and of the machine."""

    engine: str | None = None  # "local", "processes" or "ray"
    workers: int | None = None
    address: str | None = None  # of a Ray cluster; None: the one that Ray finds, else one on this machine
    part: str | None = None  # "K/N": only every Nth shard from the Kth, for N runs of the same work beside each other

    def __post_init__(self) -> None:
        if self.engine not in (None, LOCAL, PROCESSES, RAY):
            raise UsageError(f"engine {self.engine!r}", hint=f"one of {LOCAL}, {PROCESSES}, {RAY}")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"{self.workers} workers", hint="1 or more")
        if self.engine == LOCAL and (self.workers or 1) > 1:
            raise UsageError(f"{self.workers} workers in one process", hint=f"--engine {PROCESSES}")
        if self.address is not None and self.engine != RAY:
            raise UsageError("--address is that of a Ray cluster", hint=f"--engine {RAY}")


@dataclass(frozen=True, slots=True)
class ChosenEngine:
    """An engine and its workers."""

    engine: str
    workers: int
    address: str | None = None
    notes: tuple[str, ...] = ()


def choose(wanted: EngineOptions, *, count: int, size: int, waits: bool) -> ChosenEngine:
    """Return the engine for `count` shards of `size` bytes; `waits` where a model does the work.

    Where `wanted` leaves it open, processes take over from 30 s of work on: as many as there are cores and memory for.
    """
    cores = usable_cores()
    if wanted.engine == RAY:
        return ChosenEngine(RAY, wanted.workers or cores, wanted.address)
    room = psutil.virtual_memory().available // WORKER_BYTES
    most = min(wanted.workers or cores, max(count, 1))
    if wanted.engine == PROCESSES or (wanted.engine is None and (wanted.workers or 1) > 1):
        return ChosenEngine(PROCESSES, most)
    seconds = size / (MODEL_BYTES_S if waits else RULES_BYTES_S)
    if wanted.engine == LOCAL or wanted.workers == 1 or seconds <= WORTH_S or most < 2:
        return ChosenEngine(LOCAL, 1)
    if room < 2:
        note = f"one process extracts, because only {psutil.virtual_memory().available >> 20} MB of memory are free"
        return ChosenEngine(LOCAL, 1, notes=(note,))
    return ChosenEngine(PROCESSES, min(most, int(room)))


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(chosen: ChosenEngine, here: Work[T, R], work: Work[T, R], shards: Iterator[T]) -> Iterator[R]:
    """Return the reports of shards from the engine chosen; `here` is the work as this process does it."""
    if chosen.engine == LOCAL:
        return local.run(here, shards)
    if chosen.engine == PROCESSES:
        return processes.run(work, shards, chosen.workers)
    return _run_in_ray(work, shards, chosen, here.at_once)


class _Actor:
    """A worker in a process of Ray's."""

    def __init__(self, work: Work[Any, Any]) -> None:
        self._work = work

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        return {"report": list(local.run(self._work, batch["shard"]))}


def _run_in_ray(work: Work[T, R], shards: Iterator[T], chosen: ChosenEngine, at_once: int) -> Iterator[R]:
    """Yield the reports of shards as they are finished, from actors of one CPU each; `at_once` go to one together.

    Without an address the cluster is the one that Ray finds, else a new one on this machine. Raises UsageError where
    Ray is not installed.
    """
    forbid_reports_of_use()
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise UsageError("the engine ray needs Ray", hint="pip install 'kg-neo4j[ray]'") from error
    if not ray.is_initialized():
        ray.init(address=chosen.address, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False  # the terminal has ours
    rows = [{"shard": shard} for shard in shards]
    if not rows:
        return
    dataset = ray.data.from_items(rows, override_num_blocks=max(1, len(rows) // at_once))
    pool = ray.data.ActorPoolStrategy(min_size=1, max_size=chosen.workers, max_tasks_in_flight_per_actor=TASKS_AN_ACTOR)
    reports: Any = dataset.map_batches(
        _Actor, fn_constructor_args=(work,), batch_size=at_once, compute=pool, num_cpus=1
    )
    for row in reports.iter_rows():
        yield row["report"]
