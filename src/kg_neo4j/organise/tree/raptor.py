"""RAPTOR's own clusters of nodes: UMAP and mixtures with full covariances, of all nodes, then within each cluster.

After Sarthi et al., "RAPTOR" (2024), with the settings of its published code. Three things are other: a node is in its
most probable cluster even below 0.1; a cluster that stays too long is cut; a further vector joins the nearest cluster.
umap-learn is the extra `raptor`. It takes seconds to import, so only the function that needs it does.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kg_neo4j.organise.tree import clustering, fitted
from kg_neo4j.organise.tree.clustering import LARGEST_PART, MOST_OVERLAP
from kg_neo4j.organise.tree.fitted import DIGITS, THRESHOLD, ClusterFit, Doubles, Floats, NearestClusters
from kg_neo4j.organise.tree.interface import Clusters

DIMENSIONS = 10  # to which UMAP reduces
FEWEST_NODES = DIMENSIONS + 2  # that are divided; RAPTOR makes no further level of fewer
LOCAL_NEIGHBOURS = 10  # within a cluster; the square root of their number for all nodes
MOST_COMPONENTS = 49
FEWEST_POINTS = 3  # that UMAP takes

Part = dict[int, float]  # rows with probabilities


def is_installed() -> bool:
    """Say whether umap-learn is there."""
    return importlib.util.find_spec("umap") is not None


def clusters(
    vectors: Floats, token_counts: Sequence[int], *, most_tokens: int, seed: int
) -> tuple[Clusters, ClusterFit]:
    """Return clusters of nodes, and what puts further vectors into them: arguments and order as `soft_clusters` has.

    No cluster of two nodes or more has over `most_tokens` tokens: one that has is divided again, and cut in two in the
    caller's order where that makes no smaller parts (RAPTOR's code would not come to an end). The same again on one
    machine, whatever the number of threads. Raises ValueError for arrays that do not fit together, and ImportError for
    twelve nodes or more without umap-learn.
    """
    rows = fitted.checked(vectors)
    if len(token_counts) != len(rows):
        raise ValueError(f"{len(rows)} vectors with {len(token_counts)} numbers of tokens")
    order = sorted(range(len(rows)), key=lambda row: rows[row].tobytes())
    work = _RaptorDivision(rows, token_counts, most_tokens, seed, {row: at for at, row in enumerate(order)})
    with clustering.quiet_single_thread(hidden=Warning):  # TensorFlow, threads, mixtures
        found, _ = fitted.merged(work.divide(dict.fromkeys(order, 1.0), is_first=True) if order else [])
    means = np.zeros((len(found.members), rows.shape[1]), dtype=np.float32)
    for number, members in enumerate(found.members):
        means[number] = rows[list(members)].astype(np.float64).mean(axis=0)
    return found, NearestClusters(means)


@dataclass(frozen=True, slots=True)
class _RaptorDivision:
    """The work of one call."""

    vectors: Floats
    token_counts: Sequence[int]
    most_tokens: int
    seed: int
    rank: dict[int, int]  # of each row among all, by its bytes

    def divide(self, members: Part, *, is_first: bool = False) -> list[Part]:
        """Return the clusters of rows, none of them too long. Rows that are not the first are so: they are parted."""
        is_long = len(members) > 1 and sum(self.token_counts[row] for row in members) > self.most_tokens
        if not is_long and not (is_first and len(members) >= FEWEST_NODES):
            return [members]
        parts = self._two_levels(members) if len(members) >= FEWEST_POINTS else [members]
        sizes = [len(part) for part in parts]
        ends = max(sizes) <= LARGEST_PART * len(members) and sum(sizes) <= MOST_OVERLAP * len(members)
        if not is_first and not ends:
            parts = self._halves(members)
        return [inner for part in parts for inner in self.divide(part)]

    def _two_levels(self, members: Part) -> list[Part]:
        found: list[Part] = []
        for part in self._mixture(members, int((len(members) - 1) ** 0.5)):
            found += self._mixture(part, LOCAL_NEIGHBOURS) if len(part) >= FEWEST_NODES else [part]
        return found

    def _mixture(self, members: Part, neighbours: int) -> list[Part]:
        """Return the parts of rows by the mixture that fits them best; each row is in one at least."""
        rows = sorted(members, key=lambda row: self.rank[row])
        shares = _shares(_reduced(self.vectors[rows], neighbours, self.seed), self.seed)
        parts: list[Part] = [{} for _ in shares[0]]
        for row, probabilities in zip(rows, shares, strict=True):
            best = int(probabilities.argmax())
            for component, probability in enumerate(probabilities):
                if component == best or probability > THRESHOLD:
                    parts[component][row] = members[row] * round(float(probability), DIGITS)
        return [part for part in parts if part]

    def _halves(self, members: Part) -> list[Part]:
        in_text = sorted(members)
        border = clustering.middle([self.token_counts[row] for row in in_text])
        return [{row: members[row] for row in half} for half in (in_text[:border], in_text[border:])]


def _reduced(rows: Floats, neighbours: int, seed: int) -> Doubles:
    """Return rows of shape (n, d), three or more, in at most ten dimensions: UMAP by cosine.

    The neighbours are given to it, all exact, as it finds them itself for so few rows: it need not compile that part.
    """
    from umap import UMAP

    count = min(max(2, neighbours), len(rows) - 1)
    unit = fitted.units(rows)
    nearest = np.empty((len(rows), count), dtype=np.int64)
    distances = np.empty((len(rows), count), dtype=np.float32)
    for number, row in enumerate(unit):
        far = np.maximum(0.0, 1.0 - unit @ row)
        far[number] = -1.0  # a row is its own first neighbour
        nearest[number] = np.argsort(far, kind="stable")[:count]
        far[number] = 0.0
        distances[number] = far[nearest[number]]
    reducer = UMAP(
        n_neighbors=count,
        n_components=min(DIMENSIONS, len(rows) - 2),
        metric="cosine",
        random_state=seed,
        precomputed_knn=(nearest, distances),
    )
    return np.asarray(reducer.fit_transform(rows), dtype=np.float64)


def _shares(points: Doubles, seed: int) -> Doubles:
    """Return, for each point, the probabilities of the components of the mixture whose BIC is lowest."""
    from sklearn.mixture import GaussianMixture

    best: Any = None
    lowest = np.inf
    for count in range(1, min(MOST_COMPONENTS, len(points) - 1) + 1):
        mixture = GaussianMixture(count, random_state=seed).fit(points)
        score = float(mixture.bic(points))
        if best is None or score < lowest:
            best, lowest = mixture, score
    return np.asarray(best.predict_proba(points))
