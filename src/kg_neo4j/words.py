"""Words as a search compares them, and kinds of things by the words of their types. Pure.

Works for any script: a word is a run of letters, digits and the marks that belong to them. Two forms of one word match
where they share a long beginning (Wokulski, Wokulskiego; Khadija, Khadijah), or belong to one family (died, death).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from kg_neo4j import data_files

_LETTERS = str.maketrans({"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ı": "i", "æ": "ae", "ß": "ss"})
_ACCENTS = re.compile("[\u0300-\u036f]")  # those of Latin, Greek and Cyrillic; other scripts' marks are letters
_SPACELESS = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")  # Thai, Lao, kana, Han
_APOSTROPHES = dict.fromkeys(map(ord, "’‘`´ʼʻʿʾ"), "'")

_DATA = data_files.beside(__file__)

PARTICLES = frozenset("von van de der den di da la le du of ibn bin bint al el abu st".split())  # within names

IRREGULAR = {forms[0]: forms for forms in map(str.split, _DATA.lines("irregular"))}  # base form -> all, it first
BASES = {form: base for base, forms in IRREGULAR.items() for form in forms[1:]}
MONTHS = {name: number for number, names in enumerate(_DATA.lines("months"), 1) for name in names.split()}  # folded
_FAMILIES = tuple(frozenset(line.split()) for line in _DATA.lines("families"))


def split_words(text: str) -> list[str]:
    """Return the words of `text` in order, as written; apostrophes inside a word stay."""
    return [text[start:end] for start, end in word_spans(text)]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each word of `text`; in scripts without spaces, of each pair of characters."""
    spans: list[tuple[int, int]] = []
    start = -1
    for index, char in enumerate(f"{text} "):  # a space ends the last word, too
        inside = start >= 0
        if _is_word_char(char) or (inside and char in "'’" and text[index + 1 : index + 2].isalpha()):
            start = start if inside else index
        elif inside:
            if index - start > 2 and _SPACELESS.search(text, start, index):
                spans += [(first, first + 2) for first in range(start, index - 1)]
            else:
                spans.append((start, index))
            start = -1
    return spans


@lru_cache(maxsize=4096)
def _is_word_char(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] in "LNM"


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """Return `word` without case, accents and a possessive 's."""
    plain = unicodedata.normalize("NFKD", word.translate(_LETTERS).translate(_APOSTROPHES).casefold())
    plain = unicodedata.normalize("NFKC", _ACCENTS.sub("", plain))
    return plain.removesuffix("'s").removesuffix("'") or plain


def family(word: str) -> frozenset[str]:
    """Return the folded words that say the same thing in other parts of speech; empty where none are known."""
    return frozenset().union(*(group for group in _FAMILIES if word in group))


def same_word(left: str, right: str) -> bool:
    """Return whether two folded words are forms of one.

    They are where they are equal, also but for an ending of at most three letters, or forms of one irregular verb.
    """
    if left == right or _differ_by_ending(left, right):
        return True
    bases = BASES.get(left, left), BASES.get(right, right)
    return bases != (left, right) and (bases[0] == bases[1] or _differ_by_ending(*bases))


def _differ_by_ending(left: str, right: str) -> bool:
    shorter, longer = sorted((left, right), key=len)
    if len(shorter) < 3 or longer[:2] != shorter[:2] or shorter.isdigit():
        return False
    if shorter.endswith("y") and longer in (shorter[:-1] + "ied", shorter[:-1] + "ies"):
        return True
    if len(shorter) == 3 or len(longer) <= 6:
        return longer in {shorter + ending for ending in ("s", "es", "d", "ed", "n", "ing")}
    common = next((i for i, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    return common >= 4 and common >= 0.65 * len(longer) and len(longer) - common <= 3


_STOP_WORDS = frozenset(fold(word) for key in ("english", "polish", "others") for word in _DATA.words(key))


def is_stop_word(folded: str) -> bool:
    """Return whether a folded word says nothing about what a question is after."""
    return folded in _STOP_WORDS


PERSON, PLACE, DATE, THING = "person", "place", "date", "thing"
_KINDS = {each: kind for kind, types in _DATA.table("types").items() for each in types.split()}


def kind_of(entity_type: str) -> str:
    """Return PERSON, PLACE, DATE or THING."""
    return _KINDS.get(entity_type, THING)
