"""Vectors of a tree that are paid for: planned without them, made once, also by a run that was stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kg_neo4j._models.embedding import Vectors
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding
from memory_trees import MemoryTrees, by, scripted
from tree_runs import saga


class Paid(HashedEmbedding):
    """Counts how often each text is embedded."""

    name = "paid-1"

    def __init__(self) -> None:
        super().__init__()
        self.texts: Counter[str] = Counter()

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts.update(texts)
        return np.asarray(super().embed(texts))


def test_vectors_that_are_paid_for_are_made_once() -> None:
    trees, paid = MemoryTrees(), Paid()
    how = {"embedder": paid, "keeps_vectors": True}
    whole = trees.tell("saga", ["\n\n".join(saga()[at : at + 10]) for at in range(0, 60, 10)])
    plan = trees.plan(whole, by(scripted()), **how)
    assert plan.are_passages
    assert plan.is_simulated
    assert not paid.texts
    stopped = trees.build(whole, by(scripted(answers=40)), **how)
    assert stopped.unfinished
    assert stopped.changes == 0
    [kept] = trees.vectors.values()
    assert len(kept) == paid.texts.total() > 0
    done = trees.build(whole, by(scripted()), **how)
    assert done.unfinished == ""
    assert set(paid.texts.values()) == {1}
    assert {len(node.vector) for node in trees.stored(whole).nodes.values()} == {paid.dimension}
    assert trees.vectors == {}
    texts = paid.texts.total()
    assert trees.build(whole, by(scripted()), **how).changes == 0
    assert paid.texts.total() == texts
