"""CSV rows become mentions by their names, entities by name and type, relations by their ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotated import write
from kg_neo4j.records import Chunk, ChunkOutcome, Extraction, NodeRow, RelationshipRow, Span
from kg_neo4j_lab.extraction import gold, type_map
from kg_neo4j_lab.extraction.matching import (
    from_extractions,
    from_mentions,
    occurrences,
)
from kg_neo4j_lab.extraction.type_map import TypeMap
from kg_neo4j_offline.extractor.mentions import EntityMentions, ScoredRelation


@pytest.fixture
def types(tmp_path: Path) -> TypeMap:
    return type_map.load(gold.read(write(tmp_path)))


def chunk(text: str, start: int = 0) -> Chunk:
    return Chunk("c" * 32, "d" * 32, "main", 0, text, 1, start, start + len(text))


def node(node_id: str, kind: str, name: str) -> NodeRow:
    return NodeRow(1, node_id, kind, kind, name)


def extraction(place: Chunk, nodes: list[NodeRow], rows: list[RelationshipRow] | None = None) -> Extraction:
    rows = rows or []
    read = len(nodes) + len(rows)
    return Extraction(place, (), tuple(nodes), tuple(rows), (), read, ChunkOutcome.DONE, "hash")


def test_names_are_found_as_whole_words_wherever_they_stand() -> None:
    assert occurrences(["Ann"], "Ann, Anna, Joann and Ann's Ann") == [((0, 3), (21, 24), (27, 30))]
    assert occurrences(["U.S.", "C++"], "In the U.S. C++ rules.") == [((7, 11),), ((12, 15),)]
    assert occurrences(["New  York"], "New\nYork") == [((0, 8),)]
    assert occurrences(["ann", " "], "Ann") == [(), ()]


def test_a_longer_name_covers_a_shorter_one_within_it() -> None:
    assert occurrences(["York", "New York"], "York is not New York.") == [((0, 4),), ((12, 20),)]
    assert occurrences(["New York", "New York"], "New York") == [((0, 8),), ((0, 8),)]


def test_rows_of_one_name_and_type_are_one_entity_across_chunks(types: TypeMap) -> None:
    first = extraction(chunk("Ada met Ben."), [node("n1", "PERSON", "Ada"), node("n2", "PERSON", "Ben")])
    second = extraction(chunk("ADA and Ada.", 100), [node("n1", "PERSON", "ADA"), node("n2", "PLACE", "Ada")])
    found = from_extractions([first, second], types)
    assert found.entities == (
        EntityMentions("Ada", "PER", ((0, 3), (100, 103))),
        EntityMentions("Ben", "PER", ((8, 11),)),
        EntityMentions("Ada", "LOC", ((108, 111),)),
    )


def test_relations_keep_the_place_of_their_evidence(types: TypeMap) -> None:
    rows = [
        RelationshipRow(1, "r1", "n1", "MET", "MET", "n2", span=Span(0, 12, "exact")),
        RelationshipRow(2, "r2", "n1", "MET", "MET", "n2"),
        RelationshipRow(3, "r3", "n2", "KNEW", "KNEW", "n1"),
    ]
    one = extraction(chunk("Ada met Ben.", 50), [node("n1", "PERSON", "Ada"), node("n2", "PERSON", "Ben")], rows)
    assert from_extractions([one], types).relations == (
        ScoredRelation(0, "MET", 1, 1.0, (50, 62)),
        ScoredRelation(1, "KNEW", 0, 1.0),
    )


def test_what_is_left_out_and_what_has_no_place_is_counted(types: TypeMap) -> None:
    types = TypeMap({**types.nodes, "PLACE": ""}, types.other_nodes, types.relationships)
    rows = [RelationshipRow(1, "r1", "n1", "BORN_IN", "BORN_IN", "n2")]
    nodes = [node("n1", "PERSON", "Ada"), node("n2", "PLACE", "London"), node("n3", "PERSON", "Zoe")]
    found = from_extractions([extraction(chunk("Ada, London"), nodes, rows)], types)
    assert [entity.name for entity in found.entities] == ["Ada", "Zoe"]
    assert found.relations == ()
    assert (found.left_out, found.without_place) == (1, 1)


def test_an_extractor_s_own_mentions_are_put_together_by_name_and_type(types: TypeMap) -> None:
    chunks = [
        (chunk("Ada Byron wrote. She won."), [EntityMentions("Ada Byron", "PERSON", ((0, 9), (17, 20)))]),
        (chunk("Byron died.", 30), [EntityMentions("Ada Byron", "PERSON", ((0, 5),))]),
    ]
    assert from_mentions(chunks, types) == (EntityMentions("Ada Byron", "PER", ((0, 9), (17, 20), (30, 35))),)
