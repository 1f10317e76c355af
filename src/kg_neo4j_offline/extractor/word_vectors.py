"""Tells two kinds of words apart by the vectors of the package's pipeline: women's names and men's, names and others.

The word lists teach a line between their vectors when it is first asked for (545 first names: a few milliseconds). Of
first names left out of the lists nine in ten are far enough from the line, and of these 99 % on the right side
(docs/decisions/0015); of names and common words 98 in 100 are on their side.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kg_neo4j_offline.extractor import lexicon as lex
from kg_neo4j_offline.networks import trained

if TYPE_CHECKING:
    import numpy.typing as npt

_SMOOTHING = 0.3  # of the ridge regression
_SURE_SIDE = 0.35  # distance from the line, where the lists' names lie at 1 and -1 on average
_SURELY_COMMON = -0.4  # distance from the line, where the lists' common words lie at -1 on average
CAPITALS = 4  # letters of a word in capitals that is no abbreviation


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


@lru_cache(maxsize=20_000)
def guess_gender(first_name: str) -> str:
    """Return "f", "m", or "" if it is unknown. `first_name` is in lower case; diacritics may stay or go."""
    vector = vector_of(first_name)
    if vector is None:
        return ""
    side = float(vector @ _gender_line())
    return "" if abs(side) < _SURE_SIDE else "f" if side > 0 else "m"


@cache
def _gender_line() -> npt.NDArray[np.float64]:
    return line_between(lex.FEMALE_NAMES - lex.MALE_NAMES, lex.MALE_NAMES - lex.FEMALE_NAMES)


@lru_cache(maxsize=20_000)
def is_common(word: str) -> bool:
    """Tell whether a word in lower case is surely no name by itself; one without a vector is rare, and may be one."""
    vector = vector_of(word)
    if vector is None:
        return len(word) > CAPITALS and word.endswith("s") and is_common(word[:-1])
    return float(vector @ _common_line()) < _SURELY_COMMON


@cache
def _common_line() -> npt.NDArray[np.float64]:
    names = lex.GIVEN_NAMES | lex.PLACES
    common = lex.OPENERS | lex.COMMON_CAPITALISED | lex.ROLE_NOUNS | lex.PLACE_NOUNS
    common |= lex.PERSON_VERBS | lex.OTHER_ROLES | lex.ORGANIZATION_ROLES | lex.VESSELS
    return line_between(names - common, common - names - lex.CALENDAR)
