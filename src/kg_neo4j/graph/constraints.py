"""Constraints and indexes of the data model. They stand, and are online, before the first write."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kg_neo4j.errors import SchemaConflict
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row

ONLINE_S = 300
_RULE = re.compile(r"IF NOT EXISTS FOR \(n:(\w+)\) (REQUIRE|ON) \(?n\.(\w+)")


@dataclass(frozen=True, slots=True)
class _Rule:
    """A constraint or an index that writing needs."""

    query: queries.Query
    label: str
    property: str
    unique: bool

    def stands_in(self, row: Row) -> bool:
        """Return True where `row`, an index of the database under any name, does what this rule is for."""
        return (row["label"], row["properties"]) == (self.label, [self.property]) and row["unique"] >= self.unique


def ensure_constraints(database: Database) -> None:
    """Create the constraints and indexes of cypher/schema/ that writing needs, and wait until they are online.

    A repeat changes nothing. Raises SchemaConflict where data in the database, ours or foreign, break a constraint, or
    where other constraints or indexes stand in its place.
    """
    for rule in _rules():
        try:
            database.schema(rule.query)
        except SchemaConflict as error:
            foreign = database.read(queries.get("write/foreign_nodes"))[0]["nodes"]
            raise SchemaConflict(
                f"{rule.label}.{rule.property}: {error} "
                f"({foreign} nodes in this database carry labels of ours but are not from kg-neo4j)",
                hint="use a database of its own for kg-neo4j, or rename what stands in the way",
            ) from error
    standing = database.read(queries.get("write/standing_indexes"))
    for rule in _rules():
        found = next((row for row in standing if rule.stands_in(row)), None)
        if found is None:  # IF NOT EXISTS is silent where another rule has the name
            raise SchemaConflict(
                f"{database.address.shown}: something else in this database has the name of our rule "
                f"on {rule.label}.{rule.property}",
                hint="`SHOW CONSTRAINTS` and `SHOW INDEXES` list it: use another database, or give it another name",
            )
        _await_online(database, found)


def await_indexes(database: Database, seconds: float = ONLINE_S) -> None:
    """Wait until all indexes of ours are online; SchemaConflict for one that has failed."""
    for row in database.read(queries.get("write/standing_indexes")):
        if row["name"].startswith("kg_"):
            _await_online(database, row, seconds)


def _await_online(database: Database, row: Row, seconds: float = ONLINE_S) -> None:
    if row["state"] == "FAILED":
        raise SchemaConflict(
            f"{database.address.shown}: the index {row['name']!r} could not be filled",
            hint=f"drop it (DROP INDEX `{row['name']}`) and run the same command again; the server's log says why",
        )
    if row["state"] != "ONLINE":
        database.read(queries.get("write/await_index"), name=row["name"], seconds=round(seconds))


def _rules() -> list[_Rule]:
    names = (name for name in queries.names("schema") if name.startswith(("schema/constraint_", "schema/index_")))
    rules = []
    for query in map(queries.get, names):
        match = _RULE.search(query.text)
        if match is None:
            raise ValueError(f"{query.name}: not a rule about one property")
        rules.append(_Rule(query, match[1], match[3], match[2] == "REQUIRE"))
    return rules


def delete_graph(database: Database, graph: str) -> int:
    """Delete all nodes that kg-neo4j wrote under `graph`, and nothing else; return how many."""
    deleted = 0
    while count := int(database.write(queries.get("write/delete_graph"), graph=graph, limit=20_000)[0]["deleted"]):
        deleted += count
    return deleted
