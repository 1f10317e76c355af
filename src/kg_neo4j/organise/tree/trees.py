"""One document's tree, from its chunks to what is published: built, brought up to date, or planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.embedding import Vectors
from kg_neo4j._models.protocols import ChatModel, EmbeddingModel
from kg_neo4j._models.static_embedding import StaticEmbedding
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import BudgetReached, ModelError, SchemaConflict
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.tree import naming, structure
from kg_neo4j.organise.tree.answers import ASPECTS, DETAIL, SUMMARY, Answers, StoredChat
from kg_neo4j.organise.tree.building import CLUSTER_TOKENS, Building, Draft, Material
from kg_neo4j.organise.tree.embedded import TreeVectors
from kg_neo4j.organise.tree.interface import Summariser
from kg_neo4j.organise.tree.leaves import Leaves, Source, fingerprint, leaves_of
from kg_neo4j.organise.tree.namers import CueNamer, ModelNamer
from kg_neo4j.organise.tree.stored import Publication, StoredTree, begin_tree, publish, read_tree, tree_id
from kg_neo4j.organise.tree.structure import Structure
from kg_neo4j.organise.tree.summarisers import (
    AMPLE_TOKENS,
    LARGE_WINDOW,
    LEAST_CONTEXT,
    AbstractSummariser,
    ExtractiveDetails,
    ExtractiveSummariser,
    summarisers_for,
)
from kg_neo4j.organise.tree.upkeep import TreeChoice, TreeSettings, read_settings, settings_json, settled
from kg_neo4j.organise.tree.writing import OpenQuestion, Unfinished, Writing
from kg_neo4j.organise.tree.written import read_text
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage

PROMPT_TOKENS = 1_000  # of a question without its text
UNBOUNDED = 10**9  # tokens: without a model there is no window


@dataclass(frozen=True, slots=True)
class TreeBuilding:
    """How to build trees."""

    choice: TreeChoice
    model: ChatModel | None  # writes summaries and notes; None: composed of the text's own sentences
    aspect_model: ChatModel | None  # names aspects; None: cues
    embedder: EmbeddingModel
    tokeniser: Tokeniser
    concurrency: int = 1  # calls in flight
    cache: AnswerCache | None = None
    own: Sequence[Summariser] = ()  # of the caller's, for the aspects that they name
    rebuild: bool = False  # clusters, aspects and texts anew; stored answers are used again
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


def build_tree(
    database: Database, lease: Lease, graph: str, document: Row, how: TreeBuilding, progress: Progress = SILENT
) -> BuiltTree:
    """Bring the tree of a document (id, title) up to date. A repeat gives 0 changes and 0 calls.

    Where the model fails or the budget is used up nothing is published, `unfinished` says why, and the next run goes
    on. Raises UsageError for a tree that was built with other settings, DatabaseError, LeaseHeld.
    """
    id = begin_tree(database, lease, graph, document["id"], how.choice.name)
    answers = Answers(database, graph, id, lease)
    work = _Work(database, graph, document, how, answers, progress)
    try:
        draft = work.building(asks=True).build()
    except Unfinished as stopped:
        return work.report(None, 0, unfinished=str(stopped))
    except (ModelError, BudgetReached) as error:  # of the embedding model
        return work.report(None, 0, unfinished=str(error))
    changes = publish(database, lease, graph, work.stored_tree(), work.publication(draft))
    return work.report(draft, changes)


def plan_tree(database: Database, graph: str, document: Row, how: TreeBuilding) -> PlannedTree:
    """Return what `build_tree` would ask; nobody is asked, nothing is written.

    The tree is built without writing it: what nobody has answered yet is composed of the text's own sentences instead.
    """
    answers = Answers(database, graph, tree_id(graph, document["id"], how.choice.name), None)
    work = _Work(database, graph, document, how, answers, SILENT)
    building = work.building(asks=False)
    draft = building.build()
    named = building.namer.open if isinstance(building.namer, ModelNamer) else {}
    return PlannedTree(
        document["id"],
        document["title"],
        len(work.leaves.leaves),
        work.leaves.are_passages,
        _summaries(draft),
        sum(node.label == "Detail" for node in draft.nodes),
        (*named.values(), *building.writing.open.values()),
        work.is_simulated,
    )


class _Work:
    """One tree: what is stored, what it is made from, and what comes out."""

    def __init__(
        self, database: Database, graph: str, document: Row, how: TreeBuilding, answers: Answers, progress: Progress
    ) -> None:
        self._database, self._graph, self._document = database, graph, document
        self._how, self._answers, self._progress = how, answers, progress
        self._stored = read_tree(database, graph, answers.tree_id)
        self._shape = self._stored_shape()
        known = self._known_settings()
        embedder = f"{how.embedder.name}/{how.embedder.dimension}"
        self._settings = settled(
            how.choice,
            known,
            embedder,
            how.tokeniser.name,
            rebuild=how.rebuild,
            what=f"the tree {how.choice.name!r} of {document['title']!r}",
        )
        self.notes: list[str] = []
        self._drop_shape(known)
        rows = database.read(queries.get("tree/chunks"), graph=graph, document_id=document["id"])
        self._chunks = [Source(*(row[name] for name in ("id", "text", "token_count", "start", "end"))) for row in rows]
        self._hashes = [row["hash"] for row in rows]
        options = self._settings.options
        self.leaves: Leaves = leaves_of(answers.tree_id, self._chunks, how.tokeniser, options.leaf_tokens)
        self.is_simulated = False
        self._writing: Writing | None = None

    def _stored_shape(self) -> Structure | None:
        return structure.read(self._stored.fit) if self._stored and self._stored.fit else None

    def _known_settings(self) -> TreeSettings | None:
        if self._stored is None or self._stored.settings is None or self._shape is None:
            return None
        return read_settings(self._stored.settings, self._how.choice.name, self._shape.aspect_set)

    def _drop_shape(self, known: TreeSettings | None) -> None:
        """Forget a stored shape that does not hold any more."""
        if self._shape is None or known is None:
            return
        if self._how.rebuild:
            self._shape = None
        elif known.embedder != self._settings.embedder:
            self.notes.append(f"built anew: vectors are of {self._settings.embedder}, no longer of {known.embedder}")
            self._shape = None
        elif not self._shape.naming and self._how.aspect_model is not None and len(self._shape.aspect_set) > 1:
            self.notes.append(f"built anew: cues found its aspects, now {self._how.aspect_model.name} names them")
            self._shape = None

    def building(self, *, asks: bool) -> Building:
        """Return the build, ready to run."""
        how, options = self._how, self._settings.options
        window = min((each.window for each in (how.model, how.aspect_model) if each), default=None)
        room = UNBOUNDED if window is None else _room(window, options.summary_tokens)
        embedding = self._embedding(asks=asks)
        vectors = self._leaf_vectors(embedding)
        material = Material(
            self._answers.tree_id,
            self._document["id"],
            self.leaves,
            vectors,
            self._settings.aspects,
            options,
            min(CLUSTER_TOKENS, room),
            room,
        )
        self._writing = self._writer(asks=asks)
        return Building(material, self._namer(asks=asks), self._writing, embedding, self._progress, self._shape)

    def _embedding(self, *, asks: bool) -> TreeVectors:
        """Return what embeds texts; a plan embeds with the built-in model where the other one is paid for."""
        how = self._how
        self.is_simulated = how.keeps_vectors and not asks
        model = StaticEmbedding() if self.is_simulated else how.embedder
        lease = self._answers.lease if asks else None
        where = (self._database, self._graph, self._answers.tree_id)
        return TreeVectors(*where, model, how.tokeniser, lease, how.keeps_vectors)

    def _leaf_vectors(self, embedding: TreeVectors) -> Vectors:
        texts = [leaf.text for leaf in self.leaves.leaves]
        if self.is_simulated:
            where = (self._database, self._graph, self._answers.tree_id)
            stored = TreeVectors(*where, self._how.embedder, self._how.tokeniser, None).stored(
                [leaf.id for leaf in self.leaves.leaves], texts
            )
            return embedding.of_texts(texts) if stored is None else stored
        if self.leaves.are_passages:
            return embedding.of_texts(texts)
        hashed = zip(self._chunks, self._hashes, strict=True)
        return embedding.of_chunks([(chunk.id, chunk.text, digest) for chunk, digest in hashed])

    def _namer(self, *, asks: bool) -> CueNamer | ModelNamer:
        how, aspects = self._how, self._settings.aspects
        texts = [leaf.text for leaf in self.leaves.leaves]
        needs = self._shape is None and len(aspects) > 1
        cues = CueNamer(aspects, naming.typical_densities(texts, aspects) if needs else {})
        if how.aspect_model is None:
            return cues

        def names(said: str) -> bool:
            return bool(naming.read_names(said, aspects).names)

        chat = StoredChat(how.aspect_model, self._answers, ASPECTS, how.cache, how.tokeniser, names, asks)
        return ModelNamer(chat, cues, how.tokeniser, how.concurrency)

    def _writer(self, *, asks: bool) -> Writing:
        how, options = self._how, self._settings.options
        standing = {} if how.rebuild or self._stored is None else self._stored.nodes
        fallbacks: dict[str, AbstractSummariser] = {
            each.name: ExtractiveSummariser(each, how.tokeniser) for each in self._settings.aspects
        }
        fallbacks[DETAIL] = ExtractiveDetails(how.tokeniser)
        return Writing(
            self._summarisers(asks=asks),
            fallbacks,
            self._answers,
            how.tokeniser,
            options.summary_tokens,
            how.concurrency,
            standing,
            asks,
        )

    def _summarisers(self, *, asks: bool) -> Mapping[str, Summariser]:
        how = self._how

        def chat(kind: str) -> StoredChat | None:
            if how.model is None:
                return None
            return StoredChat(how.model, self._answers, kind, how.cache, how.tokeniser, _says_something, asks)

        found = (
            *summarisers_for(self._settings.aspects, chat(SUMMARY), how.tokeniser, own=how.own)[:-1],
            *summarisers_for((), chat(DETAIL), how.tokeniser, own=how.own),
        )
        return {each.name: each for each in found}

    def stored_tree(self) -> StoredTree:
        """Return the tree as it is stored at this moment: it was begun."""
        found = read_tree(self._database, self._graph, self._answers.tree_id)
        if found is None:
            raise SchemaConflict(
                f"the tree of {self._document['title']!r} was deleted while it was built", hint="run the command again"
            )
        return found

    def publication(self, draft: Draft) -> Publication:
        """Return the tree as it is to be stored."""
        ids = [leaf.id for leaf in self.leaves.leaves]
        naming_answers = draft.naming_answers
        if naming_answers is None:
            naming_answers = self._stored.answers if self._stored else ()
        fit = self._stored.fit if self._shape is not None and self._stored else None
        properties = {
            "fingerprint": fingerprint([(each.id, each.start, each.end) for each in self._chunks]),
            "levels": draft.levels,
            "absent": list(draft.absent),
            "flags": list(draft.structure.flags),
            "naming": draft.structure.naming,
        }
        return Publication(
            draft.nodes,
            [] if self.leaves.are_passages else ids,
            ids if self.leaves.are_passages else [],
            fit or structure.write(draft.structure),
            settings_json(self._settings),
            naming_answers,
            properties,
        )

    def report(self, draft: Draft | None, changes: int, *, unfinished: str = "") -> BuiltTree:
        """Return what was done."""
        texts = [node.properties for node in draft.nodes if node.label != "Passage"] if draft else []
        new = draft.structure.new_leaves(self.leaves.leaves) if draft else 0
        return BuiltTree(
            self._answers.tree_id,
            self._document["id"],
            self._document["title"],
            len(self.leaves.leaves),
            self.leaves.are_passages,
            new,
            _summaries(draft) if draft else {},
            sum(node.label == "Detail" for node in draft.nodes) if draft else 0,
            Counter(text["method"] for text in texts),
            draft.absent if draft else (),
            sum(bool(text["flags"]) for text in texts),
            self._writing.written if self._writing and draft else 0,
            changes,
            self._answers.usage,
            tuple(self.notes),
            unfinished,
        )


def _room(window: int, summary_tokens: int) -> int:
    """Return the tokens of text that a question has room for."""
    answer = AMPLE_TOKENS if window >= LARGE_WINDOW else min(2 * summary_tokens + 100, window // 2)
    return max(LEAST_CONTEXT, window - PROMPT_TOKENS - answer)


def _says_something(said: str) -> bool:
    return bool(read_text(said))


def _summaries(draft: Draft) -> Mapping[tuple[int, str], int]:
    found = Counter(
        (node.properties["level"], node.properties["aspect"]) for node in draft.nodes if node.label == "Summary"
    )
    return dict(sorted(found.items()))
