"""Parts of passages to show, around the words of a search. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

AROUND = 180  # characters of a passage before and after the first word that was looked for


@dataclass(frozen=True, slots=True)
class Highlight:
    """Words of a passage, and whether they were looked for."""

    text: str
    is_hit: bool


def excerpt(text: str, words: str) -> tuple[Highlight, ...]:
    """Return the part of a passage around the first of `words` in it, or its beginning, in pieces."""
    text = " ".join(re.sub(r"(?m)^#{1,6}\s+", "", text).split())
    wanted = [re.escape(each) for each in re.findall(r"\w+", words) if len(each) > 2]
    pattern = re.compile(rf"\b(?:{'|'.join(wanted)})\b" if wanted else r"(?!)", re.IGNORECASE)
    found = pattern.search(text)
    first = max((found.start() if found else 0) - AROUND, 0)
    first = text.find(" ", first) + 1 if first else 0
    last = min(first + 2 * AROUND + 60, len(text))
    last = text.rfind(" ", 0, last) if last < len(text) else last
    pieces, at = [Highlight("… ", is_hit=False)] if first else [], first
    for hit in pattern.finditer(text, first, last):
        pieces += [Highlight(text[at : hit.start()], is_hit=False), Highlight(hit.group(), is_hit=True)]
        at = hit.end()
    return (*pieces, Highlight(text[at:last] + (" …" if last < len(text) else ""), is_hit=False))
