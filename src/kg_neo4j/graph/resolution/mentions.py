"""Reads what candidates are found from: mention keys, pages, facts between keys, neighbours by meaning."""

from __future__ import annotations

from collections.abc import Iterable

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Reader, Row
from kg_neo4j.graph.resolution.bearers import Gathered, Mentioned
from kg_neo4j.graph.resolution.candidates import Sources, WikiPage, related
from kg_neo4j.graph.resolution.rules import NEAR, asked_facts

PAGE = 500  # entities whose neighbours are asked for in one query
NEIGHBOURS = 20  # fetched for each entity: itself and those of other graphs are among them


def read_mentioned(reader: Reader, graph: str) -> tuple[Mentioned, ...]:
    """Return what the evidence says of each mention key, by key."""
    gathered = Gathered()
    rows = reader.stream(queries.get("write/resolve_mentions"), graph=graph)
    found = {row["key"]: _mentioned(gathered, row) for row in rows}
    return tuple(found[key] for key in sorted(found))


def read_sources(
    reader: Reader, graph: str, vector_index: str | None = None, sure: Iterable[Mentioned] | None = None
) -> Sources:
    """Return what the graph holds besides names; neighbours by meaning where a vector index over entities is given.

    With `sure`, which are all keys, of facts only those that sure rules look at.
    """
    pages = tuple(
        WikiPage(row["document"], row["title"], tuple(row["redirects"]), tuple(row["links"]))
        for row in reader.read(queries.get("write/resolve_pages"), graph=graph)
    )
    rows = reader.stream(queries.get("write/resolve_facts"), graph=graph)
    facts = ((row["source"], row["target"], row["types"]) for row in rows)
    found = related(facts if sure is None else asked_facts(sure, facts))
    neighbours = _neighbours(reader, graph, vector_index) if vector_index else {}
    return Sources(pages, found, neighbours)


def _mentioned(gathered: Gathered, row: Row) -> Mentioned:
    places = ((document, first) for document, first, _, _ in row["documents"])
    years = ((document, births, deaths) for document, _, births, deaths in row["documents"])
    return gathered.mentioned(row["key"], row["type"], row["names"], places, years)


def _neighbours(reader: Reader, graph: str, index: str) -> dict[str, tuple[tuple[str, float], ...]]:
    found: dict[str, tuple[tuple[str, float], ...]] = {}
    query, after = queries.get("write/resolve_neighbours"), ""
    while rows := reader.read(query, graph=graph, index=index, after=after, limit=PAGE, fetch=NEIGHBOURS, near=NEAR):
        for row in rows:
            if row["near"]:
                found[row["id"]] = tuple((near, round(cosine, 4)) for near, cosine in sorted(row["near"]))
        after = rows[-1]["id"]
    return found
