"""What analytics wrote before, compared with what is found now."""

from __future__ import annotations

from dataclasses import replace

from kg_neo4j.organise.communities import hierarchy
from kg_neo4j.organise.stored_analytics import Result, StoredCommunity, differences, former_numbers, steps_of
from labels import cells

LABELS = {1: (7, 70), 2: (7, 70), 3: (8, 70), 4: (9, 90)}
NODES = {1: 10, 2: 20}


def stored_of(levels: tuple[tuple[int, ...], ...]) -> dict[str, StoredCommunity]:
    return {
        each.id: StoredCommunity(each.level, number, each.parent_id)
        for level, numbers in zip(hierarchy("g", cells(LABELS)), levels, strict=True)
        for number, each in zip(numbers, level, strict=True)
    }


def places() -> dict[int, str]:
    return {num: each.id for each in hierarchy("g", cells(LABELS))[-1] for num in each.members}


def test_numbers_of_a_former_run_are_found_on_every_level() -> None:
    stored = stored_of(((4, 2), (9, 1, 3)))
    assert former_numbers(stored, places()) == ({1: 4, 2: 4, 3: 4, 4: 2}, {1: 9, 2: 9, 3: 1, 4: 3})
    assert former_numbers({}, {}) == ()


def test_an_entity_that_is_alone_on_the_finest_level_is_in_its_community_of_the_next_coarser_one() -> None:
    whole = hierarchy("g", cells(LABELS))
    levels = tuple(tuple(each for each in level if len(each.members) > 1) for level in whole)
    assert [[each.members for each in level] for level in levels] == [[(1, 2, 3)], [(1, 2)]]
    (coarse,), (fine,) = levels
    result = Result(levels, ((1,), (1,)), {num: (num,) for num in LABELS})
    changes = differences(result, {}, dict.fromkeys(LABELS, ()), {})
    assert dict(changes.places) == {1: fine.id, 2: fine.id, 3: coarse.id}
    assert [row[0] for row in changes.communities] == [coarse.id, fine.id]
    stored = {coarse.id: StoredCommunity(0, 4, None), fine.id: StoredCommunity(1, 9, coarse.id)}
    assert former_numbers(stored, dict(changes.places)) == ({1: 4, 2: 4, 3: 4}, {1: 9, 2: 9})


def test_an_entity_whose_community_is_gone_has_no_former_number() -> None:
    stored = stored_of(((4, 2), (9, 1, 3)))
    assert former_numbers(stored, {1: "gone", 5: None}) == ({}, {})


def test_nothing_differs_from_what_is_stored() -> None:
    numbers = ((1, 2), (1, 2, 3))
    values = {num: (num,) for num in LABELS}
    result = Result(hierarchy("g", cells(LABELS)), numbers, values)
    assert len(differences(result, stored_of(numbers), values, places())) == 0


def test_another_number_is_one_change_and_what_is_no_more_goes() -> None:
    values = {num: (num,) for num in LABELS}
    result = Result(hierarchy("g", cells(LABELS)), ((1, 5), (1, 2, 3)), values)
    stored = {**stored_of(((1, 2), (1, 2, 3))), "old": StoredCommunity(0, 7, None)}
    here = places()
    del here[3]
    changes = differences(result, stored, {**values, 3: (0,)}, here)
    assert [row[1:] for row in changes.communities] == [[0, 5, 1]]
    assert changes.gone == ["old"]
    assert changes.entities == [[3, 3]]
    assert [row[0] for row in changes.places] == [3]
    assert changes.moved == []
    assert len(changes) == 3


def test_only_those_who_have_a_place_leave_it_but_in_a_repeat_all_do() -> None:
    values = {num: (num,) for num in LABELS}
    result = Result(hierarchy("g", cells(LABELS)), ((1, 2), (1, 2, 3)), values)
    fine = result.levels[-1]
    stored = {**stored_of(((1, 2), (1, 2, 3))), fine[0].id: StoredCommunity(1, 1, "another")}
    del stored[fine[1].id]
    here = {**places(), 1: "another"}
    del here[2]
    changes = differences(result, stored, values, here)
    assert (changes.moved, changes.relinked) == ([1], [fine[0].id])
    assert [num for num, _ in changes.places] == [1, 2]
    assert [row[0] for row in changes.parents] == [fine[0].id, fine[1].id]
    steps = list(steps_of(changes, NODES))
    assert steps[:2] == [("leave_communities", [1]), ("unlink_communities", [fine[0].id])]
    assert steps[-1] == ("place_entities", [[fine[0].id, [10, 20], [1, 2]]])
    again = list(steps_of(replace(changes, is_repeat=True), NODES))
    assert again[:2] == [("leave_communities", [1, 2]), ("unlink_communities", [fine[0].id, fine[1].id])]
    assert again[2:] == steps[2:]
