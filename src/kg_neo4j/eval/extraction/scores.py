"""Precision, recall and F1 from counts, over all and per type, with bootstrap intervals over passages. Pure.

A count holds four numbers, so that sets and clusters are scored alike: what was found and how much of it is right, what
the annotation has and how much of it was found. Shares of nothing are 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 1_000
SEED = 20_260
LEVEL = 0.95  # of the intervals


@dataclass(frozen=True, slots=True)
class Counts:
    """What was found, what there is, and how much of each is right."""

    right: float = 0.0  # of what was found
    found: float = 0.0
    covered: float = 0.0  # of what the annotation has
    gold: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        """Add two counts."""
        return Counts(
            self.right + other.right, self.found + other.found, self.covered + other.covered, self.gold + other.gold
        )


PassageCounts = Mapping[str, Counts]  # type -> counts, of one passage and one measure


@dataclass(frozen=True, slots=True)
class Shares:
    """Precision, recall and their harmonic mean, 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Interval:
    """The 95 % interval of each share, by resampling passages: (low, high)."""

    precision: tuple[float, float]
    recall: tuple[float, float]
    f1: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Score:
    """One measure over all passages. Macro: the plain mean over the types that the annotation has."""

    shares: Shares
    interval: Interval
    counts: Counts
    macro: Shares
    macro_interval: Interval
    types: Mapping[str, tuple[Shares, Counts]] = field(default_factory=dict)  # most frequent in the annotation first


def shares(counts: Counts) -> Shares:
    """Return the shares of one count."""
    precision = counts.right / counts.found if counts.found else 0.0
    recall = counts.covered / counts.gold if counts.gold else 0.0
    return Shares(precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0)


def score(passages: Sequence[PassageCounts]) -> Score:
    """Return the score of one measure, given the counts of every passage; the same input gives the same intervals."""
    import numpy as np

    totals: dict[str, Counts] = {}
    for passage in passages:
        for kind, counts in passage.items():
            totals[kind] = totals.get(kind, Counts()) + counts
    kinds = sorted(totals, key=lambda kind: (-totals[kind].gold, -totals[kind].found, kind))
    table = np.zeros((len(passages), len(kinds), 4))
    for row, passage in enumerate(passages):
        for kind, counts in passage.items():
            table[row, kinds.index(kind)] = (counts.right, counts.found, counts.covered, counts.gold)
    whole = table.sum(axis=0, keepdims=True)
    drawn = _resampled(table)
    return Score(
        shares=_at(_micro(whole), 0),
        interval=_interval(_micro(drawn)),
        counts=sum(totals.values(), Counts()),
        macro=_at(_macro(whole), 0),
        macro_interval=_interval(_macro(drawn)),
        types={kind: (shares(totals[kind]), totals[kind]) for kind in kinds},
    )


def _resampled(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the totals of resampled passages: resamples x types x 4."""
    import numpy as np

    number = len(table)
    if not number:
        return np.zeros((1, table.shape[1], 4))
    times = np.random.default_rng(SEED).multinomial(number, np.full(number, 1 / number), size=RESAMPLES)
    drawn = times.astype(float) @ table.reshape(number, -1)
    return drawn.reshape(RESAMPLES, *table.shape[1:])


def _shares(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return precision, recall and F1 along a last axis of three."""
    import numpy as np

    right, found, covered, gold = np.moveaxis(totals, -1, 0)
    precision = np.divide(right, found, out=np.zeros_like(right), where=found > 0)
    recall = np.divide(covered, gold, out=np.zeros_like(covered), where=gold > 0)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    return np.stack([precision, recall, f1], axis=-1)


def _micro(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    return _shares(totals.sum(axis=1))


def _macro(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means over the types that the annotation of each resample has."""
    import numpy as np

    known = (totals[..., 3] > 0)[..., None]
    sums = np.where(known, _shares(totals), 0.0).sum(axis=1)
    return np.asarray(sums / np.maximum(known.sum(axis=1), 1))


def _at(values: NDArray[np.float64], row: int) -> Shares:
    return Shares(*(float(value) for value in values[row]))


def _interval(values: NDArray[np.float64]) -> Interval:
    import numpy as np

    edges = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    low_high = [(float(low), float(high)) for low, high in edges.T]
    return Interval(*low_high)
