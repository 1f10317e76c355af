"""Nodes of narrative trees for a question: the collapsed tree, level by level down or up, or a walk with the entities.

What is read is chosen by cosine, in the collapsed tree by words, too: whole nodes within a number and a budget of
tokens. A note on a leaf that is read, or a node of which half of the sentences stand in what was chosen before, is
passed over, because it would say too little that is new. Then everything beneath is read, so that each node leads to
words of chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kg_neo4j._models import tokens
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import GdsMissing, NotEnoughMemory
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.organise.tree.interface import LEVELS
from kg_neo4j.retrieve.interface import Found, FoundNode, Search
from kg_neo4j.retrieve.left import read_left
from kg_neo4j.retrieve.packing import OVERHEAD
from kg_neo4j.retrieve.tree.choice import BOTTOM_UP, BY_LEVEL, CHUNK, MODE, SUMMARY, TOP_DOWN, WALK, TreeChoice
from kg_neo4j.retrieve.tree.descent import descend
from kg_neo4j.retrieve.tree.ranking import fuse, plain, repeats
from kg_neo4j.retrieve.tree.trees import read_trees, usable
from kg_neo4j.retrieve.tree.walk import SEEDS, walk

SPARE = 3  # times as many nodes are looked at as are kept: some say nothing new, some do not fit
FETCH = 100  # neighbours asked of an index; where too few of them are of these trees, the search is exact
NO_VECTORS = "a narrative tree is searched by vectors, and there are none that fit: `kg load` and `kg tree` make them"


def retrieve(database: Database, search: Search) -> Found:
    """Return the nodes that are read, within the budget of `search` in tokens, and the chunks that they rest on.

    Raises UsageError for an aspect that no tree has.
    """
    choice, budget = search.options.tree, search.context_tokens
    trees = read_trees(database, search.graph, choice.name, search.scope)
    ids, notes = usable(trees, choice)
    if search.vector is None and ids:
        notes.append(NO_VECTORS)
    if not trees and search.scope is None:
        notes.append(f"graph {search.graph!r} is empty: load something first, for example kg load FILE")
    elif not trees:
        notes.append(f"nothing that the filters select in graph {search.graph!r} has a tree")
    if search.vector is None or not ids:
        return Found(MODE, notes=tuple(notes))
    reading = _TreeSearch(database, search, choice, ids)
    rows = reading.rows()
    notes += reading.notes
    nodes = choose([_node(row) for row in rows], tokens.load(), choice, budget)
    if not nodes and not notes:
        notes.append(f"nothing in the trees of graph {search.graph!r} can be read within {budget:,} tokens")
    nodes, chunks = descend(database, search, nodes)
    return Found(MODE, chunks, notes=tuple(notes), nodes=nodes)


def choose(ranked: Iterable[FoundNode], tokeniser: Tokeniser, choice: TreeChoice, budget: int) -> tuple[FoundNode, ...]:
    """Return the best nodes: whole ones that fit, none that only repeats. By level those of all levels are kept."""
    kept: list[FoundNode] = []
    left, said = budget, ""
    for node in ranked:
        if choice.traversal not in BY_LEVEL and len(kept) == choice.top_k:
            break
        cost = tokeniser.count(node.text) + OVERHEAD
        if cost > left or (not choice.cosine and _says_little(node, kept, said)):
            continue
        kept.append(node)
        left -= cost
        said += f" {plain(node.text)} "
    return tuple(kept)


def _says_little(node: FoundNode, kept: Sequence[FoundNode], said: str) -> bool:
    """Say whether a node is a note on a leaf that is read, or half of its sentences are."""
    return node.leaf in {each.id for each in kept} or repeats(node.text, said)


class _TreeSearch:
    """One question put to trees."""

    def __init__(self, database: Database, search: Search, choice: TreeChoice, trees: Sequence[str]) -> None:
        self._database, self._choice = database, choice
        self._shared: dict[str, Any] = {
            "graph": search.graph,
            "trees": list(trees),
            "vector": list(search.vector or ()),
        }
        self._shared |= {"aspects": list(choice.aspects) or None, "excluded": self._excluded(search)}
        self._search = search
        self.notes: list[str] = []
        self._indexes = {"chunk_index": search.chunk_index, "node_index": search.node_index}

    def rows(self) -> list[Row]:
        """Return nodes, best first, more than are kept."""
        if self._choice.traversal == TOP_DOWN:
            return self._by_level("roots", "down")
        if self._choice.traversal == BOTTOM_UP:
            return self._by_level("leaves", "up")
        found = self._collapsed(max(SPARE * self._choice.top_k, SEEDS))
        if self._choice.traversal != WALK or not found:
            return found
        shared = {name: value for name, value in self._shared.items() if name != "vector"}
        shared |= {"kinds": list(self._choice.kinds), "top_k": SPARE * self._choice.top_k}
        try:
            return walk(self._database, self._search, self._choice.name, found, shared)
        except (GdsMissing, NotEnoughMemory) as missing:
            self.notes.append(f"links were not followed: {missing}")
            return found

    def _collapsed(self, limit: int) -> list[Row]:
        """Return the nodes of all levels that are nearest, by cosine and by words."""
        given = {**self._shared, "kinds": list(self._choice.kinds), "details": self._choice.details}
        given |= {"fetch": max(FETCH, 4 * limit), "top_k": limit}
        near = self._database.read(queries.get("retrieve/tree_search"), **given, **self._indexes)
        if self._search.words is None or self._choice.cosine:
            return near
        del given["vector"]
        return fuse(
            self._search.question,
            near,
            self._database.read(queries.get("retrieve/tree_words"), **given, words=self._search.words),
        )

    def _by_level(self, begin: str, onward: str) -> list[Row]:
        """Return the best nodes of each level, the nearest of all first."""
        found: dict[str, Row] = {}
        rows = self._step(begin, [])
        for _ in range(LEVELS + 1):
            new = [row for row in rows if row["id"] not in found]
            if not new:
                break
            found |= {row["id"]: row for row in new}
            ends = onward == "down" and all(row["kind"] == CHUNK for row in new)
            rows = [] if ends else self._step(onward, [row["id"] for row in new])
        kept = [row for row in found.values() if row["kind"] in self._choice.kinds]
        return sorted(kept, key=lambda row: (-row["score"], row["id"]))

    def _step(self, to: str, begin: Sequence[str]) -> list[Row]:
        query = queries.get("retrieve/tree_step")
        found: list[Row] = self._database.read(
            query, **self._shared, begin=list(begin), to=to, limit=self._choice.top_k
        )
        return found

    def _excluded(self, search: Search) -> list[str]:
        if search.scope is None:
            return []
        given = {"graph": search.graph, "trees": self._shared["trees"]}
        return list(read_left(self._database, search.scope, "retrieve/tree_excluded", **given)[0]["ids"])


def _node(row: Row) -> FoundNode:
    return FoundNode(
        id=row["id"],
        kind=row["kind"],
        text=row["text"] or "",
        aspect=row["aspect"],
        level=row["level"] if row["kind"] == SUMMARY else 0,
        number=row["number"],
        document=row["document"] or "",
        score=float(row["score"]),
        leaf=row["leaf"] or "",
    )
