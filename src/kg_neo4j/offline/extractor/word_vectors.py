"""Tells two kinds of words apart by the vectors of the package's pipeline: a line between two lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from kg_neo4j.offline.networks import trained

if TYPE_CHECKING:
    import numpy.typing as npt

_SMOOTHING = 0.3  # of the ridge regression


def vector_of(word: str) -> npt.NDArray[np.float64] | None:
    """Return the vector of a word in lower case, with a constant behind it; None where it has none."""
    vocab = trained.load().nlp.vocab
    row = int(vocab.vectors.find(key=vocab.strings[word]))
    if row < 0:
        return None
    found: Any = vocab.vectors.data[row].astype(np.float64)
    length = float(np.linalg.norm(found))
    return np.append(found / length, 1.0) if length else None


def line_between(one: Iterable[str], other: Iterable[str]) -> npt.NDArray[np.float64]:
    """Return the weights of a ridge regression of 1 for the words of `one` and -1 for those of `other`."""
    sides = [(word, 1.0) for word in sorted(one)] + [(word, -1.0) for word in sorted(other)]
    known = [(vector, side) for word, side in sides if (vector := vector_of(word)) is not None]
    inputs, wanted = np.array([vector for vector, _ in known]), np.array([side for _, side in known])
    weights = np.where(wanted > 0, (wanted < 0).mean(), (wanted > 0).mean())  # as many of the one as of the other
    weighted = inputs * weights[:, None]
    smoothing = _SMOOTHING * np.eye(inputs.shape[1])
    found: npt.NDArray[np.float64] = np.linalg.solve(weighted.T @ inputs + smoothing, weighted.T @ wanted)
    return found
