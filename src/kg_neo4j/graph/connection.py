"""Finds the database that settings mean, opens it, and refuses a graph that cannot be used.

A graph cannot be used where its import was stopped, or where another version of kg-neo4j wrote it in another format.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from kg_neo4j.errors import NoSuchGraph, SchemaConflict, UnfinishedImport
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph, ensure_constraints
from kg_neo4j.graph.database import Database, DatabaseAddress, Reader, Row
from kg_neo4j.graph.lease import GRAPH_FORMAT, Lease
from kg_neo4j.local_server import local_neo4j
from kg_neo4j.progress import Progress
from kg_neo4j.settings import Settings


def locate(settings: Settings, progress: Progress) -> DatabaseAddress:
    """Return the address to use: NEO4J_URI, else the running local server, else a local server started now."""
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return DatabaseAddress(settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database)
    with local_neo4j(settings) as local:
        server = local.start(progress)
    return DatabaseAddress(server.uri, server.username, server.password, home=server.home)


def connect(
    settings: Settings,
    progress: Progress,
    *,
    to_write: bool = False,
    as_it_is: bool = False,
    rebuild: bool = False,
    makes: list[str] | None = None,
) -> Database:
    """Open the database that `settings` mean and check that it and the graph can be used.

    Starts the managed local server where no other is named. With `to_write`, the constraints and indexes that writing
    needs stand. With `rebuild`, a graph of another format is deleted. Only with `makes` may there be no such graph; it
    gets a note if there are others. Raises NoSuchGraph, the DatabaseError that says what is wrong, also as `refuse`;
    with `as_it_is`, neither NoSuchGraph nor as `refuse`.
    """
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(Database(locate(settings, progress)))
        database.verify()
        obstacles, database.indexes = database.read_transaction(
            lambda transaction: (
                _obstacles(transaction, settings.graph),
                transaction.run(queries.get("write/standing_indexes")),
            )
        )
        if to_write:
            ensure_constraints(database)
        if rebuild and any(row["is_other"] for row in obstacles):
            with Lease(database, settings.graph):
                deleted = delete_graph(database, settings.graph)
            progress.note(f"graph {settings.graph!r} has another format; its {deleted:,} nodes were deleted")
        elif not as_it_is:
            _refuse(obstacles, settings.graph)
            if any(row["is_absent"] for row in obstacles):
                error = no_such_graph(database, settings.graph)
                if makes is None:
                    raise error
                if error.known:
                    makes.append(f"graph {settings.graph!r} is new" + error.meant)
        stack.pop_all()
    return database


def refuse(reader: Reader, graph: str) -> None:
    """Raise SchemaConflict for a graph of another format, UnfinishedImport where an import into it was stopped."""
    _refuse(_obstacles(reader, graph), graph)


def _obstacles(reader: Reader, graph: str) -> Sequence[Row]:
    return reader.read(queries.get("write/obstacles"), graph=graph, format=GRAPH_FORMAT)


def no_such_graph(reader: Reader, graph: str) -> NoSuchGraph:
    """Return the error of a graph that there is not, with the names of those that there are."""
    return NoSuchGraph(graph, [row["graph"] for row in reader.read(queries.get("write/named_graphs"))])


def _refuse(obstacles: Sequence[Row], graph: str) -> None:
    for row in obstacles:
        if row["is_absent"]:
            continue
        if row["is_other"]:
            found = "no format number" if row["format"] is None else f"format {row['format']}"
            raise SchemaConflict(
                f"graph {graph!r} has {found}, and this version of kg-neo4j reads format {GRAPH_FORMAT}",
                hint=f"`kg load --rebuild --graph {graph} SOURCES` deletes it and loads its sources again",
            )
        hint = f"run `{row['command']}` again, or delete what is there: `kg db reset --graph {graph}`"
        raise UnfinishedImport(f"an import of {row['file']!r} into graph {graph!r} was not finished", hint=hint)
