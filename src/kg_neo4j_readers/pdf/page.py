"""The lines of a page in the order of reading.

PDFium gives characters with their places, in the order in which they were drawn; the order of reading is found here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from ctypes import c_double
from itertools import chain, groupby, pairwise, repeat
from math import inf
from operator import add, sub
from statistics import median, mode

import pypdfium2
import pypdfium2.raw as pdfium

from kg_neo4j import data_files
from kg_neo4j_readers.pdf.fields import fields_of
from kg_neo4j_readers.pdf.pieces import Box, Piece, merged, rows_of, turned
from kg_neo4j_readers.pdf.rules import rules_of
from kg_neo4j_readers.pdf.tables import tables_of

_DATA = data_files.beside(__file__)
_WORD, _ACCENT = (re.compile(_DATA.text(name)) for name in ("word", "accent"))
_MARKS = str.maketrans(_DATA.table("marks"))
_RAISED = 1.5  # points from which a character is on a line of its own
_ROWS = 4  # that show two columns


def lines_of(page: pypdfium2.PdfPage) -> list[Piece]:
    """Return the lines and tables of a page in the order of reading. A page with a form has no tables."""
    words = _words(page)
    pieces = merged(words, 1.0)
    fields = fields_of(page, pieces)
    if fields:
        return merged([*chain.from_iterable(rows_of(pieces + fields))], inf)
    return lines_from(page, words)


def lines_from(page: pypdfium2.PdfPage, words: list[Piece]) -> list[Piece]:
    """Return the lines and tables that words make, in the order of reading."""
    return merged(in_order(merged(_with_tables(page, words), 1.0)), inf) if words else []


def _with_tables(page: pypdfium2.PdfPage, words: list[Piece]) -> list[Piece]:
    """Return the words of a page with each table in the place of its first word."""
    angle = mode(word.angle for word in words)
    found = tables_of([word for word in words if word.angle == angle], *rules_of(page, angle))
    owner = {word: number for number, (inside, _) in enumerate(found) for word in inside}
    kept, seen = list[Piece](), set[int]()
    for word in words:
        if word not in owner:
            kept.append(word)
        elif owner[word] not in seen:
            seen.add(owner[word])
            kept.append(found[owner[word]][1])
    return kept


def _words(page: pypdfium2.PdfPage) -> list[Piece]:
    """Return the words of a page as they were drawn; the mark of a footnote is a word of its own."""
    text, box, words, x, y = page.get_textpage(), pdfium.FS_RECTF(), list[Piece](), c_double(), c_double()
    handle, box_of = text.raw, pdfium.FPDFText_GetLooseCharBox
    chars = "".join(map(chr, map(pdfium.FPDFText_GetUnicode, repeat(handle), range(text.count_chars()))))

    def line_of(place: int, angle: float) -> float:
        pdfium.FPDFText_GetCharOrigin(handle, place, x, y)
        return turned((x.value, y.value, x.value, y.value), angle)[1]

    for found in _WORD.finditer(chars):
        angle, boxes = round(pdfium.FPDFText_GetCharAngle(handle, found.start()), 1), list[Box]()
        for place in range(*found.span()):
            box_of(handle, place, box)
            boxes.append((box.left, box.bottom, box.right, box.top))
        first, last = line_of(found.start(), angle), line_of(found.end() - 1, angle)
        parts = [(slice(None), first)]
        if abs(first - last) > _RAISED:
            cut = next(at for at in range(1, len(boxes)) if abs(line_of(found.start() + at, angle) - first) > _RAISED)
            parts = [(slice(cut), first), (slice(cut, None), line_of(found.start() + cut, angle))]
        parted = [_word(found[0][part], boxes[part], line, angle) for part, line in parts]
        parted[0].text = " " * (chars[found.start() - 1] == " ") + parted[0].text
        words += parted
    return words


def _word(chars: str, boxes: Sequence[Box], line: float, angle: float) -> Piece:
    """Return characters as a word, with spaces where they are apart."""
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    word = Piece(chars, *turned((min(lefts), min(bottoms), max(rights), max(tops)), angle), angle, line)
    if not angle and max(map(sub, lefts[1:], rights), default=0) > (gap := 0.2 * (word.top - word.base)):
        spaces = [" " * (left - right > gap) for left, right in zip(lefts[1:], rights, strict=False)]
        word.text = "".join(map(add, chars, (*spaces, "")))
    word.text = _ACCENT.sub(lambda each: (each[2] + each[1]).translate(_MARKS), word.text).replace("\x02", "-")
    word.longest = (len(chars), word.top - line)
    return word


def in_order(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of a page as they were drawn, which writers do by paragraph, column and cell.

    But columns of prose that were drawn row by row come one after the other.
    """
    rows = rows_of(pieces)
    inner = Counter(round(piece.left / 4) for row in rows for piece in row[1:])
    start = min((4 * each - 4 for each, count in inner.items() if count >= _ROWS), default=None)
    if start is None:
        return pieces
    places, found = {piece: place for place, piece in enumerate(pieces)}, list(pieces)
    for whole, band in groupby(rows, lambda row: any(each.left < start < each.right - 4 for each in row)):
        parted = list(band)
        both = sum(row[0].left < start <= row[-1].left for row in parted)
        if whole or both < _ROWS:
            continue
        slots = sorted(places[piece] for piece in chain.from_iterable(parted))
        drawn = [pieces[slot] for slot in slots]
        sides = [piece for piece in drawn if piece.left < start], [piece for piece in drawn if piece.left >= start]
        changes = sum((one.left < start) != (other.left < start) for one, other in pairwise(drawn))
        is_prose = all(median(len(piece.text) for piece in side) >= 20 for side in sides)  # characters
        if is_prose and changes >= both and 5 * sum(piece.text[0].islower() for piece in drawn) >= len(drawn):
            drawn = [*chain.from_iterable(rows_of(sides[0])), *in_order(sides[1])]
        for slot, piece in zip(slots, drawn, strict=True):
            found[slot] = piece
    return found
