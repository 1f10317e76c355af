"""Which facts and entities a correction means, and how it is stored."""

from __future__ import annotations

from dataclasses import replace

from kg_neo4j.graph.identity import fact_id, mention_key, namesake_key
from kg_neo4j.graph.resolution.decisions import Components, DecisionKind, components, decide, decide_type
from kg_neo4j.graph.type_decisions import ShownTypes, type_map
from kg_neo4j.rooms.corrections.statements import (
    BoundSentence,
    Content,
    End,
    Meant,
    StatedFact,
    content_of,
    correct,
)


def key(name: str, node_type: str) -> str:
    return mention_key("g", name, node_type)


def end(name: str, node_type: str = "PERSON") -> End:
    return End(name, node_type, key(name, node_type))


def fact(source: str, relationship: str, target: str) -> str:
    return fact_id(source, relationship, target)


MILL = end("Mill", "ORGANIZATION")
STATED = StatedFact(end("Ada Reed"), "FOUNDED", MILL, sentences=(BoundSentence("d", "mill", "Ada Reed founded Mill."),))
WRONG = Content(wrong=(STATED,))


def meant(found: Components | None = None, shown: ShownTypes | None = None) -> Meant:
    types = frozenset({"PERSON", "WRITER", "ORGANIZATION", "PLACE", "KgEntity"})
    return Meant("g", types, {"WRITER": "PERSON"}, found or Components(), shown or ShownTypes())


def test_the_same_names_under_another_type_of_the_family_are_meant() -> None:
    found = meant().facts(WRONG)
    assert fact(STATED.source.key, "FOUNDED", MILL.key) in found
    assert fact(key("ADA  reed", "WRITER"), "FOUNDED", MILL.key) in found
    assert fact(key("Ada Reed", "PLACE"), "FOUNDED", MILL.key) not in found
    assert fact(STATED.source.key, "SOLD", MILL.key) not in found
    assert fact(MILL.key, "FOUNDED", STATED.source.key) not in found


def test_names_that_decisions_join_are_meant() -> None:
    joined = components([decide("g", DecisionKind.SAME, (key("A. Reed", "PERSON"), STATED.source.key), "rule", 1.0)])
    other = fact(key("A. Reed", "PERSON"), "FOUNDED", MILL.key)
    assert other in meant(joined).facts(WRONG)
    assert other not in meant().facts(WRONG)
    assert meant(joined).entities(STATED.source) >= {joined.entity(STATED.source.key)}


def test_of_several_bearers_of_a_name_one_is_meant() -> None:
    other = replace(STATED.source, key=namesake_key(STATED.source.key, "d"))
    found = meant().facts(Content(wrong=(replace(STATED, source=other),)))
    assert found == {fact(other.key, "FOUNDED", each) for each in meant().entities(MILL)}
    assert fact(STATED.source.key, "FOUNDED", MILL.key) not in found


def test_types_are_followed_to_what_decisions_show_them_as() -> None:
    shown = type_map([decide_type("g", DecisionKind.INVERSE_TYPE, ("FOUNDED", "FOUNDED_BY"), "person")])
    found = meant(shown=shown).facts(WRONG)
    assert fact(MILL.key, "FOUNDED_BY", STATED.source.key) in found
    written = Content(wrong=(replace(STATED, type="STARTED", types=("FOUNDED",)),))
    assert fact(STATED.source.key, "FOUNDED", MILL.key) in meant().facts(written)
    assert fact(MILL.key, "FOUNDED_BY", STATED.source.key) in meant(shown=shown).facts(written)


def test_a_correction_is_stored_and_read() -> None:
    content = replace(WRONG, right=replace(STATED, type="BOUGHT", sentences=(), properties={"start_date": "1841"}))
    made = correct("g", DecisionKind.EDITED_FACT, content, "the deed")
    assert content_of(made.decision.content) == content
    assert (made.left, made.right) == ("Ada Reed FOUNDED Mill", "Ada Reed BOUGHT Mill (1841)")
    assert (made.decision.left_key, made.decision.right_key) == (STATED.source.key, MILL.key)
    again = correct("g", DecisionKind.EDITED_FACT, replace(content, url="https://example.org"), "another reason")
    assert again.decision.id == made.decision.id
    assert correct("g", DecisionKind.WRONG_FACT, content, "").decision.id != made.decision.id
    node = correct("g", DecisionKind.EDITED_NODE, Content(node=MILL, column="name", value="Mill & Sons"), "")
    assert (node.left, node.right) == ("Mill (ORGANIZATION)", "name: Mill & Sons")
    assert (
        node.decision.id
        != correct("g", DecisionKind.EDITED_NODE, Content(node=MILL, column="type", value="X"), "").decision.id
    )
