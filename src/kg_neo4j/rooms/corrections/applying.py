"""Corrections are shown in the graph whenever it settles: from all of them and all evidence, each time.

Statements of a person are documents, written before anything else. What states a wrong fact is marked: its evidence
does not count, so that the fact is not drawn, and no query that asks for what is stated finds it. Marks keep what was
there before, and a correction that is taken back takes them away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader
from kg_neo4j.graph.documents import delete_document, record_documents, withdraw_chunks
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.resolution.decisions import TYPES, Components
from kg_neo4j.graph.resolution.showing import StoredDecision
from kg_neo4j.graph.type_decisions import type_map
from kg_neo4j.records import PropertyValue
from kg_neo4j.rooms.corrections.hand import place_of, written
from kg_neo4j.rooms.corrections.statements import Content, Meant, corrections

NAMED = 5  # corrections that a note names; the others are counted

Corrected = Sequence[tuple[StoredDecision, Content]]


@dataclass(frozen=True, slots=True)
class Ground:
    """Whether what a correction is bound to is still there."""

    sentences: int  # of those that it is bound to: how many documents still have
    statements: int  # rows that state the wrong fact now
    others: int  # of these, in other sentences


def wrong_facts(
    database: Database, graph: str, schema: Schema, found: Components, stored: Sequence[StoredDecision]
) -> frozenset[str]:
    """Return the ids that facts which a person called wrong may have; see `Recorder`."""
    meaning = _meaning(database, graph, schema, found, stored)
    held = [content for each, content in corrections(stored) if not each.decision.revoked]
    return frozenset[str]().union(*map(meaning.facts, held))


def apply(
    database: Database,
    schema: Schema,
    lease: Lease,
    found: Components,
    stored: Sequence[StoredDecision],
    notes: list[str],
) -> Mapping[str, Mapping[str, PropertyValue]]:
    """Show all corrections in the graph, and return the values that a person gave, by entity. Settle afterwards.

    A repeat writes nothing. To `notes` come the corrections that have lost their sentences since the last time.
    """
    given = corrections(stored)
    meaning = _meaning(database, lease.graph, schema, found, stored)
    _write_hand(database, schema, lease, given)
    wanted = {
        each.decision.id: meaning.facts(content)
        for each, content in given
        if content.wrong and not each.decision.revoked
    }
    _mark(database, lease, [each.decision.id for each, _ in given], wanted)
    values = node_values(meaning, given)
    ends = {id for _, content in given if content.node for id in meaning.entities(content.node)}
    rows = [{"id": id, "values": values.get(id, {}), "names": sorted(values.get(id, {}))} for id in sorted(ends)]
    lease.write_parts(queries.get("corrections/mark_nodes"), "rows", rows, graph=lease.graph)
    _note_lost(database, lease, given, notes)
    pending = [each.decision.id for each, _ in given if each.pending]
    lease.write_parts(queries.get("write/clear_decisions"), "ids", pending, graph=lease.graph)
    return values


def node_values(meaning: Meant, given: Corrected) -> dict[str, dict[str, PropertyValue]]:
    """Return the values that a person gave, by entity. Of several for one column that of the smallest id holds."""
    values: defaultdict[str, dict[str, PropertyValue]] = defaultdict(dict)
    for each, content in given:
        if content.node and content.value is not None and not each.decision.revoked:
            for entity in meaning.entities(content.node):
                values[entity].setdefault(content.column, content.value)
    return dict(values)


def _meaning(reader: Reader, graph: str, schema: Schema, found: Components, stored: Iterable[StoredDecision]) -> Meant:
    decisions = [each.decision for each in stored if each.decision.kind in TYPES]
    labels = reader.read(queries.get("corrections/labels"))[0]["labels"]
    types = frozenset((*labels, *(each.left_key for each in decisions)))
    return Meant(graph, types, dict(schema.families), found, type_map(decisions))


def _write_hand(database: Database, schema: Schema, lease: Lease, given: Corrected) -> None:
    """Write what a person states as documents; delete those of what was taken back."""
    graph = lease.graph
    stated = [(each.decision, each.pending, content) for each, content in given if content.right]
    held = [written(graph, each, content, schema) for each, _, content in stated if not each.revoked]
    recorder = Recorder(database, graph, schema, lease)
    for group in record_documents(database, lease, held):
        recorder.record([extraction for each in group for extraction in each.extractions])
    lease.write_parts(queries.get("corrections/mark_hand"), "ids", [each.chunks[0].id for each in held])
    for each, is_pending, _ in stated:
        if each.revoked and is_pending:
            withdraw_chunks(database, lease, graph, place_of(graph, each.id))
            delete_document(lease, graph, place_of(graph, each.id))


def _mark(database: Database, lease: Lease, ids: Sequence[str], wanted: Mapping[str, Iterable[str]]) -> None:
    """Mark what is wrong, and take away the marks of what no correction calls wrong any more."""
    asked = {"ids": list(ids), "facts": sorted({fact for facts in wanted.values() for fact in facts})}
    state = database.read(queries.get("corrections/marks"), graph=lease.graph, **asked)[0]
    there, now = {*state["facts"]}, {(row[0], row[1]) for row in state["marked"]}
    right = {(decision, fact) for decision, facts in wanted.items() for fact in there.intersection(facts)}
    unmarked = {*state["unmarked"]}
    if gone := sorted(now - right):
        freed = sorted({fact for _, fact in gone} - {fact for _, fact in right})
        lease.write(queries.get("corrections/unmark"), rows=[list(each) for each in gone], facts=freed)
    new = sorted(each for each in right if each not in now or each[1] in unmarked)
    lease.write_parts(queries.get("corrections/mark"), "rows", [list(each) for each in new])


# ------------------------------------------------------------------------------------------------- what it rests on


def grounds(reader: Reader, graph: str, given: Corrected) -> dict[str, Ground]:
    """Return for each correction of a fact, by its id, whether its sentences are still there."""
    rows = [
        {
            "id": each.decision.id,
            "sentences": [
                {"document": one.document, "text": one.text} for stated in content.wrong for one in stated.sentences
            ],
        }
        for each, content in given
        if content.wrong
    ]
    found = reader.read(queries.get("corrections/grounds"), graph=graph, rows=rows) if rows else []
    return {row["id"]: Ground(row["there"], row["statements"], row["others"]) for row in found}


def _note_lost(database: Database, lease: Lease, given: Corrected, notes: list[str]) -> None:
    """Store which corrections have lost their sentences, and note those that have since the last time."""
    held = [(each, content) for each, content in given if content.wrong and not each.decision.revoked]
    found = grounds(database, lease.graph, held)
    lost = [each for each, _ in held if not found[each.decision.id].sentences]
    rows = [{"id": each.decision.id, "lost": each in lost} for each, _ in held]
    new = lease.write_parts(queries.get("corrections/note_lost"), "rows", rows)
    named = {row["id"] for row in new}
    texts = [each.left for each in lost if each.decision.id in named]
    notes += [f"a correction is kept, but its sentence has gone: {text} (`kg fact list`)" for text in texts[:NAMED]]
    if (more := len(texts) - NAMED) > 0:
        notes.append(f"{more} further corrections have lost their sentences: `kg fact list`")
