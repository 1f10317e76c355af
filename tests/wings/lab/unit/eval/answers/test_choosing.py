"""A model chooses an option: what it is shown, what counts as a choice, and what an unusable one costs."""

from __future__ import annotations

import pytest

from fake_llm import FakeLlm
from kg_neo4j._models.door import Door
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.factory import door_to
from kg_neo4j.records import Answer, Evidence, Usage
from kg_neo4j_lab.answers.choosing import choose
from kg_neo4j_lab.answers.questions import AnsweredQuestion

QUESTION = AnsweredQuestion("1", "Who opened the sluice?", ("Ines",), options=("Bram", "Ines", "Ada"))
EVIDENCE = (Evidence("chunk", "c", "At dusk Ines opened the sluice.", 1.0),)


@pytest.fixture
def door(llm: FakeLlm) -> Door:
    return door_to(OpenAIChat("fake", Endpoint(llm.url, retries=0)))


def answer(*evidence: Evidence) -> Answer:
    return Answer(QUESTION.text, "naive", "", False, (), evidence, Usage(), 0.0)


def test_it_sees_the_passages_the_question_and_its_options(llm: FakeLlm, door: Door) -> None:
    llm.say('{"option": 2}')
    chosen, usage = choose(door, QUESTION, answer(*EVIDENCE))
    assert (chosen, usage.calls) == (2, 1)
    shown = llm.requests[0].body["messages"][-1]["content"]
    for each in ("At dusk Ines opened the sluice.", "Who opened the sluice?", "1: Bram\n2: Ines\n3: Ada"):
        assert each in shown


@pytest.mark.parametrize("said", ["2", '{"option": 4}', '{"option": true}', '{"option": "b"}', "{}"])
def test_what_is_no_number_of_an_option_is_asked_for_once_more(llm: FakeLlm, door: Door, said: str) -> None:
    llm.say(said).say('Because of the dusk. {"option": "3"}')
    assert choose(door, QUESTION, answer(*EVIDENCE))[0] == 3
    assert "a number from 1 to 3" in llm.requests[1].body["messages"][-1]["content"]


def test_a_second_one_is_no_choice_and_both_are_paid(llm: FakeLlm, door: Door) -> None:
    llm.say("none").say("none")
    chosen, usage = choose(door, QUESTION, answer())
    assert (chosen, usage.calls) == (0, 2)
    assert "(none was found)" in llm.requests[0].body["messages"][-1]["content"]
