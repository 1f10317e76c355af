"""Loads that callers ask for: files are kept in a folder of their graph, and loaded one request after the other."""

from __future__ import annotations

import copy
import hashlib
import logging
import re
import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from itertools import filterfalse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j import interrupts
from kg_neo4j.errors import KgError, UsageError
from kg_neo4j.progress import Silent
from kg_neo4j.settings import Settings
from kg_neo4j_serve import limits
from kg_neo4j_serve.addresses import RECORD, write_after
from kg_neo4j_serve.refusals import Refused, missing
from kg_neo4j_serve.results import LoadJob

if TYPE_CHECKING:
    from kg_neo4j._models.budget import Budget

ENDED = ("done", "failed", "cancelled")
STOPPING = "stopping"  # the stage of a load that was cancelled and still ends what it began
log = logging.getLogger("kg_neo4j.serve")
NEW = re.compile("graph .* is new.*", re.DOTALL)  # a note that may name a graph that is not served
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')
LONGEST_NAME = 120  # characters: three bytes each fit the 255 of a file system, and its suffix


class Jobs:
    """The loads of one graph. One load of a server runs, and the others wait: `of` shares the queue."""

    def __init__(self, settings: Settings, budget: Budget | None) -> None:
        self._settings = settings
        self._budget = budget
        self._jobs: dict[str, LoadJob] = {}  # of all graphs, oldest first
        self._running: dict[str, int] = {}  # the load that runs, and its thread
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="kg-load")

    def of(self, settings: Settings, budget: Budget | None) -> Jobs:
        """Return the loads of another graph, or of who has other money, in the same queue."""
        other = copy.copy(self)
        other._settings, other._budget = settings, budget
        return other

    @property
    def folder(self) -> Path:
        """Where the files of this graph are; what is loaded again from there keeps its key."""
        return self._settings.home / "uploads" / hashlib.sha256(self._settings.graph.encode()).hexdigest()[:16]

    def begin(
        self, files: Sequence[tuple[str, bytes]], skipped: Sequence[str] = (), *, in_folders: bool = False
    ) -> LoadJob:
        """Keep the files and load them when it is their turn. Raises UsageError for names that are refused.

        `skipped` are reasons for which other files were left out. With `in_folders`, names may be paths of a folder.
        """
        names = [(checked_path if in_folders else checked_name)(name) for name, _ in files]
        if not 0 < len(files) <= limits.MOST_FILES or len(set(names)) < len(names):
            raise UsageError(f"a load has 1 to {limits.MOST_FILES} files with different names, not {len(files)}")
        if sum(len(data) for _, data in files) > limits.MOST_UPLOAD:
            raise Refused(f"the files of a load may have {limits.MOST_UPLOAD:,} bytes", 413)
        job = LoadJob(secrets.token_hex(8), self._settings.graph, "waiting", tuple(names), skipped=tuple(skipped))
        with self._lock:
            if sum(each.state not in ENDED for each in self._jobs.values()) >= limits.MOST_JOBS:
                raise Refused(f"{limits.MOST_JOBS} loads are waiting", 429, hint="try again when one is done")
            self._jobs[job.id] = job
            over = [each.id for each in self._jobs.values() if each.state in ENDED][: -limits.KEPT_JOBS]
            for each in over:
                del self._jobs[each]
        kept = [(self.folder / name, data) for name, (_, data) in zip(names, files, strict=True)]
        record = RECORD.get()  # what the load costs is written of the request that began it
        running = self._pool.submit(copy_context().run, self._run, job.id, kept)
        running.add_done_callback(lambda done: self._ended(job.id, done, record))
        return job

    def _ended(self, id: str, done: Future[None], record: Any) -> None:
        """Note a load that ended by an error of our own; what it says may hold anything, so it is not shown."""
        if not done.cancelled() and (error := done.exception()) is not None:
            self.change(id, state="failed", error=f"the server failed: {type(error).__name__}")
        job = self._jobs.get(id)
        if record is not None and job is not None:
            write_after(record, job.state)

    def find(self, id: str) -> LoadJob:
        """Return a load. Raises Refused with 404 where there is none of that id."""
        with self._lock:
            if id in self._jobs and self._jobs[id].graph == self._settings.graph:
                return self._jobs[id]
        raise missing(f"there is no load {id[:40]!r}", "status without an id lists the loads of this server")

    def listed(self) -> tuple[LoadJob, ...]:
        """Return the loads of the graph, the newest first."""
        with self._lock:
            return tuple(each for each in reversed(self._jobs.values()) if each.graph == self._settings.graph)

    def cancel(self, id: str) -> LoadJob:
        """Cancel a load that waits; one that runs stops as an interrupted `kg load` does. Raises Refused as `find`."""
        self.find(id)
        with self._lock:
            job = self._jobs[id]
            if id in self._running and job.stage != STOPPING:  # once: what is recorded is brought to its end
                interrupts.stopped[self._running[id]] = KeyboardInterrupt()
                job = replace(job, stage=STOPPING)
            elif job.state == "waiting":
                job = replace(job, state="cancelled")
            self._jobs[id] = job
            return job

    def look(self, work: Callable[[], object]) -> None:
        """Do something in the background when no load runs. The log has the kind of an error, pages go on without."""
        self._pool.submit(work).add_done_callback(_note_failure)

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

        with self._lock:
            job = self._jobs.get(id)
            if job is None or job.state in ENDED:  # it was cancelled, and perhaps forgotten
                return
            self._running[id] = threading.get_ident()
            self._jobs[id] = replace(job, state="running")
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
        except KeyboardInterrupt:
            self.change(id, state="cancelled", stage="")
            return
        except (KgError, OSError) as error:
            said = str(error) if isinstance(error, KgError) else f"the files cannot be kept: {error.strerror}"
            self.change(id, state="failed", error=said)
            return
        finally:
            with self._lock:
                interrupts.stopped.pop(self._running.pop(id), None)
        skipped = (f"{self._name(each.source)}: {self._name(each.reason)}" for each in report.skipped)
        self.change(
            id,
            state="done",
            stage="",
            documents=report.documents,
            nodes=report.nodes,
            relationships=report.relationships,
            usd=report.usage.usd if report.usage.calls else 0.0,
            skipped=(*self.find(id).skipped, *skipped),
            notes=(*filterfalse(NEW.fullmatch, report.notes), *report.failed_chunks[:20], *report.unfinished),
        )

    def _name(self, text: str) -> str:
        """Return a text without the path of the folder of the graph."""
        return text.replace(f"{self.folder}/", "")


def _note_failure(done: Future[object]) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        log.warning("a look at the graph failed: %s", type(error).__name__)


def checked_path(path: str) -> str:
    """Return the path of a file below a folder, with slashes. Raises UsageError where it could lead elsewhere."""
    *folders, name = path.split("/")
    if len(folders) > limits.MOST_DEPTH or any(_is_odd(each) for each in folders):
        raise UsageError(f"not the path of a file: {path[:80]!r}", hint="plain names with / between them")
    return "/".join((*folders, checked_name(name)))


def _is_odd(name: str) -> bool:
    """Return whether a name of a file or folder could lead elsewhere, is hidden, or is refused by a file system."""
    is_plain = name.isprintable() and not _UNSAFE.search(name) and name == name.strip()
    return not is_plain or name.startswith(".") or not 0 < len(name) <= LONGEST_NAME


def made_safe(path: str, *, in_folders: bool = False) -> str:
    """Return a name as a browser sends it, without characters that a file system refuses: its path, or the last part.

    Raises UsageError where nothing of use is left.
    """
    parts = [_UNSAFE.sub("_", each).strip() for each in re.split(r"[/\\]", path)]
    return checked_path("/".join(filter(None, parts))) if in_folders else checked_name(parts[-1].lstrip("."))


def checked_name(name: str) -> str:
    """Return the name of a file. Raises UsageError for one that could lead out of its folder, or cannot be read."""
    from kg_neo4j.acquire.readers import kinds

    if _is_odd(name):
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
        """Note that a stage begins; a load that was cancelled ends here, or where it may be interrupted."""
        interrupts.check()
        if self._jobs.find(self._id).stage != STOPPING:
            self._jobs.change(self._id, stage=stage, total=total, done=0)

    def advance(self, stage: str, units: int = 1) -> None:
        """Count what is done of the stage that is shown."""
        job = self._jobs.find(self._id)
        if job.stage == stage:
            self._jobs.change(self._id, done=job.done + units)
        if stage != "extract":  # there what is complete is recorded first
            interrupts.check()

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
