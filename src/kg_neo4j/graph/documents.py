"""Documents and their chunks in the graph: what is new, what is done, what has gone.

An edited document keeps the chunks whose text it still has (their ids hash the text), with their evidence and answers;
only new ones are extracted, and what lost its last support is deleted when the graph settles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Row, Transaction, batches
from kg_neo4j.graph.lease import Lease
from kg_neo4j.records import Chunk, Document, ModelAnswer, Usage

CHUNKS_AT_A_TIME = 500
NODES_AT_A_TIME = 5_000  # of trees
FIGURES = 2_000  # answers looked at for an estimate; chunk ids are hashes, so the first ones are a sample


@dataclass(frozen=True, slots=True)
class LoadConfiguration:
    """What shapes the graph besides the documents; stored with each document."""

    config_hash: str  # of everything: `answers_hash`, chunker, tokeniser
    schema: str
    schema_hash: str
    tokeniser: str
    rebuild: bool = False  # replace what was loaded under another configuration
    schema_text: str | None = None  # of a schema file of the user's own: needed to settle without the file
    options: str | None = None  # JSON: the options of the load that answers are read by again
    answers_hash: str | None = None  # extraction: schema, prompts, model, parameters; None: as `config_hash`


@dataclass(frozen=True, slots=True)
class RecordedDocument:
    """What recording a document found and did."""

    pending: tuple[Chunk, ...]  # chunks still to be extracted, in order
    changes: int  # chunks written or deleted, and the document itself


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the graph has it."""

    id: str
    title: str
    source: str
    kind: str
    key: str
    url: str | None
    schema: str
    schema_text: str | None
    language: str | None
    revision: int | None  # of a page of a wiki
    origin: str | None  # stands for the real path of a file, see acquire.identity.origin_id
    config_hash: str
    answers_hash: str  # answers are stored under it
    options: str | None  # JSON: how the document was cut and extracted, see pipeline/options.py
    chunks: int
    done: int


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """What one stored answer about a chunk took, as the server counted it."""

    chunk_id: str
    place: int  # of the chunk in its document, from 0
    text_tokens: int  # of the chunk
    step: str
    input_tokens: int
    output_tokens: int


def list_documents(reader: Reader, graph: str) -> tuple[StoredDocument, ...]:
    """Return the documents of a graph, ordered by key."""
    return tuple(StoredDocument(**row) for row in reader.read(queries.get("write/documents"), graph=graph))


def file_keys(reader: Reader, graph: str) -> dict[str, str]:
    """Return the documents of a graph that were read from files: key -> origin, see `acquire.identity.origin_id`."""
    return {row["key"]: row["origin"] for row in reader.read(queries.get("write/file_keys"), graph=graph)}


def checked_file_keys(database: Database, graph: str, configuration: LoadConfiguration) -> dict[str, str]:
    """Return `file_keys`; UsageError where the graph holds documents that were loaded under another schema."""

    def look(transaction: Transaction) -> tuple[list[Row], dict[str, str]]:
        others = transaction.run(queries.get("write/other_schemas"), graph=graph, schema_hash=configuration.schema_hash)
        return others, file_keys(transaction, graph)

    others, found = database.read_transaction(look)
    if others:
        raise UsageError(
            f"graph {graph!r} was loaded with the schema {others[0]['schema']!r}, this load asks for "
            f"{configuration.schema!r}",
            hint="choose another graph with --graph NAME, or unload the documents first",
        )
    return found


def record_document(
    database: Database, lease: Lease, document: Document, chunks: Sequence[Chunk], configuration: LoadConfiguration
) -> RecordedDocument:
    """Bring a document and its chunks up to date and say which chunks are still to be extracted.

    A second call with the same arguments writes nothing. Raises UsageError where the stored document was loaded under
    another configuration and `rebuild` is off.
    """
    stored, stored_chunks = _stored(database, document.graph, document.id)
    wanted = {chunk.id: chunk for chunk in chunks}
    properties = _document_properties(document, configuration)
    if stored:
        _check_stored(document, stored, properties, configuration)
    gone = [chunk_id for chunk_id in stored_chunks if chunk_id not in wanted]
    _delete_chunks(lease, gone)
    if stored and stored.get("config_hash") != configuration.config_hash:
        withdraw_evidence(lease, list(stored_chunks))
        stored_chunks = {chunk_id: {**chunk, "recorded": None} for chunk_id, chunk in stored_chunks.items()}
    rows = [_chunk_row(chunk) for chunk in chunks if not _is_current(stored_chunks.get(chunk.id), chunk)]
    changed = _without_spelling(properties) != _without_spelling(stored)
    if rows or gone or changed:
        moved = [row["id"] for row in rows if row["id"] in stored_chunks]
        database.write_transaction(lambda tx: _write_document(tx, lease, properties, rows, moved))
    done = {chunk_id for chunk_id, chunk in stored_chunks.items() if chunk["recorded"] and chunk["done"]}
    pending = tuple(chunk for chunk in chunks if chunk.id not in done)
    return RecordedDocument(pending, len(rows) + len(gone) + changed)


def pending_chunks(
    database: Database, document: Document, chunks: Sequence[Chunk], configuration: LoadConfiguration
) -> tuple[Chunk, ...]:
    """Return the chunks that `record_document` would leave to be extracted. Writes nothing; raises what it raises."""
    stored, stored_chunks = _stored(database, document.graph, document.id)
    if stored:
        _check_stored(document, stored, _document_properties(document, configuration), configuration)
        if stored.get("config_hash") != configuration.config_hash:
            return tuple(chunks)
    done = {chunk_id for chunk_id, chunk in stored_chunks.items() if chunk["recorded"] and chunk["done"]}
    return tuple(chunk for chunk in chunks if chunk.id not in done)


def answer_figures(database: Database, graph: str, model: str) -> tuple[AnswerFigures, ...]:
    """Return what the answers of a model about chunks of a graph took; of a great many, of some."""
    rows = database.read(queries.get("write/answer_figures"), graph=graph, model=model, limit=FIGURES)
    return tuple(AnswerFigures(**row) for row in rows)


def description_characters(database: Database, graph: str) -> float | None:
    """Return the mean length of what chunks of a graph say of an entity; None where they say nothing."""
    found = database.read(queries.get("write/description_length"), graph=graph, limit=FIGURES // 10)[0]["characters"]
    return float(found) if found is not None else None


def often_mentioned(database: Database, graph: str) -> Mapping[str, int]:
    """Return the entities of a graph that stand on most evidence: name -> rows of evidence."""
    rows = database.read(queries.get("write/often_mentioned"), graph=graph, limit=FIGURES)
    return {row["name"]: row["evidence"] for row in reversed(rows)}


def withdraw_document(database: Database, lease: Lease, graph: str, document_id: str) -> int:
    """Delete a document, its chunks and their evidence; return how many chunks went. Settle afterwards."""
    count = withdraw_chunks(database, lease, graph, document_id)
    delete_document(lease, graph, document_id)
    return count


def withdraw_chunks(database: Database, lease: Lease, graph: str, document_id: str) -> int:
    """Delete the chunks of a document, their evidence and its trees; return how many chunks went. Settle afterwards.

    The document stays, so that what is left to do can be asked for again by its name; delete it last.
    """
    _, stored_chunks = _stored(database, graph, document_id)
    delete_trees(lease, graph, [document_id])
    _delete_chunks(lease, list(stored_chunks))
    return len(stored_chunks)


def delete_trees(lease: Lease, graph: str, document_ids: Sequence[str]) -> int:
    """Delete the narrative trees of documents, with what a model said about them; return how many nodes went."""
    query, deleted = queries.get("tree/delete_trees"), 0
    asked = {"graph": graph, "documents": list(document_ids), "limit": NODES_AT_A_TIME}
    while count := int(lease.write(query, **asked)[0]["deleted"]):
        deleted += count
    return deleted


def delete_document(lease: Lease, graph: str, document_id: str) -> None:
    """Delete a document whose chunks are gone."""
    lease.write(queries.get("write/delete_document"), graph=graph, id=document_id)


def stored_answers(
    database: Database, graph: str, document_id: str, answers_hash: str
) -> Mapping[str, tuple[ModelAnswer, ...]]:
    """Return what a model has already said under this configuration: chunk id -> answers by round."""
    answers: dict[str, tuple[ModelAnswer, ...]] = {}
    rows = database.stream(
        queries.get("write/stored_answers"), graph=graph, document_id=document_id, config_hash=answers_hash
    )
    for row in rows:
        found = row["answer"]
        answer = ModelAnswer(
            text=found["text"],
            model=found["model"],
            prompt_hash=found["prompt_hash"],
            finish_reason=found.get("finish_reason"),
            round=found["round"],
            usage=Usage(),  # paid for by an earlier run
            step=found.get("step", "whole"),
            context_hash=found.get("context_hash", ""),
        )
        answers[row["chunk_id"]] = (*answers.get(row["chunk_id"], ()), answer)
    return answers


def known_names(database: Database, document: Document) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Return the names and types that the recorded chunks of a document gave, by chunk id."""
    rows = database.read(queries.get("write/known_names"), graph=document.graph, document_id=document.id)
    return {row["chunk_id"]: tuple((name, kind) for name, kind in row["names"]) for row in rows}


def _check_stored(
    document: Document, stored: Mapping[str, Any], properties: Mapping[str, Any], configuration: LoadConfiguration
) -> None:
    """Refuse another file of the same name, and another configuration without `rebuild`."""
    origin = stored.get("origin")
    if origin and origin != properties.get("origin") and stored["sha256"] != document.sha256:
        raise UsageError(
            f"{document.origin or document.source}: graph {document.graph!r} has another file's text under the name "
            f"{document.key!r}, loaded from {stored['source']}",
            hint="load this one with --as NAME or with another --root DIR; "
            "or `kg unload` the other one first, if this is its new place",
        )
    if stored["config_hash"] == configuration.config_hash or configuration.rebuild:
        return
    if stored["tokeniser"] != configuration.tokeniser:
        difference = f"chunked by the tokeniser {stored['tokeniser']}, this run has {configuration.tokeniser}"
    else:
        difference = "loaded with another model, prompt, schema or chunk size"
    raise UsageError(
        f"{document.title!r} was {difference}",
        hint="pass --rebuild to extract it again, or choose another graph with --graph NAME",
    )


def _without_spelling(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out how the source was named on the command line: another spelling is no change."""
    return {name: value for name, value in properties.items() if name not in ("source", "origin")}


def _stored(database: Database, graph: str, document_id: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    rows = database.read(queries.get("write/document_state"), graph=graph, id=document_id)
    if not rows:
        return {}, {}
    return rows[0]["document"], {chunk["id"]: chunk for chunk in rows[0]["chunks"]}


def _write_document(
    transaction: Transaction,
    lease: Lease,
    properties: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    moved: Sequence[str],
) -> None:
    lease.prove(transaction)
    document_id = properties["id"]
    transaction.run(queries.get("write/merge_document"), id=document_id, properties=properties)
    transaction.run(queries.get("write/merge_chunks"), document_id=document_id, rows=rows)
    transaction.run(queries.get("write/link_chunks"), document_id=document_id)
    if moved:
        transaction.run(queries.get("write/mark_chunks"), ids=moved)


def _delete_chunks(lease: Lease, ids: Sequence[str]) -> None:
    withdraw_evidence(lease, ids)
    for some in batches(ids, CHUNKS_AT_A_TIME):
        lease.write(queries.get("write/delete_chunks"), ids=list(some))


def withdraw_evidence(lease: Lease, ids: Sequence[str]) -> None:
    """Take back what chunks support, and mark it; they count as not recorded. Settle afterwards."""
    for some in batches(ids, CHUNKS_AT_A_TIME):
        lease.write(queries.get("write/withdraw_evidence"), ids=list(some))


def _is_current(stored: Mapping[str, Any] | None, chunk: Chunk) -> bool:
    return stored is not None and all(
        stored[name] == getattr(chunk, name) for name in ("index", "start", "end", "section")
    )


def _chunk_row(chunk: Chunk) -> dict[str, Any]:
    names = ("id", "graph", "document_id", "index", "text", "token_count", "start", "end", "section")
    return {"id": chunk.id, "properties": {name: getattr(chunk, name) for name in names}}


def _document_properties(document: Document, configuration: LoadConfiguration) -> dict[str, Any]:
    names = (
        *("id", "graph", "kind", "key", "title", "source", "sha256"),
        *("url", "language", "page_id", "revision", "licence", "redirects"),
    )
    properties = {name: getattr(document, name) for name in names}
    properties |= {"redirects": list(document.redirects), "links": list(document.links)}
    properties |= {
        "pages": list(document.pages) or None,
        "origin": origin_id(document.origin) if document.origin else None,
        "config_hash": configuration.config_hash,
        "schema": configuration.schema,
        "schema_hash": configuration.schema_hash,
        "schema_text": configuration.schema_text,
        "tokeniser": configuration.tokeniser,
        "options": configuration.options,
        "answers_hash": configuration.answers_hash or configuration.config_hash,
    }
    return {name: value for name, value in properties.items() if value is not None}
