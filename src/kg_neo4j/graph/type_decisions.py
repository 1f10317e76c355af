"""Decisions on types: the type under which rows of another one are recorded. Pure.

A row keeps the type that was written, on its evidence, and an entity keeps its key: only what is shown changes. So any
order of the same decisions gives the same graph, and without one of them the graph is what it was before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph.resolution.decisions import TYPES, Decision, DecisionKind
from kg_neo4j.records import Extraction, NodeRow, RelationshipRow

ANYTHING, PHRASE = "RELATED_TO", "phrase"  # a type that says nothing, and the column that has what it leaves out


class ShownType(NamedTuple):
    """A type of relationships, and whether a row is turned round to be of it."""

    type: str
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class ShownTypes:
    """What decisions make of types. A type that is not listed stays as it is."""

    nodes: Mapping[str, str] = field(default_factory=dict)
    relationships: Mapping[str, ShownType] = field(default_factory=dict)
    phrased: bool = False  # relationships have a column for what their types leave out

    def shown(self, extraction: Extraction) -> Extraction:
        """Return an extraction with its rows as they are recorded, in their order."""
        if not (self.nodes or self.relationships):
            return extraction
        nodes, relationships = map(self._node, extraction.nodes), map(self._relationship, extraction.relationships)
        return replace(extraction, nodes=tuple(nodes), relationships=tuple(relationships))

    def _node(self, row: NodeRow) -> NodeRow:
        return replace(row, type=self.nodes[row.type]) if row.type in self.nodes else row

    def _relationship(self, row: RelationshipRow) -> RelationshipRow:
        if (found := self.relationships.get(row.type)) is None:
            return row
        properties = dict(row.properties)
        if found.type == ANYTHING and self.phrased:
            said = (row.type.replace("_", " ").lower(), str(properties.get(PHRASE, "")))
            properties[PHRASE] = ": ".join(filter(None, said))
        ends = (row.target_id, row.source_id) if found.inverse else (row.source_id, row.target_id)
        return replace(row, type=found.type, source_id=ends[0], target_id=ends[1], properties=properties)


def type_map(decisions: Iterable[Decision], *, phrased: bool = False) -> ShownTypes:
    """Return what the unrevoked decisions on types make of them, whatever their order.

    A type that becomes another one may be what a third one becomes. Of types that become each other none changes, and
    of several decisions on one type the one with the smallest id holds.
    """
    steps: dict[tuple[bool, str], tuple[str, bool]] = {}
    for each in sorted(decisions, key=lambda each: each.id, reverse=True):
        if each.kind in TYPES and not each.revoked:
            is_node = each.kind is DecisionKind.NODE_TYPE
            steps[is_node, each.left_key] = (each.right_key, each.kind is DecisionKind.INVERSE_TYPE)
    nodes: dict[str, str] = {}
    relationships: dict[str, ShownType] = {}
    for is_node, name in steps:
        seen, now, inverse = {name}, name, False
        while step := steps.get((is_node, now)):
            now, inverse = step[0], inverse != step[1]
            if now in seen:
                break
            seen.add(now)
        else:
            if is_node:
                nodes[name] = now
            else:
                relationships[name] = ShownType(now, inverse)
    return ShownTypes(nodes, relationships, phrased)


def preferring(schema: Schema, decisions: Iterable[Decision]) -> Schema:
    """Return a schema whose prompts also name the types that decisions prefer; its hash stays."""
    found: dict[DecisionKind, dict[str, str]] = {
        DecisionKind.PREFERRED_NODE: dict(schema.preferred_node_types),
        DecisionKind.PREFERRED_RELATIONSHIP: dict(schema.preferred_relationship_types),
    }
    for each in sorted(decisions, key=lambda each: each.left_key):
        if each.kind in found and not each.revoked:
            found[each.kind].setdefault(each.left_key, "")
    nodes, relationships = (tuple(each.items()) for each in found.values())
    return replace(schema, preferred_node_types=nodes, preferred_relationship_types=relationships)
