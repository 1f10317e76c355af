"""What stored answers give once more: a copy of a graph, a rebuilt one, and the rows in quarantine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.door import Door
from kg_neo4j.acquire.identity import chunk_id, document_id, text_hash
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.conversation import Conversation
from kg_neo4j.extract.engine import ExtractionConfig, show
from kg_neo4j.extract.reading import Rounds
from kg_neo4j.graph import documents as stored_documents
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect, no_such_graph, refuse
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import HAND, CutDocument, LoadConfiguration, StoredDocument
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.replay import replay, schema_of, stored_chunks, widest_schema
from kg_neo4j.interrupts import released
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.options import extraction_config, load_configuration, options_of
from kg_neo4j.pipeline.run import Run, unread
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk, Document, Extraction, LoadReport, QuarantinedRow, Rejection
from kg_neo4j.settings import Settings

LONGEST_NAME = 200  # of a graph, as KG_GRAPH


def copy_graph(target: str, *, settings: Settings, progress: Progress = SILENT) -> LoadReport:
    """Copy the graph of the settings to the graph `target`; the stored answers are replayed, and no model is called.

    A copy that was stopped continues when it is repeated. Decisions of a person, trees and community reports are not
    copied. Raises NoSuchGraph where it has no document, UsageError where `target` holds a document that it does not.
    """
    tally, graph = Tally(), settings.graph
    own = settings.model_copy(update={"graph": target})
    with connect(own, progress, to_write=True, makes=[]) as database:
        refuse(database, graph)
        stored = tuple(each for each in stored_documents.list_documents(database, graph) if each.kind != HAND)
        if not stored:
            raise no_such_graph(database, graph)
        _check(stored, stored_documents.list_documents(database, target), graph, target)
        with Lease(database, graph), Lease(database, target) as lease:
            run = Run(database, lease, own, tally, progress, "rebuild")
            progress.start("extract", sum(document.chunks for document in stored))
            for each in stored:
                chunks = stored_chunks(database, graph, each.id)
                copied, properties = _copied(database, each, chunks, graph, target)
                list(run.record_documents([copied]))  # it is done as the groups are read
                rows = [{"id": copied.document.id, "properties": properties}]
                lease.write(queries.get("write/merge_documents"), rows=rows)
                copies = {chunk.id: copy for chunk, copy in zip(chunks, copied.chunks, strict=True)}
                replayed = replay(database, graph, each, copies=copies)
                run.record(schema_of(each), ((copied.document, found) for found in replayed))
            progress.finish("extract")
            run.settle(widest_schema(stored))
            is_free = factory.embeds_built_in(own)
            if not is_free:
                tally.notes.append(f"no vectors were made, which are paid for: `kg load --graph {target}` makes them")
            return tally.report(database, target, run.derive(embed=is_free))


def _check(stored: tuple[StoredDocument, ...], there: tuple[StoredDocument, ...], graph: str, target: str) -> None:
    if not 1 <= len(target) <= LONGEST_NAME:
        raise UsageError(f"the name of a graph has 1 to {LONGEST_NAME} characters")
    if graph == target:
        raise UsageError(f"graph {graph!r} cannot be copied to itself")
    known = {document.key for document in stored}
    if other := next((document.key for document in there if document.key not in known), None):
        raise UsageError(
            f"graph {target!r} holds {other!r}, which graph {graph!r} does not", hint="choose a name that is not used"
        )


def _copied(
    database: Database, stored: StoredDocument, chunks: Sequence[Chunk], graph: str, target: str
) -> tuple[CutDocument, dict[str, Any]]:
    """Return a document with its chunks as the other graph has them, and all its properties."""
    found = database.read(queries.get("write/document_states"), graph=graph, ids=[stored.id])[0]["document"]
    properties = {**found, "id": document_id(target, stored.kind, stored.key), "graph": target}
    fields: dict[str, Any] = {
        **{name: properties[name] for name in ("id", "graph", "kind", "key", "title", "source", "sha256")},
        **{name: properties.get(name) for name in ("url", "language", "page_id", "revision", "licence")},
        **{name: properties.get(name, "") for name in ("author", "date", "version")},
        **{name: tuple(properties.get(name) or ()) for name in ("pages", "redirects", "links")},
    }
    document = Document(**fields, text="")
    configured: dict[str, Any] = {name: properties.get(name) for name in stored_documents.SHAPED}
    seen: Counter[str] = Counter()
    copies = []
    for chunk in chunks:
        digest = text_hash(chunk.text)
        id_ = chunk_id(document.id, digest, seen[digest])
        seen[digest] += 1
        copies.append(replace(chunk, id=id_, document_id=document.id, graph=target))
    return CutDocument(document, tuple(copies), LoadConfiguration(**configured)), properties


def rebuild(*, settings: Settings, progress: Progress = SILENT) -> LoadReport:
    """Make the graph again from its documents, stored answers and decisions; the sorted export stays the same.

    Repairs a graph whose entities, facts or evidence were changed by hand. The next `kg load` or `kg rebuild` continues
    a rebuild that was killed. Chunks without an answer stay as they are; the next load asks about them.
    """
    tally, graph = Tally(), settings.graph
    with connect(settings, progress, to_write=True) as database, Lease(database, graph) as lease:
        run = Run(database, lease, settings, tally, progress, "rebuild")
        stored = stored_documents.list_documents(database, graph)
        progress.start("extract", sum(document.chunks for document in stored))
        for each in stored:
            tally.documents += 1
            tally.chunks += each.chunks
            stored_documents.withdraw_evidence(lease, [chunk.id for chunk in stored_chunks(database, graph, each.id)])
            document = unread(each, graph)
            run.record(schema_of(each), ((document, found) for found in replay(database, graph, each)))
        progress.finish("extract")
        if stored:
            run.settle(widest_schema(stored))
        return tally.report(database, graph, run.derive())


def quarantine(*, values: bool = False, settings: Settings, progress: Progress = SILENT) -> tuple[QuarantinedRow, ...]:
    """Return the rows in quarantine by document, chunk and line, then the failed chunks. Writes nothing.

    With `values` they are the optional values that were left out of accepted rows.
    """
    with connect(settings, progress) as database:
        return tuple((_values if values else quarantined)(database, settings.graph))


def _values(database: Database, graph: str) -> Iterator[QuarantinedRow]:
    for document in stored_documents.list_documents(database, graph):
        for found in replay(database, graph, document, rejected_only=True):
            for each in found.dropped:
                left_out = Rejection(each.line, each.row, each.reason, f"{each.column}: {each.value}")
                yield QuarantinedRow(document.title, found.chunk.index, found.chunk.id, left_out)


def quarantined(database: Database, graph: str) -> Iterator[QuarantinedRow]:
    """Yield the rows in quarantine of a graph of an open database, as `quarantine` returns them."""
    for document in stored_documents.list_documents(database, graph):
        for extraction in replay(database, graph, document, rejected_only=True):
            for each in extraction.rejections:
                if not each.repaired:
                    yield QuarantinedRow(document.title, extraction.chunk.index, extraction.chunk.id, each)
    for row in database.stream(queries.get("write/failed_chunks"), graph=graph):
        failed = Rejection(0, "", row["outcome"], row["reason"])
        yield QuarantinedRow(row["document"], row["chunk"], row["chunk_id"], failed)


def retry_quarantine(*, settings: Settings, budget_usd: float | None = None, progress: Progress = SILENT) -> LoadReport:
    """Ask the model once more for every row in quarantine, and record what is accepted.

    Rows that fail again stay in quarantine, so a retry costs one call a chunk each time. Raises UsageError where no
    model is configured, or another one than the documents were loaded with, and BudgetReached before the call that
    would cost more than `budget_usd`; what was repaired before stays.
    """
    factory.require_model(settings, "only a model can repair rows")
    tally, budget = Tally(), budget_of(budget_usd)
    asked_again = settings.model_copy(update={"answer_cache": False})  # a retry wants another answer
    door = factory.door(asked_again, budget=budget)
    with connect(settings, progress, to_write=True) as database, Lease(database, settings.graph) as lease:
        run = Run(database, lease, settings, tally, progress, "quarantine", budget)
        progress.start("extract")
        stored = stored_documents.list_documents(database, settings.graph)
        for document in (each for each in stored if each.kind != "table"):  # those are repaired in their file
            with run.settling(widest_schema(stored)):
                run.record(schema_of(document), _repaired(run, door, document))
        progress.finish("extract")
        return tally.report(database, settings.graph, run.derive())


def _repaired(run: Run, door: Door, stored: StoredDocument) -> Iterator[tuple[Document, Extraction]]:
    """Yield the extractions of chunks with rows in quarantine, after asking for these rows once more."""
    config: ExtractionConfig | None = None
    document = unread(stored, run.settings.graph)
    run.tally.documents += 1
    for extraction in replay(run.database, run.settings.graph, stored, rejected_only=True):
        if all(each.repaired for each in extraction.rejections):
            continue
        config = config or _same_configuration(run.settings, stored, door)
        shown = show(extraction.chunk, config.preprocess, stored.language, config.schema.evidence, extraction.answers)
        rounds = Rounds(extraction.chunk, config.reading, shown)
        again = Conversation(ChunkTask(document, extraction.chunk), config.extractor, rounds, 0, repair=True)
        run.tally.chunks += 1
        with released():
            repaired = again.repair_again(extraction.answers)
        yield document, repaired


def _same_configuration(settings: Settings, stored: StoredDocument, door: Door) -> ExtractionConfig:
    """Return how the document was extracted; UsageError where this run would do it otherwise."""
    options = options_of(stored)
    config = extraction_config(settings, options, door, schema=schema_of(stored))
    if load_configuration(settings, options, config, tokens.load()).config_hash != stored.config_hash:
        raise UsageError(
            f"{stored.title!r} was loaded with another model, prompt or tokeniser than this run has",
            hint="set KG_MODEL to the model that it was loaded with, or load it again with --rebuild",
        )
    return config
