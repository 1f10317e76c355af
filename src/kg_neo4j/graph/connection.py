"""Finds the database that settings mean, opens it, and brings its schema up to date before a run writes.

Version 0.1 had its constraints and indexes on Chunk, Entity and other labels that other programs use, too: its graphs
get labels of our own, and lose constraints on labels of all. A migration that was stopped is continued by the next run
that writes: the old constraints go last.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence

from kg_neo4j.errors import LeaseHeld, SchemaConflict, UnfinishedImport
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import VectorSpace, ensure_constraints, list_all, online, vector_index_name
from kg_neo4j.graph.database import Database, DatabaseAddress, Row
from kg_neo4j.local_server import local_neo4j
from kg_neo4j.progress import Progress
from kg_neo4j.settings import Settings

STAGE = "migrate"
_AT_A_TIME = 20_000  # nodes of a label in one transaction
_OLD = re.compile(
    r"kg_(?P<label>answer|chunk|community|decision|document|entity|fact|tree|treenode|graph_state|lease)_"
    r"(?:id|num|graph|text|tree|relationship|vector/(?P<model>.+)/(?P<dimension>\d+))"
)


def locate(settings: Settings, progress: Progress) -> DatabaseAddress:
    """Return the address to use: NEO4J_URI, else the running local server, else a local server started now."""
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return DatabaseAddress(settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database)
    with local_neo4j(settings) as local:
        server = local.start(progress)
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
        if any(map(_old, list_all(database))):
            if to_write:
                _migrate(database, progress)
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
    unfinished, database.indexes = database.read_transaction(
        lambda transaction: (
            transaction.run(queries.get("write/unfinished_import"), graph=graph),
            transaction.run(queries.get("write/standing_indexes")),
        )
    )
    return unfinished


def _migrate(database: Database, progress: Progress) -> None:
    """Give all nodes of all graphs the labels of our own, then replace the constraints and indexes of version 0.1.

    Raises LeaseHeld while a run of that version writes.
    """
    for row in database.read(queries.get("write/live_leases")):
        raise LeaseHeld(
            f"graph {row['graph']!r} is being written to by an earlier version of kg-neo4j",
            hint="wait for that run to end; then run the same command again",
        )
    progress.start(STAGE)
    ensure_constraints(database)  # under names of their own, so that ids are unique all the time
    labelled = 0
    while count := int(database.write(queries.get("write/migrate_labels"), limit=_AT_A_TIME)[0]["labelled"]):
        labelled += count
        progress.advance(STAGE, count)
    old = list(filter(_old, list_all(database)))
    for row in old:
        if (found := _old(row)) and found["model"]:
            label, space = row["labels"][0], VectorSpace(found["model"], int(found["dimension"]))
            query = queries.get(f"write/vector_index_{label.lower()}")
            database.schema(query, name=vector_index_name(label, space), dimension=space.dimension)
    for row in old:
        if not row["unique"]:
            database.schema(queries.get("write/drop_index"), name=row["name"])
    for name in queries.names("schema"):
        if name.startswith("schema/fulltext_"):
            database.schema(queries.get(name))
    for row in old:
        if row["unique"]:
            database.schema(queries.get("write/drop_constraint"), name=row["name"])
    online(database, lambda row: row["name"].startswith("kg_"))
    progress.finish(STAGE)
    progress.note(f"{labelled:,} nodes of an earlier version of kg-neo4j got labels of their own; nothing else changed")


def _old(row: Row) -> re.Match[str] | None:
    """Match an index of version 0.1: by its name, and a label that is not ours alone."""
    found = _OLD.fullmatch(row["name"])
    labels = [label.lower() for label in row["labels"]]
    return found if found and labels == [found["label"].replace("_", "")] else None
