"""Types are listed, decisions on them are stored, and the rows of these types are recorded again as they say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from kg_neo4j.errors import UsageError
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.values import RESERVED_RELATIONSHIP_TYPES, TYPE_PATTERN
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Reader
from kg_neo4j.graph.documents import HAND, list_documents
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.replay import replay, schema_of
from kg_neo4j.graph.resolution.decisions import ON_TYPES, TYPES, DecisionKind, Union, decide_type
from kg_neo4j.graph.resolution.showing import StoredDecision, all_decisions, store
from kg_neo4j.graph.type_decisions import type_map
from kg_neo4j.pipeline.commands.resolve import PERSON, graph_schema
from kg_neo4j.pipeline.run import Run, unread
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadReport
from kg_neo4j.settings import Settings

NODE, RELATIONSHIP = "node", "relationship"
_KINDS = {
    (NODE, False): DecisionKind.NODE_TYPE,
    (RELATIONSHIP, False): DecisionKind.RELATIONSHIP_TYPE,
    (RELATIONSHIP, True): DecisionKind.INVERSE_TYPE,
}
_PREFERRED = {NODE: DecisionKind.PREFERRED_NODE, RELATIONSHIP: DecisionKind.PREFERRED_RELATIONSHIP}


@dataclass(frozen=True, slots=True)
class ListedType:
    """A type that the graph shows."""

    kind: str  # "node" or "relationship"
    type: str
    count: int  # nodes, or relationships between them
    example: str  # the node with most evidence, or the two ends of such a relationship
    source: str  # type of the example's first node; empty for nodes
    target: str
    preferred: bool  # by the schema or by a decision
    includes: tuple[str, ...]  # types that decisions show as this one


@dataclass(frozen=True, slots=True)
class TypeChange:
    """A type, and what it becomes; itself where it is to be preferred."""

    kind: str
    type: str
    becomes: str
    inverse: bool = False  # the first node of a row becomes the second
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TypesReport:
    """What decisions on types, or taking them back, did."""

    decisions: tuple[StoredDecision, ...]  # stored or revoked now
    chunks: int  # recorded again
    unanswered: int  # chunks without a stored answer: their rows keep their types
    graph: LoadReport


def list_types(*, settings: Settings, progress: Progress = SILENT) -> tuple[ListedType, ...]:
    """Return the types of a graph: of nodes, then of relationships, the most frequent first."""
    with connect(settings, progress) as database:
        return listed(database, settings.graph, graph_schema(database, settings.graph))


def listed(reader: Reader, graph: str, schema: Schema) -> tuple[ListedType, ...]:
    """Return the types of a graph of an open database, as `list_types` does."""
    held = [each.decision for each in all_decisions(reader, graph) if not each.decision.revoked]
    shown = type_map(held)
    preferred = {(NODE, name) for name, _ in schema.preferred_node_types}
    preferred |= {(RELATIONSHIP, name) for name, _ in schema.preferred_relationship_types}
    preferred |= {(kind, each.left_key) for kind, of in _PREFERRED.items() for each in held if each.kind is of}
    into = {(NODE, name): now for name, (now, _) in shown.nodes.items()}
    into |= {(RELATIONSHIP, name): now for name, (now, _) in shown.relationships.items()}
    return tuple(
        ListedType(
            **row,
            preferred=(row["kind"], row["type"]) in preferred,
            includes=tuple(
                sorted(name for (kind, name), now in into.items() if (kind, now) == (row["kind"], row["type"]))
            ),
        )
        for row in reader.read(queries.get("types/list_types"), graph=graph)
    )


def decide_types(
    changes: Sequence[TypeChange], *, settings: Settings, rule: str = PERSON, progress: Progress = SILENT
) -> TypesReport:
    """Store what becomes of types, and show it in the graph; a second time nothing changes.

    Raises UsageError for a type that the graph does not have, one that cannot be a type, one that is decided on
    already, and types that would become each other; nothing is stored then.
    """
    with _opened(settings, progress) as (run, schema, stored):
        known = listed(run.database, settings.graph, schema)
        return _shown(run, schema, stored, _checked(changes, settings.graph, rule, stored, known, schema))


def undo_types(name: str, *, settings: Settings, progress: Progress = SILENT) -> TypesReport:
    """Take back the decisions on a type, or one by its id or how that begins; the graph is what it was without them.

    Raises UsageError where there is none.
    """
    with _opened(settings, progress) as (run, schema, stored):
        if not (named := [each for each in stored if _is_named(each, name)]):
            hint = "`kg types` lists them: undo takes a type that another one includes, or a preferred one"
            raise UsageError(f"no decision on the type {name!r} is in graph {settings.graph!r}", hint=hint)
        gone = [replace(each, decision=replace(each.decision, revoked=True), pending=True) for each in named]
        return _shown(run, schema, stored, gone)


@contextmanager
def _opened(settings: Settings, progress: Progress) -> Iterator[tuple[Run, Schema, tuple[StoredDecision, ...]]]:
    with connect(settings, progress, to_write=True) as database, Lease(database, settings.graph) as lease:
        run = Run(database, lease, settings, Tally(), progress, "resolve")
        yield run, graph_schema(database, settings.graph), all_decisions(database, settings.graph)


def can_be_type(name: str) -> bool:
    """Return whether a name may be a label or a relationship type that people see."""
    return bool(TYPE_PATTERN.fullmatch(name)) and name not in RESERVED_RELATIONSHIP_TYPES


def _is_pending(stored: StoredDecision) -> bool:
    return stored.pending and stored.decision.kind in ON_TYPES


def _is_named(stored: StoredDecision, name: str) -> bool:
    decision = stored.decision
    is_held = decision.kind in ON_TYPES and not decision.revoked
    return is_held and (decision.left_key == name or (len(name) >= 6 and decision.id.startswith(name.lower())))


def _checked(
    changes: Iterable[TypeChange],
    graph: str,
    rule: str,
    stored: Sequence[StoredDecision],
    known: Sequence[ListedType],
    schema: Schema,
) -> list[StoredDecision]:
    """Return decisions to store; those that stand already are left out."""
    held = {each.decision.id: each.decision for each in stored if not each.decision.revoked}
    names = {(each.kind, name) for each in known for name in (each.type, *each.includes)}
    made: dict[str, StoredDecision] = {}
    for each in changes:
        kind = _PREFERRED[each.kind] if each.becomes == each.type else _KINDS[each.kind, each.inverse]
        decision = decide_type(graph, kind, (each.type, each.becomes), rule, each.reason)
        if decision.id in held:
            continue
        if not can_be_type(each.becomes):
            hint = "a type has upper-case letters, digits and underscores, and is none that the graph needs itself"
            raise UsageError(f"{each.becomes[:80]!r} cannot be a type", hint=hint)
        allowed = {NODE: schema.node_types, RELATIONSHIP: schema.relationship_types}[each.kind]
        if allowed and each.becomes not in allowed:
            raise UsageError(f"the schema {schema.name!r} has no type {each.becomes}", hint="its lists are closed")
        if (each.kind, each.type) not in names:
            raise UsageError(f"graph {graph!r} has no {each.kind} type {each.type!r}", hint="`kg types` lists them")
        of_kind = {DecisionKind.NODE_TYPE} if each.kind == NODE else TYPES - {DecisionKind.NODE_TYPE}
        former = [old for old in held.values() if old.left_key == each.type and old.kind in of_kind]
        if former and kind in TYPES:
            hint = f"`kg types undo {each.type}` takes that back"
            raise UsageError(f"{each.type} is shown as {former[0].right_key} already", hint=hint)
        held[decision.id] = decision
        made[decision.id] = StoredDecision(decision, each.type, each.becomes, pending=True)
    shown = type_map(held.values())
    for new in made.values():
        of = shown.nodes if new.decision.kind is DecisionKind.NODE_TYPE else shown.relationships
        if new.decision.kind in TYPES and new.left not in of:
            raise UsageError(
                f"{new.left} would become itself, by way of {new.right}", hint="take one of these decisions back first"
            )
    return list(made.values())


def _shown(run: Run, schema: Schema, stored: Sequence[StoredDecision], new: Sequence[StoredDecision]) -> TypesReport:
    """Store decisions, record the rows of their types again, and bring up to date what is derived."""
    database, graph = run.database, run.settings.graph
    store(run.lease, new)
    run.tally.changes += len(new)
    pending = [*new, *(each for each in stored if _is_pending(each))]
    unanswered, chunks = 0, run.tally.chunks
    if pending:
        together = Union()
        pairs = [(each.left, each.right) for each in (*stored, *new) if each.decision.kind in TYPES]
        for pair in pairs:
            together.join(*pair)
        roots = {together.find(each.left) for each in pending if each.decision.kind in TYPES}
        wanted = sorted({name for pair in pairs for name in pair if together.find(name) in roots})
        rows = database.read(queries.get("types/chunks_of_types"), graph=graph, types=wanted)
        of = {row["document"]: set(row["chunks"]) for row in rows}
        run.progress.start("extract", sum(map(len, of.values())))
        for document in (each for each in list_documents(database, graph) if each.kind != HAND):
            if ids := of.get(document.id):
                replayed = list(replay(database, graph, document, only=ids))
                unanswered += len(ids) - len(replayed)
                run.record(schema_of(document), ((unread(document, graph), found) for found in replayed))
                chunks += len(replayed)
        run.progress.finish("extract")
        run.settle(schema)
        shown = [each.decision.id for each in pending]
        run.lease.write_parts(queries.get("write/clear_decisions"), "ids", shown, graph=graph)
        run.derive()
    if unanswered:
        run.tally.notes.append(f"{unanswered} chunks have no stored answer: their rows keep their types")
    return TypesReport(tuple(new), chunks, unanswered, run.tally.report(database, graph, 0))
