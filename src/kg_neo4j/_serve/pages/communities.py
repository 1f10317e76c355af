"""Communities and their reports: the list by level, and one community with what its report rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kg_neo4j._serve import limits
from kg_neo4j._serve.lookups import checked, cursor_at, page, shortened, start_of
from kg_neo4j._serve.refusals import missing
from kg_neo4j._serve.rendering import ServedPage
from kg_neo4j._serve.results import Quote
from kg_neo4j._serve.service import Service
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.organise.stored_reports import Finding


@dataclass(frozen=True, slots=True)
class Level:
    """A level of communities; 0 is the coarsest."""

    level: int
    communities: int  # of two members and more
    reports: int


@dataclass(frozen=True, slots=True)
class Near:
    """A community around another one, or within it."""

    id: str
    level: int
    number: int
    size: int
    title: str


@dataclass(frozen=True, slots=True)
class CommunityMember:
    """An entity of a community."""

    id: str
    name: str
    type: str
    evidence: int


@dataclass(frozen=True, slots=True)
class Reference:
    """An entity or a fact that a finding rests on, and words that state it."""

    number: int  # in the marks of the finding
    kind: str  # "entity" or "fact"
    id: str
    name: str
    quote: Quote | None


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding of a report, without its marks."""

    summary: str
    explanation: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class ShownReport:
    """The report on a community."""

    title: str
    summary: str
    rating: float  # 0 to 10
    rating_explanation: str
    method: str  # "model" or "composed"
    findings: tuple[ReportedFinding, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownCommunity:
    """A community with its report, the communities around and within it, and a page of its members."""

    id: str
    level: int
    number: int
    size: int
    report: ShownReport | None
    around: tuple[Near, ...]
    within: tuple[Near, ...]
    members: tuple[CommunityMember, ...]
    cursor: str | None


def listed(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the levels, and a page of the communities of one level, or of all."""
    from kg_neo4j.pipeline.commands.communities import ListedCommunity

    database, skip = service.database(), start_of(given.get("cursor"))
    level = given.get("level", "")
    if level and not (level.isascii() and level.isdecimal() and len(level) < 4):
        raise UsageError(f"level is a number from 0, not {level[:20]!r}")
    query = queries.get("analytics/listed_communities")
    wanted = {"level": int(level) if level else None, "smallest": 2, "members": 5, "limit": skip + limits.ROWS + 1}
    rows = database.read(query, graph=service.graph, **wanted)
    found = [ListedCommunity(**{**row, "flags": tuple(row["flags"]), "members": tuple(row["members"])}) for row in rows]
    shown, cursor = page(found, skip, limits.ROWS)
    levels = tuple(Level(**row) for row in database.read(queries.get("serve/levels"), graph=service.graph))
    return {"communities": shown, "levels": levels, "level": level, "cursor": cursor, "is_first": skip == 0}


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return one community, by its id."""
    from kg_neo4j.organise.stored_reports import read_reports

    id, skip = checked(given.get("id", ""), "id"), start_of(given.get("cursor"))
    database = service.database()
    query = queries.get("serve/community")
    bounds = {"skip": skip, "limit": limits.ROWS, "parts": limits.MOST_ROWS}
    rows = database.read(query, graph=service.graph, id=id, **bounds)
    if not rows:
        raise missing(f"there is no community {id[:80]!r}", "/communities lists them")
    row, report = rows[0], None
    for stored in read_reports(database, service.graph, ids=[id]):
        known = _references(database, service.graph, stored.findings)
        report = ShownReport(
            stored.title,
            shortened(stored.summary),
            stored.rating,
            stored.rating_explanation,
            stored.method,
            tuple(_finding(each, known) for each in stored.findings),
            stored.flags,
        )
    following = cursor_at(skip + limits.ROWS) if row["size"] > skip + limits.ROWS else None
    around, within = (tuple(Near(**each) for each in row[name]) for name in ("around", "within"))
    members = tuple(CommunityMember(**each) for each in row["members"])
    place = (row["level"], row["number"], row["size"])
    community = ShownCommunity(id, *place, report, around, within, members, following)
    return {"community": community, "is_first": skip == 0}


def _references(database: Database, graph: str, findings: tuple[Finding, ...]) -> dict[str, tuple[str, Quote]]:
    """Return name and words of what findings rest on, by id; what no passage speaks of is left out."""
    from kg_neo4j.retrieve.cypher.citations import read_things

    found = {}
    for id, thing in read_things(database, graph, [[id] for finding in findings for id in finding.ids]).items():
        place = thing.places[0]
        words = shortened(place.chunk.text[place.start : place.end])
        found[id] = (thing.name, Quote(words, place.chunk.document, place.chunk.id, place.start, place.end))
    return found


def _finding(finding: Finding, known: Mapping[str, tuple[str, Quote]]) -> ReportedFinding:
    from kg_neo4j.organise.report_references import without_marks

    references = [
        Reference(number, kind, id, *known.get(id, (id, None)))
        for kind, ids in (("fact", finding.relationships), ("entity", finding.entities))
        for number, id in ids.items()
    ]
    said = [shortened(without_marks(text)) for text in (finding.summary, finding.explanation)]
    return ReportedFinding(said[0], said[1], tuple(references))


PAGES = (
    ServedPage("/communities", "communities.html", listed, title="Communities", rank=40),
    ServedPage("/community", "community.html", shown),
)
