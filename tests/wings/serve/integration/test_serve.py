"""The server over real HTTP: what API and pages give is what the library gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import jsonschema
import pytest

from fake_llm import FakeLlm
from kg_neo4j import KnowledgeGraph
from kg_neo4j.errors import PriceUnknown, UsageError
from kg_neo4j.settings import Settings
from kg_neo4j_serve import api
from kg_neo4j_serve.connection import Rights
from kg_neo4j_serve.service import Service
from served import served
from tcp_proxy import TcpProxy

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
    assert "ada</a></li>" in page.text
    assert "'unsafe" not in page.headers["content-security-policy"]
    twin = server.get("/index.json").json()
    assert twin["documents"]["documents"][0]["title"] == "ada"
    style = page.text.partition('href="/static/')[2].partition('"')[0]
    file = server.get(f"/static/{style}")
    assert "immutable" in file.headers["cache-control"]
    assert server.get("/static/0000/base.css").status_code == 404
    assert server.get("/nothing").status_code == 404


def test_the_openapi_document_describes_what_comes(server: httpx.Client) -> None:
    document = server.get("/api/openapi.json").json()
    assert {f"/api/{name}" for name in (*api.METHODS, "load")} <= set(document["paths"])
    questions = {
        "ask": {"question": QUESTION},
        "search": {"words": "lovelace"},
        "entity": {"name": "Ada Lovelace"},
        "connect": {"source": "Mary Somerville", "target": "Charles Babbage"},
        "schema": {},
        "report": {"name": "most-connected"},
        "documents": {},
        "communities": {},
        "status": {},
        "graphs": {},
        "corrections": {},
        "query": {"cypher": "MATCH (a:PERSON) RETURN a.name AS name, a AS whole"},
        "verify": {"text": "Ada Lovelace married William King in 1835. Ada Lovelace was born in Paris."},
    }
    questions["source"] = {"id": server.get("/api/documents").json()["documents"][0]["id"]}
    assert set(questions) == set(api.METHODS)
    for name, given in questions.items():
        answer = server.get(f"/api/{name}", params=given)
        operation = document["paths"][f"/api/{name}"]["get"]
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        jsonschema.validate(answer.json(), {**schema, "components": document["components"]})
        assert {each["name"] for each in operation["parameters"] if each["required"]} <= set(given)
    jsonschema.validate(server.get("/api/ask").json(), {**document["components"]["schemas"]["Error"]})


def test_the_claims_of_a_text_have_verdicts_and_quotes(server: httpx.Client, notes: KnowledgeGraph) -> None:
    text = "Ada Lovelace married William King in 1835. Ada Lovelace married William King in 1855."
    known = notes.verify(text)
    found = server.post("/api/verify", json={"text": text}).json()
    assert [each["verdict"] for each in found["claims"]] == [each.verdict for each in known.claims]
    assert [each["verdict"] for each in found["claims"]] == ["stated", "contradicted"]
    cited = [found["quotes"][number - 1]["source_text"] for each in found["claims"] for number in each["quotes"]]
    assert cited == [one.quote for each in known.claims for one in each.citations]
    assert server.post("/api/verify", json={"text": "x" * 20_000}).status_code == 400


def test_filters_and_parameters_of_reports_are_given_in_the_query(server: httpx.Client) -> None:
    asked = server.get("/api/ask", params={"question": QUESTION, "documents": "ada", "since": "1800"}).json()
    assert asked["searched"]["filters"] == "document ada; dated 1800 or later"
    unknown = server.get("/api/ask", params={"question": QUESTION, "documents": "nothing"})
    assert unknown.status_code == 400
    table = server.get("/api/report", params={"name": "most-connected", "set.limit": "2"}).json()
    assert len(table["rows"]) == 2
    listed = server.get("/api/report", params={"limit": 100}).json()
    assert "most-connected" in [row[0] for row in listed["rows"]]


def test_without_a_way_and_without_a_name_the_answer_says_so(server: httpx.Client) -> None:
    assert server.get("/api/entity", params={"name": "Ada Lovelice"}).status_code == 400
    assert server.get("/api/source", params={"id": "0" * 32}).status_code == 404
    unknown = server.get("/api/ask", params={"question": "Who was the king of Sweden in 1700?"}).json()
    assert (unknown["found"], unknown["quotes"], unknown["passages"]) == (False, [], [])


def test_without_a_short_answer_the_api_gives_the_passages(server: httpx.Client, notes: KnowledgeGraph) -> None:
    question = "Why did Ada Lovelace meet Charles Babbage?"
    known, given = notes.ask(question), server.get("/api/ask", params={"question": question}).json()
    assert (given["found"], given["claims"], given["answer"]) == (False, [], known.answer)
    told = [(each["before"], each["source_text"], each["after"], each["section"]) for each in given["passages"]]
    assert told == [(each.before, each.citation.quote, each.after, each.section) for each in known.passages]
    assert told[0][:2] == (
        "Ada Lovelace was born in London on 10 December 1815. She was a mathematician.",
        "Ada Lovelace met Charles Babbage in 1833.",
    )
    assert given["quotes"][0]["source_text"] == told[0][1]


def events_of(client: httpx.Client, question: str) -> list[tuple[str, object]]:
    """Return the events of a question: name and data."""
    with client.stream("GET", "/api/ask/events", params={"question": question}) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        text = "".join(stream.iter_text())
    blocks = [block.split("\n", 1) for block in text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


def test_a_question_streams_its_draft_and_then_the_checked_answer(
    server: httpx.Client, notes: KnowledgeGraph, tmp_path: Path
) -> None:
    [(name, answer)] = events_of(server, QUESTION)
    assert (name, answer["found"]) == ("answer", True)  # type: ignore[index]
    with FakeLlm() as llm:
        llm.rules = lambda _prompt, _user: "Ada Lovelace married William King. [1]"
        with served(priced(notes.settings, llm, tmp_path, 1.0), Rights(spend_usd=1.0)) as client:
            events = events_of(client, QUESTION)
    drafts = [str(data) for name, data in events if name == "draft"]
    assert "".join(drafts) == "Ada Lovelace married William King. [1]"
    name, given = events[-1]
    assert name == "answer"
    assert given["model"] == "scripted"  # type: ignore[index]
    assert given["usd"] > 0  # type: ignore[index]


def test_all_callers_share_what_the_server_may_spend(notes: KnowledgeGraph, tmp_path: Path) -> None:
    with FakeLlm() as llm:
        llm.rules = lambda _prompt, _user: "Ada Lovelace married William King. [1]"
        settings = priced(notes.settings, llm, tmp_path, 100.0)  # 100 + 20 tokens an answer: 0.012 USD
        with served(settings, Rights(spend_usd=0.2)) as client:
            asked = [client.get("/api/ask", params={"question": f"{QUESTION} {number}"}) for number in range(40)]
        spent = sum(each.json()["usd"] for each in asked if each.status_code == 200)
        statuses = [each.status_code for each in asked]
        assert 0 < spent <= 0.2
        assert set(statuses) == {200, 402}
        assert statuses == sorted(statuses)
        assert llm.calls == statuses.count(200)
    with pytest.raises(UsageError, match="price"):
        Service(settings.model_copy(update={"prices": None, "model": "unknown"}), Rights(spend_usd=1.0))
    with pytest.raises(PriceUnknown, match="'unheard-of'"):
        Service(settings.model_copy(update={"embedding_model": "unheard-of"}), Rights(spend_usd=1.0))


def test_without_a_right_to_spend_no_model_is_called(notes: KnowledgeGraph, tmp_path: Path) -> None:
    with FakeLlm() as llm, served(priced(notes.settings, llm, tmp_path, 1.0)) as client:
        answer = client.get("/api/ask", params={"question": QUESTION}).json()
        assert llm.calls == 0
    assert answer["found"]
    assert "without --allow-spend" in answer["notes"][0]


def test_without_a_right_to_spend_no_server_of_vectors_is_called(notes: KnowledgeGraph) -> None:
    with FakeLlm() as vectors:
        own = {"embedding_base_url": vectors.url, "embedding_model": "e"}
        with served(Settings(**{**notes.settings.model_dump(), **own})) as client:
            answer = client.get("/api/ask", params={"question": QUESTION}).json()
        assert vectors.calls == 0
    assert answer["found"]
    assert "without --allow-spend" in answer["notes"][0]


def priced(settings: Settings, llm: FakeLlm, folder: Path, usd: float) -> Settings:
    """Return settings of the scripted model, at this price for a million tokens."""
    prices = folder / "prices.toml"
    prices.write_text(f'["scripted"]\ninput = {usd}\noutput = {usd}\n', "utf-8")
    online = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "prices": prices}
    return Settings(**{**settings.model_dump(), **online})


def test_a_database_that_is_away_is_said_and_found_again(notes: KnowledgeGraph, unused_port: int) -> None:
    away = notes.settings.model_copy(update={"neo4j_uri": f"bolt://127.0.0.1:{unused_port}"})
    with served(away) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/api/documents").status_code == 503
        page = client.get("/")
        assert page.status_code == 503
        assert "This did not work" in page.text
        there = urlsplit(str(notes.settings.neo4j_uri))
        with TcpProxy((str(there.hostname), there.port or 0), unused_port):
            assert client.get("/api/documents").status_code == 200
