"""Which questions are about an aspect of a narrative."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.tree.asking import asked_cue


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("What is the theme of the story?", "a theme"),
        ("What lesson does Scrooge learn?", "a theme"),
        ("What kind of man is the schoolmaster?", "a character"),
        ("How does Ragna Tveit change?", "a character"),
        ("What motivates Jonas Lind?", "a character"),
        ("Where and when does it take place?", "the setting"),
        ("Describe the setting.", "the setting"),
        ("Whose point of view is it told from?", "the point of view"),
        ("Who is the narrator?", "the point of view"),
        ("What does the green light stand for?", "a symbol or irony"),
        ("Why is the ending ironic?", "a symbol or irony"),
        ("What is the tone of the last chapter?", "the tone or the style"),
        ("What is the turning point?", "the plot"),
        ("How does the story end?", "the plot"),
        ("Why did she keep the letter?", "a reason"),
    ],
)
def test_questions_about_an_aspect(question: str, aspect: str) -> None:
    assert asked_cue(read(question)) == aspect


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
    assert asked_cue(read(question)) == ""
