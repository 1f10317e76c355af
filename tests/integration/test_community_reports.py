"""Community reports on a real server: who is asked about, what is stored, what a repeat or a change costs."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from typer.testing import CliRunner

from corpus import Fact
from entity_graph import load, two_cliques
from fake_llm import FakeLlm
from kg_neo4j import Settings
from kg_neo4j._cli import app as command_line
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.errors import NoSuchGraph, UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise import report_questions, search_indexes
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.organise.stored_reports import read_reports
from kg_neo4j.pipeline.commands.communities import (
    CommunityReportOptions,
    communities,
    community_report,
    community_reports,
)
from report_runs import (
    ANSWERS,
    DOUBT,
    HERMIT,
    add,
    check_references,
    cypher,
    dump,
    report,
    withdraw,
    write_only,
    write_parents,
)
from report_writer import is_report_prompt, shown_rows, write_report

# --------------------------------------------------------------------------------------------- with a model


def test_each_community_is_asked_about_once_and_every_reference_exists(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    assert (report(database, graph, model).communities, llm.calls) == (0, 0)
    load(database, graph, [*two_cliques(), HERMIT])
    done = report(database, graph, model, concurrency=3)
    found = read_reports(database, graph)
    assert (llm.calls, done.usage.calls, done.communities, done.by_model, done.flagged) == (2, 2, 2, 2, 0)
    assert [(each.method, each.size) for each in found] == [("model", 5), ("model", 5)]
    assert found[0].title.startswith("Report on")
    assert (found[0].rating, len(found[0].findings)) == (6.5, 1)
    assert check_references(database, graph, found) > 10
    assert [row["communities"] for row in database.read(ANSWERS, graph=graph)] == [1, 1]
    names = cypher("MATCH (e:Entity) WHERE e.graph = $graph RETURN e.id AS id, e.name AS name")
    by_id = {row["id"]: row["name"] for row in database.read(names, graph=graph)}
    rows = [shown_rows(request.user)[0] for request in llm.requests]
    for finding in (finding for each in found for finding in each.findings):
        for number, entity in finding.entities.items():
            assert any(row.get(number, "").startswith(f"{by_id[entity]} (") for row in rows)
    before = dump(database, graph)
    assert '"report_method":"model"' in before
    assert "time" not in before
    done = report(database, graph, model)
    assert (llm.calls, done.changes, done.usage.calls) == (2, 0, 0)
    assert report(database, f"{graph}-other", model).communities == 0
    assert dump(database, graph) == before
    done = report(database, graph, model, singletons=True)
    assert (llm.calls, done.communities, done.by_model, done.changes) == (2, 3, 2, 1)
    found = read_reports(database, graph)
    assert (found[2].title, found[2].method, found[2].size) == ("Hermit", "composed", 1)
    done = report(database, graph, model, singletons=False)
    assert (llm.calls, done.communities, done.by_model, done.changes) == (2, 2, 2, 0)
    assert dump(database, graph) == before


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
    before = {each.title for each in read_reports(database, graph)}
    add(database, graph, "elsewhere.txt", [("C1", "KNOWS", "C2"), ("C2", "KNOWS", "C3")])
    with Lease(database, graph) as lease:
        refresh(database, graph, lease=lease)  # as a load does
    assert {each.title for each in read_reports(database, graph)} == before
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


def test_a_model_takes_over_and_stays_without_one_and_another_domain_asks_again(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel
) -> None:
    load(database, graph, two_cliques())
    report(database, graph, None)
    assert report(database, graph, model).changes == 2
    assert report(database, graph, None).changes == 0
    assert {each.method for each in read_reports(database, graph)} == {"model"}
    assert "field" not in llm.requests[0].prompt
    assert report(database, graph, model, domain="village life").usage.calls == 2
    assert "about this field: village life." in llm.requests[2].prompt
    add(database, graph, "more.txt", [DOUBT])
    done = report(database, graph, model)
    assert (done.usage.calls, done.domain) == (1, "village life")
    assert "village life" in llm.requests[4].prompt
    assert report(database, graph, model, domain="").usage.calls == 2


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
    assert "facts.txt" in llm.requests[0].user
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
    with pytest.raises(NoSuchGraph):
        communities(settings=offline)
    load(database, graph, two_cliques())
    with pytest.raises(UsageError, match="in no communities"):
        communities(settings=offline)
    with pytest.raises(UsageError, match="no report"):
        community_report(1, settings=offline)
    assert community_reports(settings=offline).composed == 2  # communities are computed first
    assert community_report(1, settings=offline).method == "composed"


# --------------------------------------------------------------------------------------------- large communities


def four_villages() -> list[Fact]:
    """Return four villages of eight neighbours each, and the four roads that join them to a ring."""
    villages = [
        (f"V{village}N{left}", "KNOWS", f"V{village}N{right}")
        for village in range(4)
        for left in range(8)
        for right in range(left)
    ]
    roads = [(f"V{village}N0", "NEAR", f"V{(village + 1) % 4}N0") for village in range(4)]
    return [*villages, *roads]


DISSOLVE = """
MATCH (:Entity {graph: $graph, name: 'V0N0'})-[:IN_COMMUNITY]->()-[:CHILD_OF]->(whole)<-[:CHILD_OF]-(part)
MATCH (e:Entity)-[:IN_COMMUNITY]->(part)
CREATE (e)-[:IN_COMMUNITY]->(whole)
WITH DISTINCT part
DETACH DELETE part
"""


def test_a_community_too_large_is_shown_with_reports_on_its_parts(
    database: Database, graph: str, llm: FakeLlm, model: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(database, graph, four_villages(), per_chunk=4)
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
    database.write(Query("test", "test", "test", "write", (), (), "none", "test", DISSOLVE), graph=graph)
    assert write_only(database, graph, model, "village life").flagged == 0  # another domain asks about all again
    assert llm.calls == 7
    whole = llm.requests[6].user
    assert "Reports on parts of this community" in whole
    assert "V3N1 KNOWS V3N0" in whole  # members that are alone on the next level
    assert check_references(database, graph, read_reports(database, graph, level=0)) > 5


# --------------------------------------------------------------------------------------------- without a model


def test_without_a_model_reports_are_composed_alike_in_any_order_and_a_repeat_changes_nothing(
    database: Database, graph: str
) -> None:
    dumps = []
    for order in (1, 2):
        delete_graph(database, graph)
        load(database, graph, [*two_cliques(), HERMIT], order=order)
        done = report(database, graph, None)
        dumps.append(dump(database, graph))
    assert dumps[0] == dumps[1]
    found = read_reports(database, graph)
    assert (done.by_model, done.communities, done.changes, done.usage.calls) == (0, 2, 2, 0)
    assert {each.method for each in found} == {"composed"}
    assert "5 entities with 10 relationships" in found[0].summary
    assert "facts.txt" in found[0].summary
    check_references(database, graph, found)
    assert report(database, graph, None).changes == 0
    assert dump(database, graph) == dumps[1]


def test_the_list_says_what_it_leaves_out(database: Database, graph: str, environment: Mapping[str, str]) -> None:
    def listed(*words: str) -> tuple[str, str]:
        result = CliRunner().invoke(command_line.app, ["communities", *words], env=dict(environment))
        assert result.exit_code == 0, result.output
        return result.stdout, result.stderr

    search_indexes.create_fulltext(database)
    load(database, graph, [HERMIT])
    report(database, graph, None)
    assert "no community has 2 members or more; `kg report isolated-nodes` lists" in listed()[1]
    assert listed("--smallest", "1")[0].count("Hermit") == 0
    report(database, graph, None, singletons=True)
    out, said = listed("--smallest", "1")
    assert "Hermit" in out
    assert "first" not in said
    load(database, graph, [*two_cliques(), HERMIT])
    report(database, graph, None)
    out, said = listed("--limit", "1", "--level", "0")
    assert "A1" in out or "B1" in out
    assert "the first 1; --limit lists more" in said
    shown = CliRunner().invoke(
        command_line.app, ["report", "shortest-path", "--set", "from=A1", "--set", "to=Hermit"], env=dict(environment)
    )
    assert f"note: no results in graph {graph!r}" in shown.stderr
