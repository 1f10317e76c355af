"""Ask: retrieve and answer. Nothing in the graph is changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kg_neo4j.errors import UsageError
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Answer

if TYPE_CHECKING:
    from kg_neo4j.settings import Settings

GLOBAL = "global"
CYPHER = "cypher"


def ask(
    question: str,
    *,
    settings: Settings,
    mode: str = "auto",
    level: int | None = None,
    max_context_tokens: int = 6000,
    progress: Progress = SILENT,
    hear: Callable[[str], None] | None = None,
) -> Answer:
    """Answer a question from the graph, with citations that exist. Nothing in the graph is changed.

    `hear` is told a model's words as they come, before they are checked.

    `mode` is "auto", "local", "naive", or "global": from the community reports, those of one `level` where it is
    given (0 is the coarsest), or "cypher": from the rows of a query, a canned one or one that the model writes; never
    chosen by "auto". `found` is False where the graph does not hold an answer.
    """
    from kg_neo4j import _models, retrieve
    from kg_neo4j._models import tokens
    from kg_neo4j.graph.database import connect

    if mode == GLOBAL:
        return _ask_global(question, settings, level, max_context_tokens, progress)
    if level is not None:
        raise UsageError("a level is for the mode global", hint="--mode global --level N")
    if mode == CYPHER:
        return _ask_cypher(question, settings, progress)
    retrieve.check(question, mode)
    with connect(settings, progress) as database:
        return retrieve.ask(
            database,
            question,
            graph=settings.graph,
            mode=mode,
            model=_models.chat_model(settings),
            embedder=_models.embedding_model(settings),
            tokeniser=tokens.load(),
            max_context_tokens=max_context_tokens,
            checks=retrieve.Checks(settings.unsupported, settings.judge),
            hear=hear,
        )


def _ask_global(
    question: str, settings: Settings, level: int | None, max_context_tokens: int, progress: Progress
) -> Answer:
    from kg_neo4j import _models, retrieve
    from kg_neo4j._models import tokens
    from kg_neo4j._models.cache import open_cache
    from kg_neo4j.graph.database import connect
    from kg_neo4j.retrieve.global_answer import GlobalMode, ask_global

    retrieve.check(question, "auto")
    how = GlobalMode(
        tokens.load(),
        _models.chat_model(settings),
        open_cache(settings),
        settings.model_concurrency,
        level,
        max_context_tokens,
    )
    with connect(settings, progress) as database:
        return ask_global(database, question, settings.graph, how)


def _ask_cypher(question: str, settings: Settings, progress: Progress) -> Answer:
    from kg_neo4j import _models, retrieve
    from kg_neo4j._models import tokens
    from kg_neo4j.graph.database import connect
    from kg_neo4j.retrieve.cypher_answer import CypherMode, ask_cypher

    retrieve.check(question, "auto")
    how = CypherMode(tokens.load(), _models.chat_model(settings))
    with connect(settings, progress) as database:
        return ask_cypher(database, question, settings.graph, how)
