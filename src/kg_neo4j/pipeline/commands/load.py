"""Load: acquire, extract, record, settle, embed, analyse."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.errors import BudgetReached, KgError, ModelError, SourceError, UsageError
from kg_neo4j.extract import exchange
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.extract.engine import ExtractionConfig, extract_all
from kg_neo4j.extract.exchange import ExtractedDocument, files_in, refuse_other_graph
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import (
    CutDocument,
    LoadConfiguration,
    RecordedDocument,
    checked_file_keys,
    file_keys,
    known_names,
    record_documents,
    stored_answers,
)
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise import vectors
from kg_neo4j.organise.chunk_embedding import ChunkEmbedding
from kg_neo4j.pipeline.budget import budget_of, said_what_is_left
from kg_neo4j.pipeline.derivation import Derivation, derive
from kg_neo4j.pipeline.documents import cut_document, is_plugged, read_documents
from kg_neo4j.pipeline.options import LoadOptions, extraction_config, load_configuration
from kg_neo4j.pipeline.sync import Sync
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Document, Extraction, LoadReport
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
    found = {source: files_in(Path(source)) for source in sources}
    files = tuple(path for paths in found.values() for path in paths)
    return files, tuple(source for source, paths in found.items() if not paths)


def _jobs(
    run: _LoadRun, documents: Iterator[Document], tokeniser: Tokeniser, settings: Settings, options: LoadOptions
) -> Iterator[DocumentJob]:
    """Record each document and its chunks, and yield the documents with chunks that are still to be extracted."""
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
    found = _recorded_files(run.database, run.lease, run.files, run.graph, run.configuration)
    for document, extractions, chunks, changes in found:
        run.tally.documents += 1
        run.tally.chunks += chunks
        run.tally.changes += changes
        for extraction in extractions:
            yield document, extraction


def _recorded_files(
    database: Database, lease: Lease, files: Sequence[Path], graph: str, configuration: LoadConfiguration
) -> Iterator[tuple[Document, tuple[Extraction, ...], int, int]]:
    """Record the documents that files of extractions hold; yield each with the extractions that are not recorded yet.

    The two numbers are its chunks, and the changes that recording them made. Raises UsageError for files of another
    graph or schema, and for a document that the graph has under another key.
    """
    waiting: deque[tuple[Extraction, ...]] = deque()  # of documents that are read and not recorded
    for group in record_documents(database, lease, _of_files(database, files, graph, configuration, waiting)):
        for recorded in group:
            pending = {chunk.id for chunk in recorded.pending}
            found = tuple(each for each in waiting.popleft() if each.chunk.id in pending)
            yield recorded.document, found, len(recorded.chunks), recorded.changes


def _of_files(
    database: Database,
    files: Sequence[Path],
    graph: str,
    configuration: LoadConfiguration,
    waiting: deque[tuple[Extraction, ...]],
) -> Iterator[CutDocument]:
    """Yield the documents of files of extractions, and add the extractions of each to `waiting`."""
    known = file_keys(database, graph) if files else {}
    keys = {origin: key for key, origin in reversed(known.items())}
    for path, header, extractions in _each_once(files):
        document = header.document
        refuse_other_graph(path, document, graph)
        stored = LoadConfiguration(**{**header.configuration, "rebuild": configuration.rebuild})  # type: ignore[arg-type]
        if stored.schema_hash != configuration.schema_hash:
            raise UsageError(
                f"{path} was extracted with the schema {stored.schema!r}", hint=f"pass --schema {stored.schema}"
            )
        if document.key not in known:
            _check_key(path, document, keys)
        waiting.append(extractions)
        yield CutDocument(document, tuple(each.chunk for each in extractions), stored)


def _each_once(files: Sequence[Path]) -> Iterator[tuple[Path, ExtractedDocument, tuple[Extraction, ...]]]:
    """Yield the documents of files. Raises UsageError where two files differ about one document."""
    seen: dict[str, tuple[Path, str]] = {}  # document -> its file, and a hash of its text and configuration
    for path in files:
        for header, extractions in exchange.read(path):
            document = header.document
            said = f"{document.sha256} {header.configuration.get('config_hash')}"
            first, before = seen.setdefault(document.id, (path, said))
            if before != said:
                raise UsageError(
                    f"{first} and {path} have different extractions of {document.key!r}",
                    hint="run the last `kg extract` again: it removes what is out of date",
                )
            if first == path:
                yield path, header, extractions


def _check_key(path: Path, document: Document, keys: Mapping[str, str]) -> None:
    """Refuse a file that the graph has under another key: it would be in the graph twice. `keys` are by origin."""
    if document.origin is not None and (stored := keys.get(origin_id(document.origin))) is not None:
        raise UsageError(
            f"{path}: {document.origin} was extracted under the key {document.key!r}; the graph {document.graph!r} has "
            f"it under the key {stored!r}",
            hint=f"load {document.origin} itself, or extract it with the --root DIR or --as NAME that gives this key",
        )


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
