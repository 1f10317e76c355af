"""Builds what systems read before they are asked: texts in graphs, trees, community reports. A repeat builds nothing.

A plan takes the same steps, builds nothing, and has in `steps` what building would ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.door import Door, Job
from kg_neo4j.errors import BudgetReached, KgError, ModelUnavailable, UsageError
from kg_neo4j.extract import schema
from kg_neo4j.extract.interface import Extractor
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.community_reports import CommunityReportsReport
from kg_neo4j.organise.tree.interface import TreeBuildOptions
from kg_neo4j.pipeline.commands.communities import (
    CommunityReportOptions,
    community_reports,
    plan_community_reports,
)
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.commands.plan import plan
from kg_neo4j.pipeline.commands.tree import TreeReport, plan_tree, tree
from kg_neo4j.pipeline.estimates import REPORT_OUTPUT, REPORT_PROMPT, REPORTS_A_NAME, names_in
from kg_neo4j.pipeline.options import LoadOptions, check_sources, cut_document
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk, Document, LoadPlan, LoadReport, Usage
from kg_neo4j.retrieve.tree.search import read_trees
from kg_neo4j.settings import Settings
from kg_neo4j_lab.answers.supposed import priced
from kg_neo4j_lab.answers.systems import GLOBAL, System
from kg_neo4j_lab.triples import TripleExtractor

GO_ON = "what was built is kept, and the same command continues from there"
READERS = ("local", GLOBAL, "auto", "tree-walk")  # systems that read entities and facts
LOAD, REPORTS = "load", "reports"  # steps
SMALLEST = 2  # members of a community that a model reports on, as published


@contextmanager
def saying_what_stays(graphs: Sequence[str], progress: Progress) -> Iterator[None]:
    """Name the graphs that are there when an error or an interrupt ends what is built and asked within."""
    try:
        yield
    except (KgError, KeyboardInterrupt):
        if graphs:
            progress.note(f"{GO_ON}: {', '.join(graphs)}")
        raise


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one graph, and how they are loaded. They are read whenever they are needed."""

    settings: Settings
    options: LoadOptions
    reads_entities: bool  # False: passages are all that is read, and nothing is extracted
    sources: Sequence[str] = ()
    documents: Callable[[], Iterable[Document]] = tuple

    def cut(self) -> Iterator[tuple[Document, tuple[Chunk, ...]]]:
        """Yield each text with the chunks that it is to have."""
        tokeniser = tokens.load()
        checked = check_sources(self.sources, self.settings, self.options, Tally())
        for each in checked.documents(further=self.documents()):
            yield each, cut_document(each, tokeniser, self.settings, self.options)

    def missing(self, database: Database) -> Iterator[tuple[Document, tuple[Chunk, ...]]]:
        """Yield the texts that the graph does not have with just these chunks."""
        query = queries.get("tree/chunks")
        for each, chunks in self.cut():
            rows = database.read(query, graph=self.settings.graph, document_id=each.id)
            if [row["id"] for row in rows] != [chunk.id for chunk in chunks]:
                yield each, chunks

    def to_load(self) -> Iterator[Document]:
        """Yield the documents to load. Where passages are read, those that are there stay, with their entities."""
        if self.reads_entities:
            yield from self.documents()
            return
        with connect(self.settings, SILENT, makes=[]) as database:
            yield from (each for each, _ in self.missing(database))

    @property
    def extractor(self) -> Extractor | None:
        """What extracts in place of the one of the settings: nothing, where no system reads what it finds."""
        return None if self.reads_entities else TripleExtractor(schema.load(self.options.schema), {})


@dataclass(frozen=True, slots=True)
class PlanTree(Job[Usage]):
    """Returns what building trees of one name would ask."""

    kind: ClassVar[str] = "plan_tree"
    texts: Texts
    options: TreeBuildOptions
    progress: Progress

    def by_model(self, door: Door) -> Usage:
        """Plan the trees, those of texts that are not loaded as well."""
        settings = self.texts.settings
        with connect(settings, self.progress, makes=[]) as database:
            unread = self.texts.missing(database)
            return plan_tree(settings=settings, options=self.options, unread=unread, progress=self.progress).usage


@dataclass(slots=True, kw_only=True)
class Builder:
    """Takes the steps, and remembers what each of them cost in this run, or would cost."""

    budget_usd: float | None
    progress: Progress
    is_plan: bool = False
    steps: dict[str, Usage] = field(default_factory=dict)  # "load", "reports", "tree NAME"
    notes: list[str] = field(default_factory=list)
    load_plan: LoadPlan | None = None  # of the texts whose entities are read; None: they are loaded
    _unloaded: set[str] = field(default_factory=set)  # graphs whose passages are not there, in a plan

    @property
    def usage(self) -> Usage:
        """Everything together."""
        return sum(self.steps.values(), Usage())

    def left(self) -> float | None:
        """Return what is left of the budget; None for no limit. Raises BudgetReached where nothing is."""
        if self.budget_usd is None:
            return None
        spent = self.usage.usd or 0.0
        if spent >= self.budget_usd:
            why = f"the budget of {self.budget_usd:g} USD is used up by building: {spent:.4f} USD are spent"
            hint = f"{GO_ON}, with a larger --budget-usd"
            raise BudgetReached(why, limit_usd=self.budget_usd, spent_usd=spent, hint=hint)
        return self.budget_usd - spent

    def load(self, step: str, texts: Texts) -> LoadReport | LoadPlan:
        """Load texts."""
        settings, options, progress = texts.settings, texts.options, self.progress
        how: dict[str, Any] = {"settings": settings, "extractor": texts.extractor, "progress": progress}
        if not self.is_plan:
            options = replace(options, budget_usd=self.left())
            report = load(texts.sources, options=options, documents=texts.to_load(), **how)
            self.notes += [*report.notes, *report.failed_chunks, *report.unfinished]
            self._add(step, report.usage)
            return report
        planned = plan(texts.sources, options=options, documents=texts.documents(), **how)
        with connect(settings, progress, makes=[]) as database:
            if next(texts.missing(database), None) is not None:
                self._unloaded.add(settings.graph)
        if step == LOAD and (planned.chunks_to_ask or settings.graph in self._unloaded):
            self.load_plan = planned
        self._add(step, planned.usage)
        return planned

    def tree(self, step: str, texts: Texts, options: TreeBuildOptions) -> None:
        """Build the trees of one name."""
        if self.is_plan:
            self._add(step, factory.door(texts.settings).do(PlanTree(texts, options, self.progress)))
            return
        options = replace(options, budget_usd=self.left())
        self._done(step, tree(settings=texts.settings, options=options, progress=self.progress))

    def reports(self, texts: Texts) -> None:
        """Write community reports."""
        if self.is_plan:
            self._add(REPORTS, self._planned_reports(texts))
            return
        options = CommunityReportOptions(budget_usd=self.left(), smallest=SMALLEST)
        self._done(REPORTS, community_reports(settings=texts.settings, options=options, progress=self.progress))

    def is_built(self, database: Database, graph: str, system: System) -> bool:
        """Say whether a plan can ask a system: what it reads is there."""
        if graph in self._unloaded or ({system.name, system.mode} & set(READERS) and self.load_plan is not None):
            return False
        if system.tree:
            trees = read_trees(database, graph, system.tree)
            return bool(trees) and all(each.is_good for each in trees)
        return system.mode != GLOBAL or not self.steps[REPORTS].calls

    def _planned_reports(self, texts: Texts) -> Usage:
        """Return what reports would ask; about what, where communities are not known yet."""
        if self.load_plan is None:
            try:
                return plan_community_reports(
                    settings=texts.settings, options=CommunityReportOptions(smallest=SMALLEST)
                ).usage
            except UsageError:  # there are no communities yet
                pass
        names = {name for _, chunks in texts.cut() for chunk in chunks for name in names_in(chunk.text)}
        calls = round(REPORTS_A_NAME * len(names))  # of community reports, before entities are known
        usage = factory.door(texts.settings).planned(Usage(calls, calls * REPORT_PROMPT, calls * REPORT_OUTPUT))
        return priced(usage, texts.settings)

    def _add(self, step: str, usage: Usage) -> None:
        self.steps[step] = self.steps.get(step, Usage()) + usage

    def _done(self, step: str, done: TreeReport | CommunityReportsReport) -> None:
        """Note what a step took. Raise what ended it early: systems are compared whole."""
        self._add(step, done.usage)
        self.notes += done.notes
        if not done.unfinished:
            return
        self.left()
        why = f"{step}: {done.unfinished[0]}"
        if self.budget_usd is not None and "budget" in done.unfinished[0]:
            spent = self.usage.usd or 0.0
            raise BudgetReached(why, limit_usd=self.budget_usd, spent_usd=spent, hint=GO_ON)
        raise ModelUnavailable(why, hint=GO_ON)
