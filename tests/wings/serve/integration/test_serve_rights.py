"""One server, several tokens: what each may see and do by every door, and that nothing of another graph gets out."""

from __future__ import annotations

import http.client
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from lxml import html

from hostile_pages import faults
from kg_neo4j.graph.database import Database
from kg_neo4j.rooms.rights.tokens import hash_of
from kg_neo4j.settings import Settings
from kg_neo4j_serve.addresses import prefix_of
from kg_neo4j_serve.app import build
from kg_neo4j_serve.guard import LOGIN, Access
from kg_neo4j_serve.service import Service
from rights_matrix import DOORS, door_of, of_no_graph, outcome, requests, tool_calls
from rights_team import MARKS, SEES, TOKENS, WRITES, Team, bearer, called, made, without
from served import PERSON, post


@pytest.fixture(scope="module")
def team(settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with made(settings, database, tmp_path_factory) as found:
        yield found


@pytest.mark.long  # 2,000 requests
@pytest.mark.timeout(900)
def test_no_token_gets_anything_of_a_graph_that_it_may_not_see_by_any_door(
    team: Team, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every route, tool and resource of the application, about both graphs, and about one that there is not."""
    guard: Any = build(Service(team.settings), Access())
    routes = list(guard._app.routes)
    assert {door_of(each) for each in routes} <= set(DOORS)
    table: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    leaks, count = list[str](), 0
    with team.served() as client:
        for key in "AB":
            name = team.names[key]
            absent = re.sub("^.....", "mulda", name)
            pairs = zip(
                [*requests(routes, name, team.ids[key]), *tool_calls(name, team.ids[key])],
                [*requests(routes, absent, team.ids[key]), *tool_calls(absent, team.ids[key])],
                strict=True,
            )
            for asked, nothing in pairs:
                expected = asked.send(client, TOKENS["all"])
                assert outcome(asked, expected) == "answered", (asked, expected.text)
                for who in SEES:
                    token = {"none": None, "wrong": "kg_wrong"}.get(who, TOKENS.get(who))
                    answer = asked.send(client, token)
                    count += 1
                    got = outcome(asked, answer)
                    wanted = "answered" if not asked.writes or key in WRITES.get(who, "") else "403"
                    wanted = wanted if key in SEES[who] else "404" if SEES[who] else "401"
                    if wanted == "404" and asked.writes and who not in WRITES:
                        wanted = "403" if got == "403" else "404"  # which says nothing of the graph
                    assert got == wanted, (who, asked, answer.status_code, answer.text[:500])
                    if got == "answered":
                        assert answer.status_code == expected.status_code, (who, asked)
                    if got == "404" or (got == "403" and key not in SEES[who]):  # as for a graph that there is not
                        other = nothing.send(client, token)
                        assert other.status_code == answer.status_code
                        assert without(other.text, absent) == without(answer.text, name), (who, asked)
                    hidden = [MARKS[each] for each in "AB" if each not in SEES[who]]
                    sent = [(each, value) for each, value in answer.headers.items() if "kg_next=" not in value]
                    if any(each.search(without(f"{answer.text} {sent}", name)) for each in hidden):
                        leaks.append(f"{who}: {asked}: {answer.text[:300]}")
                    table[who, asked.door][f"{'write' if asked.writes else 'read'} {key} {got}"] += 1
        for asked, may in of_no_graph():
            for who in SEES:
                answer = asked.send(client, {"none": None, "wrong": "kg_wrong"}.get(who, TOKENS.get(who)))
                got, count = outcome(asked, answer), count + 1
                assert got == ("answered" if not may or who in may else "403" if SEES[who] else "401"), (who, asked)
                assert not any(each.search(answer.text) for each in MARKS.values())
                table[who, asked.door][f"read - {got}"] += 1
    with capsys.disabled():
        print(f"\n{count} requests, {len(leaks)} leaks\n{drawn(table)}")  # noqa: T201 - people read it; docs/how-to/rights.md has it
    assert leaks == []
    assert count > 900


def drawn(table: dict[tuple[str, str], Counter[str]]) -> str:
    """Return the table of tokens and doors: what each got, as Markdown."""
    doors = [each for each in DOORS if any(door == each for _, door in table)]
    lines = [f"| token | {' | '.join(doors)} |", "|---" * (len(doors) + 1) + "|"]
    for who in SEES:
        cells = []
        for door in doors:
            found = defaultdict(set)
            for each in table[who, door]:
                does, graph, got = each.split()
                found[does, graph].add({"answered": "yes"}.get(got, got))
            cells.append("; ".join(f"{d} {g}: {'/'.join(sorted(found[d, g]))}" for d, g in sorted(found)))
        lines.append(f"| {who} | {' | '.join(cells)} |")
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ doors of their own


def test_lists_menus_and_errors_have_only_graphs_that_a_token_sees(team: Team) -> None:
    first, second = team.names["A"], team.names["B"]
    with team.served() as client:
        assert client.get("/api/graphs", headers=bearer("reader-A")).json() == {"graphs": {first: 1}}
        assert list(client.get("/api/graphs", headers=bearer("reader-AB")).json()["graphs"]) == [first, second]
        everything = client.get("/api/graphs", headers=bearer("all")).json()["graphs"]
        assert next(iter(everything)) == team.settings.graph
        assert {first, second} <= everything.keys()
        # `/` is the first graph that a token sees, since it may not see that of the server
        home = client.get("/", headers=bearer("reader-A") | PERSON)
        assert faults(home.text) == []
        page = html.fromstring(home.text)
        assert page.xpath("string(//header/a/span)") == first
        assert page.xpath("string(//header/a[@href='/login'])") == "reader-A"
        assert page.xpath("//details[@class='graphs']") == []
        both = html.fromstring(client.get("/", headers=bearer("reader-AB") | PERSON).text)
        assert both.xpath("//details[@class='graphs']//a/text()") == [first, second]
        assert "Load" not in both.xpath("//nav/a/text()")
        writers = html.fromstring(client.get("/", headers=bearer("writer-A") | PERSON).text)
        assert "Load" in writers.xpath("//nav/a/text()")
        missing = client.get(f"{prefix_of(second[:-1])}/", headers=bearer("reader-A") | PERSON)
        assert missing.status_code == 404
        assert "zelda" not in without(missing.text, second[:-1]).lower()
        assert first in html.fromstring(missing.text).text_content()
        for address in ("/nothing", "/static/0/x", "/documents?cursor=x", f"{prefix_of(second)}/nothing"):
            for answer in (client.get(address, headers=bearer("reader-A") | PERSON), client.options(address)):
                assert answer.status_code >= 400
                assert not MARKS["B"].search(without(answer.text, second)), address
                assert team.settings.graph not in answer.text, address


def test_agents_see_the_tools_and_graphs_of_their_token(team: Team) -> None:
    first, second = team.names["A"], team.names["B"]
    with team.served() as client:
        begun = called(client, "reader-A", "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=WHO)
        assert set(begun["result"]["capabilities"]) - {"experimental"} == {"tools", "resources"}  # doors of the matrix
        assert not any(each in str(begun) for each in (first, second, team.settings.graph))
        names = {who: {each["name"] for each in called(client, who, "tools/list")["result"]["tools"]} for who in TOKENS}
        assert {"load", "status", "correct", "corrections"} == names["writer-A"] - names["reader-A"]
        assert names["writer-A"] == names["all"]
        assert names["reader-A"] == names["reader-AB"]
        listed = called(client, "reader-A", "resources/list")
        assert "Xylander" not in str(listed)
        assert quote(first, safe="") in str(listed)
        assert quote(second, safe="") not in str(listed)
        assert not MARKS["B"].search(str(listed))
        schema = called(client, "reader-A", "tools/call", name="schema", arguments={})
        assert schema["result"]["structuredContent"]["graph"] == first
        assert "other graphs" not in str(schema)
        notes = called(client, "reader-AB", "tools/call", name="schema", arguments={})["result"]["structuredContent"][
            "notes"
        ]
        assert second in notes[-1]
        for uri in (f"kg://{second}/entity/Zelda Zwick", f"kg://{quote(second, safe='')}/document/%2e%2e"):
            assert not MARKS["B"].search(
                without(str(called(client, "reader-A", "resources/read", uri=uri)), second).replace("Zelda Zwick", "")
            )
        assert (
            called(
                client,
                "reader-A",
                "completion/complete",
                ref={"type": "ref/resource", "uri": "kg://"},
                argument={"name": "graph", "value": "z"},
            )["error"]["code"]
            == -32601
        )


WHO = {"name": "test", "version": "1"}


def test_a_login_shows_who_it_is_and_ends_when_the_token_is_revoked(team: Team) -> None:
    with team.served() as client:
        page = client.get("/login", headers=PERSON)
        assert not any(each in page.text for each in (*team.names.values(), *SEES))
        assert post(client, "/login", token="kg_wrong").status_code == 401
        assert post(client, "/login", token=TOKENS["reader-A"].upper()).status_code == 401
        assert post(client, "/login", token=TOKENS["reader-A"]).status_code == 303
        assert TOKENS["reader-A"] not in str(client.cookies)
        assert client.get("/api/graphs").json() == {"graphs": {team.names["A"]: 1}}
        assert client.get("/api/graphs", headers=bearer("reader-AB")).json()["graphs"].keys() == {*team.names.values()}
        for given in ("Bearer kg_wrong", "Bearer", "Basic eDp4", f"Bearer {TOKENS['reader-A'].upper()}"):
            assert client.get("/api/graphs", headers={"authorization": given}).status_code == 401  # whatever the cookie
        proof = client.cookies[LOGIN]
        for other in (proof.replace("reader-A", "all"), proof.partition(".")[2], "reader-A.", "all", f"{proof}0"):
            client.cookies.set(LOGIN, other, path="/")
            assert client.get("/api/graphs").status_code == 401, other
        client.cookies.set(LOGIN, proof, path="/")
        assert client.get("/api/graphs").status_code == 200
        begun = bearer("reader-A")
        assert client.get("/api/graphs", headers=begun).status_code == 200
        text = team.file.read_text("utf-8")
        try:
            team.file.write_text(text.replace(hash_of(TOKENS["reader-A"]), hash_of("another")), "utf-8")
            assert client.get("/api/graphs").status_code == 401  # of that name, but another token
            assert client.get("/api/graphs", headers=begun).status_code == 401
            assert client.get("/", headers=PERSON).headers["location"] == "/login"
            team.file.write_text("[tokens", "utf-8")
            for headers in ({}, begun, bearer("all")):
                assert client.get("/api/graphs", headers=headers).status_code == 503
            assert post(client, "/login", token=TOKENS["all"]).status_code == 503
            assert client.get("/healthz").status_code == 200
        finally:
            team.rights()
        assert client.get("/api/graphs").status_code == 200


def test_counters_are_for_tokens_that_may_see_them(team: Team) -> None:
    with team.served() as client:
        codes = {who: client.get("/metrics", headers=bearer(who)).status_code for who in TOKENS}
        assert codes == dict.fromkeys(TOKENS, 403) | {"all": 200}
        assert client.get("/metrics").status_code == 401
        text = client.get("/metrics", headers=bearer("all")).text
        assert not any(mark.search(text) for mark in MARKS.values())
        team.rights(all='graphs = []\nmay = ["metrics"]')
        try:
            assert client.get("/metrics", headers=bearer("all")).status_code == 200
            for path in ("/api/graphs", "/", "/api/documents", "/api/openapi.json"):
                assert client.get(path, headers=bearer("all")).status_code in (200, 404)
                assert "graph?" not in client.get(path, headers=bearer("all") | PERSON).text
        finally:
            team.rights()


def raw(client: httpx.Client, method: str, path: str, graph: str) -> tuple[int, str]:
    """Send a path as it is, with cookies that name a graph; return the status, and headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", client.base_url.port or 0, timeout=60)
    cookies = f"graph={quote(graph)}; kg_next={quote(prefix_of(graph), safe='')}"
    connection.request(method, path, headers=bearer("reader-A") | {"cookie": cookies})
    answer = connection.getresponse()
    said = f"{answer.headers} {answer.read().decode('utf-8', 'replace')}"
    connection.close()
    return answer.status, said


def test_tricks_with_addresses_and_arguments_show_nothing_of_another_graph(team: Team) -> None:
    own, hidden = (prefix_of(team.names[each]) for each in "AB")
    name, ids = team.names["B"], team.ids["B"]
    tricks = [
        f"{own}/..{hidden}/api/documents", f"{own}/%2e%2e/{hidden}/documents", f"{own}{hidden}/api/documents",
        f"/{hidden}/documents", f"/graphs/{name.replace(' ', '%20')}/documents", f"{hidden}//api/documents",
        f"{hidden}/%61pi/documents", f"{hidden}/api/%67raphs", f"/%67raphs{hidden[7:]}/api/documents",
        f"/Graphs/{hidden[8:]}/api/documents", f"{hidden.lower()}/api/documents", f"{hidden.upper()}/api/documents",
        f"{hidden}/api/documents/", f"{hidden}%00/api/documents", f"{hidden};/api/documents",
        f"{own}/api/documents?graph={quote(name)}&graph=", f"{own}/api/documents?graph=&graph={quote(name)}",
        f"{hidden}/api/documents?graph={quote(team.names['A'])}", f"{hidden}/metrics", f"{hidden}/login",
        f"{own}/api/source?id={ids['document']}", f"{own}/api/source?id={ids['chunk']}",
        f"{own}/document?id={ids['document']}", f"{own}/entity?name={ids['entity']}", f"{own}/fact?id={ids['fact']}",
        f"{own}/api/ask?question=Whom+did+Z+marry&documents=*", f"{own}/api/report?name=graph&set.graph={quote(name)}",
        f"{own}/graph.json?ids={ids['entity']}", f"{own}/api/verify?text=Whom&since=1",
        f"{own}/api/report?name=database-info",
    ]  # fmt: skip
    with team.served() as client:
        for trick in tricks:
            for method in ("GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE"):
                status, said = raw(client, method, trick, team.names["B"])
                said = (
                    without(said, name).replace(ids["entity"], "").replace(name.lower(), "").replace(name.upper(), "")
                )
                assert status < 500, (method, trick)
                assert not MARKS["B"].search(said), (method, trick, said)
        query = {"cypher": "MATCH (n) WHERE n.graph <> $graph RETURN n", "graph": team.names["A"]}
        assert client.post("/api/query", json=query, headers=bearer("reader-A")).json().get("rows", []) == []
        for body in (
            {"cypher": query["cypher"], "values": {"graph": name}},
            {"cypher": "MATCH (n) RETURN n", "graph": [name]},
        ):
            assert not MARKS["B"].search(
                client.post(f"{own}/api/query", json=body, headers=bearer("reader-A")).text.replace(name, "")
            )
