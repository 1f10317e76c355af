"""Load: acquire, extract, record, settle, embed, analyse."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.errors import BudgetReached, KgError, ModelError, SourceError, UsageError
from kg_neo4j.pipeline.budgeting import budget_of, said_what_is_left
from kg_neo4j.pipeline.deriving import Derivation, derive
from kg_neo4j.pipeline.documents import cut_document, is_plugged, read_documents
from kg_neo4j.pipeline.options import LoadOptions, extraction_config, load_configuration
from kg_neo4j.pipeline.syncing import Sync
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Document, Extraction, LoadReport

if TYPE_CHECKING:
    from kg_neo4j._models.budget import Budget
    from kg_neo4j._models.protocols import EmbeddingModel
    from kg_neo4j._models.tokens import Tokeniser
    from kg_neo4j.extract.context import DocumentJob
    from kg_neo4j.extract.engine import ExtractionConfig
    from kg_neo4j.extract.interface import Extractor
    from kg_neo4j.graph.database import Database
    from kg_neo4j.graph.documents import LoadConfiguration, RecordedDocument
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.graph.recorder import Recorder
    from kg_neo4j.organise.chunk_embedding import ChunkEmbedding
    from kg_neo4j.settings import Settings

BATCH_ROWS = 2_000  # rows a write transaction: the server spent less on 1,000 to 2,500 than on 5,000 (bench)
BATCH_S = 2.0  # a slow model's answers are written at least this often


def load(
    sources: Sequence[str] = (),
    *,
    settings: Settings | None = None,
    options: LoadOptions | None = None,
    documents: Iterable[Document] = (),
    extractor: Extractor | None = None,
    budget: Budget | None = None,
    progress: Progress = SILENT,
) -> LoadReport:
    """Build or bring up to date the graph of `sources` (files, folders) and `options.wikipedia` (titles).

    A folder that `extract` wrote is a source, too; `documents` are further ones that the caller has read. `extractor`
    stands for the one that the settings mean; the budget does not know what it costs. `budget` is that of a longer run,
    instead of `options.budget_usd`. Loading the same twice changes nothing; an edited document replaces exactly what it
    supported. A run that was stopped goes on where it was. Raises the KgError that says what is wrong.
    """
    from kg_neo4j import factory
    from kg_neo4j._models import tokens
    from kg_neo4j.extract import schema as schemas
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.documents import checked_file_keys
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.graph.recorder import Recorder
    from kg_neo4j.graph.settler import settle
    from kg_neo4j.organise import vectors
    from kg_neo4j.organise.chunk_embedding import ChunkEmbedding
    from kg_neo4j.settings import Settings

    settings = settings or Settings()
    options = options or LoadOptions()
    started, tally = time.monotonic(), Tally()
    factory.warm_up(settings)
    schema = schemas.load(options.schema)
    tokeniser = tokens.load()
    budget = budget or budget_of(options.budget_usd)
    door = factory.door(settings, budget=budget) if extractor is None else factory.without_model()
    extraction = extraction_config(settings, options, door, extractor=extractor)
    configuration = load_configuration(settings, options, extraction, tokeniser)
    embedder = factory.embedding_model(settings, budget=budget)
    (files, others), known = _apart(sources), dict[str, str]()
    read = read_documents(others, settings, options, tally, documents, known)
    with (
        connect(settings, progress, to_write=True) as database,
        Lease(database, settings.graph) as lease,
        said_what_is_left(database, settings.graph),
        ChunkEmbedding(database, embedder, tokeniser) as beside,
    ):
        known |= checked_file_keys(database, settings.graph, configuration)  # before the first document is read
        if options.vectors:
            vectors.check(database, embedder, graph=settings.graph, rebuild=options.rebuild or options.re_embed)
        recorder = Recorder(database, settings.graph, schema, lease)
        run = _LoadRun(
            *(database, settings.graph, lease, recorder, configuration, extraction, tally, files, beside),
            *(budget, progress),
        )
        sync = Sync(database, settings, options, tally, [each for each in others if not is_plugged(each)])
        try:
            _extract_and_record(run, _jobs(run, sync.documents(read), tokeniser, settings, options))
            sync.withdraw(lease)
        except (ModelError, BudgetReached, SourceError, UsageError, KeyboardInterrupt):
            settle(database, settings.graph, schema, lease, progress)  # what was recorded is whole before we stop
            raise
        tally.changes += settle(database, settings.graph, schema, lease, progress)
        sync.delete(lease)
        return _finish(settings, options, embedder, run, started)


@dataclass(frozen=True, slots=True)
class _LoadRun:
    """What loading one document needs."""

    database: Database
    graph: str
    lease: Lease
    recorder: Recorder
    configuration: LoadConfiguration
    extraction: ExtractionConfig
    tally: Tally
    files: tuple[Path, ...]  # of extractions made elsewhere
    beside: ChunkEmbedding
    budget: Budget | None
    progress: Progress


def _apart(sources: Sequence[str]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Return the files of extractions among the sources, folders looked into, and the other sources."""
    from kg_neo4j.extract.exchange import files_in

    found = {source: files_in(Path(source)) for source in sources}
    files = tuple(path for paths in found.values() for path in paths)
    return files, tuple(source for source, paths in found.items() if not paths)


def _jobs(
    run: _LoadRun, documents: Iterator[Document], tokeniser: Tokeniser, settings: Settings, options: LoadOptions
) -> Iterator[DocumentJob]:
    """Record each document and its chunks, and yield the documents with chunks that are still to be extracted."""
    from kg_neo4j.graph.documents import CutDocument, record_documents

    cut = (
        CutDocument(document, cut_document(document, tokeniser, settings, options), run.configuration)
        for document in documents
    )
    for group in record_documents(run.database, run.lease, cut):
        run.tally.documents += len(group)
        run.tally.chunks += sum(len(each.chunks) for each in group)
        run.tally.changes += sum(each.changes for each in group)
        pending = [each for each in group if each.pending]
        if options.vectors:
            run.beside.begin([chunk for each in pending for chunk in each.pending])
        yield from _with_answers(run, pending)


def _with_answers(run: _LoadRun, documents: Sequence[RecordedDocument]) -> Iterator[DocumentJob]:
    """Yield the jobs of recorded documents, with what a model has said of those that the graph had before."""
    from kg_neo4j.extract.context import DocumentJob
    from kg_neo4j.graph.documents import known_names, stored_answers

    carries_over = run.extraction.extractor.converses and run.extraction.wave > 0
    before = [each.document.id for each in documents if not each.is_new]
    begun = [each.document.id for each in documents if carries_over and len(each.pending) < len(each.chunks)]
    answers = stored_answers(run.database, run.graph, before, run.extraction.config_hash) if before else {}
    names = known_names(run.database, run.graph, begun) if begun else {}
    for each in documents:
        stored = {chunk.id: answers[chunk.id] for chunk in each.pending if chunk.id in answers}
        mentioned = {chunk.id: names[chunk.id] for chunk in each.chunks if chunk.id in names}
        yield DocumentJob(each.document, each.chunks, each.pending, stored, mentioned)


def _extract_and_record(run: _LoadRun, jobs: Iterator[DocumentJob]) -> None:
    """Extract in the background, write in batches; the next batch is made while the server writes one."""
    from kg_neo4j.extract.engine import extract_all

    def counted() -> Iterator[Extraction]:
        extracted = itertools.chain(extract_all(jobs, run.extraction), _from_files(run))
        for document, extraction in extracted:
            run.tally.count(document, extraction)
            run.progress.advance("extract")
            run.progress.count("documents", run.tally.documents)
            if run.tally.usage.usd:
                run.progress.count("USD", run.tally.usage.usd)
            yield extraction

    run.progress.start("extract")
    for changes in run.recorder.record_all(batches(counted())):
        run.tally.changes += changes
    run.progress.finish("extract")


def _from_files(run: _LoadRun) -> Iterator[tuple[Document, Extraction]]:
    """Record the documents of files of extractions, and yield what is not recorded yet."""
    from kg_neo4j.pipeline.exchanging import recorded_files

    found = recorded_files(run.database, run.lease, run.files, run.graph, run.configuration)
    for document, extractions, chunks, changes in found:
        run.tally.documents += 1
        run.tally.chunks += chunks
        run.tally.changes += changes
        for extraction in extractions:
            yield document, extraction


def batches(extractions: Iterator[Extraction]) -> Iterator[list[Extraction]]:
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
    settings: Settings, options: LoadOptions, embedder: EmbeddingModel, run: _LoadRun, started: float
) -> LoadReport:
    """Compute what is derived from the settled graph, and report."""
    run.tally.changes += run.beside.finish()
    work = Derivation(
        run.database, run.lease, settings, run.tally, run.progress, "load", budget=run.budget, embedder=embedder
    )
    communities = derive(
        work,
        analytics=options.analytics,
        embed=options.vectors,
        embed_again=options.re_embed,
        singletons=options.singletons,
    )
    run.tally.notes += run.extraction.extractor.notes
    return run.tally.report(run.database, settings.graph, communities, time.monotonic() - started)
