"""Where the words that support a row are in the text. Pure.

Two ways, in this order: the words exactly; the words with case, accents, white space, typographic quotes and dashes
folded, and without hyphens in words, also at the end of a line. Words joined by "..." are looked for in their order.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from kg_neo4j.records import Span

EXACT, FOLDED = "exact", "folded"

_EDGE = " \t\n\"'“”„‘’«».,;:…"
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…|\[\.\.\.\]|\[…\])\s*")
_WITHIN_WORD = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011\u00ad]\s*(?=[^\W\d_])")  # "well-known", "Lind-\nqvist"
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"') | dict.fromkeys("\u2010\u2011\u2012–—―−", "-")
)


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
    folded, places = _fold(text)
    wanted = _fold(words.strip(_EDGE))[0].strip()
    start = folded.find(wanted) if wanted else -1
    while start >= 0 and places[start] < after:
        start = folded.find(wanted, start + 1)
    if start < 0:
        return None
    end = places[start + len(wanted) - 1] + 1
    while end < len(text) and unicodedata.combining(text[end]):  # marks stay with the character that they follow
        end += 1
    return Span(places[start], end, FOLDED)


@lru_cache(maxsize=16)
def _fold(text: str) -> tuple[str, tuple[int, ...]]:
    """Return text with case, accents, white space and typography folded, and the place that each character is from."""
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
    return "".join(chars), tuple(places)


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    decomposed = unicodedata.normalize("NFKD", char.translate(_TYPOGRAPHY)).casefold()
    return "".join(
        part
        for part in unicodedata.normalize("NFKD", decomposed)
        if not unicodedata.combining(part) and unicodedata.category(part) != "Cf"
    ).replace(" ", "")
