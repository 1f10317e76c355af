"""Ask: retrieve and answer. Nothing in the graph is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Answer

if TYPE_CHECKING:
    from kg_neo4j.settings import Settings


def ask(
    question: str,
    *,
    settings: Settings,
    mode: str = "auto",
    max_context_tokens: int = 6000,
    progress: Progress = SILENT,
) -> Answer:
    """Answer a question from the graph, with citations that exist. Nothing in the graph is changed.

    `mode` is "auto", "local" or "naive". `found` is False where the graph does not hold an answer.
    """
    from kg_neo4j import _models, retrieve
    from kg_neo4j._models import tokens
    from kg_neo4j.graph.database import connect

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
        )
