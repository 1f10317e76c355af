"""Load: acquire, extract, record, settle, embed, analyse. And unload: remove documents and what lost its support."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kg_neo4j import factory, interrupts, tracing
from kg_neo4j._models import tokens
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.folders import ROOT_MARK, LoadedFolder, real_path
from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.extract import exchange
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.extract.engine import ExtractionConfig, extract_all
from kg_neo4j.extract.exchange import ExtractedDocument
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.graph import documents as stored_documents
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import HAND, CutDocument, LoadConfiguration, StoredDocument
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.replay import widest_schema
from kg_neo4j.organise import search_indexes
from kg_neo4j.pipeline.budget import budget_of, said_what_is_left
from kg_neo4j.pipeline.options import (
    Given,
    LoadOptions,
    check_sources,
    cut_document,
    extraction_config,
    load_configuration,
    tables_of,
    with_older_versions,
)
from kg_neo4j.pipeline.run import Run
from kg_neo4j.pipeline.sync import Sync
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Document, Extraction, LoadReport
from kg_neo4j.settings import Settings


def load(
    sources: Sequence[Any] = (),
    *,
    settings: Settings | None = None,
    options: LoadOptions | None = None,
    documents: Iterable[Given] = (),
    extractor: Extractor | None = None,
    budget: Budget | None = None,
    progress: Progress = SILENT,
) -> LoadReport:
    """Build or bring up to date the graph of `sources` (files, folders) and `options.wikipedia` (titles).

    A folder that `extract` wrote is a source, too; `documents` are further ones that the caller has read. `extractor`
    stands for the one that the settings mean; the budget does not know what it costs. `budget` is that of a longer run,
    instead of `options.budget_usd`. With `options.table_map` the sources are tables, DataFrames among them. Loading the
    same twice changes nothing; an edited document replaces exactly what it supported. A run that was stopped goes on
    where it was. Raises the KgError that says what is wrong.
    """
    settings, options, tally = settings or Settings(), options or LoadOptions(), Tally()
    if tables := tables_of(sources, settings, options):
        sources, (documents, extractor, options) = (), tables
    factory.warm_up(settings)
    tokeniser = tokens.load()
    budget = budget or budget_of(options.budget_usd)
    door = factory.door(settings, budget=budget) if extractor is None else factory.without_model()
    extraction = extraction_config(settings, options, door, extractor=extractor)
    configuration = load_configuration(settings, options, extraction, tokeniser)
    embedder = factory.embedding_model(settings, budget=budget)
    # ---- sources: bad ones are refused before a server is started
    extracted = {source: exchange.files_in(Path(source)) for source in sources}
    files = [path for paths in extracted.values() for path in paths]
    checked = check_sources([source for source, paths in extracted.items() if not paths], settings, options, tally)
    with (
        tracing.span("load", {"kg_neo4j.graph": settings.graph}, settings.trace_text),
        connect(settings, progress, to_write=True, rebuild=options.rebuild, makes=tally.notes) as database,
        Lease(database, settings.graph) as lease,
        said_what_is_left(database, settings.graph),
    ):
        configuration, known, prompted, schema = with_older_versions(
            database, settings, options, door, extractor, tokeniser
        )
        if extractor is None and prompted != extraction.schema:
            extraction = extraction_config(settings, options, door, schema=prompted)
        if options.vectors and embedder.dimension > 0:
            search_indexes.check(database, embedder, graph=settings.graph, rebuild=options.rebuild or options.re_embed)
        run = Run(database, lease, settings, tally, progress, "load", budget, embedder)
        stored = partial(stored_documents.list_documents, database, settings.graph)
        sync = Sync(stored, settings, options, tally, [each.source for each in checked.places], checked.addresses)
        read = sync.documents(checked.documents(known, documents))
        # ---- chunks and extraction
        cut = _cut(read, tokeniser, settings, options, configuration)
        jobs = _jobs(run, cut, extraction)
        found = itertools.chain(extract_all(jobs, extraction), _from_files(run, files, configuration) if files else ())
        # ---- the graph: the generators above have not run yet; `run.record` pulls them, so that memory stays bounded
        with run.settling(schema):
            progress.start("extract")
            run.record(schema, found)
            progress.finish("extract")
            sync.withdraw(database, lease)
        for each in sync.removed:
            stored_documents.delete_document(lease, settings.graph, each.id)
        # ---- what is derived
        communities = run.derive(analytics=options.analytics, embed=options.vectors, singletons=options.singletons)
        tally.notes += extraction.extractor.notes
        by_rules = extractor is None and not extraction.extractor.converses
        return tally.report(database, settings.graph, communities, by_rules=by_rules)


def _cut(
    read: Iterable[Document], tokeniser: Tokeniser, settings: Settings, options: LoadOptions, how: LoadConfiguration
) -> Iterator[CutDocument]:
    """Yield documents with their chunks. A table whose map has changed is read again: that costs nothing."""
    for each in read:
        chunks = cut_document(each, tokeniser, settings, options)
        yield CutDocument(each, chunks, replace(how, rebuild=True) if each.lines else how)


def _jobs(run: Run, cut: Iterable[CutDocument], extraction: ExtractionConfig) -> Iterator[DocumentJob]:
    """Record documents, and yield a job for each that has chunks to extract, with its stored answers."""
    carries_over = extraction.extractor.converses and extraction.wave > 0
    place = (run.database, run.settings.graph)
    for group in run.record_documents(cut):
        pending = [each for each in group if each.pending]
        before = [each.document.id for each in pending if not each.is_new]
        begun = [each.document.id for each in pending if carries_over and len(each.pending) < len(each.chunks)]
        answers = stored_documents.stored_answers(*place, before, extraction.config_hash) if before else {}
        names = stored_documents.known_names(*place, begun) if begun else {}
        for each in pending:
            stored = {chunk.id: answers[chunk.id] for chunk in each.pending if chunk.id in answers}
            mentioned = {chunk.id: names[chunk.id] for chunk in each.chunks if chunk.id in names}
            yield DocumentJob(each.document, each.chunks, each.pending, stored, mentioned)


def _from_files(
    run: Run, files: Sequence[Path], configuration: LoadConfiguration
) -> Iterator[tuple[Document, Extraction]]:
    """Record the documents of files of extractions, and yield the extractions that are not recorded yet.

    Raises UsageError for files of another graph or schema, and for a document that the graph has under another key.
    """
    for recorded in itertools.chain.from_iterable(run.record_documents(_of_files(run, files, configuration))):
        pending = {chunk.id for chunk in recorded.pending}
        yield from ((recorded.document, each) for each in recorded.extractions if each.chunk.id in pending)


def _of_files(run: Run, files: Sequence[Path], configuration: LoadConfiguration) -> Iterator[CutDocument]:
    """Yield the documents of files of extractions."""
    graph = run.settings.graph
    known = stored_documents.file_keys(run.database, graph)
    keys = {origin: key for key, origin in reversed(known.items())}
    for path, header, extractions in _each_once(files):
        interrupts.check()
        document = header.document
        exchange.refuse_other_graph(path, document, graph)
        stored = LoadConfiguration(**{**header.configuration, "rebuild": configuration.rebuild})  # type: ignore[arg-type]
        if stored.schema_hash != configuration.schema_hash:
            raise UsageError(
                f"{path} was extracted with the schema {stored.schema!r}", hint=f"pass --schema {stored.schema}"
            )
        if document.key not in known and document.origin is not None and (key := keys.get(origin_id(document.origin))):
            raise UsageError(  # it would be in the graph twice
                f"{path}: {document.origin} was extracted under the key {document.key!r}; the graph {graph!r} has it "
                f"under the key {key!r}",
                hint=f"load {document.origin} itself, or extract it with the --root DIR or --as NAME that gives this "
                "key",
            )
        yield CutDocument(document, tuple(each.chunk for each in extractions), stored, extractions)


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


def unload(
    source: str, *, root: str | None = None, settings: Settings | None = None, progress: Progress = SILENT
) -> LoadReport:
    """Remove one document, or those of a folder, and exactly what lost its last support.

    `source` is a document's source, title, key or id, or the path of its file, which need not be there any more. If it
    is none of these, it is a folder: all documents that were read from it are removed. If none was, those whose keys
    are below it, relative to `root` or the folder of a kg.toml. Documents go last: the same command ends an unload that
    was stopped. Raises SourceNotFound if there is no such document or folder, UsageError if several documents have the
    name, and for `root` as `load`.
    """
    settings = settings or Settings()
    graph = settings.graph
    with connect(settings, progress, to_write=True) as database:
        stored = stored_documents.list_documents(database, graph)
        found = named(stored, source, root)
        if not found:
            raise SourceNotFound(
                f"no document {source!r} in graph {graph!r}", hint="`kg documents` lists what is loaded"
            )
        if by_hand := next((each for each in found if each.kind == HAND), None):
            raise UsageError(f"{by_hand.title!r} was stated by hand", hint=f"kg fact undo {by_hand.key[:8]}")
        return remove(database, found, stored, settings, progress)


def remove(
    database: Database,
    found: Sequence[StoredDocument],
    stored: Sequence[StoredDocument],
    settings: Settings,
    progress: Progress,
) -> LoadReport:
    """Remove the documents `found` of those that are `stored`, and exactly what lost its last support."""
    graph, tally = settings.graph, Tally()
    with Lease(database, graph) as lease:
        before = database.read(queries.get("write/count_graph"), graph=graph)[0]
        run, schema = Run(database, lease, settings, tally, progress, "unload"), widest_schema(stored)
        tally.documents = len(found)
        tally.chunks = sum(stored_documents.withdraw_chunks(database, lease, graph, each.id) for each in found)
        tally.changes = len(found) + tally.chunks
        run.settle(schema)
        communities = run.derive()
        for each in found:
            stored_documents.delete_document(lease, graph, each.id)
        report = tally.report(database, graph, communities)
        lost = (before["nodes"] - report.nodes, before["relationships"] - report.relationships)
        kept = (len(stored) - len(found), sum(each.chunks for each in stored) - tally.chunks)
        left = _counted(*kept, report.nodes, report.relationships)
        said = f"removed {_counted(len(found), tally.chunks, *lost)}; left: {left}"
        return replace(report, notes=(said, *report.notes))


def _counted(*counts: int) -> str:
    names = (("document", "documents"), ("chunk", "chunks"), ("entity", "entities"), ("relationship", "relationships"))
    return ", ".join(f"{count:,} {name[count != 1]}" for count, name in zip(counts, names, strict=True))


def named(stored: Sequence[StoredDocument], source: str, root: str | None) -> list[StoredDocument]:
    """Return the document that `source` names, else those of the folder that it names."""
    name = source.rstrip("/")
    if not name.strip() or "\0" in name:
        return []
    origin = origin_id(real_path(name))
    found = [each for each in stored if each.origin == origin or source in (each.id, each.source, each.title, each.key)]
    if len(found) > 1:
        raise UsageError(f"{len(found)} documents are called {source!r}", hint="name one by its id")
    if found:  # with what is attached to it
        return [*found, *(each for each in stored if each.key.startswith(f"{found[0].key}/"))]
    folder = LoadedFolder(name, root=root)
    files = [each for each in stored if each.kind == "file"]
    is_rooted = root is not None or Path(folder.place.root, ROOT_MARK).is_file()
    key = folder.place.key if is_rooted else name  # without a root, the last part of a path says nothing
    begins = tuple(f"{each}/" for each in (key, name) if each)
    return (
        [each for each in files if each.key == key]
        or [each for each in files if folder.find(each.origin, each.key, each.source) is not None]
        or [each for each in files if each.key.startswith(begins) or each.source.startswith(f"{name}/")]
    )
