"""Stored decisions, and making the graph show them: mentions move, facts are placed, relationships are drawn again.

A decision is stored with a mark (`Unsettled`) before anything moves. Showing it can be repeated: a run that was killed
in between leaves marks, and the next load or `kg resolve` ends what it began. Nothing of a mention but the entity that
it hangs on ever changes, so revoking a decision gives the former graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Any

from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Row, Transaction, absent_if_empty
from kg_neo4j.graph.identity import entity_num, fact_id
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.resolution.bearers import grouped
from kg_neo4j.graph.resolution.decisions import ON_NAMES, Components, Decision, DecisionKind, Union, components

PAGE = 500  # mention keys a transaction, more where one component is larger
_READ = [each.name for each in fields(Decision) if each.name not in ("graph", "kind")]  # as write/decisions has them


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A decision as the graph has it."""

    decision: Decision
    left: str  # name and type, as they were when it was made
    right: str
    pending: bool  # stored or revoked, but the graph does not show it yet
    derived: bool = False  # by settling, from the evidence: computed again when that changes


def stored_decisions(reader: Reader, graph: str) -> tuple[StoredDecision, ...]:
    """Return all decisions of a graph on names, revoked ones too, by run and id."""
    return tuple(each for each in all_decisions(reader, graph) if each.decision.kind in ON_NAMES)


def all_decisions(reader: Reader, graph: str) -> tuple[StoredDecision, ...]:
    """Return all decisions of a graph, on names, types, facts and nodes, revoked ones too, by run and id."""
    return tuple(
        StoredDecision(
            Decision(graph=graph, kind=DecisionKind(row["kind"]), **{name: row[name] for name in _READ}),
            left=row["left_name"],
            right=row["right_name"],
            pending=row["pending"],
            derived=row["derived"],
        )
        for row in reader.read(queries.get("write/decisions"), graph=graph)
    )


def store(lease: Lease, decisions: Sequence[StoredDecision]) -> None:
    """Store decisions as they are given, marked as pending. `finish` shows them."""
    lease.write_parts(queries.get("write/store_decisions"), "rows", [stored_values(each) for each in decisions])


def finish(
    database: Database, graph: str, schema: Schema, lease: Lease, stored: Sequence[StoredDecision] | None = None
) -> Components:
    """Make the graph show every decision that is stored, and return the components; settle afterwards.

    Where nothing is pending, nothing is written. `stored` are the decisions, where the caller has just read them.
    """
    stored = stored_decisions(database, graph) if stored is None else stored
    wanted = components(each.decision for each in stored)
    pending = [each for each in stored if each.pending]
    if not pending:
        return wanted
    # what the graph shows, or showed when the pending ones came: those revoked since, too
    shown = (replace(each.decision, revoked=False) for each in stored if each.pending == each.decision.revoked)
    before = components(shown)
    step = _Step(graph, lease, before, wanted, [column.name for column in schema.relationships if column.identity])
    for document, key in sorted({*before.namesakes, *wanted.namesakes}):
        former, now = (found.namesakes.get((document, key), key) for found in (before, wanted))
        if former != now:
            database.write_transaction(partial(step.rename, document=document, old_key=former, new_key=now))
    for together in _pages(before, wanted):
        database.write_parts(together, step.show)
    lease.write_parts(queries.get("write/clear_decisions"), "ids", [each.decision.id for each in pending], graph=graph)
    return wanted


def place(found: Components, ends: tuple[str, str, str], identity: Iterable[str]) -> tuple[str | None, str | None, str]:
    """Return between which entities a fact stands, and the id of the relationship that it is drawn as.

    `ends` are source key, type and target key, `identity` as for `fact_id`. An entity that its key names is None;
    several facts may be drawn as one relationship.
    """
    source_key, fact_type, target_key = ends
    source, target = found.entity(source_key), found.entity(target_key)
    drawn = fact_id(source, fact_type, target, identity)
    return None if source == source_key else source, None if target == target_key else target, drawn


def stored_values(stored: StoredDecision) -> dict[str, Any]:
    """Return the properties of a decision."""
    values = asdict(stored.decision) | {"kind": str(stored.decision.kind), "resolve_run": stored.decision.run}
    values |= {"left_name": stored.left, "right_name": stored.right, "derived": stored.derived or None}
    return {name: absent_if_empty(value) for name, value in values.items() if name != "run"}


@dataclass(frozen=True, slots=True)
class _Step:
    """From the components that the graph shows to those that are wanted, one transaction after the other."""

    graph: str
    lease: Lease
    before: Components
    wanted: Components
    identity: list[str]  # the schema's identity columns

    def rename(self, transaction: Transaction, *, document: str, old_key: str, new_key: str) -> None:
        """Give what one document says of a name to the bearer that it means."""
        self.lease.prove(transaction)
        old, new = self.before.entity(old_key), self.before.entity(new_key)
        asked = {"graph": self.graph, "id": old, "key": old_key, "document": document, "identity": self.identity}
        rows = []
        for fact in transaction.run(queries.get("write/facts_of_namesake"), **asked):
            source, target = (new_key if fact[end] == old_key else fact[end] for end in ("source_key", "target_key"))
            identity = _identity(fact)
            placed = place(self.before, (source, fact["type"], target), identity)
            row = {"old": fact["id"], "new": fact_id(source, fact["type"], target, identity), "type": fact["type"]}
            row |= {"source_key": source, "target_key": target}
            rows.append(row | dict(zip(("source_id", "target_id", "relationship_id"), placed, strict=True)))
        transaction.run(queries.get("write/move_statements"), graph=self.graph, document=document, rows=rows)
        moved = {"old": old, "new": new, "num": entity_num(new), "old_key": old_key, "new_key": new_key}
        transaction.run(queries.get("write/move_namesake"), graph=self.graph, document=document, **moved)

    def show(self, transaction: Transaction, together: Sequence[Sequence[str]]) -> None:
        """Move the mentions of keys, and place the facts whose ends have one; those of a component are together."""
        before, wanted = self.before, self.wanted
        keys = [key for some in together for key in some]
        self.lease.prove(transaction)
        touched = sorted({found.entity(key) for key in keys for found in (before, wanted)})
        transaction.run(queries.get("write/undraw_relationships"), graph=self.graph, ids=touched)
        moves = [
            {"key": key, "old": before.entity(key), "new": wanted.entity(key), "num": entity_num(wanted.entity(key))}
            for key in keys
            if before.entity(key) != wanted.entity(key)
        ]
        if moves:
            transaction.run(queries.get("write/move_mentions"), graph=self.graph, rows=moves)
        entities = sorted({wanted.entity(key) for key in keys})
        asked = {"graph": self.graph, "ids": entities, "keys": list(keys), "identity": self.identity}
        rows = [
            [fact["id"], *place(wanted, (fact["source_key"], fact["type"], fact["target_key"]), _identity(fact))]
            for fact in transaction.run(queries.get("write/facts_of_keys"), **asked)
        ]
        transaction.run(queries.get("write/place_facts"), rows=rows)


def _identity(fact: Row) -> list[str]:
    return ["" if value is None else str(value) for value in fact["identity"]]


def _pages(before: Components, wanted: Components) -> Iterator[list[list[str]]]:
    """Yield the keys whose component changes, in lists of those that were or will be together."""
    changed = [
        key for key in sorted({*before.roots, *wanted.roots}) if before.members_of(key) != wanted.members_of(key)
    ]
    together = Union()
    for key in changed:
        together.join(key, before.entity(key))
        together.join(key, wanted.entity(key))
    page: list[list[str]] = []
    for _, keys in sorted(grouped(changed, together.find).items()):
        page.append(keys)
        if sum(map(len, page)) >= PAGE:
            yield page
            page = []
    if page:
        yield page
