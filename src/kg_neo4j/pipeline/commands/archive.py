"""Archive and import: a whole graph as one file, and back, into this database or another one."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.errors import UsageError
from kg_neo4j.progress import SILENT, Progress

if TYPE_CHECKING:
    from kg_neo4j.graph.archive import GraphDifference
    from kg_neo4j.graph.archive_records import Header
    from kg_neo4j.graph.database import Database
    from kg_neo4j.settings import Settings

ABSENT = (
    "vectors, and the state of communities: `kg load` of the same sources makes them",
    "answers about descriptions, communities and trees, with the trees' clusters: `kg tree` asks the model again",
    "revoked decisions, and what answers cost",
)


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """What an archive holds."""

    graph: str
    path: Path
    nodes: int
    relationships: int
    bytes: int
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportReport:
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
    from kg_neo4j.graph import queries
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.export import archive_file
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.settings import Settings

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
    from kg_neo4j.graph import archive
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.importing import check_target, import_lines
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.organise import search_indexes
    from kg_neo4j.settings import Settings

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
    """Return how two exports differ, or, without `after`, an export and the graph as it is.

    Both are files of `kg export`, archives or not; the graphs may have different names. Raises BadArchive for another
    file.
    """
    from kg_neo4j.graph.archive import compare
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.export import export_file

    if after is not None:
        return compare(Path(before), Path(after))
    with tempfile.TemporaryDirectory(prefix="kg-diff-") as folder:
        now = Path(folder) / "now.jsonl"
        with connect(settings, progress) as database:
            export_file(database, settings.graph, now)
        return compare(Path(before), now)


def _header(database: Database, graph: str) -> Header:
    from kg_neo4j.graph import queries
    from kg_neo4j.graph.archive_records import Header
    from kg_neo4j.graph.constraints import VectorSpace
    from kg_neo4j.organise.search_indexes import list_indexes

    owners = {row["graph"] for row in database.read(queries.get("write/vector_graphs"))}
    spaces = {
        VectorSpace(each.model, each.dimension) for each in list_indexes(database) if each.model and each.dimension
    }
    state = database.read(queries.get("analytics/graph_state"), graph=graph)
    return Header(
        graph, True, min(spaces, key=repr) if graph in owners and spaces else None, dict(state[0]) if state else {}
    )
