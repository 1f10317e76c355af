"""A graph with documents of several languages, kinds, types of entities and dates, and what filters must leave of it.

What is left is computed here from the rows of evidence one by one, not as the product's query does it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from corpus import document, record_document
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j.records import (
    Chunk,
    ChunkOutcome,
    Extraction,
    Filters,
    ModelAnswer,
    NodeRow,
    PropertyValue,
    RelationshipRow,
    Span,
)

TYPES = {
    **dict.fromkeys(("Ada", "Ben", "Clara", "Dora", "Emil"), "PERSON"),
    **dict.fromkeys(("Oslo", "Bergen", "Graz"), "PLACE"),
    **dict.fromkeys(("Guild", "Observatory"), "ORGANIZATION"),
    "1802": "DATE",
}
LIVES = {"Ada": (1790, 1850), "Ben": (1801, 1840), "Clara": (1750, 1799), "Dora": (1805, 1880)}
DATES = (None, None, "1799", "c. 1803", "14 May 1804", "1801-1806", "44 BC", "long ago")
LANGUAGES = ("en", "en", "pl", None)
KINDS = ("file", "file", "wikipedia")
CONFIGURATION = LoadConfiguration("c0", "described", "s0", "approximate-1")


@dataclass(frozen=True)
class Left:
    """Ids that filters must leave."""

    chunks: frozenset[str]
    entities: frozenset[str]
    facts: frozenset[str]


def load(database: Database, graph: str, documents: int, seed: int) -> None:
    """Write documents of three chunks each, two or three facts a chunk."""
    chance = random.Random(seed)
    schema = schemas.load("described")
    with Lease(database, graph) as lease:
        recorder = Recorder(database, graph, schema, lease)
        for number in range(documents):
            facts = [_facts(chance) for _ in range(3)]
            paragraphs = [
                f"Page {number}, part {part}. "
                + " ".join(f"{a} {kind.lower()} {b} ({date})." for a, kind, b, date in rows)
                for part, rows in enumerate(facts)
            ]
            loaded, chunks = document(graph, f"notes/page {number}.md", paragraphs)
            loaded = replace(
                loaded,
                title=f"Page {number}",
                language=LANGUAGES[number % len(LANGUAGES)],
                kind=KINDS[number % len(KINDS)],
            )
            record_document(database, lease, loaded, chunks, CONFIGURATION)
            recorder.record([_extraction(chunk, rows) for chunk, rows in zip(chunks, facts, strict=True)])
        settle(database, graph, schema, lease)


def random_filters(chance: random.Random, documents: int) -> Filters:
    """Return one to three kinds of filter."""
    kinds = chance.sample(["documents", "languages", "kinds", "types", "years"], chance.randint(1, 3))
    since, until = sorted(chance.sample(range(1740, 1890, 7), 2))
    names = [
        f"Page {chance.randrange(documents)}",
        f"page {chance.randrange(documents)}.md",
        f"PAGE {chance.randrange(documents)}*",
        f"notes/*{chance.randrange(documents)}.md",
    ]
    return Filters(
        documents=tuple(chance.sample(names, chance.randint(1, 3))) if "documents" in kinds else (),
        languages=tuple(chance.sample(["en", "PL"], chance.randint(1, 2))) if "languages" in kinds else (),
        kinds=(chance.choice(["file", "wikipedia"]),) if "kinds" in kinds else (),
        types=tuple(chance.sample(["PERSON", "Place", "organization", "DATE"], chance.randint(1, 2)))
        if "types" in kinds
        else (),
        since=chance.choice([None, since, -50]) if "years" in kinds else None,
        until=chance.choice([None, until]) if "years" in kinds else None,
    )


def left(database: Database, graph: str, filters: Filters) -> Left:
    """Return what `filters` must leave of a graph, row by row."""
    mentions = _read(
        database,
        "MATCH (e:Entity)-[m:MENTIONED_IN]->(c:Chunk)-[:IN_DOCUMENT]->(d:Document) WHERE d.graph = $graph "
        "RETURN e{.id, .name, .type, .birth_year, .death_year} AS e, m{.birth_year, .death_year} AS m, c.id AS c, d",
        graph,
    )
    states = _read(
        database,
        "MATCH (f:Fact)-[s:STATED_IN]->(c:Chunk)-[:IN_DOCUMENT]->(d:Document) WHERE d.graph = $graph "
        "MATCH (a:Entity {id: f.source_key}) MATCH (b:Entity {id: f.target_key}) "
        "RETURN f{.id, .start_date} AS f, s.start_date AS date, a{.id, .type, .name} AS a, b{.id, .type, .name} AS b, "
        "c.id AS c, d",
        graph,
    )
    chunks = {row["c"] for row in (*mentions, *states) if _is_document(row["d"], filters)}
    types = {each.upper() for each in filters.types}
    if types:
        chunks &= {row["c"] for row in mentions if row["e"]["type"] in types}
    if filters.since is not None or filters.until is not None:
        dated = {row["c"] for row in states if _dated(row["date"], filters)}
        dated |= {row["c"] for row in mentions if row["e"]["type"] == "DATE" and _dated(row["e"]["name"], filters)}
        dated |= {row["c"] for row in mentions for year in row["m"].values() if _within(year, year, filters)}
        chunks &= dated
    kept = [row for row in states if row["c"] in chunks]
    facts = {
        row["f"]["id"]
        for row in kept
        if (not types or {row["a"]["type"], row["b"]["type"]} & types) and _is_dated_fact(row, filters)
    }
    around = {end["id"] for row in states if _is_dated_fact(row, filters) for end in (row["a"], row["b"])}
    entities = {
        row["e"]["id"]
        for row in mentions
        if row["c"] in chunks and (not types or row["e"]["type"] in types) and _lived(row["e"], around, filters)
    }
    return Left(frozenset(chunks), frozenset(entities), frozenset(facts))


def _is_document(node: Any, filters: Filters) -> bool:
    names = [node["title"].lower(), node["key"].lower(), node["key"].rpartition("/")[2].lower()]
    patterns = [re.compile(re.escape(each.lower()).replace(r"\*", ".*")) for each in filters.documents]
    return (
        (not patterns or any(pattern.fullmatch(name) for pattern in patterns for name in names))
        and (not filters.languages or (node.get("language") or "") in [each.lower() for each in filters.languages])
        and (not filters.kinds or node["kind"] in filters.kinds)
    )


def _is_dated_fact(row: Any, filters: Filters) -> bool:
    if filters.since is None and filters.until is None:
        return True
    ends = [end["name"] for end in (row["a"], row["b"]) if end["type"] == "DATE"]
    return any(_dated(date, filters) for date in (row["f"]["start_date"], *ends))


def _dated(date: str | None, filters: Filters) -> bool:
    known = {"1799": 1799, "c. 1803": 1803, "14 May 1804": 1804, "44 BC": -44, "1802": 1802}
    if date == "1801-1806":
        return _within(1801, 1806, filters)
    return date in known and _within(known[date], known[date], filters)


def _within(first: int | None, last: int | None, filters: Filters) -> bool:
    if first is None or last is None:
        return False
    return (filters.until is None or first <= filters.until) and (filters.since is None or last >= filters.since)


def _lived(entity: Any, around: set[str], filters: Filters) -> bool:
    if (filters.since is None and filters.until is None) or entity["id"] in around:
        return True
    if entity["type"] == "DATE" and _dated(entity["name"], filters):
        return True
    birth, death = entity.get("birth_year"), entity.get("death_year")
    return (
        _within(birth, birth, filters)
        or _within(death, death, filters)
        or (birth is not None and death is not None and _within(birth, death, filters))
    )


def _read(database: Database, cypher: str, graph: str) -> list[Any]:
    return list(database.read(Query("test", "", "", "read", (), (), "", "", cypher), graph=graph))


def _facts(chance: random.Random) -> list[tuple[str, str, str, str | None]]:
    rows = []
    for _ in range(chance.randint(2, 3)):
        source, target = chance.sample(sorted(TYPES), 2)
        rows.append((source, chance.choice(["MET", "SAW", "LEFT"]), target, chance.choice(DATES)))
    return rows


def _extraction(chunk: Chunk, facts: Sequence[tuple[str, str, str, str | None]]) -> Extraction:
    names = list(dict.fromkeys(name for source, _, target, _ in facts for name in (source, target)))
    nodes = tuple(_node(line, name, chunk) for line, name in enumerate(names, 2))
    relationships = []
    for index, (source, kind, target, date) in enumerate(facts):
        properties: dict[str, PropertyValue] = {"description": f"{source} {kind} {target} in chunk {chunk.id[:6]}."}
        if date:
            properties["start_date"] = date
        relationships.append(
            RelationshipRow(50 + index, f"r{index}", source, kind, kind, target, properties, None, None)
        )
    rows = len(nodes) + len(relationships)
    answer = ModelAnswer("", "test", "p0", "stop")
    return Extraction(chunk, (answer,), nodes, tuple(relationships), (), rows, ChunkOutcome.DONE, "c0")


def _node(line: int, name: str, chunk: Chunk) -> NodeRow:
    properties: dict[str, PropertyValue] = {"description": f"{name} as chunk {chunk.id[:6]} has it."}
    if name in LIVES:
        properties |= dict(zip(("birth_year", "death_year"), LIVES[name], strict=True))
    start = chunk.text.index(name)
    return NodeRow(
        line, name, TYPES[name], TYPES[name], name, properties, name, Span(start, start + len(name), "exact")
    )
