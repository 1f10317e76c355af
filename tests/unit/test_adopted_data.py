"""The graphs that are adopted, and what was written about them, fit together."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

import adopted
from cypher_hostile import SCHEMA
from kg_neo4j._models import tokens
from kg_neo4j.acquire import chunking, files
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.extract.engine import extract_all
from kg_neo4j.pipeline.options import LoadOptions, extraction_config
from kg_neo4j.records import Document
from kg_neo4j.retrieve.cypher.guard import guard
from kg_neo4j.retrieve.cypher.model import read_answer
from kg_neo4j.settings import Settings
from report_runs import door_to

GRAPHS = {"movies": adopted.movies(), "firms": adopted.firms()}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_keys_are_unique_and_relationships_have_both_ends(graph: adopted.Adopted) -> None:
    keys = {label: [row[graph.keys[label]] for row in rows] for label, rows in graph.nodes.items()}
    assert all(len({*each}) == len(each) and all(each) for each in keys.values())
    known = {(label, key) for label, each in keys.items() for key in each}
    assert {end for link in graph.links for end in (link.start, link.end)} <= known


def test_movies_are_as_many_as_in_the_example() -> None:
    graph = GRAPHS["movies"]
    assert {label: len(rows) for label, rows in graph.nodes.items()} == {"Movie": 38, "Person": 155}
    kinds = Counter(link.type for link in graph.links)
    assert {*kinds} == {"ACTED_IN", "DIRECTED", "PRODUCED", "WROTE", "REVIEWED", "FOLLOWS"}
    assert all(len(link.properties["roles"]) >= 1 for link in graph.links if link.type == "ACTED_IN")
    named = {key for link in graph.links for label, key in (link.start, link.end) if label == "Person"}
    assert named == {row["name"] for row in graph.nodes["Person"]}


def test_firms_are_the_same_at_each_call_and_have_what_they_are_for() -> None:
    graph = GRAPHS["firms"]
    assert graph == adopted.firms()
    assert {label: len(rows) for label, rows in graph.nodes.items()} == adopted.COUNTS
    assert {link.type for link in graph.links} == {"OWNS", "SUPPLIES", "MANAGES", "MAKES", "BASED_IN"}
    usual = {"Firm": 5, "Person": 3, "Product": 2, "City": 2}
    assert sum(len(row) > usual[label] for label, rows in graph.nodes.items() for row in rows) == 500
    firms = [row["name"] for row in graph.nodes["Firm"]]
    persons = [row["full_name"] for row in graph.nodes["Person"]]
    products = {row["name"] for row in graph.nodes["Product"]}
    assert sum("Holding" in name and name.replace(" Holding", "") in firms for name in firms) >= 80
    assert sum(count == 2 for count in Counter(firms).values()) >= adopted.TRAPS["equal firms"]
    assert sum(count == 2 for count in Counter(persons).values()) >= adopted.TRAPS["equal persons"]
    assert sum(any(name.startswith(f"{person} ") for name in firms) for person in {*persons}) > 20
    assert len(products & {name.split(" ")[0] for name in firms}) >= adopted.TRAPS["product as firm"]
    assert {row["name"] for row in graph.nodes["City"]} & {name.split()[-1] for name in persons} == {"Halden"}


def test_links_name_nodes_that_there_are_by_names_that_stand_in_their_documents() -> None:
    texts, links = adopted.documents(), adopted.links()
    assert Counter(adopted.graph_of(name) for name in texts) == {"firms": 12, "movies": 8}
    assert all(150 <= len(text.split()) <= 400 for text in texts.values())
    assert [row for row in links if row["name"] not in texts[row["document"]]] == []
    assert len({(row["document"], row["name"]) for row in links}) == len(links)
    keys = {
        name: {(label, row[graph.keys[label]]) for label, rows in graph.nodes.items() for row in rows}
        for name, graph in GRAPHS.items()
    }
    there = [row for row in links if row["label"]]
    wrong = [row for row in there if (row["label"], row["key"]) not in keys[adopted.graph_of(row["document"])]]
    assert wrong == []
    assert all(bool(row["label"]) == bool(row["key"]) for row in links)
    assert (len(there), len(links) - len(there)) == (314, 53)
    assert {row["document"] for row in links if not row["label"]} == {*texts}


def test_questions_need_documents_rows_and_relationships_that_there_are() -> None:
    seen, unseen = adopted.questions(), adopted.questions("questions_unseen.toml")
    fresh = adopted.questions("questions_fresh.toml")
    both = [each for each in seen if each["documents"] and each["rows"]]
    assert (len(seen), len(both), len(unseen), len(fresh)) == (10, 5, 5, 10)
    texts = adopted.documents()
    for each in [*seen, *unseen, *fresh]:
        graph = GRAPHS[each["graph"]]
        known = {f"{label} {row[graph.keys[label]]}" for label, rows in graph.nodes.items() for row in rows}
        links = {f"{link.start[1]} {link.type} {link.end[1]}" for link in graph.links}
        assert {*each["rows"]} <= known, each["question"]
        assert {*each["links"]} <= links, each["question"]
        assert {*each["documents"]} <= {*texts}, each["question"]
    assert all(each["documents"] and each["rows"] and each["links"] for each in [*unseen, *fresh])
    rows = (adopted.FOLDER.parent / "recorded/adopt.answers.jsonl").read_text(encoding="utf-8").splitlines()
    answered = {row["question"] for row in map(json.loads, rows) if row["task"] == "answer"}
    assert answered == {each["question"] for each in [*seen, *unseen, *fresh]}


def test_the_first_question_has_one_answer() -> None:
    graph = GRAPHS["firms"]
    suppliers = {link.start[1] for link in graph.links if link.type == "SUPPLIES" and link.end[1] == "F00017"}
    assert suppliers == {"F00321", "F02101", "F02102", "F02103"}
    assert {key for key in suppliers if graph.node("Firm", key)["city"] == "Bergen"} == suppliers - {"F02103"}


def test_recorded_answers_read_each_document_and_no_row_is_refused() -> None:
    found = [*files.read([str(adopted.FOLDER / "texts")], graph="adopt")]
    documents = [each for each in found if isinstance(each, Document)]
    chunks = {each.key: chunking.chunk(each, tokens.load(tokens.APPROXIMATION)) for each in documents}
    assert {*chunks} == {*adopted.documents()}
    jobs = [DocumentJob(each, chunks[each.key], chunks[each.key]) for each in documents]
    config = extraction_config(Settings(), LoadOptions(), door_to(adopted.reader()))
    read = [extraction for _, extraction in extract_all(jobs, config)]
    assert [rejected for each in read for rejected in each.rejections] == []
    assert (sum(len(each.nodes) for each in read), sum(len(each.relationships) for each in read)) == (481, 633)


def test_recorded_queries_on_rows_pass_the_guard() -> None:
    rows = map(json.loads, (adopted.FOLDER.parent / "recorded/adopt.cypher.jsonl").read_text("utf-8").splitlines())
    written = [read_answer(row["answer"]) for row in rows if row["task"] == "cypher"]
    properties = ("birth_year", "name", "person_id", "staff", "start_date")
    types = {"ORGANIZATION": 1, "PERSON": 1, "PRODUCT": 1, "Entity": 1}
    schema = replace(
        SCHEMA,
        labels=types,
        relationships={"BASED_IN": 1, "MAKES": 1, "MANAGES": 1, "OWNS": 1},
        node_properties={"Entity": ("id", *properties)},
        relationship_properties=("share",),
        adopted={label: [f"{label}: "] for label in GRAPHS["firms"].keys},
    )
    queries = [guard(text, {**given, "entity1": "an id"}, schema, "main").text for text, given in written]
    assert len(queries) == 8
    assert sum("table_key" in each for each in queries) == 2
