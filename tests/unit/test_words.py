"""Words in any script, and when two are forms of one."""

from __future__ import annotations

import pytest

from kg_neo4j.words import family, fold, is_stop_word, same_word, split_words, word_spans


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Who was Jeanne d'Arc?", ["Who", "was", "Jeanne", "d'Arc"]),
        ("Muhammad’s wife-to-be", ["Muhammad’s", "wife", "to", "be"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("مُحَمَّد", ["مُحَمَّد"]),
        ("東京は", ["東京", "京は"]),
        ("", []),
        ("?! 😀", []),
    ],
)
def test_words_are_split_in_any_script(text: str, words: list[str]) -> None:
    assert split_words(text) == words
    assert all(0 <= start < end <= len(text) for start, end in word_spans(text))


@pytest.mark.parametrize(
    ("word", "folded"),
    [("Żelazowa", "zelazowa"), ("Łódź", "lodz"), ("Khadija’s", "khadija"), ("서울", "서울"), ("हिन्दी", "हिन्दी")],
)
def test_folding_takes_away_case_accents_and_possession(word: str, folded: str) -> None:
    assert fold(word) == folded


@pytest.mark.parametrize(
    ("left", "right"),
    [
        *(("khadija", "khadijah"), ("wokulski", "wokulskiego"), ("die", "died"), ("marry", "married")),
        *(("chopin", "chopinem"), ("mecca", "meccan"), ("climb", "climbed"), ("found", "founder")),
        *(("drew", "draws"), ("led", "lead"), ("chosen", "chose"), ("went", "goes")),
    ],
)
def test_forms_of_one_word_match(left: str, right: str) -> None:
    assert same_word(left, right)
    assert same_word(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        *(("father", "fathom"), ("australia", "austria"), ("paris", "parish"), ("king", "kingdom")),
        *(("1810", "1811"), ("a", "an"), ("marie", "mariette"), ("mother", "motion")),
    ],
)
def test_other_words_do_not(left: str, right: str) -> None:
    assert not same_word(left, right)


def test_families_join_parts_of_speech() -> None:
    assert {"death", "died"} <= family("die")
    assert family("penicillin") == frozenset()


def test_function_words_of_two_languages_are_known() -> None:
    assert all(is_stop_word(fold(word)) for word in ("the", "who", "kto", "był", "w"))
    assert not is_stop_word("khadija")
