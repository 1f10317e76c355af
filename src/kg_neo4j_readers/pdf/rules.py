"""Straight lines that are drawn on a page: rules of tables, and edges of shaded cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ctypes import c_float
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from kg_neo4j_readers.pdf.pieces import turned

NEAR = 3.0  # points between lines that are one
MOST = 20_000  # points of paths on a page; more are a map or a plot
_LEAST = 4.0  # points, the length of a line
_DEPTH = 5  # drawings within drawings
_Matrix = tuple[float, float, float, float, float, float]
_Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rule:
    """A line. `at` is the height of a level one, the place from the left of an upright one."""

    at: float
    start: float
    end: float

    def crosses(self, other: Rule) -> bool:
        """Return whether a level and an upright line meet."""
        is_at = other.start - NEAR <= self.at <= other.end + NEAR
        return is_at and self.start - NEAR <= other.at <= self.end + NEAR

    def touches(self, other: Rule) -> bool:
        """Return whether two lines of one kind have a part in common, or nearly."""
        return self.start <= other.end + NEAR and other.start <= self.end + NEAR

    def covers(self, place: float) -> bool:
        """Return whether a place is along the line."""
        return self.start - NEAR <= place <= self.end + NEAR


def rules_of(page: pypdfium2.PdfPage, angle: float) -> tuple[list[Rule], list[Rule]]:
    """Return the level and the upright lines of a page that was turned by `angle`; none where it has too many."""
    level, upright = list[Rule](), list[Rule]()
    for number, ((x, y), (u, v)) in enumerate(_edges(page)):
        if number > MOST:
            return [], []
        left, bottom, right, top = turned((min(x, u), min(y, v), max(x, u), max(y, v)), angle)
        if right - left >= _LEAST and top - bottom < 1:
            level.append(Rule((bottom + top) / 2, left, right))
        elif top - bottom >= _LEAST and right - left < 1:
            upright.append(Rule((left + right) / 2, bottom, top))
    return _joined(level), _joined(upright)


def _joined(rules: Iterable[Rule]) -> list[Rule]:
    """Return lines with those in one that are next to each other and touch."""
    joined = list[Rule]()
    for rule in sorted(rules, key=lambda each: (each.at, each.start)):
        near = takewhile(lambda each: rule.at - joined[each].at <= NEAR, range(len(joined) - 1, -1, -1))  # noqa: B023
        touched = (
            each for each in near if rule.start <= joined[each].end + NEAR and joined[each].start <= rule.end + NEAR
        )
        place = next(touched, None)
        if place is None:
            joined.append(rule)
        else:
            last = joined[place]
            joined[place] = Rule(last.at, min(rule.start, last.start), max(rule.end, last.end))
    return joined


def _edges(page: pypdfium2.PdfPage) -> Iterator[tuple[_Point, _Point]]:
    """Yield the straight lines of all paths that are drawn, in points of the page."""
    number = range(pdfium.FPDFPage_CountObjects(page.raw))
    objects = ((pdfium.FPDFPage_GetObject(page.raw, each), (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)) for each in number)
    yield from _edges_of(objects, 0)


def _edges_of(objects: Iterable[tuple[Any, _Matrix]], depth: int) -> Iterator[tuple[_Point, _Point]]:
    for handle, outer in objects:
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind not in (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_FORM):
            continue
        found = pdfium.FS_MATRIX()
        pdfium.FPDFPageObj_GetMatrix(handle, found)
        matrix = _product((found.a, found.b, found.c, found.d, found.e, found.f), outer)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            yield from _segments(handle, matrix)
        elif depth < _DEPTH:
            inner = range(pdfium.FPDFFormObj_CountObjects(handle))
            yield from _edges_of(((pdfium.FPDFFormObj_GetObject(handle, each), matrix) for each in inner), depth + 1)


def _segments(path: Any, matrix: _Matrix) -> Iterator[tuple[_Point, _Point]]:
    """Yield the straight lines of a path, where it is filled or stroked."""
    fill, stroke, x, y = pdfium.c_int(), pdfium.c_int(), c_float(), c_float()
    pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
    if not fill.value and not stroke.value:
        return
    begin = last = (0.0, 0.0)
    for number in range(min(pdfium.FPDFPath_CountSegments(path), MOST)):
        segment = pdfium.FPDFPath_GetPathSegment(path, number)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix[0] * x.value + matrix[2] * y.value + matrix[4],
            matrix[1] * x.value + matrix[3] * y.value + matrix[5],
        )
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            begin = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield last, point
        last = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield last, begin


def _product(one: _Matrix, other: _Matrix) -> _Matrix:
    a, b, c, d, e, f = one
    p, q, r, s, t, u = other
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def places(rules: Iterable[Rule]) -> list[float]:
    """Return where lines are, those near each other as one, in order."""
    found = list[float]()
    for at in sorted(rule.at for rule in rules):
        if not found or at - found[-1] > NEAR:
            found.append(at)
    return found


def grids(level: list[Rule], upright: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Return the lines of each grid: those that meet, at least two that are level and three that are upright."""
    lines = [*level, *upright]
    group = list(range(len(lines)))

    def root(place: int) -> int:
        while group[place] != place:
            group[place] = group[group[place]]
            place = group[place]
        return place

    for one, flat in enumerate(level):
        for other, rule in enumerate(upright, len(level)):
            if flat.crosses(rule):
                group[root(one)] = root(other)
    found: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for place, rule in enumerate(lines):
        found.setdefault(root(place), ([], []))[place >= len(level)].append(rule)
    return [each for each in found.values() if len(places(each[0])) > 1 and len(places(each[1])) > 2]


def between(low: float, high: float, rules: Iterable[Rule], left: float, right: float) -> bool:
    """Return whether a level line parts two heights, over half of the width."""
    return any(
        low < rule.at < high and min(rule.end, right) - max(rule.start, left) > (right - left) / 2 for rule in rules
    )
