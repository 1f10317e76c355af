"""Answer a question in the mode that is named, or that is chosen; and embed texts, so that other tools can search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kg_neo4j.errors import UsageError
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Answer, Filters
from kg_neo4j.retrieve.naive import ChunkChoice
from kg_neo4j.retrieve.tree.choice import CONTEXT_TOKENS as TREE_TOKENS
from kg_neo4j.retrieve.tree.choice import TreeChoice

if TYPE_CHECKING:
    from kg_neo4j._models.budget import Budget
    from kg_neo4j._models.door import Door
    from kg_neo4j._models.protocols import EmbeddingModel
    from kg_neo4j._models.tokens import Tokeniser
    from kg_neo4j.graph.database import Database
    from kg_neo4j.retrieve.interface import Retriever
    from kg_neo4j.retrieve.means import Means
    from kg_neo4j.retrieve.routing import Routed
    from kg_neo4j.settings import Settings

AUTO, GLOBAL, CYPHER, TREE, NAIVE = "auto", "global", "cypher", "tree", "naive"
CONTEXT_TOKENS = 6_000  # of evidence; of a tree fewer, see `retrieve.tree.choice`


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How to answer. The defaults are those of the command line."""

    mode: str = AUTO
    level: int | None = None  # of communities, for the mode "global"; 0 is the coarsest
    max_context_tokens: int | None = None  # of evidence; None: 6,000, of a tree 1,700
    filters: Filters = field(default_factory=Filters)
    decompose: bool = False  # the model takes the question apart before the search: one more call
    rerank: bool = False  # the model puts the passages in order after it: one more call
    tree: TreeChoice = field(default_factory=TreeChoice)  # for the mode "tree"
    chunks: ChunkChoice = field(default_factory=ChunkChoice)  # for the mode "naive"
    retriever: Retriever | None = None  # searches instead of the modes


def ask(  # noqa: PLR0913 - what a question needs; all but one by name
    question: str,
    *,
    settings: Settings | None = None,
    mode: str = "auto",
    level: int | None = None,
    filters: Filters | None = None,
    max_context_tokens: int | None = None,
    decompose: bool = False,
    rerank: bool = False,
    tree: TreeChoice | None = None,
    chunks: ChunkChoice | None = None,
    retriever: Retriever | None = None,
    progress: Progress = SILENT,
    hear: Callable[[str], None] | None = None,
) -> Answer:
    """Answer a question from the graph, with citations that exist. Nothing in the graph is changed.

    `mode` is "local", "naive": from the chunks that `chunks` says, "global": from the community reports, those of one
    `level` where it is given (0 is the coarsest), "tree": from the narrative trees, those nodes that `tree` says,
    "cypher": from the rows of a query, a canned one or one that the model writes, or "auto", which chooses by the
    question and says in `routing` what and why; it never lets a model write a query. A `retriever` searches instead of
    these modes. What is retrieved, shown and cited obeys `filters`. `max_context_tokens` bounds the evidence; None is
    6,000, of a tree 1,700. A model takes the question apart before the search where `decompose` is set, and puts the
    passages in order after it where `rerank` is; UsageError without a model. `hear` gets a model's words as they come,
    before they are checked. `found` is False where the graph does not hold an answer.
    """
    from kg_neo4j import factory
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.settings import Settings

    settings = settings or Settings()
    choices = (tree or TreeChoice(), chunks or ChunkChoice(), retriever)
    options = AskOptions(mode, level, max_context_tokens, filters or Filters(), decompose, rerank, *choices)
    check(question, options)
    with connect(settings, progress) as database:
        return answerer(settings, database, factory.door(settings)).answer(question, options, hear)


def embed(texts: Sequence[str], *, settings: Settings | None = None) -> list[list[float]]:
    """Return one vector of unit length for each text, from the model that embeds graphs under these settings.

    Other tools search the vector indexes with it (docs/other-tools.md). Texts of over 450 tokens are split, and their
    vectors averaged, as those of chunks are. No database is opened. Raises the model's errors.
    """
    from kg_neo4j import factory
    from kg_neo4j._models import tokens
    from kg_neo4j._models.embedding import embed_texts
    from kg_neo4j.settings import Settings

    settings = settings or Settings()
    vectors = embed_texts(factory.embedding_model(settings), texts, tokens.load())
    return [[float(value) for value in vector] for vector in vectors]


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers questions on one graph, with one set of models, over one connection."""

    settings: Settings
    database: Database
    door: Door
    embedder: EmbeddingModel
    tokeniser: Tokeniser

    def answer(self, question: str, options: AskOptions, hear: Callable[[str], None] | None = None) -> Answer:
        """Answer one question. Raises as `ask`."""
        from kg_neo4j.retrieve.checking.standing import with_pages

        check(question, options)
        routed = self._route(question, options) if options.mode == AUTO and options.retriever is None else None
        mode = routed.routing.mode if routed else options.mode
        if mode == GLOBAL:
            answer = self._globally(question, options)
        elif mode == CYPHER:  # where the mode was not named, no model writes a query
            answer = self._by_query(question, options.filters, writes=routed is None)
        elif mode == TREE:
            answer = self._from_tree(question, options, hear)
        else:
            answer = self._from_chunks(question, options, routed, hear)
        if mode in (GLOBAL, CYPHER) or answer.nearest:
            answer = with_pages(self.database, self.settings.graph, answer)
        return replace(answer, routing=routed.routing) if routed else answer

    def _route(self, question: str, options: AskOptions) -> Routed:
        from kg_neo4j.retrieve.filters import resolve
        from kg_neo4j.retrieve.interface import Search
        from kg_neo4j.retrieve.linking import can_link
        from kg_neo4j.retrieve.question import fulltext_query, read
        from kg_neo4j.retrieve.routing import route

        asked = read(question)
        scope = resolve(self.database, self.settings.graph, options.filters)
        words = fulltext_query(asked) if can_link(self.database, self.settings.graph) else None
        search = Search(self.settings.graph, asked, words, scope=scope)
        return route(self.database, search, (GLOBAL, CYPHER, TREE), options.tree.name)

    def _from_chunks(
        self, question: str, options: AskOptions, routed: Routed | None, hear: Callable[[str], None] | None
    ) -> Answer:
        from kg_neo4j import retrieve

        how, graph = self._means(options, CONTEXT_TOKENS, hear), self.settings.graph
        return retrieve.ask(
            *(self.database, question, graph, how),
            mode=options.mode,
            chunks=options.chunks,
            filters=options.filters,
            routed=routed,
            retriever=options.retriever,
        )

    def _globally(self, question: str, options: AskOptions) -> Answer:
        from kg_neo4j.retrieve.overview.global_answer import GlobalMode, ask_global

        tokens = CONTEXT_TOKENS if options.max_context_tokens is None else options.max_context_tokens
        how = GlobalMode(self.tokeniser, self._door, options.level, tokens)
        return ask_global(self.database, question, self.settings.graph, how, options.filters)

    def _from_tree(self, question: str, options: AskOptions, hear: Callable[[str], None] | None) -> Answer:
        from kg_neo4j.retrieve.tree.answer import ask_tree

        how = self._means(options, TREE_TOKENS, hear)
        return ask_tree(self.database, question, self.settings.graph, how, options.tree, options.filters)

    def _by_query(self, question: str, filters: Filters, *, writes: bool) -> Answer:
        from kg_neo4j.retrieve.cypher.answer import CypherMode, ask_cypher

        how = CypherMode(self.tokeniser, self._door, writes)
        return ask_cypher(self.database, question, self.settings.graph, how, filters)

    def _means(self, options: AskOptions, context_tokens: int, hear: Callable[[str], None] | None) -> Means:
        from kg_neo4j.retrieve.means import Means

        return Means(
            embedder=self.embedder,
            tokeniser=self.tokeniser,
            door=self._door,
            max_context_tokens=context_tokens if options.max_context_tokens is None else options.max_context_tokens,
            unsupported=self.settings.unsupported,
            judge=self.settings.judge,
            decompose=options.decompose,
            rerank=options.rerank,
            hear=hear,
        )

    @property
    def _door(self) -> Door:
        """The door for one question: what stopped one before does not stop it."""
        return self.door.again()


def answerer(settings: Settings, database: Database, door: Door, *, budget: Budget | None = None) -> Answerer:
    """Return what answers questions with the model that `door` leads to; embeddings are paid from `budget`, if any."""
    from kg_neo4j import factory
    from kg_neo4j._models import tokens

    return Answerer(settings, database, door, factory.embedding_model(settings, budget=budget), tokens.load())


def check(question: str, options: AskOptions) -> None:
    """Raise UsageError for an empty question and for invalid options; needs no database."""
    from kg_neo4j import retrieve
    from kg_neo4j.retrieve import filters

    if options.retriever is not None and options.mode != AUTO:
        raise UsageError("a retriever searches instead of a mode", hint="leave one of them out")
    if options.level is not None and options.mode != GLOBAL:
        raise UsageError("a level is for the mode global", hint="--mode global --level N")
    if options.tree != TreeChoice() and options.mode not in (TREE, AUTO):
        raise UsageError("which nodes of a tree are read is for the mode tree", hint="--mode tree")
    if options.chunks != ChunkChoice() and options.mode != NAIVE:
        raise UsageError("which chunks are read is for the mode naive", hint="--mode naive")
    if (options.decompose or options.rerank) and options.mode in (GLOBAL, CYPHER, TREE):
        raise UsageError(f"the mode {options.mode} searches in its own way", hint="--decompose, --rerank: local, naive")
    retrieve.check(question, AUTO if options.mode in (GLOBAL, CYPHER, TREE) else options.mode)
    filters.check(options.filters)
