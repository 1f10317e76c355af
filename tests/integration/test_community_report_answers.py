"""Answers about communities that cannot be used: repaired, flagged, composed instead, and never paid for again."""

from __future__ import annotations

from entity_graph import load, two_cliques
from fake_llm import FakeLlm
from kg_neo4j import Settings
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.stored_reports import read_reports
from kg_neo4j.pipeline.commands.communities import CommunityReportOptions, community_reports
from report_runs import (
    add,
    check_references,
    report,
)
from report_writer import write_report


def test_a_bad_answer_is_repaired_once_else_flagged_and_never_paid_again(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    def bad(prompt: str, user: str) -> str:
        return write_report(prompt, user, summary="So [Data: Entities (4711)].")

    load(database, graph, two_cliques())
    llm.rules = lambda *given: write_report(*given) if "could not be used" in given[1] else bad(*given)
    assert report(database, graph, model).flagged == 0
    assert llm.calls == 4
    assert ["Entities (4711)" in request.user for request in llm.requests] == [False, True, False, True]
    add(database, graph, "more.txt", [("C1", "KNOWS", "C2"), ("C2", "KNOWS", "C3")])
    llm.rules = bad
    done = report(database, graph, model)
    assert (llm.calls, done.flagged, done.unfinished) == (6, 1, ())
    [flagged] = [each for each in read_reports(database, graph) if each.flags]
    assert "Entities (4711)" in flagged.flags[0]
    assert 0 <= flagged.rating <= 10
    assert 1 <= len(flagged.findings) <= 10
    check_references(database, graph, (flagged,))
    again = report(database, graph, model)
    assert (llm.calls, again.changes, again.flagged) == (6, 0, 1)


def test_what_the_filter_declines_is_composed_for_good_and_what_a_model_fails_to_write_until_the_next_run(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, two_cliques())
    llm.say("", "content_filter").fail(503)
    done = report(database, graph, model)
    assert "1 reports were not written by the model" in done.unfinished[0]
    assert (llm.calls, done.by_model, done.communities) == (2, 0, 1)  # a lost server leaves its report unwritten
    again = report(database, graph, model)
    assert (again.usage.calls, again.by_model, again.unfinished, again.flagged) == (1, 1, (), 1)
    assert report(database, graph, model).usage.calls == 0
    assert llm.calls == 3


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
