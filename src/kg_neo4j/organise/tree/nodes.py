"""What a build wrote becomes nodes, with their links and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j.graph.database import present
from kg_neo4j.organise.tree.embedded import TreeVectors
from kg_neo4j.organise.tree.leaves import Leaves
from kg_neo4j.organise.tree.stored import DETAIL, PASSAGE, SUMMARY, Link, Node
from kg_neo4j.organise.tree.writing import Text


@dataclass(frozen=True, slots=True)
class WrittenSummary:
    """A summary, in its place."""

    id: str
    aspect: str
    level: int  # from 1
    number: int  # of its cluster, within aspect and level
    links: tuple[Link, ...]  # what it summarises, with probabilities
    hash: str  # of what it was made from
    text: Text


@dataclass(frozen=True, slots=True)
class WrittenDetail:
    """A note on one leaf."""

    id: str
    leaf_id: str
    number: int  # among those of its leaf, from 0
    aspect: str  # that it is on; empty: all that the leaf says
    hash: str  # of what it was made from
    text: Text


@dataclass(frozen=True, slots=True)
class Nodes:
    """Makes the nodes of one tree."""

    document_id: str
    embedding: TreeVectors

    def passages(self, leaves: Leaves) -> list[Node]:
        """Return the leaves that were cut for the tree; none where leaves are chunks."""
        found = []
        for index, leaf in enumerate(leaves.leaves if leaves.are_passages else ()):
            place = {"index": index, "start": leaf.start, "end": leaf.end}
            properties = {**place, "text": leaf.text, "token_count": leaf.token_count}
            found.append(self._node(leaf.id, PASSAGE, properties, leaves.overlaps[leaf.id]))
        return self._embedded(found)

    def summaries(self, written: Sequence[WrittenSummary]) -> list[Node]:
        """Return summaries of all levels."""
        found = []
        for each in written:
            place = {"aspect": each.aspect, "level": each.level, "number": each.number}
            found.append(self._node(each.id, SUMMARY, {**place, **_said(each.hash, each.text)}, each.links))
        return self._embedded(found)

    def details(self, written: Sequence[WrittenDetail]) -> list[Node]:
        """Return the notes on leaves."""
        found = []
        for each in written:
            place = {"number": each.number} | ({"aspect": each.aspect} if each.aspect else {})
            properties = {**place, **_said(each.hash, each.text)}
            found.append(self._node(each.id, DETAIL, properties, ((each.leaf_id,),)))
        return self._embedded(found)

    def _node(self, id: str, label: str, properties: dict[str, Any], links: tuple[Link, ...]) -> Node:
        own = {"document_id": self.document_id, **properties}
        return Node(id, label, own, tuple(sorted(links)), self.embedding.digest(properties["text"]))

    def _embedded(self, nodes: Sequence[Node]) -> list[Node]:
        vectors = self.embedding.of_texts([node.properties["text"] for node in nodes])
        return [replace(node, vector=vector.tolist()) for node, vector in zip(nodes, vectors, strict=True)]


def _said(digest: str, text: Text) -> dict[str, Any]:
    """Return the properties of what was written."""
    return present(
        {
            "text": text.text,
            "token_count": text.token_count,
            "method": text.method,
            "hash": digest,
            "flags": list(text.flags),
            "answers": list(text.answers),
        }
    )
