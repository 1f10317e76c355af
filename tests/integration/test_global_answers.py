"""The global mode on a real server: which reports are asked, what is combined, and where every citation leads."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import film_graph
from corpus import document, withdraw_document
from entity_graph import SCHEMA, load, two_cliques
from fake_llm import FakeLlm
from kg_neo4j import Settings, factory
from kg_neo4j._models import tokens
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.errors import ModelUnavailable, UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.graph.settler import settle
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.organise.community_reports import Wanted, write_reports
from kg_neo4j.organise.stored_reports import read_reports
from kg_neo4j.records import Answer
from kg_neo4j.retrieve.overview import partial_answers, report_selection
from kg_neo4j.retrieve.overview.global_answer import NOT_FOUND
from kg_runner import Kg
from report_runs import door_to
from report_writer import answer_globally, is_global_prompt, write_report
from small_graph import load as load_ada

TOKENISER = tokens.load("approximate-1")
ABOUT_A3 = "What is said of A3?"
CHAINS = """
UNWIND $rows AS row
MATCH (c:Community {id: row.community}) WHERE c.graph = $graph AND c.findings CONTAINS row.element
MATCH (n:Entity|Fact {id: row.element}) WHERE n.graph = $graph
MATCH (k:Chunk {id: row.chunk}) WHERE k.graph = $graph AND substring(k.text, row.start, row.end - row.start) = row.quote
  AND EXISTS { (n)-[:MENTIONED_IN|STATED_IN]->(k) }
RETURN count(*) AS chains
"""


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    """A server of this test's own, which answers from the reports that it is shown."""
    with report_server() as server:
        yield server


@pytest.fixture
def model(settings: Settings, llm: FakeLlm) -> ChatModel:
    return scripted(settings, llm)


@pytest.fixture(scope="module")
def villages(settings: Settings, database: Database) -> Iterator[str]:
    """A graph of two villages with a report on each, which tests read only."""
    yield from reported(settings, database, partial(two_villages, database))


@pytest.fixture(scope="module")
def shires(settings: Settings, database: Database) -> Iterator[str]:
    """A graph of four villages in two shires with a report on each, which tests read only."""
    yield from reported(settings, database, partial(two_levels, database))


def reported(settings: Settings, database: Database, make: Callable[[str, ChatModel], None]) -> Iterator[str]:
    name = f"reported-{uuid.uuid4().hex[:12]}"
    with report_server() as server:
        make(name, scripted(settings, server))
    yield name
    delete_graph(database, name)


def report_server() -> FakeLlm:
    return FakeLlm(
        rules=lambda prompt, user: (answer_globally if is_global_prompt(prompt) else write_report)(prompt, user)
    )


def scripted(settings: Settings, llm: FakeLlm) -> ChatModel:
    online = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "model_retries": 0}
    found = factory.chat_model(Settings(**{**settings.model_dump(), **online}))
    assert found
    return found


def two_villages(database: Database, graph: str, model: ChatModel | None) -> None:
    load(database, graph, two_cliques())
    prepare(database, graph, model)


def prepare(database: Database, graph: str, model: ChatModel | None) -> None:
    with Lease(database, graph) as lease:
        refresh(database, graph, lease=lease)
        write_reports(database, graph, door_to(model), TOKENISER, Wanted(smallest=2), lease=lease)


def said(*scored: tuple[int, str]) -> str:
    """Return what a model says of report 1, 2, ...: a score and a partial answer."""
    rows = [{"report": f"R{place}", "score": score, "answer": text} for place, (score, text) in enumerate(scored, 1)]
    return json.dumps({"reports": rows})


def ask(database: Database, graph: str, question: str, model: ChatModel | None, **how: Any) -> Answer:
    door = door_to(model, how.pop("cache", None), how.pop("concurrency", 1))
    return film_graph.answer(database, graph, question, "global", tokeniser=TOKENISER, door=door, **how)


def check_chains(database: Database, graph: str, answer: Answer) -> int:
    """Assert that each citation leads from a report that cites it to an entity or fact to the words of a chunk."""
    assert len(answer.paths) == len(answer.citations)
    rows = [
        {
            "community": path.community_id,
            "element": path.id,
            "chunk": citation.chunk_id,
            "start": citation.start,
            "end": citation.end,
            "quote": citation.quote,
        }
        for path, citation in zip(answer.paths, answer.citations, strict=True)
    ]
    query = Query("test", "test", "test", "read", (), (), "none", "test", CHAINS)
    assert database.read(query, graph=graph, rows=rows)[0]["chains"] == len(rows)
    for number in range(1, len(rows) + 1):
        assert f"[{number}]" in answer.answer
    return len(rows)


# --------------------------------------------------------------------------------------------- with a model


def test_reports_are_asked_and_the_answer_cites_chunks_by_way_of_a_report(
    database: Database, villages: str, llm: FakeLlm, model: ChatModel
) -> None:
    before = llm.calls
    given = ask(database, villages, ABOUT_A3, model)
    assert (given.found, given.mode, given.usage.calls) == (True, "global", 1)  # one partial answer is the answer
    assert llm.calls == before + 1
    assert given.answer == "A3 is known to many [1]."
    assert check_chains(database, villages, given) == 1
    assert {each.kind for each in given.evidence} >= {"report", "chunk"}
    assert "2 reports were read" in given.notes[0]


def test_several_partial_answers_are_combined_best_first(
    database: Database, villages: str, llm: FakeLlm, model: ChatModel
) -> None:
    scored = said((10, "Part 1 [R1.1]."), (20, "Part 2 [R2.1]."))
    llm.say(scored).say("Both count [R2.1][R1.1].")
    given = ask(database, villages, ABOUT_A3, model)
    combining = llm.requests[-1].user
    assert combining.index("Part 2 [R2.1]") < combining.index("Part 1 [R1.1]")
    assert "(20 of 100)" in combining
    assert given.answer == "Both count [1] [2]."
    assert [path.number for path in given.paths] == [2, 1]
    assert check_chains(database, villages, given) == 2
    llm.say(scored)
    small = ask(database, villages, ABOUT_A3, model, max_context_tokens=1)
    assert (small.usage.calls, "1 partial answers of lower score did not fit" in small.notes) == (1, True)


def test_citations_that_are_not_there_are_removed_and_said(
    database: Database, villages: str, llm: FakeLlm, model: ChatModel
) -> None:
    scored = said((5, "P [R1.1]."), (6, "Q [R2]."))
    llm.say(scored).say("One [R1.1]. Two [R1.2]. Three [R77].")
    given = ask(database, villages, ABOUT_A3, model)
    assert given.answer == "One [1]. Two. Three."
    assert any("R1.2, R77" in note for note in given.notes)  # R1.2 is there, but it was not given
    llm.say(scored).say("All of it is so.")
    instead = ask(database, villages, ABOUT_A3, model)
    assert instead.answer.startswith("Q [1].")
    assert any("cited nothing" in note for note in instead.notes)
    assert check_chains(database, villages, instead) == 2


@pytest.mark.parametrize("combined", [None, "NOT IN THE GRAPH", "Not in the graph."])
def test_what_reports_do_not_answer_is_said(
    database: Database, villages: str, llm: FakeLlm, model: ChatModel, combined: str | None
) -> None:
    if combined:
        scored = said((5, "P."), (6, "Q."))
        llm.say(scored).say(combined)
    given = ask(database, villages, "What is said of Z9?", model)
    assert (given.found, given.answer, given.citations, given.paths) == (False, NOT_FOUND, (), ())


PARENTS = """
MATCH (c:Community) WHERE c.graph = $graph SET c.level = 1
WITH c, CASE WHEN c.id IN [(e:Entity {graph: $graph})-[:IN_COMMUNITY]->(x) WHERE e.name STARTS WITH 'A' | x.id]
        THEN 'A' ELSE 'B' END AS side
MERGE (p:KgCommunity:Community {id: $graph + side})
SET p.graph = $graph, p.level = 0, p.number = CASE side WHEN 'A' THEN 1 ELSE 2 END,
    p.size = coalesce(p.size, 0) + c.size
CREATE (c)-[:CHILD_OF]->(p)
"""


def two_levels(database: Database, graph: str, model: ChatModel) -> None:
    """Four villages in two shires: A1.., A6.. and B1.., B6.."""
    facts = [
        (f"{side}{start + left}", "KNOWS", f"{side}{start + right}")
        for side in "AB"
        for start in (1, 6)
        for left in range(5)
        for right in range(left)
    ]
    load(database, graph, facts, per_chunk=3)
    with Lease(database, graph) as lease:
        refresh(database, graph, lease=lease)
        database.write(Query("test", "test", "test", "write", (), (), "none", "test", PARENTS), graph=graph)
        write_reports(database, graph, door_to(model), TOKENISER, Wanted(smallest=2), lease=lease)
    assert [each.level for each in read_reports(database, graph)] == [0, 0, 1, 1, 1, 1]


def test_a_report_whose_parent_says_nothing_about_the_question_is_not_read(
    database: Database, shires: str, llm: FakeLlm, model: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_selection, "CALL_TOKENS", 10)
    before = llm.calls
    given = ask(database, shires, ABOUT_A3, model, level=1)
    assert llm.calls == before + 2
    assert len(report_selection.read_level(database, shires, 1)) == 4
    assert llm.requests[-1].user.count("\nReport R") == 2
    assert "2 reports of level 1 were not read" in " ".join(given.notes)
    assert given.paths[0].level == 1
    check_chains(database, shires, given)
    none = ask(database, shires, "What is said of Z9?", model, level=1)
    assert (none.found, none.usage.calls) == (False, 1)


def test_a_relevant_report_counts_itself_where_none_of_its_parts_does(
    database: Database, shires: str, llm: FakeLlm, model: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_selection, "CALL_TOKENS", 10)
    llm.say(said((70, "Whole [R1.1]."), (0, "")))
    given = ask(database, shires, "What is said of Z9?", model, level=1)
    assert (given.answer, given.paths[0].level) == ("Whole [1].", 0)


def test_a_level_is_chosen_by_what_can_be_read_and_one_that_is_not_there_is_refused(
    database: Database, shires: str, model: ChatModel
) -> None:
    assert "level 1" in ask(database, shires, ABOUT_A3, model).notes[0]
    assert "level 0" in ask(database, shires, ABOUT_A3, model, level=0).notes[0]
    with pytest.raises(UsageError, match="no level 5"):
        ask(database, shires, ABOUT_A3, model, level=5)


def test_many_reports_are_asked_about_several_at_a_time(
    database: Database, shires: str, llm: FakeLlm, model: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial_answers, "CALL_TOKENS", 150)
    monkeypatch.setattr(partial_answers, "LEAST_TOKENS", 150)
    before = llm.calls
    given = ask(database, shires, ABOUT_A3, model, level=1, concurrency=3)
    assert given.found
    assert llm.calls - before > 2


def test_a_repeated_question_is_answered_from_the_cache(
    database: Database, villages: str, llm: FakeLlm, model: ChatModel, tmp_path: Any
) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite3")
    question = "What is said of A3 and B3?"
    first = ask(database, villages, question, model, cache=cache)
    calls = llm.calls
    second = ask(database, villages, question, model, cache=cache)
    assert first.usage.calls == 2
    assert (llm.calls, second.usage.calls, second.answer) == (calls, 0, first.answer)


def test_a_model_that_is_gone_is_an_error(database: Database, villages: str, llm: FakeLlm, model: ChatModel) -> None:
    llm.fail(503)
    with pytest.raises(ModelUnavailable):
        ask(database, villages, ABOUT_A3, model)


# --------------------------------------------------------------------------------------------- what changed since


def test_outdated_and_missing_reports_are_said(database: Database, graph: str, llm: FakeLlm, model: ChatModel) -> None:
    two_villages(database, graph, model)
    rename = "MATCH (e:Entity {graph: $graph, name: 'A2'}) SET e.description = 'Other.' RETURN e.id AS id"
    database.write(Query("test", "test", "test", "write", (), (), "none", "test", rename), graph=graph)
    assert any(
        "1 of the 1 reports used are out of date" in note for note in ask(database, graph, ABOUT_A3, model).notes
    )
    gone = "MATCH (c:Community {graph: $graph, number: 2, level: 0}) SET c.report_method = NULL RETURN c.id AS id"
    database.write(Query("test", "test", "test", "write", (), (), "none", "test", gone), graph=graph)
    notes = " ".join(ask(database, graph, "What is said of B3?", model).notes)
    assert "1 of 2 communities of level 0 have no report" in notes


def test_nothing_is_cited_that_has_left_the_graph(database: Database, graph: str, model: ChatModel) -> None:
    two_villages(database, graph, model)
    with Lease(database, graph) as lease:
        withdraw_document(database, lease, graph, document(graph, "facts.txt", ["x"])[0].id)
        settle(database, graph, SCHEMA, lease)  # analytics were not run: the reports still stand
    given = ask(database, graph, ABOUT_A3, model)
    assert (given.found, given.citations) == (False, ())
    assert any("no longer in the graph" in note for note in given.notes)


# --------------------------------------------------------------------------------------------- without a model


def test_without_a_model_sentences_of_reports_answer_or_nothing_does(database: Database, graph: str) -> None:
    load_ada(database, graph)
    prepare(database, graph, None)
    before = list(lines(database, graph))
    given = ask(database, graph, "Who met Charles Babbage?", None)
    assert given.found
    assert "MET Charles Babbage" in given.answer
    assert check_chains(database, graph, given) >= 1
    assert any("without a model" in note for note in given.notes)
    overview = ask(database, graph, "What are the main themes?", None)
    assert overview.found
    assert any("no answer but a list" in note for note in overview.notes)
    check_chains(database, graph, overview)
    none = ask(database, graph, "What is the capital of Mongolia?", None)
    assert (none.found, none.answer) == (False, NOT_FOUND)
    assert list(lines(database, graph)) == before


def test_a_graph_without_reports_or_communities_says_what_to_do(database: Database, graph: str) -> None:
    empty = ask(database, graph, "What are the main themes?", None)
    assert (empty.found, "kg load" in empty.notes[0]) == (False, True)
    load(database, graph, two_cliques())
    refresh(database, graph)
    given = ask(database, graph, "What are the main themes?", None)
    assert (given.found, "kg communities --reports" in given.notes[0]) == (False, True)


@pytest.mark.parametrize("question", ['AND ( [ ~ " *', "🦄", "x" * 100_000, "כן?", "[R1] [R1.1]", "R1"])
def test_any_question_gets_an_answer_or_none(
    database: Database, villages: str, model: ChatModel, question: str
) -> None:
    for asked in (None, model):
        given = ask(database, villages, question, asked)
        assert given.found == bool(given.citations)


def test_the_command_shows_the_way_of_each_citation(
    database: Database, villages: str, llm: FakeLlm, model: ChatModel, kg: Kg
) -> None:
    online = {
        "OPENAI_BASE_URL": llm.url,
        "OPENAI_API_KEY": "k",
        "KG_MODEL": "scripted",
        "KG_GRAPH": villages,
    }
    code, shown, _ = kg("ask", ABOUT_A3, "--mode", "global", "--show", **online)
    assert (code, shown.splitlines()[0]) == (0, "A3 is known to many [1].")
    assert "by the report on community" in shown
    shape = json.loads(kg("ask", ABOUT_A3, "--mode", "global", "--level", "0", "--json", **online)[1])
    assert set(shape["paths"][0]) == {"community_id", "level", "number", "title", "kind", "id", "name"}
    assert set(shape["citations"][0]) == {"chunk_id", "document", "start", "end", "quote", "page", "line", "correction"}
    assert kg("ask", ABOUT_A3, "--level", "0", **online)[0] == 2
