"""What the teacher and the first student together think of passages that nobody annotated."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
from training.relations import student
from training.relations.passages import Passage
from training.relations.student import Example, Parameters
from training.relations.teacher import Teacher

SHARE = 0.7  # of the teacher in the mean of the log odds
ENTITIES = 40  # of a passage, at most
LONGEST = 3_000  # characters
_LOG = logging.getLogger(__name__)


def is_usable(passage: Passage) -> bool:
    """Tell whether a passage is short enough to be judged as a whole, and has pairs."""
    return 2 <= len(passage.entities) <= ENTITIES and len(passage.text) < LONGEST


def blend(
    teacher: Teacher, net: Parameters, passages: Sequence[Passage], examples: Sequence[Example]
) -> list[np.ndarray]:
    """Return the mean log odds of both for the pairs of each passage."""
    found = []
    second = student.judge(net, examples)
    for number, (passage, example, (_, own)) in enumerate(zip(passages, examples, second, strict=True), start=1):
        sources, targets, _ = example.features.pairs.T
        taught = teacher.judge(passage)[sources, targets]
        found.append((SHARE * taught + (1 - SHARE) * own).astype(np.float32))
        if number % 500 == 0:
            _LOG.info("judged: %d of %d passages", number, len(passages))
    return found


def fit(scores: Sequence[np.ndarray], examples: Sequence[Example]) -> tuple[float, float]:
    """Return the scale and the shift that make log odds fit what is right of annotated passages."""
    every = np.concatenate(scores).ravel().astype(np.float64)
    right = np.concatenate([example.right for example in examples]).ravel()
    some = every > -9
    every, right = every[some], right[some]
    inputs = np.stack([every, np.ones_like(every)])
    weights = np.array([1.0, 0.0])
    for _ in range(50):
        chances = chance(weights @ inputs)
        bend = (inputs * (chances * (1 - chances))) @ inputs.T + np.eye(2) * 1e-3
        weights = weights + np.linalg.solve(bend, inputs @ (right - chances))
    return float(weights[0]), float(weights[1])


def chance(scores: np.ndarray) -> np.ndarray:
    """Return probabilities for log odds."""
    return 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
