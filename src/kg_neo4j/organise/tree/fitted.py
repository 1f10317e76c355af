"""What is stored of clusters: it puts further vectors into them. Pure.

Of spheres the reduction with its mixtures is stored, which gives the same clusters again. UMAP cannot be stored as
text: of RAPTOR's clusters the mean vectors are.

Rows are worked on one by one with NumPy's own loops, never with BLAS: a row's clusters do not depend on the rows beside
it, nor on the number of threads.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kg_neo4j.organise.tree.interface import Clusters

THRESHOLD = 0.1  # probability from which a node is in a cluster (RAPTOR)
DIGITS = 6  # of a probability
VERSION = 1  # of the stored form

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Child = tuple[str, int]  # ("step", number) or ("cluster", number)
_ARRAYS = ("weights", "means", "variances")  # of a step


@dataclass(frozen=True, slots=True)
class Reduction:
    """Axes through a centre: fewer dimensions."""

    centre: Floats  # (d,)
    axes: Floats  # (k, d)

    def project(self, rows: npt.NDArray[Any]) -> Doubles:
        """Return rows of shape (n, d) as (n, k)."""
        centre, axes = self.centre.astype(np.float64), self.axes.astype(np.float64)
        reduced = np.zeros((len(rows), len(axes)))
        for number, row in enumerate(rows):
            reduced[number] = ((row - centre) * axes).sum(axis=1)
        return reduced


@dataclass(frozen=True, slots=True)
class FittedMixture:
    """One mixture of spheres, and where each of its components leads."""

    reduction: Reduction  # to k dimensions
    weights: Floats  # (c,)
    means: Floats  # (c, k)
    variances: Floats  # (c,)
    is_soft: bool  # else only the most probable component counts
    children: tuple[Child, ...]  # for each component

    def shares(self, rows: Doubles) -> list[tuple[tuple[int, float], ...]]:
        """Return, for each row, the components that it belongs to, with probabilities; always the most probable."""
        weights, means = self.weights.astype(np.float64), self.means.astype(np.float64)
        variances = self.variances.astype(np.float64)
        constant = np.log(weights) - 0.5 * means.shape[1] * np.log(2 * math.pi * variances)
        shares = []
        for row in self.reduction.project(rows):
            logs = constant - 0.5 * ((row - means) ** 2).sum(axis=1) / variances
            odds = np.exp(logs - logs.max())
            best = int(np.argmax(logs))
            probabilities = [round(float(odd), DIGITS) for odd in odds / odds.sum()]
            shares.append(
                tuple(
                    (number, probability if self.is_soft else 1.0)
                    for number, probability in enumerate(probabilities)
                    if number == best or (self.is_soft and probability > THRESHOLD)
                )
            )
        return shares


@dataclass(frozen=True, slots=True)
class FittedClusters:
    """All steps from the first mixture to the final clusters."""

    base: Reduction  # of the vectors, before every step
    first: Child | None  # a step, or the only cluster; None: there were no nodes
    steps: tuple[FittedMixture, ...]

    def assign(self, vectors: Floats) -> tuple[tuple[tuple[int, float], ...], ...]:
        """Return, for each row of shape (n, d), its clusters, ascending, with their probabilities.

        At least one each, unless the fit was made of no nodes. Raises ValueError for rows of another dimension, or
        with a value that is not a number.
        """
        first = self.first
        if first is None:
            return tuple(() for _ in checked(vectors))
        rows = checked(vectors, self.base.centre.shape[0])
        return tuple(self._route(row, first) for row in self.base.project(rows))

    def _route(self, row: Doubles, first: Child) -> tuple[tuple[int, float], ...]:
        """Follow one row down the steps; ways that lead to one cluster add up."""
        found: dict[int, list[float]] = {}
        ways = [(first, 1.0)]
        while ways:
            (kind, number), probability = ways.pop()
            if kind == "cluster":
                found.setdefault(number, []).append(probability)
                continue
            step = self.steps[number]
            ways += [(step.children[component], probability * share) for component, share in step.shares(row[None])[0]]
        return tuple((number, total(found[number])) for number in sorted(found))

    def to_json(self) -> str:
        """Return it as text, from which `read` makes it again, equal to the bit."""
        steps = [
            {
                "reduction": _reduction_as_data(step.reduction),
                **{name: _array_as_data(getattr(step, name)) for name in _ARRAYS},
                "soft": step.is_soft,
                "children": step.children,
            }
            for step in self.steps
        ]
        return _written(base=_reduction_as_data(self.base), first=self.first, steps=steps)


@dataclass(frozen=True, slots=True)
class NearestClusters:
    """The mean vector of each cluster: a vector joins the nearest one by cosine."""

    means: Floats  # (c, d)

    def assign(self, vectors: Floats) -> tuple[tuple[tuple[int, float], ...], ...]:
        """Return, for each row of shape (n, d), its cluster, the first of equals; none where there are no clusters.

        Raises ValueError as `FittedClusters.assign` does.
        """
        if not len(self.means):
            return tuple(() for _ in checked(vectors))
        rows, means = checked(vectors, self.means.shape[1]), units(self.means)
        return tuple(((int((means * row).sum(axis=1).argmax()), 1.0),) for row in units(rows))

    def to_json(self) -> str:
        """Return it as text, from which `read` makes it again, equal to the bit."""
        return _written(nearest=_array_as_data(self.means))


ClusterFit = FittedClusters | NearestClusters


def read(text: str) -> ClusterFit:
    """Return the fit whose `to_json` wrote `text`. Raises ValueError for anything else."""
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError(f"version {data['version']}, not {VERSION}")
        if "nearest" in data:
            return NearestClusters(checked(_array(data["nearest"])))
        steps = tuple(
            FittedMixture(
                reduction=_reduction(each["reduction"]),
                is_soft=bool(each["soft"]),
                children=tuple(_child(child) for child in each["children"]),
                **{name: _array(each[name]) for name in _ARRAYS},
            )
            for each in data["steps"]
        )
        first = None if data["first"] is None else _child(data["first"])
        ways = [(-1, first)] + [(number, child) for number, step in enumerate(steps) for child in step.children]
        if any(way and way[0] == "step" and not number < way[1] < len(steps) for number, way in ways):
            raise ValueError("a step leads to one that is not below it")
        return FittedClusters(_reduction(data["base"]), first, steps)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"the stored clusters of a tree cannot be read: {error}") from error


def units(rows: Floats) -> Doubles:
    """Return rows of shape (n, d) with length 1; zeros stay."""
    long = rows.astype(np.float64)
    lengths = np.sqrt((long * long).sum(axis=1, keepdims=True))
    return long / np.where(lengths > 0, lengths, 1.0)


def merged(found: Sequence[Mapping[int, float]]) -> tuple[Clusters, tuple[int, ...]]:
    """Make clusters with the same members one, sorted by their members; return, for each of `found`, its number."""
    keys = [tuple(sorted(members)) for members in found]
    alike: dict[tuple[int, ...], list[Mapping[int, float]]] = {}
    for key, members in zip(keys, found, strict=True):
        alike.setdefault(key, []).append(members)
    ordered = sorted(alike)
    numbers = {key: number for number, key in enumerate(ordered)}
    probabilities = tuple(tuple(total(members[row] for members in alike[key]) for row in key) for key in ordered)
    return Clusters(tuple(ordered), probabilities), tuple(numbers[key] for key in keys)


def total(probabilities: Iterable[float]) -> float:
    """Return their sum, at most 1, rounded; their order does not matter."""
    return round(min(1.0, math.fsum(probabilities)), DIGITS)


def checked(vectors: npt.NDArray[np.float32], dimension: int | None = None) -> Floats:
    """Return vectors of shape (n, d) as they are compared.

    Raises ValueError for another shape or `dimension`, or for no numbers.
    """
    rows = np.asarray(vectors, dtype=np.float32)
    if rows.ndim != 2:
        raise ValueError(f"vectors are rows of an array of two dimensions, not of shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("a vector has a value that is not a number")
    if dimension not in (None, rows.shape[1]):
        raise ValueError(f"vectors of {rows.shape[1]} dimensions; those of the tree have {dimension}")
    return rows


def _written(**data: object) -> str:
    return json.dumps({"version": VERSION, **data}, separators=(",", ":"))


def _child(data: Sequence[Any]) -> Child:
    kind, number = data
    if kind not in ("step", "cluster"):
        raise ValueError(f"a component leads to a {kind!r}")
    return str(kind), int(number)


def _reduction_as_data(reduction: Reduction) -> dict[str, object]:
    return {"centre": _array_as_data(reduction.centre), "axes": _array_as_data(reduction.axes)}


def _reduction(data: Mapping[str, Any]) -> Reduction:
    return Reduction(_array(data["centre"]), _array(data["axes"]))


def _array_as_data(array: Floats) -> list[object]:
    """Return shape and bytes, little-endian."""
    return [list(array.shape), base64.b64encode(array.astype("<f4").tobytes()).decode("ascii")]


def _array(data: Sequence[Any]) -> Floats:
    shape, encoded = data
    flat = np.frombuffer(base64.b64decode(encoded, validate=True), dtype="<f4").astype(np.float32)
    return flat.reshape([int(length) for length in shape])
