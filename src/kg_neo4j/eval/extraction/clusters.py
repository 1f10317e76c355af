"""How well mentions were put together into entities: B-cubed and CEAF with entity similarity, and an assignment. Pure.

Mentions are compared by place alone. A mention that only one side has counts against that side: in B-cubed it has
nothing in common with anything, in CEAF it makes its cluster less similar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from kg_neo4j.eval.extraction.scores import Counts

Clusters = Sequence[frozenset[Hashable]]


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
    owner = _owners(weights, rows, columns)
    pairs = [(row - 1, column - 1) for column, row in enumerate(owner) if column and row]
    return sorted((row, column) for row, column in pairs if weights[row][column] > 0)


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
        together: Counter[int] = Counter()
        for mention in cluster:
            together.update(homes.get(mention, ()))
        for mention in cluster:
            known = homes.get(mention, ())
            total += max((together[number] / len(cluster) for number in known), default=0.0)
    return total


def _size(clusters: Clusters) -> float:
    return float(sum(len(cluster) for cluster in clusters))
