"""Canned questions and written queries on a real server: rows, the words made of them, where each citation leads."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator

import pytest

import film_graph
from entity_graph import load as load_facts
from fake_llm import FakeLlm
from kg_neo4j import ask
from kg_neo4j._models import tokens
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.door import Door
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import UsageError
from kg_neo4j.factory import door_to, without_model
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import search_indexes
from kg_neo4j.records import Answer
from kg_neo4j.retrieve.ask import NOT_FOUND
from kg_neo4j.retrieve.checking.citations import quotes_are_in_place
from kg_neo4j.settings import Settings
from kg_runner import Kg
from small_graph import FACTS, PARAGRAPHS, load

TOKENISER = tokens.load("approximate-1")
MORE = [
    [*FACTS[0], ("Ada Lovelace", "BORN_IN", "London", "She was born in London")],
    [*FACTS[1], ("Lovelace", "MET", "Ada Byron", "Lovelace met")],
    [*FACTS[2], ("Charles Babbage", "KNEW", "Lord Byron", "Babbage lived")],
]


@pytest.fixture(scope="module")
def ada(database: Database) -> Iterator[str]:
    """Ada, her father, Babbage, and where they lived; for tests that only read."""
    name = f"test-cypher-{uuid.uuid4().hex[:12]}"
    load(database, name, facts=MORE)
    search_indexes.create_fulltext(database)
    with database.driver.session() as session:  # what the extractor of this graph does not give
        dated = (
            "MATCH (:Entity {graph: $graph})-[r:MET]->() SET r.start_date = 'June 1833' "
            "WITH count(*) AS done MATCH (e:Entity {graph: $graph, name: 'Ada Lovelace'}) "
            "SET e.birth_year = 1815, e.death_year = 1852 RETURN done"
        )
        session.run(dated, graph=name).consume()
    yield name
    delete_graph(database, name)


def asked(database: Database, graph: str, question: str, model: Door | None = None) -> Answer:
    given = film_graph.answer(database, graph, question, "cypher", tokeniser=TOKENISER, door=model or without_model())
    with database.driver.session() as session:
        rows = session.run("MATCH (c:Chunk) WHERE c.graph = $graph RETURN c.id AS id, c.text AS text", graph=graph)
        texts = {row["id"]: row["text"] for row in rows}
    assert quotes_are_in_place(given.citations, texts)
    for number in range(1, len(given.citations) + 1):
        assert f"[{number}]" in given.answer
    assert given.mode == "cypher"
    return given


# ------------------------------------------------------------------------------------------------ canned questions


@pytest.mark.parametrize(
    ("question", "template", "words", "quote"),
    [
        ("Who is related to Ada Lovelace?", "relations", "Ada Lovelace -CHILD_OF-> Lord Byron", "Her father was"),
        (
            "What is known about Marylebone?",
            "relations",
            "Marylebone <-LIVED_IN- Charles Babbage",
            "lived in Marylebone",
        ),
        ("What happened in 1833?", "year", "Lovelace MET Charles Babbage (June 1833)", "In June 1833"),
        ("What happened in 1815?", "year", "Ada Lovelace BORN (1815)", "Ada Lovelace (10 December"),
        ("What did Ada Lovelace do between 1850 and 1860?", "year", "Ada Lovelace DIED (1852)", "27 November 1852"),
        ("When was Ada Lovelace born?", "life", "Ada Lovelace BORN 1815", "10 December 1815"),
        ("Who met Charles Babbage?", "stated", "Lovelace -MET-> Charles Babbage (June 1833)", "In June 1833"),
        ("Where did Charles Babbage live?", "stated", "Charles Babbage -LIVED_IN-> Marylebone", "Marylebone"),
        ("Where was Ada Lovelace born?", "stated", "Ada Lovelace -BORN_IN-> London", "born in London"),
        ("How many people are there?", "number", "The graph knows 7 people:", ""),
        ("How many things is Charles Babbage connected with?", "number_related", "related to 3 things", ""),
        ("Who is the most connected person?", "most_connected", "Charles Babbage (PERSON): 3", ""),
        ("Which documents mention Marylebone?", "mentions", "Ada: 1 time in 1 chunk", "Marylebone"),
        ("List all people", "entities", "Lord Byron (PERSON)", ""),
    ],
)
def test_canned_questions_are_answered_with_rows_and_citations(
    database: Database, ada: str, question: str, template: str, words: str, quote: str
) -> None:
    given = asked(database, ada, question)
    assert given.found
    assert given.query
    assert given.query.template == template
    assert given.query.model is None
    assert given.query.parameters["graph"] == ada
    assert words in given.answer
    assert given.citations
    assert any(quote in citation.quote for citation in given.citations)
    assert f"canned query {template.replace('_', '-')}" in given.notes[0]
    assert given.usage.calls == 0


def test_the_ways_between_two_are_shown_with_a_citation_for_every_step(database: Database, ada: str) -> None:
    given = asked(database, ada, "How are Ada Lovelace and Marylebone connected?")
    way = "Ada Lovelace -CHILD_OF-> Lord Byron <-KNEW- Charles Babbage -LIVED_IN-> Marylebone"
    assert given.answer.splitlines() == ["Ada Lovelace and Marylebone are connected by 3 steps:", f"- {way} [1][2]"]
    assert given.query
    assert given.query.rows[0][0] == 3
    assert [each.kind for each in given.evidence].count("fact") == 3


def test_what_two_have_in_common_cites_both_sides(database: Database, ada: str) -> None:
    given = asked(database, ada, "What do Ada Lovelace and Charles Babbage have in common?")
    assert "Lord Byron: Ada Lovelace -CHILD_OF-> Lord Byron; Charles Babbage -KNEW-> Lord Byron" in given.answer
    assert len(given.citations) == 2


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What happened in 1066?", "The graph holds nothing that is dated 1066."),
        ("What do Marylebone and London have in common?", "The graph relates nothing to both Marylebone and London."),
        ("When did Lord Byron die?", "The graph does not say when that was for Lord Byron."),
        ("Who met Lord Byron?", "No answer found about Lord Byron."),
    ],
)
def test_no_rows_are_no_answer_and_say_so(database: Database, ada: str, question: str, said: str) -> None:
    given = asked(database, ada, question)
    assert (given.found, given.answer, given.citations) == (False, said, ())
    assert given.query
    assert given.query.rows == ()


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Who is related to Sherlock Holmes?", "No entity is called 'Sherlock Holmes'."),
        ("Who painted Ada Lovelace?", "no relationship type of the graph matches 'painted'"),
        ("How many dragons are there?", "no entities of the kind 'dragons'"),
        (
            "Who met the brother of Charles Babbage?",
            "'the brother of Charles Babbage'. Did you mean 'Charles Babbage'?",
        ),
        ("Why did Babbage build it?", "Who is related to X?"),
    ],
)
def test_what_is_not_understood_is_said_and_how_it_could_be_asked(
    database: Database, ada: str, question: str, reason: str
) -> None:
    given = asked(database, ada, question)
    assert (given.found, given.answer, given.query) == (False, NOT_FOUND, None)
    assert any(reason in note for note in given.notes)
    assert any("sets a model" in note for note in given.notes)


def test_more_rows_than_are_shown_are_counted(database: Database, graph: str) -> None:
    load_facts(database, graph, [("Hub", "KNOWS", f"Person {number}") for number in range(150)])
    search_indexes.create_fulltext(database)
    given = asked(database, graph, "Who is related to Hub?")
    assert given.answer.endswith("and 130 more")
    assert given.query
    assert (len(given.query.rows), given.query.rows_cut, given.query.is_more) == (100, 50, False)
    assert len(given.answer.splitlines()) == 22


def test_a_name_that_stands_for_another_one_is_said(database: Database, ada: str) -> None:
    given = asked(database, ada, "Who is related to Babbage?")
    assert "'Babbage' was taken to mean Charles Babbage" in given.notes


def test_of_several_bearers_the_best_connected_is_meant_and_the_others_are_told(database: Database, graph: str) -> None:
    facts = [("Wilhelm Humboldt", "KNEW", "Goethe"), ("Humboldt Foundation", "NAMED", "Goethe")]
    load_facts(database, graph, [*facts, *(("Alexander Humboldt", "SAW", f"Land {n}") for n in range(3))])
    search_indexes.create_fulltext(database)
    given = asked(database, graph, "Who is related to Humboldt?")
    assert "Alexander Humboldt -SAW-> Land 0" in given.answer
    assert "KNEW" not in given.answer
    said = next(note for note in given.notes if "taken to mean" in note)
    assert said.startswith("'Humboldt' was taken to mean Alexander Humboldt; it may also be ")
    assert "Wilhelm Humboldt" in said
    exact = asked(database, graph, "Who is related to Wilhelm Humboldt?")
    assert "KNEW" in exact.answer
    assert not any("taken to mean" in note for note in exact.notes)


def test_rows_of_another_graph_are_never_given(database: Database, ada: str, graph: str) -> None:
    load(database, graph, "other", PARAGRAPHS, [[("Ada Lovelace", "HATED", "Lord Byron", "Lord Byron")], [], []])
    search_indexes.create_fulltext(database)
    for question in ("Who is related to Ada Lovelace?", "How are Ada Lovelace and Lord Byron connected?"):
        assert "HATED" in asked(database, graph, question).answer
        assert "HATED" not in asked(database, ada, question).answer
    assert "2 people" in asked(database, graph, "How many people are there?").answer


# ------------------------------------------------------------------------------------------------- written queries


def door(llm: FakeLlm, cache: AnswerCache | None = None) -> Door:
    return door_to(OpenAIChat("fake", Endpoint(llm.url, retries=0), window=8_000), cache)


def written(cypher: str, **parameters: object) -> str:
    return json.dumps({"cypher": cypher, "parameters": parameters})


BABBAGE = "MATCH (a:Entity {id: $entity1})-[r:MET]-(b:PERSON) RETURN b.name AS name, r.start_date AS date"
QUESTION = "Which of the people whom Charles Babbage met wrote programs?"


def test_a_written_query_is_told_by_the_model_with_marks_that_become_citations(database: Database, ada: str) -> None:
    with FakeLlm() as llm:
        llm.say(written(BABBAGE))
        llm.say("He met Lovelace in June 1833 [R1]. She is not alone [R7].")
        given = asked(database, ada, QUESTION, door(llm))
        first, second = llm.requests
    assert given.answer == "He met Lovelace in June 1833 [1]. She is not alone."
    assert given.citations[0].quote.startswith("In June 1833 Lovelace met")
    assert "removed marks of rows that were not given: R7" in given.notes
    assert given.usage.calls == 2
    assert given.query
    assert (given.query.template, given.query.model) == (None, "fake")
    assert given.query.columns == ("name", "date")
    assert given.query.rows == (("Lovelace", "June 1833"),)
    assert given.query.parameters["graph"] == ada
    assert "$entity1: Charles Babbage (:PERSON)" in first.user
    assert "-[:LIVED_IN]->" in first.user
    assert "[R1] name: Lovelace, date: June 1833" in second.user


def test_only_the_schema_of_this_graph_is_shown(database: Database, ada: str, graph: str) -> None:
    load_facts(database, graph, [("A::DRAGON", "GUARDS", "B::HOARD")])
    with FakeLlm() as llm:
        llm.rules = lambda _prompt, _user: written("")
        asked(database, ada, "Why?", door(llm))
        search_indexes.create_fulltext(database)
        asked(database, graph, "Why?", door(llm))
        here, there = (request.user for request in llm.requests)
    assert "DRAGON" not in here
    assert "GUARDS" not in here
    assert "(A:DRAGON)-[:GUARDS]->(B:HOARD)" in there
    assert "PLACE" not in there
    for hidden in ("embedding", "config_hash", "Lease", "Answer"):
        assert hidden not in here


def test_rows_that_the_model_does_not_cite_are_listed_instead(database: Database, ada: str) -> None:
    with FakeLlm() as llm:
        llm.say(written(BABBAGE))
        llm.say("He met somebody.")
        given = asked(database, ada, QUESTION, door(llm))
    assert given.answer == "- name: Lovelace, date: June 1833 [1]"
    assert any("cited no row" in note for note in given.notes)


def test_a_model_that_finds_no_answer_in_the_rows_is_believed(database: Database, ada: str) -> None:
    with FakeLlm() as llm:
        llm.say(written(BABBAGE))
        llm.say("NOT IN THE GRAPH")
        given = asked(database, ada, QUESTION, door(llm))
    assert (given.found, given.answer, given.citations) == (False, NOT_FOUND, ())
    assert given.query


def test_counts_cite_some_of_what_was_counted_and_rows_of_nothing_say_so(database: Database, ada: str) -> None:
    with FakeLlm() as llm:
        llm.say(written("MATCH (a:PERSON)-[:MET]-(:PERSON) RETURN count(DISTINCT a) AS met"))
        llm.say("So many have met somebody: 3 [R1].")
        counted = asked(database, ada, "How many of them have met somebody else?", door(llm))
        llm.say(written("RETURN 1 + 1 AS two"))
        llm.say("It is 2 [R1].")
        bare = asked(database, ada, "How much is one and one?", door(llm))
    assert counted.citations
    assert bare.found
    assert bare.citations == ()
    assert "the rows have no source chunk: nothing is cited" in bare.notes


def test_a_query_that_finds_nothing_is_shown_and_no_answer(database: Database, ada: str) -> None:
    with FakeLlm() as llm:
        llm.say(written("MATCH (a:PERSON {name: $n}) RETURN a.name", n="Nobody"))
        given = asked(database, ada, "Is Nobody there, or somebody like him?", door(llm))
        assert llm.calls == 1
    assert (given.found, given.answer) == (False, NOT_FOUND)
    assert given.query
    assert given.query.rows == ()
    assert "the query ran and found nothing" in given.notes


@pytest.mark.parametrize("said", ["", "I will not.", '{"cypher": ""}', '{"query": "MATCH"}', "x" * 10_000])
def test_a_model_that_writes_no_query_gives_no_answer(database: Database, ada: str, said: str) -> None:
    with FakeLlm() as llm:
        llm.say(said or " ")
        given = asked(database, ada, QUESTION, door(llm))
    assert not given.found
    assert given.query is None


def test_paid_answers_are_kept_only_when_their_query_ran(database: Database, ada: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    cache = AnswerCache(tmp_path / "answers.sqlite3")
    with FakeLlm() as llm:
        how = door(llm, cache)
        llm.say(written("MATCH (n) DETACH DELETE n"))
        llm.say(written(BABBAGE))
        llm.say("He met Lovelace [R1].")
        first = asked(database, ada, QUESTION, how)
        assert llm.calls == 3
        llm.say(written("MATCH (n) DETACH DELETE n"))  # a refused one is asked for again
        again = asked(database, ada, QUESTION, how)
        assert llm.calls == 4
    assert (first.answer, first.citations, first.query) == (again.answer, again.citations, again.query)
    assert first.notes == again.notes


def test_a_canned_question_that_finds_nothing_goes_on_to_the_model(database: Database, ada: str) -> None:
    with FakeLlm() as llm:
        llm.say(written("MATCH (a:PERSON {name: $n})-[r:CHILD_OF]-(b:PERSON) RETURN b.name AS name", n="Lord Byron"))
        llm.say("Ada Lovelace was his child [R1].")
        given = asked(database, ada, "Who met Lord Byron?", door(llm))
        assert llm.calls == given.usage.calls == 2
        assert "[R1] name: Ada Lovelace" in llm.requests[1].user
        llm.say(written("MATCH (a:PERSON {name: $n}) RETURN a.name AS name", n="Nobody"))
        empty = asked(database, ada, "What happened in 1066?", door(llm))
    assert (given.answer, given.found) == ("Ada Lovelace was his child [1].", True)
    assert (empty.answer, empty.found) == ("The graph holds nothing that is dated 1066.", False)
    assert empty.usage.calls == 1


def test_a_canned_question_asks_no_model(database: Database, ada: str) -> None:
    with FakeLlm() as llm:
        given = asked(database, ada, "Who met Charles Babbage?", door(llm))
        assert llm.calls == 0
    assert given.found


# ------------------------------------------------------------------------------------------- library, command line


def test_the_library_asks_and_auto_never_lets_a_model_write(database: Database, online: Settings, llm: FakeLlm) -> None:
    load(database, online.graph)
    search_indexes.create_fulltext(database)
    given = ask("Who met Charles Babbage?", settings=online, mode="cypher")
    assert given.query
    llm.rules = lambda _prompt, _user: written("MATCH (n) RETURN n")
    refused = ask("What would happen without Charles Babbage?", settings=online, mode="auto")
    assert refused.mode != "cypher"
    assert not any("Cypher query" in request.prompt for request in llm.requests)
    with pytest.raises(UsageError):
        ask(" ", settings=online, mode="cypher")


def test_the_command_prints_rows_and_json(database: Database, graph: str, kg: Kg) -> None:
    load(database, graph)
    search_indexes.create_fulltext(database)
    command = ("ask", "Who met Charles Babbage?", "--mode", "cypher")
    code, out, err = kg(*command, "--show")
    assert code == 0
    assert "- Lovelace -MET-> Charles Babbage [1]" in out
    assert "note: answered by the canned query stated" in err
    code, out, _ = kg(*command, "--json")
    assert code == 0
    said = json.loads(out)
    assert said["mode"] == "cypher"
    query = said["query"]
    assert set(query) == {"cypher", "parameters", "template", "model", "columns", "rows", "rows_cut", "is_more"}
    assert query["template"] == "stated"
    assert query["parameters"]["relationships"] == ["MET"]
    assert query["rows"] == [["Lovelace", "MET", "Charles Babbage", "Lovelace", None, 1]]
    assert query["rows_cut"] == 0
    assert said["citations"]
