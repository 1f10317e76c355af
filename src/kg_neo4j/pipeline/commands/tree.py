"""Narrative trees: plan what they cost, build them, bring them up to date."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_neo4j import factory, jsonl_log
from kg_neo4j._models import tokens
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.display import Readable
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise import vectors
from kg_neo4j.organise.tree import raptor
from kg_neo4j.organise.tree.aspects import load_aspects
from kg_neo4j.organise.tree.interface import BY_ASPECT, UMAP, TreeBuildOptions
from kg_neo4j.organise.tree.picture import check_target, plot_tree
from kg_neo4j.organise.tree.store import TreeStore
from kg_neo4j.organise.tree.summarisers import AbstractSummariser
from kg_neo4j.organise.tree.trees import BuiltTree, OpenQuestion, TreeBuilding, build_tree
from kg_neo4j.organise.tree.trees import plan_tree as plan_one
from kg_neo4j.organise.tree.upkeep import RAPTOR
from kg_neo4j.pipeline.budget import budget_of, priced
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk, Document, Usage
from kg_neo4j.settings import Settings

LONGEST_NAME = 100  # characters
ASPECT_TOKENS = 30  # of an answer that names all aspects
ASPECTS, SUMMARY, DETAIL = "aspects", "summary", "detail"  # kinds of questions


@dataclass(frozen=True, slots=True)
class _Trees:
    """The trees of one name, built or planned."""

    graph: str
    name: str
    trees: tuple[BuiltTree, ...]  # by title
    usage: Usage

    @property
    def leaves(self) -> int:
        """Leaves of all trees."""
        return sum(tree.leaves for tree in self.trees)

    @property
    def details(self) -> int:
        """Details of all trees."""
        return sum(tree.details for tree in self.trees)

    @property
    def summaries(self) -> Mapping[tuple[int, str], int]:
        """Summaries of all trees by level and aspect."""
        total: Counter[tuple[int, str]] = Counter()
        for each in self.trees:
            total.update(each.summaries)
        return dict(sorted(total.items()))


@dataclass(frozen=True, slots=True)
class TreeReport(_Trees, Readable):
    """What building the trees of one name did."""

    seconds: float
    unfinished: tuple[str, ...] = ()  # one line a tree that is not whole
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> int:
        """Nodes that were written or deleted; 0 on a repeat."""
        return sum(tree.changes for tree in self.trees)


@dataclass(frozen=True, slots=True)
class TreePlan(_Trees):
    """What building trees would ask: naming exactly, level 1 at most, higher levels as `assumptions` say."""

    model: str | None  # None: nothing is asked
    aspect_model: str | None
    assumptions: tuple[str, ...] = ()

    @property
    def documents(self) -> int:
        """Documents with a tree."""
        return len(self.trees)

    @property
    def calls(self) -> Mapping[str, int]:
        """Questions: "aspects", "level 1" to "level 5", "details"."""
        steps = {ASPECTS: "aspects", DETAIL: "details"}
        return dict(sorted(Counter(steps.get(each.kind, f"level {each.level}") for each in self.open).items()))

    @property
    def open(self) -> tuple[OpenQuestion, ...]:
        """Questions that neither a tree nor the cache answers."""
        return tuple(question for each in self.trees for question in each.open)


def tree(
    *,
    settings: Settings | None = None,
    options: TreeBuildOptions | None = None,
    summarisers: Sequence[AbstractSummariser] = (),
    progress: Progress = SILENT,
) -> TreeReport:
    """Bring the narrative trees of documents up to date; a repeat calls no model and changes nothing.

    `summarisers` of your own replace those of the aspects that they name (`summarisers.AbstractSummariser`). Without a
    model summaries are sentences of the text. Where the budget is reached or the model fails, what was paid for is
    stored, the tree stays as it was and `unfinished` says so. Raises SourceNotFound for a document that is not there,
    UsageError for options that a stored tree was not built with, LeaseHeld and DatabaseError.
    """
    settings = settings or Settings()
    options = options or TreeBuildOptions()
    started, budget = time.monotonic(), budget_of(options.budget_usd)
    how = _building(settings, options, summarisers, budget)
    notes = factory.note_without_model(settings, "summaries are sentences of the text: no model is configured")
    built: list[BuiltTree] = []
    unfinished: tuple[str, ...] = ()
    with connect(settings, progress, to_write=True) as database:
        documents, empty = _documents(database, settings.graph, options.documents)
        notes += empty
        if options.plot is not None:
            check_target(options.plot)
            if len(documents) != 1:
                why = f"a picture shows the tree of one document, and there are {len(documents)}"
                raise UsageError(why, hint="name one with --document")
        vectors.prepare(database, how.embedder)
        with Lease(database, settings.graph) as lease:
            store = TreeStore(database, settings.graph, lease)
            for place, document in enumerate(documents):
                built.append(build_tree(store, document, replace(how, tokeniser=_tokeniser(document)), progress))
                if built[-1].unfinished:
                    left = f"; {len(documents) - place - 1} more documents wait" if place + 1 < len(documents) else ""
                    unfinished = (f"{document['title']}: {built[-1].unfinished}{left}",)
                    break
        if options.plot and not unfinished:
            about = {"name": options.name, "title": documents[0]["title"]}
            plot_tree(database, settings.graph, documents[0]["id"], options.plot, **about)
            jsonl_log.note_written(settings.home, "picture", settings.graph, options.plot)
    return TreeReport(
        settings.graph,
        options.name,
        tuple(built),
        sum((each.usage for each in built), Usage()),
        time.monotonic() - started,
        unfinished,
        (*notes, *notes_on(options.name, built)),
    )


def plan_tree(
    *,
    settings: Settings,
    options: TreeBuildOptions | None = None,
    summarisers: Sequence[AbstractSummariser] = (),
    unread: Iterable[tuple[Document, Sequence[Chunk]]] = (),
    progress: Progress = SILENT,
) -> TreePlan:
    """Return what `tree` with the same arguments would ask. It makes no calls and writes nothing.

    `unread` are further texts, not loaded yet, each with the chunks that it would have.
    """
    options = options or TreeBuildOptions()
    how = _building(settings, options, summarisers, None)
    with connect(settings, progress, makes=[] if unread else None) as database:
        store = TreeStore(database, settings.graph)
        new = (({"id": document.id, "title": document.title}, chunks) for document, chunks in unread)
        plans = [plan_one(store, row, how, chunks) for row, chunks in new]
        documents, _ = _documents(database, settings.graph, options.documents, is_needed=not plans)
        planned = {each.document_id for each in plans}
        left = [row for row in documents if row["id"] not in planned]
        plans += [plan_one(store, row, replace(how, tokeniser=_tokeniser(row))) for row in left]
    most, usage = options.summary_tokens or 200, Usage()
    plan = TreePlan(settings.graph, options.name, tuple(plans), usage, how.door.model, how.aspect_door.model)
    for door, asked in ((how.aspect_door, [ASPECTS]), (how.door, [SUMMARY, DETAIL])):
        if own := [each for each in plan.open if each.kind in asked]:
            written = sum(ASPECT_TOKENS if each.kind == ASPECTS else most for each in own)
            usage += priced(door.name, settings, len(own), sum(each.tokens for each in own), written)
    return replace(plan, usage=usage, assumptions=_assumptions(plan, most) if plan.open else ())


def _assumptions(plan: TreePlan, most: int) -> tuple[str, ...]:
    found, questions = [], plan.open
    if any(each.kind == ASPECTS for each in questions):
        found.append("every cluster shows every aspect: there can be no more summaries of level 1, and fewer are usual")
    if any(each.kind == SUMMARY for each in questions):
        found.append("higher levels are clustered by sentences of the text, in place of summaries that are not written")
    by_aspect = any(each.options.details_by == BY_ASPECT for each in plan.trees)
    if by_aspect and any(each.kind == DETAIL for each in questions):
        found.append("every leaf says something of its first aspects: there can be no more notes, and fewer are usual")
    if any(each.is_simulated for each in plan.trees):
        found.append("clusters are found by the built-in vectors: those of the embedding model are not paid for yet")
    return (
        *found,
        f"a summary or a note has {most} tokens, which is the most",
        "no answer has to be asked for once more",
    )


def notes_on(name: str, built: Sequence[BuiltTree]) -> list[str]:
    """Return what a person should know of trees that were built under one name."""
    # how the clusters of trees were found that are compared as RAPTOR's, and what would find RAPTOR's own
    found = Counter(each.options.clustering for each in built if name == RAPTOR)
    rebuild = "--rebuild uses UMAP" if raptor.is_installed() else "`pip install 'kg-neo4j[raptor]'`, then --rebuild"
    ways = {UMAP: "UMAP and full covariances, as in RAPTOR"}
    other = f"principal axes and spheres, not RAPTOR's UMAP and full covariances: {rebuild}"
    trees = {way: "one tree" if number == 1 else f"{number} trees" for way, number in sorted(found.items())}
    found_by = [f"{RAPTOR}: the clusters of {number} are by {ways.get(way, other)}" for way, number in trees.items()]
    return [*found_by, *(line for each in built for line in _remarks(each))]


def _remarks(built: BuiltTree) -> list[str]:
    """Return what a person should know of a tree."""
    lines = [f"{built.title}: {note}" for note in built.notes]
    if built.absent:
        lines.append(f"{built.title}: nothing of it shows {', '.join(built.absent)}")
    if built.new_leaves * 2 > built.leaves:
        lines.append(
            f"{built.title}: {built.new_leaves} of {built.leaves} leaves came after its clusters were made; "
            "--rebuild makes them again"
        )
    if built.flagged:
        lines.append(f"{built.title}: {built.flagged} texts are flagged (property `flags`)")
    return lines


def _building(
    settings: Settings, options: TreeBuildOptions, summarisers: Sequence[AbstractSummariser], budget: Budget | None
) -> TreeBuilding:
    _check(options)
    if options.aspects is not None:
        options = replace(options, aspects=load_aspects(options.aspects))
    door = aspect_door = factory.door(settings, budget=budget)
    if settings.aspect_model is not None:
        aspect_door = factory.door(settings.model_copy(update={"model": settings.aspect_model}), budget=budget)
    return TreeBuilding(
        options,
        door,
        aspect_door,
        factory.embedding_model(settings, budget=budget),
        factory.built_in_embedder(settings),
        tokens.load(),
        settings.model_concurrency,
        tuple(summarisers),
        not factory.embeds_built_in(settings),
    )


def _check(options: TreeBuildOptions) -> None:
    bounds = (
        ("leaf tokens", options.leaf_tokens, 20, 10_000),
        ("summary tokens", options.summary_tokens, 20, 10_000),
        ("details", options.details, 0, 3),
        ("levels", options.levels, 1, 5),
    )
    for what, value, least, most in bounds:
        if value is not None and not least <= value <= most:
            raise UsageError(f"{what} are {least} to {most}, not {value}", hint="see `kg tree --help`")
    if options.details_by not in (None, "text", "aspect"):
        raise UsageError(f"details are by text or by aspect, not by {options.details_by!r}")
    if not options.name.strip() or len(options.name) > LONGEST_NAME:
        raise UsageError(f"a tree's name has 1 to {LONGEST_NAME} characters, not {len(options.name)}")


def _documents(
    database: Database, graph: str, names: Sequence[str], *, is_needed: bool = True
) -> tuple[list[Row], list[str]]:
    """Return the documents that are meant (id, title, tokeniser), by title, and notes on those without text.

    Where one `is_needed`, raises SourceNotFound for a name that no document bears, or for a graph without documents.
    """
    stored = database.read(queries.get("tree/documents"), graph=graph)
    if is_needed:
        for name in names:
            if not any(_bears(row, name) for row in stored):
                raise SourceNotFound(
                    f"no document {name!r} in graph {graph!r}", hint="`kg documents` lists what is loaded"
                )
        if not stored:
            raise SourceNotFound(
                f"graph {graph!r} holds no documents", hint="`kg load` first, or name another with --graph"
            )
    meant = [row for row in stored if not names or any(_bears(row, name) for name in names)]
    empty = [f"{row['title']}: it has no text" for row in meant if not row["chunks"]]
    return [row for row in meant if row["chunks"]], empty


def _bears(row: Row, name: str) -> bool:
    return name in (row["id"], row["title"], row["key"], row["source"])


def _tokeniser(document: Row) -> Tokeniser:
    """Return the tokeniser that the document's chunks were counted with; the usual one where it is not known."""
    try:
        return tokens.load(document["tokeniser"])
    except UsageError:
        return tokens.load()
