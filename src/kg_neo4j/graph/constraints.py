"""Constraints and indexes of the data model. They stand, and are online, before the first write.

The name of a vector index says whose vectors it holds: kg_chunk_vector_static_minilm_384_1_384 has those of chunks by
the model static-minilm-384-1, of 384 numbers. Names have letters, digits and `_` only, so that they need no quotes. Two
models never have the same name: a hyphen becomes `_`, each byte of another sign `__` and two digits in base 16; so does
a hyphen that no letter or digit follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.errors import SchemaConflict, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row, Transaction, swept
from kg_neo4j.graph.queries import OWN

ONLINE_S = 24 * 3600  # one that cannot be filled is FAILED before; of a million chunks it takes a quarter of an hour
_SIGN = re.compile(r"-(?![A-Za-z0-9])|[^A-Za-z0-9-]")
_ENCODED = re.compile(r"((?:__[0-9a-f]{2})+)|_")
_NAME = re.compile(r"kg_(?P<label>[a-z]+)_vector_(?P<model>\w+)_(?P<dimension>[0-9]+)", re.ASCII)
_RULE = re.compile(r"IF NOT EXISTS FOR \(n:(\w+)\) (REQUIRE|ON) \(?n\.(\w+)")


@dataclass(frozen=True, slots=True)
class _Rule:
    """A constraint or an index that writing needs."""

    query: queries.Query
    label: str
    property: str
    unique: bool

    def stands(self, rows: Iterable[Row]) -> bool:
        """Return True where one of the indexes, under any name, does what this rule is for."""
        wanted = ([self.label], [self.property])
        return any((row["labels"], row["properties"]) == wanted and row["unique"] >= self.unique for row in rows)


def ensure_constraints(database: Database) -> None:
    """Create the constraints and indexes of cypher/schema/ that writing needs, and wait until they are online.

    All stand on labels that only we use: nobody else is bound by them. A repeat changes nothing, and asks the server
    nothing where this run has seen them. Raises SchemaConflict where something else has the name of one.
    """
    rules = []
    for query in rules_needed():
        if (match := _RULE.search(query.text)) is None:
            raise ValueError(f"{query.name}: not a rule about one property")
        rules.append(_Rule(query, match[1], match[3], match[2] == "REQUIRE"))
    standing = list_all(database)
    missing = [rule for rule in rules if not rule.stands(standing)]
    if missing:
        database.schemas([(rule.query, {}) for rule in missing])
    standing = online(database, lambda row: any(rule.stands([row]) for rule in rules))
    for rule in rules:
        if not rule.stands(standing):  # IF NOT EXISTS is silent where another has the name
            raise SchemaConflict(
                f"{database.address.shown}: something else in this database has the name of our rule "
                f"on {rule.label}.{rule.property}",
                hint="`SHOW CONSTRAINTS` and `SHOW INDEXES` list it: use another database, or give it another name",
            )


def rules_needed() -> list[queries.Query]:
    """Return the statements of all constraints and indexes that writing needs."""
    named = (name for name in queries.names("schema") if name.startswith(("schema/constraint_", "schema/index_")))
    return [queries.get(name) for name in named]


def list_all(database: Database) -> Sequence[Row]:
    """Return all indexes of the database, by name. The server is asked once a run, and again after a change."""
    if database.indexes is None:
        database.indexes = database.read(queries.get("write/standing_indexes"))
    return database.indexes


def online(database: Database, needed: Callable[[Row], bool]) -> Sequence[Row]:
    """Return all indexes once those that are `needed` are online; SchemaConflict for one that has failed."""

    def awaited(transaction: Transaction) -> list[Row]:
        rows = transaction.run(queries.get("write/standing_indexes"))
        waiting = [row for row in rows if row["state"] != "ONLINE" and needed(row)]
        for row in waiting:
            if row["state"] == "FAILED":
                raise SchemaConflict(
                    f"{database.address.shown}: the index {row['name']!r} could not be filled",
                    hint=f"drop it (DROP INDEX `{row['name']}`) and run the same command again; "
                    "the server's log says why",
                )
            transaction.run(queries.get("write/await_index"), name=row["name"], seconds=ONLINE_S)
        return transaction.run(queries.get("write/standing_indexes")) if waiting else rows

    listed = database.indexes
    if listed is None or any(row["state"] != "ONLINE" and needed(row) for row in listed):
        listed = database.indexes = database.read_transaction(awaited)
    return listed


def delete_graph(database: Database, graph: str) -> int:
    """Delete all nodes that kg-neo4j wrote under `graph`, and nothing else; return how many."""
    return swept(database.write, queries.get("write/delete_graph"), 20_000, graph=graph)


def drop_schema(database: Database) -> tuple[str, ...]:
    """Drop all constraints and indexes of ours, and return their names. Data stay as they are."""
    ours = [row for row in list_all(database) if row["labels"][0].startswith(OWN) and row["name"].startswith("kg_")]
    for row in ours:
        kind = "constraint" if row["unique"] else "index"
        database.schema(queries.get(f"write/drop_{kind}"), name=row["name"])
    return tuple(row["name"] for row in ours)


def refuse_other_graphs(database: Database, graph: str) -> None:
    """Raise UsageError where graphs other than `graph` need the constraints and indexes."""
    if others := [row["graph"] for row in database.read(queries.get("write/graphs")) if row["graph"] != graph]:
        hint = f"first `kg db reset --graph {others[0]}`"
        raise UsageError(f"the constraints and indexes are needed by {', '.join(map(repr, others))}", hint=hint)


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """Which vectors a graph has: the embedding model's name, and the length of each."""

    name: str
    dimension: int


def vector_index_name(label: str, model: VectorSpace | EmbeddingModel) -> str:
    """Return the name of the index over the vectors of `model` at nodes of `label`, a public one such as "Chunk"."""
    signs = _SIGN.sub(lambda sign: "".join(f"__{byte:02x}" for byte in sign[0].encode()), model.name)
    return f"kg_{label.lower()}_vector_{signs.replace('-', '_')}_{model.dimension}"


def space_of(index_name: str, label: str) -> VectorSpace | None:
    """Return whose vectors an index over nodes of `label` holds; None for a name that is not ours."""
    found = _NAME.fullmatch(index_name)
    if found is None or found["label"] != label.lower():
        return None
    try:
        model = _ENCODED.sub(
            lambda sign: bytes.fromhex(sign[1].replace("__", "")).decode() if sign[1] else "-", found["model"]
        )
    except UnicodeDecodeError:
        return None
    return VectorSpace(model, int(found["dimension"]))
