"""The counters at /metrics: what was asked of the server, and what models said in its process."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from fake_llm import FakeLlm
from kg_neo4j import KnowledgeGraph, LoadOptions, Settings, load, tracing
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j_serve.connection import Rights, Turnstile
from kg_neo4j_serve.guard import Access
from served import served
from traced import traced, trees

TEXT = "Ada Lovelace was born in London. Ada Lovelace married William King in 1835."
QUESTION = "Whom did Ada Lovelace marry?"
TOKEN = "a-token-of-this-test-alone"
SAMPLE = re.compile(r'kg_neo4j_(?P<name>[a-z_]+)(?P<labels>\{(?:[a-z]+="[a-z0-9]*",?)+\})? (?P<value>[0-9.e+-]+)')


@pytest.fixture
def priced(online: Settings, tmp_path: Path) -> Settings:
    (tmp_path / "prices.toml").write_text('["scripted"]\ninput = 1.0\noutput = 4.0\n', "utf-8")
    changes = {"prices": tmp_path / "prices.toml", "cache": tmp_path / "cache", "answer_cache": True}
    return Settings(**{**online.model_dump(), **changes, "summary_tokens": 0, "judge": False})


@pytest.fixture
def server(priced: Settings, llm: FakeLlm, tmp_path: Path) -> Iterator[httpx.Client]:
    (tmp_path / "ada.txt").write_text(TEXT, "utf-8")
    with KnowledgeGraph(settings=priced.model_copy(update={"openai_base_url": None, "openai_api_key": None})) as graph:
        graph.load(tmp_path / "ada.txt", options=LoadOptions(analytics=False))
    llm.rules = lambda _prompt, _user: "Ada Lovelace married William King. [1]"
    with served(priced, Rights(spend_usd=1.0), Access.to("127.0.0.1", TOKEN)) as client:
        client.headers["authorization"] = f"Bearer {TOKEN}"
        yield client


def counters(client: httpx.Client) -> dict[str, float]:
    """Return the samples; each name has one line of its type before them."""
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found: dict[str, float] = {}
    named: list[str] = []
    for line in answer.text.splitlines():
        if line.startswith("# TYPE "):
            named.append(line.removeprefix("# TYPE kg_neo4j_").removesuffix(" counter"))
        elif line:
            sample = SAMPLE.fullmatch(line)
            assert sample, line
            assert sample["name"] == named[-1]
            found[sample["name"] + (sample["labels"] or "")] = float(sample["value"])
    assert len(named) == len(set(named))
    return found


def test_the_counters_are_behind_the_token(server: httpx.Client) -> None:
    del server.headers["authorization"]
    assert server.get("/metrics").status_code == 401
    assert server.get("/metrics", headers={"authorization": "Bearer wrong"}).status_code == 401
    server.headers["authorization"] = f"Bearer {TOKEN}"
    refused = {name: value for name, value in counters(server).items() if name.startswith("requests_total")}
    assert refused == {'requests_total{route="metrics",status="401"}': 2}


def test_requests_are_counted_by_route_and_status(server: httpx.Client) -> None:
    paths = ["/api/documents"] * 3 + ["/api/entity?nonsense=1", "/", "/no/such/page", "/healthz", "/login"]
    asked = [(path, server.get(path).status_code) for path in paths]
    found = counters(server)
    assert {name: value for name, value in found.items() if name.startswith("requests_total")} == {
        'requests_total{route="api",status="200"}': 3,
        'requests_total{route="api",status="400"}': 1,
        'requests_total{route="pages",status="200"}': 2,
        'requests_total{route="pages",status="404"}': 1,
        'requests_total{route="healthz",status="200"}': 1,
    }, asked
    seconds = {name: value for name, value in found.items() if name.startswith("request_seconds_total")}
    assert len(seconds) == 5
    assert min(seconds.values()) > 0


def test_questions_and_what_models_took_are_counted(server: httpx.Client, llm: FakeLlm) -> None:
    asked = [server.get("/api/ask", params={"question": f"{QUESTION} {number}"}).json() for number in range(3)]
    llm.rules = lambda _prompt, _user: "NOT IN THE GRAPH"
    asked.append(server.get("/api/ask", params={"question": "Who built the lighthouse?", "mode": "naive"}).json())
    found = counters(server)
    assert [each["found"] for each in asked] == [True, True, True, False]
    assert found['questions_total{found="true"}'] == 3
    assert found['questions_total{found="false"}'] == 1
    assert found["model_calls_total"] == llm.calls > 2
    assert (found["input_tokens_total"], found["output_tokens_total"]) == (100 * llm.calls, 20 * llm.calls)
    assert found["usd_total"] == pytest.approx(sum(each["usd"] for each in asked)) == pytest.approx(180e-6 * llm.calls)
    assert found["cached_answers_total"] == 0


def test_answers_of_the_cache_are_counted_in_whatever_work_of_the_process(
    server: httpx.Client, database: Database, priced: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    llm.rules = None
    assert server.get("/api/search", params={"words": "Ada"}).status_code == 200  # which opens what answers
    for graph in ("first", "second"):
        settings = priced.model_copy(update={"graph": f"{priced.graph}-{graph}"})
        load([str(tmp_path / "ada.txt")], settings=settings, options=LoadOptions(analytics=False, gleanings=0))
        delete_graph(database, settings.graph)
    found = counters(server)
    assert (found["model_calls_total"], found["cached_answers_total"]) == (llm.calls, 1) == (1, 1)


def test_spans_of_a_request_belong_to_the_span_that_is_open_around_it() -> None:
    turnstile = Turnstile()

    def work() -> str:
        with tracing.span("work"):
            return threading.current_thread().name

    async def asked() -> str:
        with tracing.span("request"):
            return await turnstile.do(work)

    with traced() as spans:
        assert asyncio.run(asked()).startswith("kg-serve")
    turnstile.close()
    assert trees(spans) == (("request", (("work", ()),)),)
