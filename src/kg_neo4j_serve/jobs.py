"""Loads that callers ask for: files are kept in a folder of the graph, and loaded one request after the other."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j.errors import KgError, UsageError
from kg_neo4j.progress import Silent
from kg_neo4j.settings import Settings
from kg_neo4j_serve import limits
from kg_neo4j_serve.refusals import Refused, missing
from kg_neo4j_serve.results import LoadJob

if TYPE_CHECKING:
    from kg_neo4j._models.budget import Budget

ENDED = ("done", "failed")
LONGEST_NAME = 120  # characters: three bytes each fit the 255 of a file system, and its suffix


class Jobs:
    """The loads of one server. A graph has one writer, so one load runs and the others wait."""

    def __init__(self, settings: Settings, budget: Budget | None) -> None:
        self._settings = settings
        self._budget = budget
        self._jobs: dict[str, LoadJob] = {}  # oldest first
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="kg-load")

    @property
    def folder(self) -> Path:
        """Where the files of this graph are; what is loaded again from there keeps its key."""
        return self._settings.home / "uploads" / hashlib.sha256(self._settings.graph.encode()).hexdigest()[:16]

    def begin(self, files: Sequence[tuple[str, bytes]]) -> LoadJob:
        """Keep the files and load them when it is their turn. Raises UsageError for names that are refused."""
        names = [checked_name(name) for name, _ in files]
        if not 0 < len(files) <= limits.MOST_FILES or len(set(names)) < len(names):
            raise UsageError(f"a load has 1 to {limits.MOST_FILES} files with different names, not {len(files)}")
        if sum(len(data) for _, data in files) > limits.MOST_UPLOAD:
            raise Refused(f"the files of a load may have {limits.MOST_UPLOAD:,} bytes", 413)
        job = LoadJob(secrets.token_hex(8), "waiting", tuple(names))
        with self._lock:
            if sum(each.state not in ENDED for each in self._jobs.values()) >= limits.MOST_JOBS:
                raise Refused(f"{limits.MOST_JOBS} loads are waiting", 429, hint="try again when one is done")
            self._jobs[job.id] = job
            over = [each.id for each in self._jobs.values() if each.state in ENDED][: -limits.KEPT_JOBS]
            for each in over:
                del self._jobs[each]
        kept = [(self.folder / name, data) for name, (_, data) in zip(names, files, strict=True)]
        self._pool.submit(self._run, job.id, kept).add_done_callback(lambda done: self._ended(job.id, done))
        return job

    def _ended(self, id: str, done: Future[None]) -> None:
        """Note a load that ended by an error of our own; what it says may hold anything, so it is not shown."""
        if not done.cancelled() and (error := done.exception()) is not None:
            self.change(id, state="failed", error=f"the server failed: {type(error).__name__}")

    def find(self, id: str) -> LoadJob:
        """Return a load. Raises Refused with 404 where there is none of that id."""
        with self._lock:
            if id in self._jobs:
                return self._jobs[id]
        raise missing(f"there is no load {id[:40]!r}", "status without an id lists the loads of this server")

    def listed(self) -> tuple[LoadJob, ...]:
        """Return all loads, the newest first."""
        with self._lock:
            return tuple(reversed(self._jobs.values()))

    def change(self, id: str, **fields: Any) -> None:
        """Note how far a load is."""
        with self._lock:
            self._jobs[id] = replace(self._jobs[id], **fields)

    def close(self) -> None:
        """Begin no further load; one that runs continues with the same files next time."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run(self, id: str, files: Sequence[tuple[Path, bytes]]) -> None:
        from kg_neo4j.pipeline.commands.load import load
        from kg_neo4j.pipeline.options import LoadOptions

        self.change(id, state="running")
        try:
            for path, data in files:
                _keep(path, data)
            report = load(
                [str(path) for path, _ in files],
                settings=self._settings,
                options=LoadOptions(root=str(self.folder)),
                budget=self._budget,
                progress=_JobProgress(self, id),
            )
        except (KgError, OSError) as error:
            said = str(error) if isinstance(error, KgError) else f"the files cannot be kept: {error.strerror}"
            self.change(id, state="failed", error=said)
            return
        skipped = (f"skipped {Path(each.source).name}: {each.reason}" for each in report.skipped)
        self.change(
            id,
            state="done",
            stage="",
            documents=report.documents,
            nodes=report.nodes,
            relationships=report.relationships,
            usd=report.usage.usd if report.usage.calls else 0.0,
            notes=(*report.notes, *skipped, *report.failed_chunks[:20], *report.unfinished),
        )


def checked_name(name: str) -> str:
    """Return the name of a file. Raises UsageError for one that could lead out of its folder, or cannot be read."""
    from kg_neo4j.acquire.readers import kinds

    is_plain = name.isprintable() and not set(name) & set('/\\:*?"<>|') and name == name.strip()
    if not is_plain or name.startswith(".") or not 0 < len(name) <= LONGEST_NAME:
        raise UsageError(f"not the name of a file: {name[:80]!r}", hint="a plain name such as notes.txt")
    if Path(name).suffix.lower() not in kinds():
        raise UsageError(f"{name!r} ends with none of {', '.join(kinds())}", hint="name a text NAME.txt")
    return name


def _keep(path: Path, data: bytes) -> None:
    """Write a file whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    part.write_bytes(data)
    part.replace(path)


class _JobProgress(Silent):
    """Notes on a job what the load says of its stages; the last one stays in sight until the next one begins."""

    def __init__(self, jobs: Jobs, id: str) -> None:
        self._jobs = jobs
        self._id = id

    def start(self, stage: str, total: int | None = None) -> None:
        """Note that a stage begins."""
        self._jobs.change(self._id, stage=stage, total=total, done=0)

    def advance(self, stage: str, units: int = 1) -> None:
        """Count what is done of the stage that is shown."""
        job = self._jobs.find(self._id)
        if job.stage == stage:
            self._jobs.change(self._id, done=job.done + units)

    def count(self, what: str, value: float) -> None:
        """Note how many documents were read, and what they cost."""
        if what == "documents":
            self._jobs.change(self._id, documents=int(value))
        elif what == "USD":
            self._jobs.change(self._id, usd=value)

    def note(self, message: str) -> None:
        """Keep a line for the caller."""
        job = self._jobs.find(self._id)
        self._jobs.change(self._id, notes=(*job.notes, message)[-20:])
