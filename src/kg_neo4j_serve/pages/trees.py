"""Narrative trees: the list, a tree drawn by aspect and level, and one of its nodes with what it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kg_neo4j.graph import queries
from kg_neo4j_serve import limits
from kg_neo4j_serve.limits import checked, cursor_at, picked, shortened, start_of
from kg_neo4j_serve.refusals import missing
from kg_neo4j_serve.rendering import ServedPage
from kg_neo4j_serve.results import Quote
from kg_neo4j_serve.service import Service

if TYPE_CHECKING:
    from kg_neo4j.organise.tree.picture import Layout, TreePicture
    from kg_neo4j.organise.tree.stored import StoredTree

COUNTS = ("leaves", "summaries", "levels")
SHORT = 160  # characters of a node where it is only listed


def listed(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the trees of all documents."""
    skip = start_of(given.get("cursor"))
    query, bounds = queries.get("serve/trees"), {"skip": skip, "limit": limits.ROWS + 1}
    rows = service.database().read(query, graph=service.graph, **bounds)
    trees = [picked(row, "document_id", "document", "name", "complete", *COUNTS) for row in rows[: limits.ROWS]]
    cursor = cursor_at(skip + limits.ROWS) if len(rows) > limits.ROWS else None
    return {"trees": trees, "cursor": cursor, "is_first": skip == 0}


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a tree by the id of its document and its name, or one of its nodes."""
    from kg_neo4j.organise.tree.picture import SUMMARY, compose
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
    about = {"document_id": document, "document": title, "name": name, "leaves": picture.leaves}
    about |= {"summaries": summaries, "absent": picture.absent}  # aspects that nothing shows
    number = next((number for number, each in enumerate(picture.nodes) if each.id == given.get("node")), None)
    if number is not None:
        return {"tree": about, "drawing": None, "branches": (), "shown": _shown(stored, picture, number)}
    if given.get("node"):
        raise missing(f"the tree has no node {given['node'][:80]!r}")
    return {"tree": about, "drawing": _drawing(picture), "branches": _branches(picture), "shown": None}


def _shown(stored: StoredTree, picture: TreePicture, number: int) -> dict[str, Any]:
    """Return a node, the summaries above it, and what it was made from below it (of a leaf: the notes on it)."""
    from kg_neo4j.organise.tree.picture import SUMMARY

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
    around = {"above": above[: limits.MOST_ROWS], "below": below[: limits.MOST_ROWS]}
    nodes = {name: [_node(picture, each) for each in some] for name, some in around.items()}
    return {"node": _node(picture, number), **nodes, "passage": passage}


def _node(picture: TreePicture, number: int) -> dict[str, Any]:
    """Return a leaf, a summary or a note on a leaf; leaves and notes on them are of level 0."""
    from kg_neo4j.organise.tree.picture import label

    found = picture.nodes[number]
    node = {"id": found.id, "kind": found.kind, "label": label(found), "text": shortened(found.text)}
    return node | {name: getattr(found, name) for name in ("aspect", "level", "method", "flags")}


def _branches(picture: TreePicture) -> list[dict[str, Any]]:
    """Return the summaries of each aspect that are part of no other."""
    parts = {part for each in picture.nodes for part in each.parts}
    found: dict[str, list[int]] = {}
    for number, each in enumerate(picture.nodes):
        if each.aspect:
            found.setdefault(each.aspect, []).append(number)
    branches = []
    for aspect, own in ((aspect, found[aspect]) for aspect in picture.aspects if aspect in found):
        top = [_node(picture, each) for each in own if each not in parts][: limits.ROWS]
        branches.append({"aspect": aspect, "summaries": len(own), "top": top})
    return branches


def _drawing(picture: TreePicture) -> dict[str, Any]:
    """Return the tree laid out: at most `MOST_DRAWN` summaries, those of the highest levels; leaves if they are few."""
    from kg_neo4j.organise.tree.picture import WIDTH, lay_out

    layout = lay_out(picture)
    summaries = [number for number, each in enumerate(picture.nodes) if each.aspect]
    summaries.sort(key=lambda number: -picture.nodes[number].level)
    leaves = range(picture.leaves) if picture.leaves <= limits.MOST_DRAWN else ()
    drawn = [*leaves, *summaries[: limits.MOST_DRAWN]]
    bands = [
        {
            "aspect": each.aspect.replace("_", " "),
            "rows": [(level, each.row(level)) for level in range(each.levels, 0, -1)],  # level, and its middle
            "strip": each.strip,  # of leaves, below the levels
        }
        for each in layout.bands
    ]
    dots = [_dot(picture, layout, number, frozenset(drawn)) for number in drawn]
    left_out = max(0, len(summaries) - limits.MOST_DRAWN)
    return {"width": WIDTH, "height": layout.height, "bands": bands, "dots": dots, "left_out": left_out}


def _dot(picture: TreePicture, layout: Layout, number: int, drawn: frozenset[int]) -> dict[str, Any]:
    """Return a node in the drawing; its lines end at the summaries below it, or on the strip of its band."""
    node, spot = picture.nodes[number], layout.spots[number]
    band = next((place for place, each in enumerate(layout.bands) if each.aspect == node.aspect), -1)
    strip = layout.bands[band].strip if layout.bands else 0.0
    ends = [(layout.spots[part].x, layout.spots[part].y if part >= picture.leaves else strip) for part in node.parts]
    lines = [(round(x, 1), round(y, 1)) for part, (x, y) in zip(node.parts, ends, strict=True) if part in drawn]
    known = _node(picture, number)
    text = " ".join(known["text"].split())
    text = text if len(text) <= SHORT else text[:SHORT].rstrip() + "…"
    place = {name: round(getattr(spot, name), 1) for name in ("x", "y", "half")}
    return {"id": known["id"], "label": known["label"], "text": text, "band": band, **place, "lines": lines}


PAGES = (
    ServedPage("/trees", "trees.html", listed, title="Trees", rank=60, section="trees"),
    ServedPage("/tree", "tree.html", shown),
)
