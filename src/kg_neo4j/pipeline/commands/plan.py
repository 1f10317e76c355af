"""Plan: what a load would ask, and what that would cost. No model is asked and nothing is written to the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.prices import price_of
from kg_neo4j._models.tasks import Request, Unanswered
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.extract import exchange
from kg_neo4j.extract.context import KNOWN_CHARACTERS, UNDER_WAY, ChunkTask, DocumentJob, Waves
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk, show
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.extract.llm_extractor import LlmExtractor
from kg_neo4j.extract.reading import REPAIR, without_rows
from kg_neo4j.factory import embeds_built_in
from kg_neo4j.graph import documents as stored_documents
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import CutDocument, LoadConfiguration
from kg_neo4j.local_server import local_neo4j
from kg_neo4j.pipeline import estimates
from kg_neo4j.pipeline.budget import priced
from kg_neo4j.pipeline.estimates import Estimate, Figures, SummaryEstimate
from kg_neo4j.pipeline.options import (
    LoadOptions,
    check_sources,
    cut_document,
    extraction_config,
    load_configuration,
    with_older_versions,
)
from kg_neo4j.pipeline.sync import Sync
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk, ChunkOutcome, Document, Extraction, LoadPlan, Usage
from kg_neo4j.settings import Settings

PIECES_A_CALL = 128  # texts that are embedded in one call
DESCRIBED = 0.5  # tokens of names and descriptions to embed, for a token of output


def plan(
    sources: Sequence[str] = (),
    *,
    settings: Settings,
    options: LoadOptions | None = None,
    documents: Iterable[Document] = (),
    extractor: Extractor | None = None,
    progress: Progress = SILENT,
) -> LoadPlan:
    """Estimate what `load` with the same arguments would ask a model: calls, tokens, price and time.

    Sources are read and cut; a managed server that has a graph is started where it does not run. `extractor` stands for
    the one that the settings mean. Raises what `load` would raise before it asks: for sources, for what is stored with
    another configuration, for a table of prices.
    """
    options = options or LoadOptions()
    tally = Tally()
    tokeniser = tokens.load()
    asked: list[Request] = []
    door = factory.door(settings) if extractor is None else factory.without_model()
    counted = extraction_config(settings, options, door.counting(asked), extractor=extractor)
    extraction = replace(counted, concurrency=door.concurrency)
    configuration = load_configuration(settings, options, extraction, tokeniser)
    progress.start("plan")
    with _opened(settings, tally, progress) as database:
        known: dict[str, str] = {}
        if database is not None:
            configuration, known, *_ = with_older_versions(database, settings, options, door, extractor, tokeniser)
        run = _PlanRun(settings, options, tokeniser, extraction, configuration, database, asked)
        run.asking = run.figured()
        checked = check_sources(_to_extract(sources, tally), settings, options, tally)
        read = checked.documents(known, documents)
        if database is not None:
            stored = partial(stored_documents.list_documents, database, settings.graph)
            read = Sync(stored, settings, options, tally, (), checked.addresses).documents(read)
        for document in read:
            run.add(document, tally)
            progress.advance("plan")
    progress.finish("plan")
    if options.re_embed:
        tally.notes.append("not in this plan: vectors that --re-embed makes for texts of the graph")
    return run.report(tally)


@dataclass(slots=True)
class _Asking:
    """What the model's answers are like, and what asking takes so far."""

    extractor: LlmExtractor
    figures: Figures
    estimate: Estimate
    summaries: SummaryEstimate
    chunks: int = 0  # to ask about
    work_s: float = 0.0
    longest_s: float = 0.0  # of one document


@dataclass(slots=True)
class _PlanRun:
    """One plan on its way."""

    settings: Settings
    options: LoadOptions
    tokeniser: Tokeniser
    extraction: ExtractionConfig
    configuration: LoadConfiguration
    database: Database | None  # None: nothing is stored anywhere
    requests: list[Request]  # that the door was asked and counted; the last one is that of the chunk
    asking: _Asking | None = None  # None: no model is asked
    new_tokens: int = 0  # of text that is still to be recorded

    def figured(self) -> _Asking | None:
        """Return what asking is like, from answers that the graph has where there are some."""
        extractor = self.extraction.extractor
        if not isinstance(extractor, LlmExtractor):
            return None
        fixed = estimates.Fixed.of(extractor, self.tokeniser)
        figures = estimates.assumed(self.extraction.schema, self.options.gleanings)
        if self.database is not None:
            answers = stored_documents.answer_figures(self.database, self.settings.graph, extractor.name)
            figures = estimates.measured(answers, figures, fixed, self.options.wave)
        summaries = SummaryEstimate(self.settings.summary_tokens, figures.description)
        if self.database is not None:
            if characters := stored_documents.description_characters(self.database, self.settings.graph):
                summaries.description_tokens = characters / estimates.CHARACTERS_A_TOKEN
            summaries.stored = stored_documents.often_mentioned(self.database, self.settings.graph)
        return _Asking(extractor, figures, Estimate(figures, fixed), summaries)

    def add(self, document: Document, tally: Tally) -> None:
        """Add one document."""
        chunks = cut_document(document, self.tokeniser, self.settings, self.options)
        tally.documents += 1
        tally.chunks += len(chunks)
        job = self._job(document, chunks)
        self.new_tokens += sum(chunk.token_count for chunk in job.pending)
        if (asking := self.asking) is None:
            return
        for chunk in job.pending:
            asking.summaries.add(chunk)
        wave_s: dict[int, list[float]] = {}  # seconds a chunk, by wave
        waves = Waves(job, self.extraction.wave)
        while tasks := list(iter(waves.take, None)):
            for task in tasks:
                waves.finish(self._extracted(task, asking, wave_s))
        asking.longest_s = max(asking.longest_s, estimates.waiting_s(wave_s, self.extraction.concurrency))

    def report(self, tally: Tally) -> LoadPlan:
        """Return the plan."""
        asking, seconds = self.asking, 0.0
        steps: Mapping[str, Usage] = {}
        assumptions: tuple[str, ...] = ()
        if asking is not None:
            price = price_of(asking.extractor.name, self.settings)
            asking.work_s += asking.estimate.describe(*asking.summaries.sums())
            steps = asking.estimate.usages(price)
            seconds = max(asking.longest_s, asking.work_s / self.extraction.concurrency)
            repairs = steps[REPAIR].calls if REPAIR in steps else 0
            at_most = f"{repairs} calls here, at most {max(repairs, asking.chunks)}: one for each chunk"
            said = (*asking.figures.in_words(), f"the repair of rejected rows takes {at_most}")
            assumptions = said if asking.chunks else ()
        usage = sum(steps.values(), Usage())
        return LoadPlan(
            graph=self.settings.graph,
            model=asking.extractor.name if asking else None,
            documents=tally.documents,
            chunks=tally.chunks,
            chunks_to_ask=asking.chunks if asking else 0,
            usage=usage if usage.calls else Usage(usd=0.0),
            steps=steps,
            embedding=self._embedding(usage.output_tokens),
            concurrency=self.extraction.concurrency,
            seconds=seconds,
            assumptions=assumptions,
            skipped=tuple(tally.skipped),
            notes=tuple(tally.notes),
        )

    def _job(self, document: Document, chunks: tuple[Chunk, ...]) -> DocumentJob:
        if self.database is None:
            return DocumentJob(document, chunks, chunks)
        compared = stored_documents.compare_document(self.database, CutDocument(document, chunks, self.configuration))
        if not compared.pending or compared.is_new or self.asking is None:
            return DocumentJob(document, chunks, compared.pending)
        stored = stored_documents.stored_answers(
            self.database, document.graph, [document.id], self.extraction.config_hash
        )
        current = {chunk.id for chunk in chunks}  # a load would withdraw the others before it asks
        names = stored_documents.known_names(self.database, document.graph, [document.id])
        mentioned = {chunk_id: found for chunk_id, found in names.items() if chunk_id in current}
        return DocumentJob(document, chunks, compared.pending, stored, mentioned)

    def _extracted(self, task: ChunkTask, asking: _Asking, wave_s: dict[int, list[float]]) -> Extraction:
        """Return what the answers that are there give; where there are none, add what asking takes."""
        try:
            return extract_chunk(task, self.extraction)
        except Unanswered:
            request = self.requests.pop()
        how = (self.extraction.preprocess, task.document.language, self.extraction.schema.evidence)
        shown = show(task.chunk, *how, repeated=task.repeated)
        first = asking.extractor.messages(task, shown.text)
        prompt = estimates.prompt_tokens(first, self.tokeniser)
        wave = task.chunk.index // self.extraction.wave if self.extraction.wave else 0
        if any(asked <= wave - UNDER_WAY for asked in wave_s):  # by then the list of names is full, or nearly so
            prompt += max(0, KNOWN_CHARACTERS - sum(len(name) for pair in task.context.known for name in pair)) // 4
        most = self.extraction.schema.sentences_a_call or len(shown.offsets) or 1
        is_first = (request.system, request.user) == first or bool(self.extraction.schema.facts)
        size = (task.chunk.token_count, estimates.words_in(task.chunk), len(estimates.names_in(task.chunk.text)))
        seconds = asking.estimate.ask(prompt, *size, first=is_first, calls=-(-len(shown.offsets) // most) or 1)
        wave_s.setdefault(wave, []).append(seconds)
        asking.work_s += seconds
        asking.chunks += 1
        return without_rows(task.chunk, self.extraction.reading, ChunkOutcome.FAILED, "not asked")

    def _embedding(self, output_tokens: int) -> Usage:
        """Return what embedding the new texts takes; nothing where the built-in embedder does it."""
        given = self.settings.given.embedding
        name = self.settings.embedding_model if given is None else given.name
        if name is None or embeds_built_in(self.settings) or not self.new_tokens:
            return Usage(usd=0.0)
        tokens = round(self.new_tokens + DESCRIBED * output_tokens)
        calls = -(-tokens // (PIECES_A_CALL * 100))  # most texts are descriptions, of 50 to 100 tokens
        return priced(name, self.settings, calls, tokens)


def _to_extract(sources: Sequence[str], tally: Tally) -> list[str]:
    """Return the sources that are not extracted yet; count the documents of the others."""
    others = []
    for source in sources:
        files = exchange.files_in(Path(source))
        if not files:
            others.append(source)
        for file in files:
            for header in exchange.documents(file):
                tally.documents += 1
                tally.chunks += header.chunks
    return others


@contextmanager
def _opened(settings: Settings, tally: Tally, progress: Progress) -> Iterator[Database | None]:
    """Open the database that a load would write to; None where the managed one was never started."""
    if settings.neo4j_uri is None:
        with local_neo4j(settings) as local:
            status = local.status()
        if not status.running and not (Path(status.home) / "data" / "databases").is_dir():
            tally.notes.append("there is no local database yet, so nothing is stored")
            yield None
            return
    with connect(settings, progress, makes=tally.notes) as database:
        yield database
