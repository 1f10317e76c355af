"""What one server, one request and one answer may take, each number with its reason; and what keeps to it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from kg_neo4j.errors import UsageError

T = TypeVar("T")

THREADS = 4  # questions answered at once: more of them only wait for each other on the cores and in Neo4j
MOST_AT_ONCE = 32  # requests running and waiting; the next gets 429. 32 questions of 0.1 s on 4 threads wait 1 s
REQUEST_S = 120.0  # a request: a model may take this long (KG_MODEL_TIMEOUT_S has the same default)
QUERY_S = 30.0  # a query that reads; the longest in the benchmarks takes 2 s
QUERIES = 2  # of callers' own Cypher at once: each may keep its thread, and a core of Neo4j, for 10 s
MOST_BODY = 1_000_000  # bytes of a request: a question has at most 2,000 characters, a text to load fits
MOST_UPLOAD = 50_000_000  # bytes of all files of one upload: a thousand pages of PDF
MOST_FILES = 1_000  # of one upload: a folder
MOST_DEPTH = 20  # folders within folders of an upload
MOST_JOBS = 8  # loads that wait; one runs at a time, because a graph has one writer
KEPT_JOBS = 50  # finished loads that `status` still knows

MOST_WORDS = 2_000  # characters of a question, a name or other words of a request
MOST_ROWS = 100  # hits, facts, documents or rows of a page; more by a cursor
ROWS = 20  # the same, where the request does not say how many
MOST_VERIFIED = 10_000  # characters of a text whose claims are verified: a hundred claims of 0.1 s each
MOST_AROUND = 10  # neighbours of a passage on either side
MOST_TEXT = 20_000  # characters of one text in an answer, such as a passage: a chunk of 3,000 tokens has 12,000
ANSWER_TOKENS = 8_000  # of a result of an MCP tool: what agents keep of one call
HUB = 2_000  # relationships of one entity that are looked at
KEPT_S = 5.0  # which graphs there are, and which sections of a graph are empty: one look for several pages
CHOICES_S = 60.0  # the values that filters may have
CHOICES = 60  # types of entities to choose from, and titles of documents that the browser completes
NEAR_GRAPHS = 5  # names of graphs in an error
NEAR_ADDRESSES = 3  # likewise of pages
RECENT = 32  # streamed answers that wait for the page that shows them
RECENT_S = 30.0  # that they wait; the page comes at once

NODES = 300  # of a drawn graph at first: more of them hide each other's names
MOST_NODES = 1_000  # of a drawn graph on request
MOST_DRAWN = 300  # summaries of a drawn tree, and leaves: more are a grey surface
MOST_PROPOSED = 20_000  # entities of a graph whose merges are looked for, and communities computed, while a page waits
MOST_QUESTIONS = 1_000  # kept of a graph, whose answers were wrong
KEPT_PLANS = 8  # uploads that wait for a yes; the oldest goes where one more comes


def page(rows: Sequence[T], skip: int, limit: int) -> tuple[tuple[T, ...], str | None]:
    """Return the rows of a page, and the cursor of the next one; None after the last."""
    return tuple(rows[skip : skip + limit]), cursor_at(skip + limit) if len(rows) > skip + limit else None


def picked(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return some values of a row, in that order."""
    return {name: row[name] for name in names}


def cursor_at(place: int) -> str:
    """Return the cursor of a page that begins there."""
    return base64.urlsafe_b64encode(f"at:{place}".encode()).decode()


def start_of(cursor: str | None) -> int:
    """Return where the page of a cursor begins. Raises UsageError for one that this server did not give."""
    if not cursor:
        return 0
    try:
        place = base64.urlsafe_b64decode(cursor.encode()).decode().removeprefix("at:")
    except (binascii.Error, ValueError):
        place = ""
    if not place.isascii() or not place.isdecimal() or len(place) > 9:
        raise UsageError("the cursor is not one that this server gave", hint="leave it out for the first page")
    return int(place)


def bounded(limit: int) -> int:
    """Return how many rows a page has: at least 1, at most `MOST_ROWS`."""
    return min(max(limit, 1), MOST_ROWS)


def checked(text: str, what: str, *, may_be_empty: bool = False, most: int = MOST_WORDS) -> str:
    """Return words of a request. Raises UsageError for empty ones, and for more than `most` characters."""
    if len(text) > most:
        raise UsageError(f"{what} may have {most:,} characters, not {len(text):,}")
    if not may_be_empty and not text.strip():
        raise UsageError(f"{what} is empty")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise UsageError(f"{what} holds half a character")
    return text


def shortened(text: str) -> str:
    """Return a text of an answer, at most `MOST_TEXT` characters of it; the end says that it was cut."""
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + " [truncated]"
