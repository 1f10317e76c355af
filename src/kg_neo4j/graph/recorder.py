"""The first phase of writing: what a chunk's rows say, put on evidence relationships; one transaction a batch.

Recording a chunk replaces its evidence. Keys that nothing supports yet are born settled: their values are folded from
the batch, by the same function that settling uses. Keys that exist are marked `Unsettled`; `settler` folds them later.
Mentions go to the entity that the stored decisions make of their key; facts that a decision touches are left to settle.
A chunk carries the digest of what was recorded, written in the same transaction, so a write that is repeated (an
unclear commit, a second load) finds the digest and does nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from pkgutil import resolve_name
from typing import Any

from kg_neo4j import tracing
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import SchemaConflict
from kg_neo4j.extract.reading import REPAIR
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction, absent_if_empty
from kg_neo4j.graph.fold import QUOTE, STATED, EvidenceRow, Folded, fold_entity, fold_fact, is_stated, labels
from kg_neo4j.graph.identity import entity_num, fact_id, mention_key
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import check_type
from kg_neo4j.graph.resolution import showing
from kg_neo4j.graph.resolution.decisions import CORRECTIONS, ON_NAMES, Components
from kg_neo4j.graph.type_decisions import PHRASE, ShownTypes, type_map
from kg_neo4j.records import ChunkOutcome, Extraction, NodeRow, RelationshipRow

# The columns of the built-in schemas, in the order in which cypher/write/create_*.cypher and add_*.cypher read them.
NODE_COLUMNS = ("birth_year", "death_year", "role", "location", "description")
RELATIONSHIP_COLUMNS = ("start_date", "description", "strength")
RARE = ("flags", "other_quotes")  # of evidence, where it has them
FOLDED_RARE = frozenset({"name", "type", "aliases", "evidence_count"})
_NAMED: dict[Any, frozenset[str]] = {names: FOLDED_RARE.union(names) for names in (NODE_COLUMNS, RELATIONSHIP_COLUMNS)}
WRONG = "kg_neo4j.rooms.corrections.applying:wrong_facts"
DONE = frozenset({ChunkOutcome.DONE, ChunkOutcome.EMPTY})
KEPT = DONE | {ChunkOutcome.TRUNCATED}  # outcomes whose answers are of use


@dataclass(slots=True)
class _Evidence:
    """What a batch says about one key: rows to fold, and the same rows as they are stored."""

    rows: list[EvidenceRow] = field(default_factory=list)
    stored: list[list[Any]] = field(default_factory=list)  # the order that cypher/write/create_*.cypher reads
    ends: tuple[str, str, str] = ("", "", "")  # source key, type, target key; facts only
    identity: tuple[str, ...] = ()  # values of the schema's identity columns; facts only
    folded: Folded = field(default_factory=dict)  # the values of a key that nothing else supports


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A batch, ready to be written: what is recorded already is left out, the rest is gathered by key and folded."""

    extractions: Sequence[Extraction]
    digests: Mapping[str, str]  # of these, and of those that are left out
    entities: Mapping[str, _Evidence]
    facts: Mapping[str, _Evidence]


@dataclass(slots=True)
class Recorder:
    """Writes extractions of one graph. Keeps the components of its keys, which stand while the lease is held."""

    database: Database
    graph: str
    schema: Schema
    lease: Lease
    _components: Components = field(default_factory=Components)  # by the stored decisions, from the first batch on
    _types: ShownTypes = field(default_factory=ShownTypes)  # likewise
    _wrong: frozenset[str] = frozenset()  # ids of facts that a person called wrong: settling decides what is drawn
    _is_resolved: bool = False  # they are read, and the graph shows them

    def record(self, extractions: Sequence[Extraction]) -> int:
        """Write a batch in one transaction and return how many chunks, new entities and new facts it wrote.

        A second call with the same extractions returns 0 and writes nothing.
        """
        return self._write(self._prepare(extractions))

    def record_all(self, batches: Iterable[Sequence[Extraction]]) -> Iterator[int]:
        """Write batches one after the other, one transaction each, in order, and yield what `record` returns for each.

        While the server writes one batch, the next one is extracted and prepared. Where making a batch fails, the
        batches before it are written first.
        """
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="kg-writer") as writer:
            writing: Future[int] | None = None
            try:
                for batch in batches:
                    prepared = self._prepare(batch)
                    if writing is not None:
                        yield writing.result()
                    writing = writer.submit(copy_context().run, self._write, prepared)
            finally:
                if writing is not None:
                    writing.exception()  # waited for also when a batch could not be made
            if writing is not None:
                yield writing.result()

    def _prepare(self, extractions: Sequence[Extraction]) -> _Prepared:
        """Look up what is recorded. The first call shows in the graph which decisions a killed run left."""
        once = {extraction.chunk.id: extraction for extraction in extractions}  # a chunk has one extraction
        if not self._is_resolved:
            stored = self.database.read_transaction(lambda reader: showing.all_decisions(reader, self.graph))
            named = {column.name for column in self.schema.relationship_properties}
            self._types = type_map((each.decision for each in stored), phrased=PHRASE in named)
            of_names = [each for each in stored if each.decision.kind in ON_NAMES]
            self._components = showing.finish(self.database, self.graph, self.schema, self.lease, of_names)
            if any(each.decision.kind in CORRECTIONS for each in stored):
                self._wrong = resolve_name(WRONG)(self.database, self.graph, self.schema, self._components, stored)
            self._is_resolved = True
        digests = {chunk_id: digest(self._types.shown(extraction)) for chunk_id, extraction in once.items()}
        recorded = self.database.read_transaction(lambda transaction: _recorded(transaction, digests))
        pending = [each for each in once.values() if recorded.get(each.chunk.id) != digests[each.chunk.id]]
        return self._gather(pending, digests)

    def _write(self, prepared: _Prepared) -> int:
        if not prepared.extractions:
            return 0
        with tracing.span("write", {"db.system.name": "neo4j", "kg_neo4j.chunks": len(prepared.extractions)}):
            return sum(self.database.write_parts(prepared.extractions, partial(self._record, prepared=prepared)))

    def _record(self, transaction: Transaction, extractions: Sequence[Extraction], *, prepared: _Prepared) -> int:
        """Write a batch, or a part of it where the whole took more memory than the server has."""
        recorded = _recorded(transaction, prepared.digests)
        pending = [each for each in extractions if recorded.get(each.chunk.id) != prepared.digests[each.chunk.id]]
        if not pending:  # this very transaction was committed before, and its answer was lost
            return 0
        if replaced := sorted(each.chunk.id for each in pending if each.chunk.id in recorded):
            transaction.run(queries.get("write/withdraw_evidence"), ids=replaced)
        if len(pending) < len(prepared.extractions):
            prepared = self._gather(pending, prepared.digests)
        born = self._write_entities(transaction, prepared.entities) + self._write_facts(transaction, prepared.facts)
        finished = [finish_row(self.graph, each, prepared.digests[each.chunk.id]) for each in pending]
        transaction.run(queries.get("write/finish_chunks"), rows=sorted(finished, key=lambda row: str(row["id"])))
        self.lease.prove(transaction)  # last, so that the lease's node is locked for the commit alone
        return born + len(pending)

    def _gather(self, extractions: Sequence[Extraction], digests: Mapping[str, str]) -> _Prepared:
        entities: defaultdict[str, _Evidence] = defaultdict(_Evidence)
        facts: defaultdict[str, _Evidence] = defaultdict(_Evidence)
        identity_columns = [column.name for column in self.schema.relationships if column.identity]
        entity, namesakes = self._components.entity, self._components.namesakes
        for extraction in extractions:
            chunk = extraction.chunk
            keys: dict[str, str] = {}
            shown = self._types.shown(extraction)
            for index, (written, node) in enumerate(zip(extraction.nodes, shown.nodes, strict=True)):
                key = mention_key(self.graph, node.name, written.type)
                if namesakes:
                    key = namesakes.get((chunk.document_id, key), key)
                keys[node.node_id] = key
                found = entities[entity(key)]
                order = (chunk.document_id, chunk.index, index)
                values = {**node.properties, **({QUOTE: node.evidence} if self.schema.quotes else {})}
                found.rows.append(EvidenceRow(order, node.name, node.type, values))
                named = [*stored_row(chunk.id, index, node), key, node.name, node.type]
                found.stored.append(named + _columns({**node.properties, **rare_values(node)}, NODE_COLUMNS))
            for index, relationship in enumerate(shown.relationships):
                source, target = keys[relationship.source_id], keys[relationship.target_id]
                identity = tuple(str(relationship.properties.get(name, "")) for name in identity_columns)
                found = facts[fact_id(source, relationship.type, target, identity)]
                order = (chunk.document_id, chunk.index, index)
                values = {**relationship.properties, **({} if relationship.stated else {STATED: False})}
                columns = _columns(values | rare_values(relationship), RELATIONSHIP_COLUMNS)
                values |= {QUOTE: relationship.evidence} if self.schema.quotes else {}
                found.rows.append(EvidenceRow(order, "", relationship.type, values))
                found.stored.append(stored_row(chunk.id, index, relationship) + columns)
                found.ends, found.identity = (source, relationship.type, target), identity
        node_columns, relationship_columns = self.schema.node_properties, self.schema.relationship_properties
        for found in entities.values():
            found.folded = fold_entity(found.rows, node_columns)
        for found in facts.values():
            found.folded = fold_fact(found.rows, relationship_columns)
        return _Prepared(extractions, digests, entities, facts)

    def _write_entities(self, transaction: Transaction, entities: Mapping[str, _Evidence]) -> int:
        ids = sorted(entities)
        known = {row["id"] for row in transaction.run(queries.get("write/existing_entities"), ids=ids)}
        born: list[list[Any]] = []
        more: list[list[Any]] = []
        for entity_id in ids:
            found = entities[entity_id]
            pieces = found.stored
            if entity_id not in known:
                own = [absent_if_empty(found.folded[name]) for name in ("name", "aliases", "evidence_count")]
                types = [check_type(each) for each in labels(found.folded)]
                columns = _columns(found.folded, NODE_COLUMNS)
                born.append([entity_id, entity_num(entity_id), types, *own, *columns, *pieces[0]])
                pieces = pieces[1:]
            more.extend([entity_id, *piece] for piece in pieces)
        _write_rows(transaction, "write/create_entities", born, graph=self.graph)
        _write_rows(transaction, "write/add_mentions", more)
        if known:
            transaction.run(queries.get("write/mark_keys"), entities=sorted(known), facts=[])
        return len(born)

    def _write_facts(self, transaction: Transaction, facts: Mapping[str, _Evidence]) -> int:
        ids = sorted(facts)
        known = {row["id"] for row in transaction.run(queries.get("write/existing_facts"), ids=ids)}
        born: list[list[Any]] = []
        resolved: list[list[Any]] = []
        more: list[list[Any]] = []
        roots = self._components.roots
        for key in ids:
            found = facts[key]
            pieces = found.stored
            if key not in known:
                source, fact_type, target = found.ends
                own = [key, source, target, check_type(fact_type), found.folded["evidence_count"]]
                row = [*own, *_columns(found.folded, RELATIONSHIP_COLUMNS), *pieces[0]]
                if source in roots or target in roots:
                    resolved.append([*row, *showing.place(self._components, found.ends, found.identity)])
                elif is_stated(found.folded) and key not in self._wrong:
                    born.append(row)
                else:
                    resolved.append([*row, None, None, None])
                pieces = pieces[1:]
            more.extend([key, *piece] for piece in pieces)
        _write_rows(transaction, "write/create_facts", born, graph=self.graph)
        _write_rows(transaction, "write/create_resolved_facts", resolved, graph=self.graph)
        _write_rows(transaction, "write/add_statements", more)
        if known:
            transaction.run(queries.get("write/mark_keys"), entities=[], facts=sorted(known))
        return len(born) + len(resolved)


def finish_row(graph: str, extraction: Extraction, recorded: str) -> dict[str, Any]:
    """Return what is stored of a chunk that was extracted: its id, properties and answers."""
    config_hash = extraction.config_hash
    properties: dict[str, Any] = {
        "recorded": recorded,
        "done": extraction.outcome in DONE,
        "outcome": str(extraction.outcome),
        "outcome_reason": None if extraction.outcome in DONE else extraction.detail or None,
        "config_hash": config_hash,
        "rows_read": extraction.rows_read,
        "rows_rejected": len(extraction.rejections),
        "values_dropped": len(extraction.dropped) or None,
    }
    answers = []
    for answer in extraction.answers if extraction.outcome in KEPT else ():  # the others are asked for again
        usage = answer.usage + answer.kept
        said = {name: getattr(answer, name) for name in ("round", "step", "model", "prompt_hash")}
        said |= {name: getattr(answer, name) or None for name in ("context_hash", "text", "finish_reason")}
        said["around"] = answer.around
        said["offsets"] = " ".join(f"{start}:{end}" for start, end in answer.offsets) or None
        said |= {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
        said |= {"graph": graph, "kind": "extraction", "config_hash": config_hash}
        said["cached"] = not answer.usage.calls or None
        # of what was asked, not of what was said
        said["id"] = hash_id("answer", graph, extraction.chunk.id, str(answer.round), config_hash)
        answers.append(said)
    return {"id": extraction.chunk.id, "properties": properties, "answers": answers}


def digest(extraction: Extraction) -> str:
    """Return a hash of everything that recording writes for this extraction.

    Rows that are only likely, flags, values left out, and the rounds of repair that rows failed in, count where there
    are any: other chunks keep the digest that they have had.
    """
    nodes = [
        [each.node_id, each.name, each.type, *stored_row("", 0, each), {**each.properties, **rare_values(each)}]
        for each in extraction.nodes
    ]
    relationships = [
        [
            each.source_id,
            each.type,
            each.target_id,
            *stored_row("", 0, each),
            {**each.properties, **rare_values(each)},
            *([] if each.stated else [False]),
        ]
        for each in extraction.relationships
    ]
    repairs = {answer.round for answer in extraction.answers if answer.step == REPAIR}
    failed = [each.round for each in extraction.rejections if each.round in repairs]
    counted = [extraction.rows_read, extraction.outcome, extraction.config_hash, *failed]
    counted += [f"{each.column} {each.value}" for each in extraction.dropped]
    return hashlib.sha256(json.dumps([nodes, relationships, counted]).encode()).hexdigest()[:32]


def _recorded(transaction: Transaction, digests: Mapping[str, str]) -> dict[str, str]:
    rows = transaction.run(queries.get("write/recorded_chunks"), ids=sorted(digests))
    return {row["id"]: row["recorded"] for row in rows}


def _write_rows(transaction: Transaction, query: str, rows: Sequence[list[Any]], **parameters: str) -> None:
    """Write rows, if any, and make sure that each one was: a row whose chunk or ends are gone must not vanish."""
    if rows and (written := transaction.run(queries.get(query), rows=rows, **parameters)[0]["written"]) != len(rows):
        raise SchemaConflict(
            f"{query}: {written} of {len(rows)} rows could be written, the rest name chunks or entities that are gone",
            hint="nothing of this batch was kept; run the same command again",
        )


def stored_row(chunk_id: str, index: int, row: NodeRow | RelationshipRow) -> list[Any]:
    """Return what an evidence relationship keeps of a row: chunk, row, quote and where it stands, original type."""
    span = row.span
    where = [span.start, span.end, span.method] if span else [None, None, None]
    return [chunk_id, index, row.evidence, *where, None if row.original_type == row.type else row.original_type]


def rare_values(row: NodeRow | RelationshipRow) -> dict[str, Any]:
    """Return what few rows have: what their sentences do not say, and start and end of each further quote."""
    if not (row.flags or (row.span and row.span.others)):
        return {}
    others = [place for quote in row.span.others for place in quote] if row.span else []
    return {name: value for name, value in zip(RARE, (" ".join(row.flags), others), strict=True) if value}


def _columns(values: Mapping[str, Any], names: tuple[str, ...]) -> list[Any]:
    """Return the values of the columns that a query names, then a list with the map of all others, or without."""
    others = {name: values[name] for name in sorted(values.keys() - _NAMED[names])}
    return [*map(values.get, names), [others] if others else []]
