"""The engine of a cluster: Ray Data hands shards to actors, each of which is a worker.

Ray carries shards and reports, a few hundred bytes a document; files are written to the folder, which every node sees
under the same path. A task whose actor or node dies is run again by Ray.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from kg_neo4j.errors import UsageError
from kg_neo4j.pipeline.engines import local
from kg_neo4j.pipeline.engines.seam import EngineWork
from kg_neo4j.settings import forbid_reports_of_use

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

T = TypeVar("T")
R = TypeVar("R")
TASKS_AN_ACTOR = 2  # one is worked on, one waits


class _Actor:
    """A worker in a process of Ray's."""

    def __init__(self, work: EngineWork[Any, Any]) -> None:
        self._worker = work.worker()

    def __call__(self, batch: dict[str, npt.NDArray[np.object_]]) -> dict[str, list[Any]]:
        """Extract some shards and return their reports."""
        return {"report": list(local.run(self._worker, batch["shard"]))}


def run(work: EngineWork[T, R], shards: Iterator[T], workers: int, address: str | None, at_once: int) -> Iterator[R]:
    """Yield the reports of shards as they are finished, from `workers` actors of one CPU each.

    `at_once` shards go to an actor together. `address` is that of a cluster; None is the one that Ray finds, else a new
    one on this machine. Raises UsageError where Ray is not installed.
    """
    forbid_reports_of_use()
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise UsageError("the engine ray needs Ray", hint="pip install 'kg-neo4j[ray]'") from error
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False)
    _quiet(ray)
    rows = [{"shard": shard} for shard in shards]
    if not rows:
        return
    dataset = ray.data.from_items(rows, override_num_blocks=max(1, len(rows) // at_once))
    pool = ray.data.ActorPoolStrategy(min_size=1, max_size=workers, max_tasks_in_flight_per_actor=TASKS_AN_ACTOR)
    reports: Any = dataset.map_batches(
        _Actor, fn_constructor_args=(work,), batch_size=at_once, compute=pool, num_cpus=1
    )
    for row in reports.iter_rows():
        yield row["report"]


def _quiet(ray: Any) -> None:
    """Keep Ray's own progress bars off the terminal, which has ours."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
