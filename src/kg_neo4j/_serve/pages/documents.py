"""The list of documents, and the text of one with its evidence marked."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from kg_neo4j._serve import limits
from kg_neo4j._serve.pages.marked_text import LinkedFact, MarkedFacts, MarkedMention, blocks
from kg_neo4j._serve.refusals import missing
from kg_neo4j._serve.rendering import ServedPage
from kg_neo4j._serve.service import Service
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries

PASSAGES = 8  # of a page: some 40,000 characters
MARKS = 500  # mentions, and statements, of one passage
SECTIONS = 200  # in the list of a document's sections


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
    first = limits.start_of(cursor) if cursor else _page_of(row["chunk"] or 0)
    passages = database.read(
        queries.get("serve/passages"), graph=graph, id=row["id"], before=0, skip=first, limit=PASSAGES
    )
    ids = [each["id"] for each in passages]
    found = database.read(queries.get("serve/evidence_in_chunks"), graph=graph, ids=ids, most=MARKS)
    evidence = {each["id"]: each for each in found}
    meant = _span(given) if row["chunk"] is not None else None
    following = first + len(passages)
    document = {
        **{name: row[name] or "" for name in ("id", "title", "kind", "key")},
        "url": row["url"] if (row["url"] or "").startswith(("https://", "http://")) else "",  # that a browser opens
        "language": row["language"] or "",
        "total": row["total"],  # passages
        "sections": _sections(row["sections"]),
        "passages": [_marked(each, evidence.get(each["id"]), row["pages"], id, meant) for each in passages],
        "before": limits.cursor_at(max(first - PASSAGES, 0)) if first else None,
        "cursor": limits.cursor_at(following) if passages and following < row["total"] else None,
    }
    return {"document": document}


def _page_of(index: int) -> int:
    return index // PASSAGES * PASSAGES


def _span(given: Mapping[str, str]) -> tuple[int, int] | None:
    """Return the words that a link leads to. Raises UsageError for what are no offsets."""
    if "start" not in given or "end" not in given:
        return None
    place = given["start"], given["end"]
    if not all(each.isascii() and each.isdecimal() and len(each) < 10 for each in place):
        raise UsageError("start and end are offsets into the passage", hint="leave both out for the whole passage")
    return int(place[0]), int(place[1])


def _sections(rows: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    """Return the sections that begin within or before each passage, with the cursor of the page that has it."""
    found = []
    for path, index in rows:
        *outer, title = path.split(" > ")
        page = _page_of(index)
        cursor = limits.cursor_at(page) if page else None
        found.append({"title": title, "depth": len(outer), "index": index, "cursor": cursor})
    return found if len(found) > 1 else []


def _marked(
    row: Mapping[str, Any], found: Mapping[str, Any] | None, pages: Sequence[int] | None, id: str, meant: Any
) -> dict[str, Any]:
    """Return a passage with its evidence marked; it `is_here` where a link leads to it and to no words in it."""
    text, start = limits.shortened(row["text"] or ""), row["start"]
    mentions = [_mention(text, *each) for each in found["mentions"]] if found else []
    statements = _statements(found["statements"]) if found else ()
    begun = [(at - start, number) for number, at in enumerate(pages or (), 1) if start < at < start + len(text)]
    is_meant = row["id"] == id
    marked = blocks(text, [each for each in mentions if each], statements, meant if is_meant else None, begun)
    return {
        "chunk_id": row["id"],
        "index": row["index"],
        "section": row["section"],
        "page": bisect_right(pages, start) if pages else None,  # of a PDF, from 1: on which it begins
        "is_meant": is_meant,
        "is_here": is_meant and not any(part.is_here for block in marked for part in block.parts),
        "blocks": marked,
        "statements": statements,
    }


def _mention(text: str, id: str, name: str, as_written: str, start: int, end: int) -> MarkedMention | None:
    """Return where the words of a mention name the entity; None where they do so by another word."""
    words = text[start:end].casefold()
    for each in (as_written, name):
        at = words.find(each.casefold()) if each else -1
        if at >= 0 and len(words) == end - start:
            return MarkedMention(start + at, start + at + len(each), name, id)
    return None


def _statements(rows: Sequence[Sequence[Any]]) -> tuple[MarkedFacts, ...]:
    """Return statements with what the same words state together."""
    by_place: dict[tuple[int, int], list[LinkedFact]] = {}
    for start, end, id, kind, source_id, source, target_id, target in rows:
        fact = LinkedFact(id, source or "", source_id, kind, target or "", target_id)
        by_place.setdefault((start, end), []).append(fact)
    return tuple(
        MarkedFacts(number, *place, tuple(facts)) for number, (place, facts) in enumerate(sorted(by_place.items()), 1)
    )


PAGES = (
    ServedPage("/documents", "documents.html", listed, title="Documents", rank=30),
    ServedPage("/document", "document.html", shown),
)
