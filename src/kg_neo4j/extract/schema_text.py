"""Schema files as text: a schema with other types and another worked example, written as TOML. Pure."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j.extract.schema import ColumnKind, Schema, SchemaColumn
from kg_neo4j.records import NodeRow, RelationshipRow

_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNWRITABLE = re.compile(r'[\\"\x00-\x1f\x7f\ud800-\udfff]')
_UNWRITABLE_IN_BLOCK = re.compile(r'[\\\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]|"(?="")|"(?=\Z)')


@dataclass(frozen=True, slots=True)
class SchemaDraft:
    """What a new schema file has of its own; columns are those of `base`."""

    base: Schema
    name: str
    description: str
    remarks: tuple[str, ...]  # comment lines at the top
    node_types: tuple[str, ...]
    relationship_types: tuple[str, ...]
    example_text: str
    example_answer: str


def write(draft: SchemaDraft) -> str:
    """Return the text of a schema file."""
    lines = [f"# {comment(remark)}" for remark in draft.remarks]
    lines += [f"name = {quoted(draft.name)}", "version = 1", f"description = {quoted(draft.description)}"]
    for section, types in (("node_types", draft.node_types), ("relationship_types", draft.relationship_types)):
        lines += [f"{section} = [", *(f"    {quoted(kind)}," for kind in types), "]"]
    for section, columns in (("nodes", draft.base.nodes), ("relationships", draft.base.relationships)):
        for column in columns:
            lines += ["", f"[[{section}]]", *_column(column)]
    lines += ["", "[example]", f"text = {_block(draft.example_text)}", f"answer = {_block(draft.example_answer)}"]
    return "\n".join(lines) + "\n"


def answer_of(schema: Schema, nodes: Sequence[NodeRow], relationships: Sequence[RelationshipRow]) -> str:
    """Return accepted rows as the two-section CSV of `schema`, with ids n1, n2, ... and r1, r2, ..."""
    ids = {node.node_id: f"n{number}" for number, node in enumerate(nodes, 1)}
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(schema.node_header)
    for node in nodes:
        special = {ColumnKind.ID: ids[node.node_id], ColumnKind.TYPE: node.type, ColumnKind.NAME: node.name}
        writer.writerow([_field(column, special, node) for column in schema.nodes])
    file.write("\n")
    writer.writerow(schema.relationship_header)
    for number, row in enumerate(relationships, 1):
        special = {
            ColumnKind.ID: f"r{number}",
            ColumnKind.SOURCE: ids[row.source_id],
            ColumnKind.TYPE: row.type,
            ColumnKind.TARGET: ids[row.target_id],
        }
        writer.writerow([_field(column, special, row) for column in schema.relationships])
    return file.getvalue()


def _field(column: SchemaColumn, special: dict[ColumnKind, str], row: NodeRow | RelationshipRow) -> str:
    if column.kind is ColumnKind.EVIDENCE:
        return row.evidence or ""
    return special[column.kind] if column.kind in special else str(row.properties.get(column.name, ""))


def _column(column: SchemaColumn) -> list[str]:
    lines = [f"name = {quoted(column.name)}", f"kind = {quoted(column.kind)}"]
    if column.fold is not None:
        lines.append(f"fold = {quoted(column.fold)}")
    if column.identity:
        lines.append("identity = true")
    for name, value in (("minimum", column.minimum), ("maximum", column.maximum)):
        if value is not None:
            lines.append(f"{name} = {value}")
    return [*lines, f"note = {quoted(column.note)}"]


def quoted(text: str) -> str:
    """Return a text as a TOML string."""
    return '"' + _UNWRITABLE.sub(lambda match: _escape(match[0]), text) + '"'


def _block(text: str) -> str:
    """Return a text of several lines; what a TOML file cannot hold as it is, is escaped."""
    return '"""\n' + _UNWRITABLE_IN_BLOCK.sub(lambda match: _escape(match[0]), text.strip("\n")) + '"""'


def _escape(char: str) -> str:
    if "\ud800" <= char <= "\udfff":
        return "\\uFFFD"  # a lone surrogate is no character
    return _ESCAPED.get(char) or f"\\u{ord(char):04X}"


def comment(text: str) -> str:
    """Return a text as a comment of one line can hold it."""
    return "".join(char if char.isprintable() else " " for char in text)
