"""Which pipeline names the entities, what it adds and leaves out, and what is said of other languages."""

from __future__ import annotations

import pytest

from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j_offline.extractor.extractor import OfflineExtractor
from kg_neo4j_offline.extractor.ner import find_trained, is_english
from offline_reading import chunk, document, parse, read

ENGLISH = "He was born in Warsaw and lived there with his sister until the war, when the family moved to Paris."
POLISH = "Urodził się w Warszawie i mieszkał tam z siostrą Bronisławą aż do wojny, kiedy rodzina wyjechała do Paryża."
GERMAN = (
    "Er wurde in Warschau geboren und lebte dort mit seiner Schwester bis zum Krieg, als die Familie nach Paris zog."
)


def names(text: str) -> set[tuple[str, str]]:
    return {(text[start:end], kind) for start, end, kind in find_trained(text).spans}


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (ENGLISH, None, True),
        (POLISH, None, False),
        (GERMAN, None, False),
        (POLISH, "en", True),
        (ENGLISH, "pl", False),
        (ENGLISH, "en-GB", True),
        (ENGLISH, "simple", True),
        ("Ada Brandt slept.", None, True),
        ("", None, True),
    ],
)
def test_english_is_told_by_its_code_then_by_its_small_words(text, language, expected):
    assert is_english(text, language) is expected


def test_titles_before_a_name_belong_to_it():
    assert ("Duke of Sussex", "PERSON") in names("He met the Duke of Sussex there, in the old house by the sea.")


def test_adjectives_of_origin_and_offices_alone_are_no_names():
    assert not names("The Polish army fought the German army. The King slept.") & {
        ("Polish", "PLACE"),
        ("King", "PERSON"),
    }


def test_a_nickname_in_quotation_marks_is_left_out():
    assert not [name for name, _ in names('The singer Otto "Nils" Lind was born in Oslo in 1901.') if "Nils" in name]


def test_markup_is_not_read():
    assert {name for name, _ in names("He met *Marie Curie*[3] in `Paris`, France.")} >= {"Marie Curie", "Paris"}


def test_offsets_are_those_of_the_text():
    text = "[1] **Marie Curie** was born in Warsaw."
    assert names(text) >= {("Marie Curie", "PERSON"), ("Warsaw", "PLACE")}


def test_a_document_in_another_language_is_named_by_rules_and_reported():
    extractor = OfflineExtractor(schemas.load("described"))
    extractor.answer(ChunkTask(document(ENGLISH), chunk(ENGLISH)), ENGLISH)
    assert extractor.notes == ()
    for _ in range(2):
        given = extractor.answer(ChunkTask(document(POLISH), chunk(POLISH)), POLISH)
    assert "Bronisławą" in {node["name"] for node in parse(given.text, schemas.load("described")).nodes}
    assert extractor.notes == ("1 document not in English: names found by capitals alone",)


POLISH_LIFE = """Maria Skłodowska urodziła się w Warszawie 7 listopada 1867 roku.
Ona i jej mąż Piotr Curie pracowali w Paryżu.
Profesor odkrył tam nowy pierwiastek. Fizyk umarł w 1906 roku, a kompozytor Chopin nie był jego przyjacielem."""


def test_polish_text_gives_names_and_no_sentences_that_english_rules_made_up():
    found = read(POLISH_LIFE, language=None)
    assert "Maria Skłodowska" in found.names
    assert all(len(name.split()) <= 4 for name in found.names)
    assert not found.names & {"Ona", "Profesor", "Fizyk", "jej"}
    assert found.facts == set()
