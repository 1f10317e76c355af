"""The graphs and trees of a study: texts loaded in chunks of each length, trees over them, community reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.errors import BudgetReached, ModelUnavailable, UnreadableSource
from kg_neo4j.eval.answers.systems import GLOBAL
from kg_neo4j.eval.narrative.grid import TreePlan, Wanted
from kg_neo4j.organise.tree.interface import LEAF_TOKENS, NAME
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import Progress
from kg_neo4j.records import LoadReport, Usage

if TYPE_CHECKING:
    from kg_neo4j.extract.interface import Extractor
    from kg_neo4j.graph.database import Database
    from kg_neo4j.pipeline.narrating import TreeBuildOptions
    from kg_neo4j.settings import Settings

PREFIX = "study-"
GO_ON = "what was built stays, and the same command goes on from there"
READERS = ("local", GLOBAL, "auto")  # systems that read entities and facts


@dataclass(slots=True)
class Building:
    """Builds what a study reads. A repeat builds nothing, asks nobody and pays nothing."""

    sources: Sequence[str]
    settings: Settings
    wanted: Wanted
    budget_usd: float | None
    progress: Progress
    graph: str | None = None  # the user's own, with the trees that are there; None: the study's, removed in the end
    steps: dict[str, Usage] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def of(self, chunk_tokens: int) -> Settings:
        """Return the settings with the graph of chunks of that length."""
        if self.graph is not None and chunk_tokens == LEAF_TOKENS:
            return self.settings.model_copy(update={"graph": self.graph})
        return self.settings.model_copy(update={"graph": self._name(chunk_tokens)})

    @property
    def own_graphs(self) -> list[str]:
        """Return the graphs that are the study's own."""
        lengths = sorted({LEAF_TOKENS, *(each.chunk_tokens for each in self.wanted.trees())})
        return [name for each in lengths if (name := self.of(each).graph) != self.graph]

    @property
    def added(self) -> list[str]:
        """Return the names of the trees that a study builds beside the narrative one in a graph of the user's own."""
        own = [each.name for each in self.wanted.trees() if each.chunk_tokens == LEAF_TOKENS and each.name != NAME]
        return own if self.graph is not None else []

    def build(self, database: Database) -> None:
        """Build all of it. Raises UnreadableSource where nothing can be read, and what loading and building raise."""
        for length in dict.fromkeys((LEAF_TOKENS, *(each.chunk_tokens for each in self.wanted.trees()))):
            self._load(database, length)
        for plan in self.wanted.trees():
            self._tree(plan)
        if GLOBAL in self.wanted.systems:
            self._reports()

    def planned(self, database: Database) -> dict[str, Usage]:
        """Return what building would ask, as far as it is known: of texts that are not loaded only the load."""
        from kg_neo4j.graph.documents import list_documents
        from kg_neo4j.pipeline.narrating import plan_tree
        from kg_neo4j.pipeline.planning import plan

        found: dict[str, Usage] = {}
        main = self.of(LEAF_TOKENS)
        if not list_documents(database, main.graph):
            if self._reads_entities:
                found["load"] = plan(self.sources, settings=main, options=self._load_options(LEAF_TOKENS)).usage
            return found
        for each in self.wanted.trees():
            own = self.of(each.chunk_tokens)
            if list_documents(database, own.graph):
                found[self._step(each)] = plan_tree(settings=own, options=self._tree_options(each)).usage
        if GLOBAL in self.wanted.systems:
            from kg_neo4j.pipeline.reporting import plan_community_reports

            found["reports"] = plan_community_reports(settings=main).usage
        return found

    def left(self) -> float | None:
        """Return what is left of the budget; None for no limit. Raises BudgetReached where nothing is."""
        if self.budget_usd is None:
            return None
        spent = sum((each.usd or 0.0 for each in self.steps.values()), 0.0)
        if spent >= self.budget_usd:
            raise BudgetReached(
                f"the budget of {self.budget_usd:g} USD is used up by building: {spent:.4f} USD are spent",
                limit_usd=self.budget_usd,
                spent_usd=spent,
                hint=f"{GO_ON}, with a larger --budget-usd",
            )
        return self.budget_usd - spent

    @property
    def _reads_entities(self) -> bool:
        return bool(set(READERS) & set(self.wanted.systems))

    def _load(self, database: Database, chunk_tokens: int) -> None:
        from kg_neo4j.graph.documents import list_documents
        from kg_neo4j.pipeline.loading import load

        settings = self.of(chunk_tokens)
        if settings.graph == self.graph and list_documents(database, self.graph):
            return
        extractor = None if chunk_tokens == LEAF_TOKENS and self._reads_entities else _nothing()
        options = self._load_options(chunk_tokens)
        report: LoadReport = load(
            self.sources, settings=settings, options=options, extractor=extractor, progress=self.progress
        )
        if not report.documents:
            raise UnreadableSource(f"nothing to read in {', '.join(self.sources)}", hint="`kg load` says why")
        self._add("load" if chunk_tokens == LEAF_TOKENS else f"load {chunk_tokens}", report.usage)
        self.notes += [*report.notes, *report.failed_chunks, *report.unfinished]

    def _load_options(self, chunk_tokens: int) -> LoadOptions:
        analytics = chunk_tokens == LEAF_TOKENS and GLOBAL in self.wanted.systems
        return LoadOptions(chunk_tokens=chunk_tokens, analytics=analytics, rebuild=True, budget_usd=self.left())

    def _tree(self, plan: TreePlan) -> None:
        from dataclasses import replace

        from kg_neo4j.pipeline.narrating import tree

        options = replace(self._tree_options(plan), budget_usd=self.left())
        done = tree(settings=self.of(plan.chunk_tokens), options=options, progress=self.progress)
        self._add(self._step(plan), done.usage)
        self.notes += [each for each in done.notes if plan.chunk_tokens == LEAF_TOKENS]
        self._check(self._step(plan), done.unfinished)

    def _tree_options(self, plan: TreePlan) -> TreeBuildOptions:
        from kg_neo4j.organise.tree.aspects import GENERAL
        from kg_neo4j.pipeline.narrating import TreeBuildOptions

        if self.graph is not None and plan.chunk_tokens == LEAF_TOKENS and plan.name == NAME:
            return TreeBuildOptions(name=plan.name)
        return TreeBuildOptions(
            name=plan.name,
            aspects=(GENERAL,) if plan.is_general else None,
            leaf_tokens=plan.chunk_tokens,
            summary_tokens=plan.summary_tokens,
            details=plan.details,
        )

    def _step(self, plan: TreePlan) -> str:
        length = "" if plan.chunk_tokens == LEAF_TOKENS else f" {plan.chunk_tokens}"
        return f"tree {plan.name}{length}"

    def _reports(self) -> None:
        from kg_neo4j.pipeline.reporting import CommunityReportOptions, community_reports

        options = CommunityReportOptions(budget_usd=self.left())
        done = community_reports(settings=self.of(LEAF_TOKENS), options=options, progress=self.progress)
        self._add("reports", done.usage)
        self.notes += done.notes
        self._check("reports", done.unfinished)

    def _add(self, step: str, usage: Usage) -> None:
        self.steps[step] = self.steps.get(step, Usage()) + usage

    def _check(self, step: str, unfinished: Sequence[str]) -> None:
        """Raise what ended a step early: a study compares what is whole."""
        if not unfinished:
            return
        self.left()
        if self.budget_usd is not None and "budget" in unfinished[0]:
            spent = sum((each.usd or 0.0 for each in self.steps.values()), 0.0)
            raise BudgetReached(f"{step}: {unfinished[0]}", limit_usd=self.budget_usd, spent_usd=spent, hint=GO_ON)
        raise ModelUnavailable(f"{step}: {unfinished[0]}", hint=GO_ON)

    def _name(self, chunk_tokens: int) -> str:
        """Return a name that no other study has: a hash of the sources and of all that shapes what is extracted."""
        from kg_neo4j import factory
        from kg_neo4j.acquire.identity import hash_id

        asked = "" if self.settings.offline else self.settings.model or factory.DEFAULT_MODEL
        server = "" if self.settings.offline else self.settings.openai_base_url or ""
        places = [str(Path(source).resolve()) for source in self.sources]
        read = "entities" if self._reads_entities and chunk_tokens == LEAF_TOKENS else "passages"
        key = hash_id("narrative", *places, asked, server, self.settings.spacy_model or "", read)[:12]
        return f"{PREFIX}{key}-{chunk_tokens}"


def _nothing() -> Extractor:
    """Return an extractor that finds nothing: passages are all that is read."""
    from kg_neo4j.extract import schema
    from kg_neo4j.extract.triples import TripleExtractor

    return TripleExtractor(schema.load(LoadOptions().schema), {})
