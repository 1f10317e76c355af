"""The schema of one graph as a model is shown it, and as its queries are held to it: what is there, with counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pkgutil import resolve_name

from kg_neo4j import data_files, plugins
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.schema import ColumnKind
from kg_neo4j.extract.values import TYPE_PATTERN
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.replay import stored_schema
from kg_neo4j.retrieve.wording import shared

VISIBLE = ("Entity", "Chunk", "Document", "Fact")  # labels of our own that a query may read
STRUCTURE = ("MENTIONED_IN", "STATED_IN", "IN_DOCUMENT", "NEXT_CHUNK")
SHOWN_TYPES = 25  # relationship types with an example: those with words of the question, then the most frequent
NAMED_TYPES = 150  # that are named without one; a query may use the others, too
LONGEST_NAME = 40  # characters of a name in an example
MOST_LABELS = 60
ROOM = "kg_neo4j.rooms.adopt"
ADOPTED = f"{ROOM}.labels:read_labels"  # which labels of another graph a query may name

_PROPERTY = re.compile(r"[a-z][a-z0-9_]{0,63}", re.IGNORECASE)
_DATA = data_files.beside(__file__)
_HIDDEN, _TOLD_ONCE = _DATA.word_set("hidden"), _DATA.word_set("told_once")


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """What one graph holds. Names that are not plain are left out: what is stored never becomes Cypher."""

    labels: Mapping[str, int]  # with counts; types of entities, and VISIBLE
    relationships: Mapping[str, int]  # types with counts
    ends: Mapping[str, tuple[str, str]]  # of the types between entities: the commonest types of source and target
    node_properties: Mapping[str, tuple[str, ...]]  # by label of VISIBLE
    relationship_properties: tuple[str, ...]
    is_filtered: bool = False  # queries are held to what filters leave
    samples: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # names of two that have a relationship
    kinds: Mapping[str, str] = field(default_factory=dict)  # what properties hold that is no text: "number", "date"
    adopted: Mapping[str, Sequence[str]] = field(default_factory=dict)  # labels of another graph: its rows' keys begin
    adopted_lines: Sequence[str] = ()  # these labels in words

    @property
    def properties(self) -> frozenset[str]:
        """All names of properties that a query may read."""
        return frozenset(self.relationship_properties).union(*self.node_properties.values())

    def named(self, names: Sequence[str]) -> str:
        """Return names of properties for a prompt, with what they hold where that is no text."""
        return ", ".join(f"{name} ({self.kinds[name]})" if name in self.kinds else name for name in names)


def read_schema(database: Database, graph: str) -> GraphSchema:
    """Return the schema of `graph`. Three or four round trips, two over all of the graph."""
    rows = database.read(queries.get("write/other_schemas"), graph=graph, schema_hash="")
    written = [stored_schema(row["schema"], row["schema_text"]) for row in rows]
    wide = schemas.widest(written or [schemas.load(schemas.BUILT_IN[0])])  # an empty graph has none
    columns = (*wide.node_properties, *wide.relationship_properties)
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
    ends, samples = dict[str, tuple[str, str]](), dict[str, tuple[str, str]]()
    properties: set[str] = set()
    for row in database.read(queries.get("questions/schema_relationships"), graph=graph):
        name = row["RelationshipType"]
        if not TYPE_PATTERN.fullmatch(name):
            continue
        relationships[name] = row["Count"]
        if name not in STRUCTURE:
            properties |= set(_plain(row["Properties"]))
            ends[name] = (row["SourceType"] or "", row["TargetType"] or "")
            samples[name] = (_sample(row["Source"]), _sample(row["Target"]))
    adopted, words = resolve_name(ADOPTED)(database, graph, labels) if plugins.is_installed(ROOM) else ({}, ())
    return GraphSchema(
        labels,
        relationships,
        ends,
        node_properties,
        tuple(sorted(properties | {"quote"})),
        samples=samples,
        kinds={each.name: str(each.kind) for each in columns if each.kind is not ColumnKind.TEXT},
        adopted=adopted,
        adopted_lines=words,
    )


def narrow(schema: GraphSchema) -> GraphSchema:
    """Return what a query under filters may read: no property that is put together from all texts of the graph."""
    plain = {label: _told_once(names) for label, names in schema.node_properties.items()}
    return replace(
        schema,
        node_properties=plain,
        relationship_properties=_told_once(schema.relationship_properties),
        samples={},
        adopted={},
        adopted_lines=(),
        is_filtered=True,
    )


def _told_once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in _TOLD_ONCE)


def _plain(names: list[str]) -> tuple[str, ...]:
    shown = (name for name in names if name not in _HIDDEN and not name.endswith("_hash"))
    return tuple(sorted(name for name in shown if _PROPERTY.fullmatch(name)))


def _sample(name: str | None) -> str:
    return " ".join((name or "").split())[:LONGEST_NAME]


def describe(schema: GraphSchema, terms: Sequence[str] = ()) -> str:
    """Return the schema in words for a prompt: labels, properties, and an example of each type that matters.

    These are the relationship types with most of the folded `terms`, then the most frequent ones.
    """
    types = [name for name in schema.labels if name not in VISIBLE]
    lines = [f"(:Entity)  {schema.labels.get('Entity', 0):,} nodes; each has one of these further labels, its type:"]
    lines.append("  " + ", ".join(f"{name} ({schema.labels[name]:,})" for name in types[:MOST_LABELS]))
    lines += [
        f"(:{label} {{{schema.named(schema.node_properties[label])}}})  {schema.labels.get(label, 0):,} nodes"
        for label in VISIBLE
    ]
    lines.append("(:Entity)-[:MENTIONED_IN]->(:Chunk)-[:IN_DOCUMENT]->(:Document); (:Fact)-[:STATED_IN]->(:Chunk)")
    lines += schema.adopted_lines
    lines.append(f"Relationships between entities, {{{schema.named(schema.relationship_properties)}}}:")
    drawn = [name for name in schema.relationships if name not in STRUCTURE]
    drawn.sort(key=lambda name: -shared(terms, name.replace("_", " ")))  # else by their number
    for name in drawn[:SHOWN_TYPES]:
        kinds, names = schema.ends[name], schema.samples.get(name, ("", ""))
        source, target = (f"{one}:{kind or 'Entity'}" for one, kind in zip(names, kinds, strict=True))
        lines.append(f"  ({source})-[:{name}]->({target})")
    if others := drawn[SHOWN_TYPES:][:NAMED_TYPES]:
        lines.append(f"  and further types: {', '.join(others)}")
    return "\n".join(lines)
