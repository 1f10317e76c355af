"""Where the connected parts of a graph stand: apart from each other, at one size in every graph."""

from __future__ import annotations

import numpy as np
import pytest

from kg_neo4j_lab.packing import pack

STAR = [(0, leaf) for leaf in range(1, 30)]
PATH = [(node, node + 1) for node in range(9)]
PARTS = [*STAR, *((30 + a, 30 + b) for a, b in PATH), (40, 41)]  # and nodes alone from 42 on


def radii(size: int) -> np.ndarray:
    return np.full(size, 0.1)


@pytest.mark.parametrize(("size", "pairs"), [(0, []), (1, []), (7, []), (60, PARTS), (60, [*PARTS, (50, 50)])])
def test_parts_that_are_packed_do_not_overlap(size, pairs):
    points = pack(size, pairs, radii(size), 1.5)
    assert points.shape == (size, 2)
    distances = np.linalg.norm(points[:, None] - points[None, :], axis=2) + np.eye(size) * 9
    assert distances.min(initial=9) > 0.2  # two radii
    assert (points == pack(size, pairs, radii(size), 1.5)).all()


def test_a_part_has_the_same_size_in_a_larger_graph_which_takes_more_room():
    few, many = pack(42, PARTS, radii(42), 1.5), pack(400, PARTS, radii(400), 1.5)
    assert np.ptp(few[:30], axis=0) == pytest.approx(np.ptp(many[:30], axis=0))
    assert np.prod(np.ptp(many, axis=0)) > 2 * np.prod(np.ptp(few, axis=0))
