"""Common words that a capital makes look like names: "Rescue came", "PASSED". Recognised by their vectors.

The word lists teach a line between the vectors of names and of other words. Left out one by one, 98 in 100 of the
lists' words are on their side of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from kg_neo4j.offline.extractor import lexicon
from kg_neo4j.offline.extractor.capitalised_names import starts
from kg_neo4j.offline.extractor.parsed_text import ParsedSentence, TextItem
from kg_neo4j.offline.extractor.word_vectors import line_between, vector_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_SURE = -0.4  # distance from the line, where the lists' common words lie at -1 on average
_CAPITALS = 4  # letters of a word in capitals that is no abbreviation


@lru_cache(maxsize=20_000)
def is_common(word: str) -> bool:
    """Tell whether a word in lower case is surely no name by itself; one without a vector is rare, and may be one."""
    vector = vector_of(word)
    if vector is None:
        return len(word) > _CAPITALS and word.endswith("s") and is_common(word[:-1])
    return float(vector @ _line()) < _SURE


@cache
def _line() -> npt.NDArray[np.float64]:
    names = lexicon.FEMALE_NAMES | lexicon.MALE_NAMES | lexicon.PLACES
    common = lexicon.OPENERS | lexicon.COMMON_CAPITALISED | lexicon.ROLE_NOUNS | lexicon.PLACE_NOUNS
    common |= lexicon.PERSON_VERBS | lexicon.OTHER_ROLES | lexicon.ORGANIZATION_ROLES | lexicon.VESSELS
    return line_between(names - common, common - names - lexicon.CALENDAR)


def drop_common(sentences: list[ParsedSentence], roles: Collection[str] = ()) -> None:
    """Let names be words again that are common words in capitals, or that have a capital at a start alone.

    So are offices: "the Clerk", "(Chairman)". `roles` are those of what the document is about: they mean it.
    """
    places: defaultdict[str, list[tuple[TextItem, bool]]] = defaultdict(list)
    offices = lexicon.ROLE_NOUNS - set(roles)
    for sentence in sentences:
        for index, item in enumerate(sentence.items):
            if item.kind == "name" and not item.italic:
                opens = (starts(sentence.items, index) and not item.possessive) or (
                    item.text.lower() in offices and sentence.items[index - 1].lower in ("the", "(", ",", ";")
                )
                places[item.text].append((item, opens))
    for text, found in places.items():
        if _is_shouted(text) or (_is_plain(text) and all(opens for _, opens in found)):
            for item, _ in found:
                item.kind, item.lower = "word", item.text.lower()


def _is_plain(text: str) -> bool:
    """Tell whether a text is a common word, or several of which the first alone has a capital: "Blue lamp"."""
    first, _, rest = text.partition(" ")
    return is_common(first.lower()) and (not rest or (rest.islower() and all(map(is_common, rest.split()))))


def _is_shouted(text: str) -> bool:
    """Tell whether a text is words in capitals, none of them a name: "PASSED", "ANNUAL MEETING"."""
    words = text.split()
    return text.isupper() and max(map(len, words)) >= _CAPITALS and all(map(is_common, text.lower().split()))
