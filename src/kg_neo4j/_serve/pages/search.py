"""Entities and passages that fit some words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kg_neo4j._serve.rendering import Page
from kg_neo4j._serve.service import Service

AROUND = 180  # characters of a passage before and after the first word that was looked for
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a passage, and whether they were looked for."""

    text: str
    is_hit: bool


def excerpt(text: str, words: str) -> tuple[Piece, ...]:
    """Return the words of a passage around the first of `words` in it, or its beginning."""
    text = _SPACE.sub(" ", re.sub(r"(?m)^#{1,6}\s+", "", text)).strip()
    wanted = [re.escape(each) for each in re.findall(r"\w+", words) if len(each) > 2]
    pattern = re.compile(rf"\b(?:{'|'.join(wanted)})\b" if wanted else r"(?!)", re.IGNORECASE)
    found = pattern.search(text)
    first = max((found.start() if found else 0) - AROUND, 0)
    first = text.find(" ", first) + 1 if first else 0
    last = min(first + 2 * AROUND + 60, len(text))
    last = text.rfind(" ", 0, last) if last < len(text) else last
    pieces, at = [Piece("… ", is_hit=False)] if first else [], first
    for hit in pattern.finditer(text, first, last):
        pieces += [Piece(text[at : hit.start()], is_hit=False), Piece(hit.group(), is_hit=True)]
        at = hit.end()
    return (*pieces, Piece(text[at:last] + (" …" if last < len(text) else ""), is_hit=False))


def view(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of hits; none before there are words."""
    words, cursor = given.get("words", "").strip(), given.get("cursor")
    found = service.search(words, limit=10, cursor=cursor) if words else None
    return {"words": words, "found": found, "is_first": not cursor}


FUNCTIONS = {"excerpt": excerpt}
PAGES = (Page("/search", "search.html", view, title="Search", rank=20),)
