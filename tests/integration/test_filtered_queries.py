"""The mode `cypher` under filters: canned rows and written queries read, tell and cite nothing but what these leave."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

import filter_graph
from fake_llm import FakeLlm
from film_graph import answer
from filter_graph import Left, left
from kg_neo4j import Settings
from kg_neo4j._models import tokens
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import UsageError
from kg_neo4j.factory import door_to
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise import search_indexes
from kg_neo4j.pipeline.commands.ask import ask
from kg_neo4j.records import Filters
from kg_neo4j.retrieve.cypher.guard import guard
from kg_neo4j.retrieve.cypher.questions import CannedRows, ask_canned
from kg_neo4j.retrieve.cypher.run import QueryLimits, QueryRows, run
from kg_neo4j.retrieve.cypher.schema import read_schema
from kg_neo4j.retrieve.cypher.tokens import CypherRefused
from kg_neo4j.retrieve.filtered import all_left
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j.retrieve.interface import Scope
from kg_neo4j.retrieve.question import read
from small_graph import OTHER_PARAGRAPHS
from small_graph import load as load_small

TOKENISER = tokens.load("approximate-1")
DOCUMENTS = 12
SEEDS = 1  # of random filters that `make test` tries; `make test-all` tries one more
CANNED = (
    "Who is related to Ada?",
    "How are Ada and Oslo connected?",
    "What do Ben and Clara have in common?",
    "What happened between 1780 and 1810?",
    "What did Ada do between 1790 and 1860?",
    "When was Ada born?",
    "Whom did Ben meet?",
    "How many people are there?",
    "How many things is Ada connected with?",
    "Who is the most connected person?",
    "Which documents mention Ada?",
    "List all people",
)
WRITTEN = (
    "MATCH (a)-[r]-(b) RETURN a.id, b.id, type(r)",
    "MATCH (a:PERSON)-[:MET]->(b) RETURN a, b",
    "MATCH (a:Entity)-->(b:Entity) WHERE a.name < b.name RETURN a.name, b.name",
    "MATCH (a:Entity)-[*1..3]-(b:Entity) RETURN a.id, b.id",
    "MATCH p = shortestPath((a:PERSON)-[*1..4]-(b:PLACE)) RETURN p",
    "MATCH (e:Entity)-[m:MENTIONED_IN]->(c:Chunk)-[:IN_DOCUMENT]->(d:Document) RETURN e.name, c.text, d.title",
    "MATCH (f:Fact)-[s:STATED_IN]->(c:Chunk) RETURN f.id, c.id",
    "MATCH (a:PERSON) WHERE (a)-[:SAW]->(:PLACE) RETURN a.id",
    "MATCH (a:Entity) RETURN a.id, COUNT { (a)-[:MET]-() } AS met ORDER BY met DESC",
    "MATCH (a:Entity) WHERE EXISTS { MATCH (a)--(x) WHERE x.name = 'Oslo' } RETURN a.id",
    "MATCH (n) RETURN n.id",
    "MATCH (c:Chunk)-[:NEXT_CHUNK]->(d:Chunk) RETURN c.id, d.id",
    "OPTIONAL MATCH (a:PLACE)<-[r:LEFT]-(b WHERE b.name STARTS WITH 'B') RETURN a.id, b.id",
)


@pytest.fixture(scope="module")
def pages(database: Database) -> Iterator[str]:
    """Twelve documents, three chunks each."""
    name = f"test-filtered-{uuid.uuid4().hex[:12]}"
    filter_graph.load(database, name, DOCUMENTS, seed=11)
    search_indexes.create_fulltext(database)
    yield name
    delete_graph(database, name)


def some_filters(database: Database, graph: str, seed: int, count: int) -> Iterator[tuple[Filters, Scope, Left]]:
    """Yield random filters that the graph can obey, what they mean and what they must leave."""
    chance = random.Random(seed)
    found = 0
    while found < count:
        filters = filter_graph.random_filters(chance, DOCUMENTS)
        try:
            scope = resolve(database, graph, filters)
        except UsageError:
            continue
        if scope is not None:
            found += 1
            yield filters, scope, left(database, graph, filters)


def statements(database: Database, graph: str) -> list[Any]:
    """Return every row of evidence of a fact."""
    text = (
        "MATCH (f:Fact)-[s:STATED_IN]->(c:Chunk) WHERE f.graph = $graph MATCH (a:Entity {id: f.source_key}) "
        "MATCH (b:Entity {id: f.target_key}) "
        "RETURN f.id AS fact, a.name AS source, f.type AS type, b.name AS target, s.start_date AS date, c.id AS chunk"
    )
    return list(database.read(Query("test", "", "", "read", (), (), "", "", text), graph=graph))


# ------------------------------------------------------------------------------------------------- canned questions


@pytest.mark.parametrize(
    "seed",
    [
        *range(SEEDS),
        pytest.param(SEEDS, marks=pytest.mark.slow),
        *(pytest.param(seed, marks=pytest.mark.long) for seed in range(SEEDS + 1, 40)),
    ],
)
def test_canned_rows_rest_on_what_random_filters_leave(database: Database, pages: str, seed: int) -> None:
    known = statements(database, pages)
    for filters, scope, kept in some_filters(database, pages, seed, 3):
        dates = {row["date"] for row in known if row["chunk"] in kept.chunks and row["date"]}
        for question in CANNED:
            found = ask_canned(database, pages, read(question), scope)
            if not isinstance(found, CannedRows):
                continue
            rests_on = {each for ids in found.ids for each in ids}
            assert rests_on <= kept.facts | kept.entities | kept.chunks, question
            told = {row[found.columns.index("Date")] for row in found.rows} if "Date" in found.columns else set()
            years = {str(year) for life in filter_graph.LIVES.values() for year in life}
            assert told <= dates | years | {"1802", None}, question
            given = answer(database, pages, question, "cypher", filters)
            assert {citation.chunk_id for citation in given.citations} <= kept.chunks
            assert {each.chunk_id for each in given.evidence} <= kept.chunks
            assert given.notes[0].startswith("filtered by ")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_canned_rows_are_all_that_the_filters_leave(database: Database, pages: str, seed: int) -> None:
    known = statements(database, pages)
    for _, scope, kept in some_filters(database, pages, 100 + seed, 4):
        rows = [row for row in known if row["chunk"] in kept.chunks and row["fact"] in kept.facts]
        ada = ask_canned(database, pages, read("Who is related to Ada?"), scope)
        if isinstance(ada, CannedRows):
            types = ada.parameters["types"]  # "who" means persons, or anything where no person is related
            assert isinstance(types, list)
            expected = {
                (row["source"], row["type"], row["target"])
                for row in rows
                if "Ada" in (row["source"], row["target"])
                and (not types or filter_graph.TYPES[({row["source"], row["target"]} - {"Ada"}).pop()] in types)
            }
            assert {_direction(row) for row in ada.rows} == expected
        people = ask_canned(database, pages, read("How many people are there?"), scope)
        if isinstance(people, CannedRows):
            count = sum(row[people.columns.index("Count")] for row in people.rows)  # type: ignore[misc]
            names = dict(_names(database, pages))
            assert count == sum(filter_graph.TYPES[names[each]] == "PERSON" for each in kept.entities)


def _direction(row: Any) -> tuple[str, str, str]:
    node, arrow, neighbour = row[0], row[1], row[2]
    kind = arrow.strip("<->")
    return (node, kind, neighbour) if arrow.endswith(">") else (neighbour, kind, node)


def _names(database: Database, graph: str) -> list[tuple[str, str]]:
    text = "MATCH (e:Entity) WHERE e.graph = $graph RETURN e.id AS id, e.name AS name"
    return [
        (row["id"], row["name"])
        for row in database.read(Query("test", "", "", "read", (), (), "", "", text), graph=graph)
    ]


def test_a_year_of_birth_that_another_document_says_is_not_told(database: Database, graph: str) -> None:
    load_small(database, graph, "one", ["Ada Lind met Ben Moe."], [[("Ada Lind", "MET", "Ben Moe", "Ada Lind met")]])
    load_small(database, graph, "two", ["Ada Lind saw Oslo."], [[("Ada Lind", "SAW", "Oslo", "Ada Lind saw")]])
    born = (
        "MATCH (e:Entity {graph: $graph, name: 'Ada Lind'})-[m:MENTIONED_IN]->(c:Chunk)-[:IN_DOCUMENT]->(d:Document) "
        "WHERE d.title = 'one' SET m.birth_year = 1790, e.birth_year = 1790"
    )
    database.write(Query("test", "", "", "write", (), (), "", "", born), graph=graph)
    search_indexes.create_fulltext(database)
    for question in ("When was Ada Lind born?", "What happened in 1790?"):
        assert answer(database, graph, question, "cypher", Filters(("one",))).found
        assert not answer(database, graph, question, "cypher", Filters(("two",))).found


def test_a_date_that_another_document_gives_is_not_told(database: Database, graph: str) -> None:
    met = [[("Ada Lind", "MET", "Ben Moe", "Ada Lind met")]]
    load_small(database, graph, "one", ["Ada Lind met Ben Moe in 1804."], met)
    load_small(database, graph, "two", ["Ada Lind met Ben Moe again."], met)
    dated = (
        "MATCH (f:Fact {graph: $graph})-[s:STATED_IN]->(:Chunk)-[:IN_DOCUMENT]->(d:Document) WHERE d.title = 'one' "
        "MATCH (:Entity {graph: $graph})-[r:MET]->() "
        "SET s.start_date = '1804', f.start_date = '1804', r.start_date = '1804'"
    )
    database.write(Query("test", "", "", "write", (), (), "", "", dated), graph=graph)
    search_indexes.create_fulltext(database)
    for question in ("Who is related to Ada Lind?", "Who met Ben Moe?"):
        told = [answer(database, graph, question, "cypher", Filters((each,))).answer for each in ("one", "two")]
        assert ["(1804)" in said for said in told] == [True, False]
    assert not answer(database, graph, "What happened in 1804?", "cypher", Filters(("two",))).found


# -------------------------------------------------------------------------------------------------- written queries


def held(database: Database, graph: str, text: str, scope: Scope) -> QueryRows:
    query = guard(text, {}, read_schema(database, graph), graph, all_left(database, graph, scope))
    return run(database, query, QueryLimits(rows=1_000))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 30))])
def test_written_queries_read_only_what_random_filters_leave(database: Database, pages: str, seed: int) -> None:
    documents = dict(_titles(database, pages))
    for _, scope, kept in some_filters(database, pages, 200 + seed, 2):
        chosen = set(all_left(database, pages, scope).documents)
        known = kept.chunks | kept.entities | kept.facts | chosen
        for text in WRITTEN:
            found = held(database, pages, text, scope)
            assert {each for ids in found.ids for each in ids} <= known, text
            said = json.dumps(found.rows, default=str)
            others = {title for key, title in documents.items() if key not in chosen}
            assert not any(f'"{title}"' in said or f"{title}, part" in said for title in others), text


def _titles(database: Database, graph: str) -> list[tuple[str, str]]:
    text = "MATCH (d:Document) WHERE d.graph = $graph RETURN d.id AS id, d.title AS title"
    return [
        (row["id"], row["title"])
        for row in database.read(Query("test", "", "", "read", (), (), "", "", text), graph=graph)
    ]


def test_written_queries_count_all_that_the_filters_leave(database: Database, pages: str) -> None:
    known = statements(database, pages)
    for _, scope, kept in some_filters(database, pages, 300, 6):
        for label, ids in (("Entity", kept.entities), ("Chunk", kept.chunks), ("Fact", kept.facts)):
            assert held(database, pages, f"MATCH (n:{label}) RETURN count(n) AS n", scope).rows == ((len(ids),),)
        names = dict(_names(database, pages))
        ends = {names[each] for each in kept.entities}
        facts = {row["fact"] for row in known if row["fact"] in kept.facts and {row["source"], row["target"]} <= ends}
        drawn = held(database, pages, "MATCH (a:Entity)-[r]->(b:Entity) RETURN count(r) AS n", scope)
        assert drawn.rows == ((len(facts),),)


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n:Entity) RETURN n.description",
        "MATCH (n:Entity) WHERE n.birth_year > 1800 RETURN n.name",
        "MATCH (n:Entity {role: 'poet'}) RETURN n.name",
        "MATCH ()-[r]->() RETURN r.start_date",
        "MATCH (n:Entity) RETURN n {.description}",
        "MATCH (n:Entity) RETURN n.evidence_count",
    ],
)
def test_what_is_put_together_from_all_texts_cannot_be_read_under_filters(
    database: Database, pages: str, text: str
) -> None:
    scope = resolve(database, pages, Filters(("Page 1",)))
    assert scope is not None
    with pytest.raises(CypherRefused, match="there is no property"):
        held(database, pages, text, scope)
    whole = held(database, pages, "MATCH (n:Entity)-[r]->(m:Entity) RETURN n, r", scope).rows
    assert whole
    assert not any({"description", "start_date"} & set(cell) for row in whole for cell in row if isinstance(cell, dict))


def test_a_model_writes_for_what_is_left_and_is_told_only_that(database: Database, graph: str) -> None:
    load_small(database, graph)
    chopin = [[("Ada Lovelace", "HEARD", "Chopin", "Fryderyk Chopin")]]
    load_small(database, graph, "Chopin", OTHER_PARAGRAPHS, chopin)
    search_indexes.create_fulltext(database)
    text = "MATCH (a:Entity)-[r]->(b:Entity) RETURN a.name AS who, type(r) AS what, b.name AS whom"
    with FakeLlm() as llm:
        llm.say(json.dumps({"cypher": text, "parameters": {}}))
        llm.say("She heard Chopin [R1].")
        door = door_to(OpenAIChat("fake", Endpoint(llm.url, retries=0), window=8_000))
        question = "Was there anybody whom the people here may have heard?"
        given = answer(database, graph, question, "cypher", Filters(("Chopin",)), door=door)
        first, second = llm.requests
    assert given.query
    assert given.query.rows == (("Ada Lovelace", "HEARD", "Chopin"),)
    assert {citation.document for citation in given.citations} == {"Chopin"}
    assert "Babbage" not in second.user
    assert "start_date" not in first.user


def test_the_library_takes_filters_in_this_mode_and_auto_uses_them(
    database: Database, offline: Settings, graph: str
) -> None:
    hashed = offline.model_copy(update={"embedding_model": "hashed-ngram-256-1"})
    load_small(database, graph)
    load_small(database, graph, "Chopin", OTHER_PARAGRAPHS, [[("Ada Lovelace", "HEARD", "Chopin", "Fryderyk Chopin")]])
    search_indexes.create_fulltext(database)
    for mode in ("cypher", "auto"):
        given = ask("Who is related to Ada Lovelace?", settings=hashed, mode=mode, filters=Filters(("Chopin",)))
        assert given.mode == "cypher"
        assert given.answer.count("\n- ") == 1
        assert "HEARD" in given.answer
        assert {citation.document for citation in given.citations} == {"Chopin"}
    elsewhere = "How are Charles Babbage and Marylebone connected?"
    assert ask(elsewhere, settings=hashed).mode == "cypher"
    assert ask(elsewhere, settings=hashed, filters=Filters(("Chopin",))).mode == "local"
