"""Several people at one server: what their requests cost, and the line that each request leaves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import httpx
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from fake_llm import FakeLlm
from kg_neo4j.graph.database import Database
from kg_neo4j.rooms.rights.tokens import Tokens
from kg_neo4j.settings import Settings
from kg_neo4j_serve.addresses import prefix_of
from kg_runner import Kg
from rights_team import TOKENS, Team, bearer, called, made
from served import PERSON, post

LIMIT = 0.15  # USD a day
QUESTIONS = [f"Whom did Xenia Xylander marry in {year}?" for year in range(1835, 1875)]


@pytest.fixture(scope="module")
def team(settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with made(settings, database, tmp_path_factory) as found:
        yield found


@pytest.fixture
def online(team: Team, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Settings of a model whose calls are dear, and that model."""
    prices = tmp_path / "prices.toml"
    prices.write_text('["scripted"]\ninput = 100.0\noutput = 100.0\n', "utf-8")
    with FakeLlm() as llm:
        own = {"openai_base_url": llm.url, "openai_api_key": "key", "model": "scripted", "prices": prices}
        yield {"llm": llm, "settings": {**own, "home": tmp_path}}
    team.rights()


def asked(client: httpx.Client, who: str, question: str) -> httpx.Response:
    return client.get("/api/ask", params={"question": question, "mode": "naive"}, headers=bearer(who))


def test_a_token_spends_no_more_than_its_limit_a_day_whatever_server_runs(team: Team, online: dict[str, Any]) -> None:
    first, llm = json.dumps(team.names["A"]), online["llm"]
    team.rights(**{"reader-A": f"graphs = [{first}]\nusd = {LIMIT}", "writer-A": f"graphs = [{first}]\nusd = 50"})
    before = len(team.audit) if team.file.with_name("audit.jsonl").exists() else 0
    with team.served(**online["settings"]) as client:
        free = asked(client, "reader-AB", QUESTIONS[0])
        assert free.status_code == 200, free.text
        assert "this token may spend nothing" in free.text
        assert llm.calls == 0
        given = [asked(client, "reader-A", QUESTIONS[0])]
        while given[-1].status_code == 200:
            assert len(given) < len(QUESTIONS)
            given.append(asked(client, "reader-A", QUESTIONS[len(given)]))
        assert [each.status_code for each in (given[0], given[-1])] == [200, 402]
        error = given[-1].json()["error"]
        assert re.fullmatch(
            "the token 'reader-A' has spent 0.[0-9]{4} of 0.15 USD today, and the next call is expected to cost .* USD",
            error["message"],
        )
        assert re.fullmatch("it may spend again from 20..-..-.. 00:00 UTC", error["hint"])
        made_calls = llm.calls
        tool = called(client, "reader-A", "tools/call", name="ask", arguments={"question": QUESTIONS[-1]})["result"]
        assert tool["isError"]
        assert "has spent" in tool["content"][0]["text"]
        page = client.get("/ask", params={"question": QUESTIONS[-1]}, headers=bearer("reader-A") | PERSON)
        assert page.status_code == 402
        with client.stream("GET", "/api/ask/events", params={"question": "x"}, headers=bearer("reader-A")) as stream:
            assert "has spent" in "".join(stream.iter_text())
        assert llm.calls == made_calls
        assert asked(client, "writer-A", QUESTIONS[0]).status_code == 200  # money of its own
        shown = client.get("/runs.json", headers=bearer("reader-A")).json()["spending"]
        assert (shown["limit_usd"], shown["spent_usd"] <= LIMIT) == (LIMIT, True)
    lines = [each for each in team.audit[before:] if each["token"] == "reader-A"]
    cost = sum(each["usd"] for each in lines if not each.get("after"))
    assert 0 < cost <= LIMIT
    assert cost == pytest.approx(shown["spent_usd"], abs=1e-5)
    calls = llm.calls
    with team.served(**online["settings"]) as client:  # another server, the same day
        assert asked(client, "reader-A", QUESTIONS[0]).status_code == 402
        assert llm.calls == calls
        team.rights(**{"reader-A": f"graphs = [{first}]\nusd = 10.0"})  # more, without a restart
        assert asked(client, "reader-A", QUESTIONS[0]).status_code == 200
        team.rights(**{"reader-A": f"graphs = [{first}]"})  # and nothing
        calls = llm.calls
        assert asked(client, "reader-A", QUESTIONS[0]).status_code == 200
        assert llm.calls == calls


def test_what_a_load_costs_is_of_the_token_that_began_it_and_its_job_of_its_graph(
    team: Team, online: dict[str, Any]
) -> None:
    first, second = json.dumps(team.names["A"]), team.names["B"]
    team.rights(**{"writer-A": f'graphs = [{first}]\nmay = ["read", "write"]\nusd = 50'})
    with team.served(**online["settings"]) as client:
        begun = client.post("/api/load", json={"name": "more.txt", "text": "Waldo Wexford knew Xenia Xylander."},
                            headers=bearer("writer-A"))  # fmt: skip
        assert begun.status_code == 202, begun.text
        id = begun.json()["id"]
        with client.stream("GET", f"/api/jobs/{id}/events", headers=bearer("reader-A")) as stream:
            assert '"state": "done"' in "".join(stream.iter_text())
        for who, prefix in (("reader-B", ""), ("all", prefix_of(second)), ("reader-AB", prefix_of(second))):
            for path in (f"/api/jobs/{id}/events", f"/api/status?id={id}", f"/run?id={id}", f"/run.json?id={id}"):
                assert client.get(prefix + path, headers=bearer(who)).status_code == 404, (who, path)
        hidden = client.get(f"{prefix_of(team.names['A'])}/api/jobs/{id}/events", headers=bearer("reader-B"))
        assert (hidden.status_code, "no graph is called" in hidden.text) == (404, True)
        for who, code in (("reader-A", 403), ("reader-B", 404), ("reader-AB", 403), ("writer-A", 200)):
            body = {"id": id, "graph": team.names["A"]}
            assert client.post("/api/cancel", json=body, headers=bearer(who)).status_code == code, who
        assert post(client, "/login", token=TOKENS["all"]).status_code == 303
        assert post(client, "/run/cancel", prefix=prefix_of(second), id=id).status_code == 404
    lines = [each for each in team.audit if each["action"] == "load" and each["token"] == "writer-A"]
    assert [(each["status"], each.get("after", False)) for each in lines[-2:]] == [(202, False), ("done", True)]
    assert lines[-2]["id"] == lines[-1]["id"]
    assert lines[-1]["usd"] > 0


def test_each_request_leaves_a_line_before_its_answer_and_never_a_token(team: Team) -> None:
    name = team.names["A"]
    team.file.with_name("audit.jsonl").unlink(missing_ok=True)
    secret = {"question": "Whom did Xenia marry?"}
    with team.served() as client:
        sent = [
            client.get("/api/ask", params=secret, headers=bearer("reader-A")),
            client.get("/ask", params=secret, headers=bearer("reader-A") | PERSON),
            client.get(f"{prefix_of(name)}/documents.json", headers=bearer("reader-AB")),
            client.get(f"{prefix_of(team.names['B'])}/documents", headers=bearer("reader-A")),
            client.post("/api/correct", json={"action": "undo", "what": ["0"]}, headers=bearer("reader-A")),
        ]
        called(client, "reader-A", "tools/call", name="search", arguments={"words": "Xenia"})
        called(client, "reader-A", "tools/call", name="search", arguments={"words": "x", "graph": team.names["B"]})
        called(client, "reader-A", "resources/read", uri="kg://entity/Xenia Xylander")
        for path in ("/healthz", "/login", "/static/0/x", "/metrics"):  # no text of a graph
            client.get(path, headers=bearer("all"))
        client.get("/api/graphs", headers={"authorization": "Bearer kg_wrong"})
        seen = [(each["token"], each["door"], each["action"], each["graph"], each["status"]) for each in team.audit]
        assert seen == [
            ("reader-A", "api", "ask", name, 200),
            ("reader-A", "page", "/ask", name, 200),
            ("reader-AB", "page", "/documents.json", name, 200),
            ("reader-A", "page", "/documents", "", 404),
            ("reader-A", "api", "correct", name, 403),
            ("reader-A", "mcp", "tools/call search", name, 200),
            ("reader-A", "mcp", "tools/call search", "", 404),
            ("reader-A", "mcp", "resources/read", name, 200),
        ]
        assert [each.status_code for each in sent] == [200, 200, 200, 404, 403]
        text = team.file.with_name("audit.jsonl").read_text("utf-8")
        assert "Xenia" not in text
        team.rights('audit = "audit.jsonl"\naudit_text = true')
        client.get("/api/ask", params=secret, headers=bearer("reader-A"))
        client.post("/api/load", json={"name": "a.exe", "text": "Xenia"}, headers=bearer("writer-A"))
        called(client, "reader-A", "tools/call", name="ask", arguments=secret)
        post(client, "/login", token=TOKENS["writer-A"])
        post(client, "/questions/add", question="Whom?", wrong="x", right="y")
        texts = [each.get("text") for each in team.audit[len(seen) :]]
        assert texts[0] == texts[2] == secret
        assert texts[1] == {"name": "a.exe"}  # a text to load is no question
        assert texts[3]["question"] == "Whom?"
        text = team.file.with_name("audit.jsonl").read_text("utf-8")
        assert not any(each in text for each in (*TOKENS.values(), "csrf", "sha256"))
    team.rights()


def test_without_a_line_there_is_no_answer(team: Team, tmp_path: Path) -> None:
    full = Path("/dev/full")
    places = [tmp_path, *([full] if full.exists() else [])]  # a folder; a file on a disk that is full
    try:
        for place in places:
            team.rights(f"audit = {json.dumps(str(place))}")
            with team.served() as client:
                for path in ("/api/documents", "/documents", "/documents.json", "/api/ask/events?question=Whom"):
                    for headers in ({}, PERSON):
                        answer = client.get(path, headers=bearer("reader-A") | headers)
                        assert answer.status_code == 503, (place, path)
                        assert "audit" in answer.text
                        assert "xenia" not in answer.text
                        assert answer.headers["content-security-policy"]
                tool = client.post("/mcp", headers=bearer("reader-A"), json={"jsonrpc": "2.0"})
                assert tool.status_code == 503
                assert client.get("/healthz").status_code == 200
    finally:
        team.rights()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_each_version_of_the_protocol_knows_who_asks(team: Team, mode: str) -> None:
    """The SDK's own client: it speaks the newest version, or that of 2025, which reach the tools by other ways."""
    second = team.names["B"]

    async def use(address: str, who: str) -> tuple[list[str], str, list[str]]:
        async with (
            httpx2.AsyncClient(headers=bearer(who), trust_env=False) as http,
            Client(streamable_http_client(address, http_client=http), mode=mode) as client,
        ):
            tools = [each.name for each in (await client.list_tools()).tools]
            schema = await client.call_tool("schema", {})
            refused = await client.call_tool("entity", {"name": "Zelda Zwick", "graph": second})
            assert refused.is_error == (who == "reader-A")
            resources = [str(each.uri) for each in (await client.list_resources()).resources]
            for each in (client.instructions or "", str(client.server_info)):
                assert second not in each
            return tools, schema.structured_content["graph"], resources

    with team.served() as client:
        address = f"{str(client.base_url).rstrip('/')}/mcp"
        tools, graph, resources = anyio.run(use, address, "reader-A")
        assert (graph, "load" in tools) == (team.names["A"], False)
        assert not any(quote(second, safe="") in each for each in resources)
        assert any(quote(graph, safe="") in each for each in resources)
        assert "load" in anyio.run(use, address, "all")[0]


def test_the_command_makes_tokens_and_refuses_two_sources_of_rights(kg: Kg, tmp_path: Path) -> None:
    code, lines, said = kg("serve", "--new-token", "anna", "--graph", 'my "notes"')
    assert code == 0
    token = said.rpartition(" ")[2].strip()
    file = tmp_path / "serve.toml"
    file.write_text(lines, "utf-8")
    anna = Tokens(file, tmp_path).by_token(token)
    assert anna
    assert (anna.graphs, token in lines) == (('my "notes"',), False)
    for more in (("--token", "a-token-of-twenty-four-ch"), ("--allow-write",), ("--allow-spend", "1")):
        code, _, said = kg("serve", "--rights", str(file), *more)
        assert (code, "says who may ask" in said) == (2, True), more
    for arguments, why in (
        (("--audit", str(tmp_path / "a")), "--rights FILE"),
        (("--rights", str(tmp_path / "none.toml")), "cannot read the rights"),
        (("--new-token", "a b"), "not the name of a token"),
        (("--new-token", "anna", "--rights", str(file), "--host"), "--host"),
    ):
        code, _, said = kg("serve", *arguments)
        assert (code, why in said) == (2, True), said
