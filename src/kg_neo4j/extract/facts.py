"""From rows that state one fact each to rows of nodes and of relationships, for schemas of `form = "facts"`. Pure."""

from __future__ import annotations

from dataclasses import replace
from pkgutil import resolve_name

from kg_neo4j.extract import numbering, rows
from kg_neo4j.extract.rows import RawRow, ReadRows, RowKind
from kg_neo4j.extract.schema import CLAIMS, Schema
from kg_neo4j.extract.values import MAX_NAME, ValueRefused, clean_field, unmarked
from kg_neo4j.records import Rejection, RejectionReason


def read(text: str, schema: Schema, *, finish_reason: str | None, sentences: int = 0) -> ReadRows:
    """Return what `rows.read` does, with rows of nodes and relationships instead of those of facts.

    A node has one row. A fact that lacks a part, or whose number is none of `sentences` (0: any), is one rejection.
    """
    found = rows.read(text, schema, finish_reason=finish_reason)
    made, rejections = list[RawRow](), list(found.rejections)
    ids: dict[str, str] = {}
    for row in found.rows:
        try:
            if row.kind is RowKind.FACT:
                made += _rows(row, schema, ids, sentences)
            else:
                made.append(resolve_name(f"{CLAIMS}:relationship")(row, schema) if row.kind is RowKind.CLAIM else row)
        except ValueRefused as refused:
            rejections.append(Rejection(row.line, row.text, refused.reason, refused.detail))
    return replace(found, rows=tuple(made), rejections=tuple(rejections))


def _rows(row: RawRow, schema: Schema, ids: dict[str, str], sentences: int) -> list[RawRow]:
    """Return the rows of one fact; `ids` are those of the nodes so far, by name and type."""
    said = {name: unmarked(text, is_name=True) for name, text in zip(schema.facts, row.fields, strict=True)}
    for name in ("first", "relationship", "second", "first_type", "second_type"):
        if not clean_field(said[name], name, MAX_NAME):
            raise ValueRefused(RejectionReason.EMPTY_FIELD, f"{name} is empty")
    if sentences:
        numbering.cite(said["sentence"], "", ((0, 0),) * sentences)
    said |= {"sentences": said["sentence"], "relationship_type": said["relationship"]}
    made = []
    for number, end in enumerate(("first", "second"), 1):
        node = {"sentences": said["sentence"], "name": said[end], "node_type": said[f"{end}_type"]}
        key = " ".join(f"{said[end]},{node['node_type']}".casefold().split())
        if key not in ids:
            node["node_id"] = ids[key] = f"n{len(ids) + 1}"
            fields = tuple(node.get(each.name, "") for each in schema.node_columns)
            made.append(replace(row, kind=RowKind.NODE, fields=fields, others=()))
        said[f"node_id_{number}"] = ids[key]
    fields = tuple(said.get(each.name, "") for each in schema.relationship_columns)
    return [*made, replace(row, kind=RowKind.RELATIONSHIP, fields=fields)]
