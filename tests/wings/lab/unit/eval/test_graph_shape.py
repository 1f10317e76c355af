"""The numbers of a graph's shape, on graphs whose numbers are known."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_lab.variants import measure, modularity

FIRST, SECOND = range(4), range(4, 8)
CLIQUES = [(a, b, 1) for part in (FIRST, SECOND) for a, b in itertools.combinations(part, 2)]
BRIDGE = (3, 4, 1)
PLACES = {num: 1 if num in FIRST else 2 for num in range(8)}


def test_two_cliques_and_a_bridge() -> None:
    shape = measure(PLACES, [*CLIQUES, BRIDGE], 20)
    assert (shape.nodes, shape.relationships, shape.pairs, shape.components, shape.communities) == (8, 20, 13, 1, 2)
    assert shape.density == pytest.approx(13 / 28)
    assert shape.largest == 1
    assert shape.modularity == pytest.approx(12 / 13 - 2 * (13 / 26) ** 2)


def test_without_the_bridge_there_are_two_halves() -> None:
    shape = measure(PLACES, CLIQUES, 12)
    assert (shape.components, shape.largest) == (2, 0.5)
    assert shape.modularity == pytest.approx(0.5)


def test_weights_count() -> None:
    heavy = [(a, b, 5) for a, b, _ in CLIQUES]
    assert (modularity(PLACES, [*heavy, BRIDGE]) or 0) > (modularity(PLACES, [*CLIQUES, BRIDGE]) or 0)


def test_one_community_of_all_has_modularity_nought() -> None:
    assert modularity(dict.fromkeys(range(8), 1), [*CLIQUES, BRIDGE]) == pytest.approx(0)


@pytest.mark.parametrize("places", [{}, {1: 1}, {1: None, 2: None}])
def test_a_graph_without_pairs_has_no_modularity(places: dict[int, int | None]) -> None:
    shape = measure(places, [], 0)
    assert (shape.modularity, shape.density, shape.components) == (None, 0.0, len(places))


def test_a_graph_that_was_not_analysed_has_no_modularity() -> None:
    assert modularity({1: None, 2: 3}, [(1, 2, 1)]) is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9)), max_size=40))
def test_modularity_and_density_are_in_range(pairs: list[tuple[int, int, int]]) -> None:
    unique = {(min(a, b), max(a, b)): weight for a, b, weight in pairs if a != b}
    shape = measure({num: num % 3 for num in range(10)}, [(*ends, weight) for ends, weight in unique.items()], 0)
    assert 0 <= shape.density <= 1
    assert shape.modularity is None or -0.5 <= shape.modularity < 1
