"""A short answer stands in the clause of the question's verb, as its subject, its object or beside it."""

from __future__ import annotations

import pytest

from kg_neo4j.retrieve.interface import FoundChunk
from kg_neo4j.retrieve.question import read
from kg_neo4j_offline.passages import prepare
from kg_neo4j_offline.short.reading import find_stated


def answers(question: str, text: str, title: str = "") -> list[str]:
    """Return what the sentences of a text state, each for itself."""
    sentences = prepare((FoundChunk("c", text, 0, "", title, 1.0),))
    found = [(find_stated(read(question), each), each) for each in sentences]
    assert all(value in each.text for value, each in found)
    return [value for value, _ in found if value]


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("When was Ada Lind born?", "Ada Lind was born on 4 May 1890, and Otto in 1893.", "4 May 1890"),
        ("In what year was Ada Lind born?", "Ada Lind was born on 4 May 1890.", "1890"),
        ("Who taught Ada Lind?", "Ada Lind was taught by Otto Berg.", "Otto Berg"),
        ("Who did Otto Berg teach?", "Otto Berg taught Ada Lind in Hald.", "Ada Lind"),
        (
            "Who built the mill?",
            "Clara was the widow of Otto Berg (1819–1881), who had built the mill in 1874.",
            "Otto Berg",
        ),
        ("Which ship was broken up in 1922?", "The ship Vane was broken up in 1922.", "Vane"),
        ("How many ships did Ada Lind see?", "On 6 May 1950 Ada Lind saw twelve ships.", "twelve"),
        ("How many people visited Hald Castle in 2019?", "In 2019 12,500 people visited Hald Castle.", "12,500"),
        ("When did Ada Lind die?", "Ada Lind taught in Hald. She died in 1950.", "1950"),
        ("When was Ada Lind married?", "Ada Lind was married in Hald on the 28th of April.", "28th of April"),
        ("Where were the hives moved to?", "The hives were moved from Oslo to Hald by Otto Berg.", "Hald"),
        ("When did the Vane sink?", "The Vane sank on the seventh of October.", "seventh of October"),
        ("Who drew the map?", "The map was drawn by Otto Berg.", "Otto Berg"),
        ("Who led the choir?", "Otto Berg leads the choir.", "Otto Berg"),
        ("Who established the company?", "It was named after Otto Berg, who founded the company in 1948.", "Otto Berg"),
        ("Who set up the Hald Press?", "The Hald Press was established by Otto Berg.", "Otto Berg"),
        ("When does the lease expire?", "The lease, which runs out on 31 March 2026, is long.", "31 March 2026"),
        ("Who founded the press?", "Otto Berg is the founder of the press.", "Otto Berg"),
        ("Who owns the mill?", "The mill is owned by Otto Berg.", "Otto Berg"),
    ],
)
def test_what_is_asked_for_is_read_off_the_clause_that_states_it(question: str, text: str, value: str) -> None:
    assert answers(question, text) == [value]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When was Ada Lind born?", "Ada Lind had a sister, Ida, who was born in 1893."),
        ("When did Ada Lind die?", "When Ada Lind was ill, Otto Berg died in 1842."),
        ("Who taught Ada Lind?", "Ada Lind taught Otto Berg."),
        ("Who taught Ada Lind?", "Otto Berg never taught Ada Lind."),
        ("Who taught Ada Lind?", "Otto Berg would have taught Ada Lind."),
        ("Who married Ada Lind?", "Otto Berg hoped to marry Ada Lind."),
        ("Who taught Ada Lind?", "Otto Berg, who wrote a flora of Hald, met Ada Lind, and Ida was taught by Kai Moe."),
        ("How many women did Moe & Sons employ?", "Moe & Sons owned 140 ships and employed women."),
        ("When was the University of Hald founded?", "The University of Oslo was founded in 1816."),
        ("Who did Ada Lind not teach?", "Ada Lind taught Otto Berg."),
        ("Who founded the press?", "Otto Berg is the son of the founder of the press."),
        ("Who set up the lamp?", "Otto Berg set the lamp on fire."),
        ("Who taught Ada Lind?", "A pupil was Ada Lind. Her sister Olive taught there for thirty years."),
        ("Whom did Ada Lind marry?", "He knew Ida Lind. She married Otto Berg in 1904."),
        ("When did Ada Lind die?", "Ida Lind was born in Oslo. She left when Otto Berg died in 1963."),
        ("Where were the hives moved to?", "The hives were moved to the glebe by Otto Berg."),
        ("Where were the hives moved to?", "The hives were moved from Hald."),
        ("How long may Ada Lind keep a film?", "Ada Lind may keep 40 films."),
        ("Why did Ada leave?", "Ada left on 4 May."),
        ("What is Ada?", "Ada is in Oslo."),
        ("Which ship was broken up in 1922?", "The Vane was broken up in 1922."),
        ("Which town north of Hald did Otto Berg see?", "Otto Berg saw Oslo."),
        ("When was the School of Eastern Music founded?", "The School of Western Music was founded in 1816."),
        (
            "In what year was the Peace of Hald signed?",
            "In 1685 he signed the Peace of Moss, which ended the Peace of Hald.",
        ),
        ("When was the Vane built?", "The Hald and the Vane were built in 1871 and 1874 respectively."),
        ("How many guest rooms did Ada Lind have?", "Ada Lind had 14 horses."),
        ("Who owns the mill?", "Otto Berg owns the forge; he does not own the mill."),
        ("Who owns the mill of Hald?", "The mill of Moss is owned by Otto Berg."),
        ("Who wrote the sixth part of the guide?", "Ada Lind wrote the first four parts of the guide."),
        ("When does Ada Lind speak?", "The day when Ada Lind was to speak, 10 October, is cancelled."),
        ("How many children did Ada Lind have?", "In 1889 Ada Lind went home to her father."),
    ],
)
def test_what_is_said_of_somebody_else_or_denied_is_no_answer(question: str, text: str) -> None:
    assert answers(question, text) == []


def test_a_pronoun_stands_for_what_the_document_is_about() -> None:
    assert answers("When was Ada Lind born?", "She was born in 1890.", "Ada Lind") == ["1890"]
    assert answers("When was Ida Lind born?", "She was born in 1890.", "Ada Moe") == []
