"""Women's and men's first names, told by their vectors."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor.lexicon import FEMALE_NAMES, MALE_NAMES
from kg_neo4j_offline.extractor.word_vectors import guess_gender


@pytest.mark.parametrize("name", ["marguerite"])
def test_a_womans_name_on_no_list_is_told(name):
    assert name not in FEMALE_NAMES
    assert guess_gender(name) == "f"


@pytest.mark.parametrize("name", ["horst", "giacomo", "dmitry"])
def test_a_mans_name_on_no_list_is_told(name):
    assert name not in MALE_NAMES
    assert guess_gender(name) == "m"


@pytest.mark.parametrize("word", ["", "qzxwv", "пётр", "孔子"])
def test_what_has_no_vector_is_not_guessed(word):
    assert guess_gender(word) == ""


def test_the_lists_names_are_nearly_all_on_their_side():
    sides = [(guess_gender(name), "f") for name in FEMALE_NAMES - MALE_NAMES]
    sides += [(guess_gender(name), "m") for name in MALE_NAMES - FEMALE_NAMES]
    told = [said == right for said, right in sides if said]
    assert len(told) > 0.8 * len(sides)
    assert sum(told) > 0.97 * len(told)
