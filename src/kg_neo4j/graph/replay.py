"""Stored answers, read again: what a model was paid for becomes rows without asking anybody."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from kg_neo4j import interrupts
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.engine import show
from kg_neo4j.extract.reading import Reading, interpret
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import StoredDocument, stored_answers
from kg_neo4j.records import Chunk, Extraction


def schema_of(document: StoredDocument) -> Schema:
    """Return the schema that a document was loaded with."""
    if document.schema_text:
        return schemas.parse(document.schema_text, document.schema)
    return schemas.load(document.schema)


def stored_chunks(
    database: Database, graph: str, document_id: str, *, rejected_only: bool = False
) -> tuple[Chunk, ...]:
    """Return the chunks of a document in order; only those with rejected rows, if that is asked for."""
    rows = database.stream(
        queries.get("write/stored_chunks"), graph=graph, document_id=document_id, rejected_only=rejected_only
    )
    return tuple(Chunk(**row["chunk"]) for row in rows)


def replay(
    database: Database,
    graph: str,
    document: StoredDocument,
    *,
    rejected_only: bool = False,
    copies: Mapping[str, Chunk] | None = None,
) -> Iterator[Extraction]:
    """Yield the extractions that the stored answers give, in the order of chunks; no answers, no extraction.

    With `copies`, by the ids of the chunks, they are of these.
    """
    chunks = stored_chunks(database, graph, document.id, rejected_only=rejected_only)
    if not chunks:
        return
    options = json.loads(document.options or "{}")
    reading = Reading(schema_of(document), options.get("evidence", "flag"), document.answers_hash)
    answers = stored_answers(database, graph, [document.id], document.answers_hash)
    for chunk in chunks:
        interrupts.check()
        if said := answers.get(chunk.id):
            own = copies[chunk.id] if copies is not None else chunk
            shown = show(own, options.get("preprocess", "none"), document.language)
            yield interpret(own, said, reading, shown)
