"""Answers about communities that cannot be used: repaired, flagged, composed instead, and never paid for again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entity_graph import load, two_cliques
from fake_llm import FakeLlm
from kg_neo4j import Settings
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j.errors import BudgetReached
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.stored_reports import read_reports
from kg_neo4j.pipeline.commands.communities import CommunityReportOptions, community_reports
from report_runs import (
    add,
    check_references,
    report,
)
from report_writer import write_report


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (lambda *_: "I'm sorry, but I cannot assist with that.", "not one JSON object"),
        (lambda *_: '{"title": "A", "summary": "B", "findi', "not one JSON object"),
        (lambda *given: write_report(*given, rating="high"), "rating"),
        (lambda *given: write_report(*given, findings=[]), "0 findings"),
        (
            lambda *given: write_report(
                *given, findings=[{"summary": "S", "explanation": f"E{n} [Data: Entities (1)]"} for n in range(40)]
            ),
            "40 findings",
        ),
        (lambda *given: write_report(*given, summary="So [Data: Entities (4711)]."), "Entities (4711)"),
    ],
    ids=["refusal", "cut off", "rating high", "no findings", "40 findings", "unknown id"],
)
def test_a_bad_answer_is_repaired_once_else_flagged_and_never_paid_again(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, bad: Callable[..., str], why: str
) -> None:
    load(database, graph, two_cliques())
    llm.rules = lambda prompt, user: (
        bad(prompt, user) if "could not be used" not in user else write_report(prompt, user)
    )
    assert report(database, graph, model).flagged == 0
    assert llm.calls == 4
    assert [why in request.user for request in llm.requests] == [False, True, False, True]
    add(database, graph, "more.txt", [("C1", "KNOWS", "C2"), ("C2", "KNOWS", "C3")])
    llm.rules = bad
    done = report(database, graph, model)
    assert (llm.calls, done.flagged, done.unfinished) == (6, 1, ())
    [flagged] = [each for each in read_reports(database, graph) if each.flags]
    assert why in flagged.flags[0]
    assert 0 <= flagged.rating <= 10
    assert 1 <= len(flagged.findings) <= 10
    check_references(database, graph, (flagged,))
    again = report(database, graph, model)
    assert (llm.calls, again.changes, again.flagged) == (6, 0, 1)


def test_what_the_filter_declines_is_composed_and_not_asked_again(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, two_cliques())
    llm.say("", "content_filter")
    done = report(database, graph, model)
    assert (done.by_model, done.flagged, done.unfinished) == (1, 1, ())
    assert report(database, graph, model).usage.calls == 0
    assert llm.calls == 2


@pytest.mark.parametrize("status", [503, 401])
def test_a_model_that_fails_leaves_composed_reports_says_so_and_is_asked_again(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, status: int
) -> None:
    load(database, graph, two_cliques())
    llm.answer(1).fail(status)
    done = report(database, graph, model)
    assert "1 reports were not written by the model" in done.unfinished[0]
    assert (llm.calls, done.by_model, done.reports) == (2, 1, 2)
    again = report(database, graph, model)
    assert (again.usage.calls, again.by_model, again.unfinished, again.flagged) == (1, 2, (), 0)


def test_a_question_that_the_model_finds_too_long_is_asked_with_less(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    facts = [(f"N{left}", "KNOWS", f"N{right}") for left in range(24) for right in range(left)]
    load(database, graph, facts, per_chunk=10)
    llm.fail(400, code="context_length_exceeded")
    done = report(database, graph, model)
    assert (done.unfinished, done.by_model, llm.calls) == ((), 1, 2)
    assert len(llm.requests[1].user) < 0.6 * len(llm.requests[0].user)
    assert "further entities and relationships are not shown" in llm.requests[1].user
    assert report(database, graph, model).usage.calls == 0


def test_a_budget_that_is_reached_leaves_composed_reports(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, two_cliques())

    class Spent:
        name, window = model.name, model.window

        def complete(
            self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
        ) -> Completion:
            raise BudgetReached("the budget of 1 USD is used up", limit_usd=1.0, spent_usd=1.0)

    done = report(database, graph, Spent())
    assert "budget" in done.unfinished[0]
    assert {each.method for each in read_reports(database, graph)} == {"composed"}
    assert llm.calls == 0


def test_a_budget_for_one_report_pays_for_one_and_the_next_run_for_the_other(
    database: Database, graph: str, llm: FakeLlm, online: Settings
) -> None:
    load(database, graph, two_cliques())
    llm.rules, llm.counts = lambda *given: write_report(*given, summary="words " * 900), True
    priced = online.model_copy(update={"model": "gpt-4o-mini", "model_concurrency": 1})
    done = community_reports(settings=priced, options=CommunityReportOptions(budget_usd=0.0012))
    assert (llm.calls, done.by_model, done.composed) == (1, 1, 1)
    assert done.usage.usd is not None
    assert 0 < done.usage.usd <= 0.0012
    assert "1 reports were not written by the model: the budget" in done.unfinished[0]
    again = community_reports(settings=priced, options=CommunityReportOptions(budget_usd=1.0))
    assert (llm.calls, again.by_model, again.unfinished) == (2, 2, ())
