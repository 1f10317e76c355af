"""What compared systems need before they can be asked: texts in the graph, trees, community reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kg_neo4j.acquire.identity import document_id
from kg_neo4j.eval.answers.stories import Story, documents_of
from kg_neo4j.eval.answers.systems import GLOBAL, System
from kg_neo4j.eval.building import LOAD, READERS, Builder, Texts
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.records import Document, SkippedSource

if TYPE_CHECKING:
    from kg_neo4j.settings import Settings


@dataclass(slots=True)
class SystemsBuild(Builder):
    """Loads stories and builds what systems read. `refused` are texts that could not be read."""

    settings: Settings
    systems: tuple[System, ...]
    chunk_tokens: int
    refused: list[SkippedSource] = field(default_factory=list)

    def build(self, stories: Sequence[Story]) -> None:
        """Load the texts and build what the systems read. Raises what these raise, BudgetReached among it."""
        from kg_neo4j.pipeline.commands.tree import TreeBuildOptions

        graph, texts = self.settings.graph, self._texts(stories)
        if stories:
            self.load(LOAD, texts)
        gone = {each.source for each in self.refused}
        documents = tuple(document_id(graph, "file", story.key) for story in stories if story.named not in gone)
        for system in self.systems:
            if system.name == GLOBAL:
                self.reports(texts)
            if system.tree:  # one named `raptor` has one aspect and no details
                self.tree(f"tree {system.tree}", texts, TreeBuildOptions(documents=documents, name=system.tree))

    def _texts(self, stories: Sequence[Story]) -> Texts:
        """Return the texts; they have communities where a system reads their reports."""
        options = LoadOptions(
            chunk_tokens=self.chunk_tokens,
            analytics=any(system.name == GLOBAL for system in self.systems),
            rebuild=True,  # a graph of an earlier extractor is not what is measured
        )

        def documents() -> Iterator[Document]:
            self.refused.clear()  # each reading finds them
            yield from documents_of(stories, self.settings.graph, self.refused)

        return Texts(self.settings, options, any(each.name in READERS for each in self.systems), (), documents)
