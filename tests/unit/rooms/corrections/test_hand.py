"""What a person states, as a document."""

from __future__ import annotations

from dataclasses import replace

from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph.identity import mention_key
from kg_neo4j.graph.resolution.decisions import Decision, DecisionKind
from kg_neo4j.rooms.corrections.hand import place_of, written
from kg_neo4j.rooms.corrections.statements import Content, End, StatedFact

ADA, MILL = (End(name, kind, mention_key("g", name, kind)) for name, kind in (("Ada", "PERSON"), ("Mill", "WORKS")))
STATED = StatedFact(ADA, "WORKED_FOR", MILL, properties={"start_date": "1841"})
CONTENT = Content(right=STATED, url="https://example.org/deed")
MADE = Decision("d1", "g", DecisionKind.ADDED_FACT, ADA.key, MILL.key, "person", 1.0)


def test_a_statement_is_a_document_that_quotes_itself() -> None:
    found = written("g", replace(MADE, reason="the deed"), CONTENT, schemas.load("lean"))
    text = "Ada worked for Mill (1841). By hand: the deed. Source: https://example.org/deed"
    assert (found.document.text, found.document.kind) == (text, "hand")
    assert (found.document.id, found.document.title) == (place_of("g", "d1"), "By hand: Ada WORKED_FOR Mill (1841)")
    assert found.document.url == "https://example.org/deed"
    [extraction] = found.extractions
    assert [(each.name, each.type) for each in extraction.nodes] == [("Ada", "PERSON"), ("Mill", "WORKS")]
    for each in extraction.nodes:
        assert each.span is not None
        assert text[each.span.start : each.span.end] == each.name
    [row] = extraction.relationships
    assert row.span is not None
    assert text[row.span.start : row.span.end] == row.evidence == "Ada worked for Mill (1841)."
    assert (row.source_id, row.target_id) == tuple(each.node_id for each in extraction.nodes)


def test_a_fact_of_one_entity_has_one_node() -> None:
    [extraction] = written("g", MADE, Content(right=replace(STATED, target=ADA)), schemas.load("lean")).extractions
    assert len(extraction.nodes) == 1
    assert {extraction.relationships[0].source_id, extraction.relationships[0].target_id} == {"n-1"}


def test_an_address_that_is_no_link_is_text_alone() -> None:
    found = written("g", MADE, Content(right=STATED, url="javascript:alert(1)"), schemas.load("lean"))
    assert found.document.url is None
    assert found.document.text.endswith("Source: javascript:alert(1)")


def test_the_schema_of_the_graph_is_that_of_the_document() -> None:
    own = replace(schemas.load("lean"), name="own", text="name = 'own'")
    assert written("g", MADE, Content(right=STATED), own).configuration.schema_text == "name = 'own'"
    assert written("g", MADE, Content(right=STATED), schemas.load("lean")).configuration.schema_text is None
