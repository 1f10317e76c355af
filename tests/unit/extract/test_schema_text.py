"""Schema files that are written can be read, whatever the texts in them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.schema import answer_of, write
from kg_neo4j.records import NodeRow, RelationshipRow

BASE = schemas.load("described")
OWN = {"name": "tuned", "node_types": ("PERSON", "LETTER"), "relationship_types": ("WROTE",)}
DRAFT = replace(BASE, **OWN)


@pytest.mark.parametrize("name", schemas.BUILT_IN)
def test_a_schema_that_was_written_is_the_one_that_was_meant(name: str) -> None:
    base = schemas.load(name)
    found = schemas.parse(write(replace(base, **OWN), ["Read it."]), "here")
    assert (found.nodes, found.relationships) == (base.nodes, base.relationships)
    assert (found.node_types, found.relationship_types) == (("PERSON", "LETTER"), ("WROTE",))
    assert (found.example_text, found.example_answer) == (base.example_text, base.example_answer)


def test_the_phrase_of_a_relationship_is_a_column_that_no_model_is_asked_for() -> None:
    assert [column.name for column in BASE.unasked] == ["phrase"]
    assert "phrase" not in BASE.relationship_header
    assert BASE.relationship_columns == (*BASE.relationships, *BASE.unasked)
    assert BASE.unasked[0] in BASE.relationship_properties


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives(text: str) -> None:
    found = schemas.parse(write(replace(DRAFT, description=text, example_text=text), [text]), "here")
    assert found.description == text
    assert found.example_text.split() == text.split()


@pytest.mark.parametrize("text", ['"""', 'ends with "', 'x""""""', "\\", "\\u0041", "\x00\x1f\x7f", "a\tb\r\nc"])
def test_marks_of_the_file_format_are_text(text: str) -> None:
    assert schemas.parse(write(replace(DRAFT, example_text=f"a{text}b"), []), "here").example_text == f"a{text}b"


def test_half_a_character_does_not_spoil_the_file() -> None:
    assert schemas.parse(write(replace(DRAFT, name="a\ud800"), []), "here").name == "a\ufffd"


def test_rows_become_an_answer_with_the_columns_of_the_schema() -> None:
    nodes = [
        NodeRow(1, "x7", "PERSON", "person", "Ada, Countess", {"birth_year": 1815}, "Ada"),
        NodeRow(2, "x9", "LETTER", "letter", "her letter", {}, "letter"),
    ]
    row = RelationshipRow(3, "z", "x7", "WROTE", "wrote", "x9", {"strength": 7}, "Ada wrote")
    assert answer_of(BASE, nodes, [row]).splitlines() == [
        ",".join(BASE.node_header),
        'n1,PERSON,"Ada, Countess",1815,,,,,Ada',
        "n2,LETTER,her letter,,,,,,letter",
        "",
        ",".join(BASE.relationship_header),
        "r1,n1,WROTE,n2,,,7,Ada wrote",
    ]
