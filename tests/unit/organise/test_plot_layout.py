"""Where nodes stand: deterministic, apart from each other, connected ones near."""

from __future__ import annotations

import numpy as np
import pytest

from kg_neo4j.organise.plot_layout import arrange, lay_out

STAR = [(0, leaf) for leaf in range(1, 30)]
PATH = [(node, node + 1) for node in range(9)]


def radii(size: int, value: float = 0.1) -> np.ndarray:
    return np.full(size, value)


@pytest.mark.parametrize(
    ("size", "pairs"),
    [
        (1, []),
        (2, [(0, 1)]),
        (5, []),
        (30, STAR),
        (60, [(0, leaf) for leaf in range(1, 60)]),
        (150, [(0, leaf) for leaf in range(1, 150)]),
        (10, PATH),
        (3, [(0, 0), (0, 1), (0, 1), (1, 0), (2, 2)]),
        (4, [(a, b) for a in range(4) for b in range(4)]),
        (40, [*STAR, (30, 31), (32, 33)]),
    ],
)
def test_every_node_gets_a_finite_place_of_its_own(size, pairs):
    points = lay_out(size, pairs, radii(size))
    assert points.shape == (size, 2)
    assert np.isfinite(points).all()
    distances = np.linalg.norm(points[:, None] - points[None, :], axis=2) + np.eye(size) * 9
    assert distances.min() > 0.2  # two radii


def test_no_nodes_are_no_error():
    assert lay_out(0, [], radii(0)).shape == (0, 2)


def test_the_same_graph_gets_the_same_places():
    first = lay_out(30, STAR, radii(30))
    assert (first == lay_out(30, STAR, radii(30))).all()
    assert (first == lay_out(30, [(b, a) for a, b in reversed(STAR)], radii(30))).all()


def test_distance_on_paper_follows_steps_in_the_graph():
    points = lay_out(10, PATH, radii(10, 0.05))
    near = np.linalg.norm(points[0] - points[1])
    far = np.linalg.norm(points[0] - points[9])
    assert far > 6 * near


def test_a_path_lies_flat():
    points = lay_out(10, PATH, radii(10, 0.05))
    assert np.ptp(points[:, 0]) > 3 * np.ptp(points[:, 1])


def test_the_centre_of_a_star_is_in_its_middle():
    points = lay_out(30, STAR, radii(30))
    assert np.linalg.norm(points[0] - points[1:].mean(axis=0)) < 0.5


def test_parts_stay_together():
    parts = np.array([0] * 30 + [1] * 2 + [2] * 3)
    points = lay_out(35, [*STAR, (30, 31), (32, 33), (33, 34)], radii(35))
    distances = np.linalg.norm(points[:, None] - points[None, :], axis=2) + np.eye(35) * 9
    assert (parts[distances.argmin(axis=1)] == parts).all()


def planted(parts: int = 6, members: int = 25) -> tuple[list[tuple[int, int]], list[int]]:
    """Return pairs of communities, with a hub that is related to all of them, and the community of each node."""
    random = np.random.default_rng(3)
    of = [node % parts for node in range(parts * members)]
    pairs = [(node, int(random.integers(node // parts)) * parts + of[node]) for node in range(parts, len(of))]
    pairs += [(int(one), int(other)) for one, other in random.integers(len(of), size=(10, 2))]
    hub = len(of)
    return [*pairs, *((hub, int(node)) for node in random.choice(len(of), 40, replace=False))], [*of, 0]


def boxes(size: int) -> np.ndarray:
    return np.tile([0.4, 0.2], (size, 1))


@pytest.mark.parametrize("stored", [True, False])
def test_communities_are_places_of_their_own_and_no_boxes_meet(stored):
    pairs, of = planted()
    points, placed = arrange(pairs, boxes(len(of)), [str(each + 1) if stored else "" for each in of])
    gaps = np.abs(points[:, None] - points[None, :]) - boxes(len(of))[0] * 2
    np.fill_diagonal(gaps[:, :, 0], 1)
    assert gaps.max(axis=2).min() > -0.02
    apart = np.linalg.norm(points[:-1, None] - points[None, :-1], axis=2)
    same = np.equal.outer(of[:-1], of[:-1]) & ~np.eye(len(of) - 1, dtype=bool)
    assert apart[~same].mean() > (3 if stored else 1.7) * apart[same].mean()
    near = apart + np.eye(len(apart)) * 99
    assert (np.array(of)[near.argmin(axis=1)] == of[:-1]).mean() > (0.97 if stored else 0.8)
    assert placed.count(placed[-1]) == 1  # the hub


def test_nodes_of_no_community_are_with_their_neighbours():
    _, placed = arrange([(0, 1), (1, 2), (2, 3), (4, 5)], boxes(7), ["a", "a", "a", "", "b", "b", ""])
    assert placed == [0, 0, 0, 0, 1, 1, 2]


def test_a_long_chain_is_divided_and_a_short_one_is_one_place():
    for size, least in ((10, 1), (60, 5)):
        _, placed = arrange([(node, node + 1) for node in range(size - 1)], boxes(size), [""] * size)
        assert len(set(placed)) >= least
        assert (size > 16) == (len(set(placed)) > 1)
