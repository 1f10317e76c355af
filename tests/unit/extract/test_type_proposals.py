"""Types that a model proposes: only what may become a label or a relationship type, and said what was not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint
from kg_neo4j.extract.type_proposals import MOST_ENTITY_TYPES, MOST_RELATIONSHIP_TYPES, ProposeTypes, read
from kg_neo4j.extract.values import TYPE_PATTERN
from kg_neo4j.records import Usage


def said(entity_types: object, relationship_types: object) -> str:
    return json.dumps({"entity_types": entity_types, "relationship_types": relationship_types})


GOOD = said(["PERSON", "shop keeper", "Miejscowość"], ["bornIn", "LIVES_IN"])


@pytest.mark.parametrize("around", ["{}", "Here you are:\n```json\n{}\n```", "<think>{{}} hm</think>{}"])
def test_types_are_read_wherever_the_object_stands(around: str) -> None:
    found = read(around.replace("{}", GOOD) if "think" not in around else "<think>{} hm</think>" + GOOD)
    assert found.entity_types == ("PERSON", "SHOP_KEEPER", "MIEJSCOWOSC")
    assert found.relationship_types == ("BORN_IN", "LIVES_IN")
    assert found.problems == ()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("PERSON, PLACE", "not one JSON object"),
        ("", "not one JSON object"),
        ("[" * 5000, "not one JSON object"),
        (said("PERSON", ["A", "B"]), "is no list"),
        (said(["PERSON", "PLACE"], []), "0 relationship_types, at least 2"),
        (said(["PERSON", "PLACE`) DELETE", 7], ["A", "B"]), "cannot be types: 'PLACE`) DELETE', '7'"),
        (said([f"T{number}" for number in range(99)], ["A", "B"]), f"at most {MOST_ENTITY_TYPES}"),
    ],
)
def test_what_is_wrong_is_said(answer: str, problem: str) -> None:
    assert problem in " ".join(read(answer).problems)


def test_types_of_the_graph_itself_are_renamed() -> None:
    found = read(said(["CHUNK", "PERSON"], ["MENTIONED_IN", "KNOWS"]))
    assert found.entity_types == ("CHUNK", "PERSON")
    assert found.relationship_types == ("MENTIONED_IN_TYPE", "KNOWS")


def test_an_answer_with_faults_is_complained_about_and_used_where_it_has_types_of_both_kinds() -> None:
    task = ProposeTypes("a sample", "en", "")
    assert task.accept(Completion(GOOD, "stop", Usage())) == read(GOOD)
    partly, none = (task.accept(Completion(each, "stop", Usage())) for each in (said(["A", "B`"], ["C", "D"]), "no"))
    assert isinstance(partly, Complaint)
    assert (partly.value, partly.faults, partly.keeps) == (read(said(["A", "B`"], ["C", "D"])), 2, True)
    assert isinstance(none, Complaint)
    assert (none.value, none.keeps) == (None, False)
    assert task.messages(partly.why)[1].endswith(f"as it is: {partly.why}. Keep to the rules.")


@given(st.text() | st.lists(st.text() | st.integers() | st.none()).map(lambda types: said(types, types)))
def test_whatever_is_said_only_types_come_out(answer: str) -> None:
    found = read(answer)
    assert all(TYPE_PATTERN.fullmatch(kind) for kind in (*found.entity_types, *found.relationship_types))
    assert len(found.entity_types) <= MOST_ENTITY_TYPES
    assert len(found.relationship_types) <= MOST_RELATIONSHIP_TYPES
