from __future__ import annotations

import itertools

import numpy as np
import pytest

from kg_neo4j.errors import NotEnoughMemory
from kg_neo4j.organise import client_analytics, communities
from kg_neo4j.organise.client_analytics import ClientProjection
from kg_neo4j.organise.entity_pairs import EntityPairs, fold


def pairs_of(*pairs: tuple[int, int]) -> EntityPairs:
    sources, targets = np.array(pairs).T
    return fold(sources, targets, np.ones(len(pairs), np.int64))


def two_cliques() -> EntityPairs:
    """Return 1 to 5 all related, 11 to 15 likewise, the way 5 - 11, and 7 that is related to itself alone."""
    within = [pair for begin in (1, 11) for pair in itertools.combinations(range(begin, begin + 5), 2)]
    return pairs_of(*within, (5, 11), (7, 7))


def test_two_cliques_are_two_communities_and_one_way_holds_them_together() -> None:
    here = ClientProjection(two_cliques())
    assert sorted(here.leiden(42).values()) == [[1, 2, 3, 4, 5], [11, 12, 13, 14, 15]]
    assert here.bridges() == ((5, 11),)
    assert {num: value for num, value in here.betweenness(42).items() if value} == {5: 20, 11: 20}
    found = here.structure()
    assert {num for num, each in found.items() if each.articulation} == {5, 11}
    assert {(each.core, each.triangles) for each in found.values()} == {(4, 6)}
    assert (found[1].clustering, found[5].clustering) == (1.0, 0.6)
    assert len({each.component for each in found.values()}) == 1
    assert 7 not in found


def test_the_ranks_of_a_star_are_those_of_its_equations() -> None:
    """r = 0.15 + 0.85 * 4 * s and s = 0.15 + 0.85 * r / 4."""
    ranks = ClientProjection(pairs_of((1, 2), (1, 3), (1, 4), (1, 5))).pagerank()
    middle = (0.15 + 0.85 * 4 * 0.15) / (1 - 0.85**2)
    assert ranks[1] == pytest.approx(middle, abs=1e-5)
    assert ranks[2] == pytest.approx(0.15 + 0.85 * middle / 4, abs=1e-5)


def test_levels_divide_what_is_large_and_leave_what_is_small() -> None:
    """A ring of nine cliques of six, and a pair that nothing leads to."""
    cliques = [pair for one in range(9) for pair in itertools.combinations(range(6 * one, 6 * one + 6), 2)]
    ring = [(6 * one + 5, 6 * ((one + 1) % 9)) for one in range(9)]
    cells = ClientProjection(pairs_of(*cliques, *ring, (100, 101))).leiden(42)
    levels = communities.hierarchy("graph", cells)
    assert sorted(num for each in levels[0] for num in each.members) == [*range(54), 100, 101]
    assert {each.members for each in levels[-1]} == {
        *(tuple(range(6 * one, 6 * one + 6)) for one in range(9)),
        (100, 101),
    }


def test_a_sample_of_beginnings_repeats_and_finds_fewer_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    here = ClientProjection(two_cliques())
    monkeypatch.setattr(client_analytics.projection, "EXACT_BETWEENNESS_NODES", 9)
    monkeypatch.setattr(client_analytics.projection, "BETWEENNESS_SAMPLES", 5)
    first = here.betweenness(42)
    assert here.betweenness(42) == first
    assert 0 < sum(first.values()) < 40


def test_more_pairs_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_analytics, "MOST_PAIRS", 20)
    with pytest.raises(NotEnoughMemory, match="21 pairs; without GDS at most 20"):
        ClientProjection(two_cliques())
