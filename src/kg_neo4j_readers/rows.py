"""Rows of cells as text: a line for each row, which ends with its number. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kg_neo4j.acquire.decoding import normalise_text
from kg_neo4j.errors import UnreadableSource

HEAD = "Row"  # of the last column, where the first row has the heads of the others
MAX_COLUMNS = 5_000
_NUMBER = re.compile(r"[-+(]?[\d.,\s]*\d[\d.,]*\s*[%)€$£]?")


def text_of(rows: Iterable[tuple[int, Sequence[str]]]) -> str:
    """Return the rows that are not empty as lines of cells; `rows` are numbers, from 1, and cells.

    The number of a row is its last cell, so that words that are cited name their row. Columns that are empty are left
    out. Raises UnreadableSource for more than 5,000 columns.
    """
    kept = [(number, cells) for number, row in rows if any(cells := [_line(cell) for cell in row])]
    width = max((len(cells) for _, cells in kept), default=0)
    if width > MAX_COLUMNS:
        raise UnreadableSource(f"{width:,} columns; at most {MAX_COLUMNS:,} are read")
    used = sorted({place for _, cells in kept for place, cell in enumerate(cells) if cell})
    return "\n".join(_lines(kept, used))


def _lines(rows: Sequence[tuple[int, Sequence[str]]], used: Sequence[int]) -> Iterator[str]:
    """Yield the lines of rows: titles above the heads, then the heads, then what they head."""
    has_heads = False
    for number, cells in rows:
        shown = [cells[column] if column < len(cells) else "" for column in used]
        filled = [cell for cell in shown if cell]
        if not has_heads and len(used) > 2 and len(filled) == 1:
            yield f"{filled[0]} | {number}"
            continue
        is_head = not has_heads and filled == shown and not any(map(_NUMBER.fullmatch, shown))
        has_heads = True
        yield " | ".join([*shown, HEAD if is_head and number < rows[-1][0] else str(number)])


def _line(cell: str) -> str:
    return " ".join(normalise_text(cell).replace("|", "/").split())
