"""What the server reads of the graph without a model: each function answers one kind of request, one page at a time."""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from kg_neo4j._serve import limits
from kg_neo4j._serve.refusals import missing
from kg_neo4j._serve.results import (
    CommunityList,
    CommunityRow,
    Connections,
    DocumentList,
    EntityCard,
    EntityFact,
    GraphTypes,
    Hit,
    ListedDocument,
    PathLink,
    Quote,
    ReadPassage,
    ReadPassages,
    ReportTable,
    Searched,
    SearchHits,
    TypeCount,
    VerifiedRow,
    VerifyResult,
)
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.records import Citation, Filters

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.pipeline.commands.ask import Answerer
    from kg_neo4j.retrieve.checking.standing import CitedThing

T = TypeVar("T")
SEARCHED = 50  # entities, and passages, that all pages of a search show: one order for all of them
REPORTS = "reports"


def searched(database: Database, graph: str, mode: str = "", filters: str = "", passages: int = 0) -> Searched:
    """Return what was searched."""
    documents = database.read(queries.get("serve/count_documents"), graph=graph)[0]["documents"]
    return Searched(graph, documents, mode, filters, passages)


def search(asking: Answerer, words: str, limit: int, cursor: str | None) -> SearchHits:
    """Return entities by name and passages by words and meaning; the cursor counts in both."""
    from kg_neo4j.pipeline.commands.search import search_in

    skip, limit = start_of(cursor), bounded(limit)
    database, settings = asking.database, asking.settings
    found = search_in(database, checked(words, "words"), settings, SEARCHED, asking.embedder)
    hits = [Hit(each.kind, each.id, each.name, each.type, shortened(each.text), each.evidence) for each in found.hits]
    kinds = [[each for each in hits if each.kind == kind] for kind in ("entity", "passage")]
    shown = [each for kind in kinds for each in kind[skip : skip + limit]]
    is_more = any(len(kind) > skip + limit for kind in kinds)
    return SearchHits(
        words,
        tuple(shown),
        searched(database, settings.graph, "names, words and meaning"),
        cursor_at(skip + limit) if is_more else None,
        found.notes,
    )


def verify(asking: Answerer, text: str, filters: Filters) -> VerifyResult:
    """Return the claims of a text, each with its verdict and the words behind it."""
    from kg_neo4j.pipeline.commands.verify import verify_in
    from kg_neo4j.retrieve.filters import say

    found = verify_in(asking, checked(text, "text", most=limits.MOST_VERIFIED), filters)
    quotes: dict[Quote, int] = {}
    rows = []
    for each in found.claims:
        numbers = [quotes.setdefault(quoted(citation), len(quotes) + 1) for citation in each.citations]
        rows.append(VerifiedRow(each.claim, each.verdict, each.reason, each.read_as, tuple(numbers)))
    what = searched(asking.database, asking.settings.graph, "each claim", say(filters))
    return VerifyResult(tuple(rows), tuple(quotes), found.left_out, what, found.notes)


def quoted(citation: Citation) -> Quote:
    """Return a citation as the server gives it."""
    words = shortened(citation.quote)
    return Quote(words, citation.document, citation.chunk_id, citation.start, citation.end, citation.page)


def entity(database: Database, name: str, graph: str, limit: int, cursor: str | None) -> EntityCard:
    """Return an entity by its name or id, with a page of its facts."""
    from kg_neo4j.pipeline.commands.search import show_in

    skip, limit = start_of(cursor), bounded(limit)
    found = show_in(database, checked(name, "name"), graph, skip + limit + 1, 1)
    facts = [
        EntityFact(f.id, f.source, f.type, f.target, f.evidence, shortened(f.quote), f.document, f.chunk_id)
        for f in found.facts
    ]
    return EntityCard(
        found.id,
        found.name,
        found.type,
        found.aliases[: limits.MOST_ROWS],
        shortened(found.description),
        found.evidence,
        found.documents,
        found.degree,
        tuple(facts[skip : skip + limit]),
        found.near[:10],
        cursor_at(skip + limit) if len(facts) > skip + limit else None,
    )


def documents(database: Database, words: str, graph: str, limit: int, cursor: str | None) -> DocumentList:
    """Return a page of the documents whose title or key has `words` in it; all where it is empty."""
    skip, limit = start_of(cursor), bounded(limit)
    wanted = checked(words, "words", may_be_empty=True).strip().lower()
    query = queries.get("serve/documents")
    rows = database.read(query, graph=graph, words=wanted, skip=skip, limit=limit)
    total = rows[0]["total"] if rows else 0
    listed = tuple(ListedDocument(**{name: value for name, value in row.items() if name != "total"}) for row in rows)
    return DocumentList(listed, total, cursor_at(skip + limit) if total > skip + limit else None)


def source(database: Database, id: str, graph: str, around: int, limit: int | None, cursor: str | None) -> ReadPassages:
    """Return a chunk with `around` neighbours on either side, or a page of the passages of a document, by its id."""
    skip, around = start_of(cursor), min(max(around, 0), limits.MOST_AROUND)
    rows = database.read(
        queries.get("serve/passages"),
        graph=graph,
        id=checked(id, "id"),
        before=around,
        skip=skip,
        limit=bounded(limit or 2 * around + 1),
    )
    if not rows:
        raise missing(f"no passage and no document of graph {graph!r} has the id {id[:80]!r}", "documents lists ids")
    first, last = rows[0], rows[-1]
    passages = tuple(
        ReadPassage(
            row["id"],
            row["index"],
            row["start"],
            row["section"],
            shortened(row["text"] or ""),
            bisect_right(row["pages"], row["start"]) if row["pages"] else None,
        )
        for row in rows
    )
    is_more = last["index"] + 1 < first["total"]
    following = cursor_at(skip + len(rows)) if is_more else None
    return ReadPassages(first["document"] or "", first["document_id"], passages, first["total"], following)


def connect(database: Database, source: str, target: str, graph: str) -> Connections:
    """Return the shortest paths of at most six steps between two entities, with the words behind each step."""
    from kg_neo4j.retrieve.cypher.citations import read_things
    from kg_neo4j.retrieve.cypher.questions import PATHS

    notes: list[str] = []
    ends = [_named(database, checked(name, "name"), graph, notes) for name in (source, target)]
    given = {"x": [ends[0][0]], "y": [ends[1][0]], "limit": PATHS, "only_facts": None}
    rows = database.read(queries.get("questions/connections"), graph=graph, **given)
    things = read_things(database, graph, [row["Ids"] for row in rows])
    quotes: dict[Quote, int] = {}
    paths = []
    for row in rows:
        links = []
        for step, (relation, fact) in enumerate(zip(row["Relationships"], row["Ids"], strict=True)):
            number = _quoted(things.get(fact), quotes)
            links.append(PathLink(row["Nodes"][step], relation, row["Nodes"][step + 1], number))
        paths.append(tuple(links))
    if not paths:
        notes.append(f"no path of at most six steps leads from {ends[0][1]} to {ends[1][1]}")
    what = searched(database, graph, "shortest paths")
    return Connections(ends[0][1], ends[1][1], tuple(paths), tuple(quotes), what, tuple(notes))


def _named(database: Database, name: str, graph: str, notes: list[str]) -> tuple[str, str]:
    from kg_neo4j.pipeline.commands.search import show_in

    found = show_in(database, name, graph, 1, 1)
    if found.near:
        notes.append(f"{name!r} was taken to mean {found.name}; it may also be {', '.join(found.near[:3])}")
    return found.id, found.name


def _quoted(thing: CitedThing | None, quotes: dict[Quote, int]) -> int | None:
    """Return the number of the words that state a fact; None where no chunk does."""
    if thing is None:
        return None
    place = thing.places[0]
    words = shortened(place.chunk.text[place.start : place.end])
    quote = Quote(words, place.chunk.document, place.chunk.id, place.start, place.end)
    return quotes.setdefault(quote, len(quotes) + 1)


def schema(database: Database, graph: str, limit: int) -> GraphTypes:
    """Return the commonest types of entities and relationships, with counts and ends."""
    from kg_neo4j.retrieve.cypher.schema import STRUCTURE, VISIBLE, read_schema

    limit = bounded(limit)
    found = read_schema(database, graph)
    types = [TypeCount(name, count) for name, count in found.labels.items() if name not in VISIBLE]
    drawn = [
        TypeCount(name, count, *found.ends[name])
        for name, count in found.relationships.items()
        if name not in STRUCTURE and name in found.ends
    ]
    left = [max(len(each) - limit, 0) for each in (types, drawn)]
    notes = (f"{left[0]} rarer types of entities and {left[1]} of relationships are left out",) if any(left) else ()
    return GraphTypes(graph, _commonest(types)[:limit], _commonest(drawn)[:limit], notes)


def _commonest(types: Sequence[TypeCount]) -> tuple[TypeCount, ...]:
    return tuple(sorted(types, key=lambda each: (-each.count, each.type)))


def report(
    database: Database, name: str, values: Mapping[str, str | int | float], graph: str, limit: int, cursor: str | None
) -> ReportTable:
    """Return a page of a canned report; of the list of reports where `name` is empty."""
    from kg_neo4j.graph import canned_reports
    from kg_neo4j.retrieve.linking import known_names

    skip, limit = start_of(cursor), bounded(limit)
    if not name:
        listed = [_described(query) for query in canned_reports.list_reports()]
        first, following = page(listed, skip, limit)
        return ReportTable(REPORTS, "Reports", ("Report", "Title", "Parameters"), first, "", following)
    canned_reports.check(checked(name, "name"), values)
    known, notes = known_names(database, graph, name, values)
    found = canned_reports.run(database, name, graph=graph, parameters=known)
    rows = [tuple(list(cell) if isinstance(cell, tuple) else cell for cell in row) for row in found.rows]
    shown, following = page(rows, skip, limit)
    text = canned_reports.browser_text(name, graph, known)
    return ReportTable(name, found.title, found.columns, shown, text, following, tuple(notes))


def communities(database: Database, graph: str, level: int | None, limit: int) -> CommunityList:
    """Return the largest communities of a level, or of all."""
    query = queries.get("analytics/listed_communities")
    rows = database.read(query, graph=graph, level=level, smallest=2, members=5, limit=bounded(limit))
    kept = ("level", "number", "size", "parent")
    return CommunityList(
        tuple(
            CommunityRow(**{name: row[name] for name in kept}, title=row["title"] or "", members=tuple(row["members"]))
            for row in rows
        )
    )


def _described(query: queries.Query) -> tuple[str, str, str]:
    from kg_neo4j.graph import canned_reports

    given = (
        f"{each.name}{'' if each.default is None else f'={each.default}'}"
        for each in query.params
        if each.name != "graph"
    )
    return canned_reports.outside_name(query), query.title, ", ".join(given)


# ------------------------------------------------------------------------------------------------------- bounds


def page(rows: Sequence[T], skip: int, limit: int) -> tuple[tuple[T, ...], str | None]:
    """Return the rows of a page, and the cursor of the next one; None after the last."""
    return tuple(rows[skip : skip + limit]), cursor_at(skip + limit) if len(rows) > skip + limit else None


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
    return min(max(limit, 1), limits.MOST_ROWS)


def checked(text: str, what: str, *, may_be_empty: bool = False, most: int = limits.MOST_WORDS) -> str:
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
    return text if len(text) <= limits.MOST_TEXT else text[: limits.MOST_TEXT] + " [truncated]"
