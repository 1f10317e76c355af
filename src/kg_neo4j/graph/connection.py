"""Finds the database that settings mean, opens it, and brings its schema up to date before a run writes."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from kg_neo4j.errors import SchemaConflict, UnfinishedImport
from kg_neo4j.graph import migration, queries
from kg_neo4j.graph.constraints import ensure_constraints, list_all
from kg_neo4j.graph.database import Database, DatabaseAddress, Row, Transaction
from kg_neo4j.progress import Progress
from kg_neo4j.settings import Settings


def locate(settings: Settings, progress: Progress) -> DatabaseAddress:
    """Return the address to use: NEO4J_URI, else the running local server, else a local server started now."""
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return DatabaseAddress(settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database)
    from kg_neo4j import _localdb

    server = _localdb.start(settings, progress)
    return DatabaseAddress(server.uri, server.username, server.password, home=server.home)


def connect(settings: Settings, progress: Progress, *, to_write: bool = False, as_it_is: bool = False) -> Database:
    """Open the database that `settings` mean and check that it can be used.

    Starts the managed local server where no other is named. With `to_write`, graphs of version 0.1 are migrated, and
    the constraints and indexes that writing needs stand. Raises the DatabaseError that says what is wrong:
    SchemaConflict for graphs of version 0.1 that are only to be read, UnfinishedImport where an import into the graph
    was stopped; with `as_it_is`, neither.
    """
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(Database(locate(settings, progress)))
        database.verify()
        unfinished = _look(database, settings.graph)
        if migration.is_needed(list_all(database)):
            if to_write:
                migration.migrate(database, progress)
                unfinished = _look(database, settings.graph)
            elif not as_it_is:
                raise SchemaConflict(
                    f"{database.address.shown} holds graphs of an earlier version of kg-neo4j",
                    hint="`kg db indexes` migrates them; so does the next `kg load`. The graphs stay as they are",
                )
        if to_write:
            ensure_constraints(database)
        for row in () if as_it_is else unfinished:
            raise UnfinishedImport(
                f"an import of {row['file']!r} into graph {settings.graph!r} was not finished",
                hint=f"run `{row['command']}` again, or delete what is there: `kg db reset --graph {settings.graph}`",
            )
        stack.pop_all()
    return database


def _look(database: Database, graph: str) -> Sequence[Row]:
    """Return the unfinished import of a graph, if any; keep the list of indexes, for which nearly every run asks."""

    def look(transaction: Transaction) -> tuple[list[Row], list[Row]]:
        unfinished = transaction.run(queries.get("write/unfinished_import"), graph=graph)
        return unfinished, transaction.run(queries.get("write/standing_indexes"))

    unfinished, database.indexes = database.read_transaction(look)
    return unfinished
