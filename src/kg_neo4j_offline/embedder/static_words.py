"""What the built-in embedder sees of a text: words, how much each counts, the pieces they are cut into. Pure."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # written without spaces: read as pairs of signs
_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IS_CJK = re.compile(f"[{_CJK}]")
FUNCTION_WORDS = frozenset(
    """a about after all also an and any are as at be been before but by can could did do does for from had has have he
    her him his how i if in into is it its me more most my no not of on or our she so some such than that the their
    them then there these they this those to up us was we were what when where which while who whom whose why will
    with would you your""".split()
)
_LONGEST = 60  # letters; a longer word is no word, and is not cut


@dataclass(frozen=True, slots=True)
class Weighing:
    """How much a word counts. The values are stored with the model."""

    name: float  # factor of a word that mostly stands with a capital, and of numbers
    lead: float  # what is added to the factor of the very first word; it falls off towards the end of the text
    reach: float  # words after which the lead has fallen to 1/e of that


def weigh(text: str, how: Weighing) -> dict[str, float]:
    """Return the weight of each word of `text`, in lower case and without accents, in the order of the text.

    It grows with the logarithm of how often the word stands there, and is greater for names, for numbers, and for words
    that stand early: a text begins with what it is about.
    """
    counts: dict[str, int] = {}
    marked: dict[str, int] = {}
    first: dict[str, int] = {}
    for place, (word, is_marked) in enumerate(_words(text)):
        if word in counts:
            counts[word] += 1
            marked[word] += is_marked
        else:
            counts[word], marked[word], first[word] = 1, is_marked, place
    weights = {}
    for word, count in counts.items():
        is_name = marked[word] * 2 > count and word not in FUNCTION_WORDS
        early = 1 + how.lead * math.exp(-first[word] / how.reach)
        weights[word] = (1 + math.log(count)) * early * (how.name if is_name else 1.0)
    return weights


def cut(word: str, known: Mapping[str, int]) -> tuple[int, ...]:
    """Return the numbers of a word's pieces, longest first from its beginning; none where it cannot be cut.

    `known` numbers the pieces; "##" marks one that continues a word.
    """
    numbers: list[int] = []
    start = 0
    while start < len(word) <= _LONGEST:
        lead = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if lead + word[start:end] in known), None)
        if end is None:
            return ()
        numbers.append(known[lead + word[start:end]])
        start = end
    return tuple(numbers)


def ngrams(word: str) -> list[str]:
    """Return the runs of three and of four letters of a word with its borders marked."""
    marked = f"<{word}>"
    return [marked[start : start + size] for size in (3, 4) for start in range(len(marked) - size + 1)]


def _words(text: str) -> list[tuple[str, bool]]:
    """Return the words, folded, each with whether it begins with a capital or a digit."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    found = []
    for word in _WORD.findall(text):
        if not word.isascii() and _IS_CJK.match(word):
            found += [(one + other, False) for one, other in pairwise(word)] or [(word, False)]
        else:
            found.append((fold(word), word[0].isupper() or word[0].isdigit()))
    return found


@lru_cache(maxsize=1 << 16)
def fold(word: str) -> str:
    """Return a word in lower case, without accents that are marks of their own."""
    if word.isascii():
        return word.lower()
    letters = unicodedata.normalize("NFD", word.lower())
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Mn") or word
