"""The schema of one graph as a model is shown it, and as its queries are held to it: what is there, with counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kg_neo4j.extract.values import TYPE_PATTERN
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database

VISIBLE = ("Entity", "Chunk", "Document", "Fact")  # labels of our own that a query may read
STRUCTURE = ("MENTIONED_IN", "STATED_IN", "IN_DOCUMENT", "NEXT_CHUNK")
SHOWN_TYPES = 80  # the most frequent relationship types; a query may use the others, too
MOST_LABELS = 60

_PROPERTY = re.compile(r"[a-z][a-z0-9_]{0,63}", re.IGNORECASE)
_HIDDEN = frozenset(  # vectors, hashes, what runs keep, display numbers
    """graph embedding num document_id done outcome outcome_reason recorded rows_read rows_rejected key
    source_key target_key relationship_id schema sha256 tokeniser origin options links pages kind row rows
    strength community communities component bridges articulation betweenness clustering core triangles
    community_degree quote_start quote_end quote_method""".split()
)

_TOLD_ONCE = frozenset(  # properties that come from one text alone, and the names of things
    "id name type fact_id title text index section language source url quote start end token_count".split()
)


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """What one graph holds. Names that are not plain are left out: what is stored never becomes Cypher."""

    labels: Mapping[str, int]  # with counts; types of entities, and VISIBLE
    relationships: Mapping[str, int]  # types with counts
    ends: Mapping[str, tuple[str, str]]  # of the types between entities: the commonest types of source and target
    node_properties: Mapping[str, tuple[str, ...]]  # by label of VISIBLE
    relationship_properties: tuple[str, ...]
    hidden: frozenset[str] = field(default=_HIDDEN)
    is_filtered: bool = False  # queries are held to what filters leave

    @property
    def properties(self) -> frozenset[str]:
        """All names of properties that a query may read."""
        return frozenset(self.relationship_properties).union(*self.node_properties.values())


def read_schema(database: Database, graph: str) -> GraphSchema:
    """Return the schema of `graph`. Three round trips, each over all of the graph."""
    labels: dict[str, int] = {}
    node_properties: dict[str, tuple[str, ...]] = dict.fromkeys(VISIBLE, ())
    for row in database.read(queries.get("questions/schema_labels"), graph=graph):
        label = row["Label"]
        if label in VISIBLE:
            labels[label] = row["Count"]
            node_properties[label] = _plain(row["Properties"])
        elif TYPE_PATTERN.fullmatch(label):
            labels[label] = row["Count"]
    relationships: dict[str, int] = {}
    ends: dict[str, tuple[str, str]] = {}
    properties: set[str] = set()
    for row in database.read(queries.get("questions/schema_relationships"), graph=graph):
        name = row["RelationshipType"]
        if not TYPE_PATTERN.fullmatch(name):
            continue
        relationships[name] = row["Count"]
        if name not in STRUCTURE:
            properties |= set(_plain(row["Properties"]))
            ends[name] = (row["SourceType"] or "", row["TargetType"] or "")
    return GraphSchema(labels, relationships, ends, node_properties, tuple(sorted(properties | {"quote"})))


def narrow(schema: GraphSchema) -> GraphSchema:
    """Return what a query under filters may read: no property that is put together from all texts of the graph."""
    plain = {label: _told_once(names) for label, names in schema.node_properties.items()}
    return replace(
        schema,
        node_properties=plain,
        relationship_properties=_told_once(schema.relationship_properties),
        is_filtered=True,
    )


def _told_once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in _TOLD_ONCE)


def _plain(names: list[str]) -> tuple[str, ...]:
    shown = (name for name in names if name not in _HIDDEN and not name.endswith("_hash"))
    return tuple(sorted(name for name in shown if _PROPERTY.fullmatch(name)))


def describe(schema: GraphSchema) -> str:
    """Return the schema in words for a prompt: labels, relationship types and properties, with counts."""
    types = [name for name in schema.labels if name not in VISIBLE]
    lines = [f"(:Entity)  {schema.labels.get('Entity', 0):,} nodes; each has one of these further labels, its type:"]
    lines.append("  " + ", ".join(f"{name} ({schema.labels[name]:,})" for name in types[:MOST_LABELS]))
    lines += [
        f"(:{label} {{{', '.join(schema.node_properties[label])}}})  {schema.labels.get(label, 0):,} nodes"
        for label in VISIBLE
    ]
    lines.append("(:Entity)-[:MENTIONED_IN]->(:Chunk)-[:IN_DOCUMENT]->(:Document); (:Fact)-[:STATED_IN]->(:Chunk)")
    lines.append(f"Relationships between entities, {{{', '.join(schema.relationship_properties)}}}:")
    drawn = [name for name in schema.relationships if name not in STRUCTURE]
    for name in drawn[:SHOWN_TYPES]:
        source, target = schema.ends[name]
        lines.append(f"  (:{source or 'Entity'})-[:{name}]->(:{target or 'Entity'})  {schema.relationships[name]:,}")
    if len(drawn) > SHOWN_TYPES:
        lines.append(f"  and {len(drawn) - SHOWN_TYPES} rarer types: {', '.join(drawn[SHOWN_TYPES : 3 * SHOWN_TYPES])}")
    return "\n".join(lines)
