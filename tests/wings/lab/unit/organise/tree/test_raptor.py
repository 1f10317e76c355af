"""RAPTOR's own clusters, by the real UMAP: every node in one or more, none too long, the same again."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_neo4j.organise.tree import raptor
from kg_neo4j.organise.tree.fitted import ClusterFit
from kg_neo4j.organise.tree.fitted import read as read_fit
from kg_neo4j.organise.tree.interface import SPHERES, UMAP, Clusters, TreeBuildOptions
from kg_neo4j.organise.tree.stored import SUMMARY
from kg_neo4j.organise.tree.upkeep import clustered_here, options_json, read_options, settled
from kg_neo4j.pipeline.commands.tree import notes_on
from memory_trees import MemoryTrees
from node_clusters import Vectors, check, topics
from tree_runs import saga

PROGRAM = """
import sys
import numpy as np
from kg_neo4j.organise.tree import raptor
assert not {"umap", "numba", "sklearn"} & set(sys.modules)
rows = np.random.default_rng(2).normal(0, 1, (60, 64)).astype(np.float32)
print(raptor.clusters(rows, [100] * 60, most_tokens=2000, seed=1))
"""


def clusters(vectors: Vectors, tokens: int = 100, most: int = 1_000_000, seed: int = 42) -> tuple[Clusters, ClusterFit]:
    return raptor.clusters(vectors, [tokens] * len(vectors), most_tokens=most, seed=seed)


def test_nodes_about_one_thing_are_together() -> None:
    found, fit = clusters(topics(4, 20))
    check(found, 80, [100] * 80, 1_000_000)
    assert [members for members in found.members if len({row // 20 for row in members}) > 1] == []
    assert 4 <= len(found.members) < 40
    for number, members in enumerate(found.members):
        assert {found.members[shares[0][0]][0] // 20 for shares in fit.assign(topics(4, 20)[list(members)])} == {
            found.members[number][0] // 20
        }


def test_the_same_again_in_any_order() -> None:
    vectors = topics(3, 15, noise=0.3)
    order = np.random.default_rng(5).permutation(len(vectors))
    found, fit = clusters(vectors)
    again, moved = clusters(vectors), clusters(vectors[order])[0]
    assert (again[0], again[1].to_json()) == (found, fit.to_json())
    back = sorted(tuple(sorted(int(order[row]) for row in members)) for members in moved.members)
    assert back == list(found.members)


def test_another_process_with_one_thread_gives_the_same_and_prints_no_warning() -> None:
    """UMAP and numba warn of threads and of TensorFlow, which is nothing to a user."""
    ran = subprocess.run(
        [sys.executable, "-W", "always", "-c", PROGRAM],
        env={"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == ""
    rows = np.random.default_rng(2).normal(0, 1, (60, 64)).astype(np.float32)
    assert ran.stdout == f"{raptor.clusters(rows, [100] * 60, most_tokens=2000, seed=1)}\n"


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 11])
def test_too_few_nodes_to_divide_are_one_cluster(count: int) -> None:
    found, _ = clusters(topics(1, count, noise=0.3))
    assert found.members == ((tuple(range(count)),) if count else ())


@pytest.mark.parametrize("count", [2, 3, 4, 5, 11, 40])
def test_a_cluster_that_is_too_long_is_divided(count: int) -> None:
    """RAPTOR's code would not come to an end for eleven nodes and fewer."""
    for vectors in (topics(1, count, noise=0.3), np.ones((count, 8), np.float32), np.zeros((count, 8), np.float32)):
        found, _ = clusters(vectors, tokens=100, most=150)
        check(found, count, [100] * count, 150)
        assert {len(members) for members in found.members} == {1}


def test_two_nodes_that_are_too_long_together_are_cut_in_the_order_of_the_text() -> None:
    found, _ = raptor.clusters(topics(1, 2), [50, 5_000], most_tokens=1_000, seed=1)
    assert found.members == ((0,), (1,))


def test_a_further_vector_joins_the_nearest_cluster_alone() -> None:
    vectors = topics(3, 20)
    found, fit = clusters(vectors)
    for odd in (np.zeros((1, 32)), -np.ones((1, 32)), np.full((1, 32), 1e30)):
        (shares,) = fit.assign(odd.astype(np.float32))
        assert [probability for _, probability in shares] == [1.0]
    means = [vectors[list(members)].mean(axis=0) for members in found.members]
    cosines = [float(vectors[0] @ mean / np.linalg.norm(mean)) for mean in means]
    assert fit.assign(vectors[:1]) == (((int(np.argmax(cosines)), 1.0),),)


def test_a_stored_fit_gives_the_same_to_the_bit() -> None:
    _, fit = clusters(topics(4, 15, noise=0.25))
    again = read_fit(fit.to_json())
    others = topics(6, 7, noise=0.5, seed=3)
    assert again.to_json() == fit.to_json()
    assert again.assign(others) == fit.assign(others)
    with pytest.raises(ValueError, match="8 dimensions; those of the tree have 32"):
        again.assign(np.zeros((1, 8), dtype=np.float32))
    empty = clusters(np.zeros((0, 0), dtype=np.float32))[1]
    assert read_fit(empty.to_json()).assign(others) == ((),) * len(others)
    for text in ('{"version": 1, "nearest": [[2], "AAAA"]}', '{"version": 1, "nearest": [[2], "AAAAAAAAAAA="]}'):
        with pytest.raises(ValueError, match="cannot be read"):
            read_fit(text)


def test_arrays_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(ValueError, match="10 vectors with 9"):
        raptor.clusters(topics(2, 5), [1] * 9, most_tokens=10, seed=1)


@settings(max_examples=10, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(-2, 2), min_size=4, max_size=4), min_size=1, max_size=30),
    tokens=st.lists(st.integers(0, 400), min_size=30, max_size=30),
    most=st.integers(1, 2_000),
)
def test_any_nodes_have_clusters_that_fit(rows: list[list[int]], tokens: list[int], most: int) -> None:
    """Many equal rows, few dimensions, any lengths: always an end, no error, no warning."""
    found, fit = raptor.clusters(np.array(rows, dtype=np.float32), tokens[: len(rows)], most_tokens=most, seed=1)
    check(found, len(rows), tokens, most)
    assert all(len(shares) == 1 for shares in fit.assign(np.array(rows, dtype=np.float32)))


def test_the_tree_named_raptor_has_them_where_umap_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    new = settled(TreeBuildOptions(name="raptor"), None, "e/256", "approximate-1", "the tree")
    here = clustered_here(new)
    assert here.clustering == UMAP
    assert read_options(options_json(here), "raptor", here.aspects) == here
    assert settled(TreeBuildOptions(name="raptor"), here, "e/256", "approximate-1", "the tree") == here
    narrative = settled(TreeBuildOptions(), None, "e/256", "approximate-1", "the tree")
    assert clustered_here(narrative) == narrative
    monkeypatch.setitem(sys.modules, "umap", None)  # as where it is not installed
    assert clustered_here(here) == new


def test_a_raptor_tree_keeps_its_clusters_until_it_is_rebuilt_and_is_updated_without_umap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trees, paragraphs = MemoryTrees(), list(saga()[:60])
    lamp = trees.tell("lamp", paragraphs)
    with monkeypatch.context() as hidden:
        hidden.setitem(sys.modules, "umap", None)  # as where it is not installed
        first = trees.build(lamp, name="raptor")
        assert first.options.clustering == SPHERES
        assert "`pip install 'kg-neo4j[raptor]'`" in notes_on("raptor", [first])[0]
    kept = trees.build(lamp, name="raptor")
    assert (kept.changes, kept.options.clustering) == (0, SPHERES)
    assert "--rebuild uses UMAP" in notes_on("raptor", [kept])[0]
    rebuilt = trees.build(lamp, name="raptor", rebuild=True)
    assert rebuilt.options.clustering == UMAP
    assert "as in RAPTOR" in notes_on("raptor", [rebuilt])[0]
    assert rebuilt.summaries != first.summaries
    before = trees.stored(lamp, "raptor")
    assert trees.build(lamp, name="raptor", rebuild=True).changes == 0
    paragraphs[7:9] = ["The bell of Skarnes rang by itself, and a storm came up from the sea."]
    trees.tell("lamp", paragraphs)
    with monkeypatch.context() as hidden:
        hidden.setitem(sys.modules, "umap", None)
        updated = trees.build(lamp, name="raptor")
        assert (updated.unfinished, updated.options.clustering, updated.new_leaves) == ("", UMAP, 1)
        [new] = [row["id"] for row in trees.chunks(lamp["id"]) if row["text"] == paragraphs[7]]
        assert any(new in [link[0] for link in node.links] for node in trees.nodes(lamp, SUMMARY, "raptor"))
        assert trees.build(lamp, name="raptor").changes == 0
    trees.tell("lamp", saga()[:60])
    trees.build(lamp, name="raptor")
    assert trees.stored(lamp, "raptor") == before
