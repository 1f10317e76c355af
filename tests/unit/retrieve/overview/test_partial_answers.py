"""What a model says that single reports contribute: read, asked for once more, left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fake_llm import FakeLlm
from kg_neo4j import Settings, factory
from kg_neo4j._models import tokens
from kg_neo4j._models.door import Door
from kg_neo4j.errors import ModelRefused
from kg_neo4j.retrieve.overview.partial_answers import Partial, Partials
from report_communities import report
from report_writer import shown_reports

REPORTS = {number: report(number, f"Person{number}") for number in (1, 2, 3)}


@pytest.fixture
def llm() -> Any:
    with FakeLlm() as server:
        yield server


@pytest.fixture
def door(llm: FakeLlm) -> Door:
    found = factory.door(
        Settings(openai_base_url=llm.url, openai_api_key="k", model="m", model_retries=0, answer_cache=False)
    )
    assert found
    return replace(found, concurrency=1)


def partials(door: Door) -> Partials:
    return Partials(door, tokens.load("approximate-1"), "Who wrote?")


def rows(*entries: Sequence[Any]) -> str:
    return json.dumps({"reports": [dict(zip(("report", "score", "answer"), entry, strict=True)) for entry in entries]})


def ask(door: Door) -> tuple[Partials, list[Partial]]:
    asking = partials(door)
    return asking, asking.ask(REPORTS)


def test_scores_order_what_reports_contribute_and_zero_is_dropped(llm: FakeLlm, door: Door) -> None:
    llm.say(rows(("R1", 20, "A [R1.1]."), ("R2", 0, ""), ("R3", 90, "C [R3].")))
    asking, found = ask(door)
    assert [(each.number, each.score, each.text) for each in found] == [(3, 90, "C [R3]."), (1, 20, "A [R1.1].")]
    assert (asking.judged, asking.unjudged, llm.calls) == (3, {}, 1)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("I think that all matter.", "not one JSON object"),
        (rows(("R1", "high", "A [R1].")), "score of R1"),
        (rows(("R1", 101, "A [R1].")), "score of R1"),
        (rows(("R1", True, "A [R1].")), "score of R1"),
        (rows(("R1", 50, "A [R1]."), ("R2", 0, "")), "nothing is said of R3"),
        (rows(("R1", 50, ""), ("R2", 0, ""), ("R3", 0, "")), "R1 has a score and no answer"),
        ('{"reports": [{"report": "R1", "sc', "not one JSON object"),
    ],
)
def test_a_bad_answer_is_asked_for_once_more(llm: FakeLlm, door: Door, bad: str, why: str) -> None:
    llm.say(bad).say(rows(("R1", 50, "A [R1]."), ("R2", 0, ""), ("R3", 0, "")))
    asking, found = ask(door)
    assert why in llm.requests[1].user
    assert ([each.number for each in found], asking.unjudged) == ([1], {})
    llm.say(bad).say(bad)
    again, _ = ask(door)
    assert again.unjudged
    assert again.judged + len(again.unjudged) == 3
    assert llm.calls == 4


def test_marks_of_other_reports_and_of_findings_that_there_are_not_are_removed(llm: FakeLlm, door: Door) -> None:
    llm.say(rows(("Report 1", 50, "A [R2.1]. B [R1.9]."), ("R2", "40", "C."), ("R3", 0, ""), ("R77", 99, "X [R77].")))
    asking, found = ask(door)
    assert [each.text for each in found] == ["A. B. [R1]", "C. [R2]"]
    assert asking.removed == ["R2.1", "R1.9"]


def test_reports_that_are_too_long_together_are_asked_about_in_several_questions(
    llm: FakeLlm, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_neo4j.retrieve.overview.partial_answers.CALL_TOKENS", 10)
    monkeypatch.setattr("kg_neo4j.retrieve.overview.partial_answers.LEAST_TOKENS", 10)
    for number in (1, 2, 3):
        llm.say(rows((f"R{number}", number, f"A [R{number}].")))
    asking, found = ask(door)
    assert ([each.number for each in found], llm.calls, asking.usage.calls) == ([3, 2, 1], 3, 3)


def test_many_short_reports_are_not_put_into_one_question(llm: FakeLlm, door: Door) -> None:
    reports = {number: report(number, f"P{number}") for number in range(1, 46)}
    llm.rules = lambda _, user: rows(*((mark, 0, "") for mark in shown_reports(user)))
    asking = partials(door)
    assert asking.ask(reports) == []
    assert (asking.judged, llm.calls) == (45, 3)


def test_a_question_that_the_model_finds_too_long_is_halved(llm: FakeLlm, door: Door) -> None:
    llm.fail(400, code="context_length_exceeded")
    llm.say(rows(("R1", 5, "A."))).say(rows(("R2", 0, ""), ("R3", 7, "C.")))
    asking, found = ask(door)
    assert ([each.number for each in found], asking.unjudged, llm.calls) == ([3, 1], {}, 3)


def test_what_the_filter_declines_is_left_unjudged(llm: FakeLlm, door: Door) -> None:
    llm.say("", "content_filter")
    asking, found = ask(door)
    assert (found, set(asking.unjudged)) == ([], {1, 2, 3})


def test_a_key_that_is_refused_is_an_error(llm: FakeLlm, door: Door) -> None:
    llm.fail(401)
    with pytest.raises(ModelRefused):
        ask(door)
