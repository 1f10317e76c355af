"""Answer a question in the mode that is named, or that is chosen; and embed texts, so that other tools can search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kg_neo4j import factory, tracing
from kg_neo4j._models import tokens
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.door import Door
from kg_neo4j._models.embedding import embed_texts
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Answer, Filters
from kg_neo4j.retrieve import ask as answering
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.interface import AskOptions, ChunkChoice, Retriever
from kg_neo4j.retrieve.question import Question, read
from kg_neo4j.retrieve.tree.choice import TreeChoice
from kg_neo4j.settings import Settings


def ask(  # noqa: PLR0913 - what a question needs; all but one by name
    question: str,
    *,
    settings: Settings | None = None,
    mode: str = "auto",
    level: int | None = None,
    filters: Filters | None = None,
    max_context_tokens: int | None = None,
    tree: TreeChoice | None = None,
    chunks: ChunkChoice | None = None,
    retriever: Retriever | None = None,
    progress: Progress = SILENT,
    on_token: Callable[[str], None] | None = None,
) -> Answer:
    """Answer a question from the graph, with citations that exist. Nothing in the graph is changed.

    `mode` is "local", "naive": from the chunks that `chunks` says, "global": from the community reports, those of one
    `level` where it is given (0 is the coarsest), "tree": from the narrative trees, those nodes that `tree` says,
    "cypher": from the rows of a query, a canned one or one that the model writes, or "auto", which chooses by the
    question and says in `routing` what and why; it never lets a model write a query. A `retriever` searches instead of
    these modes. What is retrieved, shown and cited obeys `filters`. `max_context_tokens` bounds the evidence; None is
    2,500, of a tree 1,700. `on_token` gets a model's words as they come, before they are checked. `found` is False
    where the graph does not hold an answer.
    """
    settings = settings or Settings()
    choices = (tree or TreeChoice(), chunks or ChunkChoice(), retriever)
    options = AskOptions(mode, level, max_context_tokens, filters or Filters(), *choices)
    asked = read(question)
    with connect(settings, progress) as database:
        return answerer(settings, database, factory.door(settings)).answer(asked, options, on_token)


def embed(texts: Sequence[str], *, settings: Settings | None = None) -> list[list[float]]:
    """Return one vector of unit length for each text, from the model that embeds graphs under these settings.

    Other tools search the vector indexes with it (docs/other-tools.md). Texts of over 450 tokens are split, and their
    vectors averaged, as those of chunks are. No database is opened. Raises the model's errors.
    """
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

    def answer(
        self, question: str | Question, options: AskOptions | None = None, on_token: Callable[[str], None] | None = None
    ) -> Answer:
        """Answer one question. Raises as `ask`; what stopped the models before does not stop this one."""
        asked = read(question) if isinstance(question, str) else question
        models = (self.embedder, self.tokeniser, self.door.again())
        context = AskContext(*models, self.settings.unsupported, self.settings.judge, on_token)
        with tracing.span("ask", {"kg_neo4j.graph": self.settings.graph}, self.settings.trace_text):
            return answering.ask(self.database, asked, self.settings.graph, context, options)


def answerer(settings: Settings, database: Database, door: Door, *, budget: Budget | None = None) -> Answerer:
    """Return what answers questions with the model that `door` leads to; embeddings are paid from `budget`, if any."""
    embedder = factory.embedding_model(settings, budget=budget)
    return Answerer(settings, database, door, embedder, tokens.load())
