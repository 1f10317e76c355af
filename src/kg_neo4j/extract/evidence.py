"""Where the words that support a row are in the text. Pure.

Two ways, in this order: the words exactly; the words with case, accents, white space, typographic quotes and dashes
folded, and without hyphens in words, also at the end of a line. Words joined by "..." are looked for in their order.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from kg_neo4j.records import Span

EXACT, FOLDED = "exact", "folded"

_EDGE = " \t\n\"'“”„‘’«».,;:…"
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…|\[\.\.\.\]|\[…\])\s*")
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
    return _locate_parts(parts, text) if len(parts) > 1 else _locate_folded(wanted, text, 0)


def _locate_parts(parts: list[str], text: str) -> Span | None:
    """Find quoted parts one after the other."""
    spans: list[Span] = []
    for part in parts:
        if (found := _locate_folded(part, text, spans[-1].end if spans else 0)) is None:
            return None
        spans.append(found)
    return replace(spans[0], others=tuple((each.start, each.end) for each in spans[1:]))


def _locate_folded(words: str, text: str, after: int) -> Span | None:
    folded = _fold(text)
    wanted = _fold(words.strip(_EDGE)).text.strip()
    start = folded.text.find(wanted) if wanted else -1
    while start >= 0 and folded.places[start] < after:
        start = folded.text.find(wanted, start + 1)
    return _span(folded, start, start + len(wanted), text) if start >= 0 else None


def _span(folded: _Folded, start: int, end: int, text: str) -> Span:
    """Map a span of the folded text to the original; combining marks stay with the character that they follow."""
    first, last = folded.places[start], folded.places[end - 1] + 1
    while last < len(text) and unicodedata.combining(text[last]):
        last += 1
    return Span(first, last, FOLDED)


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
