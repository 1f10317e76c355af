"""What the length of chunks does to the graph: one text, built into a graph of its own for each variant.

The graph that the settings name is never touched. A variant's graph has a name that follows from the sources and from
all that shapes it, so a study that was stopped goes on where it was; when all are built and measured they are removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j import factory
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.eval.building import saying_what_stays
from kg_neo4j.eval.variants import (
    UNTUNED,
    ChunkLengthStudy,
    Grid,
    Variant,
    VariantRun,
    cells,
    is_tuned,
    prompts_name,
    ratios,
)
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import LoadPlan, LoadReport, Usage

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j.settings import Settings

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
    schema: str = "graph"  # of prompts that are not tuned
    gleanings: int = 1
    wave: int = 8
    budget_usd: float | None = None  # for all variants together
    keep: bool = False  # leave the variants' graphs in the database
    plot: Path | None = None  # a picture (.png) of all of them, side by side on one scale


def study_chunk_length(
    sources: Sequence[str],
    *,
    settings: Settings,
    options: ChunkLengthOptions | None = None,
    progress: Progress = SILENT,
) -> ChunkLengthStudy:
    """Build every variant, measure it, draw all of them, and remove them.

    Repeats after the first are asked anew, not taken from the cache of answers. Where an error or an interrupt ends
    the study, its graphs stay: the same call goes on. Raises UnreadableSource where there is nothing to read, and what
    `load` raises.
    """
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.organise import plot

    options = options or ChunkLengthOptions()
    builds = _builds(sources, settings, options)
    if options.plot is not None:
        plot.check_side_by_side(options.plot)
    with connect(settings, progress) as database:
        work = _Study(sources, settings, options, progress, database)
        with saying_what_stays(work.graphs, progress):
            runs = [work.build(variant, repeat) for variant, repeat in builds]
            if options.plot is not None:
                drawn = [(_title(run), run.graph) for run in runs if run.repeat == 1]
                plot.plot_side_by_side(database, drawn, options.plot)
        work.clear()
    found = cells(runs)
    return ChunkLengthStudy(
        _model_name(settings),
        found,
        ratios(found),
        work.tuning,
        tuple(run.graph for run in runs) if options.keep else (),
        _notes(runs, settings, work.languages),
    )


def plan_chunk_length(
    sources: Sequence[str],
    *,
    settings: Settings,
    options: ChunkLengthOptions | None = None,
    progress: Progress = SILENT,
) -> tuple[tuple[Variant, LoadPlan], ...]:
    """Estimate what each variant's graph would take, repeat by repeat; no model is called and nothing written.

    Prompts that are not tuned yet are taken to be as long as those that ship, and tuning itself is left out.
    """
    from kg_neo4j import pipeline

    options = options or ChunkLengthOptions()
    plans = []
    for variant, repeat in _builds(sources, settings, options):
        schema = options.schema if variant.prompts == UNTUNED or is_tuned(variant.prompts) else variant.prompts
        own = _graph_settings(sources, settings, options, variant, repeat, schema)
        wanted = _load_options(options, variant, schema)
        plans.append((variant, pipeline.plan(sources, settings=own, options=wanted, progress=progress)))
    return tuple(plans)


@dataclass(slots=True)
class _Study:
    """One study on its way."""

    sources: Sequence[str]
    settings: Settings
    options: ChunkLengthOptions
    progress: Progress
    database: Database
    tuning: Usage = field(default_factory=Usage)
    graphs: list[str] = field(default_factory=list)
    languages: set[str] = field(default_factory=set)  # of the documents, as far as they are known
    _spent: float = 0.0

    def build(self, variant: Variant, repeat: int) -> VariantRun:
        """Build one graph, or what is missing of it, and measure it."""
        from kg_neo4j import pipeline
        from kg_neo4j.graph.documents import list_documents

        schema = self._schema(variant)
        settings = _graph_settings(self.sources, self.settings, self.options, variant, repeat, schema)
        wanted = replace(_load_options(self.options, variant, schema), budget_usd=self._left())
        self.graphs.append(settings.graph)
        report = pipeline.load(self.sources, settings=settings, options=wanted, progress=self.progress)
        if not report.documents:
            raise UnreadableSource(f"nothing to read in {', '.join(self.sources)}", hint="`kg load` says why")
        self._spent += report.usage.usd or 0.0
        self.languages |= {each.language for each in list_documents(self.database, settings.graph) if each.language}
        return self._measured(variant, repeat, settings, report)

    def clear(self) -> None:
        """Remove what was built, unless it is to stay."""
        from kg_neo4j.graph.constraints import delete_graph

        if not self.options.keep:
            for graph in self.graphs:
                delete_graph(self.database, graph)

    def _measured(self, variant: Variant, repeat: int, settings: Settings, report: LoadReport) -> VariantRun:
        from kg_neo4j._models.prices import price_of
        from kg_neo4j.eval.variants import read_shape
        from kg_neo4j.graph import queries

        name, _ = factory.model_and_server(settings)
        [row] = self.database.read(queries.get("analytics/answer_totals"), graph=settings.graph, model=name)
        price, read, written = price_of(name, settings), row["input_tokens"], row["output_tokens"]
        usage = Usage(row["known"], read, written, price.usd(read, written) if price else None)
        cached, unknown = row["cached"], row["answers"] - row["known"]
        shape = read_shape(self.database, settings.graph)
        return VariantRun(
            *(variant, repeat, settings.graph, report.chunks, len(report.failed_chunks), shape),
            *(usage, cached, unknown),
        )

    def _schema(self, variant: Variant) -> str:
        """Return the schema that a variant is built with; tuned ones are made once and kept as files."""
        if variant.prompts == UNTUNED:
            return self.options.schema
        if not is_tuned(variant.prompts):
            return variant.prompts
        from kg_neo4j import pipeline

        tuner = variant.prompts.partition(":")[2] or variant.model
        settings = _variant_settings(self.settings, replace(variant, model=tuner), 1)
        wanted = pipeline.TuneOptions(schema=self.options.schema, budget_usd=self._left())
        key = _key(self.sources, settings, self.options.schema, *_texts(self.sources))
        file = settings.cache / "studies" / f"tuned-{key}.toml"
        if not file.is_file():
            tuned = pipeline.tune(self.sources, settings=settings, options=wanted, progress=self.progress)
            self.tuning += tuned.usage
            self._spent += tuned.usage.usd or 0.0
            file.parent.mkdir(parents=True, exist_ok=True)
            pipeline.write_schema(tuned, file)
        return str(file)

    def _left(self) -> float | None:
        """Return what is left of the budget; where it is nothing, so little that no call can be paid from it."""
        budget = self.options.budget_usd
        return None if budget is None else max(budget - self._spent, 1e-9)


def _builds(sources: Sequence[str], settings: Settings, options: ChunkLengthOptions) -> list[tuple[Variant, int]]:
    """Return the variants and repeats to build; UsageError for invalid ones, before anything is built."""
    from kg_neo4j.extract import schema as schemas
    from kg_neo4j.extract.engine import PREPROCESSING

    if not sources:
        raise UsageError("nothing to study", hint="name files or folders")
    if options.grid.models != (None,):
        factory.require_model(settings, "--model names models, but none can be asked")
    if any(":" in prompts for prompts in options.grid.prompts if is_tuned(prompts)):
        factory.require_model(settings, "--prompts nd:MODEL names a model, but none can be asked")
    if unknown := sorted(set(options.grid.preprocess) - set(PREPROCESSING)):
        raise UsageError(f"preprocess {unknown[0]!r}", hint=f"one of {', '.join(PREPROCESSING)}")
    for prompts in {options.schema, *(each for each in options.grid.prompts if not is_tuned(each))} - {UNTUNED}:
        schemas.load(prompts)
    variants = options.grid.variants()
    return [(variant, repeat) for variant in variants for repeat in range(1, options.grid.repeats + 1)]


def _load_options(options: ChunkLengthOptions, variant: Variant, schema: str) -> LoadOptions:
    from kg_neo4j.pipeline.options import LoadOptions

    return LoadOptions(
        chunk_tokens=variant.tokens,
        preprocess=variant.preprocess,
        schema=schema,
        gleanings=options.gleanings,
        wave=options.wave,
        vectors=False,
    )


def _variant_settings(settings: Settings, variant: Variant, repeat: int) -> Settings:
    changes: dict[str, object] = {"summary_tokens": 0, "model": variant.model or settings.model}
    if repeat > 1:
        changes["answer_cache"] = False
    return settings.model_copy(update=changes)


def _model_name(settings: Settings) -> str:
    return factory.model_and_server(settings)[0] or "offline-1"


def _graph_settings(
    sources: Sequence[str], settings: Settings, options: ChunkLengthOptions, variant: Variant, repeat: int, schema: str
) -> Settings:
    """Return settings whose graph no other study has: its name hashes the sources and all that shapes it."""
    from kg_neo4j.extract import schema as schemas

    own = _variant_settings(settings, variant, repeat)
    shaping = (variant.preprocess, variant.tokens, schemas.load(schema).hash, options.gleanings, options.wave, repeat)
    name = f"{PREFIX}{_key(sources, own, *map(str, shaping))}-{variant.tokens or 'max'}"
    return own.model_copy(update={"graph": name})


def _key(sources: Sequence[str], settings: Settings, *parts: str) -> str:
    from kg_neo4j.acquire.identity import hash_id

    places = [str(Path(source).resolve()) for source in sources]
    _, server = factory.model_and_server(settings)
    asked = (_model_name(settings), server, settings.spacy_model or "", str(settings.temperature))
    return hash_id("study", *places, *asked, *parts)[:12]


def _texts(sources: Sequence[str]) -> list[str]:
    """Return the hashes of the texts: prompts are tuned to what the files say now."""
    from kg_neo4j.acquire import files
    from kg_neo4j.records import Document

    return [each.sha256 for each in files.read(sources, graph="study") if isinstance(each, Document)]


def _title(run: VariantRun) -> str:
    variant = run.variant
    tokens = f"{variant.tokens} tokens" if variant.tokens else "as long as the window allows"
    tuned = "" if variant.prompts == UNTUNED else f"prompts {prompts_name(variant.prompts)}"
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
