"""The two halves of a load apart: extract to files without a database, and record such files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.pipeline.budgeting import budget_of
from kg_neo4j.pipeline.documents import cut_document, read_documents
from kg_neo4j.pipeline.options import LoadOptions, extraction_config, load_configuration
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk, ChunkOutcome, Document, Extraction, ExtractReport

if TYPE_CHECKING:
    from kg_neo4j.extract.context import DocumentJob
    from kg_neo4j.graph.database import Database
    from kg_neo4j.graph.documents import LoadConfiguration
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.settings import Settings

FINAL = frozenset({ChunkOutcome.DONE, ChunkOutcome.EMPTY, ChunkOutcome.TRUNCATED})


def extract(
    sources: Sequence[str] = (),
    *,
    to: str,
    settings: Settings,
    options: LoadOptions | None = None,
    progress: Progress = SILENT,
) -> ExtractReport:
    """Extract `sources` into the folder `to`, one file a document, and write to no database.

    `kg load` of that folder gives the graph that `kg load` of the sources would have given. A second call asks only
    about chunks that are new, changed, or failed. A document's file is written when all its chunks are extracted.
    Raises BudgetReached before a model costs more than `options.budget_usd`; the answers of documents that are not
    whole are in the cache.
    """
    from kg_neo4j import factory
    from kg_neo4j._models import tokens
    from kg_neo4j.extract.engine import extract_all

    options = options or LoadOptions()
    started = time.monotonic()
    tally = Tally()
    tokeniser = tokens.load()
    door = factory.door(settings, budget=budget_of(options.budget_usd))
    config = extraction_config(settings, options, door)
    folder = _Folder(Path(to), load_configuration(settings, options, config, tokeniser))

    def jobs() -> Iterator[DocumentJob]:
        for document in read_documents(sources, settings, options, tally):
            chunks = cut_document(document, tokeniser, settings, options)
            tally.documents += 1
            tally.chunks += len(chunks)
            if job := folder.open(document, chunks):
                yield job

    progress.start("extract")
    for document, extraction in extract_all(jobs(), config):
        tally.count(document, extraction)
        progress.advance("extract")
        folder.add(document, extraction)
    progress.finish("extract")
    return tally.extract_report(str(folder.path), folder.written, time.monotonic() - started)


@dataclass(slots=True)
class _Folder:
    """The files of extractions: what stands there already, and what is gathered for files to come."""

    path: Path
    configuration: LoadConfiguration
    written: int = 0
    gathered: dict[str, dict[str, Extraction]] = field(default_factory=dict)  # document -> chunk -> extraction
    missing: dict[str, int] = field(default_factory=dict)  # document -> chunks that are not extracted

    def open(self, document: Document, chunks: tuple[Chunk, ...]) -> DocumentJob | None:
        """Return what is still to be extracted of a document; None where its file is up to date."""
        from kg_neo4j.extract.context import DocumentJob

        kept = self._kept(document, chunks)
        pending = tuple(chunk for chunk in chunks if chunk.id not in kept)
        self.gathered[document.id] = kept
        self.missing[document.id] = len(pending)
        if not pending:
            self._close(document)
            return None
        mentioned = {
            chunk_id: tuple((node.name, node.type) for node in extraction.nodes)
            for chunk_id, extraction in kept.items()
        }
        return DocumentJob(document, chunks, pending, {}, mentioned)

    def add(self, document: Document, extraction: Extraction) -> None:
        """Take one extraction; the last one of a document writes its file."""
        self.gathered[document.id][extraction.chunk.id] = extraction
        self.missing[document.id] -= 1
        if not self.missing[document.id]:
            self._close(document)

    def _kept(self, document: Document, chunks: tuple[Chunk, ...]) -> dict[str, Extraction]:
        """Return what an earlier call extracted under the same configuration; a torn file counts as none."""
        from kg_neo4j.extract import exchange

        path = exchange.file_of(self.path, document)
        if not path.exists():
            return {}
        try:
            header, extractions = exchange.read(path)
        except UnreadableSource:
            return {}
        if header.configuration.get("config_hash") != self.configuration.config_hash:
            return {}
        stored = {each.chunk.id: each for each in extractions if each.outcome in FINAL}
        return {chunk.id: replace(stored[chunk.id], chunk=chunk) for chunk in chunks if chunk.id in stored}

    def _close(self, document: Document) -> None:
        from kg_neo4j.extract import exchange

        found = sorted(self.gathered.pop(document.id).values(), key=lambda each: each.chunk.index)
        header = exchange.ExtractedDocument(document, asdict(self.configuration), len(found))
        self.written += exchange.write(self.path, header, found)
        del self.missing[document.id]


def recorded_files(
    database: Database, lease: Lease, files: Sequence[Path], graph: str, configuration: LoadConfiguration
) -> Iterator[tuple[Document, tuple[Extraction, ...], int, int]]:
    """Record the documents that files of extractions hold; yield each with the extractions that are not recorded yet.

    The two numbers are its chunks, and the changes that recording them made. Raises UsageError for files of another
    graph or schema, and for a document that the graph has under another key.
    """
    from kg_neo4j.extract import exchange
    from kg_neo4j.graph.documents import LoadConfiguration, file_keys, record_document

    known = file_keys(database, graph) if files else {}
    for path in files:
        header, extractions = exchange.read(path)
        document = header.document
        if document.graph != graph:
            raise UsageError(
                f"{path} was extracted for the graph {document.graph!r}, this load is into {graph!r}",
                hint=f"load it with --graph {document.graph}, or extract it with --graph {graph}",
            )
        stored = LoadConfiguration(**{**header.configuration, "rebuild": configuration.rebuild})  # type: ignore[arg-type]
        if stored.schema_hash != configuration.schema_hash:
            raise UsageError(
                f"{path} was extracted with the schema {stored.schema!r}", hint=f"pass --schema {stored.schema}"
            )
        _check_key(path, document, known)
        recorded = record_document(database, lease, document, [each.chunk for each in extractions], stored)
        pending = {chunk.id for chunk in recorded.pending}
        found = tuple(each for each in extractions if each.chunk.id in pending)
        yield document, found, len(extractions), recorded.changes


def _check_key(path: Path, document: Document, known: Mapping[str, str]) -> None:
    """Refuse a file that the graph has under another key: it would be in the graph twice."""
    from kg_neo4j.acquire.identity import origin_id

    if document.origin is None or document.key in known:
        return
    origin = origin_id(document.origin)
    if stored := next((key for key, held in known.items() if held == origin), None):
        raise UsageError(
            f"{path}: {document.origin} was extracted under the key {document.key!r}; the graph {document.graph!r} has "
            f"it under the key {stored!r}",
            hint=f"load {document.origin} itself, or extract it with the --root DIR or --as NAME that gives this key",
        )
