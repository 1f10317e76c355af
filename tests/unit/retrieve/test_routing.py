"""The mode auto by rule: what a question names, whether it is about the whole, and what it says of its choice."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.question import read
from kg_neo4j.retrieve.routing import choose, is_about_the_whole


@pytest.mark.parametrize(
    "question",
    [
        "What are the main themes?",
        "Summarise everything.",
        "What is this text about?",
        "What are the documents about?",
        "Which ideas come up across the texts?",
        "Who are the most important people?",
        "Jakie są główne wątki?",
    ],
)
def test_questions_about_the_whole(question: str) -> None:
    assert is_about_the_whole(read(question))


@pytest.mark.parametrize(
    "question",
    [
        "What happened to the book?",
        "Who was Ada Lovelace?",
        "What are the main themes of Middlemarch?",
        "When was the whole text written?",
        "Was the engine ever built?",
        "Who is this person?",
        "How long is the whole document?",
    ],
)
def test_questions_about_something(question: str) -> None:
    assert not is_about_the_whole(read(question))


@pytest.mark.parametrize(
    ("question", "names", "reports", "mode", "why"),
    [
        ("Who was Ada?", ("Ada's", "B", "C", "D"), True, "local", "the question names Ada, B, C and 1 more"),
        ("Who was she?", (), True, "naive", "no entity of the graph is named in the question"),
        ("Summarise everything.", (), True, "global", "the question is about the whole"),
        ("Summarise everything about Ada.", ("Ada",), True, "local", "the question names Ada"),
        ("Summarise everything.", (), False, "naive", "no reports are there"),
    ],
)
def test_a_mode_is_chosen_and_the_reason_is_said(
    question: str, names: tuple[str, ...], reports: bool, mode: str, why: str
) -> None:
    routing = choose(read(question), names, reports=reports)
    assert routing.mode == mode
    assert why in routing.why
