"""The whole flow on one page: load, unload, ask.

    acquire -> extract -> record -> settle -> embed -> analyse          retrieve -> answer

Each call opens the database that the settings mean (NEO4J_URI, else the managed local server, started where needed).
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kg_neo4j.errors import KgError, ModelError, SourceError, SourceNotFound, UsageError
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import (
    Answer,
    Chunk,
    ChunkOutcome,
    Document,
    Extraction,
    LoadReport,
    RowCounts,
    SkippedSource,
    Usage,
)

if TYPE_CHECKING:
    from kg_neo4j._models.protocols import EmbeddingModel
    from kg_neo4j._models.tokens import Tokeniser
    from kg_neo4j.extract.engine import ExtractionConfig, ExtractionJob
    from kg_neo4j.graph.database import Database
    from kg_neo4j.graph.documents import LoadConfiguration
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.graph.recorder import Recorder
    from kg_neo4j.settings import Settings

BATCH_ROWS = 2_000  # rows a write transaction: the server spent less on 1,000 to 2,500 than on 5,000 (bench)
BATCH_S = 2.0  # a slow model's answers are written at least this often


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to load. The defaults are those of the command line."""

    wikipedia: tuple[str, ...] = ()  # titles
    language: str = "en"  # of the Wikipedia
    alias: str | None = None  # a name for the one source given
    chunk_tokens: int | None = 1200  # W2's default; None: as much as half of the model's window allows
    chunk_overlap: int = 0  # tokens
    preprocess: str = "none"  # "none" (W1's A2) or "stopwords" (A1)
    schema: str = "graph"  # "graph", "wikipedia" or a file
    evidence: str = "flag"  # or "reject": rows whose evidence is not in the text
    analytics: bool = True
    rebuild: bool = False  # extract again what was loaded under another configuration


@dataclass(slots=True)
class _Tally:
    """What a load has seen so far."""

    documents: int = 0
    chunks: int = 0
    read: int = 0
    changes: int = 0
    usage: Usage = field(default_factory=Usage)
    rejections: Counter[str] = field(default_factory=Counter)
    skipped: list[SkippedSource] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def count(self, document: Document, extraction: Extraction) -> None:
        self.read += extraction.rows_read
        self.usage += extraction.usage
        self.rejections.update(str(rejection.reason) for rejection in extraction.rejections)
        if extraction.outcome in (ChunkOutcome.FAILED, ChunkOutcome.REFUSED, ChunkOutcome.TRUNCATED):
            where = f"chunk {extraction.chunk.index + 1} of {document.title!r}"
            self.failed.append(f"{where}: {extraction.outcome}: {extraction.detail}".rstrip(": "))

    def report(self, database: Database, graph: str, communities: int, seconds: float) -> LoadReport:
        from kg_neo4j.graph import queries

        size = database.read(queries.get("write/count_graph"), graph=graph)[0]
        rejected = self.rejections.total()
        return LoadReport(
            graph=graph,
            documents=self.documents,
            chunks=self.chunks,
            rows=RowCounts(self.read, self.read - rejected, rejected),
            nodes=size["nodes"],
            relationships=size["relationships"],
            communities=communities,
            changes=self.changes,
            usage=self.usage,
            seconds=seconds,
            skipped=tuple(self.skipped),
            failed_chunks=tuple(self.failed),
            rejections=dict(self.rejections),
            notes=tuple(self.notes),
        )


def load(
    sources: Sequence[str] = (),
    *,
    settings: Settings,
    options: LoadOptions | None = None,
    progress: Progress = SILENT,
) -> LoadReport:
    """Build or bring up to date the graph of `sources` (files, folders) and `options.wikipedia` (titles).

    Loading the same twice changes nothing; an edited document replaces exactly what it supported. A run that was
    stopped goes on where it was. Raises the KgError that says what is wrong; what was recorded before stays.
    """
    from kg_neo4j import _models
    from kg_neo4j._models import tokens
    from kg_neo4j.extract import schema as schemas
    from kg_neo4j.graph.constraints import ensure_constraints
    from kg_neo4j.graph.database import connect
    from kg_neo4j.graph.documents import check_schema
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.graph.recorder import Recorder
    from kg_neo4j.graph.settler import settle
    from kg_neo4j.organise import vectors

    options = options or LoadOptions()
    started = time.monotonic()
    tally = _Tally()
    schema = schemas.load(options.schema)
    tokeniser = tokens.load()
    extraction = _extraction_config(settings, options)
    configuration = _load_configuration(settings, options, extraction, tokeniser)
    embedder = _models.embedding_model(settings)
    documents = _documents(sources, settings, options, tally)
    with connect(settings, progress) as database:
        ensure_constraints(database)
        with Lease(database, settings.graph) as lease:
            check_schema(database, settings.graph, configuration)
            vectors.check(database, embedder, graph=settings.graph, rebuild=options.rebuild)
            recorder = Recorder(database, settings.graph, schema, lease)
            run = _Run(database, lease, recorder, configuration, extraction, tally, progress)
            try:
                _extract_and_record(run, _jobs(run, documents, tokeniser, settings, options))
            except (ModelError, SourceError, UsageError, KeyboardInterrupt):
                settle(database, settings.graph, schema, lease, progress)  # what was recorded is whole before we stop
                raise
            tally.changes += settle(database, settings.graph, schema, lease, progress)
            return _finish(database, settings, options, embedder, tokeniser, run, started)


@dataclass(frozen=True, slots=True)
class _Run:
    """What loading one document needs."""

    database: Database
    lease: Lease
    recorder: Recorder
    configuration: LoadConfiguration
    extraction: ExtractionConfig
    tally: _Tally
    progress: Progress


def _jobs(
    run: _Run, documents: Iterator[Document], tokeniser: Tokeniser, settings: Settings, options: LoadOptions
) -> Iterator[ExtractionJob]:
    """Record each document and its chunks, and yield the chunks that are still to be extracted."""
    from kg_neo4j.extract.engine import ExtractionJob
    from kg_neo4j.graph.documents import record_document, stored_answers

    for document in documents:
        chunks = _chunks(document, tokeniser, settings, options)
        recorded = record_document(run.database, run.lease, document, chunks, run.configuration)
        run.tally.documents += 1
        run.tally.chunks += len(chunks)
        run.tally.changes += recorded.changes
        if recorded.pending:
            stored = stored_answers(run.database, document.graph, document.id, run.configuration.config_hash)
            for chunk in recorded.pending:
                yield ExtractionJob(document, chunk, stored.get(chunk.id, ()))


def _extract_and_record(run: _Run, jobs: Iterator[ExtractionJob]) -> None:
    """Extract in the background, write in batches; the next batch is made while the server writes one."""
    from kg_neo4j.extract.engine import extract_all

    def counted() -> Iterator[Extraction]:
        for document, extraction in extract_all(jobs, run.extraction):
            run.tally.count(document, extraction)
            run.progress.advance("extract")
            yield extraction

    run.progress.start("extract")
    for changes in run.recorder.record_all(_batches(counted())):
        run.tally.changes += changes
    run.progress.finish("extract")


def _batches(extractions: Iterator[Extraction]) -> Iterator[list[Extraction]]:
    """Group extractions for writing: many where they come fast, few where a model is slow."""
    batch: list[Extraction] = []
    rows, since = 0, time.monotonic()
    try:
        for extraction in extractions:
            batch.append(extraction)
            rows += extraction.rows_read
            if rows >= BATCH_ROWS or time.monotonic() - since > BATCH_S:
                yield batch
                batch, rows, since = [], 0, time.monotonic()
    except (KgError, KeyboardInterrupt):
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _finish(
    database: Database,
    settings: Settings,
    options: LoadOptions,
    embedder: EmbeddingModel,
    tokeniser: Tokeniser,
    run: _Run,
    started: float,
) -> LoadReport:
    """Compute what is derived from the settled graph, and report."""
    from kg_neo4j.organise import analytics, vectors

    run.tally.changes += vectors.embed(database, settings.graph, embedder, tokeniser, run.progress).changes
    communities = 0
    if options.analytics:
        analysed = analytics.refresh(database, settings.graph, run.progress, lease=run.lease)
        run.tally.changes += analysed.changes
        communities = analysed.communities
        if analysed.skipped:
            run.tally.notes.append(analysed.skipped)
    return run.tally.report(database, settings.graph, communities, time.monotonic() - started)


def unload(source: str, *, settings: Settings, progress: Progress = SILENT) -> LoadReport:
    """Remove one document, named by its source, title, key or id, and exactly what lost its last support.

    Raises SourceNotFound where no document, UsageError where several documents bear that name.
    """
    from kg_neo4j import _models
    from kg_neo4j._models import tokens
    from kg_neo4j.extract import schema as schemas
    from kg_neo4j.graph.database import connect
    from kg_neo4j.graph.documents import list_documents, withdraw_document
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.graph.settler import settle
    from kg_neo4j.organise import analytics, vectors

    started = time.monotonic()
    tally = _Tally()
    with connect(settings, progress) as database:
        stored = list_documents(database, settings.graph)
        found = [each for each in stored if source in (each.id, each.source, each.title, each.key)]
        if not found:
            raise SourceNotFound(
                f"no document {source!r} in graph {settings.graph!r}", hint="`kg documents` lists what is loaded"
            )
        if len(found) > 1:
            raise UsageError(f"{len(found)} documents are called {source!r}", hint="name one by its id")
        with Lease(database, settings.graph) as lease:
            text = found[0].schema_text
            schema = schemas.parse(text, found[0].schema) if text else schemas.load(found[0].schema)
            tally.documents = 1
            tally.chunks = withdraw_document(database, lease, settings.graph, found[0].id)
            tally.changes = 1 + tally.chunks + settle(database, settings.graph, schema, lease, progress)
            embedder = _models.embedding_model(settings)
            vectors.embed(database, settings.graph, embedder, tokens.load(), progress)
            analysed = analytics.refresh(database, settings.graph, progress, lease=lease)
            tally.changes += analysed.changes
        return tally.report(database, settings.graph, analysed.communities, time.monotonic() - started)


def ask(
    question: str,
    *,
    settings: Settings,
    mode: str = "auto",
    max_context_tokens: int = 6000,
    progress: Progress = SILENT,
) -> Answer:
    """Answer a question from the graph, with citations that exist. Nothing in the graph is changed.

    `mode` is "auto", "local" or "naive". `found` is False where the graph does not hold an answer.
    """
    from kg_neo4j import _models, retrieve
    from kg_neo4j._models import tokens
    from kg_neo4j.graph.database import connect

    retrieve.check(question, mode)
    with connect(settings, progress) as database:
        return retrieve.ask(
            database,
            question,
            graph=settings.graph,
            mode=mode,
            model=_models.chat_model(settings),
            embedder=_models.embedding_model(settings),
            tokeniser=tokens.load(),
            max_context_tokens=max_context_tokens,
        )


def _documents(sources: Sequence[str], settings: Settings, options: LoadOptions, tally: _Tally) -> Iterator[Document]:
    """Yield the documents one by one; Wikipedia pages, few and checked first, before files."""
    from kg_neo4j.acquire import files

    pages = [_page(title, settings, options) for title in options.wikipedia]
    found = files.read(sources, graph=settings.graph, alias=options.alias)

    def stream() -> Iterator[Document]:
        seen: set[str] = set()
        for each in itertools.chain(pages, found):
            if isinstance(each, SkippedSource):
                tally.skipped.append(each)
            elif each.id in seen:
                tally.notes.append(f"{each.source}: already read as {each.title!r}")
            else:
                seen.add(each.id)
                yield each

    return stream()


def _page(title: str, settings: Settings, options: LoadOptions) -> Document:
    from kg_neo4j.acquire import wikipedia

    return wikipedia.fetch(title, graph=settings.graph, language=options.language, url=settings.wikipedia_url)


def _chunks(document: Document, tokeniser: Tokeniser, settings: Settings, options: LoadOptions) -> tuple[Chunk, ...]:
    from kg_neo4j.acquire import chunking

    most = _chunk_tokens(settings, options)
    limit = most if options.chunk_tokens is None else None
    return chunking.chunk(document, tokeniser, max_tokens=most, overlap=options.chunk_overlap, limit=limit)


def _chunk_tokens(settings: Settings, options: LoadOptions) -> int:
    """Return the tokens a chunk aims at; for "max", half of what the prompt leaves of the model's window."""
    from kg_neo4j import _models

    return options.chunk_tokens or _models.largest_chunk(settings)


def _extraction_config(settings: Settings, options: LoadOptions) -> ExtractionConfig:
    from kg_neo4j import _models
    from kg_neo4j.extract import schema as schemas
    from kg_neo4j.extract.engine import ExtractionConfig
    from kg_neo4j.extract.interface import Extractor

    schema = schemas.load(options.schema)
    model = _models.chat_model(settings)
    extractor: Extractor
    if model is None:
        from kg_neo4j.extract.offline_extractor import OfflineExtractor

        extractor = OfflineExtractor(schema, spacy_model=settings.spacy_model)
    else:
        from kg_neo4j.extract.llm_extractor import LlmExtractor

        extractor = LlmExtractor(model, schema, temperature=settings.temperature)
    return ExtractionConfig(
        schema=schema,
        extractor=extractor,
        concurrency=1 if model is None else settings.model_concurrency,
        evidence=options.evidence,
        preprocess=options.preprocess,
    )


def _load_configuration(
    settings: Settings, options: LoadOptions, extraction: ExtractionConfig, tokeniser: Tokeniser
) -> LoadConfiguration:
    from kg_neo4j.acquire import chunking
    from kg_neo4j.acquire.identity import hash_id
    from kg_neo4j.extract.schema import BUILT_IN
    from kg_neo4j.graph.documents import LoadConfiguration

    chunker = f"{chunking.RULES_VERSION}/{_chunk_tokens(settings, options)}/{options.chunk_overlap}/{tokeniser.name}"
    return LoadConfiguration(
        config_hash=hash_id("configuration", extraction.config_hash, chunker),
        schema=extraction.schema.name,
        schema_hash=extraction.schema.hash,
        schema_text=None if options.schema in BUILT_IN else extraction.schema.text,
        tokeniser=tokeniser.name,
        rebuild=options.rebuild,
    )
