"""Brings the graphs of version 0.1 up to date: they get labels of our own, and lose constraints on labels of all.

Version 0.1 had its constraints and indexes on Chunk, Entity and other labels that other programs use, too. A migration
that was stopped is continued by the next run that writes: the old constraints go last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kg_neo4j.errors import LeaseHeld
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import ensure_constraints, list_all, online
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.vector_spaces import VectorSpace
from kg_neo4j.progress import Progress

STAGE = "migrate"
_AT_A_TIME = 20_000  # nodes of a label in one transaction
_OLD = re.compile(
    r"kg_(?P<label>answer|chunk|community|decision|document|entity|fact|tree|treenode|graph_state|lease)_"
    r"(?:id|num|graph|text|tree|relationship|vector/(?P<model>.+)/(?P<dimension>\d+))"
)


def is_needed(indexes: Sequence[Row]) -> bool:
    """Return whether constraints or indexes of version 0.1 stand, given all indexes of a database."""
    return any(map(_is_old, indexes))


def migrate(database: Database, progress: Progress) -> None:
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
    old = [row for row in list_all(database) if _is_old(row)]
    for row in old:
        if found := _vectors(row):
            label = row["labels"][0]
            query = queries.get(f"write/vector_index_{label.lower()}")
            database.schema(query, name=found.index_name(label), dimension=found.dimension)
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


def _is_old(row: Row) -> bool:
    """Return whether an index is of version 0.1: its name, and a label that is not ours alone."""
    found = _OLD.fullmatch(row["name"])
    return found is not None and [label.lower() for label in row["labels"]] == [found["label"].replace("_", "")]


def _vectors(row: Row) -> VectorSpace | None:
    found = _OLD.fullmatch(row["name"])
    if found is None or found["model"] is None:
        return None
    return VectorSpace(found["model"], int(found["dimension"]))
