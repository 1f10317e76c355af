"""Words as numbered pieces, the way BERT's vocabularies cut them, and the letter case that these drop. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

SHAPES = 17  # eight cases, each inside or at the start of a sentence, and one for the marks around a text
MARK_SHAPE = 16
CASES = 8
MOST = 8  # pieces of one word
UNKNOWN = "[UNK]"


def split_word(word: str, known: Mapping[str, int]) -> tuple[int, ...]:
    """Return the numbers of a word's pieces: lower case, without accents, longest pieces first; eight at most."""
    folded = unicodedata.normalize("NFD", word.lower())
    folded = "".join(letter for letter in folded if unicodedata.category(letter) != "Mn")
    numbers: list[int] = []
    for part in _parts(folded):
        numbers += _split(part, known)
    return tuple(numbers[:MOST]) or (known[UNKNOWN],)


def shape(word: str, *, starts: bool) -> int:
    """Return the number of a word's letter case; `starts` says that it opens a sentence."""
    case = 7
    if word.islower():
        case = 0
    elif word.istitle() and len(word) > 1:
        case = 1
    elif word.isupper():
        case = 2 if len(word) > 1 else 3
    elif word.isdigit():
        case = 4
    elif any(letter.isdigit() for letter in word):
        case = 5
    elif any(letter.isupper() for letter in word):
        case = 6
    return case + CASES * starts


def _parts(word: str) -> list[str]:
    """Return runs of letters and digits, and each other sign by itself."""
    parts: list[str] = []
    is_open = False
    for letter in word:
        if unicodedata.category(letter)[0] in "PS":
            parts.append(letter)
            is_open = False
        elif letter.isspace():
            is_open = False
        elif is_open:
            parts[-1] += letter
        else:
            parts.append(letter)
            is_open = True
    return parts


def _split(part: str, known: Mapping[str, int]) -> list[int]:
    numbers = []
    start = 0
    while start < len(part):
        lead = "##" if start else ""
        end = next((end for end in range(len(part), start, -1) if lead + part[start:end] in known), None)
        if end is None:
            return [known[UNKNOWN]]
        numbers.append(known[lead + part[start:end]])
        start = end
    return numbers
