from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.organise.communities import Level, hierarchy, numbers
from labels import cells

NESTED = {1: (10, 7), 2: (10, 7), 3: (11, 7), 4: (12, 8), 5: (12, 8)}  # finest first


def members(level: Level) -> list[tuple[int, ...]]:
    return [community.members for community in level]


def test_levels_come_coarsest_first_and_larger_communities_before_smaller() -> None:
    coarse, fine = hierarchy("g", cells(NESTED))
    assert members(coarse) == [(1, 2, 3), (4, 5)]
    assert members(fine) == [(1, 2), (4, 5), (3,)]
    assert [each.level for each in (*coarse, *fine)] == [0, 0, 1, 1, 1]


def test_every_finer_community_has_the_parent_that_holds_it() -> None:
    coarse, fine = hierarchy("g", cells(NESTED))
    assert [each.parent_id for each in coarse] == [None, None]
    assert [each.parent_id for each in fine] == [coarse[0].id, coarse[1].id, coarse[0].id]


def test_a_community_that_the_coarser_level_divides_is_cut() -> None:
    coarse, fine = hierarchy("g", cells({1: (5, 1), 2: (5, 2), 3: (6, 1)}))
    assert members(coarse) == [(1, 3), (2,)]
    assert members(fine) == [(1,), (2,), (3,)]


def test_a_level_that_divides_nothing_further_is_left_out() -> None:
    assert len(hierarchy("g", cells({1: (9, 5, 5), 2: (9, 5, 5), 3: (8, 4, 4)}))) == 1


def test_ids_tell_levels_and_members_apart_and_nothing_else() -> None:
    coarse, fine = hierarchy("g", cells(NESTED))
    assert coarse[1].members == fine[1].members
    assert coarse[1].id != fine[1].id
    ids = [each.id for each in (*coarse, *fine)]
    assert len(set(ids)) == 5
    relabelled = {num: tuple(label * 3 + 1 for label in labels) for num, labels in reversed(NESTED.items())}
    assert [each.id for level in hierarchy("g", cells(relabelled)) for each in level] == ids


def test_an_id_stays_what_it_was() -> None:
    """Exports, reports and answers name communities by it."""
    for each in (each for level in hierarchy("g", cells(NESTED)) for each in level):
        assert each.id == hash_id("community", str(each.level), *map(str, each.members))
    assert hierarchy("g", {(0,): [2, 1]})[0][0].id == "63ae408cc6ad5eb407f1c203e9b9f1ea"


def test_no_nodes_give_no_levels_and_nodes_alone_one() -> None:
    assert hierarchy("g", {}) == ()
    (level,) = hierarchy("g", {(3,): [3], (1,): [1]})
    assert members(level) == [(1,), (3,)]


@given(st.integers(1, 40), st.integers(1, 5), st.randoms(use_true_random=False))
def test_every_level_partitions_the_nodes_and_refines_the_one_before(
    nodes: int, depth: int, draw: random.Random
) -> None:
    labels = {num: tuple(draw.randrange(4) for _ in range(depth)) for num in range(nodes)}
    levels = hierarchy("g", cells(labels))
    for number, level in enumerate(levels):
        assert sorted(num for each in level for num in each.members) == list(range(nodes))
        if number:
            parents = {each.id: set(each.members) for each in levels[number - 1]}
            assert all(set(each.members) <= parents[each.parent_id or ""] for each in level)
            assert len(level) > len(levels[number - 1])


def level_of(*groups: tuple[int, ...]) -> Level:
    return hierarchy("g", {(label,): group for label, group in enumerate(groups)})[0]


def test_without_a_former_run_numbers_are_ranks() -> None:
    assert numbers((level_of((1, 2), (3,)), level_of((1,), (2,), (3,))), ()) == ((1, 2), (1, 2, 3))
    assert numbers((), ()) == ()


def test_a_number_goes_where_most_of_the_former_members_are() -> None:
    former = {1: 8, 2: 8, 3: 8, 4: 2, 5: 2}
    assert numbers((level_of((1, 2, 9), (3, 4, 5)),), (former,)) == ((8, 2),)
    assert numbers((level_of((1,), (2,), (3,), (4, 5)),), (former,)) == ((2, 9, 10, 11),)  # nobody has most of 8


def test_of_two_that_merge_the_larger_gives_its_number_and_then_the_smaller_number() -> None:
    assert numbers((level_of((1, 2, 3, 4, 5)),), ({1: 8, 2: 8, 3: 8, 4: 2, 5: 2},)) == ((8,),)
    assert numbers((level_of((1, 2, 3, 4)),), ({1: 8, 2: 8, 3: 2, 4: 2},)) == ((2,),)


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=20),
    st.dictionaries(st.integers(0, 25), st.integers(1, 5)),
)
def test_no_two_communities_of_a_level_have_one_number(labels: list[int], former: dict[int, int]) -> None:
    level = hierarchy("g", cells({num: (label,) for num, label in enumerate(labels)}))[0]
    (found,) = numbers((level,), (former,))
    assert len(set(found)) == len(level)
    assert numbers((level,), ({num: n for n, each in zip(found, level, strict=True) for num in each.members},)) == (
        found,
    )
