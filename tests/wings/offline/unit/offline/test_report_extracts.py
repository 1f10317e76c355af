"""Answers from reports without a model: only where the reports say it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kg_neo4j.organise.stored_reports import COMPOSED
from kg_neo4j.retrieve.overview.report_selection import ReportLevel, choose, most_important
from kg_neo4j.retrieve.question import read
from kg_neo4j_offline.report_extracts import extract
from report_communities import report

REPORTS = [(1, report(1, "Ada Lovelace", rating=3.0)), (2, report(2, "Charles Babbage", rating=8.0))]


@pytest.mark.parametrize(
    "question",
    ["What are the main themes?", "Summarise the documents.", "What is this about?", "Jakie są główne wątki?"],
)
def test_a_question_about_the_whole_lists_the_reports_that_count_most(question: str) -> None:
    found = extract(read(question), REPORTS)
    assert found.is_overview
    assert found.text.splitlines() == [
        "- Charles Babbage: About Charles Babbage. [R2]",
        "- Ada Lovelace: About Ada Lovelace. [R1]",
    ]


def test_a_question_about_something_gets_sentences_that_say_it() -> None:
    found = extract(read("Which letters did Ada Lovelace write?"), REPORTS)
    assert not found.is_overview
    assert "Ada Lovelace wrote letter 1. [R1.1]" in found.text
    assert "Babbage" not in found.text


@pytest.mark.parametrize(
    "question",
    [
        "Which letters did Grace Hopper write?",
        "Which letters did Hopper write?",
        "Which letters did Ada sell?",
        "Which costly foreign engines and letters did Ada sell?",
        "What did Ada Lovelace eat?",
        "What is the capital of Mongolia?",
        "Which engines were sold?",
        "Themes of Mongolia?",
    ],
)
def test_what_no_report_says_gets_no_answer(question: str) -> None:
    found = extract(read(question), REPORTS)
    assert (found.text, found.is_overview) == ("", False)


def test_counts_in_composed_summaries_are_no_answer() -> None:
    written = replace(report(1, "Lamp"), summary="From The Lighthouse.")
    assert "Lighthouse" in extract(read("Which lighthouse?"), [(1, written)]).text
    assert extract(read("Which lighthouse?"), [(1, replace(written, method=COMPOSED))]).text == ""


def test_of_a_list_of_relationships_only_the_one_that_answers_is_said() -> None:
    composed = report(1, "Ada", method=COMPOSED)
    finding = replace(
        composed.findings[0], explanation="Ada MARRIED_TO William; Ada BORN_IN London; and more. [Data: x]"
    )
    found = extract(read("Whom did Ada marry?"), [(1, replace(composed, findings=(finding,)))])
    assert found.text == "Ada MARRIED_TO William [R1.1]"


LEVELS = [ReportLevel(0, 3, 3, 5_000), ReportLevel(1, 9, 9, 15_000), ReportLevel(2, 40, 40, 60_000)]


def test_the_finest_level_within_the_budget_is_read() -> None:
    assert choose(LEVELS, None).level == 1
    assert choose(LEVELS, 2).level == 2
    assert choose([ReportLevel(0, 900, 900, 90_000)], None).level == 0
    assert choose([LEVELS[0], ReportLevel(1, 9, 4, 100)], None).level == 0  # level 1 lacks reports


def test_of_too_many_reports_those_rated_highest_are_read() -> None:
    reports = [report(number, f"P{number}", rating=float(number)) for number in range(1, 9)]
    kept = most_important(reports, read_tokens=100)
    assert [each.number for each in kept] == [7, 8]
    assert len(most_important(reports, read_tokens=1)) == 1
