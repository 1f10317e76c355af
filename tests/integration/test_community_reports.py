"""Community reports on a real server: who is asked about, what is stored, what a repeat or a change costs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from corpus import Fact, document, extraction
from entity_graph import SCHEMA, load, two_cliques
from fake_llm import FakeLlm, answer
from kg_neo4j import Settings, _models
from kg_neo4j._models import tokens
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j.errors import BudgetReached, UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration, record_document, withdraw_document
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise import report_questions
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.organise.community_reports import Reported, Reporting, write_reports
from kg_neo4j.organise.report_domain import find_domain
from kg_neo4j.organise.report_plan import plan_reports
from kg_neo4j.organise.stored_reports import CommunityReport, read_reports
from kg_neo4j.pipeline.reporting import CommunityReportOptions, communities, community_report, community_reports
from report_writer import is_report_prompt, shown_rows, write_report

TOKENISER = tokens.load("approximate-1")
HERMIT: Fact = ("Hermit", "", "")
DOUBT: Fact = ("B2", "DOUBTED", "B2")  # to itself: the communities stay as they are


def cypher(text: str) -> Query:
    return Query("test", "test", "test", "read", (), (), "none", "test", text)


ANSWERS = cypher(
    "MATCH (a:Answer {kind: 'report'}) WHERE a.graph = $graph "
    "RETURN a.round AS round, COUNT { (a)-[:ANSWERS]->(:Community) } AS communities ORDER BY a.id"
)
KNOWN_IDS = cypher("MATCH (n:Entity|Fact) WHERE n.graph = $graph RETURN collect(n.id) AS ids")


@pytest.fixture
def model(settings: Settings, llm: FakeLlm) -> ChatModel:
    llm.rules = write_report
    online = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "model_retries": 0}
    found = _models.chat_model(Settings(**{**settings.model_dump(), **online}))
    assert found
    return found


def report(database: Database, graph: str, model: ChatModel | None, **how: Any) -> Reported:
    with Lease(database, graph) as lease:
        refresh(database, graph, lease=lease)
        return write_reports(database, graph, Reporting(model, TOKENISER, **how), lease=lease)


def add(database: Database, graph: str, name: str, facts: list[Fact]) -> None:
    """Add a document of one chunk."""
    source, [chunk] = document(graph, name, [f"{name}: {facts}"])
    with Lease(database, graph) as lease:
        record_document(database, lease, source, (chunk,), LoadConfiguration("c0", "graph", SCHEMA.hash, "words"))
        Recorder(database, graph, SCHEMA, lease).record([extraction(chunk, facts)])
        settle(database, graph, SCHEMA, lease)


def withdraw(database: Database, graph: str, name: str) -> None:
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, document(graph, name, ["x"])[0].id)
        settle(database, graph, SCHEMA, lease)


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def check_references(database: Database, graph: str, found: tuple[CommunityReport, ...]) -> int:
    """Assert that everything that reports cite is in the graph; return how much that is."""
    known = set(database.read(KNOWN_IDS, graph=graph)[0]["ids"])
    cited = [each for report in found for finding in report.findings for each in finding.ids]
    assert set(cited) <= known
    assert all(finding.ids for report in found for finding in report.findings)
    return len(cited)


# --------------------------------------------------------------------------------------------- with a model


def test_each_community_is_asked_about_once_and_every_reference_exists(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, [*two_cliques(), HERMIT])
    done = report(database, graph, model)
    found = read_reports(database, graph)
    assert (llm.calls, done.usage.calls, done.reports, done.by_model, done.flagged) == (2, 2, 3, 2, 0)
    assert [(each.method, each.size) for each in found] == [("model", 5), ("model", 5), ("composed", 1)]
    assert found[0].title.startswith("Report on")
    assert (found[0].rating, len(found[0].findings)) == (6.5, 5)
    assert check_references(database, graph, found) > 10
    assert [row["communities"] for row in database.read(ANSWERS, graph=graph)] == [1, 1]


def test_a_repeat_asks_nobody_and_changes_nothing(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, two_cliques())
    report(database, graph, model, concurrency=3)
    before = dump(database, graph)
    done = report(database, graph, model)
    assert (llm.calls, done.changes, done.usage.calls) == (2, 0, 0)
    assert dump(database, graph) == before
    assert '"report_method":"model"' in before
    assert "time" not in before


def test_a_document_more_asks_only_about_the_community_that_it_changes(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, two_cliques())
    report(database, graph, model)
    add(database, graph, "more.txt", [DOUBT])
    done = report(database, graph, model)
    assert (llm.calls, done.usage.calls, done.changes) == (3, 1, 1)
    assert "B2 DOUBTED B2" in llm.requests[2].user
    add(database, graph, "again.txt", [DOUBT])  # says nothing new
    assert report(database, graph, model).usage.calls == 0
    add(database, graph, "elsewhere.txt", [("C1", "KNOWS", "C2"), ("C2", "KNOWS", "C3")])
    assert report(database, graph, model).usage.calls == 1


def test_reports_of_communities_that_are_gone_leave_with_their_answers(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    add(database, graph, "a.txt", [("C1", "KNOWS", "C2"), ("C2", "KNOWS", "C3")])
    report(database, graph, model)
    alone = dump(database, graph)
    add(database, graph, "b.txt", [("D1", "KNOWS", "D2"), ("D2", "KNOWS", "D3")])
    report(database, graph, model)
    assert len(database.read(ANSWERS, graph=graph)) == 2
    withdraw(database, graph, "b.txt")
    with Lease(database, graph) as lease:
        refresh(database, graph, lease=lease)
    assert dump(database, graph) == alone
    assert len(database.read(ANSWERS, graph=graph)) == 1


def test_a_load_leaves_reports_that_are_up_to_date(database: Database, graph: str, model: ChatModel) -> None:
    load(database, graph, two_cliques())
    report(database, graph, model)
    before = {each.title: each for each in read_reports(database, graph)}
    add(database, graph, "more.txt", [("C1", "KNOWS", "C2"), ("C2", "KNOWS", "C3")])
    with Lease(database, graph) as lease:
        refresh(database, graph, lease=lease)
    assert {each.title for each in read_reports(database, graph)} == set(before)


def test_another_domain_asks_again_and_stays_until_another_is_named(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, two_cliques())
    report(database, graph, model)
    assert "field" not in llm.requests[0].prompt
    assert report(database, graph, model, domain="village life").usage.calls == 2
    assert "about this field: village life." in llm.requests[2].prompt
    add(database, graph, "more.txt", [DOUBT])
    done = report(database, graph, model)
    assert (done.usage.calls, done.domain) == (1, "village life")
    assert "village life" in llm.requests[4].prompt
    assert report(database, graph, model, domain="").usage.calls == 2


def test_a_domain_is_found_from_a_sample_of_chunks(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, tmp_path: Path
) -> None:
    load(database, graph, two_cliques())
    cache = AnswerCache(tmp_path / "answers.sqlite3")
    llm.say('"Village life."').say("One\nTwo").fail(503)
    assert find_domain(database, graph, model, TOKENISER, cache).domain == "Village life"
    assert "facts.txt" in llm.requests[0].user
    assert find_domain(database, graph, model, TOKENISER, cache).usage.calls == 0
    several = find_domain(database, graph, model, TOKENISER, None)
    assert (several.domain, several.usage.calls, bool(several.why)) == ("", 1, True)
    assert "503" in find_domain(database, graph, model, TOKENISER, None).why


def test_the_library_finds_a_domain_once_and_lists_what_it_wrote(
    database: Database, graph: str, llm: FakeLlm, online: Settings
) -> None:
    load(database, graph, two_cliques())
    llm.rules = lambda prompt, user: (
        write_report(prompt, user) if is_report_prompt(prompt) else "Village life in two places"
    )
    auto = CommunityReportOptions(domain="auto")
    done = community_reports(settings=online, options=auto)
    assert (done.domain, done.usage.calls, done.by_model) == ("Village life in two places", 3, 2)
    assert sum("Village life in two places" in request.prompt for request in llm.requests) == 2
    again = community_reports(settings=online, options=auto)
    assert (again.domain, again.usage.calls, again.changes) == (done.domain, 0, 0)
    listed = communities(settings=online, level=0)
    assert [(each.number, each.size, each.rating, each.method) for each in listed] == [
        (1, 5, 6.5, "model"),
        (2, 5, 6.5, "model"),
    ]
    assert set(listed[0].members) in ({f"A{n}" for n in range(1, 6)}, {f"B{n}" for n in range(1, 6)})
    with pytest.raises(UsageError, match="characters"):
        community_reports(settings=online, options=CommunityReportOptions(domain="x" * 500))


def test_a_graph_whose_entities_are_in_no_communities_says_what_to_do(
    database: Database, graph: str, offline: Settings
) -> None:
    with pytest.raises(UsageError, match="no entities"):
        communities(settings=offline)
    load(database, graph, two_cliques())
    with pytest.raises(UsageError, match="in no communities"):
        communities(settings=offline)
    with pytest.raises(UsageError, match="no report"):
        community_report(1, settings=offline)
    assert community_reports(settings=offline).composed == 2  # communities are computed first
    assert community_report(1, settings=offline).method == "composed"


# --------------------------------------------------------------------------------------------- bad answers


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
    assert why in llm.requests[2].user
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


# --------------------------------------------------------------------------------------------- large communities


def test_a_community_too_large_is_shown_with_reports_on_its_parts(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    villages = [
        (f"V{village}N{left}", "KNOWS", f"V{village}N{right}")
        for village in range(4)
        for left in range(8)
        for right in range(left)
    ]
    roads = [(f"V{village}N0", "NEAR", f"V{(village + 1) % 4}N0") for village in range(4)]
    load(database, graph, [*villages, *roads], per_chunk=4)
    write_parents(database, graph)
    monkeypatch.setattr(report_questions, "INPUT_TOKENS", 1_500)
    run = write_only(database, graph, model)
    assert (llm.calls, run.flagged) == (5, 0)
    whole = llm.requests[4].user
    assert "Reports on parts of this community" in whole
    assert "V0N0 NEAR V1N0" in whole
    found = read_reports(database, graph, level=0)
    assert len(found) == 1
    assert check_references(database, graph, found) > 5
    assert write_only(database, graph, model).usage.calls == 0


PARENTS = """
MATCH (c:Community) WHERE c.graph = $graph SET c.level = 1
WITH collect(c) AS parts
CREATE (whole:Community {id: $graph + '-whole', graph: $graph, level: 0, number: 1, size: 32})
WITH whole, parts
UNWIND parts AS part
CREATE (part)-[:CHILD_OF]->(whole)
"""


def write_parents(database: Database, graph: str) -> None:
    """Put all communities into one, as a graph with more levels would have it."""
    with Lease(database, graph) as lease:
        refresh(database, graph, lease=lease)
    database.write(Query("test", "test", "test", "write", (), (), "none", "test", PARENTS), graph=graph)


def write_only(database: Database, graph: str, model: ChatModel | None) -> Reported:
    with Lease(database, graph) as lease:
        return write_reports(database, graph, Reporting(model, TOKENISER), lease=lease)


# --------------------------------------------------------------------------------------------- without a model


def test_without_a_model_reports_are_composed_and_a_repeat_changes_nothing(database: Database, graph: str) -> None:
    load(database, graph, [*two_cliques(), HERMIT])
    done = report(database, graph, None)
    found = read_reports(database, graph)
    assert (done.by_model, done.reports, done.changes, done.usage.calls) == (0, 3, 3, 0)
    assert {each.method for each in found} == {"composed"}
    assert "5 entities with 10 relationships" in found[0].summary
    assert "facts.txt" in found[0].summary
    assert found[2].title == "Hermit"
    check_references(database, graph, found)
    before = dump(database, graph)
    assert report(database, graph, None).changes == 0
    assert dump(database, graph) == before


def test_the_order_of_loading_changes_no_report(database: Database, graph: str) -> None:
    dumps = []
    for order in (1, 2):
        load(database, graph, two_cliques(), order=order)
        report(database, graph, None)
        dumps.append(dump(database, graph))
        delete_graph(database, graph)
    assert dumps[0] == dumps[1]


def test_a_model_takes_over_and_what_it_wrote_stays_without_one(
    database: Database, graph: str, model: ChatModel
) -> None:
    load(database, graph, two_cliques())
    report(database, graph, None)
    assert report(database, graph, model).changes == 2
    assert report(database, graph, None).changes == 0
    assert {each.method for each in read_reports(database, graph)} == {"model"}


def test_an_empty_graph_has_no_reports(database: Database, graph: str, llm: FakeLlm, model: ChatModel) -> None:
    assert report(database, graph, model).reports == 0
    assert llm.calls == 0


def test_other_graphs_are_left_alone(database: Database, graph: str, model: ChatModel) -> None:
    load(database, graph, two_cliques())
    report(database, graph, None)
    before = dump(database, graph)
    assert report(database, f"{graph}-other", model).reports == 0
    assert dump(database, graph) == before


# --------------------------------------------------------------------------------------------- paid once


def test_a_plan_names_the_calls_that_are_made_then(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, [*two_cliques(), HERMIT])
    report(database, graph, None)
    llm.counts = True
    plan = plan_reports(database, graph, Reporting(model, TOKENISER))
    assert (llm.calls, plan.communities, plan.current, plan.composed) == (0, 3, 0, 1)
    done = report(database, graph, model)
    assert plan.usage.calls == done.usage.calls == 2
    assert plan.usage.input_tokens == pytest.approx(done.usage.input_tokens, rel=0.35)  # two tokenisers
    after = plan_reports(database, graph, Reporting(model, TOKENISER))
    assert (after.current, after.usage.calls, after.measured) == (2, 0, 2)
    assert plan_reports(database, graph, Reporting(None, TOKENISER)).usage.calls == 0


def test_a_community_that_is_the_same_on_two_levels_is_asked_about_once(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, [("C1", "KNOWS", "C2"), ("C2", "KNOWS", "C3")])
    write_parents(database, graph)
    plan = plan_reports(database, graph, Reporting(model, TOKENISER))
    done = write_only(database, graph, model)
    assert (plan.usage.calls, done.usage.calls, llm.calls, done.reports) == (1, 1, 1, 2)
    assert [row["communities"] for row in database.read(ANSWERS, graph=graph)] == [2]
    coarse, fine = read_reports(database, graph)
    assert (coarse.title, coarse.findings) == (fine.title, fine.findings)


def test_a_useful_answer_serves_other_graphs_from_the_cache(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, tmp_path: Path
) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite3")
    other = f"{graph}-other"
    try:
        for name in (graph, other):
            load(database, name, two_cliques())
        assert report(database, graph, model, cache=cache).usage.calls == 2
        done = report(database, other, model, cache=cache)
        assert (llm.calls, done.usage.calls, done.by_model) == (2, 0, 2)
        delete_graph(database, other)
        load(database, other, two_cliques())
        with Lease(database, other) as lease:
            refresh(database, other, lease=lease)
        assert plan_reports(database, other, Reporting(model, TOKENISER, cache=cache)).usage.calls == 0
    finally:
        delete_graph(database, other)


CHILD = """
from kg_neo4j import Settings, _models
from kg_neo4j._models import tokens
from kg_neo4j.graph.database import connect
from kg_neo4j.graph.lease import Lease
from kg_neo4j.organise.community_reports import Reporting, write_reports
from kg_neo4j.progress import SILENT
settings = Settings()
with connect(settings, SILENT) as database, Lease(database, settings.graph) as lease:
    how = Reporting(_models.chat_model(settings), tokens.load("approximate-1"))
    write_reports(database, settings.graph, how, lease=lease)
"""


def test_a_killed_run_keeps_the_reports_that_were_and_pays_for_no_answer_twice(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, environment: Mapping[str, str]
) -> None:
    load(database, graph, two_cliques())
    report(database, graph, None)
    before = read_reports(database, graph)
    llm.answer(1).hang()
    online = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "scripted"}
    with subprocess.Popen([sys.executable, "-c", CHILD], env={**environment, **online}) as child:
        llm.wait_for_calls(2)  # one at a time: the first answer is stored by now
        child.send_signal(signal.SIGKILL)
    assert read_reports(database, graph) == before
    assert len(database.read(ANSWERS, graph=graph)) == 1
    llm.forget()
    done = report(database, graph, model)
    assert (llm.calls, done.usage.calls, done.by_model) == (3, 1, 2)
    assert llm.requests[2].prompt == llm.requests[1].prompt


# --------------------------------------------------------------------------------------------- the command line


def test_the_command_plans_writes_lists_and_shows(
    database: Database, graph: str, llm: FakeLlm, environment: Mapping[str, str]
) -> None:
    story = Path(__file__).resolve().parents[2] / "examples" / "the_lamp_at_skarnes.md"
    llm.rules = lambda prompt, user: (write_report if is_report_prompt(prompt) else answer)(prompt, user)
    llm.counts = True
    online = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "gpt-4o-mini", "KG_SUMMARY_TOKENS": "0"}

    def kg(*arguments: str, **changes: str) -> tuple[int, Any]:
        command = [sys.executable, "-m", "kg_neo4j", *arguments, "--json"]
        done = subprocess.run(command, env={**environment, **changes}, capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout)

    code, shape = kg("communities", "--reports")
    assert (code, shape["error"]["type"]) == (2, "UsageError")
    assert kg("load", str(story))[0] == 0
    code, plan = kg("communities", "--reports", "--dry-run", **online)
    assert (code, plan["current"], llm.calls) == (0, 0, 0)
    assert plan["usd"] > 0
    code, shape = kg("communities", "--reports", "--budget-usd", "0.0000001", **online)
    assert (code, shape["calls"], shape["by_model"], llm.calls) == (3, 0, 0, 0)
    assert "budget" in shape["unfinished"][0]
    code, shape = kg("communities", "--reports", "--domain", "lighthouses", **online)
    assert (code, shape["calls"], shape["domain"], shape["flagged"]) == (0, plan["calls"], "lighthouses", 0)
    assert shape["usd"] == pytest.approx(plan["usd"], rel=1.0)
    code, repeat = kg("communities", "--reports", **online)
    assert (code, repeat["calls"], repeat["changes"], repeat["domain"]) == (0, 0, 0, "lighthouses")
    code, listed = kg("communities", "--level", "0")
    first = listed["communities"][0]
    assert (code, first["level"], first["method"], first["rating"]) == (0, 0, "model", 6.5)
    code, shown = kg("communities", "--show", str(first["number"]))
    assert (code, shown["title"]) == (0, first["title"])
    assert shown["findings"][0]["references"]["Entities"]
    assert kg("communities", "--show", "4711")[0] == 2
    assert kg("communities", "--domain", "x")[0] == 2


def test_a_prompt_shows_each_entity_with_the_number_that_is_mapped_back(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, two_cliques())
    report(database, graph, model)
    names = cypher("MATCH (e:Entity) WHERE e.graph = $graph RETURN e.id AS id, e.name AS name")
    by_id = {row["id"]: row["name"] for row in database.read(names, graph=graph)}
    rows = [shown_rows(request.user)[0] for request in llm.requests]
    for each in read_reports(database, graph):
        for finding in each.findings:
            for number, entity in finding.entities.items():
                assert any(row.get(number, "").startswith(f"{by_id[entity]} (") for row in rows)
