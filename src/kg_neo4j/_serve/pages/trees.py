"""Narrative trees: the list, a tree drawn by aspect and level, and one of its nodes with what it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kg_neo4j._serve import limits
from kg_neo4j._serve.lookups import checked, cursor_at, shortened, start_of
from kg_neo4j._serve.refusals import missing
from kg_neo4j._serve.rendering import ServedPage
from kg_neo4j._serve.results import Quote
from kg_neo4j._serve.service import Service
from kg_neo4j.graph import queries

if TYPE_CHECKING:
    from kg_neo4j.organise.tree.picture_svg import Layout, TreePicture
    from kg_neo4j.organise.tree.stored import StoredTree

SHORT = 160  # characters of a node where it is only listed


@dataclass(frozen=True, slots=True)
class ListedTree:
    """A narrative tree as it is listed."""

    document_id: str
    document: str  # title
    name: str
    complete: bool  # False: it is being built
    leaves: int
    summaries: int
    levels: int


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A leaf, a summary or a note of a tree."""

    id: str
    kind: str  # "leaf", "summary" or "detail"
    label: str
    text: str
    aspect: str
    level: int  # 0: a leaf or a note on one
    method: str  # "model" or "extractive"
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dot:
    """A node in the drawing."""

    id: str
    label: str
    text: str
    band: int  # number of its aspect in the drawing; -1: a leaf
    x: float
    y: float
    half: float  # of its width
    lines: tuple[tuple[float, float], ...]  # ends of its lines to what it was made from


@dataclass(frozen=True, slots=True)
class DrawnBand:
    """An aspect in the drawing: its levels from the top, and the strip of leaves below it."""

    aspect: str
    rows: tuple[tuple[int, float], ...]  # level, and its middle
    strip: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """A tree laid out; `left_out` summaries of the lowest levels are not drawn."""

    width: float
    height: float
    bands: tuple[DrawnBand, ...]
    dots: tuple[Dot, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Branch:
    """An aspect of a tree, and its summaries that no other one summarises."""

    aspect: str
    summaries: int
    top: tuple[TreeNode, ...]


@dataclass(frozen=True, slots=True)
class AboutTree:
    """What a tree is."""

    document_id: str
    document: str  # title
    name: str
    leaves: int
    summaries: int
    absent: tuple[str, ...]  # aspects that nothing shows


@dataclass(frozen=True, slots=True)
class ShownNode:
    """A node, and what is around it."""

    node: TreeNode
    above: tuple[TreeNode, ...]  # summaries that are made from it
    below: tuple[TreeNode, ...]  # what it was made from; of a leaf the notes on it
    passage: Quote | None  # of a leaf, in its document


def listed(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the trees of all documents."""
    skip = start_of(given.get("cursor"))
    query, bounds = queries.get("serve/trees"), {"skip": skip, "limit": limits.ROWS + 1}
    rows = service.database().read(query, graph=service.graph, **bounds)
    following = cursor_at(skip + limits.ROWS) if len(rows) > limits.ROWS else None
    return {
        "trees": tuple(ListedTree(**row) for row in rows[: limits.ROWS]),
        "cursor": following,
        "is_first": skip == 0,
    }


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a tree by the id of its document and its name, or one of its nodes."""
    from kg_neo4j.organise.tree.picture import compose
    from kg_neo4j.organise.tree.picture_svg import SUMMARY
    from kg_neo4j.organise.tree.stored import read_tree, tree_id

    document, name = checked(given.get("document", ""), "document"), given.get("name") or "narrative"
    database = service.database()
    title = service.source(document, limit=1).document
    stored = read_tree(database, service.graph, tree_id(service.graph, document, checked(name, "name")))
    if stored is None or not stored.complete:
        raise missing(f"there is no complete tree {name[:80]!r} of {title!r}", "`kg tree` builds it")
    rows = database.read(queries.get("tree/picture_leaves"), graph=service.graph, tree=stored.id)
    picture = compose(stored, [(row["id"], row["text"] or "") for row in rows], title)
    summaries = sum(each.kind == SUMMARY for each in picture.nodes)
    about = AboutTree(document, title, name, picture.leaves, summaries, picture.absent)
    number = next((number for number, each in enumerate(picture.nodes) if each.id == given.get("node")), None)
    if number is not None:
        return {"tree": about, "drawing": None, "branches": (), "shown": _shown(stored, picture, number)}
    if given.get("node"):
        raise missing(f"the tree has no node {given['node'][:80]!r}")
    return {"tree": about, "drawing": _drawing(picture), "branches": _branches(picture), "shown": None}


def _shown(stored: StoredTree, picture: TreePicture, number: int) -> ShownNode:
    from kg_neo4j.organise.tree.picture_svg import SUMMARY

    node = picture.nodes[number]
    made_of_it = [place for place, each in enumerate(picture.nodes) if number in each.parts]
    above = [place for place in made_of_it if picture.nodes[place].kind == SUMMARY]
    below = [*node.parts, *(place for place in made_of_it if place not in above)]
    passage = None
    if number < picture.leaves:
        text = shortened(node.text)
        passage = Quote(text, picture.title, node.id, 0, len(text))  # a leaf is a chunk, or was cut for the tree
        for link in (stored.nodes[node.id].links if node.id in stored.nodes else ())[:1]:
            chunk, *offsets = link
            start, end = map(int, offsets)
            passage = replace(passage, chunk_id=chunk, start=start, end=end)
    parts = [tuple(_node(picture, each) for each in some[: limits.MOST_ROWS]) for some in (above, below)]
    return ShownNode(_node(picture, number), parts[0], parts[1], passage)


def _node(picture: TreePicture, number: int) -> TreeNode:
    from kg_neo4j.organise.tree.picture_svg import label

    found = picture.nodes[number]
    said = (label(found), shortened(found.text), found.aspect, found.level, found.method, found.flags)
    return TreeNode(found.id, found.kind, *said)


def _branches(picture: TreePicture) -> tuple[Branch, ...]:
    """Return the summaries of each aspect that are part of no other."""
    parts = {part for each in picture.nodes for part in each.parts}
    found: dict[str, list[int]] = {}
    for number, each in enumerate(picture.nodes):
        if each.aspect:
            found.setdefault(each.aspect, []).append(number)
    return tuple(
        Branch(aspect, len(own), tuple(_node(picture, each) for each in own if each not in parts)[: limits.ROWS])
        for aspect, own in ((aspect, found[aspect]) for aspect in picture.aspects if aspect in found)
    )


def _drawing(picture: TreePicture) -> Drawing:
    """Return the tree laid out: at most `MOST_DRAWN` summaries, those of the highest levels; leaves if they are few."""
    from kg_neo4j.organise.tree.picture_svg import WIDTH, lay_out

    layout = lay_out(picture)
    summaries = [number for number, each in enumerate(picture.nodes) if each.aspect]
    summaries.sort(key=lambda number: -picture.nodes[number].level)
    leaves = range(picture.leaves) if picture.leaves <= limits.MOST_DRAWN else ()
    drawn = [*leaves, *summaries[: limits.MOST_DRAWN]]
    bands = tuple(
        DrawnBand(
            each.aspect.replace("_", " "),
            tuple((level, each.row(level)) for level in range(each.levels, 0, -1)),
            each.strip,
        )
        for each in layout.bands
    )
    dots = tuple(_dot(picture, layout, number, frozenset(drawn)) for number in drawn)
    return Drawing(WIDTH, layout.height, bands, dots, max(0, len(summaries) - limits.MOST_DRAWN))


def _dot(picture: TreePicture, layout: Layout, number: int, drawn: frozenset[int]) -> Dot:
    """Return a node in the drawing; its lines end at the summaries below it, or on the strip of its band."""
    node, spot = picture.nodes[number], layout.spots[number]
    band = next((place for place, each in enumerate(layout.bands) if each.aspect == node.aspect), -1)
    strip = layout.bands[band].strip if layout.bands else 0.0
    ends = [(layout.spots[part].x, layout.spots[part].y if part >= picture.leaves else strip) for part in node.parts]
    lines = tuple((round(x, 1), round(y, 1)) for part, (x, y) in zip(node.parts, ends, strict=True) if part in drawn)
    known = _node(picture, number)
    text = " ".join(known.text.split())
    text = text if len(text) <= SHORT else text[:SHORT].rstrip() + "…"
    return Dot(known.id, known.label, text, band, round(spot.x, 1), round(spot.y, 1), round(spot.half, 1), lines)


PAGES = (ServedPage("/trees", "trees.html", listed, title="Trees", rank=60), ServedPage("/tree", "tree.html", shown))
