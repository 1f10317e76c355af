"""Graphs side by side."""

from __future__ import annotations

import io

import pytest

from kg_neo4j.organise.plot_graph import PlotGraph, PlotNode, PlotRelationship
from kg_neo4j.organise.plot_picture import draw

NODES = tuple(PlotNode(num, f"Node {num}", "PERSON", "1", 1) for num in range(2))
FULL = PlotGraph("g", NODES, (PlotRelationship(0, "KNOWS", 1, 1),), 2)
EMPTY = PlotGraph("$1", (), (), 0)


@pytest.mark.parametrize(("count", "across", "down"), [(1, 1, 1), (2, 2, 1), (4, 2, 2), (5, 3, 2)])
def test_panels_stand_in_rows(count: int, across: int, down: int) -> None:
    from matplotlib.image import imread

    picture = imread(io.BytesIO(draw([EMPTY] * count, "png", "type")))
    assert picture.shape[1] / picture.shape[0] == pytest.approx(across * 8 / (down * 5.54), rel=0.01)


def test_a_graph_is_drawn_in_its_own_panel() -> None:
    from matplotlib.image import imread

    picture = imread(io.BytesIO(draw([FULL, EMPTY], "png", "type")))[..., :3]
    middle = picture.shape[1] // 2
    coloured = [
        (half.max(axis=2) - half.min(axis=2) > 0.2).sum() for half in (picture[:, :middle], picture[:, middle:])
    ]
    assert coloured[0] > 1000
    assert coloured[1] == 0


def test_the_same_panels_give_the_same_picture() -> None:
    assert draw([FULL], "png", "community") == draw([FULL], "png", "community")
