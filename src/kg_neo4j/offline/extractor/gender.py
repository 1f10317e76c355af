"""Whether a first name is a woman's or a man's, from the vectors of the package's pipeline.

The lists of common first names teach a line between their vectors when it is first asked for (545 names, a few
milliseconds); a name on no list lies on one side of it, or too near to tell. Of names left out of the lists nine in ten
are far enough from the line, and of these 99 % on the right side (docs/decisions/0015).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from kg_neo4j.offline.extractor.lexicon import FEMALE_NAMES, MALE_NAMES
from kg_neo4j.offline.extractor.word_vectors import line_between, vector_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_SURE = 0.35  # distance from the line, where the lists' names lie at 1 and -1 on average


@lru_cache(maxsize=20_000)
def guess_gender(first_name: str) -> str:
    """Return "f", "m", or "" if it is unknown. `first_name` is in lower case; diacritics may stay or go."""
    vector = vector_of(first_name)
    if vector is None:
        return ""
    side = float(vector @ _line())
    return "" if abs(side) < _SURE else "f" if side > 0 else "m"


@cache
def _line() -> npt.NDArray[np.float64]:
    return line_between(FEMALE_NAMES - MALE_NAMES, MALE_NAMES - FEMALE_NAMES)
