"""Shards are ranges of a manifest: the same for every machine, worker and part."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j_scale.engines import shards
from kg_neo4j_scale.engines.shards import LARGE_SHARD_BYTES, SHARD_BYTES, SHARDS, Shard, limit_of, part, plan
from kg_neo4j_scale.manifest import Entry


def entries(sizes: list[int]) -> list[Entry]:
    return [Entry(f"{number}.txt", f"/docs/{number}.txt", size, f"{size:064}") for number, size in enumerate(sizes)]


def planned(found: list[Entry], limit: int = SHARD_BYTES) -> list[Shard]:
    return list(plan(found, (), graph="g", shaped_by="c", limit=limit))


@given(st.lists(st.integers(0, 3 * SHARD_BYTES), max_size=40))
def test_every_document_is_in_one_shard_in_order_and_no_shard_is_too_large(sizes: list[int]) -> None:
    found = planned(entries(sizes))
    assert [entry for shard in found for entry in shard.entries] == entries(sizes)
    assert all(shard.size <= SHARD_BYTES or len(shard.entries) == 1 for shard in found)
    assert len({shard.name for shard in found}) == len(found)
    for before, after in itertools.pairwise(found):
        assert before.size + after.entries[0].size > SHARD_BYTES


@given(st.lists(st.integers(0, 9_000), max_size=60), st.integers(1, 7))
def test_parts_are_the_whole(sizes: list[int], count: int) -> None:
    whole = planned(entries(sizes))
    some = [shard for number in range(count) for shard in part(iter(whole), (number + 1, count))]
    assert sorted(shard.name for shard in some) == sorted(shard.name for shard in whole)


def test_a_name_depends_on_the_documents_and_on_what_shapes_the_file() -> None:
    found = entries([10, 20])
    (same,), (again,) = planned(found), planned(found)
    (other,) = planned(entries([10, 21]))
    (shaped,) = plan(found, (), graph="g", shaped_by="d", limit=SHARD_BYTES)
    (graph,) = plan(found, (), graph="h", shaped_by="c", limit=SHARD_BYTES)
    assert same == again
    assert len({same.name, other.name, shaped.name, graph.name}) == 4


def test_many_small_documents_do_not_make_one_endless_shard() -> None:
    assert [len(shard.entries) for shard in planned(entries([1] * 2_500))] == [1_000, 1_000, 500]


def test_shards_grow_with_the_work_up_to_a_bound() -> None:
    large = shards.SHARD_BYTES * SHARDS
    assert limit_of(entries([large])) == SHARD_BYTES
    assert limit_of(entries([large, 1])) == 2 * SHARD_BYTES
    assert limit_of(entries([large * 1_000])) == LARGE_SHARD_BYTES
