"""The picture of a tree: every node is drawn, within the picture, in one way; texts stay texts."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.organise import html_page
from kg_neo4j.organise.tree.picture import (
    DETAIL,
    LEAF,
    LEFT,
    RIGHT,
    SUMMARY,
    WIDTH,
    PictureNode,
    TreePicture,
    check_target,
    compose,
    draw,
    lay_out,
    leaves_below,
    page,
)
from kg_neo4j.organise.tree.stored import Node, StoredTree
from tree_pictures import HOSTILE, tree


@pytest.mark.parametrize(
    "picture", [tree(), tree(1), tree(1_000, 7, aspects=7), tree(40, 1)], ids=lambda each: each.leaves
)
def test_every_node_stands_within_the_picture(picture: TreePicture) -> None:
    layout = lay_out(picture)
    for node, spot in zip(picture.nodes, layout.spots, strict=True):
        assert spot.x - spot.half >= LEFT - 0.01, node.kind
        assert spot.x + spot.half <= WIDTH - RIGHT + 0.01
        assert 0 < spot.y < layout.height
        assert spot.half


@pytest.mark.parametrize(
    "picture",
    [tree(), tree(1_000, 7, aspects=7), tree(600, 2, aspects=1), tree(200, 4, scattered=True)],
    ids=lambda e: e.leaves,
)
def test_summaries_of_one_level_do_not_cover_each_other(picture: TreePicture) -> None:
    layout = lay_out(picture)
    rows: dict[float, list[tuple[float, float]]] = {}
    for node, spot in zip(picture.nodes, layout.spots, strict=True):
        if node.kind == SUMMARY:
            rows.setdefault(spot.y, []).append((spot.x, spot.half))
    assert len(rows) == (2 if picture.leaves > 1 else 1) * (len(picture.aspects) - 1)
    for row in rows.values():
        for (left, small), (right, large) in pairwise(sorted(row)):
            assert right - left >= small + large - 0.01


def test_summaries_stand_in_the_order_of_their_leaves() -> None:
    def leaf(number: int) -> PictureNode:
        return PictureNode(LEAF, "", 0, number, "text")

    def summary(*parts: int, level: int = 1) -> PictureNode:
        return PictureNode(SUMMARY, "plot", level, 0, "said", parts=parts)

    nodes = (leaf(0), leaf(1), leaf(2), leaf(3), summary(3), summary(0, 1), summary(2), summary(4, 5, level=2))
    picture = TreePicture("Story", "narrative", ("plot",), (), nodes)
    spots = lay_out(picture).spots
    assert sorted((4, 5, 6), key=lambda place: spots[place].x) == [5, 6, 4]
    assert spots[6].x == spots[7].x == (LEFT + WIDTH - RIGHT) / 2
    assert spots[7].y < spots[6].y < spots[0].y
    assert leaves_below(picture)[7] == frozenset((0, 1, 3))


def test_the_svg_draws_each_node_once_with_its_text() -> None:
    picture = tree()
    root = ElementTree.fromstring(draw(picture).encode())
    groups = list(root.iter("{http://www.w3.org/2000/svg}g"))
    assert sorted(int(each.attrib["data-n"]) for each in groups) == list(range(len(picture.nodes)))
    titles = [each[0].text for each in groups]
    assert "aspect 0, level 1, cluster 2: It snowed." in titles
    assert "leaf 3: It snowed. 2" in titles
    assert "note 1: note: It snowed." in titles
    said = "".join(each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "12 leaves · 10 summaries · 12 notes · shown nowhere: unseen" in said


def test_any_text_leaves_the_svg_whole() -> None:
    drawn = draw(tree(text=HOSTILE)).encode("utf-8")
    root = ElementTree.fromstring(drawn)
    assert not [each for each in root.iter() if each.tag.endswith(("script", "img"))]
    assert HOSTILE.split(" ", maxsplit=1)[0] in "".join(
        each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}title")
    )


def test_an_empty_tree_is_drawn_too() -> None:
    empty = TreePicture("Nothing", "narrative", ("plot",), ("plot",), ())
    ElementTree.fromstring(draw(empty))
    assert "Nothing" in page(empty)


def test_a_thousand_leaves_stay_a_file_of_ordinary_size() -> None:
    picture = tree(1_000, 7, text="It snowed in Skarnes. " * 40, aspects=7)
    assert len(draw(picture)) < 3_000_000
    many = tree(3_000, 1, aspects=1)
    assert f'data-of="{many.leaves}"' not in draw(many)  # lines to leaves would be one grey surface
    assert 'data-of="12"' in draw(tree())


def test_the_same_tree_gives_the_same_bytes() -> None:
    assert draw(tree()) == draw(tree())
    assert page(tree()) == page(tree())


class Page(HTMLParser):
    """Notes the elements of a page, and what its scripts hold."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "script" and self.lasttag == "script":
            self.scripts[-1] += data


def test_texts_in_the_page_are_data_never_markup() -> None:
    picture = tree(text=HOSTILE)
    text = page(picture)
    parser = Page()
    parser.feed(text.encode("utf-8").decode())
    assert parser.tags.count("script") == 2
    assert "img" not in parser.tags
    assert not {name for name in parser.attributes if name.startswith("on")}
    nodes = json.loads(parser.scripts[0])
    assert [node["text"] for node in nodes] == [html_page.whole(node.text) for node in picture.nodes]
    plain = page(tree())
    assert not re.search(r"(?:src|href)=|https?://(?!www\.w3\.org/2000/svg)|@import|url\(", plain)


def stored() -> StoredTree:
    def node(id: str, label: str, links: list[tuple[str, float]], **said: object) -> Node:
        own = {"text": id, "method": "model", "flags": [], **said}
        return Node(id, label, own, tuple(links), "")

    nodes = [
        node("top", "Summary", [("s2", 1.0), ("s1", 0.5)], aspect="plot", level=2, number=0),
        node("s2", "Summary", [("c2", 1.0)], aspect="plot", level=1, number=1, flags=["cut"]),
        node("s1", "Summary", [("c1", 1.0), ("gone", 1.0)], aspect="plot", level=1, number=0),
        node("o", "Summary", [("c1", 1.0)], aspect="mood", level=1, number=0),
        node("d1", "Detail", [("c2",)], number=1),  # type: ignore[list-item]
        node("d0", "Detail", [("c2",)], number=0),  # type: ignore[list-item]
    ]
    settings = json.dumps({"aspects": ["theme", "plot"]})
    about = {"absent": ["theme"]}
    return StoredTree("t", "narrative", True, "{}", settings, (), about, ("c1", "c2"), {n.id: n for n in nodes})


def test_a_stored_tree_is_drawn_by_level_and_aspect() -> None:
    picture = compose(stored(), [("c2", "second"), ("c1", "first")], "Story")
    assert picture.aspects == ("theme", "plot", "mood")
    assert picture.absent == ("theme",)
    assert [(node.kind, node.text, node.parts) for node in picture.nodes] == [
        (LEAF, "second", ()),
        (LEAF, "first", ()),
        (SUMMARY, "s1", (1,)),
        (SUMMARY, "s2", (0,)),
        (SUMMARY, "o", (1,)),
        (SUMMARY, "top", (2, 3)),
        (DETAIL, "d0", (0,)),
        (DETAIL, "d1", (0,)),
    ]
    assert picture.nodes[3].flags == ("cut",)


def test_only_svg_and_html_are_drawn(tmp_path: Path) -> None:
    check_target(tmp_path / "tree.SVG")
    with pytest.raises(UsageError, match=r"cannot draw a tree into 'tree\.png'"):
        check_target(tmp_path / "tree.png")
    with pytest.raises(UsageError, match="there is no folder"):
        check_target(tmp_path / "none" / "tree.svg")
