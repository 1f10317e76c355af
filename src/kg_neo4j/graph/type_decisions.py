"""Decisions on types: under which rows are recorded. Evidence keeps the written type, an entity its key. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph.resolution.decisions import TYPES, Decision, DecisionKind
from kg_neo4j.records import Extraction, NodeRow, RelationshipRow

ANYTHING, PHRASE = "RELATED_TO", "phrase"  # a type that says nothing, and the column that has what it leaves out


@dataclass(frozen=True, slots=True)
class ShownTypes:
    """What decisions make of types: type -> type, and whether rows are turned round. Others stay as they are."""

    nodes: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    relationships: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    phrased: bool = False  # relationships have a column for what their types leave out

    def shown(self, extraction: Extraction) -> Extraction:
        """Return an extraction with its rows as they are recorded, in their order."""
        if not (self.nodes or self.relationships):
            return extraction
        nodes, relationships = map(self._node, extraction.nodes), map(self._relationship, extraction.relationships)
        return replace(extraction, nodes=tuple(nodes), relationships=tuple(relationships))

    def _node(self, row: NodeRow) -> NodeRow:
        return replace(row, type=self.nodes[row.type][0]) if row.type in self.nodes else row

    def _relationship(self, row: RelationshipRow) -> RelationshipRow:
        if row.type not in self.relationships:
            return row
        (type_, turned), properties = self.relationships[row.type], dict(row.properties)
        if type_ == ANYTHING and self.phrased:
            said = (row.type.replace("_", " ").lower(), properties.get(PHRASE))
            properties[PHRASE] = ": ".join(str(each) for each in said if each)
        ends = (row.target_id, row.source_id) if turned else (row.source_id, row.target_id)
        return replace(row, type=type_, source_id=ends[0], target_id=ends[1], properties=properties)


def type_map(decisions: Iterable[Decision], *, phrased: bool = False) -> ShownTypes:
    """Return what the unrevoked decisions on types make of them, whatever their order.

    They follow each other. Types that become each other stay. Of several on one type that with the smallest id holds.
    """
    steps: dict[bool, dict[str, tuple[str, bool]]] = {True: {}, False: {}}  # of nodes, of relationships
    for each in sorted(decisions, key=lambda each: each.id, reverse=True):
        if each.kind in TYPES and not each.revoked:
            step = (each.right_key, each.kind is DecisionKind.INVERSE_TYPE)
            steps[each.kind is DecisionKind.NODE_TYPE][each.left_key] = step
    return ShownTypes(_ends(steps[True]), _ends(steps[False]), phrased)


def _ends(steps: Mapping[str, tuple[str, bool]]) -> dict[str, tuple[str, bool]]:
    found = {}
    for name in steps:
        seen, now, turned = {name}, name, False
        while now in steps:
            now, turned = steps[now][0], turned != steps[now][1]
            if now in seen:
                break
            seen.add(now)
        else:
            found[name] = (now, turned)
    return found


def preferring(schema: Schema, decisions: Iterable[Decision]) -> Schema:
    """Return a schema whose prompts also name the types that decisions prefer; its hash stays."""
    nodes, relationships = dict(schema.preferred_node_types), dict(schema.preferred_relationship_types)
    into = {DecisionKind.PREFERRED_NODE: nodes, DecisionKind.PREFERRED_RELATIONSHIP: relationships}
    for each in sorted(decisions, key=lambda each: each.left_key):
        if each.kind in into and not each.revoked:
            into[each.kind].setdefault(each.left_key, "")
    both = tuple(nodes.items()), tuple(relationships.items())
    return replace(schema, preferred_node_types=both[0], preferred_relationship_types=both[1])
