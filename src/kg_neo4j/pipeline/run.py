"""A run that writes to a graph: it records and settles, and derives joins, summaries, vectors and analytics."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pkgutil import resolve_name

from kg_neo4j import factory, plugins
from kg_neo4j._models import tokens
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.embedding import NO_EMBEDDING
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.errors import BudgetReached, KgError, ModelError, SourceError, UsageError
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph import settler
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import CutDocument, RecordedDocument, StoredDocument, record_documents
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.resolution.derived import derive_names
from kg_neo4j.interrupts import held
from kg_neo4j.organise import analytics, descriptions, search_indexes, vectors
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import Progress
from kg_neo4j.records import Document, Extraction
from kg_neo4j.settings import Settings

BATCH_ROWS = 2_000  # rows a write transaction: the server spent less on 1,000 to 2,500 than on 5,000 (bench)
# Of rooms: functions that read, together, what they need of a graph; they return notes, or what writes and has them.
DERIVED = ("kg_neo4j.organise.tree.upkeep:note_stale", "kg_neo4j.rooms.adopt.links:keep_links")
BATCH_S = 2.0  # a slow model's answers are written at least this often


@dataclass(frozen=True, slots=True)
class Run:
    """What a run writes with, and where it counts."""

    database: Database
    lease: Lease
    settings: Settings
    tally: Tally
    progress: Progress
    command: str  # "load", "unload", "rebuild", "resolve" or "quarantine"
    budget: Budget | None = None
    embedder: EmbeddingModel | None = None  # None: as the settings say

    def record_documents(self, cut: Iterable[CutDocument]) -> Iterator[tuple[RecordedDocument, ...]]:
        """Record documents and their chunks, and count them; yield each group that was recorded together."""
        for group in record_documents(self.database, self.lease, cut):
            self.tally.documents += len(group)
            self.tally.chunks += sum(len(each.chunks) for each in group)
            self.tally.changes += sum(each.changes for each in group)
            yield group

    def record(self, schema: Schema, extracted: Iterable[tuple[Document, Extraction]]) -> None:
        """Count extractions and write them in batches; the next batch is made while the server writes one.

        An interrupt comes while the next extraction is awaited, so that what is complete is recorded.
        """
        recorder = Recorder(self.database, self.settings.graph, schema, self.lease)
        with held():
            changes = sum(recorder.record_all(self._batches(extracted)))
        self.tally.changes += changes  # which the iteration itself counts up, too

    def _batches(self, extracted: Iterable[tuple[Document, Extraction]]) -> Iterator[list[Extraction]]:
        """Count extractions and group them for writing: many where they come fast, few where a model is slow."""
        batch: list[Extraction] = []
        rows, since = 0, time.monotonic()
        try:
            for document, extraction in extracted:
                self.tally.count(document, extraction)
                self.progress.advance("extract")
                if self.command == "load":
                    self.progress.count("documents", self.tally.documents)
                    if self.tally.usage.usd:
                        self.progress.count("USD", self.tally.usage.usd)
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

    def settle(self, schema: Schema) -> None:
        """Bring entities and facts up to date with what was recorded and withdrawn."""
        changes = settler.settle(
            self.database, self.settings.graph, schema, self.lease, self.progress, self.tally.notes
        )
        self.tally.changes += changes

    @contextmanager
    def settling(self, schema: Schema) -> Iterator[None]:
        """Settle at the end; also where something stops the run, so that what was recorded is whole."""
        try:
            yield
        except (ModelError, BudgetReached, SourceError, UsageError, KeyboardInterrupt):
            self.settle(schema)
            raise
        self.settle(schema)

    # ------------------------------------------------------------------------------------------------- derived

    def derive(self, *, analytics: bool = True, embed: bool = True, singletons: bool | None = None) -> int:
        """Bring everything derived up to date and return the number of communities.

        Summaries come first, because they are embedded. Vectors and analytics follow, not side by side: on two cores
        that gained nothing (benchmarks/pipeline.py). A repeat changes nothing.
        """
        derived = derive_names(self.database, self.settings.graph, self.lease)
        self.tally.changes += derived.changes
        if joins := derived.joins:
            pairs = "1 pair of names was" if joins == 1 else f"{joins} pairs of names were"
            self.tally.notes.append(
                f"{pairs} joined or parted by rules: `kg resolve --list` shows them, `--undo ID` takes one back"
            )
        self.describe()
        if embed:
            self.embed()
        known = [resolve_name(each) for each in DERIVED if plugins.is_installed(each.partition(":")[0])]
        graph = self.settings.graph
        for found in self.database.read_transaction(lambda reader: [each(reader, graph) for each in known]):
            self.tally.notes += found(self.lease) if callable(found) else found
        return self.analyse(singletons) if analytics else 0

    def describe(self) -> None:
        """Bring the summaries up to date, and count what that did, what it cost and what is unfinished.

        The command "rebuild" asks no model: it makes all summaries from stored answers. "resolve" keeps answers about
        descriptions that have changed, so that undoing it asks no model either.
        """
        # a server that is named without a model: unloading needs none
        is_unnamed = self.settings.openai_base_url and not self.settings.model
        has_none = self.command == "rebuild" or is_unnamed
        how = descriptions.Describing(
            factory.without_model() if has_none else factory.door(self.settings, budget=self.budget),
            tokens.load(),
            self.settings.summary_tokens,
            keep_answers=self.command == "resolve",
            replay=self.command == "rebuild",
        )
        done = descriptions.describe(self.database, self.settings.graph, how, self.progress, lease=self.lease)
        self.tally.changes += done.changes
        self.tally.usage += done.usage
        if done.usage.calls:
            self.tally.steps[descriptions.STAGE] = done.usage
        self.tally.unfinished += done.unfinished

    def embed(self, labels: Sequence[str] = vectors.LABELS) -> None:
        """Bring the vectors of chunks, entities and facts, or of `labels` alone, up to date."""
        embedder = self.embedder or factory.embedding_model(self.settings, budget=self.budget)
        if not embedder.dimension:
            search_indexes.create_fulltext(self.database)
            self.tally.notes.append(f"no vectors were made, so that search is by full text alone: {NO_EMBEDDING}")
            return
        vectors.prepare(self.database, embedder)
        self.tally.changes += vectors.embed(
            *(self.database, self.settings.graph, embedder, tokens.load(), self.progress),
            concurrency=1 if factory.embeds_built_in(self.settings) else self.settings.model_concurrency,
            labels=labels,
        )
        for note in getattr(embedder, "notes", {}).values():
            self.tally.add_note(note)

    def analyse(self, singletons: bool | None = None) -> int:
        """Bring communities and centralities up to date and return the number of communities."""
        analysed = analytics.refresh(
            self.database, self.settings.graph, self.progress, lease=self.lease, singletons=singletons
        )
        self.tally.changes += analysed.changes
        self.tally.notes += analysed.notes
        return analysed.communities


def unread(stored: StoredDocument, graph: str) -> Document:
    """Return a document of the graph without its text."""
    return Document(stored.id, graph, stored.kind, stored.key, stored.title, stored.source, "", "")
