"""Soft clusters of nodes: every node in one or more, none too long, the same again from what was stored."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.clustering import require_scikit_learn, soft_clusters
from kg_neo4j.organise.tree.fitted import ClusterFit
from kg_neo4j.organise.tree.fitted import read as read_fit
from kg_neo4j.organise.tree.interface import Clusters
from node_clusters import Vectors, check, topics


def clusters(vectors: Vectors, tokens: int = 100, most: int = 1_000_000, seed: int = 42) -> tuple[Clusters, ClusterFit]:
    return soft_clusters(vectors, [tokens] * len(vectors), most_tokens=most, seed=seed)


def assigned(fit: ClusterFit, vectors: Vectors) -> Clusters:
    """Return the clusters that a fit puts rows into, in the form that they were found in."""
    found: dict[int, list[tuple[int, float]]] = {}
    for row, shares in enumerate(fit.assign(vectors)):
        for number, probability in shares:
            found.setdefault(number, []).append((row, probability))
    numbers = sorted(found)
    assert numbers == list(range(len(numbers)))
    return Clusters(
        tuple(tuple(row for row, _ in found[number]) for number in numbers),
        tuple(tuple(probability for _, probability in found[number]) for number in numbers),
    )


def test_nodes_about_one_thing_are_together() -> None:
    found, _ = clusters(topics(5, 12))
    assert [members for members in found.members if len({row // 12 for row in members}) > 1] == []
    assert all(
        any(set(range(topic * 12, topic * 12 + 12)) >= set(each) for each in found.members) for topic in range(5)
    )
    assert len(found.members) < 20


def test_a_node_between_two_things_is_in_both() -> None:
    vectors = topics(2, 20, noise=0.12)
    between = vectors[[0, 20]].sum(axis=0, keepdims=True)
    rows = np.concatenate([vectors, between / np.linalg.norm(between)]).astype(np.float32)
    found, _ = clusters(rows)
    others = [set(members) - {40} for members in found.members if 40 in members]
    assert any(min(each, default=99) < 20 for each in others)
    assert any(max(each, default=0) >= 20 for each in others)


def test_the_fit_gives_the_same_clusters_again() -> None:
    vectors = topics(4, 15, noise=0.25)
    found, fit = clusters(vectors, most=900)
    assert assigned(fit, vectors) == found


def test_a_stored_fit_gives_the_same_to_the_bit() -> None:
    vectors, others = topics(4, 15, noise=0.25), topics(6, 7, noise=0.5, seed=3)
    _, fit = clusters(vectors, most=900)
    text = fit.to_json()
    again = read_fit(text)
    assert again.to_json() == text
    assert again.assign(others) == fit.assign(others)


def test_a_row_goes_where_it_goes_alone() -> None:
    vectors = topics(4, 15, noise=0.25)
    _, fit = clusters(vectors)
    assert fit.assign(vectors) == tuple(fit.assign(vectors[[row]])[0] for row in range(len(vectors)))


def test_a_further_vector_joins_its_like() -> None:
    vectors = topics(3, 20)
    found, fit = clusters(vectors[1:])
    (numbers,) = ([number for number, _ in shares] for shares in fit.assign(vectors[:1]))
    assert {row // 20 for number in numbers for row in (np.array(found.members[number]) + 1)} == {0}


def test_a_vector_like_no_other_has_a_cluster_too() -> None:
    _, fit = clusters(topics(3, 20))
    for odd in (np.zeros((1, 32)), -np.ones((1, 32)), np.full((1, 32), 1e30)):
        (shares,) = fit.assign(odd.astype(np.float32))
        assert shares


def test_another_order_of_rows_gives_the_same_clusters() -> None:
    vectors = topics(5, 12, noise=0.3)
    order = np.random.default_rng(5).permutation(len(vectors))
    found, _ = clusters(vectors, most=800)
    moved, _ = clusters(vectors[order], most=800)
    back = sorted(tuple(sorted(int(order[row]) for row in members)) for members in moved.members)
    assert back == list(found.members)


PROGRAM = """
import numpy as np
from kg_neo4j.organise.tree.clustering import soft_clusters
random = np.random.default_rng(2)
rows = random.normal(0, 1, (300, 256)).astype(np.float32)
_, fit = soft_clusters(rows, [100] * 300, most_tokens=2000, seed=1)
import hashlib
print(hashlib.sha256(fit.to_json().encode()).hexdigest())
"""


def test_the_number_of_threads_does_not_matter() -> None:
    said = set()
    for threads in ("1", "4"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**dict.fromkeys(names, threads), "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        said.add(ran.stdout)
    assert len(said) == 1


def test_clusters_with_the_same_members_are_one() -> None:
    """On a line two spheres of different size may hold the same nodes: found by trying."""
    random = np.random.default_rng(29)
    count, _ = int(random.integers(5, 30)), random.integers(1, 4)
    vectors = random.normal(size=(count, 1)).astype(np.float32)
    found, fit = soft_clusters(vectors, [10] * count, most_tokens=int(random.choice([60, 100, 1000])), seed=1)
    led_to = [way for step in json.loads(fit.to_json())["steps"] for way in step["children"] if way[0] == "cluster"]
    assert len(led_to) > len({number for _, number in led_to})
    assert len(set(found.members)) == len(found.members)
    assert {number for _, number in led_to} == set(range(len(found.members)))


def test_a_cluster_that_is_too_long_is_divided() -> None:
    vectors = topics(1, 40, noise=0.05)
    assert max(len(members) for members in clusters(vectors)[0].members) > 10
    found, fit = clusters(vectors, tokens=100, most=1_000)
    check(found, 40, [100] * 40, 1_000)
    assert assigned(fit, vectors) == found


def test_equal_vectors_are_divided_by_order() -> None:
    vectors = np.ones((20, 16), dtype=np.float32)
    found, fit = clusters(vectors, tokens=100, most=600)
    assert found.members == ((0, 1, 2, 3, 4), (5, 6, 7, 8, 9), (10, 11, 12, 13, 14), (15, 16, 17, 18, 19))
    assert all(len(shares) == 1 for shares in fit.assign(vectors))


def test_equal_vectors_that_fit_are_one_cluster() -> None:
    for rows in (np.ones((30, 16)), np.zeros((30, 16)), np.full((30, 16), 1e-30), np.ones((30, 1))):
        found, fit = clusters(rows.astype(np.float32))
        assert found == Clusters((tuple(range(30)),), ((1.0,) * 30,))
        assert fit.assign(rows.astype(np.float32)) == (((0, 1.0),),) * 30


def test_a_node_longer_than_a_cluster_stands_alone() -> None:
    found, _ = soft_clusters(topics(1, 3), [50, 5_000, 50], most_tokens=1_000, seed=1)
    check(found, 3, [50, 5_000, 50], 1_000)
    assert (1,) in found.members


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8])
def test_few_nodes_are_few_clusters(count: int) -> None:
    vectors = topics(1, count, noise=0.3)
    found, fit = clusters(vectors)
    check(found, count, [100] * count, 1_000_000)
    assert len(found.members) <= max(1, count // 2)
    assert assigned(fit, vectors) == found


def test_no_nodes_have_no_clusters() -> None:
    for empty in (np.zeros((0, 16), dtype=np.float32), np.zeros((0, 0), dtype=np.float32)):
        found, fit = clusters(empty)
        assert found == Clusters((), ())
        assert read_fit(fit.to_json()).assign(empty) == ()


def test_what_is_no_vector_is_refused() -> None:
    good = topics(2, 5)
    with pytest.raises(ValueError, match="not a number"):
        clusters(np.full((3, 4), np.nan, dtype=np.float32))
    with pytest.raises(ValueError, match="two dimensions"):
        clusters(np.zeros(4, dtype=np.float32))
    with pytest.raises(ValueError, match="10 vectors with 9"):
        soft_clusters(good, [1] * 9, most_tokens=10, seed=1)
    with pytest.raises(ValueError, match="those of the tree have 32"):
        clusters(good)[1].assign(np.zeros((1, 8), dtype=np.float32))


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"version": 2}', '{"version": 1, "steps": []}', "1"])
def test_a_text_that_is_no_fit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        read_fit(text)


def test_a_fit_that_leads_back_to_itself_is_refused() -> None:
    text = clusters(topics(3, 20))[1].to_json()
    with pytest.raises(ValueError, match="not below it"):
        read_fit(text.replace('["cluster",1]', '["step",0]'))


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(-2, 2), min_size=4, max_size=4), min_size=1, max_size=40),
    tokens=st.lists(st.integers(0, 400), min_size=40, max_size=40),
    most=st.integers(1, 2_000),
    seed=st.integers(0, 3),
)
def test_any_nodes_have_clusters_that_fit(rows: list[list[int]], tokens: list[int], most: int, seed: int) -> None:
    """Many equal rows, few dimensions, any lengths: always an end, no error, no warning."""
    vectors = np.array(rows, dtype=np.float32)
    lengths = tokens[: len(rows)]
    found, fit = soft_clusters(vectors, lengths, most_tokens=most, seed=seed)
    check(found, len(rows), lengths, most)
    assert soft_clusters(vectors, lengths, most_tokens=most, seed=seed)[0] == found
    assert read_fit(fit.to_json()).assign(vectors) == fit.assign(vectors)
    assert all(shares for shares in fit.assign(vectors))


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    require_scikit_learn()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UsageError) as error:
        require_scikit_learn()
    assert error.value.hint == "pip install 'kg-neo4j[tree]'"


def test_importing_it_imports_no_scikit_learn() -> None:
    program = "import sys; import kg_neo4j.organise.tree.clustering; print('sklearn' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
