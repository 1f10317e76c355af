"""How good a ranking of passages is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def recall(scores: np.ndarray, gold: Sequence[Sequence[int]], most: int) -> float:
    """Return how many of the right passages are among the first `most`, in %, averaged over the questions."""
    first = np.argsort(-scores, axis=1, kind="stable")[:, :most]
    found = [len(set(own) & set(row.tolist())) / len(set(own)) for own, row in zip(gold, first, strict=True)]
    return 100 * float(np.mean(found))


def agreement(scores: np.ndarray, others: np.ndarray, most: int = 10) -> float:
    """Return how many of the first `most` two rankings have in common, in %."""
    one, other = (np.argsort(-each, axis=1, kind="stable")[:, :most] for each in (scores, others))
    shared = [len(set(a.tolist()) & set(b.tolist())) / most for a, b in zip(one, other, strict=True)]
    return 100 * float(np.mean(shared))
