"""A graph as a file, and back, into this database or another one; and the local database as a whole."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j import jsonl_log
from kg_neo4j.display import Readable
from kg_neo4j.errors import NoSuchGraph, UsageError
from kg_neo4j.graph import archive, queries
from kg_neo4j.graph.archive import GraphDifference, compare
from kg_neo4j.graph.archive_records import Header
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.constraints import VectorSpace
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import archive_file, export_file
from kg_neo4j.graph.importing import check_target, import_lines
from kg_neo4j.graph.lease import Lease, wait_for_writers
from kg_neo4j.local_server import local_neo4j, local_store
from kg_neo4j.organise import analytics, search_indexes
from kg_neo4j.organise.search_indexes import list_indexes
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings

ABSENT = (
    "vectors, and the state of communities: `kg load` of the same sources makes them",
    "answers about descriptions, communities and trees, with the trees' clusters: `kg tree` asks the model again",
    "revoked decisions, and what answers cost",
)


@dataclass(frozen=True, slots=True)
class ArchiveReport(Readable):
    """What an archive holds."""

    graph: str
    path: Path
    nodes: int
    relationships: int
    bytes: int
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportReport(Readable):
    """What an import did. `absent` lists what a plain export leaves out; nothing is absent from an archive."""

    graph: str
    path: Path
    kind: str  # "archive" or "export"
    nodes: int
    relationships: int
    written: int  # lines of the file written now; fewer than there are where a stopped import was continued
    seconds: float
    absent: tuple[str, ...] = ()


def export_archive(
    target: str | Path, *, settings: Settings | None = None, progress: Progress = SILENT
) -> ArchiveReport:
    """Write everything that kg-neo4j stored under one graph to the file `target`, whole or not at all.

    Holds paid answers and their tokens, revoked decisions, vectors, trees and communities; equal graphs give equal
    bytes. A graph whose load was killed can be archived, and its load continues after the import. Raises LeaseHeld
    while another run writes to the graph, and UsageError for an empty graph or a file that cannot be written.
    """
    settings = settings or Settings()
    started, path = time.monotonic(), Path(target)
    with connect(settings, progress, to_write=True) as database:
        if not database.read(queries.get("write/holds_anything"), graph=settings.graph):
            raise UsageError(f"graph {settings.graph!r} is empty", hint="`kg load`, or name another with --graph NAME")
        with Lease(database, settings.graph) as lease:
            progress.start("archive")
            done, left_out = archive_file(
                database,
                _header(database, settings.graph),
                path,
                lambda: database.write_transaction(lambda transaction: lease.prove(transaction, writes=False)),
            )
            progress.finish("archive")
    jsonl_log.note_written(settings.home, "archive", settings.graph, path)
    note = f"{left_out} labels, properties or relationships are left out: kg-neo4j did not write them"
    return ArchiveReport(
        graph=settings.graph,
        path=path,
        nodes=done.nodes,
        relationships=done.relationships,
        bytes=path.stat().st_size,
        seconds=time.monotonic() - started,
        notes=(note,) if left_out else (),
    )


def import_graph(
    source: str | Path, *, settings: Settings | None = None, graph: str | None = None, progress: Progress = SILENT
) -> ImportReport:
    """Bring back the graph that an archive, or a plain export, holds, under its own name.

    Ids contain the name of the graph, so `settings.graph` is not used, and `graph` must be the name in the file. The
    file is checked to its end before anything is written. An import that was stopped continues when it is repeated with
    the same file. Raises BadArchive for a file that cannot be imported, UsageError where the graph is not empty or has
    another name, SchemaConflict where the database has vectors of another model, and LeaseHeld.
    """
    settings = settings or Settings()
    started, path = time.monotonic(), Path(source)
    progress.start("check")
    checked = archive.check(path)
    progress.finish("check")
    header = checked.header
    if graph is not None and graph != header.graph:
        raise UsageError(
            f"{path} holds graph {header.graph!r}: its ids contain that name, so it cannot become {graph!r}",
            hint=f"kg import {path} --graph {header.graph}",
        )
    own = settings.model_copy(update={"graph": header.graph})
    with connect(own, progress, to_write=True, as_it_is=True) as database, Lease(database, header.graph) as lease:
        check_target(database, checked)
        if header.vectors:
            search_indexes.check(database, header.vectors)
        search_indexes.create_fulltext(database)
        if header.vectors:
            search_indexes.create_vector(database, header.vectors)
        written = import_lines(database, lease, checked, progress)
    return ImportReport(
        graph=header.graph,
        path=path,
        kind="archive" if header.is_archive else "export",
        nodes=checked.nodes,
        relationships=checked.relationships,
        written=written,
        seconds=time.monotonic() - started,
        absent=() if header.is_archive else ABSENT,
    )


def diff(
    before: str | Path, after: str | Path | None = None, *, settings: Settings, progress: Progress = SILENT
) -> tuple[GraphDifference, ...]:
    """Return how two graphs differ; without `after`, the second one is the graph of the settings.

    Each is a file of `kg export`, archive or not, or the name of a graph of the database. A file that is there comes
    first. Raises BadArchive for another file, UsageError for a word that is neither.
    """
    with tempfile.TemporaryDirectory(prefix="kg-diff-") as folder:
        files: list[Path] = []
        for given in (before, after):
            file = Path(given or folder)
            if given is None or not (file.is_file() or file.suffix in (".jsonl", ".gz")):
                own = settings if given is None else settings.model_copy(update={"graph": str(given)})
                file = Path(folder) / f"{len(files)}.jsonl"
                try:
                    with connect(own, progress) as database:
                        export_file(database, own.graph, file)
                except NoSuchGraph as error:
                    if given is None:
                        raise
                    raise UsageError(f"{own.graph!r} is no file, and {error}", hint=error.hint) from error
            files.append(file)
        return compare(*files)


def _header(database: Database, graph: str) -> Header:
    owners = {row["graph"] for row in database.read(queries.get("write/vector_graphs"))}
    spaces = {
        VectorSpace(each.model, each.dimension) for each in list_indexes(database) if each.model and each.dimension
    }
    state = database.read(queries.get("analytics/graph_state"), graph=graph)
    space = min(spaces, key=repr) if graph in owners and spaces else None
    return Header(graph, True, space, dict(state[0]) if state else {})


@dataclass(frozen=True, slots=True)
class StoredGraph(Readable):
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
    with local_neo4j(settings) as local:
        pid = local.status().pid
    if pid:  # it runs, or starts
        with connect(settings, progress, as_it_is=True) as database:
            wait_for_writers(database, progress)
    began = time.monotonic()
    with local_store(settings) as store:
        size = store.dump(target, progress, overwrite=overwrite)
    jsonl_log.note_written(settings.home, "backup", "", target)
    return BackupReport(target, size, time.monotonic() - began)


def restore(
    source: Path, *, settings: Settings, overwrite: bool = False, progress: Progress = SILENT
) -> tuple[StoredGraph, ...]:
    """Replace the store by the one in the backup `source` and return the graphs that it holds; the server then runs.

    Where that fails, the old store stays. Raises UsageError where NEO4J_URI names a server, where `source` is no
    backup, or where there is a store and `overwrite` is not set; DiskFull; LocalDatabaseError.
    """
    _refuse_foreign(settings, "database load neo4j --from-path=DIR")
    with local_store(settings) as store:
        store.restore(source, progress, overwrite=overwrite)
    return _graphs(settings, progress)


def recover(*, settings: Settings, progress: Progress = SILENT) -> RecoveryReport:
    """Open a store again whose transaction log cannot be read to its end, and say what of it is unfinished.

    The data are copied first; Neo4j checks the result. Raises UsageError where NEO4J_URI names a server or there is
    nothing to recover; DiskFull, DatabaseOffline or StoreInconsistent.
    """
    _refuse_foreign(settings, "database check neo4j")
    with local_store(settings) as store:
        recovered = store.recover(progress)
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
