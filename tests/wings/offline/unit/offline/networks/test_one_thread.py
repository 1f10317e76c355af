"""NumPy's BLAS keeps to one thread while somebody asks for it, and no longer. SciPy may have loaded one of its own."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from kg_neo4j_offline.networks import relation_model, trained
from kg_neo4j_offline.networks.trained import one_thread


def blas_threads() -> set[int]:
    loaded = [each for each in threadpool_info() if each["user_api"] == "blas"]
    own = [each for each in loaded if "scipy" not in Path(each["filepath"]).parent.name]
    return {each["num_threads"] for each in own}


@pytest.fixture(autouse=True)
def two_threads() -> object:
    np.ones(2) @ np.ones(2)
    with threadpool_limits(2, user_api="blas"):
        assert blas_threads() == {2}, "the threads of this BLAS cannot be set"
        yield


def test_within_there_is_one_and_afterwards_as_many_as_before() -> None:
    with one_thread():
        assert blas_threads() == {1}
        with one_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_an_error_within_gives_them_back() -> None:
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert blas_threads() == {2}


def test_another_thread_within_leaves_nothing_behind() -> None:
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with one_thread():
            inside.set()
            leave.wait(60)

    other = threading.Thread(target=stay)
    with one_thread():
        other.start()
        assert inside.wait(60)
    leave.set()
    other.join(60)
    assert blas_threads() == {2}


def test_the_relation_model_reads_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []
    model = relation_model.load()
    score = type(model.reader).score

    def watched(*args: object) -> object:
        seen.append(blas_threads())
        return score(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(type(model.reader), "score", watched)
    text = "Marie Curie was born in Warsaw."
    doc = trained.parse(text)
    model.judge(doc, [(0, len(text))], [("PER", [(0, 11)]), ("LOC", [(24, 30)])])
    assert seen == [{1}]


def test_the_pipeline_multiplies_by_numpy_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []
    product = np.dot

    def watched(*args: object, **named: object) -> object:
        seen.append(blas_threads())
        return product(*args, **named)  # type: ignore[call-overload]

    text = "Marie Curie was born in Warsaw."
    trained.process(text)
    monkeypatch.setattr(np, "dot", watched)
    for read in (trained.process, trained.names, trained.parse):
        seen.clear()
        read(text)
        assert len(seen) > 5
        assert set.union(*seen) == {1}, read.__name__
