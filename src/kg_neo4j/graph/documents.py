"""Documents and their chunks in the graph: what is new, what is done, what has gone.

An edited document keeps the chunks whose text it still has (their ids hash the text), with their evidence and answers;
only new ones are extracted, and what lost its last support is deleted when the graph settles.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.errors import KgError, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Transaction, absent_if_empty, present, swept
from kg_neo4j.graph.lease import Lease
from kg_neo4j.records import Chunk, Document, Extraction, ModelAnswer, Usage

DOCUMENTS_AT_A_TIME = 200  # recorded in one transaction, with all their chunks
CHARACTERS_AT_A_TIME = 1_000_000  # of text; the document that goes beyond it is still in
HAND = "hand"  # kind of documents that are what a person stated: made of decisions, and gone with them
READING_S = 0.2  # a group that took longer to read is recorded as it is, so that its extraction begins
CHUNKS_AT_A_TIME = 500
NODES_AT_A_TIME = 5_000  # of trees
SEPARATOR = " > "  # of a title and a section, as in the path of a section
SHAPED = "config_hash schema schema_hash schema_text tokeniser options answers_hash".split()  # of a configuration
FIGURES = 2_000  # answers looked at for an estimate; chunk ids are hashes, so the first ones are a sample


@dataclass(frozen=True, slots=True)
class LoadConfiguration:
    """What shapes the graph besides the documents; stored with each document."""

    config_hash: str  # of everything: `answers_hash`, chunker, tokeniser
    schema: str
    schema_hash: str
    tokeniser: str
    rebuild: bool = False  # replace what was loaded under another configuration
    re_extract: bool = False  # extract again what was loaded with an earlier version of the schema
    older: str = ""  # `config_hash` of each earlier version of the schema, with spaces: these may stay as they are
    schema_text: str | None = None  # of a schema file of the user's own: needed to settle without the file
    options: str | None = None  # JSON: the options of the load that answers are read by again
    answers_hash: str | None = None  # extraction: schema, prompts, model, parameters; None: as `config_hash`


@dataclass(frozen=True, slots=True)
class CutDocument:
    """A document, its chunks, and the configuration under which it was cut and is extracted."""

    document: Document
    chunks: tuple[Chunk, ...]  # in order
    configuration: LoadConfiguration
    extractions: tuple[Extraction, ...] = ()  # of its chunks, made elsewhere


@dataclass(frozen=True, slots=True)
class RecordedDocument:
    """What recording a document found and did."""

    document: Document
    chunks: tuple[Chunk, ...]  # in order
    pending: tuple[Chunk, ...]  # chunks still to be extracted, in order
    changes: int  # chunks written or deleted, and the document itself
    is_new: bool  # the graph did not have it, so it has no answers either
    extractions: tuple[Extraction, ...] = ()  # of `CutDocument`


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
    author: str  # "" where it is not known
    date: str  # likewise; as the source writes it
    version: str  # likewise; of a web page
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


def record_documents(
    database: Database, lease: Lease, documents: Iterable[CutDocument]
) -> Iterator[tuple[RecordedDocument, ...]]:
    """Bring documents of one graph and their chunks up to date, many in one transaction; yield each group.

    Groups and the documents in them keep the order of `documents`, which is read as groups are asked for. A second
    call with the same documents writes nothing. Raises UsageError where a stored document was loaded under another
    configuration and `rebuild` is off, and what `documents` raises; what came before is recorded and yielded first.
    """
    for group in _groups(documents):
        stored = _stored(database, group[0].document.graph, [cut.document.id for cut in group])
        found: list[_Difference] = []
        refused: UsageError | None = None
        for cut in group:
            try:
                found.append(_compare(cut, *stored[cut.document.id]))
            except UsageError as error:
                refused = error
                break
        withdraw_evidence(lease, [chunk_id for each in found for chunk_id in each.gone], delete=True)
        withdraw_evidence(lease, [chunk_id for each in found for chunk_id in each.withdrawn])
        forgotten = [chunk_id for each in found if each.of_older for chunk_id in each.withdrawn]
        lease.write_parts(queries.get("write/forget_answers"), "ids", forgotten)
        if changed := [each for each in found if each.recorded.changes]:
            database.write_parts(changed, partial(_write_documents, lease=lease))
        if found:
            yield tuple(each.recorded for each in found)
        if refused is not None:
            raise refused


def compare_document(database: Database, cut: CutDocument) -> RecordedDocument:
    """Return what `record_documents` would return for a document. Writes nothing; raises what it raises."""
    return _compare(cut, *_stored(database, cut.document.graph, [cut.document.id])[cut.document.id]).recorded


def answer_figures(database: Database, graph: str, model: str) -> tuple[AnswerFigures, ...]:
    """Return what the answers of a model about chunks of a graph took; of a great many, of some."""
    rows = database.read(queries.get("write/answer_figures"), graph=graph, model=model, limit=FIGURES)
    return tuple(AnswerFigures(**row) for row in rows)


def description_characters(database: Database, graph: str) -> float | None:
    """Return the mean length of what chunks of a graph say of an entity; None where they say nothing."""
    found = database.read(queries.get("write/description_length"), graph=graph, limit=FIGURES // 10)[0]["characters"]
    return float(found) if found is not None else None


def often_mentioned(database: Database, graph: str) -> Mapping[str, int]:
    """Return the entities of a graph with most evidence: name -> rows of evidence."""
    rows = database.read(queries.get("write/often_mentioned"), graph=graph, limit=FIGURES)
    return {row["name"]: row["evidence"] for row in reversed(rows)}


def withdraw_chunks(database: Database, lease: Lease, graph: str, document_id: str) -> int:
    """Delete the chunks of a document, their evidence and its trees; return how many chunks went. Settle afterwards.

    The document stays, so that what is left to do can be asked for again by its name; delete it last.
    """
    _, stored_chunks = _stored(database, graph, [document_id])[document_id]
    swept(lease.write, queries.get("tree/delete_trees"), NODES_AT_A_TIME, graph=graph, documents=[document_id])
    withdraw_evidence(lease, list(stored_chunks), delete=True)
    return len(stored_chunks)


def delete_document(lease: Lease, graph: str, document_id: str) -> None:
    """Delete a document whose chunks are gone."""
    lease.write(queries.get("write/delete_document"), graph=graph, id=document_id)


def stored_answers(
    database: Database, graph: str, document_ids: Sequence[str], answers_hash: str
) -> Mapping[str, tuple[ModelAnswer, ...]]:
    """Return what a model has already said of documents under this configuration: chunk id -> answers by round."""
    answers: dict[str, tuple[ModelAnswer, ...]] = {}
    asked = {"graph": graph, "documents": list(document_ids), "config_hash": answers_hash}
    for row in database.stream(queries.get("write/stored_answers"), **asked):
        found = row["answer"]
        answer = ModelAnswer(
            text=found.get("text", ""),
            model=found["model"],
            prompt_hash=found["prompt_hash"],
            finish_reason=found.get("finish_reason"),
            round=found["round"],
            usage=Usage(),  # paid for by an earlier run
            step=found.get("step", "whole"),
            context_hash=found.get("context_hash", ""),
            offsets=tuple(map(_offset, found.get("offsets", "").split())),
            around=found.get("around"),
        )
        answers[row["chunk_id"]] = (*answers.get(row["chunk_id"], ()), answer)
    return answers


def _offset(written: str) -> tuple[int, int]:
    start, _, end = written.partition(":")
    return int(start), int(end)


def known_names(
    database: Database, graph: str, document_ids: Sequence[str]
) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Return the names and types that the recorded chunks of documents gave, by chunk id."""
    rows = database.read(queries.get("write/known_names"), graph=graph, documents=list(document_ids))
    return {row["chunk_id"]: tuple((name, kind) for name, kind in row["names"]) for row in rows}


@dataclass(frozen=True, slots=True)
class _Difference:
    """What recording one document writes and deletes: rows as the statements read them, ids of chunks."""

    recorded: RecordedDocument
    properties: Mapping[str, Any]  # of the document
    rows: Sequence[Mapping[str, Any]]  # of chunks that are new or have moved
    moved: Sequence[str]
    gone: Sequence[str]
    withdrawn: Sequence[str]  # extracted under another configuration
    of_older: bool = False  # that was of an earlier version of the schema: its answers go, too


def _groups(documents: Iterable[CutDocument]) -> Iterator[list[CutDocument]]:
    """Put documents together for one transaction: so many, so much text, and so long to read, at most.

    The first group is one document, so that its extraction begins at once; each further one may have twice as many.
    No document is in a group twice: the second time is compared with what the first one wrote.
    """
    group: dict[str, CutDocument] = {}
    most, characters, since = 1, 0, time.monotonic()
    try:
        for each in documents:
            if each.document.id in group:
                yield list(group.values())
                group, characters = {}, 0
            group[each.document.id] = each
            characters += sum(len(chunk.text) for chunk in each.chunks)
            is_long = characters >= CHARACTERS_AT_A_TIME or time.monotonic() - since > READING_S
            if is_long or len(group) >= most:
                yield list(group.values())
                most = min(2 * most, DOCUMENTS_AT_A_TIME)
                group, characters, since = {}, 0, time.monotonic()
    except KgError:
        if group:
            yield list(group.values())
        raise
    if group:
        yield list(group.values())


def _compare(
    cut: CutDocument, stored: Mapping[str, Any], stored_chunks: Mapping[str, Mapping[str, Any]]
) -> _Difference:
    """Compare one document with what is stored. Raises UsageError where it is refused."""
    properties = document_properties(cut.document, cut.configuration)
    if stored:
        _check_stored(cut, stored, properties)
    wanted = {chunk.id for chunk in cut.chunks}
    gone = [chunk_id for chunk_id in stored_chunks if chunk_id not in wanted]
    is_of_another = bool(stored) and stored.get("config_hash") != cut.configuration.config_hash
    if is_of_another and _may_stay(cut, stored, stored_chunks):
        is_of_another = False
        properties = present(properties | {name: stored.get(name) for name in SHAPED})
    title = cut.document.title
    written = []
    for chunk in cut.chunks:
        known = stored_chunks.get(chunk.id)
        if (
            known is None
            or any(known[name] != getattr(chunk, name) for name in ("index", "start", "end", "section", "line"))
            or (known["heading"] or "") != heading_of(title, chunk.section)
        ):
            written.append(chunk)
    rows = [{"id": chunk.id, "properties": chunk_properties(chunk, title)} for chunk in written]
    spelling = {"source": None, "origin": None}  # how the source was named on the command line is no change
    changed = properties | spelling != present(stored) | spelling
    done = {chunk_id for chunk_id, chunk in stored_chunks.items() if chunk["recorded"] and chunk["done"]}
    pending = tuple(chunk for chunk in cut.chunks if is_of_another or chunk.id not in done)
    changes = len(rows) + len(gone) + changed
    return _Difference(
        RecordedDocument(cut.document, cut.chunks, pending, changes, not stored, cut.extractions),
        properties,
        rows,
        moved=[chunk.id for chunk in written if chunk.id in stored_chunks],
        gone=gone,
        withdrawn=[chunk_id for chunk_id in stored_chunks if chunk_id in wanted] if is_of_another else [],
        of_older=bool(stored) and stored["config_hash"] in cut.configuration.older.split(),
    )


def _may_stay(cut: CutDocument, stored: Mapping[str, Any], chunks: Mapping[str, Mapping[str, Any]]) -> bool:
    """Tell whether a document that an earlier version of the schema extracted stays as it is: unchanged, and whole."""
    configuration, wanted = cut.configuration, {chunk.id for chunk in cut.chunks}
    if configuration.rebuild or configuration.re_extract or stored["config_hash"] not in configuration.older.split():
        return False
    return wanted == chunks.keys() and all(each["recorded"] and each["done"] for each in chunks.values())


def _write_documents(transaction: Transaction, found: Sequence[_Difference], *, lease: Lease) -> None:
    documents = [{"id": each.properties["id"], "properties": each.properties} for each in found]
    transaction.run(queries.get("write/merge_documents"), rows=documents)
    transaction.run(queries.get("write/merge_chunks"), rows=[row for each in found for row in each.rows])
    if linked := [each.recorded.document.id for each in found if len(each.recorded.chunks) > 1]:
        transaction.run(queries.get("write/link_chunks"), ids=linked)
    if moved := [chunk_id for each in found for chunk_id in each.moved]:
        transaction.run(queries.get("write/mark_chunks"), ids=moved)
    lease.prove(transaction)  # last, so that the lease's node is locked for the commit alone


def _check_stored(cut: CutDocument, stored: Mapping[str, Any], properties: Mapping[str, Any]) -> None:
    """Refuse another file of the same name, and another configuration without `rebuild`."""
    document, configuration, origin = cut.document, cut.configuration, stored.get("origin")
    if origin and origin != properties.get("origin") and stored["sha256"] != document.sha256:
        raise UsageError(
            f"{document.origin or document.source}: graph {document.graph!r} has another file's text under the name "
            f"{document.key!r}, loaded from {stored['source']}",
            hint="load this one with --as NAME or with another --root DIR; "
            "or `kg unload` the other one first, if this is its new place",
        )
    if configuration.rebuild or stored["config_hash"] in (configuration.config_hash, *configuration.older.split()):
        return
    if stored["tokeniser"] != configuration.tokeniser:
        difference = f"chunked by the tokeniser {stored['tokeniser']}, this run has {configuration.tokeniser}"
    else:
        difference = "loaded with another model, prompt, schema or chunk size"
    hint = "pass --rebuild to extract it again, or choose another graph with --graph NAME"
    raise UsageError(f"{document.title!r} was {difference}", hint=hint)


def _stored(
    database: Database, graph: str, document_ids: Sequence[str]
) -> dict[str, tuple[Mapping[str, Any], dict[str, Mapping[str, Any]]]]:
    """Return what is stored of documents: id -> properties, and state of the chunks by id; empty where nothing is."""
    found: dict[str, tuple[Mapping[str, Any], dict[str, Mapping[str, Any]]]] = {id: ({}, {}) for id in document_ids}
    for row in database.read(queries.get("write/document_states"), graph=graph, ids=list(document_ids)):
        found[row["document"]["id"]] = row["document"], {chunk["id"]: chunk for chunk in row["chunks"]}
    return found


def withdraw_evidence(lease: Lease, ids: Sequence[str], *, delete: bool = False) -> None:
    """Take back what chunks support, and mark it; they count as not recorded. Settle afterwards.

    With `delete`, the chunks go, too.
    """
    for name in ("withdraw_evidence", "delete_chunks") if delete else ("withdraw_evidence",):
        lease.write_parts(queries.get(f"write/{name}"), "ids", ids, CHUNKS_AT_A_TIME)


def chunk_properties(chunk: Chunk, title: str) -> dict[str, Any]:
    """Return what is stored of a chunk of a document with this title before it is extracted."""
    names = ("id", "graph", "document_id", "index", "text", "token_count", "start", "end", "section", "line")
    properties = {name: absent_if_empty(getattr(chunk, name)) for name in names}
    return {**properties, "heading": absent_if_empty(heading_of(title, chunk.section))}


def document_properties(document: Document, configuration: LoadConfiguration) -> dict[str, Any]:
    """Return what is stored of a document."""
    names = "id graph kind key title source sha256 url language author date version page_id revision licence adopted"
    properties = {name: getattr(document, name) for name in names.split()}
    properties |= {name: list(getattr(document, name)) for name in ("redirects", "links", "pages")}
    properties |= {"origin": origin_id(document.origin) if document.origin else None}
    properties |= {name: getattr(configuration, name) for name in SHAPED}
    return present(properties | {"answers_hash": configuration.answers_hash or configuration.config_hash})


def heading_of(title: str, section: str) -> str:
    """Return the heading of a chunk, which is searched and embedded with its text.

    A section that begins with the title stands alone. `_` becomes a space: in a title that is a file name, the
    full-text index would take "the_long_winter" for one word.
    """
    named = section == title or section.startswith(title + SEPARATOR)
    path = [section] if named else [title, section]
    return SEPARATOR.join(part for part in path if part).replace("_", " ")


def embedded_text(heading: str | None, text: str) -> str:
    """Return what is embedded of a chunk; write/vector_texts_chunk.cypher has the same rule."""
    return f"{heading}\n{text}" if heading else text
