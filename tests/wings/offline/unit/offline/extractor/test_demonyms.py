"""Adjectives of origin, and the countries that they mean."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor.lexicon import COUNTRIES, NATIONS


@pytest.mark.parametrize(
    ("word", "country"),
    [
        ("French", "France"),
        ("Poles", "Poland"),
        ("Polish", "Poland"),
        ("Americans", "United States"),
        ("Philippine", "Philippines"),
        ("British", "United Kingdom"),
    ],
)
def test_an_adjective_means_its_country(word, country):
    assert NATIONS[word] == country


def test_every_line_of_the_list_was_read_whole():
    assert len(NATIONS) >= 109
    for text in [*NATIONS, *COUNTRIES]:
        assert text == text.strip()
        assert text[0].isupper()
        assert not set(text) & set(":|,\n")


def test_no_country_is_an_adjective_of_another():
    assert not COUNTRIES & set(NATIONS)
