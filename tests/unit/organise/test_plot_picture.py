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
    found = [each for group in groups for each in group]
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


def test_a_wide_graph_has_a_wider_png():
    drawn = svg(graph([f"Person number {n}" for n in range(40)], [(n, n + 1) for n in range(39)]))
    wide = int(ElementTree.fromstring(drawn).attrib["width"])
    assert wide > 2080
    assert pixels(as_png(drawn)).shape[1] == wide


def test_pictures_are_the_same_twice():
    first = svg(star(12))
    assert first == svg(star(12))
    assert as_png(first) == as_png(first)


def test_names_and_nodes_stand_on_the_page():
    drawn = svg(star(12))
    page = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawn)
    moved = re.search(r'translate\((\d+) (\d+)\)" stroke-width="1.5"><g stroke="#8b97a5"', drawn)
    assert page
    assert moved
    named = [(x, y) for _, x, y, _ in texts(drawn)]
    assert 8 <= len(named) <= 12
    nodes = re.findall(r'<circle cx="(\d+)" cy="(\d+)" r="\d+" fill="\S+"><title>', drawn)
    assert len(nodes) == 12
    for at in (0, 1):
        places = [int(moved[at + 1]) + float(place[at]) for place in (*named, *nodes)]
        assert all(0 < place < int(page[at + 1]) for place in places)


def test_the_title_the_counts_and_the_legend_are_written():
    drawn = svg(star(12))
    for words in (">test graph</text>", ">12 nodes, 11 relationships</text>", ">PERSON 6</text>", ">PLACE 6</text>"):
        assert words in drawn
    assert ">community 2 4</text>" in svg(star(12), "community")
    many = graph([f"Node {n}" for n in range(30)], [], tuple(f"TYPE_{n}" for n in range(15)))
    assert ">and 5 more</text>" in svg(replace(many, total_nodes=99))
    assert ">30 of 99 nodes, 0 relationships</text>" in svg(replace(many, total_nodes=99))
    told = "30 nodes, 0 relationships; 1,236 entities without a relationship are not drawn"
    assert f">{told}</text>" in svg(replace(many, alone=1_236))


def test_loops_parallel_relationships_and_isolated_nodes_are_drawn():
    as_png(svg(graph(["A", "B", "C"], [(0, 0), (0, 1), (0, 1), (1, 0)])))
    as_png(svg(graph(["A", "B", "C"], [])))


@pytest.mark.parametrize(
    "name", [HOSTILE, "$", "$\\frac{$", "北京", "محمد", "🙂", "a" * 500, "line\nbreak", "Skłodowska–Curie"]
)
def test_any_name_can_be_drawn(name):
    with_name, without = (as_png(svg(graph([each, "B"], [(0, 1)]))) for each in (name, ""))
    assert pixels(with_name).sum() < pixels(without).sum() - 20  # letters are dark


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
    assert shorten("x" * 100).endswith("…")
