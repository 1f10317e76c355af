"""The section of claims: its columns, the columns of relationships that hold them, and the way from one to the other.

After the covariates of GraphRAG (Edge et al. 2024, https://arxiv.org/abs/2404.16130). A claim is evidence of a fact
between two nodes, of the type that the claim has. It is never drawn: `stated` is False, whatever its status, so that
communities and answers do not change with it. Its evidence has a `status`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kg_neo4j.errors import UsageError
from kg_neo4j.extract.rows import RawRow, RowKind
from kg_neo4j.extract.schema import ColumnKind, FoldRule, Schema, SchemaColumn
from kg_neo4j.extract.values import ValueRefused
from kg_neo4j.records import RejectionReason

COLUMNS = {
    "subject_id": ColumnKind.SOURCE,
    "object_id": ColumnKind.TARGET,
    "claim_type": ColumnKind.TYPE,
    "status": ColumnKind.TEXT,
    "start_date": ColumnKind.DATE,
    "end_date": ColumnKind.DATE,
    "description": ColumnKind.TEXT,
    "sentences": ColumnKind.EVIDENCE,
}
STATUSES = ("TRUE", "FALSE", "SUSPECTED")
"""The text establishes the claim, refutes it, or leaves it open."""
_STORED = (
    SchemaColumn("status", ColumnKind.TEXT, "of a claim: TRUE, FALSE or SUSPECTED", FoldRule.MODE),
    SchemaColumn("start_date", ColumnKind.DATE, "when it began", FoldRule.MODE),
    SchemaColumn("end_date", ColumnKind.DATE, "when it ended", FoldRule.MODE),
    SchemaColumn("description", ColumnKind.TEXT, "what is claimed", FoldRule.JOIN),
)


def stored(columns: Sequence[SchemaColumn], form: str, evidence: str) -> tuple[SchemaColumn, ...]:
    """Return the columns that relationships with `columns` lack to hold claims.

    Raises UsageError where they have another status, or where rows do not name numbers of sentences in sections.
    """
    if (form, evidence) != ("sections", "sentences"):
        raise UsageError("claims need a schema in sections, with evidence = 'sentences'", hint="--schema lean+claims")
    known = {each.name: each for each in columns}
    if replace(known.get("status", _STORED[0]), note=_STORED[0].note) != _STORED[0]:
        raise UsageError("relationships have a column status, and claims one of their own", hint="rename the column")
    return tuple(each for each in _STORED if each.name not in known)


def relationship(row: RawRow, schema: Schema) -> RawRow:
    """Return a row of claims as one of relationships. Raises ValueRefused for a status that is none."""
    said = dict(zip(COLUMNS, row.fields, strict=True))
    said["status"] = said["status"].strip().strip("'\"*`.").upper()
    if said["status"] not in STATUSES:
        detail = f"status: {said['status'][:40]!r} is not {', '.join(STATUSES)}"
        raise ValueRefused(RejectionReason.BAD_VALUE, detail)
    said |= {"node_id_1": said["subject_id"], "node_id_2": said["object_id"], "relationship_type": said["claim_type"]}
    fields = tuple(said.get(each.name, "") for each in schema.relationship_columns)
    return replace(row, kind=RowKind.RELATIONSHIP, fields=fields, stated=False)
