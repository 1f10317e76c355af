"""Summaries and notes made of sentences: whole, in order, within their length, each aspect its own."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j._models import tokens
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.organise.tree.aspects import GENERAL, SHIPPED, load_aspects
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j_offline import cues
from kg_neo4j_offline import tree_texts as extractive

SEVEN = {aspect.name: aspect for aspect in load_aspects(None)}
TOKENISER = tokens.load("approximate-1")
CHECKOUT = Path(__file__).resolve().parents[5]
KINDS = tomllib.loads((CHECKOUT / "tests" / "data" / "kinds_of_text.toml").read_text("utf-8"))
SHOWN = {
    "science": {"results": "Mean strength rose", "question": "The aim of this study"},
    "law": {"definitions": "means a queen", "sanctions": "guilty", "procedure": "appeal"},
    "minutes": {"money": "balance", "tasks": "Tasks: Abel", "decisions": "resolved"},
}
OF_ASPECT = {
    "setting": "Snow lay on the street, and the dark harbour was cold that winter night.",
    "theme": "Every man owes charity and mercy to mankind, for greed brings misery.",
    "point_of_view": "I saw it, reader, and I thought that I knew what it meant, as I tell you.",
    "plot": "Suddenly he rose, ran, fell and was caught before they escaped.",
    "character": "Halvor was a proud, harsh and lonely man, and Ragna feared his temper.",
    "style": "It was as if the sea, hoarse and hoarse again, howled like a wolf; oh, how restless, how endless!",
    "irony_and_symbol": "The chain he wore was a sign of his guilt, yet of course he merely smiled.",
}
STORY = " ".join(["The company had its papers in order.", *OF_ASPECT.values(), "They talked about the price of rye."])
POLISH = (
    "Subiekt zamknął sklep o ósmej. Wokulski wrócił z podróży i usiadł przy biurku. Rzecki zapalił lampę i czekał na "
    "wiadomości o sklepie i o podróży. Na ulicy padał śnieg."
)


@pytest.mark.parametrize("name", OF_ASPECT)
def test_each_aspect_takes_the_sentence_that_shows_it(name: str) -> None:
    assert OF_ASPECT[name] in extractive.summary(STORY, SEVEN[name], TOKENISER, 30)


def test_sentences_stand_whole_in_the_order_of_the_text() -> None:
    for aspect in (*SEVEN.values(), GENERAL):
        said = extractive.summary(STORY, aspect, TOKENISER, 60)
        assert TOKENISER.count(said) <= 60
        places = [STORY.index(said[start:end]) for start, end in sentences(said, 0, len(said))]
        assert places == sorted(places)
        assert len(places) >= 2


def test_a_sentence_that_is_repeated_is_said_once() -> None:
    text = "The lamp was dark. " * 5 + "The harbour lay in fog. The LAMP was dark! The lamp  was\ndark."
    said = extractive.summary(text, GENERAL, TOKENISER, 200)
    assert said == "The lamp was dark. The harbour lay in fog."


def test_what_says_the_same_in_other_words_comes_later() -> None:
    text = (
        "The old keeper lit the lamp on the rock. The keeper, who was old, lit the lamp of the rock. Bread stood on "
        "the table of the tower. The keeper lit the lamp on the old rock again."
    )
    assert "Bread stood" in extractive.summary(text, GENERAL, TOKENISER, 26)


def test_a_sentence_longer_than_asked_is_cut_at_a_word() -> None:
    said = extractive.summary("The harbour of Skarnes lay in thick grey fog for three nights", GENERAL, TOKENISER, 8)
    assert said.endswith("…")
    assert TOKENISER.count(said) <= 8
    assert said.startswith("The harbour of")


@pytest.mark.parametrize("text", ["", " \n", "...", "—"])
def test_a_text_without_words_has_no_summary(text: str) -> None:
    assert extractive.summary(text, GENERAL, TOKENISER, 50) == ""
    assert extractive.note(text, 0, TOKENISER, 50) == ""
    assert extractive.note(text, 1, TOKENISER, 50) == ""


def test_in_another_language_centrality_alone_decides() -> None:
    said = {extractive.summary(POLISH, aspect, TOKENISER, 60) for aspect in SEVEN.values()}
    assert len(said) == 1
    assert not extractive.weigh_sentences(POLISH).has_cues
    assert extractive.weigh_sentences(STORY).has_cues


def test_a_users_aspect_takes_the_words_of_its_question() -> None:
    trade = Aspect("trade", "trade", "What is bought and sold, at which price?")
    assert extractive.summary(STORY, trade, TOKENISER, 12) == "They talked about the price of rye."


def test_cues_of_a_file_stand_in_the_place_of_its_words_and_count_in_any_language() -> None:
    trade = Aspect("plot", "plot", "What is bought and sold, at which price?", cues=("rye", "compan*"))
    weights = {each.text: cues.weight(each, trade) for each in cues.sentences_of(STORY)}
    assert {text for text, weight in weights.items() if weight} == {
        "The company had its papers in order.",
        "They talked about the price of rye.",
    }
    light = Aspect("light", "light", "What is lit?", cues=("lamp*", "zapalił"))
    assert "zapalił lampę" in extractive.summary(POLISH, light, TOKENISER, 30)


@pytest.mark.parametrize(
    ("kind", "name", "text"), [(kind, name, text) for kind, texts in KINDS.items() for name, text in texts.items()]
)
def test_the_set_whose_cues_fit_is_that_of_the_kind_of_text(kind: str, name: str, text: str) -> None:
    (first, fit), (_, second) = list(cues.fits([text]).items())[:2]
    assert (first, name) == (kind, name)
    assert fit > 0.5
    assert fit - second > 0.25


def test_every_set_that_ships_can_be_chosen_and_words_alone_decide_nothing() -> None:
    assert set(cues.fits(["Ink."])) == set(SHIPPED)
    assert max(cues.fits(["Ink."]).values()) < 0
    licence = (CHECKOUT / "LICENSE").read_text("utf-8")
    assert next(iter(cues.fits([licence]))) == "law"
    story = (CHECKOUT / "examples" / "the_bell_of_orlen.md").read_text("utf-8")
    assert next(iter(cues.fits([story]))) == "narrative"


def test_articles_on_persons_are_biographies(shared_data: Path) -> None:
    articles = sorted((shared_data / "wikipedia").glob("*.txt"))
    assert len(articles) >= 7
    for path in articles:
        assert next(iter(cues.fits([path.read_text("utf-8")[:20_000]]))) == "biography", path.stem


@pytest.mark.parametrize(("kind", "name"), [("science", "mortar"), ("law", "order"), ("minutes", "choir")])
def test_an_aspect_of_a_set_takes_the_sentence_that_shows_it(kind: str, name: str) -> None:
    for aspect in load_aspects(kind):
        said = extractive.summary(KINDS[kind][name], aspect, TOKENISER, 80)
        assert SHOWN[kind].get(aspect.name, "") in said, aspect.name


def test_notes_are_a_sentence_phrases_and_another_sentence() -> None:
    first, second, third = (extractive.note(STORY, number, TOKENISER, 60) for number in range(3))
    assert first in STORY
    assert third in STORY
    assert first != third
    assert "; " in second
    assert second == "; ".join(extractive.key_phrases(STORY))
    assert all(phrase.lower() in STORY.lower() for phrase in extractive.key_phrases(STORY))


def test_a_note_on_an_aspect_is_the_sentence_with_most_cues_or_none() -> None:
    for name, sentence in OF_ASPECT.items():
        assert extractive.aspect_note(STORY, SEVEN[name], TOKENISER, 60) == sentence
    assert extractive.aspect_note("They talked.", SEVEN["setting"], TOKENISER, 60) == ""
    assert extractive.aspect_note("", SEVEN["setting"], TOKENISER, 60) == ""
    assert extractive.aspect_note(POLISH, SEVEN["setting"], TOKENISER, 60) == ""
    lamp = Aspect("light", "light", "What is lit?", cues=("lamp*",))
    assert extractive.aspect_note(POLISH, lamp, TOKENISER, 60).startswith("Rzecki zapalił lampę")


def test_notes_are_shortened() -> None:
    assert extractive.note("The keeper (an old man) lit [2] the lamp.", 0, TOKENISER, 60) == "The keeper lit the lamp."
    for number in range(3):
        assert TOKENISER.count(extractive.note(STORY, number, TOKENISER, 12)) <= 12


def test_speech_is_no_narration() -> None:
    for text in (
        "“I saw you,” said Halvor.",
        '"I saw you," said Halvor.',
        "'I saw you, and I don't forget it,' said Halvor.",
        "‘I saw you,’ said Halvor.",
        "I don't forget you,' said Halvor.",
        'I saw you," said Halvor.',
    ):
        (sentence,) = cues.sentences_of(text)
        assert sentence.narrated == ("said", "halvor"), text
        assert cues.weight(sentence, SEVEN["point_of_view"]) == 0
    (told,) = cues.sentences_of("I don't forget the captain's face.")
    assert told.narrated[:2] == ("i", "don't")


def test_speech_goes_on_over_sentences_but_not_over_paragraphs() -> None:
    first, second, third = cues.sentences_of("'I saw you. I know it.\n\nI left the town.")
    assert (first.narrated, second.narrated) == ((), ())
    assert third.narrated == ("i", "left", "the", "town")


def test_names_are_words_with_a_capital_within_a_sentence() -> None:
    (sentence,) = cues.sentences_of("Nobody told Ragna Tveit what THE keeper of Gull Rock said, and I know It.")
    assert sentence.names == ("Ragna", "Tveit", "Gull", "Rock")


@given(
    st.lists(
        st.sampled_from([*OF_ASPECT.values(), "Yes.", "'No!", "(he", "", "\n\n", "漢字。", "…", "A — b — c."]),
        max_size=12,
    ),
    st.integers(3, 120),
    st.sampled_from([*SEVEN.values(), GENERAL]),
)
def test_any_text_gives_a_summary_within_its_length(parts: list[str], most: int, aspect: Aspect) -> None:
    text = " ".join(parts)
    said = extractive.summary(text, aspect, TOKENISER, most)
    assert TOKENISER.count(said) <= most
    assert bool(said) == any(sentence.words for sentence in cues.sentences_of(text))
    assert all(TOKENISER.count(extractive.note(text, number, TOKENISER, most)) <= most for number in range(3))


PROGRAM = f"""
from kg_neo4j._models import tokens
from kg_neo4j_offline import tree_texts as extractive
from kg_neo4j.organise.tree.aspects import load_aspects
for aspect in load_aspects(None):
    print(extractive.summary({STORY!r}, aspect, tokens.load("approximate-1"), 60))
"""


def test_the_same_text_gives_the_same_summary_in_every_process() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
