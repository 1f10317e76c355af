"""What is derived from the settled graph after load, unload, rebuild, resolve: joins, summaries, vectors, analytics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.resolution.derived import derive_names
from kg_neo4j.organise import analytics, descriptions, search_indexes, vectors
from kg_neo4j.organise.tree.upkeep import tree_states
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import Progress
from kg_neo4j.settings import Settings


@dataclass(frozen=True, slots=True)
class Derivation:
    """What deriving needs, and where it counts."""

    database: Database
    lease: Lease
    settings: Settings
    tally: Tally
    progress: Progress
    command: str  # "load", "unload", "rebuild", "resolve" or "quarantine"
    budget: Budget | None = None
    embedder: EmbeddingModel | None = None  # None: as the settings say


def derive(
    work: Derivation,
    *,
    analytics: bool = True,
    embed: bool = True,
    embed_again: bool = False,
    singletons: bool | None = None,
) -> int:
    """Bring everything derived up to date and return the number of communities.

    Summaries come first, because they are embedded. Vectors and analytics follow, not side by side: on two cores that
    gained nothing (benchmarks/pipeline.py). A repeat changes nothing.
    """
    _derive_names(work)
    describe(work)
    if embed:
        embed_nodes(work, again=embed_again)
    _note_stale_trees(work)
    return analyse(work, singletons) if analytics else 0


def _derive_names(work: Derivation) -> None:
    """Bring sure joins and aliases up to date, and say how many joins that changed."""
    derived = derive_names(work.database, work.settings.graph, work.lease)
    work.tally.changes += derived.changes
    if joins := derived.joins:
        pairs = "1 pair of names was" if joins == 1 else f"{joins} pairs of names were"
        work.tally.notes.append(
            f"{pairs} joined or parted by rules: `kg resolve --list` shows them, `--undo ID` takes one back"
        )


def embed_nodes(work: Derivation, labels: Sequence[str] | None = None, *, again: bool = False) -> None:
    """Bring the vectors of chunks, entities and facts, or of `labels` alone, up to date.

    With `again`, what an earlier version indexed and embedded without headings is replaced, too.
    """
    embedder = work.embedder or factory.embedding_model(work.settings, budget=work.budget)
    at_once = factory.embedding_concurrency(work.settings)
    graph, wanted = work.settings.graph, vectors.LABELS if labels is None else labels
    if again:
        search_indexes.add_headings(work.database)
    vectors.prepare(work.database, embedder)
    tokeniser, progress = tokens.load(), work.progress
    done = vectors.embed(
        work.database, graph, embedder, tokeniser, progress, concurrency=at_once, labels=wanted, again=again
    )
    work.tally.changes += done.changes


def _note_stale_trees(work: Derivation) -> None:
    """Say that narrative trees are of former texts: they are brought up to date when asked for, being paid for."""
    stale = sum(state.complete and state.stale for state in tree_states(work.database, work.settings.graph))
    if stale:
        trees = "narrative tree is" if stale == 1 else "narrative trees are"
        work.tally.notes.append(f"{stale} {trees} of a former text: `kg tree` brings that up to date")


def analyse(work: Derivation, singletons: bool | None = None) -> int:
    """Bring communities and centralities up to date and return the number of communities."""
    analysed = analytics.refresh(
        work.database, work.settings.graph, work.progress, lease=work.lease, singletons=singletons
    )
    work.tally.changes += analysed.changes
    if analysed.skipped:
        work.tally.notes.append(analysed.skipped)
    return analysed.communities


def describe(work: Derivation) -> None:
    """Bring the summaries up to date, and count what that did, what it cost and what is unfinished.

    For the command "rebuild" nobody is asked: all summaries are made again from stored answers. For "resolve" answers
    about descriptions that have changed stay, so that undoing it needs nobody.
    """
    settings, tally = work.settings, work.tally
    how = descriptions.Describing(
        factory.without_model() if work.command == "rebuild" else _door(settings, work.budget),
        tokens.load(),
        settings.summary_tokens,
        keep_answers=work.command == "resolve",
        replay=work.command == "rebuild",
    )
    done = descriptions.describe(work.database, settings.graph, how, work.progress, lease=work.lease)
    tally.changes += done.changes
    tally.usage += done.usage
    if done.usage.calls:
        tally.steps[descriptions.STAGE] = done.usage
    tally.unfinished += done.unfinished


def _door(settings: Settings, budget: Budget | None) -> Door:
    """Return the door to the model; to the stand-ins where a server is named without one: unloading needs none."""
    is_unnamed = settings.openai_base_url and not settings.model
    return factory.without_model() if is_unnamed else factory.door(settings, budget=budget)
