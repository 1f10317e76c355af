"""The second phase of writing: every marked key is folded again from all its evidence.

Marks are labels (`Unsettled`), so a run that was killed leaves marks, never wrong values: settling goes on where it
stopped. A key without evidence is deleted. Facts that resolution touches are folded like any other, but share the
relationship that people browse with those of their kind between the same entities: it is folded from all of them.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from pkgutil import resolve_name
from typing import Any

from kg_neo4j.errors import SchemaConflict
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row, Transaction, absent_if_empty
from kg_neo4j.graph.fold import (
    BY_HAND,
    QUOTE,
    STATED,
    EvidenceRow,
    Folded,
    corrected,
    fold_drawn,
    fold_entity,
    fold_fact,
    labels,
    names_of,
)
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query, check_type
from kg_neo4j.graph.resolution import showing
from kg_neo4j.graph.resolution.decisions import CORRECTIONS, ON_NAMES, Components
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import PropertyValue

PAGE = 2_000  # keys a transaction
APPLY = "kg_neo4j.rooms.corrections.applying:apply"
_ENTITY_VALUES = ("name", "type", "types", "aliases", "evidence_count", BY_HAND)


@dataclass(slots=True)
class _Outcome:
    """What settling a page of keys asks for."""

    names: Sequence[str]  # of the values that are stored
    changed: list[dict[str, Any]] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # without evidence

    def add(self, row: Row, folded: Folded | None) -> dict[str, Any] | None:
        """Compare a row with its folded values, None where there is no evidence; return what has to be written."""
        if folded is None:
            self.lost.append(row["id"])
            return None
        values = _changed(self.names, folded, row["stored"])
        if values is None:
            self.unchanged.append(row["id"])
            return None
        self.changed.append({"id": row["id"], "values": values})
        return self.changed[-1]

    def write(self, transaction: Transaction, settle: Query, delete: Query, kind: str) -> int:
        """Write it, for keys of `kind` ("entities" or "facts"), and return how many changed or were deleted."""
        if self.changed:
            transaction.run(settle, rows=self.changed)
        if self.lost:
            transaction.run(delete, ids=self.lost)
        if self.unchanged:
            transaction.run(queries.get("write/clear_marks"), **{"entities": [], "facts": [], kind: self.unchanged})
        return len(self.changed) + len(self.lost)


def settle(
    database: Database,
    graph: str,
    schema: Schema,
    lease: Lease,
    progress: Progress = SILENT,
    notes: list[str] | None = None,
) -> int:
    """Fold all marked keys of `graph` and return how many changed or were deleted. Nothing marked: 0.

    Decisions that a killed run stored are shown first; of corrections that lost their sentence a line is added to
    `notes`. Facts go before entities, so that a relationship is gone before an entity that loses its last evidence.
    """
    marked_keys = [queries.get(name) for name in ("write/unsettled_facts", "write/unsettled_entities")]
    progress.start("settle")
    changes = 0
    marked, stored = database.read_transaction(
        lambda transaction: (
            [transaction.run(query, graph=graph, limit=1) for query in marked_keys],
            showing.all_decisions(transaction, graph),
        )
    )
    of_names, corrections = (
        [each for each in stored if each.decision.kind in kinds] for kinds in (ON_NAMES, CORRECTIONS)
    )
    shaping = stored if corrections else of_names  # decisions on types shape what a person states, too
    if any(marked) or any(each.pending for each in shaping):  # after most loads neither is
        found = showing.finish(database, graph, schema, lease, of_names)
        given = {}
        if corrections:
            given = resolve_name(APPLY)(database, schema, lease, found, stored, [] if notes is None else notes)
        facts = partial(_settle_facts, graph=graph, schema=schema, lease=lease, found=found)
        entities = partial(_settle_entities, schema=schema, lease=lease, given=given)
        for query, work in zip(marked_keys, (facts, entities), strict=True):
            while ids := [row["id"] for row in database.read(query, graph=graph, limit=PAGE)]:
                changes += sum(database.write_parts(ids, work))
                progress.advance("settle", len(ids))
    progress.finish("settle")
    return changes


def _settle_entities(
    transaction: Transaction,
    ids: Sequence[str],
    schema: Schema,
    lease: Lease,
    given: Mapping[str, Mapping[str, PropertyValue]],  # by id: values that a person gave
) -> int:
    lease.prove(transaction)
    columns = schema.node_properties
    outcome = _Outcome([*_ENTITY_VALUES, *names_of(columns)])
    column_names = [column.name for column in columns] + [QUOTE] * schema.quotes
    asked = {"ids": ids, "stored": outcome.names, "columns": column_names}
    for row in transaction.run(queries.get("write/entity_evidence"), **asked):
        evidence = [
            EvidenceRow((document, index, number), name, node_type, dict(zip(column_names, values, strict=True)))
            for document, index, number, name, node_type, *values in row["evidence"]
        ]
        folded = corrected(fold_entity(evidence, columns), given.get(row["id"], {})) if evidence else None
        changed = outcome.add(row, folded)
        if folded is not None and changed is not None:
            types = [_checked(each) for each in labels(folded)]
            former = {row["stored"][outcome.names.index("type")], *(row["stored"][outcome.names.index("types")] or ())}
            changed["labels"] = types
            changed["old_labels"] = sorted(former - {None, *types})  # labels of others stay
    settle, delete = queries.get("write/settle_entities"), queries.get("write/delete_entities")
    return outcome.write(transaction, settle, delete, "entities")


def _settle_facts(
    transaction: Transaction, ids: Sequence[str], *, graph: str, schema: Schema, lease: Lease, found: Components
) -> int:
    lease.prove(transaction)
    names = _fact_values(schema)
    asked = {"ids": ids, "stored": [*names, "relationship_id"], "columns": _evidence_values(schema)}
    rows = transaction.run(queries.get("write/fact_evidence"), **asked)
    changes = 0
    if shared := [row for row in rows if row["relationship"]]:  # drawn first, while all their facts are there
        changes += _draw(transaction, graph, sorted({row["relationship"] for row in shared}), schema)
        settle, delete = queries.get("write/settle_resolved_facts"), queries.get("write/delete_resolved_facts")
        changes += _fold_facts(shared, schema, found).write(transaction, settle, delete, "facts")
    settle, delete = queries.get("write/settle_facts"), queries.get("write/delete_facts")
    plain = sorted((row for row in rows if not row["relationship"]), key=itemgetter("type"))
    for fact_type, alike in itertools.groupby(plain, itemgetter("type")):
        _checked(fact_type)
        outcome = _fold_facts(alike, schema, found)
        changes += outcome.write(transaction, settle.for_type(fact_type), delete.for_type(fact_type), "facts")
    return changes


def _fold_facts(rows: Iterable[Row], schema: Schema, found: Components) -> _Outcome:
    """Fold facts from their own evidence. One that no decision touches any more loses its `relationship_id`."""
    columns = _evidence_values(schema)
    outcome = _Outcome([*_fact_values(schema), "relationship_id"])
    for row in rows:
        evidence = [
            EvidenceRow((document, index, number), "", row["type"], dict(zip(columns, values, strict=True)))
            for document, index, number, *values in row["evidence"]
        ]
        folded = fold_fact(evidence, schema.relationship_properties) if evidence else None
        if folded is not None and (row["source"] in found.roots or row["target"] in found.roots):
            folded = {**folded, "relationship_id": row["relationship"]}
        outcome.add(row, folded)
    return outcome


def _draw(transaction: Transaction, graph: str, ids: Sequence[str], schema: Schema) -> int:
    """Bring relationships that several facts may share up to date, and return how many changed."""
    names, columns = ["fact_id", *_fact_values(schema)], _evidence_values(schema)
    asked = {"graph": graph, "ids": ids, "stored": names, "columns": columns}
    by_type: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for group in transaction.run(queries.get("write/relationship_groups"), **asked):
        loop = group["source"] == group["target"]  # where resolution made one of both ends, nothing is drawn
        found = [
            (fact, EvidenceRow((document, index, number), "", group["type"], dict(zip(columns, values, strict=True))))
            for fact, document, index, number, *values in group["evidence"]
            if not loop or fact in group["loops"]
        ]
        folded = fold_drawn(found, schema.relationship_properties)
        stored = group["drawn"][0] if len(group["drawn"]) == 1 else None
        values = None if folded is None else _changed(names, folded, stored)
        if values is not None or (folded is None and group["drawn"]):
            ends = {name: group[name] for name in ("source", "target", "facts")}
            by_type[group["type"]].append({**ends, "values": [] if values is None else [values]})
    for fact_type, rows in sorted(by_type.items()):
        transaction.run(queries.get("write/draw_relationships").for_type(_checked(fact_type)), rows=rows)
    return sum(len(rows) for rows in by_type.values())


def _checked(stored_type: str) -> str:
    """Return a type that the graph holds; SchemaConflict for one that we never write."""
    try:
        return check_type(stored_type)
    except ValueError as error:
        hint = "it was changed by hand: delete that node, then run `kg rebuild`"
        raise SchemaConflict(f"the graph holds what is {error}", hint=hint) from error


def _fact_values(schema: Schema) -> list[str]:
    return ["evidence_count", *names_of(schema.relationship_properties), STATED, BY_HAND]


def _evidence_values(schema: Schema) -> list[str]:
    return [*(column.name for column in schema.relationship_properties), STATED, BY_HAND, *[QUOTE] * schema.quotes]


def _changed(names: Sequence[str], folded: Folded, stored: Sequence[Any] | None) -> dict[str, Any] | None:
    """Return a value for every name, where one is stored otherwise: null removes what no evidence supports any more."""
    values = {name: absent_if_empty(folded.get(name)) for name in names}
    return None if stored is not None and list(values.values()) == list(map(absent_if_empty, stored)) else values
