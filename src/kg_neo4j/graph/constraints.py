"""Constraints and indexes of the data model. They stand, and are online, before the first write."""

from __future__ import annotations

from kg_neo4j.errors import SchemaConflict
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database

ONLINE_S = 300


def ensure_constraints(database: Database) -> None:
    """Create the constraints and indexes of cypher/schema/ that writing needs, and wait until they are online.

    A repeat changes nothing. Raises SchemaConflict where data in the database, ours or foreign, break a constraint.
    """
    for name in queries.names("schema"):
        if not name.startswith(("schema/constraint_", "schema/index_")):
            continue
        try:
            database.schema(queries.get(name))
        except SchemaConflict as error:
            foreign = database.read(queries.get("write/foreign_nodes"))[0]["nodes"]
            raise SchemaConflict(
                f"{error} ({foreign} nodes in this database carry labels of ours but are not from kg-neo4j)",
                hint="use a database of its own for kg-neo4j, or rename the labels of the other data",
            ) from error
    database.read(queries.get("write/await_indexes"), seconds=ONLINE_S)


def delete_graph(database: Database, graph: str) -> int:
    """Delete all nodes that kg-neo4j wrote under `graph`, and nothing else; return how many."""
    deleted = 0
    while count := int(database.write(queries.get("write/delete_graph"), graph=graph, limit=20_000)[0]["deleted"]):
        deleted += count
    return deleted
