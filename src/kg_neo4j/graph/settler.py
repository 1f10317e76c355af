"""The second phase of writing: every marked key is folded again from all its evidence.

Marks are labels (`Unsettled`), so a run that was killed leaves marks, never wrong values: settling goes on where it
stopped. A key without evidence is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from kg_neo4j.extract.schema import Schema, SchemaColumn
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.graph.fold import EvidenceRow, Folded, fold_entity, fold_fact
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import check_type
from kg_neo4j.progress import SILENT, Progress

PAGE = 2_000  # keys a transaction
_ENTITY_VALUES = ("name", "type", "aliases", "evidence_count")
_FACT_VALUES = ("evidence_count",)


@dataclass(slots=True)
class _Outcome:
    """What settling a page of keys asks for."""

    changed: list[dict[str, Any]]
    unchanged: list[str]
    lost: list[str]  # without evidence


def settle(database: Database, graph: str, schema: Schema, lease: Lease, progress: Progress = SILENT) -> int:
    """Fold all marked keys of `graph` and return how many changed or were deleted. Nothing marked: 0.

    Facts go first, so that a relationship is gone before an entity that loses its last evidence.
    """
    progress.start("settle")
    changes = 0
    for page in _pages(database, "write/unsettled_facts", graph):
        changes += database.write_transaction(partial(_settle_facts, ids=page, schema=schema, lease=lease))
        progress.advance("settle", len(page))
    for page in _pages(database, "write/unsettled_entities", graph):
        changes += database.write_transaction(partial(_settle_entities, ids=page, schema=schema, lease=lease))
        progress.advance("settle", len(page))
    progress.finish("settle")
    return changes


def _pages(database: Database, query: str, graph: str) -> Iterator[list[str]]:
    while ids := [row["id"] for row in database.read(queries.get(query), graph=graph, limit=PAGE)]:
        yield ids


def _settle_entities(transaction: Transaction, ids: Sequence[str], schema: Schema, lease: Lease) -> int:
    lease.prove(transaction)
    columns = schema.node_properties
    names = [*_ENTITY_VALUES, *(column.name for column in columns)]
    rows = transaction.run(
        queries.get("write/entity_evidence"), ids=ids, stored=names, columns=[column.name for column in columns]
    )
    outcome = _Outcome([], [], [])
    for row in rows:
        evidence = [
            EvidenceRow((document, index, number), name, node_type, _present(columns, values))
            for document, index, number, name, node_type, *values in row["evidence"]
        ]
        if not evidence:
            outcome.lost.append(row["id"])
            continue
        folded = fold_entity(evidence, columns)
        if _same(names, row["stored"], folded):
            outcome.unchanged.append(row["id"])
            continue
        old = sorted(set(row["labels"]) - {"Entity", "Unsettled", folded["type"]})
        outcome.changed.append(
            {
                "id": row["id"],
                "values": _complete(names, folded),
                "type": check_type(str(folded["type"])),
                "old_labels": old,
            }
        )
    if outcome.changed:
        transaction.run(queries.get("write/settle_entities"), rows=outcome.changed)
    if outcome.lost:
        transaction.run(queries.get("write/delete_entities"), ids=outcome.lost)
    if outcome.unchanged:
        transaction.run(queries.get("write/clear_marks"), entities=outcome.unchanged, facts=[])
    return len(outcome.changed) + len(outcome.lost)


def _settle_facts(transaction: Transaction, ids: Sequence[str], schema: Schema, lease: Lease) -> int:
    lease.prove(transaction)
    columns = schema.relationship_properties
    names = [*_FACT_VALUES, *(column.name for column in columns)]
    rows = transaction.run(
        queries.get("write/fact_evidence"), ids=ids, stored=names, columns=[column.name for column in columns]
    )
    by_type: dict[str, _Outcome] = {}
    for row in rows:
        outcome = by_type.setdefault(row["type"], _Outcome([], [], []))
        evidence = [
            EvidenceRow((document, index, number), "", row["type"], _present(columns, values))
            for document, index, number, *values in row["evidence"]
        ]
        if not evidence:
            outcome.lost.append(row["id"])
            continue
        folded = fold_fact(evidence, columns)
        if _same(names, row["stored"], folded):
            outcome.unchanged.append(row["id"])
        else:
            outcome.changed.append({"id": row["id"], "values": _complete(names, folded)})
    for fact_type, outcome in sorted(by_type.items()):
        if outcome.changed:
            transaction.run(queries.get("write/settle_facts").for_type(fact_type), rows=outcome.changed)
        if outcome.lost:
            transaction.run(queries.get("write/delete_facts").for_type(fact_type), ids=outcome.lost)
        if outcome.unchanged:
            transaction.run(queries.get("write/clear_marks"), entities=[], facts=outcome.unchanged)
    return sum(len(outcome.changed) + len(outcome.lost) for outcome in by_type.values())


def _present(columns: Sequence[SchemaColumn], values: Sequence[Any]) -> dict[str, Any]:
    pairs = zip(columns, values, strict=True)
    return {column.name: value for column, value in pairs if value is not None}


def _same(names: Sequence[str], stored: Sequence[Any], folded: Folded) -> bool:
    return all(folded.get(name) == value for name, value in zip(names, stored, strict=True))


def _complete(names: Sequence[str], folded: Folded) -> Mapping[str, Any]:
    """Return a value for every name: null removes a property that no evidence supports any more."""
    return {name: folded.get(name) for name in names}
