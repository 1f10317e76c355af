"""A small settled graph for tests of search: written by the real recorder, with the place of every quote."""

from __future__ import annotations

from dataclasses import replace

from corpus import document, record_document
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j.records import Chunk, ChunkOutcome, Extraction, ModelAnswer, NodeRow, RelationshipRow, Span

CONFIGURATION = LoadConfiguration("c0", "described", "s0", "approximate-1")

PARAGRAPHS = [
    "Ada Lovelace (10 December 1815 – 27 November 1852) was an English mathematician. She was born in London. Her "
    "father was the poet Lord Byron, who left England in 1816.",
    "In June 1833 Lovelace met Charles Babbage, the inventor of the Analytical Engine, at a party in London. He called "
    "her the Enchantress of Number.",
    "Babbage lived in Marylebone. He died at his home on 18 October 1871. The engine was never built.",
]
FACTS = [
    [("Ada Lovelace", "CHILD_OF", "Lord Byron", "Her father was the poet Lord Byron")],
    [("Lovelace", "MET", "Charles Babbage", "Lovelace met Charles Babbage")],
    [("Charles Babbage", "LIVED_IN", "Marylebone", "Babbage lived in Marylebone")],
]
OTHER_PARAGRAPHS = ["Fryderyk Chopin urodził się w Żelazowej Woli w 1810 roku.", "Jego matka była Polką."]


def load(
    database: Database,
    graph: str,
    name: str = "Ada",
    paragraphs: list[str] = PARAGRAPHS,
    facts: list[list[tuple[str, str, str, str]]] = FACTS,
) -> tuple[Chunk, ...]:
    """Write and settle one document with one list of facts (source, type, target, quote) a paragraph."""
    schema = schemas.load("described")
    loaded, chunks = document(graph, name, paragraphs)
    with Lease(database, graph) as lease:
        record_document(database, lease, loaded, chunks, CONFIGURATION)
        recorder = Recorder(database, graph, schema, lease)
        padded = [*facts, *([[]] * (len(chunks) - len(facts)))]
        recorder.record([_extraction(chunk, rows) for chunk, rows in zip(chunks, padded, strict=True)])
        settle(database, graph, schema, lease)
    return chunks


def _extraction(chunk: Chunk, facts: list[tuple[str, str, str, str]]) -> Extraction:
    names = dict.fromkeys(name for source, _, target, _ in facts for name in (source, target))
    ids = {name: f"n{index}" for index, name in enumerate(names)}
    nodes = tuple(_node(line, ids[name], name, chunk) for line, name in enumerate(names, 2))
    relationships = tuple(
        RelationshipRow(
            line=index + 50,
            relationship_id=f"r{index}",
            source_id=ids[source],
            type=fact_type,
            original_type=fact_type,
            target_id=ids[target],
            properties={"description": f"{source} {fact_type.lower().replace('_', ' ')} {target}."},
            evidence=quote,
            span=_span(chunk, quote),
        )
        for index, (source, fact_type, target, quote) in enumerate(facts)
    )
    answer = ModelAnswer("", "test", "p0", "stop")
    rows = len(nodes) + len(relationships)
    return Extraction(chunk, (answer,), nodes, relationships, (), rows, ChunkOutcome.DONE, "c0")


def _node(line: int, local: str, name: str, chunk: Chunk) -> NodeRow:
    row = NodeRow(line, local, "PERSON", "PERSON", name, {"description": f"{name} is spoken of."}, name)
    return replace(row, span=_span(chunk, name)) if name in chunk.text else row


def _span(chunk: Chunk, quote: str) -> Span:
    start = chunk.text.index(quote)
    return Span(start, start + len(quote), "exact")
