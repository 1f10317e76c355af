"""The named graphs of a database: list them, delete one."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from kg_neo4j.display import Readable
from kg_neo4j.errors import GdsMissing
from kg_neo4j.graph import constraints, queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.graph.lease import Lease
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings


@dataclass(frozen=True, slots=True)
class NamedGraph:
    """What one graph holds."""

    graph: str
    documents: int
    chunks: int
    nodes: int
    relationships: int


@dataclass(frozen=True, slots=True)
class DeletedGraph(Readable):
    """What deleting a graph removed."""

    graph: str
    deleted: int  # nodes of every kind
    dropped: tuple[str, ...] = ()  # constraints and indexes


def graphs(*, settings: Settings, progress: Progress = SILENT) -> tuple[NamedGraph, ...]:
    """Return all graphs of the database by name."""
    found = []
    with connect(settings, progress, as_it_is=True) as database:
        for row in database.read(queries.get("write/graphs")):
            documents = list_documents(database, row["graph"])
            size = database.read(queries.get("write/count_graph"), graph=row["graph"])[0]
            chunks = sum(each.chunks for each in documents)
            found.append(NamedGraph(row["graph"], len(documents), chunks, size["nodes"], size["relationships"]))
    return tuple(found)


def delete_graph(*, settings: Settings, schema: bool = False, progress: Progress = SILENT) -> DeletedGraph:
    """Delete what kg-neo4j wrote under the graph of the settings, and nothing else.

    With `schema` its constraints and indexes go, too: UsageError where another graph needs them.
    """
    from kg_neo4j.retrieve import projection_cache  # with all of retrieval, which a list of graphs does not need

    with connect(settings, progress, to_write=True, as_it_is=True) as database:
        if schema:
            constraints.refuse_other_graphs(database, settings.graph)
        with Lease(database, settings.graph):
            deleted = constraints.delete_graph(database, settings.graph)
        with contextlib.suppress(GdsMissing):  # then there is none to drop
            projection_cache.forget(database, settings.graph)
        return DeletedGraph(settings.graph, deleted, constraints.drop_schema(database) if schema else ())
