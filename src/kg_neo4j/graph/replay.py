"""Stored answers, read again: what a model was paid for becomes rows without asking anybody."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping

from kg_neo4j import interrupts
from kg_neo4j.errors import UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.engine import show
from kg_neo4j.extract.reading import Reading, interpret
from kg_neo4j.extract.schema import Schema
from kg_neo4j.extract.schema_changes import Effect, compare
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader
from kg_neo4j.graph.documents import StoredDocument, stored_answers
from kg_neo4j.records import Chunk, Extraction


def schema_of(document: StoredDocument) -> Schema:
    """Return the schema that a document was loaded with."""
    return stored_schema(document.schema, document.schema_text)


def stored_schema(name: str, text: str | None) -> Schema:
    """Return the schema that is stored with documents: a name, and the text of a user's own file."""
    return schemas.parse(text, name) if text else schemas.load(name)


def earlier_schemas(reader: Reader, graph: str, schema: Schema) -> tuple[Schema, ...]:
    """Return the other versions of `schema` that documents were loaded with.

    Raises UsageError where one of them means something else.
    """
    found = []
    for row in reader.read(queries.get("write/other_schemas"), graph=graph, schema_hash=schema.hash):
        found.append(stored_schema(row["schema"], row["schema_text"]))
        for each in compare(found[-1], schema):
            if each.effect is Effect.REFUSED:
                named = f"the schema {row['schema']!r}, not {schema.name!r}"
                hint = (
                    "take that schema, or load into another graph with --graph NAME; `kg schema diff A B` compares two"
                )
                raise UsageError(f"graph {graph!r} was loaded with {named}: {each.what} is {each.change}", hint=hint)
    return tuple(found)


def widest_schema(documents: Iterable[StoredDocument]) -> Schema:
    """Return the schema of a graph: the widest of the versions that its documents were loaded with."""
    versions = {(document.schema, document.schema_text): document for document in documents}
    return schemas.widest(map(schema_of, versions.values()))


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
    only: Container[str] | None = None,
) -> Iterator[Extraction]:
    """Yield the extractions that the stored answers give, in the order of chunks; no answers, no extraction.

    With `copies`, by the ids of the chunks, they are of these. With `only` they are of chunks with these ids.
    """
    found = stored_chunks(database, graph, document.id, rejected_only=rejected_only)
    chunks = [each for each in found if only is None or each.id in only]
    if not chunks:
        return
    options = json.loads(document.options or "{}")
    reading = Reading(schema_of(document), options.get("evidence", "flag"), document.answers_hash)
    answers = stored_answers(database, graph, [document.id], document.answers_hash)
    for chunk in chunks:
        interrupts.check()
        if said := answers.get(chunk.id):
            own = copies[chunk.id] if copies is not None else chunk
            yield interpret(own, said, reading, show(own, options.get("preprocess", "none"), document.language))
