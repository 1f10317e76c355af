"""What extractions say about one passage, in the terms of the annotation: mentions, entities, relations. Pure.

A row of the CSV gives a name, not places: its mentions are all exact occurrences of the name, as whole words, in the
chunk that the row is about. Where a longer name of another row covers an occurrence, the longer one has it ("York" in
"New York"). Rows of one normalised name and type are one entity, as they are in the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kg_neo4j.eval.extraction.running_text import Place
from kg_neo4j.eval.extraction.type_map import TypeMap
from kg_neo4j.extract.interface import EntityMentions
from kg_neo4j.graph.identity import normalise
from kg_neo4j.records import Chunk, Extraction, NodeRow


@dataclass(frozen=True, slots=True)
class PredictedEntity:
    """An entity that an extractor found; places are code points of the passage."""

    name: str
    type: str  # of the annotation
    mentions: tuple[Place, ...]  # ascending; empty where the text has no such words


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """A relation that an extractor found between two of its entities, given by their indexes."""

    source: int
    type: str  # of the extractor
    target: int
    evidence: Place | None = None
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was found in one passage."""

    entities: tuple[PredictedEntity, ...]
    relations: tuple[FoundRelation, ...]
    left_out: int = 0  # node rows whose type the map leaves out
    without_place: int = 0  # entities whose name the text does not have


def from_extractions(extractions: Sequence[Extraction], types: TypeMap) -> Prediction:
    """Return what the CSV rows of all chunks of one passage say."""
    index: dict[tuple[str, str], int] = {}
    names: list[NodeRow] = []
    places: list[set[Place]] = []
    relations: dict[tuple[int, str, int], FoundRelation] = {}
    left_out = 0
    for extraction in extractions:
        rows: dict[str, int] = {}
        kept: list[NodeRow] = []
        for node in extraction.nodes:
            if types.node_type(node.type) is None:
                left_out += 1
                continue
            key = normalise(node.name), node.type
            if key not in index:
                index[key] = len(names)
                names.append(node)
                places.append(set())
            rows[node.node_id] = index[key]
            kept.append(node)
        start = extraction.chunk.start
        for node, found in zip(kept, occurrences([node.name for node in kept], extraction.chunk.text), strict=True):
            places[rows[node.node_id]].update((start + first, start + last) for first, last in found)
        for row in extraction.relationships:
            if row.source_id in rows and row.target_id in rows:
                ends = rows[row.source_id], row.type, rows[row.target_id]
                span = None if row.span is None else (start + row.span.start, start + row.span.end)
                relations.setdefault(ends, FoundRelation(*ends, span))
    entities = tuple(
        PredictedEntity(node.name, types.node_type(node.type) or "", tuple(sorted(found)))
        for node, found in zip(names, places, strict=True)
    )
    nowhere = sum(not entity.mentions for entity in entities)
    return Prediction(entities, tuple(relations.values()), left_out, nowhere)


def from_mentions(
    chunks: Iterable[tuple[Chunk, Sequence[EntityMentions]]], types: TypeMap
) -> tuple[PredictedEntity, ...]:
    """Return the entities that an extractor knows the places of itself, chunk by chunk, as `PredictedEntity`."""
    merged: dict[tuple[str, str], tuple[str, set[Place]]] = {}
    for chunk, entities in chunks:
        for entity in entities:
            kind = types.node_type(entity.type)
            if kind is not None:
                _, places = merged.setdefault((normalise(entity.name), kind), (entity.name, set()))
                places.update((chunk.start + first, chunk.start + last) for first, last in entity.mentions)
    return tuple(PredictedEntity(name, key[1], tuple(sorted(places))) for key, (name, places) in merged.items())


def occurrences(names: Sequence[str], text: str) -> list[tuple[Place, ...]]:
    """Return where each name is in `text` as whole words, less what a longer name of another spelling covers."""
    found = [tuple(match.span() for match in _pattern(name).finditer(text)) if name.strip() else () for name in names]
    spans = sorted({span for each in found for span in each}, key=lambda span: (span[0] - span[1], span))
    taken = bytearray(len(text))
    kept: set[Place] = set()
    for start, end in spans:
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            kept.add((start, end))
    return [tuple(span for span in each if span in kept) for each in found]


def _pattern(name: str) -> re.Pattern[str]:
    """Match a name with its own spelling; any white space stands for any other."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    return re.compile(rf"(?<!\w){words}(?!\w)")
