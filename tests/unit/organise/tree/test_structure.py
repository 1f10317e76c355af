"""The stored shape of a tree: read again as it was written, and followed when leaves come and go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kg_neo4j.organise.tree import structure
from kg_neo4j.organise.tree.aspects import load_aspects
from kg_neo4j.organise.tree.clustering import soft_clusters
from kg_neo4j.organise.tree.interface import Leaf
from kg_neo4j.organise.tree.structure import TreeStructure, members_of

ASPECTS = load_aspects()
VECTORS = np.vstack([np.eye(8, dtype=np.float32)[number % 2] + 0.01 * number for number in range(12)]).astype(
    np.float32
)


def leaf(name: str) -> Leaf:
    return Leaf(name, name, 10, 0, 1)


LEAVES = [leaf(f"leaf {number}") for number in range(12)]


@pytest.fixture
def shape() -> TreeStructure:
    clusters, fit = soft_clusters(VECTORS, [10] * 12, most_tokens=60, seed=1)
    assert len(clusters.members) > 1
    return TreeStructure(
        fit,
        ASPECTS,
        members_of(LEAVES, clusters),
        tuple(("plot", "theme") for _ in clusters.members),
        "a model",
        {"plot": ((((0, 0.5), (1, 1.0)),),)},
        ("setting",),
        ("cluster 0: näher",),
    )


def test_what_is_written_is_read_again(shape: TreeStructure) -> None:
    text = structure.write(shape)
    again = structure.read(text)
    assert structure.write(again) == text
    assert again.fit.assign(VECTORS) == shape.fit.assign(VECTORS)
    assert (again.members, again.aspects, again.upper) == (shape.members, shape.aspects, shape.upper)
    assert (again.aspect_set, again.absent, again.flags, again.naming) == (
        ASPECTS,
        ("setting",),
        ("cluster 0: näher",),
        "a model",
    )


def test_cues_are_kept(shape: TreeStructure) -> None:
    law = load_aspects("law")
    assert structure.read(structure.write(replace(shape, aspect_set=law))).aspect_set == law


@pytest.mark.parametrize("text", ["{}", '{"version": 9}', "[]", "null", "no JSON", '{"version": 1, "fit": "{}"}'])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        structure.read(text)


def test_leaves_keep_their_clusters_and_new_ones_are_assigned(shape: TreeStructure) -> None:
    found = shape.clusters_of(LEAVES, VECTORS)
    assert {number: {place for place, _ in members} for number, members in found.items()} == {
        number: {place for place, each in enumerate(LEAVES) if number in dict(shape.members[each.id])}
        for number in found
    }
    new = [*LEAVES[:3], leaf("new"), *LEAVES[3:]]
    vectors = np.vstack([VECTORS[:3], VECTORS[5:6], VECTORS[3:]])
    more = shape.clusters_of(new, vectors)
    assert {number for number, members in more.items() if 3 in dict(members)} == {
        number for number, _ in shape.fit.assign(VECTORS[5:6])[0]
    }
    assert shape.new_leaves(new) == 1


def test_the_aspects_of_a_leaf_come_by_membership_then_the_rare_ones_first(shape: TreeStructure) -> None:
    members = {"leaf 0": ((0, 0.7), (1, 0.3)), "leaf 1": ((1, 1.0),), "leaf 2": ((2, 1.0),)}
    aspects = (("plot", "theme"), ("plot", "style"), ("plot", "character", "theme"))
    found = replace(shape, members=members, aspects=aspects).aspects_of(LEAVES[:3], VECTORS[:3])
    assert found == (("theme", "plot", "style"), ("style", "plot"), ("character", "theme", "plot"))


def test_a_cluster_without_leaves_is_not_there(shape: TreeStructure) -> None:
    number = shape.members["leaf 0"][0][0]
    left = [place for place, each in enumerate(LEAVES) if number not in dict(shape.members[each.id])]
    found = shape.clusters_of([LEAVES[place] for place in left], VECTORS[left])
    assert number not in found
    assert found
