"""A fact that a person states, as a document of one sentence: it is cited, searched and shown like any other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from kg_neo4j._models import tokens
from kg_neo4j.acquire.identity import chunk_id, document_id, hash_id, text_hash
from kg_neo4j.extract.schema import BUILT_IN, Schema, load
from kg_neo4j.graph.documents import HAND, CutDocument, LoadConfiguration
from kg_neo4j.graph.resolution.decisions import Decision
from kg_neo4j.records import Chunk, ChunkOutcome, Document, Extraction, NodeRow, RelationshipRow, Span
from kg_neo4j.rooms.corrections.statements import Content, End, StatedFact

_CONFIGURATION = hash_id("by hand")


def place_of(graph: str, decision: str) -> str:
    """Return the id of the document of a decision."""
    return document_id(graph, HAND, decision)


def written(graph: str, decision: Decision, content: Content, schema: Schema) -> CutDocument:
    """Return the document of a decision that states something, and what it says."""
    stated, reason = cast("StatedFact", content.right), decision.reason
    says = sentence(stated)
    more = (reason and f"By hand: {reason.rstrip('.')}.", content.url and f"Source: {content.url}")
    text = " ".join(filter(None, (says, *more)))
    id_, digest = place_of(graph, decision.id), text_hash(text)
    title = f"By hand: {stated.text}"
    named = (graph, HAND, decision.id, title, "by hand", text, digest)
    is_link = content.url.startswith(("https://", "http://"))
    document = Document(id_, *named, url=content.url if is_link else None)
    chunk = Chunk(chunk_id(id_, digest, 0), id_, graph, 0, text, tokens.load().count(text), 0, len(text))
    is_built_in = schema.name in BUILT_IN and load(schema.name).text == schema.text
    shaped = (schema.name, schema.hash, tokens.load().name)
    own = None if is_built_in else schema.text
    configuration = LoadConfiguration(_CONFIGURATION, *shaped, rebuild=True, schema_text=own)
    nodes = [_node(line, end, text) for line, end in enumerate(_ends(stated), 1)]
    ids = [each.node_id for each in nodes]
    span = Span(0, len(says), "exact")
    row = RelationshipRow(3, "r-1", ids[0], stated.type, stated.type, ids[-1], dict(stated.properties), says, span)
    rows = len(nodes) + 1
    outcome = ChunkOutcome.DONE
    extraction = Extraction(chunk, (), tuple(nodes), (row,), (), rows, outcome, configuration.config_hash)
    return CutDocument(document, (chunk,), configuration, (extraction,))


def sentence(stated: StatedFact) -> str:
    """Return what is stated as a sentence."""
    when = f" ({start})" if (start := stated.properties.get("start_date")) else ""
    return f"{stated.source.name} {stated.type.lower().replace('_', ' ')} {stated.target.name}{when}."


def _ends(stated: StatedFact) -> Iterable[End]:
    return (stated.source,) if stated.source == stated.target else (stated.source, stated.target)


def _node(line: int, end: End, text: str) -> NodeRow:
    start = text.index(end.name)
    span = Span(start, start + len(end.name), "exact")
    return NodeRow(line, f"n-{line}", end.type, end.type, end.name, {}, end.name, span)
