"""Common words that a capital makes look like names."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor.word_vectors import is_common
from offline_reading import read


@pytest.mark.parametrize("word", ["help", "lawyers", "switch", "loosen", "darkness", "broken", "seventeen"])
def test_a_common_word_is_known_by_its_vector(word):
    assert is_common(word)


@pytest.mark.parametrize("word", ["martha", "oslo", "qzxwv", "", "ljubljana", "otto"])
def test_a_name_and_a_word_without_a_vector_are_not_common(word):
    assert not is_common(word)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Help came from Oslo. Shepherds marched to Lund with Ada Berg.", {"Oslo", "Lund", "Ada Berg"}),
        ("Loosen the collar. Darkness fell over Oslo. Lawyers visited Ada Berg.", {"Oslo", "Ada Berg"}),
        ("CARRIED. Ada Berg lives in Oslo. SPECIAL MEETING for the town.", {"Oslo", "Ada Berg"}),
        ("Ada Berg lives in Oslo. NATO asked Ada Berg.", {"Oslo", "Ada Berg", "NATO"}),
    ],
)
def test_a_capital_at_the_start_makes_no_name(text, names):
    assert read(text).names == names


def test_letters_before_the_items_of_a_list_are_no_initials():
    text = "A. Roof. It leaks.\nB. Lights. Otto Lind cleaned them.\nC. Repairs. Ada Berg asked Oslo.\n"
    assert read(text).names == {"Otto Lind", "Ada Berg", "Oslo"}
    assert "B. Berg" in read("Ada Lind met B. Berg in Oslo. B. Berg wrote to Ada Lind.").names


def test_stressed_words_and_labels_in_italics_are_no_titles():
    text = '"*You are late again*, Ada," said Otto Lind. *Blue lamp.* Otto Lind came from Oslo.'
    assert read(text).names == {"Otto Lind", "Ada", "Oslo"}
