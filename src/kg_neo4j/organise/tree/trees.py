"""One document's tree, from its chunks to what is published: built, brought up to date, or planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j._models.door import EXTRACTIVE, MODEL, Door
from kg_neo4j._models.embedding import Vectors
from kg_neo4j._models.layers import FILTERED, TOO_LONG, UNREADABLE
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tasks import Request
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import BudgetReached, ModelError, SchemaConflict, UsageError
from kg_neo4j.graph.database import Row, present
from kg_neo4j.organise.tree import structure, upkeep, writing
from kg_neo4j.organise.tree.building import TreeBuild, TreeDraft
from kg_neo4j.organise.tree.clustering import require_scikit_learn
from kg_neo4j.organise.tree.embedded import TreeVectors
from kg_neo4j.organise.tree.interface import SPHERES, Leaf, Summariser, TreeOptions
from kg_neo4j.organise.tree.leaves import fingerprint, leaves_of
from kg_neo4j.organise.tree.naming import TreeNamer
from kg_neo4j.organise.tree.store import TreeStore
from kg_neo4j.organise.tree.stored import Publication, tree_id
from kg_neo4j.organise.tree.upkeep import TreeBuildChoice
from kg_neo4j.organise.tree.writing import Unfinished, Writing
from kg_neo4j.organise.tree.written import DETAIL, LEAST_CONTEXT, Subject, TreeItem, WrittenText, answer_tokens
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk, Usage

PROMPT_TOKENS = 1_000  # of a question without its text


@dataclass(frozen=True, slots=True)
class TreeBuilding:
    """How to build trees."""

    choice: TreeBuildChoice
    door: Door  # to what writes summaries and notes
    aspect_door: Door  # to what names aspects
    embedder: EmbeddingModel
    plan_embedder: EmbeddingModel  # for a plan, which pays for nothing
    tokeniser: Tokeniser
    concurrency: int = 1  # summarisers at work at a time
    own: Sequence[Summariser] = ()  # of the caller's, for the aspects that they name
    rebuild: bool = False  # make clusters, aspects and texts again, from stored answers where there are any
    keeps_vectors: bool = False  # before they are published: they are paid for


@dataclass(frozen=True, slots=True)
class BuiltTree:
    """What building one tree did."""

    id: str
    document_id: str
    title: str
    leaves: int
    are_passages: bool
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
    clustering: str = SPHERES  # or UMAP: how its clusters were found


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a plan counts: neither the tree nor the cache has an answer."""

    kind: str
    level: int
    tokens: int


@dataclass(frozen=True, slots=True)
class PlannedTree:
    """What building one tree would ask."""

    document_id: str
    title: str
    leaves: int
    are_passages: bool
    summaries: Mapping[tuple[int, str], int]
    details: int
    open: tuple[OpenQuestion, ...]
    is_simulated: bool  # stand-ins were embedded by another embedder than that of the graph
    details_by: str


def build_tree(store: TreeStore, document: Row, how: TreeBuilding, progress: Progress = SILENT) -> BuiltTree:
    """Bring the tree of a document (id, title) up to date. A repeat gives 0 changes and 0 calls.

    Where the model fails or the budget is used up nothing is published, `unfinished` says why, and the next run goes
    on. Raises UsageError for a tree that was built with other settings, and without scikit-learn; DatabaseError;
    LeaseHeld.
    """
    require_scikit_learn()
    store.begin(document["id"], how.choice.name)
    work = _TreeWork(store, document, how, progress)
    try:
        draft = work.building().build()
    except (Unfinished, ModelError, BudgetReached) as stopped:  # the last two are of the embedding model
        return work.report(None, 0, unfinished=str(stopped))
    return work.report(draft, work.publish(draft))


def plan_tree(store: TreeStore, document: Row, how: TreeBuilding, unread: Sequence[Chunk] | None = None) -> PlannedTree:
    """Return what `build_tree` would ask: the same build, with doors that count and without writing.

    A text without an answer is composed of the text's own sentences instead. `unread` are the chunks of a document that
    is not loaded.
    """
    require_scikit_learn()
    work = _TreeWork(store, document, how, SILENT, unread)
    asked: list[Request] = []
    built = work.report(work.building(asked).build(), 0)
    questions: dict[str, OpenQuestion] = {}
    for each in asked:
        level = each.place.level if isinstance(each.place, TreeItem) else 0
        tokens = how.tokeniser.count(each.system) + how.tokeniser.count(each.user)
        questions[each.key] = OpenQuestion(each.kind, level, tokens)
    return PlannedTree(
        built.document_id,
        built.title,
        built.leaves,
        built.are_passages,
        built.summaries,
        built.details,
        tuple(questions.values()),
        work.is_simulated,
        work.options.details_by,
    )


class _TreeWork:
    """One tree in the making: what is stored of it, what it is made from, who is asked, and what comes out."""

    def __init__(
        self,
        store: TreeStore,
        document: Row,
        how: TreeBuilding,
        progress: Progress,
        unread: Sequence[Chunk] | None = None,
    ) -> None:
        self._store, self._document = store, document
        self._how, self._progress = how, progress
        self._id = tree_id(store.graph, document["id"], how.choice.name)
        self._answers = store.answers(self._id, frozenset({FILTERED, TOO_LONG, UNREADABLE}))
        self._stored = stored = store.tree(self._id)
        self._shape = structure.read(stored.fit) if stored and stored.fit else None
        known = None
        if stored and stored.settings is not None and self._shape:
            known = upkeep.read_options(stored.settings, how.choice.name, self._shape.aspect_set)
        self._what = f"the tree {how.choice.name!r} of {document['title']!r}"
        by = (f"{how.embedder.name}/{how.embedder.dimension}", how.tokeniser.name)
        self.options = upkeep.settled(how.choice, known, *by, rebuild=how.rebuild, what=self._what)
        self._notes: list[str] = []
        self._drop_shape(known)
        if self._shape is None:
            self.options = upkeep.clustered_here(self.options)
        self._rows = [] if unread else store.chunks(document["id"])
        self._chunks = [
            Leaf(*(row[name] for name in ("id", "text", "token_count", "start", "end"))) for row in self._rows
        ]
        self._chunks += [Leaf(each.id, each.text, each.token_count, each.start, each.end) for each in unread or ()]
        self._leaves = leaves_of(self._id, self._chunks, how.tokeniser, self.options)
        self.is_simulated = False
        self._writing: Writing | None = None

    def _drop_shape(self, known: TreeOptions | None) -> None:
        """Forget a stored shape that does not hold any more. Refuses to write again without a model what one wrote."""
        if self._shape is None or known is None:
            return
        if self._how.rebuild:
            self._shape = None
        elif known.embedder != self.options.embedder:
            self._notes.append(f"rebuilt: vectors are of {self.options.embedder}, no longer of {known.embedder}")
            self._shape = None
        elif len(self._shape.aspect_set) > 1 and not self._shape.naming and self._how.aspect_door.replaces(EXTRACTIVE):
            self._notes.append(f"rebuilt: cues found its aspects, now {self._how.aspect_door.name} names them")
            self._shape = None
        nodes = self._stored.nodes.values() if self._stored and self._shape is None else ()
        paid = sum(node.properties.get("method") == MODEL for node in nodes)
        if paid and not self._how.door.replaces(EXTRACTIVE):
            raise UsageError(
                f"{self._what} has {paid} texts that a model wrote, and no model is configured to rebuild it",
                hint="set OPENAI_API_KEY or OPENAI_BASE_URL; --name NAME builds another tree",
            )

    def building(self, asked: list[Request] | None = None) -> TreeBuild:
        """Return the build, ready to run; of a plan, which asks no model and puts the questions into `asked`."""
        how, options = self._how, self.options
        window = min(how.door.window, how.aspect_door.window)
        room = max(LEAST_CONTEXT, window - PROMPT_TOKENS - answer_tokens(options.summary_tokens, window))
        # A plan embeds with the built-in model where the other one is paid for.
        self.is_simulated = how.keeps_vectors and asked is not None
        embedding = self._embedding(how.plan_embedder if self.is_simulated else how.embedder)
        texts = tuple(leaf.text for leaf in self._leaves.leaves)
        vectors = self._leaf_vectors(embedding, texts)
        self._writing = self._writer(asked)
        door = self._opened(how.aspect_door, asked)
        namer = TreeNamer(door, self._subject(door), options.aspects, texts, self._progress)
        made_from = (self._id, self._document["id"], self._leaves, vectors, options, room)
        return TreeBuild(*made_from, namer, self._writing, embedding, self._shape)

    def _opened(self, door: Door, asked: list[Request] | None) -> Door:
        """Return a door to the same model that reads and stores the answers of this tree, or of a plan."""
        stored = door.storing(self._answers)
        return stored if asked is None else stored.counting(asked)

    def _subject(self, door: Door) -> Subject:
        return Subject(self._store.graph, self._id, door.name, door.window, self._how.tokeniser)

    def _embedding(self, model: EmbeddingModel) -> TreeVectors:
        return TreeVectors(self._store, self._id, model, self._how.tokeniser, self._how.keeps_vectors)

    def _leaf_vectors(self, embedding: TreeVectors, texts: Sequence[str]) -> Vectors:
        if self.is_simulated:
            ids = [leaf.id for leaf in self._leaves.leaves]
            stored = self._embedding(self._how.embedder).stored(ids, texts)
            return embedding.of_texts(texts) if stored is None else stored
        if self._leaves.are_passages or not self._rows:
            return embedding.of_texts(texts)
        return embedding.of_chunks(self._rows)

    def _writer(self, asked: list[Request] | None) -> Writing:
        how, most, aspects = self._how, self.options.summary_tokens, self.options.aspects
        standing = {} if how.rebuild or self._stored is None else self._stored.nodes
        door = self._opened(how.door, asked)
        model = writing.model_author(door, self._subject(door), aspects, most)
        authors = dict.fromkeys((*(each.name for each in aspects), DETAIL), model)
        authors |= {each.name: self._summariser(each, most, asked) for each in how.own}
        silent = {} if how.rebuild else self._silent()
        return Writing(authors, model, how.tokeniser, most, standing, silent, self._progress)

    def _silent(self) -> Mapping[str, WrittenText]:
        """Return the notes on aspects that the stored tree does not have, because there was nothing to say."""
        return writing.read_silent(self._stored.properties.get("silent", "{}")) if self._stored else {}

    def _summariser(self, summariser: Summariser, most: int, asked: list[Request] | None) -> writing.Author:
        by = writing.Summarised(summariser, most)
        door = Door(by, self._how.concurrency, stand_in=self._how.door.stand_in)
        opened = self._opened(door, asked) if writing.is_stored(summariser) else door
        return writing.own_author(by, opened, self._subject(door))

    def publish(self, draft: TreeDraft) -> int:
        """Store the tree, and return how many nodes changed."""
        stored = self._store.tree(self._id)  # at this moment: it was begun
        if stored is None:
            raise SchemaConflict(
                f"the tree of {self._document['title']!r} was deleted while it was built", hint="run the command again"
            )
        return self._store.publish(stored, self._publication(draft))

    def _publication(self, draft: TreeDraft) -> Publication:
        ids = [leaf.id for leaf in self._leaves.leaves]
        naming_answers = draft.naming_answers
        if naming_answers is None:
            gone = {key for text in self._silent().values() for key in text.answers}
            naming_answers = tuple(key for key in (self._stored.answers if self._stored else ()) if key not in gone)
        silent = {key: text for key, text in draft.silent.items() if text.answers or text.method != EXTRACTIVE}
        properties = {
            "fingerprint": fingerprint([(each.id, each.start, each.end) for each in self._chunks]),
            "levels": draft.levels,
            "absent": list(draft.absent),
            "flags": list(draft.structure.flags),
            "naming": draft.structure.naming,
            "silent": writing.silent_json(silent) if silent else None,
        }
        return Publication(
            draft.nodes,
            [] if self._leaves.are_passages else ids,
            ids if self._leaves.are_passages else [],
            (self._stored.fit if self._shape and self._stored else None) or structure.write(draft.structure),
            upkeep.options_json(self.options),
            (*naming_answers, *sorted({key for text in silent.values() for key in text.answers})),
            present(properties),
        )

    def report(self, draft: TreeDraft | None, changes: int, *, unfinished: str = "") -> BuiltTree:
        """Return what was done; None: nothing was published."""
        nodes = draft.nodes if draft else ()
        texts = [node.properties for node in nodes if node.label != "Passage"]
        summaries = Counter((said["level"], said["aspect"]) for said in texts if "level" in said)
        return BuiltTree(
            id=self._id,
            document_id=self._document["id"],
            title=self._document["title"],
            leaves=len(self._leaves.leaves),
            are_passages=self._leaves.are_passages,
            new_leaves=draft.structure.new_leaves(self._leaves.leaves) if draft else 0,
            summaries=dict(sorted(summaries.items())),
            details=len(texts) - summaries.total(),
            methods=Counter(text["method"] for text in texts),
            absent=draft.absent if draft else (),
            flagged=sum("flags" in text for text in texts),
            written=self._writing.written if self._writing and draft else 0,
            changes=changes,
            usage=self._answers.usage,
            notes=tuple(self._notes),
            unfinished=unfinished,
            clustering=self.options.clustering,
        )
