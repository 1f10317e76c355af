"""What systems need before they can be asked: texts in the graph, trees, community reports. A repeat builds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kg_neo4j.acquire.identity import document_id
from kg_neo4j.errors import BudgetReached, ModelUnavailable, UsageError
from kg_neo4j.eval.answers.stories import Story, documents_of
from kg_neo4j.eval.answers.systems import GLOBAL, System
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import Progress
from kg_neo4j.records import LoadReport, SkippedSource, Usage

if TYPE_CHECKING:
    from kg_neo4j.pipeline.narrating import TreeBuildOptions
    from kg_neo4j.settings import Settings

GO_ON = "what was recorded is kept; the same command goes on from there"


@dataclass(slots=True)
class Built:
    """What was built, and what it cost in this run."""

    steps: dict[str, Usage] = field(default_factory=dict)  # "load", "reports", "tree NAME"
    notes: list[str] = field(default_factory=list)
    refused: list[SkippedSource] = field(default_factory=list)  # texts that could not be read

    @property
    def usage(self) -> Usage:
        """Everything together."""
        return sum(self.steps.values(), Usage())


@dataclass(frozen=True, slots=True)
class Building:
    """How to build."""

    settings: Settings
    systems: tuple[System, ...]
    chunk_tokens: int
    budget_usd: float | None
    progress: Progress

    def load_options(self) -> LoadOptions:
        """Return how texts are loaded: with communities where a system reads their reports."""
        return LoadOptions(
            chunk_tokens=self.chunk_tokens,
            analytics=any(system.name == GLOBAL for system in self.systems),
            rebuild=True,  # a graph of an earlier extractor is not what is measured
            budget_usd=self.budget_usd,
        )

    def build(self, stories: Sequence[Story]) -> Built:
        """Load the texts and build what the systems read. Raises what these raise, BudgetReached among it."""
        built = Built()
        if stories:
            report = self._load(stories, built)
            built.steps["load"] = report.usage
            built.notes += [*report.notes, *report.failed_chunks, *report.unfinished]
        for system in self.systems:
            if system.name == GLOBAL:
                self._reports(built)
            if system.tree:
                self._tree(system, stories, built)
        return built

    def planned(self, stories: Sequence[Story]) -> dict[str, Usage]:
        """Return what would be built beside the load, and what it would cost. Nothing is asked."""
        steps = {}
        for system in self.systems:
            if system.name == GLOBAL:
                from kg_neo4j.pipeline.reporting import plan_community_reports

                with suppress(UsageError):  # there are no communities yet
                    steps["reports"] = plan_community_reports(settings=self.settings).usage
            if system.tree:
                from kg_neo4j.pipeline.narrating import plan_tree

                options = self.tree_options(system, stories, Built())
                steps[f"tree {system.tree}"] = plan_tree(settings=self.settings, options=options).usage
        return steps

    def _load(self, stories: Sequence[Story], built: Built) -> LoadReport:
        from kg_neo4j.pipeline.loading import load

        documents = documents_of(stories, self.settings.graph, built.refused)
        return load(settings=self.settings, options=self.load_options(), documents=documents, progress=self.progress)

    def _reports(self, built: Built) -> None:
        from kg_neo4j.pipeline.reporting import CommunityReportOptions, community_reports

        options = CommunityReportOptions(budget_usd=self.left(built.usage))
        done = community_reports(settings=self.settings, options=options, progress=self.progress)
        built.steps["reports"] = done.usage
        built.notes += done.notes
        self._check("reports", done.unfinished, built.usage)

    def _tree(self, system: System, stories: Sequence[Story], built: Built) -> None:
        from kg_neo4j.pipeline.narrating import tree

        options = replace(self.tree_options(system, stories, built), budget_usd=self.left(built.usage))
        done = tree(settings=self.settings, options=options, progress=self.progress)
        built.steps[f"tree {system.tree}"] = done.usage
        built.notes += done.notes
        self._check(f"tree {system.tree}", done.unfinished, built.usage)

    def tree_options(self, system: System, stories: Sequence[Story], built: Built) -> TreeBuildOptions:
        """Return how a system's tree is built: as trees of that name are, one named `raptor` without details."""
        from kg_neo4j.pipeline.narrating import TreeBuildOptions

        gone = {each.source for each in built.refused}
        documents = tuple(
            document_id(self.settings.graph, "file", story.key) for story in stories if story.named not in gone
        )
        return TreeBuildOptions(documents=documents, name=system.tree)

    def _check(self, step: str, unfinished: Sequence[str], spent: Usage) -> None:
        """Raise what ended a step early: systems are compared whole."""
        if not unfinished:
            return
        self.left(spent)
        if self.budget_usd is not None and "budget" in unfinished[0]:
            raise BudgetReached(
                f"{step}: {unfinished[0]}", limit_usd=self.budget_usd, spent_usd=spent.usd or 0.0, hint=GO_ON
            )
        raise ModelUnavailable(f"{step}: {unfinished[0]}", hint=GO_ON)

    def left(self, spent: Usage) -> float | None:
        """Return what is left of the budget; None for no limit. Raises BudgetReached where nothing is."""
        if self.budget_usd is None:
            return None
        used = spent.usd or 0.0
        if used >= self.budget_usd:
            raise BudgetReached(
                f"the budget of {self.budget_usd:g} USD is used up by building: {used:.4f} USD are spent",
                limit_usd=self.budget_usd,
                spent_usd=used,
                hint=f"{GO_ON}, with a larger --budget-usd",
            )
        return self.budget_usd - used
