"""The first phase of writing: what a chunk's rows say, put on evidence relationships; one transaction a batch.

Recording a chunk replaces its evidence. Keys that nothing supports yet are born settled: their values are folded from
the batch, by the same function that settling uses. Keys that exist are marked `Unsettled`; `settler` folds them later.
A chunk carries the digest of what was recorded, written in the same transaction, so a write that is repeated (an
unclear commit, a second load) finds the digest and does nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Transaction
from kg_neo4j.graph.fold import EvidenceRow, fold_entity, fold_fact
from kg_neo4j.graph.identity import answer_id, entity_num, fact_id, mention_key
from kg_neo4j.graph.lease import Lease
from kg_neo4j.records import ChunkOutcome, Extraction, NodeRow, PropertyValue, RelationshipRow

DONE = frozenset({ChunkOutcome.DONE, ChunkOutcome.EMPTY, ChunkOutcome.TRUNCATED})


@dataclass(frozen=True, slots=True)
class _Piece:
    """One row as evidence."""

    chunk_id: str
    fold_row: EvidenceRow
    stored: Mapping[str, PropertyValue]


@dataclass(slots=True)
class _Gathered:
    """The evidence of a batch by key."""

    entities: dict[str, list[_Piece]] = field(default_factory=dict)
    facts: dict[str, list[_Piece]] = field(default_factory=dict)
    fact_keys: dict[str, tuple[str, str, str]] = field(default_factory=dict)  # id -> source, type, target


class Recorder:
    """Writes extractions of one graph. Holds no state between calls."""

    def __init__(self, database: Database, graph: str, schema: Schema, lease: Lease) -> None:
        self._database = database
        self._graph = graph
        self._schema = schema
        self._lease = lease

    def record(self, extractions: Sequence[Extraction]) -> int:
        """Write a batch in one transaction and return how many chunks, new entities and new facts it wrote.

        A second call with the same extractions returns 0 and writes nothing.
        """
        digests = {extraction.chunk.id: digest(extraction) for extraction in extractions}
        return self._database.write_transaction(lambda transaction: self._record(transaction, extractions, digests))

    def _record(self, transaction: Transaction, extractions: Sequence[Extraction], digests: Mapping[str, str]) -> int:
        self._lease.prove(transaction)
        rows = transaction.run(queries.get("write/recorded_chunks"), ids=sorted(digests))
        recorded = {row["id"]: row["recorded"] for row in rows}
        pending = [each for each in extractions if recorded.get(each.chunk.id) != digests[each.chunk.id]]
        if not pending:
            return 0
        replaced = sorted(each.chunk.id for each in pending if each.chunk.id in recorded)
        if replaced:
            transaction.run(queries.get("write/withdraw_evidence"), ids=replaced)
        gathered = self._gather(pending)
        born = self._write_entities(transaction, gathered) + self._write_facts(transaction, gathered)
        finished = [self._finish_row(extraction, digests[extraction.chunk.id]) for extraction in pending]
        transaction.run(queries.get("write/finish_chunks"), rows=sorted(finished, key=lambda row: str(row["id"])))
        return born + len(pending)

    def _gather(self, extractions: Iterable[Extraction]) -> _Gathered:
        gathered = _Gathered()
        for extraction in extractions:
            chunk = extraction.chunk
            keys: dict[str, str] = {}
            for index, node in enumerate(extraction.nodes):
                key = keys[node.node_id] = mention_key(self._graph, node.name, node.type)
                order = (chunk.document_id, chunk.index, index)
                piece = _Piece(
                    chunk.id,
                    EvidenceRow(order, node.name, node.type, node.properties),
                    {"row": index, "key": key, "name": node.name, "type": node.type, **_stored(node)},
                )
                gathered.entities.setdefault(key, []).append(piece)
            for index, relationship in enumerate(extraction.relationships):
                source, target = keys[relationship.source_id], keys[relationship.target_id]
                identity = [
                    str(relationship.properties.get(column.name, ""))
                    for column in self._schema.relationships
                    if column.identity
                ]
                key = fact_id(source, relationship.type, target, identity)
                order = (chunk.document_id, chunk.index, index)
                piece = _Piece(
                    chunk.id,
                    EvidenceRow(order, "", relationship.type, relationship.properties),
                    {"row": index, **_stored(relationship)},
                )
                gathered.facts.setdefault(key, []).append(piece)
                gathered.fact_keys[key] = (source, relationship.type, target)
        return gathered

    def _write_entities(self, transaction: Transaction, gathered: _Gathered) -> int:
        ids = sorted(gathered.entities)
        known = {row["id"] for row in transaction.run(queries.get("write/existing_entities"), ids=ids)}
        born: list[dict[str, Any]] = []
        extended: list[dict[str, Any]] = []
        for entity_id in ids:
            pieces = gathered.entities[entity_id]
            evidence = _evidence(pieces)
            if entity_id in known:
                extended.append({"id": entity_id, "evidence": evidence})
                continue
            folded = fold_entity((piece.fold_row for piece in pieces), self._schema.node_properties)
            values = {"id": entity_id, "num": entity_num(entity_id), "graph": self._graph, **folded}
            born.append({"values": values, "type": folded["type"], "evidence": evidence})
        if born:
            transaction.run(queries.get("write/create_entities"), rows=born)
        if extended:
            transaction.run(queries.get("write/extend_entities"), rows=extended)
        return len(born)

    def _write_facts(self, transaction: Transaction, gathered: _Gathered) -> int:
        ids = sorted(gathered.facts)
        known = {row["id"] for row in transaction.run(queries.get("write/existing_facts"), ids=ids)}
        born: dict[str, list[dict[str, Any]]] = {}
        extended: list[dict[str, Any]] = []
        for key in ids:
            pieces = gathered.facts[key]
            if key in known:
                extended.append({"id": key, "evidence": _evidence(pieces)})
                continue
            source, fact_type, target = gathered.fact_keys[key]
            folded = fold_fact((piece.fold_row for piece in pieces), self._schema.relationship_properties)
            ends = {"source_id": source, "target_id": target, "source_key": source, "target_key": target}
            born.setdefault(fact_type, []).append(
                {
                    "fact": {"id": key, "graph": self._graph, "type": fact_type, **ends, **folded},
                    "relationship": {"fact_id": key, **folded},
                    "evidence": _evidence(pieces),
                }
            )
        for fact_type in sorted(born):
            transaction.run(queries.get("write/create_facts").for_type(fact_type), rows=born[fact_type])
        if extended:
            transaction.run(queries.get("write/extend_facts"), rows=extended)
        return sum(len(rows) for rows in born.values())

    def _finish_row(self, extraction: Extraction, recorded: str) -> dict[str, Any]:
        properties: dict[str, Any] = {
            "recorded": recorded,
            "done": extraction.outcome in DONE,
            "outcome": str(extraction.outcome),
            "config_hash": extraction.config_hash,
            "rows_read": extraction.rows_read,
            "rows_rejected": len(extraction.rejections),
        }
        answers = [
            {
                "id": answer_id(self._graph, extraction.chunk.id, answer.round, extraction.config_hash),
                "graph": self._graph,
                "kind": "extraction",
                "round": answer.round,
                "text": answer.text,
                "model": answer.model,
                "prompt_hash": answer.prompt_hash,
                "config_hash": extraction.config_hash,
                "finish_reason": answer.finish_reason,
                "input_tokens": answer.usage.input_tokens,
                "output_tokens": answer.usage.output_tokens,
            }
            for answer in extraction.answers
        ]
        return {"id": extraction.chunk.id, "properties": properties, "answers": answers}


def digest(extraction: Extraction) -> str:
    """Return a hash of everything that recording writes for this extraction."""
    text = repr((extraction.nodes, extraction.relationships, extraction.outcome, extraction.config_hash))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _evidence(pieces: Sequence[_Piece]) -> list[dict[str, Any]]:
    return [{"chunk": piece.chunk_id, "values": piece.stored} for piece in pieces]


def _stored(row: NodeRow | RelationshipRow) -> dict[str, PropertyValue]:
    """Return what an evidence relationship keeps of a row besides its key."""
    stored: dict[str, PropertyValue] = dict(row.properties)
    if row.original_type != row.type:
        stored["original_type"] = row.original_type
    if row.evidence:
        stored["quote"] = row.evidence
    if row.span:
        stored |= {"quote_start": row.span.start, "quote_end": row.span.end, "quote_method": row.span.method}
    return stored
