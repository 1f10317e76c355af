"""The list of documents, and the text of one with its evidence marked."""

from __future__ import annotations

import re
from base64 import b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from kg_neo4j.acquire import pictures
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.records import Fact
from kg_neo4j_serve import limits
from kg_neo4j_serve.refusals import missing
from kg_neo4j_serve.rendering import ServedPage
from kg_neo4j_serve.service import Service

PASSAGES = 8  # of a page: some 40,000 characters
ROWS = 50  # the same, of a table
MARKS = 500  # mentions, and statements, of one passage
SECTIONS = 200  # in the list of a document's sections

_BREAK = re.compile(r"\n[ \t\r]*\n\s*")
_HEADING = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_SHORT = 64  # characters: lines of verse or of a list are kept apart, those of prose run on


def listed(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of the documents."""
    words, cursor = given.get("words", ""), given.get("cursor")
    found = service.documents(words, limit=limits.MOST_ROWS, cursor=cursor)
    return {"found": found, "words": words, "is_first": not cursor}


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a page of a document: the one that `cursor` says, or that has the passage that is meant."""
    database, graph = service.database(), service.graph
    id = limits.checked(given.get("id", ""), "id")
    rows = database.read(queries.get("serve/document_at"), graph=graph, id=id, most=SECTIONS)
    if not rows:
        raise missing(f"no document and no passage of graph {graph!r} has the id {id[:80]!r}")
    row, cursor = rows[0], given.get("cursor")
    size = ROWS if row["kind"] == "table" else PASSAGES
    first = limits.start_of(cursor) if cursor else _page_of(row["chunk"] or 0, size)
    passages = database.read(queries.get("serve/passages"), graph=graph, id=row["id"], before=0, skip=first, limit=size)
    ids = [each["id"] for each in passages]
    found = database.read(queries.get("serve/evidence_in_chunks"), graph=graph, ids=ids, most=MARKS)
    evidence = {each["id"]: each for each in found}
    meant = _span(given) if row["chunk"] is not None else None
    following = first + len(passages)
    marked = [_marked(each, evidence.get(each["id"]), row["pages"], id, meant) for each in passages]
    widest = sorted((each["cells"] for each in marked), key=len, reverse=True)  # a row leaves out what is empty
    document = {
        **{name: row[name] or "" for name in ("id", "title", "kind", "key")},
        "url": row["url"] if (row["url"] or "").startswith(("https://", "http://")) else "",  # that a browser opens
        "language": row["language"] or "",
        "total": row["total"],  # passages
        "sections": _sections(row["sections"], size),
        "columns": list(dict.fromkeys(name for cells in widest for name in cells if name)),  # of the rows of a table
        "passages": marked,
        "before": limits.cursor_at(max(first - size, 0)) if first else None,
        "cursor": limits.cursor_at(following) if passages and following < row["total"] else None,
    }
    begins = next((each["start"] + (meant or (0,))[0] for each in passages if each["id"] == id), None)
    here = bisect_right(row["pages"], begins) if row["pages"] and begins is not None else None
    return {"document": document | {"picture": _picture(service, row["sha256"] or "", here), "picture_of": here}}


def _picture(service: Service, text: str, page: int | None) -> str:
    """Return the picture of a page that was read from a scan on this machine; empty where there is none."""
    path = pictures.of_page(service.settings.home, text, page or 0)
    is_there = re.fullmatch("[0-9a-f]{64}", text) is not None and path.is_file()
    return f"data:image/jpeg;base64,{b64encode(path.read_bytes()).decode()}" if is_there else ""


def _page_of(index: int, size: int) -> int:
    return index // size * size


def _span(given: Mapping[str, str]) -> tuple[int, int] | None:
    """Return the words that a link leads to. Raises UsageError for what are no offsets."""
    if "start" not in given or "end" not in given:
        return None
    place = given["start"], given["end"]
    if not all(each.isascii() and each.isdecimal() and len(each) < 10 for each in place):
        raise UsageError("start and end are offsets into the passage", hint="leave both out for the whole passage")
    return int(place[0]), int(place[1])


def _sections(rows: Sequence[tuple[str, int]], size: int) -> list[dict[str, Any]]:
    """Return the sections that begin within or before each passage, with the cursor of the page that has it."""
    found = []
    for path, index in rows:
        *outer, title = path.split(" > ")
        page = _page_of(index, size)
        cursor = limits.cursor_at(page) if page else None
        found.append({"title": title, "depth": len(outer), "index": index, "cursor": cursor})
    return found if len(found) > 1 else []


def _marked(
    row: Mapping[str, Any], found: Mapping[str, Any] | None, pages: Sequence[int] | None, id: str, meant: Any
) -> dict[str, Any]:
    """Return a passage with its evidence marked; it `is_here` where a link leads to it and to no words in it."""
    text, start = limits.shortened(row["text"] or ""), row["start"]
    cells = _cells(text) if row["line"] is not None else []
    places = [place for _, *place in cells] or [[0, limits.MOST_BODY]]
    mentions = [
        _mention(text, of, name, own, max(start, first), min(end, last))
        for of, name, own, start, end in (found["mentions"] if found else ())
        for first, last in places
    ]
    statements = _statements(found["statements"], found["corrected"]) if found else ()
    begun = [(at - start, number) for number, at in enumerate(pages or (), 1) if start < at < start + len(text)]
    is_meant = row["id"] == id
    numbered = () if cells else statements
    marked = blocks(text, [each for each in mentions if each], numbered, meant if is_meant else None, begun, cells)
    return {
        "chunk_id": row["id"],
        "index": row["index"],
        "section": row["section"],
        "line": row["line"],  # of a table
        "page": bisect_right(pages, start) if pages else None,  # of a PDF, from 1: on which it begins
        "is_meant": is_meant,
        "is_here": is_meant and not any(part.is_here for block in marked for part in block.parts),
        "blocks": () if cells else marked,
        "cells": {block.kind: block for block in marked} if cells else {},  # of a row, by the name of the column
        "statements": statements,
    }


def _cells(text: str) -> list[tuple[str, int, int]]:
    """Return the columns of a row, and where their values are; no column and all of a row that could not be read."""
    cells, at = [], 0
    pieces = text.split(" | ")
    for piece in pieces:
        name, colon, _ = piece.partition(": ")
        cells += [(name, at + len(name) + 2, at + len(piece))] if colon else []
        at += len(piece) + 3
    return cells if len({name for name, *_ in cells}) == len(pieces) else [("", 0, len(text))]


def _mention(text: str, id: str, name: str, as_written: str, start: int, end: int) -> MarkedMention | None:
    """Return where the words of a mention name the entity; None where they do so by another word."""
    words = text[start:end].casefold()
    for each in (as_written, name):
        at = words.find(each.casefold()) if each else -1
        if at >= 0 and len(words) == end - start:
            return MarkedMention(start + at, start + at + len(each), name, id)
    return None


def _statements(rows: Sequence[Sequence[Any]], corrected: Sequence[Sequence[Any]] = ()) -> tuple[MarkedFacts, ...]:
    """Return statements with what the same words state together, and what a person called wrong of it."""
    by_place: dict[tuple[int, int], tuple[list[Fact], list[Mapping[str, str]]]] = {}
    for start, end, id, kind, source_id, source, target_id, target in rows:
        fact = Fact(id, source or "", source_id, kind, target or "", target_id)
        by_place.setdefault((start, end), ([], []))[0].append(fact)
    for start, end, id, wrong, right, why in corrected:
        one = {"decision": id, "wrong": wrong, "right": right, "reason": why}
        by_place.setdefault((start, end), ([], []))[1].append(one)
    return tuple(
        MarkedFacts(number, *place, tuple(facts), tuple(wrong))
        for number, (place, (facts, wrong)) in enumerate(sorted(by_place.items()), 1)
    )


@dataclass(frozen=True, slots=True)
class MarkedMention:
    """Words of a passage that name an entity."""

    start: int
    end: int
    entity: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class MarkedFacts:
    """Words of a passage that state facts; numbered from 1."""

    number: int
    start: int  # offsets into the passage
    end: int
    facts: tuple[Fact, ...]
    corrected: tuple[Mapping[str, str], ...] = ()  # what a person called wrong


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """Words that the same things cover."""

    text: str
    entity: str = ""
    entity_id: str = ""
    statements: tuple[int, ...] = ()  # numbers of those that cover it
    ended: tuple[int, ...] = ()  # numbers of those that end with it
    meant: bool = False  # within the words that a link leads to
    is_here: bool = False  # the first of those
    page: int | None = None  # that begins here
    corrected: bool = False  # a person called wrong what it states


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """A heading, a paragraph, lines that are kept apart, or a cell of a row."""

    kind: str  # "heading", "paragraph" or "lines"; of a cell the name of its column
    parts: tuple[MarkedPart, ...]


def blocks(
    text: str,
    mentions: Sequence[MarkedMention] = (),
    statements: Sequence[MarkedFacts] = (),
    meant: tuple[int, int] | None = None,
    pages: Sequence[tuple[int, int]] = (),
    cells: Sequence[tuple[str, int, int]] = (),
) -> tuple[MarkedBlock, ...]:
    """Return a text in blocks. Of mentions that overlap, the first and longest is kept.

    `pages` are offsets with the number of the page that begins there; `cells` are the blocks of a row.
    """
    kept = _apart(mentions)
    meant = meant if meant and meant[0] < meant[1] else (-1, -1)
    is_met = False
    begun = dict(pages)
    spans = [(each.start, each.end) for each in kept] + [(each.start, each.end) for each in statements]
    points = sorted({point for span in (*spans, meant) for point in span} | set(begun))
    found = []
    for kind, first, last in cells or _paragraphs(text):
        inner = points[bisect_right(points, first) : bisect_left(points, last)]
        edges = [first, *inner, last]
        parts = []
        for start, end in pairwise(edges):
            named = next((each for each in kept if each.start <= start and end <= each.end), None)
            is_meant = meant[0] < end and start < meant[1]
            over = [each for each in statements if each.start < end and start < each.end]
            parts.append(
                MarkedPart(
                    text[start:end],
                    named.entity if named else "",
                    named.entity_id if named else "",
                    tuple(each.number for each in over),
                    tuple(each.number for each in over if each.end == end or (end == last and _ends(each, text, end))),
                    is_meant,
                    is_meant and not is_met,
                    next((begun[at] for at in sorted(begun) if start <= at < end), None),
                    any(each.corrected for each in over),
                )
            )
            is_met = is_met or is_meant
        found.append(MarkedBlock(kind, tuple(parts)))
    return tuple(found)


def _ends(statement: MarkedFacts, text: str, end: int) -> bool:
    """Return whether nothing but space is left of a statement."""
    return not text[end : statement.end].strip()


def _apart(mentions: Sequence[MarkedMention]) -> list[MarkedMention]:
    kept: list[MarkedMention] = []
    for each in sorted(mentions, key=lambda each: (each.start, -each.end, each.entity_id)):
        if each.start < each.end and (not kept or kept[-1].end <= each.start):
            kept.append(each)
    return kept


def _paragraphs(text: str) -> list[tuple[str, int, int]]:
    """Return kind, start and end of each paragraph that has words; a mark of a heading is left out."""
    found = []
    start = 0
    for end, following in [*((m.start(), m.end()) for m in _BREAK.finditer(text)), (len(text), len(text))]:
        words = text[start:end]
        heading = _HEADING.match(words)
        if heading and "\n" not in words.strip():
            found.append(("heading", start + heading.end(), end))
        elif words.strip():
            lines = words.strip("\n").split("\n")
            apart = len(lines) > 1 and all(len(line) < _SHORT for line in lines[:-1])
            found.append(("lines" if apart else "paragraph", start, end))
        start = following
    return found


PAGES = (
    ServedPage("/documents", "documents.html", listed, title="Documents", rank=30),
    ServedPage("/document", "document.html", shown),
)
