"""The most informative sentences: what is kept, in which order, within which bound."""

from __future__ import annotations

import random

from kg_neo4j._models import tokens
from kg_neo4j.acquire.sentences import cut_at_sentence, cut_at_word
from kg_neo4j_offline.description_extracts import extract, split

TOKENISER = tokens.load("approximate-1")
MARIE = [
    "Marie Curie was a physicist who studied radioactivity.",
    "Marie Curie was a physicist and a chemist.",
    "She discovered polonium and radium with Pierre Curie in 1898.",
    "A scientist who liked cycling.",
    "She received the Nobel Prize in Physics in 1903 and the Nobel Prize in Chemistry in 1911.",
    "Marie Curie was a physicist who studied radioactivity.",
]


def test_the_same_texts_give_the_same_extract_within_the_bound() -> None:
    first = extract(MARIE, TOKENISER, 45, "Marie Curie")
    assert first == extract(list(MARIE), TOKENISER, 45, "Marie Curie")
    assert 0 < TOKENISER.count(first) <= 45


def test_sentences_keep_their_order_and_are_said_once() -> None:
    kept = extract(MARIE, TOKENISER, 200, "Marie Curie")
    places = [kept.index(text) for text in MARIE[:3]]
    assert places == sorted(places)
    assert kept.count("studied radioactivity") == 1


def test_names_and_numbers_are_covered_before_chatter() -> None:
    kept = extract(MARIE, TOKENISER, 50, "Marie Curie")
    assert "1898" in kept
    assert "1903" in kept
    assert "cycling" not in kept


def test_a_sentence_that_repeats_what_was_taken_makes_room_for_another() -> None:
    texts = [f"He ruled the northern province {how}." for how in ("for years", "with care", "from afar")]
    kept = extract([*texts, "His brother kept horses."], TOKENISER, 19)
    assert kept.count("northern") == 1
    assert "horses" in kept


def test_polish_sentences_are_kept_as_they_are() -> None:
    texts = [
        "Wokulski był kupcem z Warszawy.",
        "Wokulski pokochał Izabelę Łęcką.",
        "Kupiec wyjechał do Bułgarii w 1877 r.",
    ]
    assert set(split(texts)) == set(split([extract(texts, TOKENISER, 200, "Wokulski")]))


def test_where_every_sentence_is_too_long_the_best_is_cut_at_a_word() -> None:
    long = "He " + "travelled onwards through many lands " * 40 + "and died."
    kept = extract([long], TOKENISER, 30)
    assert TOKENISER.count(kept) <= 31
    assert kept.endswith("…")
    assert kept[:-1].split()[-1] in long.split()


def test_nothing_gives_nothing() -> None:
    assert extract([], TOKENISER, 100) == ""
    assert extract(["  "], TOKENISER, 100) == ""


def test_thousands_of_sentences_are_weighed_in_bounded_work() -> None:
    draw = random.Random(4)
    texts = [f"Person {draw.randrange(900)} met person {draw.randrange(900)} in town {n}." for n in range(5_000)]
    assert TOKENISER.count(extract(texts, TOKENISER, 150)) <= 150


def test_cutting_keeps_whole_sentences() -> None:
    text = "One is here. Two follows on. Three is the last of them all."
    assert cut_at_sentence(text, TOKENISER, 8) == "One is here. Two follows on."
    assert cut_at_sentence(text, TOKENISER, 1) == ""
    assert cut_at_sentence(text, TOKENISER, 100) == text


def test_cutting_at_a_word_leaves_short_texts_alone() -> None:
    assert cut_at_word("short", TOKENISER, 5) == "short"
    assert cut_at_word("字" * 50, TOKENISER, 10).endswith("…")


def test_a_sentence_has_the_marks_of_the_texts_that_have_it() -> None:
    texts = ["Ada wrote notes. She was born in London [1].", "Ada wrote notes [2].", "Was she a countess [3]?"]
    found = extract(texts, TOKENISER, 100)
    assert found == "Ada wrote notes [1][2]. She was born in London [1]. Was she a countess [3]?"
    assert extract(["他住在北京。 [1]."], TOKENISER, 100) == "他住在北京 [1]。"
