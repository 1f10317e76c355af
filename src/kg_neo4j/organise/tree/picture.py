"""A tree drawn by level and aspect: what is drawn, and where it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import html_page
from kg_neo4j.organise.plot import write_whole
from kg_neo4j.organise.tree import picture_svg
from kg_neo4j.organise.tree.picture_svg import DETAIL, LEAF, SUMMARY, PictureNode, TreePicture
from kg_neo4j.organise.tree.stored import StoredTree, read_tree, tree_id

SUFFIXES = (".svg", ".html")
_STYLE, _SCRIPT = (Path(__file__).with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".css", ".js"))


def check_target(target: Path) -> None:
    """Raise UsageError for a file that no tree can be drawn into, before there is a tree."""
    if target.suffix.lower() not in SUFFIXES:
        raise UsageError(f"cannot draw a tree into {target.name!r}", hint="name a file that ends in .svg or .html")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="create it first")


def plot_tree(
    database: Database, graph: str, document_id: str, target: Path, *, name: str = "narrative", title: str = ""
) -> TreePicture:
    """Draw a document's tree into a .svg or .html file and return what was drawn.

    The page shows the text and the sources of a node that is clicked, and needs no network. An existing file is
    replaced once the new one is whole. Raises UsageError for another extension, a folder that does not exist, or where
    there is no complete tree of that name.
    """
    check_target(target)
    picture = read_picture(database, graph, document_id, name=name, title=title)
    draw = page if target.suffix.lower() == ".html" else picture_svg.draw
    write_whole(target, draw(picture).encode("utf-8"))
    return picture


def read_picture(
    database: Database, graph: str, document_id: str, *, name: str = "narrative", title: str = ""
) -> TreePicture:
    """Return what there is to draw of a document's tree. Raises UsageError where there is no complete tree."""
    stored = read_tree(database, graph, tree_id(graph, document_id, name))
    if stored is None or not stored.complete:
        raise UsageError(f"there is no complete tree {name!r} of {title or document_id}", hint="`kg tree` builds it")
    leaves = database.read(queries.get("tree/picture_leaves"), graph=graph, tree=stored.id)
    return compose(stored, [(row["id"], row["text"] or "") for row in leaves], title or document_id)


def compose(stored: StoredTree, leaves: Sequence[tuple[str, str]], title: str) -> TreePicture:
    """Return the picture of a stored tree; `leaves` are (id, text) in the order of the text."""
    nodes = [PictureNode(LEAF, "", 0, number, text, id=id) for number, (id, text) in enumerate(leaves)]
    place = {id: number for number, (id, _) in enumerate(leaves)}
    aspects = _aspects(stored)
    order = {aspect: number for number, aspect in enumerate(aspects)}
    summaries = [(id, node.properties, node.links) for id, node in stored.nodes.items() if node.label == "Summary"]
    for id, said, links in sorted(
        summaries, key=lambda each: (each[1]["level"], order[each[1]["aspect"]], each[1]["number"], each[0])
    ):
        place[id] = len(nodes)
        nodes.append(_node(id, SUMMARY, said, [place[link[0]] for link in links if link[0] in place]))
    details = [(id, node.properties, node.links) for id, node in stored.nodes.items() if node.label == "Detail"]
    for id, said, links in sorted(details, key=lambda each: (_first(each[2], place), each[1]["number"], each[0])):
        nodes.append(_node(id, DETAIL, said, [place[link[0]] for link in links if link[0] in place]))
    absent = tuple(str(each) for each in stored.properties.get("absent") or ())
    return TreePicture(title, stored.name, aspects, absent, tuple(nodes))


def _node(id: str, kind: str, said: Mapping[str, object], parts: Sequence[int]) -> PictureNode:
    flags = said.get("flags")
    return PictureNode(
        kind,
        str(said.get("aspect", "")),
        int(str(said.get("level", 0))),
        int(str(said["number"])),
        str(said["text"]),
        str(said["method"]),
        tuple(str(flag) for flag in flags) if isinstance(flags, list) else (),
        tuple(sorted(parts)),
        id,
    )


def _first(links: Sequence[tuple[object, ...]], place: Mapping[str, int]) -> int:
    return min((place[str(link[0])] for link in links if link[0] in place), default=-1)


def _aspects(stored: StoredTree) -> tuple[str, ...]:
    """Return the aspects in the order of their set; those that only summaries name come after."""
    settings = json.loads(stored.settings or "{}")
    named = [str(each) for each in settings.get("aspects", ())]
    own = {str(node.properties["aspect"]) for node in stored.nodes.values() if node.label == "Summary"}
    return (*named, *sorted(own - set(named)))


def page(picture: TreePicture) -> str:
    """Return the tree as one HTML page: a click on a node shows its text and its sources. It loads nothing.

    Texts are data in it, never markup: the script puts them into the page as text. Where the page's address ends with
    "#12", the node at place 12 is chosen.
    """
    nodes = [
        {
            "kind": node.kind,
            "label": picture_svg.label(node),
            "text": html_page.whole(node.text),
            "method": node.method,
            "flags": list(node.flags),
            "parts": list(node.parts),
        }
        for node in picture.nodes
    ]
    drawn = f"<main>\n{picture_svg.markup(picture, has_titles=False)}\n</main>\n<aside></aside>"
    return html_page.compose(picture.title, drawn, nodes, "nodes", _STYLE, _SCRIPT)
