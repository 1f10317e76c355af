"""Headers, footers and page numbers: lines that come on page after page."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j_readers.pdf.pieces import Piece

_PAGE_NUMBER = re.compile(data_files.beside(__file__).text("page_number"))
_EDGE = 3  # lines at the top and at the bottom of a page that may be its header or footer


@dataclass(frozen=True, slots=True)
class PageLines:
    """The lines of a page."""

    body: list[Piece]
    edge: list[Piece]  # headers and footers that no page before has: they are out of the sentences that go on


def without_running(pages: list[list[Piece]]) -> list[PageLines]:
    """Return the lines of pages without headers and footers that came on a page before; none of pages without text.

    Such a line is at the edge of the next page too, or of three pages, at the same height; it ends no sentence. So is
    one with the number of its page, as it is on three pages. Numbers alone are left out everywhere. A page is never
    left without its text.
    """
    edges = [sorted(page, key=lambda line: -line.base) for page in pages]
    on: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for number, page in enumerate(edges):
        for line in page[:_EDGE] + page[-_EDGE:]:
            for key in _keys(line, number):
                on[key].add(number)
    found, seen = list[PageLines](), set[tuple[int, str]]()
    for number, (page, edge) in enumerate(zip(pages, edges, strict=True)):
        out, first = set[Piece](), list[Piece]()
        for side in (edge[:_EDGE], edge[: -_EDGE - 1 : -1]):
            for line in side:
                keys = _keys(line, number)
                running = [key for key in keys[:-1] if _is_running(line, on[key], number)]
                if not running and (line.is_table or len(on[keys[-1]]) < 3):
                    break
                if _PAGE_NUMBER.fullmatch(line.text) or not seen.isdisjoint(running):
                    out.add(line)
                elif line not in first:
                    first.append(line)
                seen.update(running)
        body = [line for line in page if line not in out and line not in first]
        if body and _has_text(first + body):
            found.append(PageLines(body, first))
        else:
            found.append(PageLines(first if _has_text(first) else page if _has_text(page) else [], []))
    return found


def _is_running(line: Piece, pages: set[int], number: int) -> bool:
    near = {number - 2, number + 2} if len(pages) > 2 else set[int]()
    return not line.is_table and line.text[-1] not in ".!?" and not pages.isdisjoint({number - 1, number + 1} | near)


def _has_text(page: list[Piece]) -> bool:
    """Return whether the lines of a page are more than a page number."""
    return bool(page) and not (len(page) == 1 and _PAGE_NUMBER.fullmatch(page[0].text))


def _keys(line: Piece, page: int) -> list[tuple[int, str]]:
    """Return what is equal for a line on two pages: its height and words, also with a number less the page's.

    The last is equal for all lines that begin or end with the number of their page, whatever their words.
    """
    if _PAGE_NUMBER.fullmatch(line.text):
        keys = [(0, "")]
    else:
        words, height = line.text.split(), round(line.base / 6)
        keys = [(height, " ".join(words))]
        for place in (0, -1):
            number = int(words[place][:9]) if len(words) > 2 and words[place].isdecimal() else None
            if number is not None and number < page + 100:  # else it is no page's
                words[place] = f"#{number - page}"
        keys.append((height, " ".join(words)))
    words = line.text.split()
    numbers = [each for each in (words[0], words[-1]) if each.isdecimal() and len(each) < 5]
    return [*keys, (-1, f"{int(numbers[-1]) - page}") if numbers and len(words) < 12 else (-2, str(id(line)))]
