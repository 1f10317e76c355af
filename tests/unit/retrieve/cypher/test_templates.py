"""Forms of questions: which query each is answered by, and what is left to be looked up."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.graph import queries
from kg_neo4j.retrieve.cypher.templates import EXAMPLES, PLACED, Form, _forms, recognise, relationships_of, types_of


def form(question: str) -> Form:
    return recognise(question)[0]


@pytest.mark.parametrize(
    ("question", "query", "x", "y"),
    [
        ("Who is related to Ada Lovelace?", "relations", "Ada Lovelace", ""),
        ("What is known about the Analytical Engine?", "relations", "the Analytical Engine", ""),
        ("With whom was Ada connected?", "relations", "Ada", ""),
        ("How are Ada Lovelace and Charles Babbage connected?", "connections", "Ada Lovelace", "Charles Babbage"),
        ("How is Ada related to Babbage?", "connections", "Ada", "Babbage"),
        ("What is the relationship between Ada and Babbage?", "connections", "Ada", "Babbage"),
        ("What does Ada have to do with Babbage?", "connections", "Ada", "Babbage"),
        ("Find the shortest path from Ada to Babbage", "connections", "Ada", "Babbage"),
        ("What do Ada and Babbage have in common?", "in_common", "Ada", "Babbage"),
        ("Who is connected to both Ada and Babbage?", "in_common", "Ada", "Babbage"),
        ("What happened in 1833?", "year", "", ""),
        ("What did Ada do in 1833?", "year", "Ada", ""),
        ("When was Ada born?", "life", "Ada", ""),
        ("How many people are there?", "number", "", ""),
        ("How many places is Ada connected with?", "number_related", "Ada", ""),
        ("Who is the most connected person?", "most_connected", "", ""),
        ("Which documents mention Ada?", "mentions", "Ada", ""),
        ("List all people", "entities", "", ""),
        ("Who met Babbage?", "stated", "Babbage", ""),
        ("Where did Ada study?", "stated", "Ada", ""),
        ("Who was Ada's father?", "stated", "Ada", ""),
        ("Co wiadomo o Adzie?", "relations", "Adzie", ""),
    ],
)
def test_forms(question: str, query: str, x: str, y: str) -> None:
    found = form(question)
    assert (found.query, found.x, found.y) == (query, x, y)


def test_every_query_of_a_form_exists_and_every_example_has_a_form() -> None:
    assert {f"questions/{query}" for query, _ in _forms()} <= set(queries.names("questions"))
    for example in EXAMPLES:
        assert recognise(example), example


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("What happened in 1833?", (1833, 1833)),
        ("What happened in the year 50 BC?", (-50, -50)),
        ("What happened between 1799 and 1804?", (1799, 1804)),
        ("What happened from 300 to 200 BC?", (-300, -200)),
        ("What did Ada do between 1830 and 1840?", (1830, 1840)),
        ("Co się wydarzyło w roku 1833?", (1833, 1833)),
    ],
)
def test_years(question: str, years: tuple[int, int]) -> None:
    assert form(question).years == years


def test_years_that_run_backwards_are_no_question_of_years() -> None:
    assert all(each.query != "year" for each in recognise("What happened between 1840 and 1830?"))


def test_a_name_with_an_and_of_its_own_is_parted_at_every_place() -> None:
    found = recognise("How are Simon and Garfunkel and Paul connected?")
    assert [(each.x, each.y) for each in found] == [("Simon", "Garfunkel and Paul"), ("Simon and Garfunkel", "Paul")]


@pytest.mark.parametrize(
    "question",
    ["Who was Ada Lovelace?", "Why did Ada leave?", "ADA", "?", "", "the engine", "Was Ada a mathematician?"],
)
def test_other_questions_have_no_form(question: str) -> None:
    assert recognise(question) == ()


@pytest.mark.parametrize(
    "question",
    [
        "Which products are made by firms that are based in Wien?",
        "Which firms whose owner died are in Oslo?",
    ],
)
def test_a_kind_of_things_has_no_clause_of_its_own(question: str) -> None:
    assert all(not re.search("that|whose", each.kind) for each in recognise(question))


@given(st.text(max_size=300))
def test_any_text_is_recognised_or_not(text: str) -> None:
    assert all(each.query for each in recognise(text))


@pytest.mark.parametrize(
    ("kind", "types"),
    [
        ("people", ("PERSON",)),
        ("who", ("PERSON",)),
        ("places", ("CITY", "PLACE")),
        ("cities", ("CITY",)),
        ("chemical elements", ("CHEMICAL_ELEMENT",)),
        ("things", ()),
        ("", ()),
        ("unicorns", None),
        ("people live in berlin", None),
    ],
)
def test_kinds_are_types_of_the_graph(kind: str, types: tuple[str, ...] | None) -> None:
    assert types_of(kind, ["PERSON", "PLACE", "CITY", "CHEMICAL_ELEMENT"]) == types


@pytest.mark.parametrize(
    ("verb", "found", "direction"),
    [
        ("study", ("STUDIED_AT", "STUDIED_IN"), "in"),
        ("met", ("MET",), "both"),
        ("marry", ("MARRIED_TO",), "both"),
        ("taught", ("TAUGHT",), "in"),
        ("father", ("FATHER_OF",), "in"),
        ("father in law", ("FATHER_IN_LAW_OF", "FATHER_OF"), "in"),
        ("invent", (), "in"),
        ("of", (), "in"),
    ],
)
def test_verbs_are_types_of_which_every_word_is_said(verb: str, found: tuple[str, ...], direction: str) -> None:
    known = ["STUDIED_AT", "STUDIED_IN", "MET", "MARRIED_TO", "TAUGHT", "FATHER_OF", "FATHER_IN_LAW_OF", "SON_OF"]
    assert relationships_of(verb, "in", known) == (found, direction)


@pytest.mark.parametrize(
    ("question", "query", "x", "kind", "verb", "years", "is_list"),
    [
        ("How many firms are in Oslo?", "number_related", "Oslo", "firms", PLACED, None, True),
        ("How many people work for Fjord Data?", "number_related", "Fjord Data", "people", "work", None, False),
        ("How many people worked for X since 2010?", "number_related", "X", "people", "worked", (2010, 9_999), False),
        ("How many ships does Fjord Data own?", "number_related", "Fjord Data", "ships", "own", None, False),
        ("Who works at Fjord Data since 2019?", "stated", "Fjord Data", "who", "works", (2019, 9_999), True),
        ("Who met Ada in 1833?", "stated", "Ada", "who", "met", (1833, 1833), True),
        ("Who met Ada?", "stated", "Ada", "who", "met", None, False),
        ("Which firms are located in New York?", "stated", "New York", "firms", PLACED, None, True),
    ],
)
def test_counts_and_lists_by_a_verb_a_place_or_a_year(
    question: str, query: str, x: str, kind: str, verb: str, years: tuple[int, int] | None, is_list: bool
) -> None:
    found = form(question)
    assert (found.query, found.x, found.kind, found.verb) == (query, x, kind, verb)
    assert (found.years, found.is_list) == (years, is_list)
