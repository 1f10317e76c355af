"""Whom a pronoun means, and when it is left open."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor import extractor
from kg_neo4j_offline.extractor.document_subject import topic_of, unwrap
from kg_neo4j_offline.extractor.lexicon import PRONOUNS
from kg_neo4j_offline.extractor.ner import find_trained
from kg_neo4j_offline.extractor.parsed_text import sentences
from offline_reading import chunk, document

MILL = "The mill is old. It stood for years. It burnt."


def meant(text: str, title: str = "notes") -> list[str]:
    """Return the name that each pronoun of a text means, "" for none."""
    parsed = sentences(text)
    extractor.read(text, parsed, find_trained(text), topic_of(document(text, title), chunk(text)))
    words = [item for sentence in parsed for item in sentence.items if item.lower in PRONOUNS]
    return [item.entity.name if item.entity is not None else "" for item in words]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        # the only one in this sentence, else in the two before
        ("Daniel Pryce visited the mill. He stopped the wheel.", ["Daniel Pryce"]),
        ("Paul Reed ran the mill. The wheel was old. He sold it.", ["Paul Reed"]),
        ("Paul Reed ran the mill. The wheel was old. It stood for years. He sold it.", [""]),
        ("Paul Reed ran the mill. Carl Weiss slept when he was tired.", ["Carl Weiss"]),
        ("When Victor Hale left, he founded the Courier.", ["Victor Hale"]),
        ("The mayor, Paul Reed, opened the bridge. He left early.", ["Paul Reed"]),
        ("Ada Holm sang. She did not teach: that was her nephew Karl Voss.", ["Ada Holm", "Ada Holm"]),
        ('"Where is it?" asked Clara Nunn when she woke.', ["Clara Nunn"]),
        # of two, the one whom the pronoun fits
        ("Paul Reed ran the mill. Anne Price painted it. He sold it, and she left.", ["Paul Reed", "Anne Price"]),
        ("Helen Marsh painted the hall with Oskar Brand. She moved to Oslo.", ["Helen Marsh"]),
        ("Clara Nunn married a clerk in 1920. He died in 1950.", [""]),
        # two may be meant
        ("Paul Reed and Simon Frost were late. He drove.", [""]),
        ("Paul Reed ran the mill. Carl Weiss painted it. He sold it.", [""]),
        ("Hans Vogt studied under Karl Weiss, whom he admired.", [""]),
        # direct speech is somebody else's
        ("Paul Reed ran the mill. “He is late,” said Anne Price.", [""]),
        # the words around a name tell the gender
        ("Ines Duarte, 41, the town's first woman mayor, opened the school. She had taught there.", ["Ines Duarte"]),
        ("Otto Lind met Wen, the widow of a smith. She sold the inn.", ["Wen"]),
        ("Otto Lind met his sister-in-law Wen Tavi. He sold the inn.", ["Otto Lind", "Otto Lind"]),
    ],
)
def test_a_pronoun_means_the_only_person_near_that_it_fits(text: str, people: list[str]) -> None:
    assert meant(text) == people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        (f"Paul Reed was a smith. {MILL} He was born in Graz.", ["Paul Reed"]),
        (f"Paul Reed was a smith. {MILL} Anne Price painted it. He was born in Graz.", ["Paul Reed"]),
        (f"Paul Reed was a smith. {MILL} Carl Weiss came. He was born in Graz.", ["Carl Weiss"]),
        (f"Paul Reed was a smith. {MILL} Carl Weiss came with Simon Frost. He was born in Graz.", [""]),
    ],
)
def test_a_pronoun_means_the_subject_of_the_document_where_nobody_near_fits(text: str, people: list[str]) -> None:
    assert meant(text, "Paul Reed") == people


def test_a_text_is_unwrapped_without_moving_a_letter() -> None:
    text = "# Heading\nA paragraph whose first line ends with the name of New\nYork, as its last words say.\n\nAnother"
    assert unwrap(text) == text.replace("New\nYork", "New York")
