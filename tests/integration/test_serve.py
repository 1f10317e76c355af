"""The server over real HTTP: what API and pages give is what the library gives."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from kg_neo4j import KnowledgeGraph
from kg_neo4j.settings import Settings
from served import served

TEXT = (
    "Ada Lovelace was born in London on 10 December 1815. She was a mathematician. Ada Lovelace met Charles Babbage in "
    "1833. Charles Babbage designed the Analytical Engine. Ada Lovelace married William King in 1835.\n\n"
    "William King was born in 1805. Mary Somerville was a friend of Ada Lovelace and taught her mathematics in London."
)
QUESTION = "Whom did Ada Lovelace marry?"


@pytest.fixture(scope="module")
def notes(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    source = tmp_path_factory.mktemp("notes") / "ada.txt"
    source.write_text(TEXT, "utf-8")
    with KnowledgeGraph(shared.graph, settings=shared) as found:
        found.load(source)
        yield found


@pytest.fixture(scope="module")
def server(notes: KnowledgeGraph) -> Iterator[httpx.Client]:
    with served(notes.settings) as client:
        yield client


def test_the_api_answers_as_the_library_does(server: httpx.Client, notes: KnowledgeGraph) -> None:
    known = notes.ask(QUESTION)
    asked = server.get("/api/ask", params={"question": QUESTION})
    assert asked.status_code == 200, asked.text
    answer = asked.json()
    assert (answer["answer"], answer["found"], answer["usd"]) == (known.answer, True, 0.0)
    assert [each["source_text"] for each in answer["quotes"]] == [each.quote for each in known.citations]
    assert answer["searched"]["documents"] == 1
    assert server.post("/api/ask", json={"question": QUESTION}).json() | {"seconds": 0} == answer | {"seconds": 0}
    for quote in answer["quotes"]:
        passage = server.get("/api/source", params={"id": quote["chunk_id"]}).json()["passages"][0]
        assert passage["source_text"][quote["start"] : quote["end"]] == quote["source_text"]


def test_the_api_finds_and_shows(server: httpx.Client, notes: KnowledgeGraph) -> None:
    hits = server.get("/api/search", params={"words": "charles babbage"}).json()["hits"]
    assert hits[0]["name"] == "Charles Babbage"
    ada = server.get("/api/entity", params={"name": "Lovelace"}).json()
    assert ada["name"] == "Ada Lovelace"
    assert ada == server.get("/api/entity", params={"name": ada["id"]}).json()
    assert all(each["source_text"] in TEXT for each in ada["facts"])
    listed = server.get("/api/documents").json()
    assert "documents" in listed, listed
    assert [each["title"] for each in listed["documents"]] == ["ada"]
    assert server.get("/api/documents", params={"words": "nothing"}).json()["total"] == 0


def test_pages_of_rows_follow_each_other(server: httpx.Client) -> None:
    whole = server.get("/api/entity", params={"name": "Ada Lovelace"}).json()
    facts, cursor = [], None
    while True:
        page = server.get(
            "/api/entity", params={"name": "Ada Lovelace", "limit": 1} | ({"cursor": cursor} if cursor else {})
        )
        facts += page.json()["facts"]
        cursor = page.json()["cursor"]
        if cursor is None:
            break
    assert facts == whole["facts"]
    assert len(facts) > 1


def test_a_page_has_its_twin_and_its_headers(server: httpx.Client) -> None:
    page = server.get("/")
    assert page.status_code == 200
    assert "<li>ada</li>" in page.text
    assert "'unsafe" not in page.headers["content-security-policy"]
    twin = server.get("/index.json").json()
    assert twin["found"]["documents"][0]["title"] == "ada"
    style = page.text.partition('href="/static/')[2].partition('"')[0]
    file = server.get(f"/static/{style}")
    assert "immutable" in file.headers["cache-control"]
    assert server.get("/static/0000/base.css").status_code == 404
    assert server.get("/nothing").status_code == 404
