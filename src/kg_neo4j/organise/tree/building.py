"""A tree is built: clusters of leaves, their aspects, summaries, level on level within each aspect, then details.

Nothing is published here: what comes out is the tree as it should be. Where its shape is stored, that shape is kept
(`structure`) and only what rests on other texts than before is written again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kg_neo4j._models.door import EXTRACTIVE
from kg_neo4j._models.embedding import Vectors
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.graph.answers import GraphAnswers
from kg_neo4j.graph.database import Row, present
from kg_neo4j.organise.tree import raptor
from kg_neo4j.organise.tree.clustering import soft_clusters
from kg_neo4j.organise.tree.embedded import TreeVectors
from kg_neo4j.organise.tree.fitted import ClusterFit
from kg_neo4j.organise.tree.interface import BY_ASPECT, REPEATS, UMAP, Clusters, Leaf, TreeOptions
from kg_neo4j.organise.tree.leaves import Leaves
from kg_neo4j.organise.tree.naming import ClusterAspects, TreeNamer
from kg_neo4j.organise.tree.stored import DETAIL as DETAIL_LABEL
from kg_neo4j.organise.tree.stored import LEAF, SUMMARY, Link, Node, StoredTree, TreeDraft
from kg_neo4j.organise.tree.structure import Cluster, TreeStructure, members_of, write
from kg_neo4j.organise.tree.upkeep import options_json
from kg_neo4j.organise.tree.writing import Writing, silent_json
from kg_neo4j.organise.tree.written import DETAIL, TreeItem, WrittenText

CLUSTER_TOKENS = 3_500  # of one cluster, as in RAPTOR; less in a smaller window


@dataclass(frozen=True, slots=True)
class WrittenNode:
    """A summary or a note, in its place."""

    item: TreeItem
    text: WrittenText
    number: int  # of a summary: of its cluster, within aspect and level; of a note: among those of its leaf, from 0
    links: tuple[Link, ...]  # what it is made from; of a summary with probabilities


@dataclass(slots=True, kw_only=True)
class TreeBuild:
    """A tree in the making: what is stored of it, what it is built from, and who names and writes."""

    id: str
    document: Row  # id and title
    stored: StoredTree | None
    shape: TreeStructure | None  # that is stored and holds; None: it is to be found
    options: TreeOptions
    rows: Sequence[Row]  # the document's chunks, as tree/chunks.cypher gives them; none of a text that is not loaded
    fingerprint: str  # of its chunks
    leaves: Leaves
    room: int  # tokens of one question; clusters that grew beyond it are shown in part
    namer: TreeNamer
    writing: Writing
    embedding: TreeVectors
    answers: GraphAnswers
    notes: tuple[str, ...] = ()
    vectors: Vectors = field(init=False)  # of the leaves; none where all of them have their clusters
    _upper: dict[str, list[tuple[Cluster, ...]]] = field(default_factory=dict)
    _silent: dict[str, WrittenText] = field(default_factory=dict)

    def build(self) -> TreeDraft:
        """Return the tree as it should be. Raises Unfinished where somebody has to be asked and does not answer."""
        if self.shape is None or self.shape.new_leaves(self.leaves.leaves):
            self.vectors = self.embedding.of_leaves(self.leaves, self.rows)
        else:
            self.vectors = np.empty((0, self.embedding.model.dimension), np.float32)
        structure, answers = (self.shape, self._naming_answers()) if self.shape else self._structure()
        summaries = self._first_level(structure)
        level = summaries
        for number in range(2, self.options.levels + 1):
            level = self._next_level(level, number)
            summaries = [*summaries, *level]
            if not level:
                break
        if not self.shape:
            structure = replace(structure, upper={name: tuple(levels) for name, levels in sorted(self._upper.items())})
        details = self._details_by_aspect(structure) if self.options.details_by == BY_ASPECT else self._details()
        return self._draft(structure, answers, summaries, details)

    def _draft(
        self,
        structure: TreeStructure,
        answers: Sequence[str],
        summaries: Sequence[WrittenNode],
        details: Sequence[WrittenNode],
    ) -> TreeDraft:
        silent = {key: text for key, text in self._silent.items() if text.answers or text.method != EXTRACTIVE}
        shown = {each.item.aspect for each in summaries}
        properties = {
            "fingerprint": self.fingerprint,
            "levels": max((each.item.level for each in summaries), default=0),
            "absent": [aspect.name for aspect in self.options.aspects if aspect.name not in shown],
            "flags": list(structure.flags),
            "naming": structure.naming,
            "silent": silent_json(silent) if silent else None,
        }
        leaves, ids = self.leaves, [leaf.id for leaf in self.leaves.leaves]
        return TreeDraft(
            [*self._passages(), *self._nodes(SUMMARY, summaries), *self._nodes(DETAIL_LABEL, details)],
            chunks=[] if leaves.are_passages else ids,
            passages=ids if leaves.are_passages else [],
            fit=(self.stored.fit if self.shape and self.stored else None) or write(structure),
            settings=options_json(self.options),
            answers=(*answers, *sorted({key for text in silent.values() for key in text.answers})),
            properties=present(properties),
            new_leaves=structure.new_leaves(leaves.leaves),
        )

    def _naming_answers(self) -> tuple[str, ...]:
        """Return the keys of the stored tree's answers that name aspects."""
        silent = {key for text in self.writing.silent.values() for key in text.answers}
        return tuple(key for key in (self.stored.answers if self.stored else ()) if key not in silent)

    def _structure(self) -> tuple[TreeStructure, tuple[str, ...]]:
        """Find clusters and name their aspects; where one is shown nowhere, again with another seed, at most twice.

        Returns the shape that lacks fewest aspects, the first of such, and the keys of all answers on the way.
        """
        found: list[TreeStructure] = []
        answers: dict[str, None] = {}
        for attempt in range(REPEATS + 1):
            structure, used = self._attempt(attempt)
            found.append(structure)
            answers |= dict.fromkeys(used)
            if not structure.absent:
                break
        return min(found, key=lambda each: len(each.absent)), tuple(answers)

    def _attempt(self, number: int) -> tuple[TreeStructure, list[str]]:
        leaves = self.leaves.leaves
        clusters, fit = self._found(self.vectors, [leaf.token_count for leaf in leaves], self.options.seed + number)
        named = self._named([[leaves[place] for place in members] for members in clusters.members])
        shown = {name for each in named for name in each.aspects}
        names = [aspect.name for aspect in self.options.aspects]
        structure = TreeStructure(
            fit=fit,
            aspect_set=self.options.aspects,
            members=members_of(leaves, clusters),
            aspects=tuple(tuple(name for name in names if name in each.aspects) for each in named),
            naming=self.namer.door.name,
            absent=tuple(name for name in names if name not in shown),
            flags=tuple(f"cluster {place}: {each.flag}" for place, each in enumerate(named) if each.flag),
        )
        return structure, [key for each in named for key in each.answers]

    def _found(self, vectors: Vectors, token_counts: Sequence[int], seed: int) -> tuple[Clusters, ClusterFit]:
        find = raptor.clusters if self.options.clustering == UMAP else soft_clusters
        return find(vectors, token_counts, most_tokens=min(CLUSTER_TOKENS, self.room), seed=seed)

    def _named(self, clusters: Sequence[Sequence[Leaf]]) -> Sequence[ClusterAspects]:
        if len(self.options.aspects) == 1:
            return [ClusterAspects((self.options.aspects[0].name,)) for _ in clusters]
        return self.namer.name(["\n\n".join(leaf.text for leaf in cluster) for cluster in clusters])

    def _first_level(self, structure: TreeStructure) -> list[WrittenNode]:
        leaves = self.leaves.leaves
        wanted = []
        for number, members in structure.clusters_of(leaves, self.vectors).items():
            parts = [(leaves[place].id, leaves[place].text, leaves[place].token_count) for place, _ in members]
            shares = [probability for _, probability in members]
            wanted += [(name, number, parts, shares) for name in structure.aspects[number]]
        return self._summaries(1, wanted)

    def _next_level(self, beneath: Sequence[WrittenNode], level: int) -> list[WrittenNode]:
        """Return the summaries of one level more; none where no aspect has clusters that put summaries together."""
        wanted = []
        for aspect in self.options.aspects:
            own = {each.number: each for each in beneath if each.item.aspect == aspect.name}
            for number, cluster in enumerate(self._clusters(aspect.name, own, level)):
                members = [(own[member], probability) for member, probability in cluster if member in own]
                if members:
                    parts = [(each.item.id, each.text.text, each.text.token_count) for each, _ in members]
                    wanted.append((aspect.name, number, parts, [probability for _, probability in members]))
        return self._summaries(level, wanted)

    def _clusters(self, aspect: str, own: Mapping[int, WrittenNode], level: int) -> Sequence[Cluster]:
        """Return the clusters of summaries of one aspect: those of the stored shape, else those that are found now."""
        if self.shape is not None:
            levels = self.shape.upper.get(aspect, ())
            return levels[level - 2] if level - 2 < len(levels) else ()
        if len(own) < (raptor.FEWEST_NODES if self.options.clustering == UMAP else 2):
            return ()
        numbers = sorted(own)
        texts = [own[number].text for number in numbers]
        vectors = self.embedding.of_texts([text.text for text in texts])
        found, _ = self._found(vectors, [text.token_count for text in texts], self.options.seed)
        if len(found.members) >= len(numbers):
            return ()
        clusters = tuple(
            tuple((numbers[place], share) for place, share in zip(places, shares, strict=True))
            for places, shares in zip(found.members, found.probabilities, strict=True)
        )
        self._upper.setdefault(aspect, []).append(clusters)
        return clusters

    def _summaries(
        self, level: int, wanted: Sequence[tuple[str, int, Sequence[tuple[str, str, int]], Sequence[float]]]
    ) -> list[WrittenNode]:
        """Write the summaries of one level: each of an aspect, with a number, of parts (id, text, tokens)."""
        items, links = [], []
        for aspect, number, parts, shares in wanted:
            id = hash_id("tree summary", self.id, aspect, str(level), str(number))
            texts, flags = self._shown(parts, shares)
            digest = self._hash("summary", aspect, texts)
            items.append(TreeItem(id, "summary", aspect, "\n\n".join(texts), digest, flags, level=level))
            links.append(tuple((part[0], share) for part, share in zip(parts, shares, strict=True)))
        found = self.writing.write(items)
        return [
            WrittenNode(item, found[item.id], number, its)
            for item, its, (_, number, _, _) in zip(items, links, wanted, strict=True)
        ]

    def _shown(
        self, parts: Sequence[tuple[str, str, int]], shares: Sequence[float]
    ) -> tuple[list[str], tuple[str, ...]]:
        """Return the texts of a cluster; of one that grew too long, those that belong to it most."""
        left = self.room
        kept: set[int] = set()
        for place in sorted(range(len(parts)), key=lambda place: (-shares[place], place)):
            if kept and parts[place][2] > left:
                continue
            kept.add(place)
            left -= parts[place][2]
        texts = [text for place, (_, text, _) in enumerate(parts) if place in kept]
        if len(kept) == len(parts):
            return texts, ()
        return texts, (f"{len(parts) - len(kept)} of its {len(parts)} texts did not fit into one question",)

    def _hash(self, kind: str, aspect: str, texts: Sequence[str]) -> str:
        return hash_id(kind, aspect, str(self.options.summary_tokens), *texts)

    def _details(self) -> list[WrittenNode]:
        """Return the notes on each leaf; each one after the first is told what the former ones say."""
        leaves = self.leaves.leaves
        before: dict[str, tuple[str, ...]] = {leaf.id: () for leaf in leaves}
        details: list[WrittenNode] = []
        for number in range(self.options.details):
            items = [self._detail(leaf, str(number), DETAIL, before[leaf.id]) for leaf in leaves]
            found = self.writing.write(items)
            for leaf, item in zip(leaves, items, strict=True):
                before[leaf.id] = (*before[leaf.id], found[item.id].text)
                details.append(WrittenNode(item, found[item.id], number, ((leaf.id,),)))
        return details

    def _details_by_aspect(self, structure: TreeStructure) -> list[WrittenNode]:
        """Return the notes on each leaf: one for each of the first aspects that its clusters show, if it shows them.

        A note that repeats one on the same leaf is none.
        """
        leaves, most = self.leaves.leaves, self.options.details
        items = [
            (leaf.id, self._detail(leaf, aspect, aspect))
            for leaf, aspects in zip(leaves, structure.aspects_of(leaves, self.vectors), strict=True)
            for aspect in aspects[:most]
        ]
        found = self.writing.write([item for _, item in items])
        said: dict[str, list[str]] = {leaf.id: [] for leaf in leaves}
        details: list[WrittenNode] = []
        for leaf_id, item in items:
            text = found[item.id]
            if not text.text or text.text in said[leaf_id]:
                self._silent[item.hash] = text
                continue
            details.append(WrittenNode(item, text, len(said[leaf_id]), ((leaf_id,),)))
            said[leaf_id].append(text.text)
        return details

    def _detail(self, leaf: Leaf, part: str, aspect: str, before: tuple[str, ...] = ()) -> TreeItem:
        id = hash_id("tree detail", self.id, leaf.id, part)
        digest = self._hash("detail", "" if aspect == DETAIL else aspect, [leaf.text, *before])
        return TreeItem(id, DETAIL, aspect, leaf.text, digest, before=before)

    def _passages(self) -> list[Node]:
        """Return the leaves that were cut for the tree; none where leaves are chunks."""
        found = []
        for index, leaf in enumerate(self.leaves.leaves if self.leaves.are_passages else ()):
            place = {"index": index, "start": leaf.start, "end": leaf.end}
            properties = {**place, "text": leaf.text, "token_count": leaf.token_count}
            found.append(self._node(leaf.id, LEAF, properties, self.leaves.overlaps[leaf.id]))
        return self._embedded(found)

    def _nodes(self, label: str, written: Sequence[WrittenNode]) -> list[Node]:
        found = []
        for each in written:
            properties = {
                "aspect": None if each.item.aspect == DETAIL else each.item.aspect,
                "level": each.item.level or None,
                "number": each.number,
                "text": each.text.text,
                "token_count": each.text.token_count,
                "method": each.text.method,
                "hash": each.item.hash,
                "flags": list(each.text.flags),
                "answers": list(each.text.answers),
            }
            found.append(self._node(each.item.id, label, present(properties), each.links))
        return self._embedded(found)

    def _node(self, id: str, label: str, properties: dict[str, Any], links: tuple[Link, ...]) -> Node:
        own = {"document_id": self.document["id"], **properties}
        return Node(id, label, own, tuple(sorted(links)), self.embedding.digest(properties["text"]))

    def _embedded(self, nodes: Sequence[Node]) -> list[Node]:
        vectors = self.embedding.of_texts([node.properties["text"] for node in nodes])
        return [replace(node, vector=vector.tolist()) for node, vector in zip(nodes, vectors, strict=True)]
