"""Communities and their reports: the list by level, and one community with what its report rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j_serve import limits
from kg_neo4j_serve.limits import checked, cursor_at, page, picked, shortened, start_of
from kg_neo4j_serve.refusals import missing
from kg_neo4j_serve.rendering import ServedPage
from kg_neo4j_serve.results import Quote
from kg_neo4j_serve.service import Service, quotes_of

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database
    from kg_neo4j.organise.stored_reports import Finding


def listed(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the levels, and a page of the communities of one level, or of all."""
    from kg_neo4j.pipeline.commands.communities import communities_in

    database, skip = service.database(), start_of(given.get("cursor"))
    level = given.get("level", "")
    if level and not (level.isascii() and level.isdecimal() and len(level) < 4):
        raise UsageError(f"level is a number from 0, not {level[:20]!r}")
    found = communities_in(database, service.graph, int(level) if level else None, skip + limits.ROWS + 1)
    shown, cursor = page(found, skip, limits.ROWS)
    rows = database.read(queries.get("serve/levels"), graph=service.graph)
    levels = [picked(row, "level", "communities", "reports") for row in rows]
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
    row = rows[0]
    report: dict[str, Any] | None = None
    for stored in read_reports(database, service.graph, ids=[id]):
        known = _references(database, service.graph, stored.findings)
        report = {
            "title": stored.title,
            "summary": shortened(stored.summary),
            "rating": stored.rating,
            "rating_explanation": stored.rating_explanation,
            "method": stored.method,
            "findings": [_finding(each, known) for each in stored.findings],
            "flags": stored.flags,
        }
    community = {"id": id, **picked(row, "level", "number", "size"), "report": report}
    for name in ("around", "within"):
        community[name] = [picked(each, "id", "level", "number", "size", "title") for each in row[name]]
    community["members"] = [picked(each, "id", "name", "type", "evidence") for each in row["members"]]
    community["cursor"] = cursor_at(skip + limits.ROWS) if row["size"] > skip + limits.ROWS else None
    return {"community": community, "is_first": skip == 0}


def _references(database: Database, graph: str, findings: tuple[Finding, ...]) -> dict[str, tuple[str, Quote]]:
    """Return name and words of what findings rest on, by id; what no passage speaks of is left out."""
    from kg_neo4j.retrieve.cypher.telling import read_things

    things = read_things(database, graph, [[id] for finding in findings for id in finding.ids])
    return {id: (things[id].name, quote) for id, quote in quotes_of(database, graph, things).items()}


def _finding(finding: Finding, known: Mapping[str, tuple[str, Quote]]) -> dict[str, Any]:
    """Return a finding without its marks, and what it rests on with words that state it."""
    from kg_neo4j.organise.report_references import without_marks

    references = []
    for kind, ids in (("fact", finding.relationships), ("entity", finding.entities)):
        for number, id in ids.items():
            name, quote = known.get(id, (id, None))
            references.append({"number": number, "kind": kind, "id": id, "name": name, "quote": quote})
    said = {name: shortened(without_marks(getattr(finding, name))) for name in ("summary", "explanation")}
    return {**said, "references": references}


PAGES = (
    ServedPage("/communities", "communities.html", listed, title="Communities", rank=40, section="communities"),
    ServedPage("/community", "community.html", shown),
)
