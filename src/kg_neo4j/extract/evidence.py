"""Where the words that support a row are in the text. Pure.

Three ways, in this order: the words exactly; the words with case, accents, white space, typographic quotes and dashes
folded, and without hyphens in words, also at the end of a line; the most similar place by edit distance, if at least 90
of 100 (about one wrong character in ten) and with the same numbers and negations. Words joined by "..." are looked for
one after the other.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from kg_neo4j.acquire.structure import stripped
from kg_neo4j.records import Span

THRESHOLD = 90.0  # rapidfuzz's partial ratio: insertions and deletions, over both lengths, in hundredths
MIN_FUZZY, MAX_FUZZY = 12, 600  # characters: shorter words are found by chance, longer ones take too long
MAX_FUZZY_TEXT = 200_000  # characters
EXACT, FOLDED, FUZZY = "exact", "folded", "fuzzy"

_EDGE = " \t\n\"'“”„‘’«».,;:…"
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…|\[\.\.\.\]|\[…\])\s*")
_TELLING = re.compile(r"\d+|\b(?:not?|never|nor|without|nie|nicht|kein\w*|nigdy|bez|pas|jamais)\b|n't\b")
_WITHIN_WORD = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011\u00ad]\s*(?=[^\W\d_])")  # "well-known", "Lind-\nqvist"
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"') | dict.fromkeys("\u2010\u2011\u2012–—―−", "-")
)


@dataclass(frozen=True, slots=True)
class _Folded:
    """Folded text, and for each of its characters the place in the original that it came from."""

    text: str
    places: tuple[int, ...]


def locate(words: str, text: str) -> Span | None:
    """Return where `words` are in `text` (code points of `text`, half open), or None where they do not."""
    wanted = words.strip()
    if not wanted:
        return None
    if (start := text.find(wanted)) >= 0:
        return Span(start, start + len(wanted), EXACT)
    parts = [part for part in _ELLIPSIS.split(wanted.strip(_EDGE)) if part.strip(_EDGE)]
    if len(parts) > 1:
        return _locate_parts(parts, text)
    return _locate_folded(wanted, text, 0) or _locate_similar(wanted, text)


def _locate_parts(parts: list[str], text: str) -> Span | None:
    """Find quoted parts one after the other; the span reaches from the first to the last."""
    spans: list[Span] = []
    for part in parts:
        found = _locate_folded(part, text, spans[-1].end if spans else 0)
        if found is None:
            return None
        spans.append(found)
    return Span(spans[0].start, spans[-1].end, FUZZY)


def _locate_folded(words: str, text: str, after: int) -> Span | None:
    folded = _fold(text)
    wanted = _fold(words.strip(_EDGE)).text.strip()
    start = folded.text.find(wanted) if wanted else -1
    while start >= 0 and folded.places[start] < after:
        start = folded.text.find(wanted, start + 1)
    return _span(folded, start, start + len(wanted), text, FOLDED) if start >= 0 else None


def _locate_similar(words: str, text: str) -> Span | None:
    from rapidfuzz import fuzz

    wanted = _fold(words.strip(_EDGE)).text.strip()
    if not MIN_FUZZY <= len(wanted) <= MAX_FUZZY or len(wanted) > len(text) or len(text) > MAX_FUZZY_TEXT:
        return None
    folded = _fold(text)
    found = fuzz.partial_ratio_alignment(wanted, folded.text, score_cutoff=THRESHOLD)
    if found is None:
        return None
    start, end = _whole_words(folded.text, found.dest_start, found.dest_end)
    if _TELLING.findall(folded.text[start:end]) != _TELLING.findall(wanted):
        return None
    return _span(folded, start, end, text, FUZZY)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span that cuts words, and drop white space at its edges."""
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return stripped(text, start, end)


def _span(folded: _Folded, start: int, end: int, text: str, method: str) -> Span:
    """Map a span of the folded text to the original; combining marks stay with the character that they follow."""
    first, last = folded.places[start], folded.places[end - 1] + 1
    while last < len(text) and unicodedata.combining(text[last]):
        last += 1
    return Span(first, last, method)


@lru_cache(maxsize=16)
def _fold(text: str) -> _Folded:
    """Fold case, accents, white space and typography; a character may become none or several, each keeps its place."""
    chars: list[str] = []
    places: list[int] = []
    after_space = False
    left_out = {place for found in _WITHIN_WORD.finditer(text) for place in range(*found.span())}
    for place, char in enumerate(text):
        if place in left_out:
            continue
        if char.isspace():
            if not after_space:
                chars.append(" ")
                places.append(place)
            after_space = True
            continue
        plain = char.lower() if char.isascii() else _fold_char(char)
        if plain:
            after_space = False
        chars.extend(plain)
        places.extend([place] * len(plain))
    return _Folded("".join(chars), tuple(places))


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    decomposed = unicodedata.normalize("NFKD", char.translate(_TYPOGRAPHY)).casefold()
    return "".join(
        part
        for part in unicodedata.normalize("NFKD", decomposed)
        if not unicodedata.combining(part) and unicodedata.category(part) != "Cf"
    ).replace(" ", "")
