"""Soft clusters of nodes by their vectors: first of all of them, then within each cluster, as in RAPTOR. Pure.

Principal axes and spheres, where RAPTOR has UMAP and full covariances (docs/decisions/0037; `raptor` has its own).
A mixture of Gaussians with the number of components chosen by BIC; a node is in every cluster that it has a probability
above 0.1 for, and always in the most probable one. A cluster whose text is too long for one question is divided again.
scikit-learn takes a second to import, so only the functions that need it do.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree import fitted
from kg_neo4j.organise.tree.fitted import Child, ClusterFit, Doubles, FittedClusters, FittedMixture, Floats, Reduction
from kg_neo4j.organise.tree.interface import Clusters

LEVELS = 2  # of clustering: global, local
FEWEST_NODES = 4  # that are worth a mixture; fewer are one cluster, if their text fits
MOST_OVERLAP = 1.5  # memberships for each node of a cluster that is divided because it is too long
LARGEST_PART = 0.75  # of such a cluster; a mixture with a larger one gives way to a cut into halves
BASE_DIMENSIONS = 48  # to which vectors are reduced once; steps reduce further
DIMENSIONS = 10  # of a step, at most; RAPTOR has as many
NODES_A_DIMENSION = 4  # fewer nodes have fewer dimensions
MOST_COMPONENTS = 50  # RAPTOR tries 1 to 49
NODES_A_COMPONENT = 2  # on average at least: else every node becomes a cluster of its own
PATIENCE = 8  # numbers of components tried after the best one
SMALLEST_VARIANCE = 0.02  # of a component, where the widest axis has 1: equal nodes draw no cluster to a point
_NEGLIGIBLE = 1e-6  # of the largest spread, in single precision


def require_scikit_learn() -> None:
    """Raise UsageError where the extra that builds trees is not installed."""
    if importlib.util.find_spec("sklearn") is None:
        raise UsageError("building trees needs scikit-learn", hint="pip install 'kg-neo4j[tree]'")


def soft_clusters(
    vectors: Floats, token_counts: Sequence[int], *, most_tokens: int, seed: int
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
    with quiet_single_thread():
        base = _reduction(rows[order], BASE_DIMENSIONS)
        work = _Division(base.project(rows), token_counts, most_tokens, seed, {row: at for at, row in enumerate(order)})
        first = work.divide(dict.fromkeys(range(len(rows)), 1.0), 0) if len(rows) else None
    return _numbered(work, base, first)


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

    def divide(self, members: dict[int, float], level: int) -> Child:
        """Divide rows with their probabilities; return the step or the cluster that stands for them."""
        is_long = len(members) > 1 and sum(self.token_counts[row] for row in members) > self.most_tokens
        if not is_long and (level >= LEVELS or len(members) < FEWEST_NODES):
            return self._cluster(members)
        rows = sorted(members, key=lambda row: self.rank[row])
        step = _fit(self.points[rows], self.seed, least=1 if level < LEVELS else 2)
        if step is None and not is_long:
            return self._cluster(members)
        if step is None or level >= LEVELS:
            step, parts = self._parted(step, rows)
        else:
            parts = self._parts(step, rows)
        number = len(self.steps)
        self.steps.append(None)
        shared = [{row: members[row] * share for row, share in part.items()} for part in parts]
        self.steps[number] = replace(step, children=tuple(self.divide(part, level + 1) for part in shared))
        return "step", number

    def _cluster(self, members: dict[int, float]) -> Child:
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
        cut = _cut(self.points[rows], [self.token_counts[row] for row in rows])
        if cut is not None and all(parts := self._parts(cut, rows)):
            return cut, parts
        in_text = sorted(rows)
        border = middle([self.token_counts[row] for row in in_text])
        halves = _halves(self.points[in_text], border)
        return halves, [dict.fromkeys(in_text[:border], 1.0), dict.fromkeys(in_text[border:], 1.0)]


def _numbered(work: _Division, base: Reduction, first: Child | None) -> tuple[Clusters, ClusterFit]:
    """Let the steps lead to the numbers of the clusters, of which those with the same members are one."""
    clusters, numbers = fitted.merged(work.found)

    def renamed(child: Child) -> Child:
        return ("cluster", numbers[child[1]]) if child[0] == "cluster" else child

    steps = tuple(replace(each, children=tuple(map(renamed, each.children))) for each in work.steps if each is not None)
    return clusters, FittedClusters(base, None if first is None else renamed(first), steps)


@contextmanager
def quiet_single_thread(hidden: type[Warning] | None = None) -> Iterator[None]:
    """Keep scikit-learn, SciPy and NumPy to one thread: sums are the same on every machine.

    Warnings that are `hidden` stay from the user; None: those of EM.
    """
    import sklearn.mixture  # noqa: F401 - its libraries have to be loaded to be found
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", hidden or ConvergenceWarning)
        yield


def _reduction(rows: npt.NDArray[np.floating], dimensions: int, *, scaled: bool = False) -> Reduction:
    """Return the principal axes of rows of shape (n, d): at most `dimensions`, fewer where the rows spread less.

    `scaled`: the widest axis gets the variance 1. Rows that are all equal have no axis.
    """
    centre = rows.astype(np.float64).mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
    centred = rows - centre
    _, spreads, axes = np.linalg.svd(centred, full_matrices=False)
    spread_of_rows = float(np.abs(rows).max(initial=0.0)) * max(1.0, len(rows) ** 0.5)
    wide = spreads > _NEGLIGIBLE * max(spread_of_rows, float(spreads.max(initial=0.0)))
    count = min(dimensions, int(wide.sum()))
    kept = axes[:count]
    largest = np.abs(kept).argmax(axis=1) if count else np.zeros(0, dtype=np.int64)
    sign = np.where(kept[np.arange(count), largest] < 0, -1.0, 1.0)  # an axis has no direction: give one
    kept = kept * sign[:, None]
    if scaled and count:
        kept = kept * (len(rows) ** 0.5 / float(spreads[0]))
    return Reduction(centre.astype(np.float32), kept.astype(np.float32))


def _fit(rows: Doubles, seed: int, *, least: int = 1) -> FittedMixture | None:
    """Return the best mixture of `least` or more components, or None where one cluster is all there is.

    The components are spheres of different size: of all forms they need the fewest nodes (docs/decisions/0024).
    """
    reduced = _reduction(rows, max(1, min(DIMENSIONS, len(rows) // NODES_A_DIMENSION)), scaled=True)
    points = reduced.project(rows)
    distinct = len(np.unique(points, axis=0)) if points.shape[1] else 1
    most = min(MOST_COMPONENTS, distinct, max(least, len(rows) // NODES_A_COMPONENT))
    if most < max(2, least):
        return None
    best = _best(points, least, most, seed)
    return None if best is None or len(best[0]) < 2 else _without_empty(reduced, rows, *best)


def _best(points: Doubles, least: int, most: int, seed: int) -> tuple[Floats, Floats, Floats] | None:
    """Return weights, means and variances of the mixture whose BIC is lowest; the smallest of equals."""
    from sklearn.mixture import GaussianMixture

    best, lowest, since = None, np.inf, 0
    for count in range(least, most + 1):
        mixture = GaussianMixture(
            count, covariance_type="spherical", reg_covar=SMALLEST_VARIANCE, random_state=seed, max_iter=200
        )
        score = float(mixture.fit(points).bic(points))
        since += 1
        if score < lowest - 1e-9:
            best, lowest, since = mixture, score, 0
        elif since >= PATIENCE:
            break
    if best is None:
        return None
    return best.weights_.astype(np.float32), best.means_.astype(np.float32), best.covariances_.astype(np.float32)


def _without_empty(
    reduced: Reduction, rows: Doubles, weights: Floats, means: Floats, variances: Floats
) -> FittedMixture:
    """Return the mixture without components to which no row belongs."""
    kept = np.flatnonzero(weights > 0)
    while True:
        step = FittedMixture(reduced, weights[kept], means[kept], variances[kept], True, (("cluster", 0),) * len(kept))
        used = sorted({component for share in step.shares(rows) for component, _ in share})
        if len(used) == len(kept):
            return step
        kept = kept[used]


def _cut(rows: Doubles, token_counts: Sequence[int]) -> FittedMixture | None:
    """Return a step that cuts rows across their widest axis, with about half of the tokens on each side.

    None where all stand at one place. For rows that no mixture divides evenly: prose of one kind with an odd page.
    """
    axis = _reduction(rows, 1, scaled=True)
    places = axis.project(rows)
    if not places.shape[1]:
        return None
    order = np.argsort(places[:, 0], kind="stable")
    sorted_places = places[order, 0]
    before = np.cumsum(np.asarray(token_counts, dtype=np.float64)[order])
    borders = np.flatnonzero(np.diff(sorted_places) > _NEGLIGIBLE)
    if not len(borders):
        return None
    border = int(borders[np.abs(before[borders] - before[-1] / 2).argmin()])
    middle = (sorted_places[border] + sorted_places[border + 1]) / 2
    return _two_sides(axis, middle - 1.0, middle + 1.0)


def middle(token_counts: Sequence[int]) -> int:
    """Return how many of the first nodes, of two or more, have about half of the tokens."""
    before = np.cumsum(token_counts)
    return 1 + int(np.abs(before[:-1] - before[-1] / 2).argmin())


def _halves(rows: Doubles, border: int) -> FittedMixture:
    """Return a step that sends others to the nearer part: the rows before `border`, or those from there on."""
    first, second = rows[:border].mean(axis=0), rows[border:].mean(axis=0)
    axis = second - first
    length = float(np.sqrt((axis * axis).sum()))
    axis = axis / length if length > _NEGLIGIBLE else np.zeros_like(axis)
    middle = (first + second) / 2
    return _two_sides(Reduction(middle.astype(np.float32), axis[None].astype(np.float32)), -1.0, 1.0)


def _two_sides(axis: Reduction, left: float, right: float) -> FittedMixture:
    equal = np.ones(2, dtype=np.float32)
    means = np.array([[left], [right]], dtype=np.float32)
    return FittedMixture(axis, equal, means, equal, False, (("cluster", 0),) * 2)
