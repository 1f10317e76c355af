"""Precision, recall and F1 from counts, over all and per type, with bootstrap intervals over passages. Pure.

A count holds four numbers, so that sets and clusters are scored alike: what was found and how much of it is right, what
the annotation has and how much of it was found. Shares of nothing are 0.

How well mentions were put together into entities is said by B-cubed and CEAF with entity similarity. Mentions are
compared by place alone. A mention that only one side has counts against that side: in B-cubed it has nothing in common
with anything, in CEAF it makes its cluster less similar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000
SEED = 20_260
LEVEL = 0.95  # of the intervals

Clusters = Sequence[frozenset[Hashable]]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Counts:
    """What was found, what there is, and how much of each is right."""

    right: float = 0.0  # of what was found
    found: float = 0.0
    covered: float = 0.0  # of what the annotation has
    gold: float = 0.0

    def __add__(self, other: Counts) -> Counts:
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
    totals: dict[str, Counts] = {}
    for passage in passages:
        for kind, counts in passage.items():
            totals[kind] = totals.get(kind, Counts()) + counts
    kinds = sorted(totals, key=lambda kind: (-totals[kind].gold, -totals[kind].found, kind))
    table = np.zeros((len(passages), len(kinds), 4))
    for row, passage in enumerate(passages):
        for kind, counts in passage.items():
            table[row, kinds.index(kind)] = (counts.right, counts.found, counts.covered, counts.gold)
    micro, macro = _micro_and_macro(table.sum(axis=0, keepdims=True))
    drawn_micro, drawn_macro = _micro_and_macro(_resampled(table))
    return Score(
        shares=Shares(*micro[0].tolist()),
        interval=_interval(drawn_micro),
        counts=sum(totals.values(), Counts()),
        macro=Shares(*macro[0].tolist()),
        macro_interval=_interval(drawn_macro),
        types={kind: (shares(totals[kind]), totals[kind]) for kind in kinds},
    )


def _resampled(table: Numbers) -> Numbers:
    """Return the totals of resampled passages: resamples x types x 4."""
    number = len(table)
    if not number:
        return np.zeros((1, table.shape[1], 4))
    times = np.random.default_rng(SEED).multinomial(number, np.full(number, 1 / number), size=RESAMPLES)
    drawn = times.astype(float) @ table.reshape(number, -1)
    return drawn.reshape(RESAMPLES, *table.shape[1:])


def _shares(totals: Numbers) -> Numbers:
    """Return precision, recall and F1 along a last axis of three."""
    right, found, covered, gold = np.moveaxis(totals, -1, 0)
    precision = np.divide(right, found, out=np.zeros_like(right), where=found > 0)
    recall = np.divide(covered, gold, out=np.zeros_like(covered), where=gold > 0)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    return np.stack([precision, recall, f1], axis=-1)


def _micro_and_macro(totals: Numbers) -> tuple[Numbers, Numbers]:
    """Return the shares of all types together, and their means over the types that the annotation of each row has."""
    known = (totals[..., 3] > 0)[..., None]
    sums = np.where(known, _shares(totals), 0.0).sum(axis=1)
    return _shares(totals.sum(axis=1)), np.asarray(sums / np.maximum(known.sum(axis=1), 1))


def _interval(values: Numbers) -> Interval:
    edges = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return Interval(*((float(low), float(high)) for low, high in edges.T))


def b_cubed(found: Clusters, gold: Clusters) -> Counts:
    """Return the sums over mentions: each is right as far as its cluster agrees with the other side's."""
    return Counts(_agreement(found, gold), _size(found), _agreement(gold, found), _size(gold))


def ceaf(found: Clusters, gold: Clusters) -> Counts:
    """Return the sums over clusters, aligned one to one so that similarity is greatest: 2 |A and B| / (|A| + |B|)."""
    similar = [[2 * len(one & other) / (len(one) + len(other)) for other in gold] for one in found]
    best = sum(similar[row][column] for row, column in assign(similar))
    return Counts(best, len(found), best, len(gold))


def shared(found: Clusters, gold: Clusters) -> tuple[list[frozenset[Hashable]], list[frozenset[Hashable]]]:
    """Return both sides with only the mentions that both have: only the entity resolution can then differ."""
    common = frozenset().union(*found) & frozenset().union(*gold)
    return [kept for one in found if (kept := one & common)], [kept for one in gold if (kept := one & common)]


def assign(weights: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Return pairs (row, column), each row and column once at most, whose weights add up to the most; none of 0.

    `weights` are 0 or more. The Hungarian method with potentials: rows² x columns steps.
    """
    rows, columns = len(weights), len(weights[0]) if weights else 0
    if not rows or not columns:
        return []
    if rows > columns:
        turned = [[weights[row][column] for row in range(rows)] for column in range(columns)]
        return sorted((row, column) for column, row in assign(turned))
    owners = enumerate(_owners(weights, rows, columns)[1:])
    return sorted((row - 1, column) for column, row in owners if row and weights[row - 1][column] > 0)


def _owners(weights: Sequence[Sequence[float]], rows: int, columns: int) -> list[int]:
    """Return for each column, from 1, the row that it is assigned to, from 1; 0 for none. Needs rows <= columns."""
    of_row, of_column = [0.0] * (rows + 1), [0.0] * (columns + 1)  # potentials; the cost is the weight, negated
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0] = row
        column = 0
        least = [float("inf")] * (columns + 1)
        before = [0] * (columns + 1)
        visited = [False] * (columns + 1)
        while owner[column]:
            visited[column] = True
            current, nearest, step = owner[column], 0, float("inf")
            for other in range(1, columns + 1):
                if visited[other]:
                    continue
                cost = -weights[current - 1][other - 1] - of_row[current] - of_column[other]
                if cost < least[other]:
                    least[other], before[other] = cost, column
                if least[other] < step:
                    nearest, step = other, least[other]
            for other in range(columns + 1):
                if visited[other]:
                    of_row[owner[other]] += step
                    of_column[other] -= step
                else:
                    least[other] -= step
            column = nearest
        while column:
            owner[column] = owner[before[column]]
            column = before[column]
    return owner


def _agreement(ours: Clusters, theirs: Clusters) -> float:
    """Return the sum over our mentions of the share of their cluster of ours that theirs has together with them.

    A mention that they have in several clusters is looked at in the one that agrees best.
    """
    homes: dict[Hashable, list[int]] = {}
    for number, cluster in enumerate(theirs):
        for mention in cluster:
            homes.setdefault(mention, []).append(number)
    total = 0.0
    for cluster in ours:
        together = Counter(number for mention in cluster for number in homes.get(mention, ()))
        for mention in cluster:
            total += max((together[number] / len(cluster) for number in homes.get(mention, ())), default=0.0)
    return total


def _size(clusters: Clusters) -> float:
    return float(sum(len(cluster) for cluster in clusters))
