"""What the length of chunks does to the graph: one text, built into a graph of its own for each variant.

The graph that the settings name is never touched. A variant's graph has a name that follows from the sources and from
all that shapes it, so a study that was stopped goes on where it was; when all are built and measured they are removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kg_neo4j import factory
from kg_neo4j._models.prices import price_of
from kg_neo4j.acquire import files
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.engine import PREPROCESSING
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.commands.plan import plan
from kg_neo4j.pipeline.commands.tune import TuneOptions, tune, write_schema
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Document, LoadPlan, LoadReport, Usage
from kg_neo4j.settings import Settings
from kg_neo4j_lab import graph_panels, variants
from kg_neo4j_lab.building import saying_what_stays
from kg_neo4j_lab.variants import UNTUNED, ChunkLengthStudy, Grid, Variant, VariantRun, is_tuned

PREFIX = "study-"
OFFLINE = (
    "without a model the length of chunks hardly matters, because the rules read sentence by sentence. A model writes "
    "about as much for a short chunk as for a long one. Set OPENAI_API_KEY or OPENAI_BASE_URL to measure that"
)
ENGLISH_ONLY = (
    "without a model relationships are read only in English: text in {languages} gives names and dates, so edges, "
    "density and modularity mean nothing for it"
)


@dataclass(frozen=True, slots=True)
class ChunkLengthOptions:
    """What to build, and what becomes of it."""

    grid: Grid = field(default_factory=Grid)
    schema: str = "lean"  # of prompts that are not tuned
    gleanings: int = 1
    wave: int = 8
    budget_usd: float | None = None  # for all variants together
    keep: bool = False  # leave the variants' graphs in the database
    plot: Path | None = None  # a picture (.png) of all of them, side by side on one scale


def study_chunk_length(
    sources: Sequence[str], *, settings: Settings, options: ChunkLengthOptions, progress: Progress = SILENT
) -> ChunkLengthStudy:
    """Build every variant, measure it, draw all of them, and remove them.

    Repeats after the first are asked anew, not taken from the cache of answers. Where an error or an interrupt ends
    the study, its graphs stay: the same call goes on. Raises UnreadableSource where there is nothing to read, and what
    `load` raises.
    """
    work = _Study(sources, settings, options, progress)
    builds = work.builds()
    if options.plot is not None:
        graph_panels.check(options.plot)
    with connect(settings, progress, makes=[]) as database:
        with saying_what_stays(work.graphs, progress):
            runs = [work.build(database, variant, repeat) for variant, repeat in builds]
            if options.plot is not None:
                drawn = [(_title(run.variant), run.graph) for run in runs if run.repeat == 1]
                graph_panels.plot_side_by_side(database, drawn, options.plot)
        for graph in () if options.keep else work.graphs:
            delete_graph(database, graph)
    found, kept = variants.cells(runs), tuple(work.graphs) if options.keep else ()
    notes = _notes(runs, settings, work.languages)
    return ChunkLengthStudy(_model_name(settings), found, variants.ratios(found), work.tuning, kept, notes)


def plan_chunk_length(
    sources: Sequence[str], *, settings: Settings, options: ChunkLengthOptions, progress: Progress = SILENT
) -> tuple[tuple[Variant, LoadPlan], ...]:
    """Estimate what each variant's graph would take, repeat by repeat; no model is called and nothing written.

    Prompts that are not tuned yet are taken to be as long as those that ship, and tuning itself is left out.
    """
    work = _Study(sources, settings, options, progress)
    plans = []
    for variant, repeat in work.builds():
        is_file = variant.prompts != UNTUNED and not is_tuned(variant.prompts)
        own, wanted = work.how(variant, repeat, variant.prompts if is_file else options.schema)
        plans.append((variant, plan(sources, settings=own, options=wanted, progress=progress)))
    return tuple(plans)


@dataclass(slots=True)
class _Study:
    """One study, planned or on its way."""

    sources: Sequence[str]
    settings: Settings
    options: ChunkLengthOptions
    progress: Progress
    tuning: Usage = field(default_factory=Usage)
    graphs: list[str] = field(default_factory=list)
    languages: set[str] = field(default_factory=set)  # of the documents, as far as they are known
    _spent: float = 0.0

    def builds(self) -> list[tuple[Variant, int]]:
        """Return the variants and repeats to build; UsageError for invalid ones, before anything is built."""
        grid = self.options.grid
        if not self.sources:
            raise UsageError("nothing to study", hint="name files or folders")
        if grid.models != (None,):
            factory.require_model(self.settings, "--model names models, but none can be asked")
        if any(":" in prompts for prompts in grid.prompts if is_tuned(prompts)):
            factory.require_model(self.settings, "--prompts nd:MODEL names a model, but none can be asked")
        if unknown := sorted(set(grid.preprocess) - set(PREPROCESSING)):
            raise UsageError(f"preprocess {unknown[0]!r}", hint=f"one of {', '.join(PREPROCESSING)}")
        for prompts in {self.options.schema, *(each for each in grid.prompts if not is_tuned(each))} - {UNTUNED}:
            schemas.load(prompts)
        return [(variant, repeat) for variant in grid.variants() for repeat in range(1, grid.repeats + 1)]

    def how(self, variant: Variant, repeat: int, schema: str) -> tuple[Settings, LoadOptions]:
        """Return how a graph is loaded. No other study has it: its name hashes the sources and all that shapes it."""
        options, own = self.options, self._asking(variant.model)
        if repeat > 1:
            own = own.model_copy(update={"answer_cache": False})
        given = (variant.preprocess, variant.tokens, schemas.load(schema).text, options.gleanings, options.wave, repeat)
        name = f"{PREFIX}{self._key(own, *map(str, given))}-{variant.tokens or 'max'}"
        return own.model_copy(update={"graph": name}), LoadOptions(
            chunk_tokens=variant.tokens,
            preprocess=variant.preprocess,
            schema=schema,
            gleanings=options.gleanings,
            wave=options.wave,
            vectors=False,
        )

    def build(self, database: Database, variant: Variant, repeat: int) -> VariantRun:
        """Build one graph, or what is missing of it, and measure it."""
        settings, wanted = self.how(variant, repeat, self._schema(variant))
        self.graphs.append(settings.graph)
        wanted = replace(wanted, budget_usd=self._left())
        report = load(self.sources, settings=settings, options=wanted, progress=self.progress)
        if not report.documents:
            raise UnreadableSource(f"nothing to read in {', '.join(self.sources)}", hint="`kg load` says why")
        self._spent += report.usage.usd or 0.0
        self.languages |= {each.language for each in list_documents(database, settings.graph) if each.language}
        return _measured(database, variant, repeat, settings, report)

    def _schema(self, variant: Variant) -> str:
        """Return the schema that a variant is built with; tuned ones are made once and kept as files."""
        if variant.prompts == UNTUNED:
            return self.options.schema
        if not is_tuned(variant.prompts):
            return variant.prompts
        settings = self._asking(variant.prompts.partition(":")[2] or variant.model)
        wanted = TuneOptions(schema=self.options.schema, budget_usd=self._left())
        read = files.read(self.sources, graph="study")  # prompts are tuned to what the files say now
        texts = [each.sha256 for each in read if isinstance(each, Document)]
        file = settings.cache / "studies" / f"tuned-{self._key(settings, self.options.schema, *texts)}.toml"
        if not file.is_file():
            tuned = tune(self.sources, settings=settings, options=wanted, progress=self.progress)
            self.tuning += tuned.usage
            self._spent += tuned.usage.usd or 0.0
            file.parent.mkdir(parents=True, exist_ok=True)
            write_schema(tuned, file)
        return str(file)

    def _asking(self, model: str | None) -> Settings:
        return self.settings.model_copy(update={"summary_tokens": 0, "model": model or self.settings.model})

    def _key(self, settings: Settings, *parts: str) -> str:
        places = [str(Path(source).resolve()) for source in self.sources]
        _, server = factory.model_and_server(settings)
        asked = (_model_name(settings), server, settings.spacy_model or "", str(settings.temperature))
        return hash_id("study", *places, *asked, *parts)[:12]

    def _left(self) -> float | None:
        """Return what is left of the budget; where it is nothing, so little that no call can be paid from it."""
        budget = self.options.budget_usd
        return None if budget is None else max(budget - self._spent, 1e-9)


def _model_name(settings: Settings) -> str:
    return factory.model_and_server(settings)[0] or "offline-1"


def _measured(database: Database, variant: Variant, repeat: int, settings: Settings, report: LoadReport) -> VariantRun:
    name, _ = factory.model_and_server(settings)
    [row] = database.read(queries.get("analytics/answer_totals"), graph=settings.graph, model=name)
    price, read, written = price_of(name, settings), row["input_tokens"], row["output_tokens"]
    return VariantRun(
        variant,
        repeat,
        settings.graph,
        chunks=report.chunks,
        failed_chunks=len(report.failed_chunks),
        shape=variants.read_shape(database, settings.graph),
        usage=Usage(row["known"], read, written, price.usd(read, written) if price else None),
        cached=row["cached"],
        unknown=row["answers"] - row["known"],
    )


def _title(variant: Variant) -> str:
    tokens = f"{variant.tokens} tokens" if variant.tokens else "as long as the window allows"
    tuned = "" if variant.prompts == UNTUNED else f"prompts {variants.prompts_name(variant.prompts)}"
    shortened = "" if variant.preprocess == "none" else variant.preprocess
    return ", ".join(part for part in (tokens, variant.model, tuned, shortened) if part)


def _notes(runs: Sequence[VariantRun], settings: Settings, languages: Iterable[str]) -> tuple[str, ...]:
    notes = factory.note_without_model(settings, OFFLINE)
    others = sorted({repr(each) for each in languages if not factory.extracts_fully(settings, each)})
    if others:
        notes.append(ENGLISH_ONLY.format(languages=", ".join(others)))
    if cached := sum(run.cached for run in runs):
        notes.append(f"{cached} answers came from the cache: counted with what they took when they were paid for")
    if unknown := sum(run.unknown for run in runs):
        notes.append(f"of {unknown} answers from the cache it is not known what they took: they are not counted")
    if failed := sum(run.failed_chunks for run in runs):
        notes.append(
            f"{failed} chunks gave no usable answer: the graphs of their variants are smaller than they should be"
        )
    if any(run.shape.modularity is None and run.shape.pairs for run in runs):
        notes.append("no communities and modularity: the server has no GDS, or too little memory for it")
    return tuple(notes)
