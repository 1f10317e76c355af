"""Footnotes: small lines at the foot of a page that begin with a mark."""

from __future__ import annotations

import re
from collections import Counter

from kg_neo4j_readers.pdf.pieces import CALL, Piece

_SMALL = 0.93  # of the height of the words of the page, at most
_NOTE = re.compile(r"[\[(]?(\d{1,3}|[*\u2020\u2021\u00a7\u00b6]{1,3})[\]).:]?\s*(?=\S)")
_CALLED = re.compile(f"\\s?{CALL}([^{CALL}]*){CALL}")


def without_notes(page: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Return the lines of a page without its footnotes, and those. Their marks are out of the lines that have them.

    Footnotes are the last lines of a column, smaller than most words of the page, from one on that begins with a mark.
    """
    heights = Counter[int]()
    for line in page:
        if not line.is_table:
            heights[round(2 * (line.top - line.base))] += len(line.text)
    usual = max(heights, key=lambda each: heights[each], default=0) / 2
    notes = list[Piece]()
    for line in page:
        is_small = not line.is_table and line.top - line.base < _SMALL * usual
        if is_small and (notes or _NOTE.match(line.text)) and not _is_above(line, page, usual):
            notes.append(line)
    marks = {found[1] for line in notes if (found := _NOTE.match(line.text))}
    body = [line for line in page if line not in notes]
    for line in page:
        line.text = _CALLED.sub(lambda each: "" if each[1] in marks else each[0].replace(CALL, ""), line.text)
    return body, notes


def _is_above(line: Piece, page: list[Piece], usual: float) -> bool:
    """Return whether words of the usual size, or a table, are below a line in its column."""
    return any(
        other.base < line.base
        and other.left < line.right
        and line.left < other.right
        and (other.is_table or other.top - other.base >= _SMALL * usual)
        for other in page
    )
