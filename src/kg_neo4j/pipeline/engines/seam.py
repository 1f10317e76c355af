"""What an engine asks of work: tasks that any worker can do, in any order, and reports that travel back."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

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

    def shared_out(self, workers: int) -> Any:
        """Return the work of one of several workers."""

    def given_up(self, task: T_contra, reason: str) -> R_co:
        """Return the report of a task whose workers died; or raise what ends the run."""
