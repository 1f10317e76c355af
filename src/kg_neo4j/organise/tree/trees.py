"""One document's tree, from its chunks to what is published: built, brought up to date, or planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_neo4j._models.door import EXTRACTIVE, MODEL, Door
from kg_neo4j._models.layers import FILTERED, TOO_LONG, UNREADABLE
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tasks import Request
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import BudgetReached, ModelError, SchemaConflict, UsageError
from kg_neo4j.graph.database import Row
from kg_neo4j.organise.tree import structure, upkeep, writing
from kg_neo4j.organise.tree.building import TreeBuild
from kg_neo4j.organise.tree.clustering import require_scikit_learn
from kg_neo4j.organise.tree.embedded import TreeVectors
from kg_neo4j.organise.tree.interface import Leaf, TreeBuildOptions, TreeOptions
from kg_neo4j.organise.tree.leaves import fingerprint, leaves_of
from kg_neo4j.organise.tree.naming import TreeNamer
from kg_neo4j.organise.tree.store import TreeStore
from kg_neo4j.organise.tree.stored import StoredTree, TreeDraft, tree_id
from kg_neo4j.organise.tree.structure import TreeStructure
from kg_neo4j.organise.tree.summarisers import AbstractSummariser
from kg_neo4j.organise.tree.writing import Unfinished, Writing
from kg_neo4j.organise.tree.written import DETAIL, LEAST_CONTEXT, Subject, TreeItem, answer_tokens
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk, Usage

PROMPT_TOKENS = 1_000  # of a question without its text


@dataclass(frozen=True, slots=True)
class TreeBuilding:
    """How to build trees: what is wanted, and the models that do it."""

    options: TreeBuildOptions
    door: Door  # to what writes summaries and notes
    aspect_door: Door  # to what names aspects
    embedder: EmbeddingModel
    plan_embedder: EmbeddingModel  # for a plan, which pays for nothing
    tokeniser: Tokeniser
    concurrency: int = 1  # summarisers at work at a time
    own: Sequence[AbstractSummariser] = ()  # of the caller's, for the aspects that they name
    keeps_vectors: bool = False  # before they are published: they are paid for


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a plan counts: neither the tree nor the cache has an answer."""

    kind: str
    level: int
    tokens: int


@dataclass(frozen=True, slots=True)
class BuiltTree:
    """What building one tree did, or would do and ask."""

    id: str
    document_id: str
    title: str
    leaves: int
    are_passages: bool
    options: TreeOptions
    new_leaves: int  # that came after the clusters were made
    summaries: Mapping[tuple[int, str], int]  # (level, aspect) -> how many
    details: int
    methods: Mapping[str, int]  # of summaries and details
    absent: tuple[str, ...]
    flagged: int  # summaries and details with a flag
    written: int  # texts that are new or other than before
    changes: int  # nodes that were written or deleted, the tree itself counted
    usage: Usage
    notes: tuple[str, ...] = ()
    unfinished: str = ""  # why nothing was published
    open: tuple[OpenQuestion, ...] = ()  # of a plan
    is_simulated: bool = False  # a plan's stand-ins were embedded by another embedder than that of the graph


def build_tree(store: TreeStore, document: Row, how: TreeBuilding, progress: Progress = SILENT) -> BuiltTree:
    """Bring the tree of a document (id, title) up to date. A repeat gives 0 changes and 0 calls.

    Where the model fails or the budget is used up nothing is published, `unfinished` says why, and the next run goes
    on. Raises UsageError for a tree that was built with other settings, and without scikit-learn; DatabaseError;
    LeaseHeld.
    """
    require_scikit_learn()
    store.begin(document["id"], how.options.name)
    build = _prepared(store, document, how, progress)
    try:
        draft = build.build()
    except (Unfinished, ModelError, BudgetReached) as stopped:  # the last two are of the embedding model
        return _report(build, None, unfinished=str(stopped))
    stored = store.tree(build.id)  # at this moment: it was begun
    if stored is None:
        why = f"the tree of {document['title']!r} was deleted while it was built"
        raise SchemaConflict(why, hint="run the command again")
    return _report(build, draft, store.publish(stored, draft))


def plan_tree(store: TreeStore, document: Row, how: TreeBuilding, unread: Sequence[Chunk] = ()) -> BuiltTree:
    """Return what `build_tree` would ask: the same build, with doors that count and without writing.

    A text without an answer is composed of the text's own sentences instead. `unread` are the chunks of a document that
    is not loaded.
    """
    require_scikit_learn()
    asked: list[Request] = []
    build = _prepared(store, document, how, SILENT, unread, asked)
    planned = _report(build, build.build())
    questions: dict[str, OpenQuestion] = {}
    for each in asked:
        level = each.place.level if isinstance(each.place, TreeItem) else 0
        tokens = how.tokeniser.count(each.system) + how.tokeniser.count(each.user)
        questions[each.key] = OpenQuestion(each.kind, level, tokens)
    return replace(planned, open=tuple(questions.values()), is_simulated=build.embedding.stands_for is not None)


def _prepared(
    store: TreeStore,
    document: Row,
    how: TreeBuilding,
    progress: Progress,
    unread: Sequence[Chunk] = (),
    asked: list[Request] | None = None,
) -> TreeBuild:
    """Return a build, ready to run; of a plan, which asks no model and puts the questions into `asked`."""
    id = tree_id(store.graph, document["id"], how.options.name)
    answers = store.answers(id, frozenset({FILTERED, TOO_LONG, UNREADABLE}))
    stored = store.tree(id)
    options, shape, notes = _as_stored(how, stored, f"the tree {how.options.name!r} of {document['title']!r}")
    rows = [] if unread else store.chunks(document["id"])
    chunks = [Leaf(*(row[name] for name in ("id", "text", "token_count", "start", "end"))) for row in rows]
    chunks += [Leaf(each.id, each.text, each.token_count, each.start, each.end) for each in unread]
    leaves = leaves_of(id, chunks, how.tokeniser, options)

    def opened(door: Door, *, stores: bool = True) -> tuple[Door, Subject]:
        """Return a door that reads and stores the answers of this tree, or of a plan, and what it is asked about."""
        subject = Subject(store.graph, id, door.name, door.window, how.tokeniser)
        if stores:
            door = door.storing(answers) if asked is None else door.storing(answers).counting(asked)
        return door, subject

    window = min(how.door.window, how.aspect_door.window)
    # A plan embeds with the built-in model where the other one is paid for.
    paid = how.embedder if how.keeps_vectors and asked is not None else None
    embedder = how.plan_embedder if paid else how.embedder
    return TreeBuild(
        id=id,
        document=document,
        stored=stored,
        shape=shape,
        options=options,
        rows=rows,
        fingerprint=fingerprint([(each.id, each.start, each.end) for each in chunks]),
        leaves=leaves,
        room=max(LEAST_CONTEXT, window - PROMPT_TOKENS - answer_tokens(options.summary_tokens, window)),
        namer=TreeNamer(
            *opened(how.aspect_door), options.aspects, tuple(leaf.text for leaf in leaves.leaves), progress
        ),
        writing=_writing(how, options, stored, opened, progress),
        embedding=TreeVectors(store, id, embedder, how.tokeniser, how.keeps_vectors, paid),
        answers=answers,
        notes=notes,
    )


def _as_stored(
    how: TreeBuilding, stored: StoredTree | None, what: str
) -> tuple[TreeOptions, TreeStructure | None, tuple[str, ...]]:
    """Return what to build with, the stored shape if it holds, and notes on why it does not.

    Refuses to write again without a model what one wrote.
    """
    shape = structure.read(stored.fit) if stored and stored.fit else None
    known = None
    if stored and stored.settings is not None and shape:
        known = upkeep.read_options(stored.settings, how.options.name, shape.aspect_set)
    by = (f"{how.embedder.name}/{how.embedder.dimension}", how.tokeniser.name)
    options = upkeep.settled(how.options, known, *by, what)
    if shape is None:
        return upkeep.clustered_here(options), None, ()
    if stored is None or known is None:
        return options, shape, ()
    notes: tuple[str, ...] = ()
    if known.embedder != options.embedder:
        notes = (f"rebuilt: vectors are of {options.embedder}, no longer of {known.embedder}",)
    elif len(shape.aspect_set) > 1 and not shape.naming and how.aspect_door.replaces(EXTRACTIVE):
        notes = (f"rebuilt: cues found its aspects, now {how.aspect_door.name} names them",)
    if not (how.options.rebuild or notes):
        return options, shape, ()
    paid = sum(node.properties.get("method") == MODEL for node in stored.nodes.values())
    if paid and not how.door.replaces(EXTRACTIVE):
        raise UsageError(
            f"{what} has {paid} texts that a model wrote, and no model is configured to rebuild it",
            hint="set OPENAI_API_KEY or OPENAI_BASE_URL; --name NAME builds another tree",
        )
    return upkeep.clustered_here(options), None, () if how.options.rebuild else notes


def _writing(
    how: TreeBuilding,
    options: TreeOptions,
    stored: StoredTree | None,
    opened: Callable[..., tuple[Door, Subject]],
    progress: Progress,
) -> Writing:
    most, kept = options.summary_tokens, None if how.options.rebuild else stored
    model = writing.model_author(*opened(how.door), options.aspects, most)
    authors = dict.fromkeys((*(each.name for each in options.aspects), DETAIL), model)
    for each in how.own:
        by = writing.Summarised(each, most)
        door = Door(by, how.concurrency, stand_in=how.door.stand_in)
        authors[each.name] = writing.own_author(by, *opened(door, stores=writing.is_stored(each)))
    silent = writing.read_silent(kept.properties.get("silent", "{}")) if kept else {}
    return Writing(authors, model, how.tokeniser, most, kept.nodes if kept else {}, silent, progress)


def _report(build: TreeBuild, draft: TreeDraft | None, changes: int = 0, *, unfinished: str = "") -> BuiltTree:
    """Return what was done; None: nothing was published."""
    texts = [node.properties for node in (draft.nodes if draft else ()) if node.label != "Leaf"]
    summaries = Counter((said["level"], said["aspect"]) for said in texts if "level" in said)
    return BuiltTree(
        id=build.id,
        document_id=build.document["id"],
        title=build.document["title"],
        leaves=len(build.leaves.leaves),
        are_passages=build.leaves.are_passages,
        options=build.options,
        new_leaves=draft.new_leaves if draft else 0,
        summaries=dict(sorted(summaries.items())),
        details=len(texts) - summaries.total(),
        methods=Counter(text["method"] for text in texts),
        absent=tuple(draft.properties.get("absent", ())) if draft else (),
        flagged=sum("flags" in text for text in texts),
        written=build.writing.written if draft else 0,
        changes=changes,
        usage=build.answers.usage,
        notes=build.notes,
        unfinished=unfinished,
    )
