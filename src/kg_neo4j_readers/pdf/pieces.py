"""Words of a page with their places, and what is near what. In points of the page."""

from __future__ import annotations

import cmath
import re
from dataclasses import dataclass, replace
from math import inf
from operator import itemgetter

CALL = "\ufdd0"  # before and behind the mark of a footnote within words
MARK = re.compile(r"\d{1,3}|[*\u2020\u2021\u00a7\u00b6]{1,3}")
Box = tuple[float, float, float, float]  # left, bottom, right, top


@dataclass(slots=True, eq=False)
class Piece:
    """Words set close together on one line. In points of the page, which is turned so that the words run right."""

    text: str
    left: float
    base: float
    right: float
    top: float
    angle: float = 0.0  # radians
    line: float = 0.0  # height of the line on which it is set
    is_table: bool = False  # of lines of cells
    longest: tuple[int, float] = (0, 0.0)  # length of the longest word, and how far it rises above its line

    def gap(self, other: Piece) -> float:
        """Return the space between both, below 0 where they overlap; infinite where they are in different rows."""
        height = min(self.top - self.base, other.top - other.base)
        is_line = self.angle == other.angle and not self.is_table and not other.is_table
        is_near = abs(self.base - other.base) < 0.6 * height  # so is a superscript
        in_row = is_line and (is_near or is_mark(self, other) or is_mark(other, self))
        return max(other.left - self.right, self.left - other.right) if in_row else inf


def is_mark(piece: Piece, other: Piece) -> bool:
    """Return whether a word may be the mark of a footnote: smaller than words next to it, and higher."""
    height, raised = other.top - other.base, piece.line - other.line
    is_small = piece.top - piece.base < 0.85 * height
    return is_small and 0.1 * height < raised < height and MARK.fullmatch(piece.text.strip()) is not None


def turned(box: Box, angle: float) -> Box:
    """Return left, bottom, right and top of a box of the page after it was turned by `angle`."""
    if not angle:
        return box
    corners = [complex(*corner) * cmath.rect(1.0, angle) for corner in (box[:2], box[2:])]
    (left, right), (bottom, top) = sorted(each.real for each in corners), sorted(each.imag for each in corners)
    return left, bottom, right, top


def merged(pieces: list[Piece], limit: float) -> list[Piece]:
    """Return pieces with those in one that follow each other in a row, at most `limit` times their height apart."""
    merged: list[Piece] = []
    for piece in pieces:
        gap, height = merged[-1].gap(piece) if merged else inf, piece.top - piece.base
        if gap < inf and -height < gap <= limit * height:
            last = merged[-1]
            is_call = is_mark(piece, last)
            text = f"{CALL}{piece.text.strip()}{CALL}" if is_call else piece.text
            space = gap > 0.1 * height or is_mark(last, piece)
            last.text += " " * (space and not is_call and text[0] != " ") + text
            last.longest = max(last.longest, piece.longest, key=itemgetter(0))
            last.left, last.right = min(last.left, piece.left), max(last.right, piece.right)
            if height > last.top - last.base:
                last.base, last.top, last.line = piece.base, piece.top, piece.line
        else:
            merged.append(replace(piece, text=piece.text.strip()))
    return merged


def rows_of(pieces: list[Piece]) -> list[list[Piece]]:
    """Return the rows of a page from its top, the pieces of each from the left."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda each: (each.angle, -each.base)):
        if not rows or piece.gap(rows[-1][0]) == inf:
            rows.append([])
        rows[-1].append(piece)
    return [sorted(row, key=lambda piece: piece.left) for row in rows]
