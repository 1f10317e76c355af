"""The columns of W1: years of lives, roles and homes, and what is none of these."""

from __future__ import annotations

import pytest

from kg_neo4j.extract import schema as schemas
from offline_reading import Reading, read


def columns(text: str, title: str = "notes") -> Reading:
    return read(text, title=title, schema=schemas.load("wikipedia"))


@pytest.mark.parametrize(
    ("text", "name", "years"),
    [
        ("Ada Roux (1901 – 1980) was a French painter.", "Ada Roux", ("1901", "1980")),
        ("Ada Roux was born in Lyon on 3 May 1901 and died in 1980.", "Ada Roux", ("1901", "1980")),
        ("The pilot Ada Lind (b. 1739, d. 1812) left Oslo.", "Ada Lind", ("1739", "1812")),
        ("Ada Roux met Otto Lind (1871 – 1934) in Oslo.", "Otto Lind", ("1871", "1934")),
        ("Sir Otto Lind FRS (1871 – 1934) was a Norwegian chemist.", "Otto Lind", ("1871", "1934")),
    ],
)
def test_years_of_a_life(text, name, years):
    node = columns(text).node(name)
    assert (node["birth_year"], node["death_year"]) == years


@pytest.mark.parametrize(
    "text",
    [
        "Otto Lind (1896 – 1899) was the warden of the mint.",  # an office
        "Otto Lind came home for the anniversary of his death in 1934.",
        "Otto Lind lived in Norway (1920 – 1940) and in Sweden.",  # a stay
    ],
)
def test_years_that_are_none_of_a_life(text):
    assert not any(node["birth_year"] or node["death_year"] for node in columns(text).nodes)


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        ("Ada Roux was a French painter and critic who lived in Lyon.", "Ada Roux", "French painter and critic"),
        ("The physicist Otto Lind lived in Oslo.", "Otto Lind", "physicist"),
        ("Otto Lind worked as a governor in Oslo.", "Otto Lind", "governor"),
        ("Lyon is a city in France.", "Lyon", "city"),
    ],
)
def test_a_role_is_what_the_text_says_somebody_is(text, name, role):
    assert columns(text).node(name)["role"] == role


def test_the_subject_of_a_document_has_the_role_of_its_definition_alone():
    text = "Ada Roux was a French painter.\n\nIn 1930 she met Otto Lind. As a singer Ada Roux failed in Oslo."
    assert columns(text, "Ada Roux").node("Ada Roux")["role"] == "French painter"


def test_where_somebody_lived_comes_before_a_country_of_origin():
    assert columns("Ada Roux was a French painter. She lived in Oslo.", "Ada Roux").node("Ada Roux")["location"] == (
        "Oslo"
    )
