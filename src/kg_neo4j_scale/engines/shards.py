"""Shards: ranges of a manifest whose documents are extracted by one worker into one file; and that worker."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.answer_log import AnswerLog
from kg_neo4j._models.door import Door
from kg_neo4j.acquire.identity import document_id, hash_id
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import KgError, UnreadableSource, UsageError, cannot_write
from kg_neo4j.extract import exchange
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.extract.engine import ExtractionConfig, extract_all
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.options import LoadOptions, cut_document, extraction_config, load_configuration, take_note
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.records import ChunkOutcome, Document, Extraction, SkippedSource
from kg_neo4j.settings import Settings
from kg_neo4j_scale import manifest
from kg_neo4j_scale.engines.local import Work
from kg_neo4j_scale.ledger import Ledger
from kg_neo4j_scale.manifest import Entry

SHARD_BYTES = 16_000  # of sources: a second or two of the built-in rules, so that workers end at about the same time
LARGE_SHARD_BYTES = 256_000
SHARDS = 2_000  # shards are doubled while there would be more
SHARD_DOCUMENTS = 1_000

FINAL = frozenset({ChunkOutcome.DONE, ChunkOutcome.EMPTY, ChunkOutcome.TRUNCATED})
LEDGER = "ledger.jsonl"  # in the folder: what all workers and runs spent there, and when calls may be made
ANSWERS = ".answers"  # in the folder: paid answers of shards whose file is not written yet

Found = dict[str, tuple[Document, dict[str, Extraction]]]  # document -> chunk -> extraction, in the order of the shard


@dataclass(frozen=True, slots=True)
class Shard:
    """Documents of one file. Its name hashes them and the configuration, so that a repeat writes the same file."""

    name: str
    entries: tuple[Entry, ...]
    pages: tuple[Document, ...] = ()  # of a wiki, which are read before
    earlier: tuple[Path, ...] = ()  # files with extractions of these documents, by other runs
    answers: tuple[Path, ...] = ()  # paid ones that runs which were stopped left, perhaps about these documents

    @property
    def size(self) -> int:
        """Bytes of the sources."""
        return sum(entry.size for entry in self.entries) + sum(len(page.text) for page in self.pages)

    def ids(self, graph: str) -> Iterator[str]:
        """Yield the ids of the documents."""
        yield from (document_id(graph, "file", entry.key) for entry in self.entries)
        yield from (page.id for page in self.pages)


@dataclass(slots=True)
class ShardReport:
    """What a worker did with one shard."""

    shard: str
    tally: Tally = field(default_factory=Tally)
    written: bool = False  # its file is new or changed
    error: KgError | None = None  # ends the run: every shard would meet it


def limit_of(entries: Iterable[Entry]) -> int:
    """Return the bytes of a shard, by the size of the whole work: doubled now and then, so that it seldom changes."""
    total, limit = sum(entry.size for entry in entries), SHARD_BYTES
    while total > SHARDS * limit and limit < LARGE_SHARD_BYTES:
        limit *= 2
    return limit


def plan(
    entries: Iterable[Entry], pages: Iterable[Document], *, graph: str, shaped_by: str, limit: int
) -> Iterator[Shard]:
    """Yield the shards of entries, in order, then one for each page.

    A shard ends where the next document would make it larger than `limit` bytes; a larger document is alone.
    """

    def shard(some: Sequence[Entry]) -> Shard:
        names = (part for entry in some for part in (entry.key, entry.sha256))
        return Shard(hash_id("shard", graph, shaped_by, *names), tuple(some))

    gathered: list[Entry] = []
    size = 0
    for entry in entries:
        if gathered and (size + entry.size > limit or len(gathered) == SHARD_DOCUMENTS):
            yield shard(gathered)
            gathered, size = [], 0
        gathered.append(entry)
        size += entry.size
    if gathered:
        yield shard(gathered)
    for page in pages:
        yield Shard(hash_id("shard", graph, shaped_by, page.id, page.sha256), (), (page,))


def part_of(text: str | None) -> tuple[int, int]:
    """Return K and N of "K/N", which means every Nth shard from the Kth; (1, 1) for None. Raises UsageError."""
    if text is None:
        return 1, 1
    first, _, count = text.partition("/")
    if not (first.isdecimal() and count.isdecimal() and 1 <= int(first) <= int(count)):
        raise UsageError(f"--part takes K/N, such as 3/16, not {text!r}")
    return int(first), int(count)


def part(shards: Iterable[Shard], numbers: tuple[int, int]) -> Iterator[Shard]:
    """Yield the shards of one part of several."""
    first, count = numbers
    return itertools.islice(shards, first - 1, None, count)


# ---------------------------------------------------------------------------------------------------- the work


class ExtractionWork(Work[Shard, ShardReport]):
    """Extracts shards. Pickles; each process loads models and pipelines once. UsageError for invalid options."""

    def __init__(self, settings: Settings, options: LoadOptions, folder: Path) -> None:
        self._settings = settings
        self._options = options
        self.folder = folder
        self._sandboxes: list[Sandbox] = []  # that no shard uses

    def __reduce__(self) -> tuple[type[ExtractionWork], tuple[Settings, LoadOptions, Path]]:
        """Pickle what it was made of."""
        return ExtractionWork, (self._settings, self._options, self.folder)

    def shared_out(self, workers: int) -> ExtractionWork:
        """Return the work of one of several workers: each has its share of the calls that may be in flight."""
        share = max(1, -(-self._settings.model_concurrency // workers))
        settings = self._settings.model_copy(update={"model_concurrency": share})
        return ExtractionWork(settings, self._options, self.folder)

    @cached_property
    def _door(self) -> Door:
        limits = (self._options.budget_usd, self._settings.rpm, self._settings.tpm)
        ledger = Ledger(self.folder / LEDGER) if any(limits) else None
        if ledger is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise cannot_write(self.folder, error) from error
        return factory.door(self._settings, budget=budget_of(self._options.budget_usd, ledger), ledger=ledger)

    @cached_property
    def _config(self) -> ExtractionConfig:
        return extraction_config(self._settings, self._options, self._door)

    @cached_property
    def configuration(self) -> LoadConfiguration:
        """What shapes the extractions."""
        return load_configuration(self._settings, self._options, self._config, tokens.load())

    @property
    def at_once(self) -> int:
        """Shards to be worked on at a time: enough to keep the calls to a model in flight."""
        return 1 if self._config.concurrency == 1 else 2 + self._config.concurrency // 8

    @property
    def waits(self) -> bool:
        """Return whether a model does the work, so that this process waits most of the time."""
        return self._config.extractor.converses

    def run(self, shard: Shard) -> ShardReport:
        """Extract a shard and write its file; an error that every shard would meet is in the report.

        Answers that were paid for are kept beside the files until the shard's own file is there.
        """
        report, found, config = ShardReport(shard.name), Found(), self._config
        log = AnswerLog(self.folder / ANSWERS, shard.name, shard.answers)
        try:
            if config.extractor.converses:
                door = self._door.logging(log)
                config = extraction_config(self._settings, self._options, door, schema=config.schema)
            with self._sandbox() as sandbox:
                jobs = self._jobs(shard, sandbox, found, report.tally)
                for document, extraction in extract_all(jobs, config):
                    report.tally.count(document, extraction)
                    found[document.id][1][extraction.chunk.id] = extraction
            report.written = self._write(shard.name, found, report.tally)
            log.remove()
        except KgError as error:
            report.error = error
        return report

    def given_up(self, shard: Shard, reason: str) -> ShardReport:
        """Report that the documents of a shard were skipped."""
        report = ShardReport(shard.name)
        names = [entry.source or entry.address for entry in shard.entries] + [page.source for page in shard.pages]
        report.tally.skipped = [SkippedSource(name, reason) for name in names]
        return report

    def close(self) -> None:
        """End the processes that read files."""
        while self._sandboxes:
            self._sandboxes.pop().close()

    @contextlib.contextmanager
    def _sandbox(self) -> Iterator[Sandbox]:
        """Lend a process that reads files: starting one takes as long as extracting a page."""
        sandbox = self._sandboxes.pop() if self._sandboxes else Sandbox()
        try:
            yield sandbox
        finally:
            self._sandboxes.append(sandbox)

    def _jobs(self, shard: Shard, sandbox: Sandbox, found: Found, tally: Tally) -> Iterator[DocumentJob]:
        """Yield what is still to be extracted of each document; note in `found` what is known of it already."""
        settings, options = self._settings, self._options
        earlier, own = self._earlier(shard), exchange.file_of(self.folder, shard.name)
        for each in self._documents(shard, sandbox):
            if isinstance(each, tuple):
                skipped, lost = each
                tally.skipped.append(skipped)
                if lost in earlier and earlier[lost][0] == own:  # of the same text: the file had it
                    found[lost] = earlier[lost][1:]
                continue
            take_note(each, settings, tally)
            chunks = cut_document(each, tokens.load(), settings, options)
            usable = earlier[each.id][2] if each.id in earlier else {}
            kept = {chunk.id: replace(usable[chunk.id], chunk=chunk) for chunk in chunks if chunk.id in usable}
            found[each.id] = each, kept
            tally.documents += 1
            tally.chunks += len(chunks)
            pending = tuple(chunk for chunk in chunks if chunk.id not in kept)
            names = {key: tuple((node.name, node.type) for node in said.nodes) for key, said in kept.items()}
            if pending:
                yield DocumentJob(each, chunks, pending, {}, names)

    def _documents(self, shard: Shard, sandbox: Sandbox) -> Iterator[Document | tuple[SkippedSource, str]]:
        """Yield the documents of a shard; for one that cannot be read, why, and its id."""
        graph, options = self._settings.graph, self._options.reading(self._settings.home)
        for entry in shard.entries:
            read = manifest.document(entry, graph=graph, sandbox=sandbox, options=options)
            yield (read, document_id(graph, "file", entry.key)) if isinstance(read, SkippedSource) else read
        yield from shard.pages

    def _earlier(self, shard: Shard) -> Mapping[str, tuple[Path, Document, dict[str, Extraction]]]:
        """Return what earlier runs extracted of a shard under this configuration; a torn file counts as none."""
        wanted = set(shard.ids(self._settings.graph))
        found: dict[str, tuple[Path, Document, dict[str, Extraction]]] = {}
        for path in (*shard.earlier, exchange.file_of(self.folder, shard.name)):
            try:
                for header, extractions in exchange.read(path) if path.exists() else ():
                    same = header.configuration.get("config_hash") == self.configuration.config_hash
                    if header.document.id in wanted and same:
                        usable = {each.chunk.id: each for each in extractions if each.outcome in FINAL}
                        found[header.document.id] = path, header.document, usable
            except UnreadableSource:
                continue
        return found

    def _write(self, name: str, found: Found, tally: Tally) -> bool:
        """Write the file of a shard; a shard without any document has none."""
        configuration = asdict(self.configuration)
        blocks = []
        for document, extractions in found.values():
            ordered = sorted(extractions.values(), key=lambda each: each.chunk.index)
            blocks.append((exchange.ExtractedDocument(document, configuration, len(ordered)), ordered))
        outcomes = [each.outcome for _, ordered in blocks for each in ordered]
        unfinished = len(tally.skipped) + sum(outcome not in FINAL for outcome in outcomes)
        return bool(blocks) and exchange.write(self.folder, name, blocks, unfinished=unfinished)
