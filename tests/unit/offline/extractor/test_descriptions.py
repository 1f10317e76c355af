"""Definite descriptions: whom "the composer" and "the university" mean, and when they mean nobody."""

from __future__ import annotations

import pytest

from offline_reading import read

ROUX = "Ada Roux (1901 – 1980) was a French composer and pianist of the modern era.\n\n"
FILLER = "It rained in spring. " * 6


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (ROUX + "In 1930 the composer married Otto Lind.", ("Ada Roux", "MARRIED_TO", "Otto Lind")),
        ("Otto Lind was a chemist. Ada Roux married the chemist in 1930.", ("Ada Roux", "MARRIED_TO", "Otto Lind")),
        (
            "Ada Roux entered the University of Oslo in 1920. Otto Lind studied at the university.",
            ("Otto Lind", "STUDIED_AT", "University of Oslo"),
        ),
        ("Captain Otto Lind came home. The captain married Ada Roux.", ("Otto Lind", "MARRIED_TO", "Ada Roux")),
    ],
)
def test_a_description_means_the_one_who_was_called_so(text, fact):
    facts = read(text).facts
    assert fact in facts or (fact[2], fact[1], fact[0]) in facts


def test_a_pronoun_after_a_description_means_the_same_one():
    found = read(ROUX + "The composer lived in Lyon. She died in Oslo in 1980.", title="Ada Roux")
    assert {("Ada Roux", "LIVED_IN", "Lyon"), ("Ada Roux", "DIED_IN", "Oslo")} <= found.facts


def test_what_the_opening_defines_needs_no_mention_nearby():
    found = read(ROUX + FILLER + "In 1940 the pianist moved to Lyon.", title="Ada Roux")
    assert any(source == "Ada Roux" and target == "Lyon" for source, _, target in found.facts)


def test_a_role_that_is_written_as_a_name_means_what_the_document_is_about():
    text = "Otto Lind was a Norwegian preacher. In 1930 the Preacher lived in Oslo."
    assert "Preacher" not in read(text, title="Otto Lind").names


@pytest.mark.parametrize(
    "text",
    [
        "Otto Lind was a chemist. Nils Dahl was a chemist. Ada Roux married the chemist in 1930.",  # two fit
        "Otto Lind was a chemist. A chemist came from Oslo. Ada Roux married the chemist.",  # an unnamed one
        f"{FILLER}\n\nOtto Lind was a chemist. {FILLER}Ada Roux married the chemist in 1930.",  # long ago
        "Otto Lind was a chemist. Ada Roux married the chemist of the village.",  # another one
        "Otto Lind was a chemist. Ada Roux married the chemist who sold soap.",
        'Otto Lind was a chemist. "Ada Roux married the chemist in 1930."',  # somebody says so
        "Otto Lind was a soldier. Ada Roux married the chemist in 1930.",  # nobody was called so
    ],
)
def test_a_description_that_is_not_sure_means_nobody(text):
    assert not [fact for fact in read(text).facts if "Otto Lind" in fact and "Ada Roux" in fact]


def test_of_two_that_fit_the_one_named_lately_is_meant():
    text = f"Otto Lind was a chemist. {FILLER}Nils Dahl was a chemist. Ada Roux married the chemist in 1930."
    assert {frozenset(("Ada Roux", "Nils Dahl"))} == {
        frozenset((source, target)) for source, kind, target in read(text).facts if kind == "MARRIED_TO"
    }
