"""Answers made of sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundEntity, FoundFact, Place
from kg_neo4j.retrieve.question import read
from kg_neo4j_offline.extracting.extractive import SENTENCES, extract

TEXT = """Maria Stein[a] (4 May 1801 – 7 June 1870) was an Austrian botanist and the founder of the garden at Linz.
She was born in Vienna. Her father, Karl Stein, was a baker. Her brother Anton Stein died in Prague in 1832.

After the death of her brother she travelled with her friend Paula Horn to Egypt. There she was taught Arabic by Yusuf
Haddad. In 1840 she married the painter Otto Wolf; his wife kept her name. The couple lived in Graz for twelve years.

Stein died in Linz, at the age of sixty-nine. According to the painter Wolf, the garden had four thousand plants.
The Stein Prize is named after her. Paula Horn, a geologist, wrote her life.
This journey, the Nile voyage, made her known."""


def answer(question: str, text: str = TEXT, title: str = "Maria Stein") -> str:
    chunk = FoundChunk("c1", text, 0, "", title, 1.0)
    return extract(read(question), Found("naive", (chunk,))).text


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Who was Maria Stein?", "Maria Stein (4 May 1801 – 7 June 1870) was an Austrian botanist"),
        ("Who was Paula Horn?", "Paula Horn, a geologist, wrote her life."),
        ("Who was Otto Wolf?", "In 1840 she married the painter Otto Wolf"),
        ("What was the Nile voyage?", "This journey, the Nile voyage"),
        ("When was Maria Stein born?", "Maria Stein (4 May 1801"),
        ("Where was Maria Stein born?", "She was born in Vienna."),
        ("Where was Stein born?", "She was born in Vienna."),
        ("Where did Maria Stein die?", "Stein died in Linz"),
        ("Where did Anton Stein die?", "Her brother Anton Stein died in Prague"),
        ("How old was Stein when she died?", "Stein died in Linz, at the age of sixty-nine."),
        ("Who was Stein's father?", "Her father, Karl Stein, was a baker."),
        ("Who taught Stein Arabic?", "There she was taught Arabic by Yusuf Haddad."),
        ("Whom did Stein marry?", "In 1840 she married"),
        ("How long did the couple live in Graz?", "The couple lived in Graz for twelve years."),
        ("Was Stein born in Vienna?", "She was born in Vienna."),
        ("Did Anton Stein die in Prague?", "Her brother Anton Stein died in Prague"),
        ("How many plants had the garden?", "According to the painter Wolf, the garden had four thousand plants."),
    ],
)
def test_the_sentence_that_answers_comes_first(question: str, best: str) -> None:
    assert answer(question).startswith(best)


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Australia?",
        "Who discovered penicillin?",
        "When was Paula Horn born?",
        "Where did Karl Stein die?",
        "How high is the garden?",
        "When did Stein visit Paris?",
        "Was Stein born in Linz?",
        "Did Stein marry a geologist?",
        "Was Karl Stein a painter?",
        "Is the garden in Vienna?",
        "asdf qwer",
    ],
)
def test_what_is_not_said_is_not_answered(question: str) -> None:
    assert answer(question) == ""


def test_a_surname_alone_means_the_one_whom_the_document_is_about() -> None:
    assert "Linz" not in answer("Where did Anton Stein die?")
    assert "Prague" not in answer("Where did Maria Stein die?")


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Gdzie urodził się Chopin?", "Chopin urodził się w Żelazowej Woli w 1810 roku."),
        ("Kiedy urodził się Chopin?", "Chopin urodził się w Żelazowej Woli w 1810 roku."),
        ("Kto był ojcem Chopina?", "Ojciec Chopina, Mikołaj, był Francuzem."),
    ],
)
def test_polish_questions_are_answered_from_polish_text(question: str, best: str) -> None:
    text = "Chopin urodził się w Żelazowej Woli w 1810 roku. Ojciec Chopina, Mikołaj, był Francuzem. Lubił grać."
    assert answer(question, text, "Chopin").startswith(best)


def test_a_fact_between_the_names_asked_for_lifts_the_words_it_rests_on() -> None:
    text = "Ada and Ben came to Rome. Ada and Ben were never seen again. Ada and Ben shared a flat for years."
    start = text.index("shared a flat")
    place = Place("c1", None, start, start + 13)
    entities = tuple(FoundEntity(name.lower(), name, "PERSON", (), "", "", True, 1.0, ()) for name in ("Ada", "Ben"))
    fact = FoundFact("f", "Ada", "ada", "LIVES_WITH", "Ben", "ben", "", "", 1, 1.0, (place,))
    found = Found("local", (FoundChunk("c1", text, 0, "", "T", 1.0),), entities, (fact,))
    assert extract(read("What about Ada and Ben?"), found).text.startswith("Ada and Ben shared a flat")


def test_names_in_small_letters_are_known_from_the_graph() -> None:
    entity = FoundEntity("e", "Maria Stein", "PERSON", (), "", "", True, 1.0, ())
    found = Found("local", (FoundChunk("c1", TEXT, 0, "", "Maria Stein", 1.0),), (entity,))
    assert extract(read("where did stein die"), found).text.startswith("Stein died in Linz")


def test_citations_hold_the_sources_words_with_their_footnotes() -> None:
    chunk = FoundChunk("c1", TEXT, 0, "", "Maria Stein", 1.0)
    extracted = extract(read("Who was Maria Stein?"), Found("naive", (chunk,)))
    assert "[a]" in extracted.citations[0].quote
    assert "[a]" not in extracted.text
    for citation in extracted.citations:
        assert TEXT[citation.start : citation.end] == citation.quote


@given(st.text(max_size=200), st.text(max_size=500))
def test_any_question_to_any_text_ends(question: str, text: str) -> None:
    asked = read("q" + question)
    extracted = extract(asked, Found("naive", (FoundChunk("c1", text, 0, "", question[:20], 1.0),)))
    assert len(extracted.citations) <= SENTENCES
    assert bool(extracted.text) == bool(extracted.citations)


def test_nothing_found_gives_no_answer() -> None:
    assert extract(read("Who?"), Found("naive")).text == ""


def test_a_name_with_of_in_it_can_be_asked_for() -> None:
    text = "Frederick of Vardal died in Skarnes. He was a miller."
    assert answer("Where did Frederick of Vardal die?", text) == "Frederick of Vardal died in Skarnes. [1]"
