"""Relationships folded into pairs: counted here one by one, in any order."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.organise.entity_pairs import Entities, EntityPairs, fold

NUMS = [0, 3, 7, 2**51, 2**52 - 1]
Relationship = tuple[int, int, int]  # source, target, rows of evidence
RELATIONSHIPS = st.lists(st.tuples(st.sampled_from(NUMS), st.sampled_from(NUMS), st.integers(1, 9)), max_size=30)


def folded(relationships: list[Relationship]) -> EntityPairs:
    columns = np.array(relationships, np.int64).reshape(-1, 3)
    return fold(columns[:, 0], columns[:, 1], columns[:, 2])


@given(RELATIONSHIPS)
def test_parallel_and_opposite_relationships_are_one_pair(relationships: list[Relationship]) -> None:
    pairs = folded(relationships)
    ends = [(min(source, target), max(source, target)) for source, target, _ in relationships]
    counts = Counter(ends)
    instances: Counter[tuple[int, int]] = Counter()
    for pair, (*_, rows) in zip(ends, relationships, strict=True):
        instances[pair] += rows
    found = list(zip(pairs.smaller.tolist(), pairs.larger.tolist(), strict=True))
    assert found == sorted(counts)
    assert pairs.relationships.tolist() == [counts[pair] for pair in found]
    assert pairs.instances.tolist() == [instances[pair] for pair in found]
    assert list(pairs.rows()) == [(*pair, instances[pair]) for pair in found if pair[0] != pair[1]]
    assert pairs.count == len(list(pairs.rows()))


@given(RELATIONSHIPS, st.integers())
def test_the_order_of_relationships_does_not_show(relationships: list[Relationship], seed: int) -> None:
    shuffled = random.Random(seed).sample(relationships, len(relationships))
    turned = [(target, source, rows) for source, target, rows in shuffled]
    assert folded(turned).digest() == folded(relationships).digest()


def test_what_differs_has_another_digest() -> None:
    some = [[], [(1, 2, 1)], [(1, 2, 2)], [(1, 3, 1)], [(1, 2, 1), (1, 2, 1)], [(1, 2, 1), (1, 3, 1)]]
    assert len({folded(each).digest() for each in some}) == len(some)


@given(RELATIONSHIPS)
def test_degrees_count_relationships_and_one_with_itself_once(relationships: list[Relationship]) -> None:
    groups = {num: num % 2 for num in NUMS}
    counted: Counter[int] = Counter()
    within: Counter[int] = Counter()
    for source, target, _ in relationships:
        for num in {source, target}:
            counted[num] += 1
            within[num] += groups[source] == groups[target]
    assert folded(relationships).degrees() == counted
    assert folded(relationships).degrees(groups) == {num: count for num, count in within.items() if count}
    others = {num: group for num, group in groups.items() if num != NUMS[0]}
    assert folded(relationships).degrees(others) == folded(relationships).degrees({**others, NUMS[0]: 9})


def test_what_is_projected_has_the_heaviest_pair_at_one_and_nothing_that_is_related_to_itself_alone() -> None:
    pairs = folded([(7, 3, 1), (3, 0, 3), (0, 3, 1), (2**51, 2**51, 9)])
    smaller, larger, weights = pairs.projected()
    assert (smaller, larger) == ([0, 3], [3, 7])
    assert weights == pytest.approx([1.0, 0.25], rel=1e-9)
    assert folded([]).projected() == ([], [], [])


def test_hardly_any_two_pairs_weigh_the_same() -> None:
    weights = folded([(one, other, 1) for one in range(60) for other in range(60, 120)]).projected()[2]
    assert len(set(weights)) > 0.999 * len(weights)
    assert max(weights) < min(weights) * (1 + 1e-9)


def test_an_entity_is_found_by_the_number_of_its_node() -> None:
    entities = Entities(np.array([3, 7, 9]), np.array([40, 10, 20]), ["a", "b", "c"], [[], [], []])
    assert entities.nums_of(np.array([20, 40, 10, 30, 50, 0])).tolist() == [9, 3, 7, -1, -1, -1]
    nobody = Entities(np.zeros(0, np.int64), np.zeros(0, np.int64), [], [])
    assert nobody.nums_of(np.array([1, 2])).tolist() == [-1, -1]
