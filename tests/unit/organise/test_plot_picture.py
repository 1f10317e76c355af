"""Pictures and pages of graphs made by hand."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET

import pytest

from kg_neo4j.organise import plot_picture
from kg_neo4j.organise.plot_graph import PALETTE, REST, PlotGraph, PlotNode, PlotRelationship, group_colours, shorten

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


def svg_text(content: bytes) -> str:
    ET.fromstring(content)
    return content.decode("utf-8")


@pytest.mark.parametrize("colour_by", ["type", "community"])
@pytest.mark.parametrize("size", [1, 2, 40])
def test_a_png_of_the_stated_size_comes_out(size, colour_by):
    from matplotlib import image

    pixels = image.imread(io.BytesIO(plot_picture.draw(star(size), "png", colour_by)))
    assert pixels.shape[:2] == (1440, 2080)
    assert pixels[:, :, :3].std() > 0.02  # something is drawn


def test_a_png_is_the_same_twice():
    assert plot_picture.draw(star(12), "png", "type") == plot_picture.draw(star(12), "png", "type")


def test_an_svg_is_well_formed_and_the_same_twice():
    first = plot_picture.draw(star(12), "svg", "type")
    svg_text(first)
    assert first == plot_picture.draw(star(12), "svg", "type")


def test_names_stand_on_the_page_of_an_svg():
    drawn = svg_text(plot_picture.draw(star(12), "svg", "type"))
    page = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawn)
    starts = re.findall(r'<g id="text_\d+">\s*<path d="M ([-.\d]+) ([-.\d]+)', drawn)
    assert page
    assert 12 < len(starts) <= 12 + 11  # names, and the types of relationships that have room
    assert all(0 <= float(at) <= int(end) for start in starts for at, end in zip(start, page.groups(), strict=True))


def test_loops_parallel_relationships_and_isolated_nodes_are_drawn():
    svg_text(plot_picture.draw(graph(["A", "B", "C"], [(0, 0), (0, 1), (0, 1), (1, 0)]), "svg", "type"))
    svg_text(plot_picture.draw(graph(["A", "B", "C"], []), "svg", "type"))


@pytest.mark.parametrize(
    "name", [HOSTILE, "$", "$\\frac{$", "北京", "محمد", "🙂", "a" * 500, "line\nbreak", "Skłodowska–Curie"]
)
def test_any_name_can_be_drawn(name):
    svg_text(plot_picture.draw(graph([name, "B"], [(0, 1)]), "svg", "type"))


def test_names_do_not_overlap_each_other(monkeypatch):
    from matplotlib.figure import Figure

    figures = []
    original = Figure.savefig

    def remember(self, *args, **options):
        figures.append(self)
        return original(self, *args, **options)

    monkeypatch.setattr(Figure, "savefig", remember)
    plot_picture.draw(star(60), "png", "type")
    (figure,) = figures
    renderer = figure.canvas.get_renderer()
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    boxes = [text.get_window_extent(renderer) for text in texts]
    assert len(boxes) > 30
    assert texts[0].get_text() == "Person number 0"
    overlaps = [(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :] if a.shrunk(0.98, 0.9).overlaps(b)]
    assert overlaps == []


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
