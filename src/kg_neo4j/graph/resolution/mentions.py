"""Reads what candidates are found from: mention keys, pages, facts between keys, neighbours by meaning."""

from __future__ import annotations

from collections import Counter, defaultdict

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Reader, Row
from kg_neo4j.graph.resolution.bearers import Mentioned, Years
from kg_neo4j.graph.resolution.candidates import Page, Sources
from kg_neo4j.graph.resolution.rules import NEAR

PAGE = 500  # entities whose neighbours are asked for in one query
NEIGHBOURS = 20  # fetched for each entity: itself and those of other graphs are among them


def read_mentioned(reader: Reader, graph: str) -> tuple[Mentioned, ...]:
    """Return what the evidence says of each mention key, by key."""
    rows = reader.read(queries.get("write/resolve_mentions"), graph=graph)
    found = {row["key"]: _mentioned(row) for row in rows}
    return tuple(found[key] for key in sorted(found))


def read_sources(reader: Reader, graph: str, vector_index: str | None = None) -> Sources:
    """Return what the graph holds besides names; neighbours by meaning where a vector index over entities is given."""
    pages = tuple(
        Page(row["document"], row["title"], tuple(row["redirects"]), tuple(row["links"]))
        for row in reader.read(queries.get("write/resolve_pages"), graph=graph)
    )
    related: defaultdict[frozenset[str], frozenset[str]] = defaultdict(frozenset)
    for row in reader.read(queries.get("write/resolve_facts"), graph=graph):
        related[frozenset((row["source"], row["target"]))] |= frozenset(row["types"])
    neighbours = _neighbours(reader, graph, vector_index) if vector_index else {}
    return Sources(pages, dict(related), neighbours)


def _mentioned(row: Row) -> Mentioned:
    spellings: Counter[str] = Counter()
    for name, count in row["names"]:
        spellings[name] += count
    documents: dict[str, int] = {}
    years: dict[str, Years] = {}
    for document, first, births, deaths in row["documents"]:
        documents[document] = min(first, documents.get(document, first))
        if births or deaths:
            born, died = years.get(document, (frozenset(), frozenset()))
            years[document] = (born | frozenset(births), died | frozenset(deaths))
    return Mentioned(
        key=row["key"],
        name=min(spellings, key=lambda name: (-spellings[name], -len(name), name)),
        type=row["type"],
        count=spellings.total(),
        births=frozenset(year for born, _ in years.values() for year in born),
        deaths=frozenset(year for _, died in years.values() for year in died),
        documents=documents,
        years=years,
        spellings=spellings,
    )


def _neighbours(reader: Reader, graph: str, index: str) -> dict[str, tuple[tuple[str, float], ...]]:
    found: dict[str, tuple[tuple[str, float], ...]] = {}
    query, after = queries.get("write/resolve_neighbours"), ""
    while rows := reader.read(query, graph=graph, index=index, after=after, limit=PAGE, fetch=NEIGHBOURS, near=NEAR):
        for row in rows:
            if row["near"]:
                found[row["id"]] = tuple((near, round(cosine, 4)) for near, cosine in sorted(row["near"]))
        after = rows[-1]["id"]
    return found
