"""The graphs and trees of a study: texts loaded in chunks of each length, trees over them, community reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j import factory
from kg_neo4j.acquire.chunking import target
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import UnreadableSource
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.organise.tree.interface import LEAF_TOKENS, NAME, TreeBuildOptions
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.settings import Settings
from kg_neo4j_lab.answers.systems import GLOBAL
from kg_neo4j_lab.building import LOAD, READERS, Builder, Texts
from kg_neo4j_lab.narrative.grid import StudyScope

PREFIX = "study-"


@dataclass(slots=True)
class StudyBuild(Builder):
    """Builds what a study reads. A repeat builds nothing, calls no model and pays nothing."""

    sources: Sequence[str]
    settings: Settings
    wanted: StudyScope
    graph: str | None = None  # the user's own, with the trees that are there; None: the study's, removed in the end
    _is_there: bool = False  # the user's own graph has texts: these are what is studied

    def of(self, chunk_tokens: int) -> Settings:
        """Return the settings with the graph of chunks of at most so many tokens."""
        if self.graph is not None and chunk_tokens == LEAF_TOKENS:
            return self.settings.model_copy(update={"graph": self.graph})
        return self.settings.model_copy(update={"graph": self._name(chunk_tokens)})

    @property
    def lengths(self) -> list[int]:
        """Return the lengths of chunks, that of the leaves first."""
        return list(dict.fromkeys((LEAF_TOKENS, *(each.leaf_tokens or LEAF_TOKENS for each in self.wanted.trees()))))

    @property
    def own_graphs(self) -> list[str]:
        """Return the graphs that are the study's own."""
        return [name for each in sorted(self.lengths) if (name := self.of(each).graph) != self.graph]

    @property
    def added(self) -> list[str]:
        """Return the names of the trees that a study adds to the narrative one in a graph of the user's own."""
        own = [each.name for each in self.wanted.trees() if each.leaf_tokens == LEAF_TOKENS and each.name != NAME]
        return own if self.graph is not None else []

    def build(self, database: Database) -> None:
        """Build all of it. Raises UnreadableSource where nothing can be read, and what loading and building raise."""
        for length in self.lengths:
            self._load(database, length)
        for tree in self.wanted.trees():
            length = tree.leaf_tokens or LEAF_TOKENS
            step = f"tree {tree.name}" if length == LEAF_TOKENS else f"tree {tree.name} {length}"
            is_users = self.graph is not None and length == LEAF_TOKENS and tree.name == NAME
            self.tree(step, self._texts(length), TreeBuildOptions(name=NAME) if is_users else tree)
        if GLOBAL in self.wanted.systems:
            self.reports(self._texts(LEAF_TOKENS))

    @property
    def _reads_entities(self) -> bool:
        return bool(set(READERS) & set(self.wanted.systems))

    def _load(self, database: Database, chunk_tokens: int) -> None:
        texts = self._texts(chunk_tokens)
        if texts.settings.graph == self.graph and list_documents(database, self.graph):
            self._is_there = True
            return
        done = self.load(LOAD if chunk_tokens == LEAF_TOKENS else f"{LOAD} {chunk_tokens}", texts)
        if not done.documents:
            raise UnreadableSource(f"nothing to read in {', '.join(self.sources)}", hint="`kg load` says why")

    def _texts(self, chunk_tokens: int) -> Texts:
        reads_entities = chunk_tokens == LEAF_TOKENS and self._reads_entities
        analytics = chunk_tokens == LEAF_TOKENS and GLOBAL in self.wanted.systems
        options = LoadOptions(chunk_tokens=target(chunk_tokens), analytics=analytics, rebuild=True)
        settings = self.of(chunk_tokens)
        sources = () if self._is_there and settings.graph == self.graph else self.sources
        return Texts(settings, options, reads_entities, sources)

    def _name(self, chunk_tokens: int) -> str:
        """Return a name that no other study has: a hash of the sources and of all that shapes what is extracted."""
        asked, server = factory.model_and_server(self.settings)
        places = [str(Path(source).resolve()) for source in self.sources]
        read = "entities" if self._reads_entities and chunk_tokens == LEAF_TOKENS else "passages"
        key = hash_id("narrative", *places, asked, server, self.settings.spacy_model or "", read)[:12]
        return f"{PREFIX}{key}-{chunk_tokens}"
