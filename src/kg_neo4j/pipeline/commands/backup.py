"""Backup, restore and recovery of the managed local database: what can be done with the store as a whole."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j import _localdb
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import wait_for_writers
from kg_neo4j.organise import analytics
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """How far one graph of the store is done."""

    graph: str
    documents: int
    unfinished: tuple[str, ...]  # sources of documents that must be loaded again
    unsettled: int  # entities and facts that the next load brings up to date
    as_analysed: bool | None  # entities and relationships are those of the last analysis; None: it was never analysed


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was written."""

    path: Path
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RecoveryReport:
    """A store that was opened again after its log had become unreadable."""

    copy: Path  # of the data as they were before; delete it when all is well
    graphs: tuple[StoredGraph, ...]


def backup(target: Path, *, settings: Settings, overwrite: bool = False, progress: Progress = SILENT) -> BackupReport:
    """Write the whole store, all graphs, to one file in Neo4j's dump format.

    Waits until no run writes to any graph; then the server stops, dumps and starts again. Questions asked in these
    seconds fail, and so does a load that begins in the moment between: run it again. Raises UsageError where NEO4J_URI
    names a server, where there is no store, or where `target` exists and `overwrite` is not set; DiskFull;
    LocalDatabaseError.
    """
    _refuse_foreign(settings, "database dump neo4j --to-path=DIR")
    if _localdb.status(settings).pid:  # it runs, or starts
        with connect(settings, progress, as_it_is=True) as database:
            wait_for_writers(database, progress)
    began = time.monotonic()
    size = _localdb.dump(settings, target, progress, overwrite=overwrite)
    return BackupReport(target, size, time.monotonic() - began)


def restore(
    source: Path, *, settings: Settings, overwrite: bool = False, progress: Progress = SILENT
) -> tuple[StoredGraph, ...]:
    """Replace the store by the one in the backup `source` and return the graphs that it holds; the server then runs.

    Where that fails, the old store stays. Raises UsageError where NEO4J_URI names a server, where `source` is no
    backup, or where there is a store and `overwrite` is not set; DiskFull; LocalDatabaseError.
    """
    _refuse_foreign(settings, "database load neo4j --from-path=DIR")
    _localdb.restore(settings, source, progress, overwrite=overwrite)
    return _graphs(settings, progress)


def recover(*, settings: Settings, progress: Progress = SILENT) -> RecoveryReport:
    """Open a store again whose transaction log cannot be read to its end, and say what of it is unfinished.

    The data are copied first; Neo4j checks the result. Raises UsageError where NEO4J_URI names a server or there is
    nothing to recover; DiskFull, DatabaseOffline or StoreInconsistent.
    """
    _refuse_foreign(settings, "database check neo4j")
    recovered = _localdb.recover(settings, progress)
    return RecoveryReport(recovered.copy, _graphs(settings, progress))


def _refuse_foreign(settings: Settings, command: str) -> None:
    if settings.neo4j_uri:
        raise UsageError(
            "NEO4J_URI names a server that kg-neo4j does not manage",
            hint=f"stop it and run `neo4j-admin {command}` there (Aura: snapshots, in its console); "
            "`kg export --archive FILE` writes one graph of any server",
        )


def stored_graphs(database: Database, graph: str | None = None, *, analysed: bool = True) -> tuple[StoredGraph, ...]:
    """Return how far each graph is done, or one; without `analysed` nothing is said of communities: that is quicker."""
    return tuple(
        StoredGraph(
            row["graph"],
            row["documents"],
            tuple(row["unfinished"]),
            row["unsettled"],
            analytics.is_current(database, row["graph"]) if analysed else None,
        )
        for row in database.read(queries.get("write/unfinished"), graph=graph)
    )


def _graphs(settings: Settings, progress: Progress) -> tuple[StoredGraph, ...]:
    with connect(settings, progress, to_write=True, as_it_is=True) as database:
        return stored_graphs(database)
