"""Answers of two sentences from two documents."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.interface import Found, FoundChunk
from kg_neo4j.retrieve.question import read
from kg_neo4j_offline.extracting.extractive import extract

FILM = "Rain Road is a 1931 film directed by Ada Lind and written by Otto Falk. It was shot in Bergen."
DIRECTOR = "Ada Lind (born 3 May 1894) was a Norwegian director. She was born in Oslo. Lind married the actor Jon Berg."
WRITER = "Otto Falk was a Danish writer. He was born in Odense. Falk never married."


def answer(question: str, *, without: str = "") -> str:
    texts = {"Rain Road (film)": FILM, "Ada Lind": DIRECTOR, "Otto Falk": WRITER}
    chunks = [FoundChunk(title, text, 0, "", title, 1.0) for title, text in texts.items() if title != without]
    return extract(read(question), Found("naive", tuple(chunks))).text


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("Where was the director of Rain Road born?", "She was born in Oslo."),
        ("What is the place of birth of the director of Rain Road?", "She was born in Oslo."),
        ("What is the date of birth of the director of Rain Road?", "Ada Lind (born 3 May 1894)"),
        ("Whom did the director of Rain Road marry?", "Lind married the actor Jon Berg."),
    ],
)
def test_the_second_sentence_speaks_of_whom_the_first_one_names(question: str, second: str) -> None:
    first, _, rest = answer(question).partition(" [1] ")
    assert first == "Rain Road is a 1931 film directed by Ada Lind and written by Otto Falk."
    assert rest.startswith(second)


def test_without_the_document_of_the_one_who_is_named_there_is_no_answer() -> None:
    assert "Oslo" not in answer("Where was the director of Rain Road born?", without="Ada Lind")


@pytest.mark.parametrize(
    "question",
    [
        "Where did the composer of Sun Street die?",  # a name that nobody mentions
        "Was the director of Rain Road born in Bergen?",  # yes or no: two sentences settle nothing
        "How tall was the director of Rain Road?",
    ],
)
def test_what_two_sentences_do_not_say_is_not_answered(question: str) -> None:
    assert answer(question) == ""
