"""Recall, all-gold, and reciprocal rank of rankings, with intervals by resampling questions. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kg_neo4j_lab.retrieval.questions import GoldQuestion

RESAMPLES = 2_000
SEED = 20_260


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one way of searching gave for one question, best first, and how long it took."""

    numbers: tuple[int, ...]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RetrievalScore:
    """The means over all questions, 0 to 1. Keys are depths."""

    recall: Mapping[int, float]
    interval: Mapping[int, tuple[float, float]]  # 95 %, of recall
    all_gold: Mapping[int, float]  # share of questions of which every passage is there
    all_gold_interval: Mapping[int, tuple[float, float]]  # 95 %, likewise
    mrr: float  # of the first passage that is needed
    p50_ms: float
    p95_ms: float
    types: Mapping[str, Mapping[int, float]] = field(default_factory=dict)  # recall of the questions of each type


@dataclass(frozen=True, slots=True)
class RecallDifference:
    """How much more recall one way has than another on the same questions, in points of 100, with its 95 % interval."""

    points: float
    low: float
    high: float


def recall(question: GoldQuestion, ranking: Ranking, depth: int) -> float:
    """Return the share of the passages needed that are among the first `depth`."""
    return len(question.gold & set(ranking.numbers[:depth])) / len(question.gold)


def recalls_at(questions: Sequence[GoldQuestion], rankings: Sequence[Ranking], depth: int) -> list[float]:
    """Return the recall of each question."""
    return [recall(question, ranking, depth) for question, ranking in zip(questions, rankings, strict=True)]


def score(questions: Sequence[GoldQuestion], rankings: Sequence[Ranking], depths: Sequence[int]) -> RetrievalScore:
    """Return the scores of one way of searching; rankings in the order of the questions, one question at least."""
    recalls = {depth: recalls_at(questions, rankings, depth) for depth in depths}
    whole = {depth: [float(value == 1.0) for value in values] for depth, values in recalls.items()}
    firsts = [
        next((1 / rank for rank, number in enumerate(ranking.numbers, 1) if number in question.gold), 0.0)
        for question, ranking in zip(questions, rankings, strict=True)
    ]
    types: dict[str, dict[int, float]] = {}
    for kind in sorted({question.type for question in questions if question.type}):
        chosen = np.array([question.type == kind for question in questions])
        types[kind] = {depth: float(np.asarray(values)[chosen].mean()) for depth, values in recalls.items()}
    seconds = [ranking.seconds for ranking in rankings]
    return RetrievalScore(
        recall={depth: float(np.mean(values)) for depth, values in recalls.items()},
        interval={depth: interval(values) for depth, values in recalls.items()},
        all_gold={depth: float(np.mean(values)) for depth, values in whole.items()},
        all_gold_interval={depth: interval(values) for depth, values in whole.items()},
        mrr=float(np.mean(firsts)),
        p50_ms=1_000 * float(np.percentile(seconds, 50)),
        p95_ms=1_000 * float(np.percentile(seconds, 95)),
        types=types,
    )


def compare(ours: Sequence[float], theirs: Sequence[float]) -> RecallDifference:
    """Return the difference of two ways on the same questions, given the recall of each question."""
    gained = 100 * (np.asarray(ours) - np.asarray(theirs))
    return RecallDifference(float(gained.mean()), *interval(gained.tolist()))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean, by resampling; one value at least."""
    count = len(values)
    times = np.random.default_rng(SEED).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    means = times @ np.asarray(values, float) / count
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)
