"""Ask, report and embed: what reads the graph, and what other tools search it with. Nothing in it is changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_neo4j.pipeline.answering import AskOptions, answerer, check
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Answer, Filters
from kg_neo4j.retrieve.naive import ChunkChoice
from kg_neo4j.retrieve.tree.choice import TreeChoice

if TYPE_CHECKING:
    from kg_neo4j.graph.canned_reports import Report, Value
    from kg_neo4j.retrieve.interface import Retriever
    from kg_neo4j.settings import Settings


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
    these modes. What is found, told of and cited
    obeys `filters`. `max_context_tokens` bounds the evidence; None is 6,000, of a tree 1,700. A model takes the
    question apart before the search where `decompose` is set, and puts the passages in order after it where `rerank`
    is; UsageError without a model. `hear` is told a model's words as they come, before they are checked. `found` is
    False where the graph does not hold an answer.
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


def report(
    name: str,
    *,
    settings: Settings | None = None,
    parameters: Mapping[str, Value] | None = None,
    progress: Progress = SILENT,
) -> Report:
    """Run the canned report `name`; `to_dataframe()` of the result is a pandas DataFrame.

    A name in `parameters` may be another form of an entity's name; `notes` says what it was taken to mean. Raises
    UsageError for an unknown report or parameter, a value that does not fit, or a name that no entity has.
    """
    from kg_neo4j.graph import canned_reports
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.retrieve.report_names import known_names
    from kg_neo4j.settings import Settings

    settings = settings or Settings()
    given = parameters or {}
    canned_reports.check(name, given)
    with connect(settings, progress) as database:
        known, notes = known_names(database, settings.graph, name, given)
        return replace(canned_reports.run(database, name, graph=settings.graph, parameters=known), notes=tuple(notes))
