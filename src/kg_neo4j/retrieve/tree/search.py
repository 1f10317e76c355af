"""Nodes of narrative trees for a question: the collapsed tree, level by level down or up, or a walk with the entities.

What is read is chosen by cosine, in the collapsed tree by words, too: whole nodes within a number and a budget of
tokens. A note on a leaf that is read, or a node of which half of the sentences stand in what was chosen before, is
passed over, because it would say too little that is new. Then everything beneath is read, so that each node leads to
words of chunks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg_neo4j._models import tokens
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import GdsMissing, NotEnoughMemory, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Reader, Row, Transaction
from kg_neo4j.organise.tree.interface import LEVELS
from kg_neo4j.organise.tree.leaves import fingerprint
from kg_neo4j.records import TreeStep
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundNode, LeafPlace, Scope, Search, read_chunk, texts
from kg_neo4j.retrieve.linking import named
from kg_neo4j.retrieve.projection_cache import KeptProjection
from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.tree.choice import BOTTOM_UP, BY_LEVEL, CHUNK, DETAIL, MODE, SUMMARY, TOP_DOWN, WALK, TreeChoice
from kg_neo4j.retrieve.wording import beginnings, plain, repeats, weigh

OVERHEAD = 16  # tokens for the title, the numbers and the line breaks of a node
SPARE = 3  # times as many nodes are looked at as are kept: some say nothing new, some do not fit
FETCH = 100  # neighbours asked of an index; where too few of them are of these trees, the search is exact
SEEDS = 10  # nodes that the collapsed tree finds: the leaves and summaries among them are started from
KIN = 0.3  # width of the way between a summary and its parts, beside 1 to the next leaf
MENTION = 0.5  # of the way between a leaf and the rarest entities in it
DAMPING = 0.7
ITERATIONS = 20  # at most; the walk ends when no score changes by more than the tolerance
TOLERANCE = 1e-4
RANKS = 60  # reciprocal rank fusion (Cormack et al. 2009), as in the mode naive
LEAVES = 400  # beneath all nodes together that are looked at, those nearest to the question first
SHOWN = 3  # titles in a note
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
        if cost > left:
            continue
        if not choice.cosine and (node.leaf in {each.id for each in kept} or repeats(node.text, said)):
            continue  # a note on a leaf that is read, or half of its sentences are
        kept.append(node)
        left -= cost
        said += f" {plain(node.text)} "
    return tuple(kept)


class _TreeSearch:
    """One question put to trees."""

    def __init__(self, database: Database, search: Search, choice: TreeChoice, trees: Sequence[str]) -> None:
        self._database, self._choice = database, choice
        given = {"graph": search.graph, "trees": list(trees)}
        excluded: list[str] = []
        if search.scope is not None:
            excluded = list(read_left(database, search.scope, "retrieve/tree_excluded", **given)[0]["ids"])
        self._shared: dict[str, Any] = {**given, "vector": list(search.vector or ())}
        self._shared |= {"aspects": list(choice.aspects) or None, "excluded": excluded}
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
        query = queries.get("retrieve/tree_search").searching(self._search.inside(**self._indexes))
        near = self._database.read(query, **given, **self._indexes)
        if self._search.words is None or self._choice.cosine:
            return near
        del given["vector"]
        worded = self._database.read(queries.get("retrieve/tree_words"), **given, words=self._search.words)
        return fuse(self._search.question, near, worded)

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
        return self._database.read(query, **self._shared, begin=list(begin), to=to, limit=self._choice.top_k)


def _node(row: Row) -> FoundNode:
    return FoundNode(
        **texts(row, "id kind text aspect document leaf"),
        level=row["level"] if row["kind"] == SUMMARY else 0,
        number=row["number"],
        score=float(row["score"]),
    )


def walk(database: Database, search: Search, name: str, seeds: Sequence[Row], shared: Mapping[str, Any]) -> list[Row]:
    """Return leaves and summaries of the trees of that name, where the walk is most often first.

    `seeds` are rows of nodes, best first; the walk does not start from details. `shared` are further parameters of the
    query. Raises GdsMissing and NotEnoughMemory.
    """
    nodes = [row["id"] for row in seeds[:SEEDS] if row["kind"] != DETAIL]

    def make(transaction: Transaction, projection: str) -> bool:
        query = queries.get("retrieve/project_tree")
        made = transaction.run(query, graph=search.graph, name=projection, tree=name, kin=KIN, mention=MENTION)
        return made[0]["projection"] is not None

    def step(reader: Reader, projection: str) -> list[Row]:
        return reader.read(
            queries.get("retrieve/tree_walk"),
            **shared,
            name=projection,
            nodes=nodes,
            entities=list(named(reader, search).entities),
            damping=DAMPING,
            iterations=ITERATIONS,
            tolerance=TOLERANCE,
        )

    return KeptProjection(database, search.graph, f"tree {name}", make, step, name).walk() or []


def fuse(question: Question, near: Sequence[Row], worded: Sequence[Row]) -> list[Row]:
    """Return the rows of nodes by reciprocal ranks, best first: those `near` in their order, all by their words."""
    rows = {row["id"]: row for row in (*near, *worded)}
    weights = weigh(question.terms, {each: beginnings(row["text"] or "") for each, row in rows.items()})
    by_words = sorted((each for each in rows if weights[each] > 0), key=lambda each: (-weights[each], each))
    scores: dict[str, float] = {}
    for ranked in ([row["id"] for row in near], by_words):
        for rank, each in enumerate(ranked, 1):
            scores[each] = scores.get(each, 0.0) + 1 / (RANKS + rank)
    return [{**rows[each], "score": scores[each]} for each in sorted(scores, key=lambda each: (-scores[each], each))]


def descend(
    database: Database, search: Search, nodes: Sequence[FoundNode]
) -> tuple[tuple[FoundNode, ...], tuple[FoundChunk, ...]]:
    """Return the nodes with their places in chunks, and these chunks, those of the best nodes first.

    A node beneath which nothing is left any more is left out.
    """
    if not nodes:
        return (), ()
    row = database.read(
        queries.get("retrieve/tree_descent"),
        graph=search.graph,
        nodes=[node.id for node in nodes],
        vector=list(search.vector or ()),
        limit=LEAVES,
    )[0]
    beneath: dict[str, list[str]] = {}
    for parent, child in row["edges"]:
        beneath.setdefault(parent, []).append(child)
    steps = {each["id"]: TreeStep(**each) for each in row["nodes"]}
    parts: dict[str, list[Row]] = {}
    for part in row["leaves"]:
        parts.setdefault(part["id"], []).append(part)
    placed = []
    for node in nodes:
        ways = _ways(node.id, beneath, steps)
        under = ((part, ways[leaf]) for leaf, listed in parts.items() if leaf in ways for part in listed)
        places = tuple(LeafPlace(part["chunk_id"], part["start"], part["end"], way) for part, way in under)
        if places:
            placed.append(replace(node, places=places))
    return tuple(placed), _chunks(placed, row["leaves"])


def _ways(
    begin: str, beneath: Mapping[str, Sequence[str]], steps: Mapping[str, TreeStep]
) -> dict[str, tuple[TreeStep, ...]]:
    """Return the shortest way from a node to each node beneath it, both ends included; a chunk is no step."""
    ways: dict[str, tuple[TreeStep, ...]] = {begin: (steps[begin],) if begin in steps else ()}
    queue = deque([begin])
    while queue:
        each = queue.popleft()
        for child in beneath.get(each, ()):
            if child not in ways:
                ways[child] = (*ways[each], steps[child]) if child in steps else ways[each]
                queue.append(child)
    return ways


def _chunks(nodes: Sequence[FoundNode], leaves: Sequence[Row]) -> tuple[FoundChunk, ...]:
    """Return each chunk once; its score is that of the best node that is a part of it, else 0."""
    scores: dict[str, float] = {}
    for node in nodes:
        if node.kind == "chunk":
            for place in node.places:
                scores.setdefault(place.chunk_id, node.score)
    found = {}
    for row in leaves:
        own = {"id": row["chunk_id"], "score": scores.get(row["chunk_id"]), "language": None}
        found[row["chunk_id"]] = read_chunk({**row, **own})
    return tuple(sorted(found.values(), key=lambda chunk: -chunk.score))


@dataclass(frozen=True, slots=True)
class DocumentTree:
    """A document with its tree of one name."""

    document_id: str
    title: str
    tree_id: str | None  # None: it has none
    complete: bool
    stale: bool  # the document has changed since
    aspects: tuple[str, ...]  # of its summaries

    @property
    def is_good(self) -> bool:
        """Return whether it says what the document says."""
        return self.complete and not self.stale


def read_trees(database: Database, graph: str, name: str, scope: Scope | None = None) -> tuple[DocumentTree, ...]:
    """Return the documents of a graph, or of a scope, each with its tree of that name, by title."""
    rows = read_left(database, scope, "retrieve/trees", graph=graph, name=name)
    return tuple(
        DocumentTree(
            row["document"],
            row["title"] or "",
            row["tree"],
            row["complete"],
            row["fingerprint"] != fingerprint(row["chunks"]),
            tuple(row["aspects"]),
        )
        for row in rows
    )


def usable(trees: Sequence[DocumentTree], choice: TreeChoice) -> tuple[list[str], list[str]]:
    """Return the ids of the trees that can be read, and notes on what is missing, incomplete or out of date.

    Raises UsageError for an aspect that no tree has.
    """
    found = [each for each in trees if each.tree_id and each.complete]
    known = sorted({aspect for each in found for aspect in each.aspects})
    if found and (unknown := sorted(set(choice.aspects) - set(known))):
        raise UsageError(
            f"no tree {choice.name!r} has summaries of {unknown[0]!r}", hint=f"there are {', '.join(known) or 'none'}"
        )
    notes = []
    for what, listed in (
        ("have no tree", [each for each in trees if not each.tree_id]),
        ("have a tree that was not finished", [each for each in trees if each.tree_id and not each.complete]),
        ("have changed since their tree was built", [each for each in found if each.stale]),
    ):
        if listed:
            notes.append(_said(what, listed, len(trees), choice.name))
    return [each.tree_id for each in found if each.tree_id], notes


def _said(what: str, listed: Sequence[DocumentTree], total: int, name: str) -> str:
    shown = ", ".join(f"“{each.title}”" for each in listed[:SHOWN])
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    count = f"{len(listed)} of {total} documents" if total > 1 else "1 document"
    verb = what if len(listed) > 1 or total > 1 else what.replace("have ", "has ", 1)
    return f"{count} {verb} ({shown}{more}): `kg tree{'' if name == 'narrative' else f' --name {name}'}` builds it"
