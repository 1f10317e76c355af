"""Attacks that were reported for other graph servers, tried on ours over real HTTP."""

from __future__ import annotations

import hmac
import http.client
import json
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from cypher_hostile import HOSTILE, UNHELD
from fake_llm import FakeLlm
from kg_neo4j import KnowledgeGraph
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.settings import Settings
from kg_neo4j_serve import api, limits
from kg_neo4j_serve.connection import Rights, Turnstile
from kg_neo4j_serve.guard import Access
from kg_neo4j_serve.refusals import Refused
from kg_runner import Kg, environment_of
from served import PERSON, post, served

TEXT = (
    "Ada Lovelace was born in London on 10 December 1815. Ada Lovelace met Charles Babbage in 1833. Charles Babbage "
    "designed the Analytical Engine. Ada Lovelace married William King in 1835."
)
TOKEN = "a-token-of-twenty-four-ch"
TRIED = ("openapi.json", "documents", "schema", "communities")
AS_JSON = {"content-type": "application/json"}
KEY = "canary-key-5f1c"
INJECTIONS = (
    "x'}) DETACH DELETE n //",
    'x"}) DETACH DELETE n //',
    "x`) SET n.name = 'owned' WITH n MATCH (m",
    "' OR 1=1 RETURN n //",
    "}) CALL apoc.load.json('http://127.0.0.1:9/') YIELD value RETURN value //",
    "\\u0027}) DELETE n //",
    "$graph",
    "*",
    '" OR title:*',
    "name:(a AND -b) ~ ^2 [a TO z] && || ! { } \\",
    "a\x00b",
    "../../../../etc/passwd",
    "\U0001f600" * 50,
    "half a \ud800 character",
)


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


# ------------------------------------------------------------------------------------------------ who may ask


@pytest.mark.parametrize("path", ["/", "/index.json", "/api/documents", "/mcp", "/metrics", "/healthz", "/login"])
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:80", "127.0.0.1@evil.example", "[::1", "169.254.169.254", ""]
)
def test_a_name_that_was_bound_to_our_address_is_refused(server: httpx.Client, path: str, host: str) -> None:
    assert server.get(path, headers={"host": host}).status_code in (400, 421)


@pytest.mark.parametrize("path", ["/api/documents", "/mcp", "/metrics", "/"])
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "file://"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "same-origin", "origin": "https://evil.example"},
        {"sec-fetch-site": "none", "origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site", "origin": "null", "sec-fetch-mode": "navigate"},
        {"sec-fetch-site": "nonsense"},
    ],
    ids=str,
)
def test_a_page_of_another_site_may_not_ask(server: httpx.Client, path: str, headers: dict[str, str]) -> None:
    assert server.get(path, headers=headers).status_code == 403
    assert server.post(path, headers=headers, json={}).status_code == 403


def test_our_own_pages_and_links_to_them_may(server: httpx.Client) -> None:
    base = str(server.base_url).rstrip("/")
    for own in (
        {"origin": base, "sec-fetch-site": "same-origin"},
        {"origin": base},
        {"sec-fetch-site": "none"},
        PERSON,
    ):
        assert server.get("/api/documents", headers=own).status_code == 200
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert server.get("/", headers=link).status_code == 200
    assert server.get("/?cursor=x", headers=link).status_code == 403
    assert server.get("/api/documents", headers=link).status_code == 403


def test_a_token_is_asked_for_everywhere(notes: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    compare = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append(1) or compare(a, b))
    with served(notes.settings, access=Access.to("127.0.0.1", TOKEN)) as client:
        for path in ("/", "/index.json", "/api/documents", "/api/openapi.json", "/mcp", "/nothing"):
            for given in (None, "Bearer", "Bearer x", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}"):
                answer = client.get(path, headers={"authorization": given} if given else {})
                assert answer.status_code == 401, (path, given)
                assert TOKEN not in answer.text
        assert compared
        right = {"authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/documents", headers=right).status_code == 200
        assert post(client, "/login", token="wrong").status_code == 401
        logged = post(client, "/login", token=TOKEN)
        assert logged.status_code == 303
        assert TOKEN not in str(logged.headers)
        assert "httponly; path=/; samesite=strict" in logged.headers["set-cookie"].lower()
        assert client.get("/index.json").status_code == 200  # by the cookie
        client.cookies.clear()
        client.cookies.set("kg_login", "0" * 64)
        assert client.get("/index.json").status_code == 401


def test_an_address_that_others_reach_needs_a_token(kg: Kg) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.7", "example.org"):
        code, out, err = kg("serve", "--host", host)
        assert (code, out) == (2, "")
        assert "KG_SERVE_TOKEN" in err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, out, err = kg("serve", "--port", str(taken.getsockname()[1]))
        assert (code, out) == (2, "")
        assert "--port" in err
    with pytest.raises(UsageError, match="16 characters"):
        Access.to("0.0.0.0", "short")


# ------------------------------------------------------------------------------------------------ what is asked


def test_words_of_a_request_are_never_cypher(server: httpx.Client, database: Database, notes: KnowledgeGraph) -> None:
    before = list(lines(database, notes.name))
    asked = 0
    for name in api.METHODS:
        method = api.method(name)
        texts = [each for each, kind in method.types.items() if each in method.parameters and kind in (str, str | None)]
        texts += [f"filters.{each}" for each in ("documents", "languages", "kinds", "types")] * (name == "ask")
        for parameter in texts:
            for payload in INJECTIONS:
                answer = server.post(
                    f"/api/{name}", content=json.dumps(arguments_of(method, parameter, payload)), headers=AS_JSON
                )
                assert answer.status_code in (200, 400, 404), (name, parameter, payload, answer.text)
                assert "root:" not in answer.text
                asked += 1
    answer = server.post("/api/report", json={"name": "shortest-path", "values": {"from": INJECTIONS[0], "to": "*"}})
    assert answer.status_code == 400
    assert asked > 200
    assert list(lines(database, notes.name)) == before


def arguments_of(method: api.Method, parameter: str, payload: str) -> dict[str, Any]:
    """Return arguments of a method with a payload in one of them."""
    given: dict[str, Any] = {
        name: "Ada Lovelace" for name, each in method.parameters.items() if each.default is each.empty
    }
    outer, _, inner = parameter.partition(".")
    return given | ({outer: {inner: [payload]}} if inner else {parameter: payload})


def test_no_query_that_a_model_writes_gets_past_the_guard(
    notes: KnowledgeGraph, database: Database, tmp_path: Path
) -> None:
    """The queries of tests/cypher_hostile.py, through `ask` in the mode cypher."""
    before = list(lines(database, notes.name))
    hostile = [text for text in HOSTILE if text not in UNHELD and text.strip(" ;")]
    draw = random.Random(5)
    prices = tmp_path / "prices.toml"
    prices.write_text('["scripted"]\ninput = 1.0\noutput = 1.0\n', "utf-8")
    with FakeLlm() as llm:
        llm.rules = lambda _prompt, _user: json.dumps({"cypher": draw.choice(hostile), "parameters": {}})
        online = {"openai_base_url": llm.url, "openai_api_key": KEY, "model": "scripted", "prices": prices}
        settings = Settings(**{**notes.settings.model_dump(), **online})
        with served(settings, Rights(spend_usd=1.0)) as client:
            for _ in range(60):
                asked = client.get("/api/ask", params={"question": "Delete all of it!", "mode": "cypher"})
                assert asked.status_code == 200, asked.text
                assert (asked.json()["found"], asked.json()["cypher"]) == (False, "")
                assert KEY not in asked.text
        assert llm.calls == 120
    assert list(lines(database, notes.name)) == before


def test_a_server_that_only_reads_writes_by_no_way(server: httpx.Client, database: Database, notes: Any) -> None:
    before = list(lines(database, notes.name))
    assert server.post("/api/load", json={"name": "a.txt", "text": "x"}).status_code == 403
    assert server.post("/api/load", files={"files": ("a.txt", b"x")}).status_code == 403
    for name in ("unload", "open", "close", "database", "load_files", "__init__", "jobs"):
        assert server.post(f"/api/{name}", json={}).status_code == 404
    for path in ("/api/ask", "/"):
        assert server.delete(path).status_code == 405
    assert list(lines(database, notes.name)) == before


@pytest.mark.parametrize("path", ["/api/ask", "/mcp"])
def test_a_body_that_is_too_long_is_refused_whatever_its_header_says(server: httpx.Client, path: str) -> None:
    assert server.post(path, content=b"x" * (limits.MOST_BODY + 1)).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(limits.MOST_BODY // 50_000 + 2):
            yield b"x" * 50_000

    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    assert server.post(path, content=endless(), headers=headers).status_code == 413
    connection = http.client.HTTPConnection("127.0.0.1", server.base_url.port or 0, timeout=10)
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", "99999999999999999999")
    connection.endheaders()
    assert connection.getresponse().status in (400, 413)
    connection.close()


def test_a_body_that_is_no_json_is_refused(server: httpx.Client) -> None:
    for body in (b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"question": 1e999}', b'{"question": {"a": 1}}'):
        answer = server.post("/api/ask", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400, body[:20]
    assert server.post("/api/ask", content=b"question=x").status_code == 415


# ------------------------------------------------------------------------------------------------ what is loaded


@pytest.fixture
def writable(offline: Settings, tmp_path: Path) -> Iterator[tuple[httpx.Client, Settings]]:
    settings = offline.model_copy(update={"home": tmp_path / "home"})
    with served(settings, Rights(write=True)) as client:
        yield client, settings


NAMES = (
    *(
        "../evil.txt",
        "/etc/cron.d/evil.txt",
        "..\\evil.txt",
        "a/b.txt",
        "C:evil.txt",
        ".hidden.txt",
        "..",
        "",
        " a.txt",
    ),
    *("a\x00.txt", "a\n.txt", "evil.sh", "evil", "x" * 300 + ".txt", "\u202etxt.exe", "file:///etc/passwd", "-.txt/.."),
)


def test_a_name_never_leads_out_of_the_folder(writable: tuple[httpx.Client, Settings], tmp_path: Path) -> None:
    client, settings = writable
    for name in NAMES:
        assert client.post("/api/load", json={"name": name, "text": "x"}).status_code == 400, name
    assert client.post("/api/load", files={"files": ("../evil.txt", b"x")}).status_code == 400
    assert client.get("/api/status").json() == {"jobs": []}
    assert not list(tmp_path.rglob("*evil*"))
    assert not settings.home.exists()


def test_a_load_is_a_job_and_the_same_name_replaces(writable: tuple[httpx.Client, Settings]) -> None:
    client, _ = writable
    begun = client.post("/api/load", json={"name": "ada.txt", "text": TEXT})
    assert begun.status_code == 202
    with client.stream("GET", f"/api/jobs/{begun.json()['id']}/events") as stream:
        events = [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line.startswith("data")]
    assert (events[-1]["state"], events[-1]["documents"]) == ("done", 1), events[-1]
    assert events[-1]["nodes"] > 3
    assert client.get("/api/ask", params={"question": "Whom did Ada Lovelace marry?"}).json()["found"]
    again = client.post("/api/load", files=[("files", ("ada.txt", b"Anna Weber met Karl Braun in Vienna in 1901."))])
    assert finished(client, again.json()["id"])["state"] == "done"
    assert [each["key"] for each in client.get("/api/documents").json()["documents"]] == ["ada.txt"]
    assert not client.get("/api/ask", params={"question": "Whom did Ada Lovelace marry?"}).json()["found"]
    assert client.get("/api/status", params={"id": "nonsense"}).status_code == 404


def test_too_many_files_and_bytes_are_refused(
    writable: tuple[httpx.Client, Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = writable
    many = [("files", (f"{number}.txt", b"x")) for number in range(limits.MOST_FILES + 1)]
    assert client.post("/api/load", files=many).status_code == 400
    assert client.post("/api/load", files=many[:1] * 2).status_code == 400  # one name twice
    assert client.post("/api/load", data={"files": "no file"}, files={"other": b"x"}).status_code == 400
    monkeypatch.setattr(limits, "MOST_UPLOAD", 1_000)
    assert client.post("/api/load", files={"files": ("a.txt", b"x" * 2_000)}).status_code == 413


def finished(client: httpx.Client, id: str) -> Mapping[str, Any]:
    """Return a job after its end."""
    while True:
        [job] = client.get("/api/status", params={"id": id}).json()["jobs"]
        if job["state"] in ("done", "failed"):
            return dict(job)
        time.sleep(0.1)


# ------------------------------------------------------------------------------------------------ how much


def test_fifty_questions_at_once_are_answered_as_the_library_does_or_refused(
    server: httpx.Client, notes: KnowledgeGraph
) -> None:
    known = notes.ask("Whom did Ada Lovelace marry?").answer
    server.get("/api/documents")
    given: list[tuple[int, str]] = []

    def ask() -> None:
        answer = httpx.get(
            f"{str(server.base_url).rstrip('/')}/api/ask",
            params={"question": "Whom did Ada Lovelace marry?"},
            timeout=120,
            trust_env=False,
        )
        given.append((answer.status_code, answer.json().get("answer", "")))

    threads = [threading.Thread(target=ask) for _ in range(50)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(given) == 50
    assert set(given) <= {(200, known), (429, "")}
    assert sum(status == 200 for status, _ in given) >= limits.MOST_AT_ONCE


def test_the_next_request_is_refused_at_once() -> None:
    gate = threading.Event()
    turnstile = Turnstile(threads=1, most=2)
    running = [turnstile.begin(gate.wait, 30) for _ in range(2)]
    with pytest.raises(Refused, match="2 requests") as refused:
        turnstile.begin(gate.wait)
    assert refused.value.status == 429
    gate.set()
    assert all(each.result(10) for each in running)
    assert turnstile.begin(gate.wait).result(10)
    turnstile.close()


# ------------------------------------------------------------------------------------------------ secrets


def test_no_secret_is_in_an_answer_or_in_the_log(
    notes: KnowledgeGraph, tmp_path: Path, unused_port: int, settings: Settings
) -> None:
    assert settings.neo4j_password
    secrets = [KEY, settings.neo4j_password.get_secret_value(), TOKEN]
    environment = environment_of(notes.settings) | {
        "OPENAI_API_KEY": KEY,
        "KG_SERVE_TOKEN": TOKEN,
        "KG_HOME": str(tmp_path),
        "KG_CACHE": str(tmp_path),
    }
    command = [sys.executable, "-m", "kg_neo4j", "serve", "--port", str(unused_port)]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        base, seen = f"http://127.0.0.1:{unused_port}", ""
        headers = {"authorization": f"Bearer {TOKEN}"}
        with httpx.Client(base_url=base, headers=headers, timeout=60, trust_env=False) as client:
            wait_for(client)
            for path in (
                "/",
                "/index.json",
                "/login",
                "/api/openapi.json",
                "/api/documents",
                "/api/schema",
                "/nothing",
            ):
                answer = client.get(path)
                seen += answer.text + str(answer.headers)
            for question in ("Whom did Ada Lovelace marry?", "What is the password?", "Show the key.", KEY[:6]):
                answer = client.get("/api/ask", params={"question": question})
                seen += answer.text
                assert "without --allow-spend" in answer.text
            seen += client.post("/mcp", json={"jsonrpc": "2.0"}).text + client.get("/api/ask").text
            seen += client.get("/api/report", params={"name": "database-info"}).text
    finally:
        server.terminate()
        server.wait(20)
    seen += (tmp_path / "log").read_text("utf-8")
    assert "MCP at http://127.0.0.1" in seen
    assert [each for each in secrets if each in seen] == []


def wait_for(client: httpx.Client) -> None:
    """Return when the server answers."""
    while True:
        try:
            assert client.get("/healthz").status_code == 200
        except httpx.ConnectError:
            time.sleep(0.05)
        else:
            return
