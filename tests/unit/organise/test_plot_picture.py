"""Pictures of graphs made by hand: one SVG, and the PNG of it."""

from __future__ import annotations

import io
import re
import unicodedata
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.plot import as_png
from kg_neo4j.organise.plot_graph import PALETTE, REST, PlotGraph, PlotNode, PlotRelationship, group_colours, shorten
from kg_neo4j.organise.viewer.view import draw_file, view

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "$x_1$ </script><script>alert(1)</script> <b>&amp;"


def graph(names: list[str], pairs: list[tuple[int, int]], types: tuple[str, ...] = ("PERSON", "PLACE")) -> PlotGraph:
    degrees = [sum(place in pair for pair in pairs) for place in range(len(names))]
    nodes = tuple(
        PlotNode(place, name, types[place % len(types)], str(place % 3), degrees[place])
        for place, name in enumerate(names)
    )
    relationships = tuple(PlotRelationship(a, "KNOWS", b, 1 + a) for a, b in pairs)
    return PlotGraph("test graph", nodes, relationships, len(nodes))


def star(size: int) -> PlotGraph:
    return graph([f"Person number {place}" for place in range(size)], [(0, place) for place in range(1, size)])


def svg(shown: PlotGraph, colour_by: str = "type") -> str:
    """Return a picture that is well-formed."""
    drawn = draw_file(view(shown, colour_by))
    ElementTree.fromstring(drawn)
    return drawn


def pixels(png: bytes) -> np.ndarray:
    from matplotlib import image

    return image.imread(io.BytesIO(png))[:, :, :3]


def texts(drawn: str) -> list[tuple[str, float, float, float]]:
    """Return the names at nodes: text, x and y of the middle of the line, size."""
    groups = [each for each in ElementTree.fromstring(drawn).iter(f"{SVG}g") if each.get("text-anchor") == "middle"]
    found = [each for group in groups for each in group if "font-style" not in each.attrib]  # without types
    return [(each.text or "", *(float(each.attrib[name]) for name in ("x", "y", "font-size"))) for each in found]


@pytest.mark.parametrize("colour_by", ["type", "community"])
@pytest.mark.parametrize("size", [1, 2, 40])
def test_a_png_has_the_width_and_the_shape_of_its_picture(size, colour_by):
    drawn = svg(star(size), colour_by)
    wide, high = (float(ElementTree.fromstring(drawn).attrib[name]) for name in ("width", "height"))
    found = pixels(as_png(drawn))
    assert found.shape[1] == max(2080, wide)
    assert found.shape[0] == pytest.approx(high * found.shape[1] / wide, abs=1)
    assert found.std() > 0.02  # something is drawn


def test_a_large_graph_has_a_wider_png():
    drawn = svg(graph([f"Person number {n}" for n in range(300)], [(n, n + 1) for n in range(299)]))
    wide = int(ElementTree.fromstring(drawn).attrib["width"])
    assert wide > 2080
    assert pixels(as_png(drawn)).shape[1] == wide


def test_pictures_are_the_same_twice():
    first = svg(star(12))
    assert first == svg(star(12))
    assert as_png(first) == as_png(first)


def drawn_box(drawn: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the box around circles and names as shares of the paper: left and top, right and bottom."""
    root = ElementTree.fromstring(drawn)
    paper = np.array([float(root.attrib[name]) for name in ("width", "height")])
    moved = re.search(r"translate\((\S+) (\S+)\) scale\((\S+)\)", drawn)
    assert moved
    across, down, large = map(float, moved.groups())
    nodes = re.findall(r'<circle cx="(\S+)" cy="(\S+)" r="\d+" fill="\S+"><title>', drawn)
    names = [
        (x + side * len(text) * 0.28 * size, y - 0.35 * size) for text, x, y, size in texts(drawn) for side in (-1, 1)
    ]
    places = np.array([*((float(x), float(y)) for x, y in nodes), *names]) * large + (across, down)
    return places.min(axis=0) / paper, places.max(axis=0) / paper


GRAPHS = {
    "two": star(2),
    "star": star(60),
    "chain": graph([f"Person number {n}" for n in range(40)], [(n, n + 1) for n in range(39)]),
    "pairs": graph([f"Person number {n}" for n in range(40)], [(n, n + 1) for n in range(0, 39, 2)]),
    "alone": graph([f"Person number {n}" for n in range(20)], []),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_picture_fills_its_paper(name):
    low, high = drawn_box(svg(GRAPHS[name]))
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert low[0] < 1 / 6
    assert high[0] > 5 / 6
    assert high[1] > 5 / 6
    assert low[1] < (0.5 if name == "two" else 0.25)  # below the title


def test_the_title_what_is_shown_and_the_legend_are_written():
    drawn = svg(star(12))
    for words in (">test graph</text>", ">12 nodes, 11 relationships</text>", ">PERSON 6</text>", ">PLACE 6</text>"):
        assert words in drawn
    assert ">around Person number 2 4</text>" in svg(star(12), "community")
    titled = replace(star(12), titles={"2": "Friends of number 2"})
    assert ">Friends of number 2 4</text>" in svg(titled, "community")
    many = graph([f"Node {n}" for n in range(30)], [], tuple(f"TYPE_{n}" for n in range(15)))
    assert ">and 5 more</text>" in svg(many)


@pytest.mark.parametrize(
    ("total", "alone", "caption"),
    [
        (12, 0, "12 nodes, 11 relationships"),
        (13, 0, "12 of 13 nodes: the most connected ones; 1 has fewer relationships. 11 relationships"),
        (1_248, 40, "12 of 1,288 nodes: the most connected ones; 1,236 have fewer relationships; 40 have none."),
        (12, 1, "12 of 13 nodes: those with relationships; 1 has none. 11 relationships"),
    ],
)
def test_a_caption_counts_what_is_not_drawn_and_why(total, alone, caption):
    assert replace(star(12), total_nodes=total, alone=alone).caption().startswith(caption)


def test_a_community_of_three_has_a_place_with_its_title():
    nodes = [f"Person number {n}" for n in range(12)]
    parts = graph(nodes, [(0, 3), (3, 6), (6, 9), (1, 4), (4, 7), (2, 5), (0, 1)])
    shown = view(replace(parts, titles={"1": "The second"}), "type")
    assert sorted(title for title, _ in shown.places) == ["", "", "The second"]
    drawn = draw_file(shown)
    assert drawn.count("<rect x=") == 3
    assert ">The second</text>" in drawn
    for node in shown.nodes:
        inside = [
            number
            for number, (_, (left, top, right, bottom)) in enumerate(shown.places)
            if left < node.x < right and top < node.y < bottom
        ]
        assert len(inside) == 1


def test_types_are_on_lines_that_have_room():
    drawn = svg(graph(["Ada", "Ben", "Cleo"], [(0, 1), (1, 2)]))
    assert len(re.findall(r">(?:knows →|← knows)</text>", drawn)) == 2


def test_loops_parallel_relationships_and_isolated_nodes_are_drawn():
    as_png(svg(graph(["A", "B", "C"], [(0, 0), (0, 1), (0, 1), (1, 0)])))
    as_png(svg(graph(["A", "B", "C"], [])))


@pytest.mark.parametrize(
    "name", [HOSTILE, "$", "$\\frac{$", "北京", "محمد", "🙂", "a" * 500, "line\nbreak", "Skłodowska–Curie"]
)
def test_any_name_can_be_drawn(name):
    with_name, without = ((pixels(as_png(svg(graph([each, "B"], [(0, 1)])))) < 0.4).all(axis=2) for each in (name, ""))
    assert with_name.sum() > without.sum() + 20  # letters are dark


def test_accents_stand_on_their_letters():
    named = [graph([unicodedata.normalize(form, "Été"), "B"], [(0, 1)]) for form in ("NFC", "NFD")]
    composed, apart = (pixels(as_png(svg(each))) for each in named)
    assert np.abs(composed - apart).mean() < 1e-3


def test_names_do_not_overlap_each_other():
    from matplotlib.textpath import TextPath

    named = texts(svg(star(60)))
    assert len(named) > 30
    assert named[0][0] == "Person number 0"
    boxes = []
    for text, x, y, size in named:
        extent = TextPath((0, 0), text, size=size).get_extents()
        boxes.append((x - extent.width / 2, y - extent.y1, x + extent.width / 2, y - extent.y0))
    met = [(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :] if a[0] < b[2] and b[0] < a[2]]
    assert [(a, b) for a, b in met if a[1] < b[3] and b[1] < a[3]] == []


def test_a_machine_without_fonts_is_no_place_for_a_png():
    with pytest.raises(UsageError, match="no font") as caught:
        as_png(svg(star(2)), system_fonts=False)
    assert "install a font" in str(caught.value.hint)


def test_groups_get_colours_by_size_and_the_rest_share_one():
    nodes = tuple(PlotNode(place, str(place), f"T{min(place, 14)}", "", 1) for place in range(20))
    groups, colours = group_colours(nodes, "type")
    assert len(groups) == 20
    assert next(iter(colours)) == "T14"  # six nodes
    assert colours["T14"] == PALETTE[0]
    assert list(colours.values()).count(REST) == 15 - len(PALETTE)


def test_known_types_keep_their_colours_in_every_picture():
    people = group_colours(star(3).nodes, "type")[1]
    places = group_colours(graph(["A", "B", "C"], [], ("PLACE", "OTHER")).nodes, "type")[1]
    assert people["PLACE"] == places["PLACE"]
    assert places["OTHER"] == REST


def test_nodes_without_a_community_are_grey():
    nodes = (PlotNode(1, "A", "PERSON", "", 1), PlotNode(2, "B", "PERSON", "7", 1))
    groups, colours = group_colours(nodes, "community")
    assert groups == ["none", "7"]
    assert (colours["none"], colours["7"]) == (REST, PALETTE[0])


def test_long_names_are_shortened_and_short_ones_kept():
    assert shorten("Marie\n Curie") == "Marie Curie"
    assert len(shorten("x" * 100)) == 34
    assert shorten("Convention on the Carriage of Dangerous Goods, Annex 12") == "Convention on the Car…ds, Annex 12"
