"""Which questions are about an aspect of a narrative, and which aspects answer them."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.tree.asking import asked_cue, fitting

SEVEN = ("character", "irony_and_symbol", "plot", "point_of_view", "setting", "style", "theme")


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("What is the theme of the story?", "theme"),
        ("What lesson does Scrooge learn?", "theme"),
        ("What kind of man is the schoolmaster?", "character"),
        ("How does Ragna Tveit change?", "character"),
        ("What motivates Jonas Lind?", "character"),
        ("Where and when does it take place?", "setting"),
        ("Describe the setting.", "setting"),
        ("Whose point of view is it told from?", "point_of_view"),
        ("Who is the narrator?", "point_of_view"),
        ("What does the green light stand for?", "irony_and_symbol"),
        ("Why is the ending ironic?", "irony_and_symbol"),
        ("What is the tone of the last chapter?", "style"),
        ("What is the turning point?", "plot"),
        ("How does the story end?", "plot"),
        ("Why did she keep the letter?", "plot"),
    ],
)
def test_questions_about_an_aspect(question: str, aspect: str) -> None:
    cue = asked_cue(read(question))
    assert cue
    assert fitting(cue, SEVEN)[0] == aspect


@pytest.mark.parametrize(
    "question",
    [
        "Who was Ada Lovelace?",
        "When did the ship sink?",
        "Where was Humboldt born?",
        "How many ships were saved?",
        "What did Charles IV give the two men?",
        "Who plotted against the king?",
        "What is stylish?",
        "Which museum has a sunset by Church?",
    ],
)
def test_questions_about_something_else(question: str) -> None:
    assert asked_cue(read(question)) is None


def test_aspects_of_ones_own_are_meant_by_their_names() -> None:
    cue = asked_cue(read("What is the mood?"))
    assert cue
    assert fitting(cue, ("tone_and_mood", "law")) == ("tone_and_mood",)
    assert fitting(cue, ("law",)) == ()
