"""Soft clusters of nodes by their vectors: first of all of them, then within each cluster, as in RAPTOR. Pure.

Principal axes and spheres, where RAPTOR has UMAP and full covariances (docs/decisions/0037; `raptor` has its own).
A mixture of Gaussians with the number of components chosen by BIC; a node is in every cluster that it has a probability
above 0.1 for, and always in the most probable one. A cluster whose text is too long for one question is divided again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from kg_neo4j.organise.tree import fitted, mixtures
from kg_neo4j.organise.tree.fitted import Doubles, FittedClusters, FittedMixture
from kg_neo4j.organise.tree.interface import ClusterFit, Clusters

LEVELS = 2  # of clustering: global, local
FEWEST_NODES = 4  # that are worth a mixture; fewer are one cluster, if their text fits
MOST_OVERLAP = 1.5  # memberships for each node of a cluster that is divided because it is too long
LARGEST_PART = 0.75  # of such a cluster; a mixture with a larger one gives way to a cut into halves


def soft_clusters(
    vectors: npt.NDArray[np.float32], token_counts: Sequence[int], *, most_tokens: int, seed: int
) -> tuple[Clusters, ClusterFit]:
    """Return clusters of nodes, and the fit that puts further vectors into them.

    `vectors` has shape (n, d), `token_counts` n numbers. No cluster of two nodes or more has over `most_tokens` tokens:
    one that has is divided again, by order where vectors do not tell its nodes apart; only there the order of rows
    matters, and only there `ClusterFit.assign` gives other clusters. Clusters with the same members are one; they are
    sorted by their members. Raises ValueError for arrays that do not fit together.
    """
    rows = fitted.checked(vectors)
    if len(token_counts) != len(rows):
        raise ValueError(f"{len(rows)} vectors with {len(token_counts)} numbers of tokens")
    order = sorted(range(len(rows)), key=lambda row: rows[row].tobytes())  # sums do not depend on the caller's order
    with mixtures.quiet_single_thread():
        base = mixtures.reduction(rows[order], mixtures.BASE_DIMENSIONS)
        work = _Division(base.project(rows), token_counts, most_tokens, seed, {row: at for at, row in enumerate(order)})
        first = work.divide(dict.fromkeys(range(len(rows)), 1.0), 0) if len(rows) else None
    return _numbered(work, base, first)


def read_fit(text: str) -> ClusterFit:
    """Return the fit whose `to_json` wrote `text`. Raises ValueError for anything else."""
    return fitted.read(text)


@dataclass(slots=True)
class _Division:
    """The work of one call: steps and clusters as they are found."""

    points: Doubles  # (n, base dimensions)
    token_counts: Sequence[int]
    most_tokens: int
    seed: int
    rank: dict[int, int]  # of each row among all, by its bytes
    steps: list[FittedMixture | None] = field(default_factory=list)
    found: list[dict[int, float]] = field(default_factory=list)  # members with probabilities

    def divide(self, members: dict[int, float], level: int) -> tuple[str, int]:
        """Divide rows with their probabilities; return the step or the cluster that stands for them."""
        is_long = self._is_long(members)
        if not is_long and (level >= LEVELS or len(members) < FEWEST_NODES):
            return self._cluster(members)
        rows = sorted(members, key=lambda row: self.rank[row])
        step = mixtures.fit(self.points[rows], self.seed, least=1 if level < LEVELS else 2)
        if step is None and not is_long:
            return self._cluster(members)
        if step is None or level >= LEVELS:
            step, parts = self._parted(step, rows)
        else:
            parts = self._parts(step, rows)
        return self._add(step, [{row: members[row] * share for row, share in part.items()} for part in parts], level)

    def _add(self, step: FittedMixture, parts: list[dict[int, float]], level: int) -> tuple[str, int]:
        number = len(self.steps)
        self.steps.append(None)
        self.steps[number] = replace(step, children=tuple(self.divide(part, level + 1) for part in parts))
        return "step", number

    def _is_long(self, members: dict[int, float]) -> bool:
        return len(members) > 1 and sum(self.token_counts[row] for row in members) > self.most_tokens

    def _cluster(self, members: dict[int, float]) -> tuple[str, int]:
        self.found.append(members)
        return "cluster", len(self.found) - 1

    def _parts(self, step: FittedMixture, rows: list[int]) -> list[dict[int, float]]:
        parts: list[dict[int, float]] = [{} for _ in step.children]
        for row, share in zip(rows, step.shares(self.points[rows]), strict=True):
            for component, probability in share:
                parts[component][row] = probability
        return parts

    def _parted(self, step: FittedMixture | None, rows: list[int]) -> tuple[FittedMixture, list[dict[int, float]]]:
        """Return a step with parts small enough for dividing to come to an end: by mixture, by an axis, or by order."""
        if step is not None:
            parts = self._parts(step, rows)
            sizes = [len(part) for part in parts]
            if max(sizes) <= LARGEST_PART * len(rows) and sum(sizes) <= MOST_OVERLAP * len(rows):
                return step, parts
        cut = mixtures.cut(self.points[rows], [self.token_counts[row] for row in rows])
        if cut is not None and all(parts := self._parts(cut, rows)):
            return cut, parts
        in_text = sorted(rows)
        border = mixtures.middle([self.token_counts[row] for row in in_text])
        halves = mixtures.halves(self.points[in_text], border)
        return halves, [dict.fromkeys(in_text[:border], 1.0), dict.fromkeys(in_text[border:], 1.0)]


def _numbered(work: _Division, base: fitted.Reduction, first: tuple[str, int] | None) -> tuple[Clusters, ClusterFit]:
    """Let the steps lead to the numbers of the clusters, of which those with the same members are one."""
    clusters, numbers = fitted.merged(work.found)

    def renamed(child: tuple[str, int]) -> tuple[str, int]:
        return ("cluster", numbers[child[1]]) if child[0] == "cluster" else child

    steps = tuple(
        replace(step, children=tuple(renamed(child) for child in step.children))
        for step in work.steps
        if step is not None
    )
    return clusters, FittedClusters(base, None if first is None else renamed(first), steps)
