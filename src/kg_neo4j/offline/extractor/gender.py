"""Whether a first name is a woman's or a man's: read off the vectors of the package's pipeline.

The lists of common first names teach a line between their vectors when it is first asked for (545 names, a few
milliseconds); a name on no list lies on one side of it, or too near to tell. Of names left out of the lists nine in ten
are far enough from the line, and of these 99 % on the right side (docs/decisions/0015).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kg_neo4j.offline.extractor.lexicon import FEMALE_NAMES, MALE_NAMES
from kg_neo4j.offline.networks import trained

if TYPE_CHECKING:
    import numpy.typing as npt

_SMOOTHING = 0.3  # of the ridge regression
_SURE = 0.35  # distance from the line, where the lists' names lie at 1 and -1 on average


@lru_cache(maxsize=20_000)
def guess_gender(first_name: str) -> str:
    """Return "f", "m", or "" where it cannot be told. `first_name` is in lower case; diacritics may stay or go."""
    vector = _vector(first_name)
    if vector is None:
        return ""
    side = float(vector @ _line())
    return "" if abs(side) < _SURE else "f" if side > 0 else "m"


def _vector(word: str) -> npt.NDArray[np.float64] | None:
    vocab = trained.load().nlp.vocab
    row = int(vocab.vectors.find(key=vocab.strings[word]))
    if row < 0:
        return None
    found: Any = vocab.vectors.data[row].astype(np.float64)
    length = float(np.linalg.norm(found))
    return np.append(found / length, 1.0) if length else None


@cache
def _line() -> npt.NDArray[np.float64]:
    """Return the weights of a ridge regression of 1 for women and -1 for men on the vectors of the lists' names."""
    sides = [(name, 1.0) for name in sorted(FEMALE_NAMES - MALE_NAMES)]
    sides += [(name, -1.0) for name in sorted(MALE_NAMES - FEMALE_NAMES)]
    known = [(vector, side) for name, side in sides if (vector := _vector(name)) is not None]
    inputs, wanted = np.array([vector for vector, _ in known]), np.array([side for _, side in known])
    weights = np.where(wanted > 0, (wanted < 0).mean(), (wanted > 0).mean())  # as many women as men
    weighted = inputs * weights[:, None]
    smoothing = _SMOOTHING * np.eye(inputs.shape[1])
    found: npt.NDArray[np.float64] = np.linalg.solve(weighted.T @ inputs + smoothing, weighted.T @ wanted)
    return found
