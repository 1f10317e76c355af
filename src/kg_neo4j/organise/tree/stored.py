"""A tree as the graph has it: what is stored is compared with what should be, and only differences are written.

Transactions are few and each proves the lease. The first takes the mark `complete` away, the last sets it: readers see
the tree whole or not at all, and a run that is stopped between goes on with what is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, present
from kg_neo4j.graph.lease import Lease

LEAF, SUMMARY, DETAIL = "Leaf", "Summary", "Detail"
NODES_A_WRITE = 500
_WRITES = {LEAF: "tree/write_passages", SUMMARY: "tree/write_summaries", DETAIL: "tree/write_details"}
_LEVELS = {LEAF: 0, DETAIL: 1}  # details after the passages that they are about

Link = tuple[str, *tuple[float, ...]]  # the id of a node, and the numbers on the relationship to it


@dataclass(frozen=True, slots=True)
class Node:
    """A passage, summary or detail as it should be."""

    id: str
    label: str
    properties: Mapping[str, Any]  # without id, graph, tree and vector; none is empty
    links: tuple[Link, ...]  # by id
    digest: str  # of the text that its vector is made from
    vector: Sequence[float] = field(default=(), compare=False, repr=False)

    @property
    def order(self) -> tuple[int, str]:
        """What is written first is there when others link to it."""
        return _LEVELS.get(self.label, int(self.properties.get("level", 0))), self.id


@dataclass(frozen=True, slots=True)
class StoredTree:
    """A tree as it is stored. `fit` is None where it was begun and never came to clusters."""

    id: str
    name: str
    complete: bool
    fit: str | None
    settings: str | None
    answers: tuple[str, ...]
    properties: Mapping[str, Any]
    leaves: tuple[str, ...]
    nodes: Mapping[str, Node]


@dataclass(frozen=True, slots=True)
class TreeDraft:
    """All of a tree as it should be."""

    nodes: Sequence[Node]
    chunks: Sequence[str]  # leaves that are chunks
    passages: Sequence[str]  # leaves that are passages
    fit: str
    settings: str
    answers: Sequence[str]
    properties: Mapping[str, Any]  # fingerprint, levels, absent, ...
    new_leaves: int  # that came after the clusters were made


@dataclass(frozen=True, slots=True)
class Difference:
    """What a stored tree lacks to be as it should be."""

    gone: Sequence[str]  # ids of nodes that are to be deleted
    changed: Sequence[Node]  # that are new or other, in the order in which they are written
    relinked: bool  # its leaves are others
    nodes: int  # that change, come or go, the tree itself counted; 0: nothing differs


def tree_id(graph: str, document_id: str, name: str) -> str:
    """Return the id of a document's tree."""
    return hash_id("tree", graph, document_id, name)


def read_tree(database: Database, graph: str, id: str) -> StoredTree | None:
    """Return what is stored of a tree, without vectors; None where there is none."""
    if not (rows := database.read(queries.get("tree/tree"), graph=graph, id=id)):
        return None
    tree = rows[0]["tree"]
    nodes = database.read(queries.get("tree/nodes"), graph=graph, tree=id)
    own = ("id", "graph", "name", "document_id", "fit", "settings", "answers", "complete")
    return StoredTree(
        id=id,
        name=tree["name"],
        complete=bool(tree.get("complete")),
        fit=tree.get("fit"),
        settings=tree.get("settings"),
        answers=tuple(tree.get("answers") or ()),
        properties={name: value for name, value in present(tree).items() if name not in own},
        leaves=tuple(rows[0]["leaves"]),
        nodes={row["node"]["id"]: _node(row) for row in nodes},
    )


def difference(stored: StoredTree, wanted: TreeDraft) -> Difference:
    """Return what is to be written so that the stored tree is as it should be."""
    gone = sorted(stored.nodes.keys() - {node.id for node in wanted.nodes})
    changed = sorted((node for node in wanted.nodes if stored.nodes.get(node.id) != node), key=lambda node: node.order)
    relinked = list(stored.leaves) != sorted([*wanted.chunks, *wanted.passages])
    own = (stored.fit, stored.settings, list(stored.answers), dict(stored.properties))
    kept = own == (wanted.fit, wanted.settings, list(wanted.answers), dict(wanted.properties))
    is_none = stored.complete and kept and not (gone or changed or relinked)
    return Difference(gone, changed, relinked, 0 if is_none else len(gone) + len(changed) + 1)


def publish(lease: Lease, graph: str, stored: StoredTree, wanted: TreeDraft) -> int:
    """Write what differs and return how many nodes changed, came or went, the tree itself counted; 0 for none."""
    found = difference(stored, wanted)
    if not found.nodes:
        return 0
    where = {"graph": graph, "tree": stored.id}
    opened = {"fit": wanted.fit, "settings": wanted.settings, "answers": list(wanted.answers) or None}
    lease.write(queries.get("tree/open"), graph=graph, id=stored.id, **opened)
    lease.write_parts(queries.get("tree/delete_nodes"), "ids", found.gone, NODES_A_WRITE, graph=graph)
    chunks = {link[0] for node in wanted.nodes for link in node.links} - {node.id for node in wanted.nodes}
    for place in sorted({node.order[0] for node in found.changed}):
        for label, query in _WRITES.items():
            rows = [_row(node, chunks) for node in found.changed if (node.order[0], node.label) == (place, label)]
            lease.write_parts(queries.get(query), "rows", rows, NODES_A_WRITE, **where)
    links = {"chunks": list(wanted.chunks), "nodes": list(wanted.passages)}
    if found.relinked:
        lease.write(queries.get("tree/link_leaves"), **where, **links)
    removed = dict.fromkeys(stored.properties.keys() - wanted.properties.keys())
    lease.write(queries.get("tree/finish"), graph=graph, id=stored.id, properties={**removed, **wanted.properties})
    return found.nodes


def _node(row: Mapping[str, Any]) -> Node:
    properties = present(row["node"])
    id, digest = properties.pop("id"), properties.pop("embedding_hash", "")
    for name in ("graph", "tree", "embedding"):
        properties.pop(name, None)
    label = next(each for each in (LEAF, SUMMARY, DETAIL) if each in row["labels"])
    return Node(id, label, properties, tuple(tuple(link) for link in row["links"]), digest or "")


def _row(node: Node, chunks: set[str]) -> dict[str, object]:
    return {
        "id": node.id,
        "properties": {"flags": None, "answers": None, **node.properties},  # null removes what was there
        "embedding": list(node.vector),
        "embedding_hash": node.digest,
        "chunks": [list(link) for link in node.links if link[0] in chunks],
        "nodes": [list(link) for link in node.links if link[0] not in chunks],
    }
