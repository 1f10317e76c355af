"""Tables of a page: between rules, or where words stand in columns over several lines."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from statistics import median

from kg_neo4j_readers.pdf.pieces import Piece, merged, rows_of
from kg_neo4j_readers.pdf.rules import Rule, between, grids, places

_Line = list[Piece]
_Span = tuple[float, float]
_FEWEST = 3  # lines of words in columns without upright rules
_PROSE = 25  # characters of a cell, at the median, from which words in columns are prose
_NEAR = 0.6  # of the height of words: the space between words of one cell, at most
_GUTTER = 0.5  # of the height of words: the space between columns
_LEADERS = re.compile(r"(\.\s*){4,}|[\u2026\u00b7]{3,}")
_LIST_MARK = re.compile(r"[\W_]|[\[(]?(\d{1,3}|[a-z]|[ivxl]+)[\].):]", re.IGNORECASE)
_NUMBER = re.compile(r"[-+(\u2212]?[\d.,\s]*\d[\d.,\s]*[%)\u20ac$\u00a3]?")


def tables_of(words: list[Piece], level: list[Rule], upright: list[Rule]) -> list[tuple[list[Piece], Piece]]:
    """Return the tables of a page: their words, and a piece whose text is a line of cells for each row."""
    found, left = [], list(words)
    for grid in grids(level, upright):
        inside, rows = _in_grid(left, *grid)
        if rows:
            found.append((inside, _table(inside, rows)))
            taken = set(inside)
            left = [each for each in left if each not in taken]
    for side in _sides(left):
        for run in _runs(rows_of(side), level):
            rows = _without_rules(run, level)
            if rows:
                inside = [word for line in run for word in line]
                found.append((inside, _table(inside, rows)))
    return found


def _table(words: Sequence[Piece], rows: Sequence[Sequence[str]]) -> Piece:
    used = [place for place in range(len(rows[0])) if any(row[place] for row in rows)]
    lines = [" | ".join(row[place].replace("|", "/") for place in used) for row in rows if any(row)]
    edges = (min(each.left for each in words), min(each.base for each in words))
    return Piece(
        "\n".join(lines),
        *edges,
        max(each.right for each in words),
        max(each.top for each in words),
        words[0].angle,
        is_table=True,
    )


def _in_grid(words: list[Piece], level: list[Rule], upright: list[Rule]) -> tuple[list[Piece], list[list[str]]]:
    """Return the words within a grid of rules and its rows; none where it is no table. Cells that span repeat."""
    xs, ys = places(upright), places(level)
    inside = [
        each
        for each in words
        if xs[0] <= (each.left + each.right) / 2 <= xs[-1] and ys[0] <= (each.base + each.top) / 2 <= ys[-1]
    ]
    rows, owners = list[list[str]](), list[float]()
    for bottom, top in reversed([*pairwise(ys)]):
        in_band = [each for each in inside if bottom < (each.base + each.top) / 2 <= top]
        if not in_band:
            continue
        lines = rows_of(in_band)
        middle = (bottom + top) / 2
        open_at = [not any(abs(rule.at - x) <= 3 and rule.covers(middle) for rule in upright) for x in xs]
        for part in _split(lines, xs[1:-1], ()) if len(ys) < 4 else [lines]:
            rows.append(_across(part, xs, open_at))
            owners.append(bottom)
    _fill_down(rows, owners, xs, level)
    filled = sum(len({*filter(None, row)}) > 1 for row in rows)
    across = sum(_column(word.left + 2, xs) < _column(word.right - 2, xs) for word in inside)
    is_drawing = across > max(2, len(rows) / 3)  # words run over its lines
    is_table = filled > 1 and 2 * filled >= len(rows) and not is_drawing and (len(ys) > 3 or not _is_text(rows))
    return (inside, rows) if is_table else ([], [])


def _across(lines: list[_Line], xs: list[float], open_at: list[bool]) -> list[str]:
    """Return the cells of a row; one that runs over a border without a rule is in all columns that it spans."""
    cells: list[list[_Line]] = [[] for _ in xs[1:]]
    spans: list[int] = list(range(len(cells)))
    for line in lines:
        for piece in _apart(line, _NEAR):
            first, last = _column(piece[0].left + 1, xs), _column(piece[-1].right - 1, xs)
            if last > first and all(open_at[first + 1 : last + 1]):
                spans[first : last + 1] = [spans[first]] * (last - first + 1)
                cells[first].append(piece)
            elif last > first:
                for word in piece:
                    cells[_column((word.left + word.right) / 2, xs)].append([word])
            else:
                cells[first].append(piece)
    texts = [_text(cell) for cell in cells]
    return [texts[spans[place]] for place in range(len(cells))]


def _column(place: float, xs: list[float]) -> int:
    return min(max(bisect(xs, place) - 1, 0), len(xs) - 2)


def _fill_down(rows: list[list[str]], bottoms: list[float], xs: list[float], level: list[Rule]) -> None:
    """Put the text of a cell that spans rows into each of them."""
    for number, (above, below) in enumerate(pairwise(rows)):
        for column, (left, right) in enumerate(pairwise(xs)):
            border = [rule for rule in level if abs(rule.at - bottoms[number]) <= 3]
            is_closed = any(rule.covers((left + right) / 2) for rule in border)
            if border and not is_closed and above[column] and not below[column]:
                below[column] = above[column]


def _apart(line: _Line, space: float = 1.0) -> list[_Line]:
    """Return the words of a line in pieces with more than a space between them, in heights of words."""
    pieces: list[_Line] = []
    for word in line:
        if pieces and word.left - pieces[-1][-1].right <= space * (word.top - word.base):
            pieces[-1].append(word)
        else:
            pieces.append([word])
    return pieces


def _text(lines: Sequence[_Line]) -> str:
    """Return the words of a cell; a hyphen at the end of its line is left out before a small letter."""
    text = ""
    for line in lines:
        words = merged(line, inf)[0].text
        is_broken = text[-1:] in ("-", "\u00ad") and text[-2:-1].isalpha() and words[:1].islower()
        text = text[:-1] + words if is_broken else f"{text} {words}"
    return " ".join(text.split())


def _sides(words: list[Piece]) -> list[list[Piece]]:
    """Return the words of a page in parts within which lines run: bands, those in two columns of prose parted."""
    rows = rows_of(words)
    lines = [_apart(row) for row in rows]
    left, right = min((word.left for word in words), default=0), max((word.right for word in words), default=0)
    inner = Counter(round(piece[0].left / 2) for line in lines for piece in line[1:])
    middle = [2 * at for at, _ in inner.most_common(12) if 0.3 < (2 * at - left) / (right - left) < 0.7]
    for gutter in sorted(middle, key=lambda at: abs(at - (left + right) / 2)):
        parts = list[list[Piece]]()
        has_columns = False
        for band in _bands(rows):
            sides = [
                [[word for word in row if (word.left >= gutter - 4) is on] for row in band] for on in (False, True)
            ]
            if any(map(_is_column, sides)) and not any(_crosses(row, gutter - 4) for row in band):
                has_columns = True
                parts += [[word for row in side for word in row] for side in sides]
            else:
                parts.append([word for row in band for word in row])
        if has_columns:
            return parts
    return [words]


def _bands(rows: list[_Line]) -> Iterator[list[_Line]]:
    """Yield the lines of a page that follow each other without a larger space."""
    steps = [_base(above) - _base(below) for above, below in pairwise(rows)]
    usual = median(steps) if steps else 0.0
    band = rows[:1]
    for row, step in zip(rows[1:], steps, strict=True):
        if step > 1.8 * usual:
            yield band
            band = []
        band.append(row)
    yield band


def _is_column(lines: list[_Line]) -> bool:
    """Return whether lines, of one side of a page, are prose: not in pieces, and long."""
    filled = [line for line in lines if line]
    whole = [line for line in filled if len(_apart(line)) == 1]
    if len(filled) < _FEWEST or 5 * len(whole) < 4 * len(filled):
        return False
    return median(sum(len(word.text) for word in line) for line in filled) >= _PROSE


def _crosses(row: _Line, gutter: float) -> bool:
    return any(piece[0].left < gutter < piece[-1].right for piece in _apart(row, _NEAR))


def _runs(lines: list[_Line], level: list[Rule]) -> list[list[_Line]]:
    """Return lines that follow each other with spaces between columns that are free in all of them."""
    runs: list[list[_Line]] = []
    place = 0
    while place < len(lines):
        run, free = [lines[place]], _gutters([(-1e9, 1e9)], lines[place])
        while place + len(run) < len(lines) and len(_apart(run[0])) > 1:
            line = lines[place + len(run)]
            narrowed = _gutters(free, line)
            if not _goes_on(run, line, level) or not _inner(narrowed, [*run, line]):
                break
            run.append(line)
            free = narrowed
        while len(run) > 1 and len(_apart(run[-1])) == 1 and run[-1][0].left <= run[0][0].left + 1:
            run.pop()  # a line below the table
        if sum(len(_apart(line)) > 1 for line in run) >= _FEWEST:
            runs.append(run)
            place += len(run)
        else:
            place += 1
    return runs


def _goes_on(run: list[_Line], line: _Line, level: list[Rule]) -> bool:
    last, height = run[-1], _height(line)
    step = _base(last) - _base(line)
    ruled = between(_base(line), _base(last), level, min(run[0][0].left, line[0].left), run[0][-1].right)
    if len(_apart(line)) > 1:
        return step < (4 if ruled else 2.6) * height
    return step < 1.5 * height or (ruled and step < 3 * height)


def _height(line: _Line) -> float:
    return median(word.top - word.base for word in line) or 1.0


def _base(line: _Line) -> float:
    return median(word.base for word in line)


def _gutters(free: list[_Span], line: _Line) -> list[_Span]:
    """Return the parts of spaces that the words of a line leave free."""
    least = _GUTTER * _height(line)
    for word in line:
        free = [
            part
            for start, end in free
            for part in (
                ((start, min(end, word.left)), (max(start, word.right), end))
                if word.left < end and word.right > start
                else ((start, end),)
            )
            if part[1] - part[0] >= least
        ]
    return free


def _inner(free: list[_Span], lines: list[_Line]) -> list[_Span]:
    """Return the spaces that have words on both sides."""
    left, right = min(line[0].left for line in lines), max(word.right for line in lines for word in line)
    return [each for each in free if each[0] > left and each[1] < right]


def _without_rules(run: list[_Line], level: list[Rule]) -> list[list[str]]:
    """Return the rows of lines in columns; none where they are prose, a list or a table of contents."""
    found = [_borders(run[heads:]) for heads in range(min(3, len(run) - 1))]  # heads may span columns
    heads, borders = max(enumerate(found), key=lambda each: (len(each[1]), -each[0]))
    edges = [-1e9, *borders, 1e9]
    rows = [_across([line], edges, [True] * len(edges)) for line in run[:heads]]
    rows += [_across(part, edges, [False] * len(edges)) for part in _split(run[heads:], borders, level)]
    filled = sum(sum(map(bool, row)) > 1 for row in rows)
    firsts = [row[0] for row in rows if row[0]]
    texts = [" ".join(word.text for word in line) for line in run]
    is_list = sum(_LIST_MARK.fullmatch(each) is not None for each in firsts) > len(firsts) / 2
    leads = 2 * sum(_LEADERS.search(each) is not None for each in texts) > len(texts)
    cells = [cell for row in rows for cell in row if cell]
    is_cut = 2 * sum(cell[0].islower() for cell in cells) > len(cells)  # words of prose that happen to be in columns
    is_text = leads or is_cut or (is_list and len(borders) == 1) or _is_text(rows)
    return [] if is_text or filled < 2 or 3 * filled < 2 * len(rows) else rows


def _borders(lines: list[_Line]) -> list[float]:
    """Return the middles of the spaces between columns."""
    free = [(-1e9, 1e9)]
    for line in lines:
        free = _gutters(free, line)
    return [(start + end) / 2 for start, end in _inner(free, lines)]


def _is_text(rows: list[list[str]]) -> bool:
    """Return whether all columns are prose."""
    columns = list(zip(*rows, strict=True))
    lengths = [median(len(cell) for cell in column if cell) for column in columns if any(column)]
    return len(lengths) < 2 or min(lengths) >= _PROSE


def _split(lines: list[_Line], borders: Sequence[float], level: Sequence[Rule]) -> list[list[_Line]]:
    """Return the lines of each row: those between rules; else a line that goes on with cells is of the row above."""
    if len(lines) < 2:
        return [lines]
    left, right = min(line[0].left for line in lines), max(word.right for line in lines for word in line)
    ruled = [between(_base(below), _base(above), level, left, right) for above, below in pairwise(lines)]
    steps = [(_base(above) - _base(below)) / _height(above) for above, below in pairwise(lines)]
    numbers = [_numbers(line, borders) for line in lines]
    pairs = zip(ruled, pairwise(numbers), strict=True)
    has_doubled = any(not is_ruled and one & other for is_ruled, (one, other) in pairs)
    if not has_doubled and sum(ruled) > 1 and len(lines) <= 2.5 * (sum(ruled) + 1):
        starts = ruled
    else:
        tight = 1.15 * min(steps)
        has_both = max(steps) > 1.25 * min(steps)
        starts, columns = [], [_filled(line, borders) for line in lines]
        first = columns[0]
        for number, step in enumerate(steps, 1):
            here = columns[number]
            goes_on = not ruled[number - 1] and step <= tight and here < first and (has_both or 0 not in here)
            goes_on = goes_on and not numbers[number]
            starts.append(not goes_on)
            first = first if goes_on else here
    parts: list[list[_Line]] = [[lines[0]]]
    for line, is_start in zip(lines[1:], starts, strict=True):
        if is_start:
            parts.append([])
        parts[-1].append(line)
    return parts


def _numbers(line: _Line, borders: Sequence[float]) -> set[int]:
    """Return the columns in which a line has a number."""
    return {bisect(borders, (word.left + word.right) / 2) for word in line if _NUMBER.fullmatch(word.text.strip())}


def _filled(line: _Line, borders: Sequence[float]) -> set[int]:
    """Return the numbers of the columns in which a line has words."""
    return {bisect(borders, (word.left + word.right) / 2) for word in line}
