"""Graphs side by side."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path

import numpy as np
import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.plot_graph import PlotGraph, PlotNode, PlotRelationship
from kg_neo4j_lab.graph_panels import check, draw_side_by_side

NODES = tuple(PlotNode(num, f"Node {num}", "PERSON", "1", 1) for num in range(2))
FULL = PlotGraph("g", NODES, (PlotRelationship(0, "KNOWS", 1, 1),), 2)
EMPTY = PlotGraph("$1", (), (), 0)


@pytest.mark.parametrize(("count", "across", "down"), [(1, 1, 1), (2, 2, 1), (4, 2, 2), (5, 3, 2)])
def test_panels_stand_in_rows(count: int, across: int, down: int) -> None:
    from matplotlib.image import imread

    picture = imread(io.BytesIO(draw_side_by_side([EMPTY] * count)))
    assert picture.shape[1] / picture.shape[0] == pytest.approx(across * 8 / (down * 5.54), rel=0.01)


def test_a_graph_is_drawn_in_its_own_panel() -> None:
    from matplotlib.image import imread

    picture = imread(io.BytesIO(draw_side_by_side([FULL, EMPTY])))[..., :3]
    middle = picture.shape[1] // 2
    coloured = [
        (half.max(axis=2) - half.min(axis=2) > 0.2).sum() for half in (picture[:, :middle], picture[:, middle:])
    ]
    assert coloured[0] > 1000
    assert coloured[1] == 0


def test_a_graph_with_more_nodes_takes_more_of_its_panel_and_its_nodes_have_the_same_size() -> None:
    from matplotlib.image import imread

    def made(size: int) -> PlotGraph:
        nodes = tuple(PlotNode(num, "", "PERSON", "1", 1) for num in range(size))
        return PlotGraph("", nodes, tuple(PlotRelationship(at, "KNOWS", at + 1, 1) for at in range(0, size, 2)), size)

    picture = imread(io.BytesIO(draw_side_by_side([made(40), made(400)])))[100:, :, :3]  # without the legends
    middle = picture.shape[1] // 2
    places = [
        np.argwhere(half.max(axis=2) - half.min(axis=2) > 0.2) for half in (picture[:, :middle], picture[:, middle:])
    ]
    small, large = (np.prod(np.ptp(each, axis=0)) for each in places)
    assert large > 4 * small
    assert len(places[1]) == pytest.approx(10 * len(places[0]), rel=0.1)  # ten times the nodes, ten times the colour


def test_the_same_panels_give_the_same_picture() -> None:
    assert draw_side_by_side([FULL]) == draw_side_by_side([FULL])


def test_a_file_that_cannot_be_drawn_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(tmp_path / "graphs.PNG")
    with pytest.raises(UsageError, match="cannot draw several graphs"):
        check(tmp_path / "graphs.svg")
    with pytest.raises(UsageError, match="no folder"):
        check(tmp_path / "absent" / "graphs.png")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="matplotlib") as caught:
        check(tmp_path / "graphs.png")
    assert caught.value.hint == "pip install 'kg-neo4j[lab]'"
