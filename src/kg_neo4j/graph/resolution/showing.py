"""Stored decisions, and making the graph show them: mentions move, facts are placed, relationships are drawn again.

A decision is stored with a mark (`Unsettled`) before anything moves. Showing it can be repeated: a run that was killed
in between leaves marks, and the next load or `kg resolve` ends what it began. Nothing of a mention but the entity that
it hangs on ever changes, so revoking a decision gives the former graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Transaction
from kg_neo4j.graph.identity import entity_num, fact_id
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.resolution.decisions import Components, Decision, DecisionKind, Union, components

PAGE = 500  # mention keys a transaction, more where one component is larger


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A decision as the graph has it."""

    decision: Decision
    left: str  # name and type, as they were when it was made
    right: str
    pending: bool  # stored or revoked, but the graph does not show it yet
    derived: bool = False  # by settling, from the evidence: computed again when that changes


def stored_decisions(reader: Reader, graph: str) -> tuple[StoredDecision, ...]:
    """Return all decisions of a graph, revoked ones too, by run and id."""
    return tuple(
        StoredDecision(
            decision=Decision(
                id=row["id"],
                graph=graph,
                kind=DecisionKind(row["kind"]),
                left_key=row["left_key"],
                right_key=row["right_key"],
                rule=row["rule"],
                score=row["score"],
                reason=row["reason"],
                revoked=row["revoked"],
                run=row["run"],
                document=row["document"],
            ),
            left=row["left_name"],
            right=row["right_name"],
            pending=row["pending"],
            derived=row["derived"],
        )
        for row in reader.read(queries.get("write/decisions"), graph=graph)
    )


def store(lease: Lease, decisions: Sequence[StoredDecision]) -> None:
    """Store decisions as they are given, in one transaction, marked as pending. `finish` shows them."""
    if decisions:
        lease.write(queries.get("write/store_decisions"), rows=[stored_values(each) for each in decisions])


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
    before = components(_before(stored))
    identity = [column.name for column in schema.relationships if column.identity]
    step = _Step(graph, lease, before, wanted, identity)
    for renamed in _renamed(before, wanted):
        database.write_transaction(partial(step.rename, renamed=renamed))
    for keys in _pages(before, wanted):
        database.write_transaction(partial(step.show, keys=keys))
    lease.write(queries.get("write/clear_decisions"), graph=graph, ids=[each.decision.id for each in pending])
    return wanted


@dataclass(frozen=True, slots=True)
class FactPlace:
    """Between which entities a fact stands, and the relationship that it is drawn as, maybe with others."""

    source_id: str | None  # None: the entity that the key names
    target_id: str | None
    relationship_id: str


def place(found: Components, ends: tuple[str, str, str], identity: Iterable[str]) -> FactPlace:
    """Return where a fact stands; `ends` are source key, type and target key, `identity` as for `fact_id`."""
    source_key, fact_type, target_key = ends
    source, target = found.entity(source_key), found.entity(target_key)
    return FactPlace(
        source_id=None if source == source_key else source,
        target_id=None if target == target_key else target,
        relationship_id=fact_id(source, fact_type, target, identity),
    )


def stored_values(stored: StoredDecision) -> dict[str, Any]:
    """Return the properties of a decision."""
    decision = stored.decision
    return {
        "id": decision.id,
        "graph": decision.graph,
        "kind": str(decision.kind),
        "left_key": decision.left_key,
        "right_key": decision.right_key,
        "left_name": stored.left or None,
        "right_name": stored.right or None,
        "rule": decision.rule,
        "score": decision.score,
        "reason": decision.reason or None,
        "revoked": decision.revoked,
        "resolve_run": decision.run,
        "document": decision.document or None,
        "derived": stored.derived or None,
    }


def _before(stored: Iterable[StoredDecision]) -> Iterator[Decision]:
    """Yield the decisions that the graph shows, or showed when the pending ones came: those revoked since, too."""
    for each in stored:
        if each.pending == each.decision.revoked:
            yield replace(each.decision, revoked=False)


def _renamed(before: Components, wanted: Components) -> list[tuple[str, str, str]]:
    """Return the documents that mean another bearer now: document, former key, key from now on."""
    return [
        (document, before.namesakes.get((document, key), key), wanted.namesakes.get((document, key), key))
        for document, key in sorted({*before.namesakes, *wanted.namesakes})
        if before.namesakes.get((document, key)) != wanted.namesakes.get((document, key))
    ]


@dataclass(frozen=True, slots=True)
class _Step:
    """From the components that the graph shows to those that are wanted, one transaction after the other."""

    graph: str
    lease: Lease
    before: Components
    wanted: Components
    identity: list[str]  # the schema's identity columns

    def rename(self, transaction: Transaction, renamed: tuple[str, str, str]) -> None:
        """Give what one document says of a name to the bearer that it means."""
        self.lease.prove(transaction)
        document, old_key, new_key = renamed
        old, new = self.before.entity(old_key), self.before.entity(new_key)
        facts = transaction.run(
            queries.get("write/facts_of_namesake"),
            graph=self.graph,
            id=old,
            key=old_key,
            document=document,
            identity=self.identity,
        )
        rows = []
        for fact in facts:
            ends = tuple(new_key if fact[end] == old_key else fact[end] for end in ("source_key", "target_key"))
            values = ["" if value is None else str(value) for value in fact["identity"]]
            placed = place(self.before, (ends[0], fact["type"], ends[1]), values)
            row = {"old": fact["id"], "new": fact_id(ends[0], fact["type"], ends[1], values), "type": fact["type"]}
            rows.append({**row, "source_key": ends[0], "target_key": ends[1], **asdict(placed)})
        transaction.run(queries.get("write/move_statements"), graph=self.graph, document=document, rows=rows)
        transaction.run(
            queries.get("write/move_namesake"),
            graph=self.graph,
            document=document,
            old=old,
            new=new,
            num=entity_num(new),
            old_key=old_key,
            new_key=new_key,
        )

    def show(self, transaction: Transaction, keys: Sequence[str]) -> None:
        """Move the mentions of `keys`, and place the facts whose ends have one of them."""
        before, wanted = self.before, self.wanted
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
        facts = transaction.run(
            queries.get("write/facts_of_keys"), graph=self.graph, ids=entities, keys=list(keys), identity=self.identity
        )
        rows = [_place_row(wanted, fact) for fact in facts]
        transaction.run(queries.get("write/place_facts"), rows=rows)


def _pages(before: Components, wanted: Components) -> Iterator[list[str]]:
    """Yield the keys whose component changes, those that were or will be together in one page."""
    changed = [
        key for key in sorted({*before.roots, *wanted.roots}) if before.members_of(key) != wanted.members_of(key)
    ]
    together = Union()
    for key in changed:
        together.join(key, before.entity(key))
        together.join(key, wanted.entity(key))
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key in changed:
        groups[together.find(key)].append(key)
    page: list[str] = []
    for _, keys in sorted(groups.items()):
        page.extend(keys)
        if len(page) >= PAGE:
            yield page
            page = []
    if page:
        yield page


def _place_row(wanted: Components, fact: Mapping[str, Any]) -> list[str | None]:
    values = ["" if value is None else str(value) for value in fact["identity"]]
    found = place(wanted, (fact["source_key"], fact["type"], fact["target_key"]), values)
    return [fact["id"], found.source_id, found.target_id, found.relationship_id]
