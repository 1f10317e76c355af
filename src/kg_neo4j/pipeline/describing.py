"""The step of load, unload, rebuild and resolve that keeps the summaries of entities and facts up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kg_neo4j._models.budget import Budget
    from kg_neo4j._models.protocols import ChatModel
    from kg_neo4j.graph.database import Database
    from kg_neo4j.graph.lease import Lease
    from kg_neo4j.pipeline.tally import Tally
    from kg_neo4j.progress import Progress
    from kg_neo4j.settings import Settings


def describe(
    database: Database,
    lease: Lease,
    settings: Settings,
    tally: Tally,
    progress: Progress,
    *,
    budget: Budget | None = None,
    command: str = "load",
) -> None:
    """Bring the summaries up to date, and count in `tally` what that did, what it cost and what is unfinished.

    For the command "rebuild" nobody is asked: all summaries are made again from stored answers. For "resolve" answers
    about descriptions that have changed stay, so that undoing it needs nobody.
    """
    from kg_neo4j._models import tokens
    from kg_neo4j._models.cache import open_cache
    from kg_neo4j.organise import descriptions

    how = descriptions.Describing(
        None if command == "rebuild" else _model(settings, budget),
        tokens.load(),
        settings.summary_tokens,
        settings.model_concurrency,
        open_cache(settings),
        keep_answers=command == "resolve",
        replay=command == "rebuild",
    )
    done = descriptions.describe(database, settings.graph, how, progress, lease=lease)
    tally.changes += done.changes
    tally.usage += done.usage
    if done.usage.calls:
        tally.steps[descriptions.STAGE] = done.usage
    tally.unfinished += done.unfinished


def _model(settings: Settings, budget: Budget | None) -> ChatModel | None:
    """Return the model to ask; none where a server is configured without one: unloading needs none."""
    from kg_neo4j import _models

    return None if settings.openai_base_url and not settings.model else _models.chat_model(settings, budget=budget)
