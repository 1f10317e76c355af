"""One graph, written as the answer of a model in the forms that programs ask models for. Standard library only.

Written from knowledge of the formats, not with the programs:

- csv: ours, prompts/extract.md: two sections, ids first, header rows once; `columns` says which columns there are.
- neo4j-graphrag: one JSON object with `nodes` (id, label, properties) and `relationships` (type, start_node_id,
  end_node_id, properties), as its extraction prompt and its structured output have it.
- langchain: the arguments of the function call that LLMGraphTransformer asks for: nodes with id and type,
  relationships with both ends' ids and types; properties as lists of key and value.
- graphrag: the tuples of microsoft/graphrag and nano-graphrag: ("entity"<|>NAME<|>TYPE<|>description), relationships by
  name with a strength, "##" between records and <|COMPLETE|> in the end.
- lightrag: a record a line, fields divided by <|#|>, relationships by name with keywords and no strength.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Value = str | int | float


@dataclass(frozen=True)
class Node:
    """A node; `properties` are those besides name and type."""

    name: str
    type: str
    properties: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Relationship:
    """A relationship between two nodes of the same answer, by their places."""

    source: int
    type: str
    target: int
    properties: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Graph:
    """What one answer says."""

    nodes: Sequence[Node]
    relationships: Sequence[Relationship]


def as_csv(graph: Graph, node_columns: Sequence[str], relationship_columns: Sequence[str]) -> str:
    """Return our two sections with these columns besides ids, types and names; an empty line between them."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["node_id", "node_type", "name", *node_columns])
    for number, node in enumerate(graph.nodes, 1):
        rows.writerow([f"n{number}", node.type, node.name, *(node.properties.get(name, "") for name in node_columns)])
    rows.writerow([])
    rows.writerow(["relationship_id", "node_id_1", "relationship_type", "node_id_2", *relationship_columns])
    for number, each in enumerate(graph.relationships, 1):
        ends = [f"n{each.source + 1}", each.type, f"n{each.target + 1}"]
        rows.writerow([f"r{number}", *ends, *(each.properties.get(name, "") for name in relationship_columns)])
    return out.getvalue()


def as_graphrag_json(graph: Graph, *, indent: int | None = None) -> str:
    """Return neo4j-graphrag's object."""
    nodes = [
        {"id": str(number), "label": node.type, "properties": {"name": node.name, **node.properties}}
        for number, node in enumerate(graph.nodes)
    ]
    relationships = [
        {
            "type": each.type,
            "start_node_id": str(each.source),
            "end_node_id": str(each.target),
            "properties": dict(each.properties),
        }
        for each in graph.relationships
    ]
    return json.dumps({"nodes": nodes, "relationships": relationships}, ensure_ascii=False, indent=indent)


def as_langchain_json(graph: Graph) -> str:
    """Return the arguments of LLMGraphTransformer's function call; a node's id is its name."""
    nodes = [{"id": node.name, "type": node.type, "properties": _pairs(node.properties)} for node in graph.nodes]
    relationships = [
        {
            "source_node_id": graph.nodes[each.source].name,
            "source_node_type": graph.nodes[each.source].type,
            "target_node_id": graph.nodes[each.target].name,
            "target_node_type": graph.nodes[each.target].type,
            "type": each.type,
            "properties": _pairs(each.properties),
        }
        for each in graph.relationships
    ]
    return json.dumps({"nodes": nodes, "relationships": relationships}, ensure_ascii=False)


def as_graphrag_tuples(graph: Graph) -> str:
    """Return the tuples of graphrag and nano-graphrag: names in capitals, no place for a relationship's type."""
    records = [f'("entity"<|>{node.name.upper()}<|>{node.type}<|>{_rest(node.properties)})' for node in graph.nodes]
    records += [
        f'("relationship"<|>{graph.nodes[each.source].name.upper()}<|>{graph.nodes[each.target].name.upper()}'
        f"<|>{_described(each)}<|>{each.properties.get('strength', 5)})"
        for each in graph.relationships
    ]
    return "##\n".join(records) + "<|COMPLETE|>"


def as_lightrag_tuples(graph: Graph) -> str:
    """Return LightRAG's lines; the relationship's type is its keyword."""
    lines = ["<|#|>".join(["entity", node.name, node.type, _rest(node.properties)]) for node in graph.nodes]
    lines += [
        "<|#|>".join(
            [
                "relation",
                graph.nodes[each.source].name,
                graph.nodes[each.target].name,
                each.type.replace("_", " ").lower(),
                _rest(each.properties, without=("strength",)),
            ]
        )
        for each in graph.relationships
    ]
    return "\n".join([*lines, "<|COMPLETE|>"])


FORMS: dict[str, Callable[[Graph], str]] = {
    "neo4j-graphrag JSON": as_graphrag_json,
    "neo4j-graphrag JSON, indented": lambda graph: as_graphrag_json(graph, indent=2),
    "langchain function call": as_langchain_json,
    "graphrag tuples": as_graphrag_tuples,
    "LightRAG lines": as_lightrag_tuples,
}


def _pairs(properties: Mapping[str, Value]) -> list[dict[str, str]]:
    return [{"key": name, "value": str(value)} for name, value in properties.items()]


def _rest(properties: Mapping[str, Value], without: Sequence[str] = ()) -> str:
    """Return what a form with a description alone says of a node: other properties as words after it."""
    others = [
        f"{name.replace('_', ' ')} {value}"
        for name, value in properties.items()
        if name not in ("description", *without)
    ]
    return "; ".join([*([str(properties["description"])] if "description" in properties else []), *others])


def _described(each: Relationship) -> str:
    """Return the description of a relationship where the form has no place for its type."""
    rest = _rest(each.properties, without=("strength",))
    return rest or each.type.replace("_", " ").lower()
