"""The second phase of writing: every marked key is folded again from all its evidence.

Marks are labels (`Unsettled`), so a run that was killed leaves marks, never wrong values: settling goes on where it
stopped. A key without evidence is deleted. Facts that resolution touches are folded like any other, but share the
relationship that people browse with those of their kind between the same entities: it is folded from all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from kg_neo4j.errors import SchemaConflict
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row, Transaction, absent_if_empty
from kg_neo4j.graph.fold import STATED, EvidenceRow, Folded, fold_drawn, fold_entity, fold_fact
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query, check_type
from kg_neo4j.graph.resolution import showing
from kg_neo4j.graph.resolution.decisions import Components
from kg_neo4j.graph.resolution.showing import StoredDecision
from kg_neo4j.progress import SILENT, Progress

PAGE = 2_000  # keys a transaction
_MARKED_FACTS, _MARKED_ENTITIES = "write/unsettled_facts", "write/unsettled_entities"
_ENTITY_VALUES = ("name", "type", "aliases", "evidence_count")
_FACT_VALUES = ("evidence_count",)


@dataclass(slots=True)
class _Outcome:
    """What settling a page of keys asks for."""

    changed: list[dict[str, Any]]
    unchanged: list[str]
    lost: list[str]  # without evidence

    def write(self, transaction: Transaction, settle: Query, delete: Query, kind: str) -> int:
        """Write it, for keys of `kind` ("entities" or "facts"), and return how many changed or were deleted."""
        if self.changed:
            transaction.run(settle, rows=self.changed)
        if self.lost:
            transaction.run(delete, ids=self.lost)
        if self.unchanged:
            marked = {"entities": [], "facts": [], kind: self.unchanged}
            transaction.run(queries.get("write/clear_marks"), **marked)
        return len(self.changed) + len(self.lost)


def settle(database: Database, graph: str, schema: Schema, lease: Lease, progress: Progress = SILENT) -> int:
    """Fold all marked keys of `graph` and return how many changed or were deleted. Nothing marked: 0.

    Decisions that a killed run stored are shown first. Facts go before entities, so that a relationship is gone before
    an entity that loses its last evidence.
    """
    progress.start("settle")
    changes = 0
    stored, is_marked = database.read_transaction(partial(_waiting, graph=graph))
    if is_marked or any(each.pending for each in stored):
        found = showing.finish(database, graph, schema, lease, stored)
        for page in _pages(database, _MARKED_FACTS, graph):
            work = partial(_settle_facts, graph=graph, schema=schema, lease=lease, found=found)
            changes += sum(database.write_parts(page, work))
            progress.advance("settle", len(page))
        for page in _pages(database, _MARKED_ENTITIES, graph):
            changes += sum(database.write_parts(page, partial(_settle_entities, schema=schema, lease=lease)))
            progress.advance("settle", len(page))
    progress.finish("settle")
    return changes


def _waiting(transaction: Transaction, graph: str) -> tuple[Sequence[StoredDecision], bool]:
    """Return the decisions, and whether any key is marked: after most loads none is."""
    marked = [transaction.run(queries.get(name), graph=graph, limit=1) for name in (_MARKED_FACTS, _MARKED_ENTITIES)]
    return showing.stored_decisions(transaction, graph), any(marked)


def _pages(database: Database, query: str, graph: str) -> Iterator[list[str]]:
    while ids := [row["id"] for row in database.read(queries.get(query), graph=graph, limit=PAGE)]:
        yield ids


def _settle_entities(transaction: Transaction, ids: Sequence[str], schema: Schema, lease: Lease) -> int:
    lease.prove(transaction)
    columns = schema.node_properties
    column_names = [column.name for column in columns]
    names = [*_ENTITY_VALUES, *column_names]
    rows = transaction.run(queries.get("write/entity_evidence"), ids=ids, stored=names, columns=column_names)
    outcome = _Outcome([], [], [])
    for row in rows:
        evidence = [
            EvidenceRow((document, index, number), name, node_type, _present(column_names, values))
            for document, index, number, name, node_type, *values in row["evidence"]
        ]
        if not evidence:
            outcome.lost.append(row["id"])
            continue
        folded = fold_entity(evidence, columns)
        if _same(names, row["stored"], folded):
            outcome.unchanged.append(row["id"])
            continue
        former = row["stored"][names.index("type")]
        outcome.changed.append(
            {
                "id": row["id"],
                "values": _complete(names, folded),
                "type": _checked(str(folded["type"])),
                "old_labels": [former] if former not in (None, folded["type"]) else [],  # labels of others stay
            }
        )
    settle, delete = queries.get("write/settle_entities"), queries.get("write/delete_entities")
    return outcome.write(transaction, settle, delete, "entities")


def _settle_facts(
    transaction: Transaction, ids: Sequence[str], *, graph: str, schema: Schema, lease: Lease, found: Components
) -> int:
    lease.prove(transaction)
    names = _fact_values(schema)
    rows = transaction.run(
        queries.get("write/fact_evidence"), ids=ids, stored=[*names, "relationship_id"], columns=names[1:]
    )
    shared = [row for row in rows if row["relationship"]]
    changes = _settle_shared(transaction, graph, shared, schema, found) if shared else 0
    by_type: dict[str, list[Row]] = {}
    for row in rows:
        if not row["relationship"]:
            by_type.setdefault(row["type"], []).append(row)
    for fact_type, alike in sorted(by_type.items()):
        _checked(fact_type)
        settle, delete = queries.get("write/settle_facts"), queries.get("write/delete_facts")
        outcome = _fold_facts(alike, schema, found)
        changes += outcome.write(transaction, settle.for_type(fact_type), delete.for_type(fact_type), "facts")
    return changes


def _settle_shared(transaction: Transaction, graph: str, rows: Sequence[Row], schema: Schema, found: Components) -> int:
    """Settle facts that share a relationship: draw it first, as long as all its facts are there to be asked."""
    changes = _draw(transaction, graph, sorted({row["relationship"] for row in rows}), schema)
    settle, delete = queries.get("write/settle_resolved_facts"), queries.get("write/delete_resolved_facts")
    return changes + _fold_facts(rows, schema, found).write(transaction, settle, delete, "facts")


def _fold_facts(rows: Sequence[Row], schema: Schema, found: Components) -> _Outcome:
    """Fold facts from their own evidence. One that no decision touches any more loses its `relationship_id`."""
    names = [*_fact_values(schema), "relationship_id"]
    columns = schema.relationship_properties
    outcome = _Outcome([], [], [])
    for row in rows:
        evidence = [
            EvidenceRow((document, index, number), "", row["type"], _present(names[1:-1], values))
            for document, index, number, *values in row["evidence"]
        ]
        if not evidence:
            outcome.lost.append(row["id"])
            continue
        touched = row["source"] in found.roots or row["target"] in found.roots
        folded = dict(fold_fact(evidence, columns))
        if touched:
            folded["relationship_id"] = row["relationship"]
        if _same(names, row["stored"], folded):
            outcome.unchanged.append(row["id"])
        else:
            outcome.changed.append({"id": row["id"], "values": _complete(names, folded)})
    return outcome


def _draw(transaction: Transaction, graph: str, ids: Sequence[str], schema: Schema) -> int:
    """Bring relationships that several facts may share up to date, and return how many changed."""
    columns = schema.relationship_properties
    names = ["fact_id", *_fact_values(schema)]
    groups = transaction.run(
        queries.get("write/relationship_groups"), graph=graph, ids=ids, stored=names, columns=names[2:]
    )
    by_type: dict[str, list[dict[str, Any]]] = {}
    for group in groups:
        loop = group["source"] == group["target"]  # where resolution made one of both ends, nothing is drawn
        found = [
            (fact, EvidenceRow((document, index, number), "", group["type"], _present(names[2:], values)))
            for fact, document, index, number, *values in group["evidence"]
            if not loop or fact in group["loops"]
        ]
        folded = fold_drawn(found, columns)
        values = [] if folded is None else [_complete(names, folded)]
        if len(group["drawn"]) != len(values) or (folded and not _same(names, group["drawn"][0], folded)):
            ends = {name: group[name] for name in ("source", "target", "facts")}
            by_type.setdefault(group["type"], []).append({**ends, "values": values})
    for fact_type, rows in sorted(by_type.items()):
        _checked(fact_type)
        transaction.run(queries.get("write/draw_relationships").for_type(fact_type), rows=rows)
    return sum(len(rows) for rows in by_type.values())


def _checked(stored_type: str) -> str:
    """Return a type that the graph holds; SchemaConflict for one that we never write."""
    try:
        return check_type(stored_type)
    except ValueError as error:
        raise SchemaConflict(
            f"the graph holds what is {error}", hint="it was changed by hand: delete that node, then run `kg rebuild`"
        ) from error


def _fact_values(schema: Schema) -> list[str]:
    return [*_FACT_VALUES, *(column.name for column in schema.relationship_properties), STATED]


def _present(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}


def _same(names: Sequence[str], stored: Sequence[Any], folded: Folded) -> bool:
    wanted = (absent_if_empty(folded.get(name)) for name in names)
    return all(one == absent_if_empty(value) for one, value in zip(wanted, stored, strict=True))


def _complete(names: Sequence[str], folded: Folded) -> Mapping[str, Any]:
    """Return a value for every name: null removes a property that no evidence supports any more."""
    return {name: absent_if_empty(folded.get(name)) for name in names}
