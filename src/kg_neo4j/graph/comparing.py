"""What two files of a graph differ in, as a reader of the graph sees it: documents, entities, facts, their evidence.

Ids, vectors, analyses and settings are not compared, so graphs of different names can be. What counts of an entity or a
fact is what its evidence gave: aliases, and the columns of the schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kg_neo4j.graph import archive
from kg_neo4j.graph.archive_records import NodeLine, RelationshipLine, known

_KINDS = {"Document": "document", "Entity": "entity", "Fact": "fact"}
_EVIDENCE = {"MENTIONED_IN": "entity", "STATED_IN": "fact"}


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A place in the texts."""

    document: str  # its key: a path, an address or a title
    quote: str  # "" where the evidence has none


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """One document, entity or fact that is not the same in both."""

    kind: str  # "document", "entity" or "fact"
    name: str  # "notes/a.txt", "Ada Lovelace (PERSON)", "Ada Lovelace MET Charles Babbage"
    change: str  # "added", "removed" or "changed"
    fields: tuple[str, ...] = ()  # of what changed: "text" of a document, "aliases" or columns of the schema
    evidence_added: tuple[TextPlace, ...] = ()
    evidence_removed: tuple[TextPlace, ...] = ()


@dataclass(slots=True)
class _Element:
    """What is compared of one document, entity or fact; several that are called the same are one."""

    values: Counter[tuple[str, str]] = field(default_factory=Counter)  # name and value of a property
    evidence: Counter[TextPlace] = field(default_factory=Counter)


def compare(before: Path, after: Path) -> tuple[GraphDifference, ...]:
    """Return how `after` differs from `before`: documents, then entities, then facts, each by name.

    Both are files of `kg export`, archives or not. Memory grows with the graphs. Raises BadArchive for another file.
    """
    old, new = _read(before), _read(after)
    differences = []
    for key in sorted({*old, *new}):
        one, other = old.get(key), new.get(key)
        if one == other:
            continue
        was, now = one or _Element(), other or _Element()
        change = "added" if one is None else "removed" if other is None else "changed"
        fields = {name for name, _ in (was.values - now.values) + (now.values - was.values)}
        evidence = _listed(now.evidence - was.evidence), _listed(was.evidence - now.evidence)
        differences.append(
            GraphDifference(*key, change, tuple(sorted(fields)) if change == "changed" else (), *evidence)
        )
    return tuple(differences)


def _listed(evidence: Counter[TextPlace]) -> tuple[TextPlace, ...]:
    return tuple(sorted(evidence.elements(), key=lambda each: (each.document, each.quote)))


def _read(path: Path) -> dict[tuple[str, str], _Element]:
    """Return the elements of a file, by kind and name."""
    nodes: dict[str, NodeLine] = {}
    lines: list[RelationshipLine] = []
    for record in archive.read(archive.check(path)):
        if isinstance(record, NodeLine):
            if record.base in (*_KINDS, "Chunk"):
                nodes[record.properties["id"]] = record
        elif record.type in _EVIDENCE:
            lines.append(record)
    columns = {each.type: set[str]() for each in lines}
    for each in lines:
        columns[each.type] |= each.properties.keys() - known(each.type).keys()
    compared = {"document": {"text"}, "entity": {"aliases"}, "fact": {"stated"}}
    for type_, found in columns.items():
        compared[_EVIDENCE[type_]] |= found
    elements: dict[tuple[str, str], _Element] = {}
    keys: dict[str, tuple[str, str]] = {}
    for id_, node in nodes.items():
        if kind := _KINDS.get(node.base):
            keys[id_] = (kind, _name(kind, node.properties, nodes))
            values = node.properties | ({"text": node.properties.get("sha256")} if kind == "document" else {})
            element = elements.setdefault(keys[id_], _Element())
            element.values.update((name, repr(values[name])) for name in compared[kind] & values.keys())
    for each in lines:
        document = nodes[nodes[each.end].properties["document_id"]].properties["key"]
        elements[keys[each.start]].evidence[TextPlace(document, each.properties.get("quote", ""))] += 1
    return elements


def _name(kind: str, values: Mapping[str, Any], nodes: Mapping[str, NodeLine]) -> str:
    if kind == "document":
        return str(values["key"])
    if kind == "entity":
        return f"{values['name']} ({values['type']})"
    ends = (nodes[values.get(f"{end}_id") or values[f"{end}_key"]].properties["name"] for end in ("source", "target"))
    return f" {values['type']} ".join(ends)
