"""Narrative trees without a server: the real build, between a store in memory and a model that is a function.

trees = MemoryTrees()
lamp = trees.tell("lamp", story())
done = trees.build(lamp, by(model := scripted()), details=2)
trees.stored(lamp)              what would be in Neo4j
model.requests                  what was asked, in order
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from corpus import document
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion, EmbeddingModel
from kg_neo4j._models.tasks import Request
from kg_neo4j.errors import ModelUnavailable
from kg_neo4j.factory import without_model
from kg_neo4j.graph.documents import heading_of
from kg_neo4j.organise.tree.interface import TreeBuildOptions
from kg_neo4j.organise.tree.stored import Node, StoredTree, TreeDraft, difference, tree_id
from kg_neo4j.organise.tree.trees import BuiltTree, TreeBuilding, build_tree, plan_tree
from kg_neo4j.records import Usage
from kg_neo4j_offline.embedder.static_embedding import StaticEmbedding
from kg_neo4j_offline.stand_ins import stand_in
from scripted_layer import MemoryStore, ScriptedLayer, said
from tree_runs import TOKENISER, say

NARRATIVE = "narrative"
Said = tuple[str, str | None]  # text and finish reason
Told = Mapping[str, str]  # id and title of a document


def scripted(
    rules: Callable[[str, str], str] = say, name: str = "scripted", window: int = 8_000, answers: int | None = None
) -> ScriptedLayer:
    """Return a model that writes trees by rules (all messages, the last one); after so many answers it is down."""

    def reply(request: Request) -> Completion:
        if answers is not None and len(model.requests) > answers:
            raise ModelUnavailable("the model is down")
        return said(rules(f"{request.system}\n{request.user}", request.user))

    model = ScriptedLayer(reply, name, window)
    return model


@cache
def embedder() -> EmbeddingModel:
    """Return the built-in embedder, which remembers the words that it has seen."""
    return StaticEmbedding()


def by(model: ScriptedLayer) -> Door:
    """Return the door to a scripted model."""
    return Door(model, stand_in=stand_in)


@dataclass
class MemoryAnswers(MemoryStore):
    """The answers about one tree, and what those cost that came in one run."""

    usage: Usage = field(default_factory=Usage)

    def write(self, request: Request, said: Completion, model: str) -> None:
        super().write(request, said, model)
        self.usage += said.usage


@dataclass
class MemoryTrees:
    """Keeps in dictionaries what `TreeStore` keeps in Neo4j, and builds trees there."""

    graph: str = "main"
    lease: object | None = "held"  # None: nothing is written
    documents: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # chunks, by id of their document
    trees: dict[str, StoredTree] = field(default_factory=dict)
    replies: dict[str, dict[str, Said]] = field(default_factory=dict)  # by id of the tree, by key
    vectors: dict[str, dict[str, list[float]]] = field(default_factory=dict)  # by id of the tree, by hash

    # -- what a test does

    def tell(self, name: str, paragraphs: Sequence[str]) -> Told:
        """Record a story, or what it has become, one chunk a paragraph. A chunk that stays keeps its vector."""
        found, chunks = document(self.graph, name, list(paragraphs))
        before = {row["id"]: row for row in self.documents.get(found.id, ())}
        none = {"hash": None, "embedding": None}
        rows = []
        for each in chunks:
            vector = {key: before.get(each.id, none)[key] for key in none}
            place = {"token_count": each.token_count, "start": each.start, "end": each.end}
            rows.append(
                {"id": each.id, "text": each.text, "heading": heading_of(name, each.section), **place, **vector}
            )
        self.documents[found.id] = rows
        return {"id": found.id, "title": name}

    def build(self, told: Told, door: Door | None = None, **how: Any) -> BuiltTree:
        """Build a tree, without a model where no door is given; `how`: fields of the options and of the building."""
        return build_tree(self, told, _building(door, how))  # type: ignore[arg-type]

    def plan(self, told: Told, door: Door | None = None, **how: Any) -> BuiltTree:
        """Plan a tree."""
        return plan_tree(replace(self, lease=None), told, _building(door, how))  # type: ignore[arg-type]

    def stored(self, told: Told, name: str = NARRATIVE) -> StoredTree:
        """Return a tree as it is stored."""
        return self.trees[tree_id(self.graph, told["id"], name)]

    def nodes(self, told: Told, label: str, name: str = NARRATIVE) -> list[Node]:
        """Return the nodes of one label of a tree."""
        return [node for node in self.stored(told, name).nodes.values() if node.label == label]

    # -- what `TreeStore` does

    def begin(self, document_id: str, name: str) -> None:
        id = tree_id(self.graph, document_id, name)
        self.trees.setdefault(id, StoredTree(id, name, False, None, None, (), {}, (), {}))

    def tree(self, id: str) -> StoredTree | None:
        return self.trees.get(id)

    def publish(self, stored: StoredTree, wanted: TreeDraft) -> int:
        found = difference(stored, wanted)
        if not found.nodes:
            return 0
        nodes = {id: node for id, node in stored.nodes.items() if id not in found.gone}
        nodes |= {node.id: node for node in found.changed}
        leaves = tuple(sorted([*wanted.chunks, *wanted.passages])) if found.relinked else stored.leaves
        about = (wanted.fit, wanted.settings, tuple(wanted.answers), dict(wanted.properties))
        whole = StoredTree(stored.id, stored.name, True, *about, leaves, nodes)
        used = {*wanted.answers, *(key for node in nodes.values() for key in node.properties.get("answers", ()))}
        kept = self.replies.get(stored.id, {})
        self.replies[stored.id] = {key: kept[key] for key in used & kept.keys()}
        self.vectors.pop(stored.id, None)
        self.trees[stored.id] = whole
        return found.nodes

    def chunks(self, document_id: str) -> Sequence[Mapping[str, Any]]:
        return self.documents[document_id]

    def answers(self, id: str, remembers: frozenset[str]) -> MemoryAnswers:
        return MemoryAnswers(remembers, self.replies.setdefault(id, {}))

    def text_vectors(self, id: str, hashes: Sequence[str]) -> Mapping[str, list[float]]:
        nodes = self.trees[id].nodes.values() if id in self.trees else ()
        known = {node.digest: list(node.vector) for node in nodes} | self.vectors.get(id, {})
        return {key: known[key] for key in hashes if key in known}

    def keep_text_vectors(self, id: str, model: EmbeddingModel, made: Mapping[str, list[float]]) -> None:
        self.vectors.setdefault(id, {}).update(made)

    def chunk_vectors(self, ids: Sequence[str]) -> Mapping[str, list[float]]:
        rows = [row for chunks in self.documents.values() for row in chunks if row["id"] in ids]
        return {row["id"]: row["embedding"] for row in rows if row["embedding"] is not None}


def _building(door: Door | None, how: Mapping[str, Any]) -> TreeBuilding:
    chosen = {key: value for key, value in how.items() if key in TreeBuildOptions.__slots__}
    others = {key: value for key, value in how.items() if key not in chosen}
    door = door or without_model()
    usual = {"aspect_door": door, "embedder": embedder(), "plan_embedder": embedder()}
    return TreeBuilding(TreeBuildOptions(**chosen), door, tokeniser=TOKENISER, **{**usual, **others})
