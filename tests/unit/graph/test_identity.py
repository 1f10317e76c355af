"""Ids are a function of content."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.graph.identity import entity_num, fact_id, mention_key, normalise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Marie Curie", "MARIE  CURIE"),
        ("Skłodowska-Curie", "Skłodowska Curie"),
        ("O'Brien", "O’Brien"),
        ("Qur'an", "Quran"),
        ("St. John", "St John"),
        ("Müller", unicodedata.normalize("NFD", "Müller")),
        ("Ｆｕｌｌ", "full"),
        ("Straße", "STRASSE"),
        (" al-Bukhari ", "Al–Bukhari"),
    ],
)
def test_spellings_of_one_name_meet(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), [("C", "C#"), ("C", "C++"), ("AT&T", "ATT"), ("Anna", "Anne"), ("!", "?")])
def test_different_names_stay_apart(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@given(st.text(min_size=1, max_size=30))
def test_normalising_twice_changes_nothing(name: str) -> None:
    assert normalise(normalise(name)) == normalise(name)


@given(st.text(max_size=30))
def test_composed_and_decomposed_forms_meet(name: str) -> None:
    assert normalise(unicodedata.normalize("NFD", name)) == normalise(unicodedata.normalize("NFC", name))


def test_a_name_without_letters_keeps_its_punctuation() -> None:
    assert normalise("?!") == "?!"


def test_one_name_of_two_types_or_two_graphs_is_two_keys() -> None:
    keys = {mention_key(graph, "Kufa", kind) for graph in ("a", "b") for kind in ("PLACE", "TRIBE")}
    assert len(keys) == 4


@given(st.lists(st.text(max_size=5), max_size=4), st.lists(st.text(max_size=5), max_size=4))
def test_ids_depend_on_where_one_part_ends(one: list[str], other: list[str]) -> None:
    assert (hash_id(*one) == hash_id(*other)) == (one == other)


def test_ids_are_pinned() -> None:
    """A changed id would orphan every graph that people have."""
    assert hash_id("a", "b") == "3c9d591045bc8876f9d0399bbfb05c6a"
    assert mention_key("main", "Ada Lovelace", "PERSON") == "7ee8a7ef70ca91041d270e2ae5c242f8"
    assert fact_id("a", "MET", "b") == "24decfe4509f8b5a8e566a8bf4bc3975"


def test_num_is_a_positive_52_bit_integer() -> None:
    assert entity_num("f" * 32) == 2**52 - 1
    assert entity_num("0" * 32) == 0


def test_identity_columns_make_facts_different() -> None:
    assert fact_id("a", "MET", "b") != fact_id("a", "MET", "b", ["1901"])
    assert fact_id("a", "MET", "b") != fact_id("b", "MET", "a")
