"""An entity: its names, its facts with their quotes, and its neighbours."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kg_neo4j._serve import limits, lookups
from kg_neo4j._serve.pages.graph import draw, neighbours
from kg_neo4j._serve.refusals import NoSuchEntity
from kg_neo4j._serve.rendering import ServedPage
from kg_neo4j._serve.results import EntityCard, Quote
from kg_neo4j._serve.service import Service
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries

if TYPE_CHECKING:
    from kg_neo4j.graph.database import Database

QUOTES = 3  # of one fact
DRAWN = 40  # neighbours in the picture of the page; all others on the page of the graph
FACTS = 10  # of a page
LISTED = 60  # neighbours in the list


@dataclass(frozen=True, slots=True)
class QuotedFact:
    """A fact with the ids of its ends and the first quotes that state it."""

    id: str
    source: str
    source_id: str
    type: str
    target: str
    target_id: str
    evidence: int  # rows that state it
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class NeighbourRelation:
    """How a neighbour is related."""

    type: str
    leads_there: bool  # from the entity to the neighbour


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity that relationships lead to."""

    id: str
    name: str
    type: str
    evidence: int  # rows that state a relationship with it
    relations: tuple[NeighbourRelation, ...]  # at most five


def shown(service: Service, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return an entity by one of its names or its id."""
    name, cursor = given.get("name") or given.get("id", ""), given.get("cursor")
    database, graph = service.database(), service.graph
    card = _card(service, name, cursor)
    near = neighbours(database, graph, card.id, limits.NODES)
    return {
        "card": card,
        "facts": _facts(database, graph, [each.id for each in card.facts]),
        "neighbours": tuple(
            Neighbour(
                r["id"], r["name"], r["type"], r["evidence"], tuple(NeighbourRelation(*each) for each in r["relations"])
            )
            for r in near[:LISTED]
        ),
        "picture": draw(database, graph, [card.id, *(row["id"] for row in near[:DRAWN])]) if near else None,
        "drawn": min(len(near), DRAWN),
        "neighbours_in_all": len(near),
        "is_first": not cursor,
    }


def _card(service: Service, name: str, cursor: str | None) -> EntityCard:
    """Return what the graph has about an entity. Raises NoSuchEntity with names that are spelt alike."""
    from kg_neo4j.retrieve.linking import can_link, suggest

    lookups.checked(name, "name")
    try:
        return service.entity(name, limit=FACTS, cursor=cursor)
    except UsageError as error:
        lookups.start_of(cursor)  # raises where it was the cursor
        database = service.database()
        near = suggest(database, service.graph, name) if can_link(database, service.graph) else ()
        raise NoSuchEntity(str(error), name, near) from error


def _facts(database: Database, graph: str, ids: list[str]) -> tuple[QuotedFact, ...]:
    rows = database.read(queries.get("serve/fact_evidence"), graph=graph, ids=ids, quotes=QUOTES)
    return tuple(
        QuotedFact(
            **{name: row[name] or "" for name in ("id", "source", "source_id", "type", "target", "target_id")},
            evidence=row["evidence"],
            quotes=tuple(_quote(*each) for each in row["quotes"]),
        )
        for row in rows
    )


def _quote(
    chunk: str, start: int, end: int, words: str, document: str | None, pages: list[int] | None, chunk_start: int
) -> Quote:
    page = bisect_right(pages, chunk_start + start) if pages else None
    return Quote(lookups.shortened(words), document or "", chunk, start, end, page)


PAGES = (ServedPage("/entity", "entity.html", shown),)
