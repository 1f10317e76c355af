"""One server for all graphs of the database, or for one of them: then nothing of another one is shown by any way."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import anyio
import httpx
import pytest
from lxml import html
from mcp.client import Client

from hostile_pages import faults
from kg_neo4j import KnowledgeGraph
from kg_neo4j.errors import UnfinishedImport
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import GRAPH_FORMAT
from kg_neo4j.settings import Settings
from kg_neo4j_serve import api, rendering
from kg_neo4j_serve.addresses import prefix_of, without_graph
from kg_neo4j_serve.connection import Rights
from kg_neo4j_serve.guard import Access
from kg_neo4j_serve.service import Service
from served import PERSON, post, served

ADA = "Ada Lovelace was born in London. Ada Lovelace married William King in 1835."
ZELDA = "Zelda Zwick was born in Oslo. Zelda Zwick married Yann Zimmer in 1901."
SECRET = re.compile("zelda|zwick|zimmer|oslo", re.IGNORECASE)  # words of the other graph, in its name, too
ANYTHING = "MATCH (n) WHERE n.id = $x OR n.name = $x OR n.title = $x OR n.graph = $x RETURN n, n.graph AS graph"
TOKEN = "a-token-of-twenty-four-ch"


@pytest.fixture(scope="module")
def both(
    settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[KnowledgeGraph, KnowledgeGraph]]:
    """Two graphs; the name of the second one has letters that an address must escape."""
    made = []
    home, end = tmp_path_factory.mktemp("home"), uuid.uuid4().hex[:12]
    none = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None, "neo4j_uri": database.address.uri}
    login = {"neo4j_username": database.address.username, "neo4j_password": database.address.password}
    for name, text in ((f"first-{end}", ADA), (f"zelda's / graph? #1 {end}", ZELDA)):
        source = tmp_path_factory.mktemp("notes") / f"{text.split()[0].lower()}.txt"
        source.write_text(text, "utf-8")
        own = Settings(**{**settings.model_dump(), **none, **login, "graph": name, "home": home})
        found = KnowledgeGraph(name, settings=own)
        found.load(source)
        found.tree()
        made.append(found)
    yield made[0], made[1]
    for each in made:
        each.close()
        delete_graph(database, each.name)


@pytest.fixture(scope="module")
def server(both: tuple[KnowledgeGraph, KnowledgeGraph]) -> Iterator[httpx.Client]:
    with served(both[0].settings, Rights(write=True), has_all=True) as client:
        yield client


def opened(server: httpx.Client, address: str) -> html.HtmlElement:
    answer = server.get(address, headers=PERSON)
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    return html.fromstring(answer.text)


def test_addresses_name_the_graph_and_links_stay_in_it(
    server: httpx.Client, both: tuple[KnowledgeGraph, KnowledgeGraph]
) -> None:
    first, second = both
    prefix = f"/graphs/{quote(second.name, safe='')}"
    todo, seen = [f"{prefix}/", f"{prefix}/ask?question=Whom+did+Zelda+Zwick+marry%3F"], set[str]()
    while todo:
        address = todo.pop()
        if "/entity?name=" in address and not re.search("[0-9a-f]{32}$", address):
            continue  # a name in the path of an answer: there may be no entity of that name
        page = opened(server, address)
        assert page.xpath("string(//header/a/span)") == second.name
        assert "Ada Lovelace" not in page.text_content()
        ways = page.xpath("//a/@href | //form/@action | //*/@data-events | //*/@data-stream")
        outside = [each for each in ways if not each.startswith((f"{prefix}/", "#"))]
        assert all(each.startswith("/graphs/") for each in outside), outside  # the list of graphs
        links = {each.partition("#")[0] for each in page.xpath("//a/@href") if each.startswith(prefix)}
        links = {each for each in links if ".json" not in each and each.count("cursor") == 0}
        todo += sorted(links - seen)
        seen |= links
    assert len(seen) > 30
    assert any("/tree?" in each for each in seen)
    assert opened(server, "/").xpath("string(//header/a/span)") == first.name


def test_a_person_goes_from_graph_to_graph(server: httpx.Client, both: tuple[KnowledgeGraph, KnowledgeGraph]) -> None:
    first, second = both
    page = opened(server, "/documents")
    links = {each.text: each.get("href") for each in page.xpath("//details[@class='graphs']//a")}
    assert {first.name, second.name} <= links.keys()
    there = opened(server, links[second.name])
    assert there.xpath("string(//td/a)") == "zelda"
    assert there.xpath("string(//details[@class='graphs']//a[@aria-current])") == second.name
    with served(first.settings) as alone:
        assert opened(alone, "/documents").xpath("//details[@class='graphs']") == []


def test_the_api_takes_the_graph_in_the_same_way(
    server: httpx.Client, both: tuple[KnowledgeGraph, KnowledgeGraph]
) -> None:
    first, second = both
    for graph, person in ((first, "Ada Lovelace"), (second, "Zelda Zwick")):
        prefix = prefix_of(graph.name)
        card = server.get(f"{prefix}/api/entity", params={"name": person}).json()
        assert card["id"] == graph.entity(person).id
        question = f"Whom did {person} marry?"
        known = graph.ask(question).answer
        asked = server.post(f"{prefix}/api/ask", json={"question": question}).json()
        assert (asked["answer"], asked["searched"]["graph"]) == (known, graph.name)
        with server.stream("GET", f"{prefix}/api/ask/events", params={"question": question}) as stream:
            assert json.dumps(known) in "".join(stream.iter_text())
        document = server.get(f"{prefix}/api/documents").json()["documents"][0]["id"]
        other = first if graph is second else second
        assert server.get(f"{prefix_of(other.name)}/api/source", params={"id": document}).status_code == 404
    assert server.get("/api/entity", params={"name": "Ada Lovelace"}).status_code == 200
    listed = server.get("/api/graphs").json()["graphs"]
    assert next(iter(listed)) == first.name
    assert (listed[first.name], listed[second.name]) == (1, 1)


def test_an_unknown_graph_is_not_found_and_never_made(
    server: httpx.Client, both: tuple[KnowledgeGraph, KnowledgeGraph]
) -> None:
    near = both[1].name[:-1]
    for address in (f"{prefix_of(near)}/", f"{prefix_of(near)}/index.json", f"{prefix_of(near)}/api/documents"):
        answer = server.get(address, headers=PERSON)
        assert answer.status_code == 404
        assert both[1].name in (html.fromstring(answer.text).text_content() if address.endswith("/") else answer.text)
    for address in ("/load", "/api/load", "/load/begin", "/questions/add"):
        assert server.post(f"{prefix_of(near)}{address}", json={"name": "a.txt", "text": "x"}).status_code == 404
    for address in ("/mcp", "/metrics", "/healthz", "/login", "/static/0/style.css", "/graphs/x/"):
        assert server.get(f"{prefix_of(both[1].name)}{address}").status_code == 404, address
    for name in ("..", ".", "%2e%2e", "", "a%00b", "%ff", "x" * 3000):
        assert server.get(f"/graphs/{name}/documents").status_code in (200, 404), name
    assert near not in server.get("/api/graphs").json()["graphs"]


def test_every_operation_takes_the_graph_as_an_argument(server: httpx.Client, both: Any) -> None:
    first, second = both
    for person, prefix, graph in (
        ("Ada Lovelace", "", first.name),
        ("Zelda Zwick", "", second.name),
        ("Zelda Zwick", prefix_of(first.name), second.name),
        ("Ada Lovelace", prefix_of(second.name), first.name),
        ("Zelda Zwick", prefix_of(second.name), ""),
    ):
        given = {"name": person, "graph": graph}
        card = server.get(f"{prefix}/api/entity", params=given).json()
        assert card["name"] == person
        assert server.post(f"{prefix}/api/entity", json=given).json() == card
    question = {"question": "Whom did Zelda Zwick marry?", "graph": second.name}
    with server.stream("GET", "/api/ask/events", params=question) as stream:
        assert "Yann Zimmer" in "".join(stream.iter_text())
    assert server.post("/api/documents", json={"graph": ["a"]}).status_code == 400
    document = server.get("/api/openapi.json").json()
    for methods in document["paths"].values():
        for each in methods.values():
            body = each.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            names = {*body.get("properties", {}), *(one["name"] for one in each.get("parameters", ()))}
            assert names & {"graph", "id"}


def test_every_door_refuses_an_unknown_graph_with_near_names(server: httpx.Client, both: Any) -> None:
    """Each page, twin and route; then the tools and resources."""
    name, near = both[1].name, both[1].name[:-1]
    prefix = prefix_of(near)
    paths = [each.path for each in rendering.declared("PAGES")]
    routes = [f"/api/{each}" for each in (*api.METHODS, "ask/events", "openapi.json", "jobs/x/events")]
    for path in (*paths, *map(rendering.twin_of, paths), *routes):
        answer = server.get(f"{prefix}{path}", headers=PERSON)
        assert answer.status_code == 404, path
        if rendering.is_data(path):
            error = answer.json()["error"]
            assert error["type"] == "NotServed"
            assert name in error["hint"]
        else:
            page = html.fromstring(answer.text)
            assert page.xpath("//main//a/@href")[0] == f"{prefix_of(name)}/"
            assert page.xpath("string(//main)").count(name) == 1
            assert faults(answer.text) == []
    assert server.get(prefix, headers=PERSON).status_code == 404
    for each in rendering.declared("ACTIONS"):
        assert post(server, each.path, prefix=prefix).status_code == 404, each.path
    for each in (*api.METHODS, *api.WRITING):
        given = {"graph": near} | {
            key: "x" for key, one in api.method(each).parameters.items() if one.default is one.empty
        }
        given |= {"action": "undo", "what": ["x"]} if each == "correct" else {}
        answer = server.post(f"/api/{each}", json=given)
        assert (answer.status_code, answer.json()["error"]["type"]) == (404, "NotServed"), each
        assert name in answer.json()["error"]["hint"]

    async def use() -> None:
        async with Client(f"{str(server.base_url).rstrip('/')}/mcp") as client:
            assert "argument graph" in (client.instructions or "")
            schema = await client.call_tool("schema", {})
            assert name in schema.structured_content["notes"][-1]
            for tool in (await client.list_tools()).tools:
                assert tool.input_schema["properties"]["graph"] == {
                    "type": "string",
                    "description": "default: first",
                }
                given = {"graph": near} | dict.fromkeys(tool.input_schema["required"], "x")
                given |= {"action": "undo", "what": ["x"]} if tool.name == "correct" else {}
                refused = await client.call_tool(tool.name, given)
                assert refused.is_error
                assert name in refused.content[0].text  # type: ignore[union-attr]
            card = await client.call_tool("entity", {"name": "Zelda Zwick", "graph": name})
            assert card.structured_content["name"] == "Zelda Zwick"
            read = await client.read_resource(f"kg://{quote(name, safe='')}/entity/Zelda Zwick")
            assert "# Zelda Zwick" in read.contents[0].text  # type: ignore[union-attr]
            with pytest.raises(Exception, match=re.escape(name)):
                await client.read_resource(f"kg://{quote(near, safe='')}/entity/Zelda Zwick")

    anyio.run(use)
    assert near not in server.get("/api/graphs").json()["graphs"]


def test_files_are_loaded_into_the_graph_that_is_shown_and_loads_are_apart(
    server: httpx.Client, both: tuple[KnowledgeGraph, KnowledgeGraph]
) -> None:
    prefix = prefix_of(both[1].name)
    begun = server.post(f"{prefix}/api/load", json={"name": "more.txt", "text": "Yann Zimmer was born in Bergen."})
    id = begun.json()["id"]
    with server.stream("GET", f"{prefix}/api/jobs/{id}/events") as stream:
        assert '"state": "done"' in "".join(stream.iter_text())
    assert server.get(f"{prefix}/api/documents").json()["total"] == 2
    assert server.get("/api/documents").json()["total"] == 1
    assert server.get(f"{prefix}/run", params={"id": id}).status_code == 200
    assert server.get("/run", params={"id": id}).status_code == 404
    assert server.get(f"/api/jobs/{id}/events").status_code == 404
    assert server.get("/api/status").json() == {"jobs": []}
    assert server.post("/api/cancel", json={"id": id}).status_code == 404
    uploaded = post(server, "/load", prefix=prefix, files=[("files", ("more.txt", b"Yann Zimmer lived in Bergen."))])
    assert uploaded.headers["location"].startswith(f"{prefix}/load?plan=")
    plan = uploaded.headers["location"].partition("plan=")[2]
    assert server.get("/load", params={"plan": plan}).status_code == 404
    assert post(server, "/load/drop", prefix=prefix, plan=plan).headers["location"] == f"{prefix}/load"


def test_the_login_returns_to_the_page_of_the_graph(both: tuple[KnowledgeGraph, KnowledgeGraph]) -> None:
    goal = f"{prefix_of(both[1].name)}/documents?words=zelda"
    with served(both[0].settings, access=Access.to("127.0.0.1", TOKEN), has_all=True) as client:
        for path in ("/", goal, f"{prefix_of('nothing')}/", "/graphs/x/login"):
            stranger = client.get(path, headers=PERSON)
            assert (stranger.status_code, stranger.headers["location"]) == (303, "/login")
            assert client.get(path).status_code == 401
            assert client.get(path).json()["error"]["type"] == "Refused"
        page = client.get("/login", headers=PERSON).text
        assert not any(each.name in page or prefix_of(each.name) in page for each in both)
        assert client.get(goal, headers=PERSON).status_code == 303
        assert post(client, "/login", token=TOKEN).headers["location"] == goal
        assert client.get(goal, headers=PERSON).status_code == 200


def ids_of(graph: KnowledgeGraph) -> dict[str, str]:
    """Return what names the things of a graph, as requests give it."""
    service = Service(graph.settings)
    try:
        document = service.documents().documents[0].id
        chunk = service.source(document).passages[0].chunk_id
        query = "MATCH (c:KgCommunity {graph: $graph}) RETURN c.id AS id"
        community = service.database().driver.execute_query(query, graph=graph.name).records
        return {
            "document": document,
            "chunk": chunk,
            "entity": graph.entity("Zelda Zwick").id,
            "community": community[0]["id"] if community else "none",
        }
    finally:
        service.close()


def test_a_server_of_one_graph_shows_nothing_of_another_one_by_any_route(
    both: tuple[KnowledgeGraph, KnowledgeGraph],
) -> None:
    """Ids, names and prefixes of the other graph are given to every page, route, form and tool."""
    first, second = both
    known = ids_of(second)
    values = (*known.values(), second.name, "*", "Zelda Zwick", "")
    tried = 0
    with served(first.settings, Rights(write=True)) as client:
        names = ("id", "name", "ids", "words", "question", "document", "documents", "node", "plan", "graph", "set.name")
        paths = [each.path for each in rendering.declared("PAGES")]
        paths += [rendering.twin_of(path) for path in paths]
        paths += [f"/api/{name}" for name in (*api.METHODS, "ask/events", "openapi.json")]
        for path in paths:
            ways = [[name] for name in names] if path.startswith("/api/") else [names]  # a page takes what it knows
            for value in values:
                for some in ways:
                    given = {"question": "x"} if path.startswith("/api/ask") else {}
                    check(client.get(path, params=given | dict.fromkeys(some, value)), value, path)
                    tried += 1
            for header in ({}, PERSON):
                hidden = client.get(f"{prefix_of(second.name)}{path}", headers=header)
                assert hidden.status_code == 404, path
                check(hidden, second.name, path)
        for name, report in (("graph", "most-connected"), ("from", "shortest-path"), ("name", "neighbours")):
            given = {"name": report, f"set.{name}": second.name, "set.to": known["entity"]}
            check(client.get("/api/report", params=given), second.name, report)
        for value in values:
            check(client.post("/api/query", json={"cypher": ANYTHING, "values": {"x": value}}), value, "query")
        for action in rendering.declared("ACTIONS"):
            fields = {"id": known["entity"], "left": "zelda zwick", "right": "yann zimmer", "verdict": "join"}
            answer = post(client, action.path, plan="0" * 32, **fields)
            assert answer.status_code in (400, 404, 409), (action.path, answer.status_code)
            check(answer, "zelda zwick", action.path)
            assert post(client, action.path, prefix=prefix_of(second.name), **fields).status_code == 404
        assert prefix_of(first.name) not in client.get("/").text
        assert client.get(f"{prefix_of(first.name)}/").status_code == 200  # its own name may be said
        assert client.get("/api/graphs").json() == {"graphs": {first.name: 1}}
        anyio.run(use_tools, f"{str(client.base_url).rstrip('/')}/mcp", values)
    assert tried > 800
    assert second.entity("Zelda Zwick").name == "Zelda Zwick"  # it was there all the time


def test_a_server_of_a_graph_that_is_not_there_yet_starts_and_names_no_other(both: Any, database: Database) -> None:
    """A person fills it; what would name graphs that are spelt alike says nothing of them."""
    name = f"{both[1].name}x"
    settings = both[1].settings.model_copy(update={"graph": name})
    try:
        with served(settings, Rights(write=True)) as client:
            for path in ("/", "/documents", "/graph", "/load", "/search", "/api/documents", "/api/schema"):
                answer = client.get(path)
                assert answer.status_code == 200, path
                check(answer, name, path)
            undone = client.post("/api/correct", json={"action": "undo", "what": ["x"]})
            assert (undone.status_code, undone.json()["error"]["hint"]) == (404, "load one first")
            check(undone, name, "correct")
            plan = post(client, "/load", files=[("files", ("a.txt", b"Ada Lovelace was born in London."))])
            check(client.get(plan.headers["location"]), name, "plan")
            begun = client.post("/api/load", json={"name": "a.txt", "text": "Ada Lovelace was born in London."}).json()
            with client.stream("GET", f"/api/jobs/{begun['id']}/events") as stream:
                events = "".join(stream.iter_text())
            assert '"state": "done"' in events
            assert not SECRET.search(events.replace(json.dumps(name)[1:-1], "").replace(name, ""))
            assert client.get("/api/documents").json()["total"] == 1
    finally:
        delete_graph(database, name)


def check(answer: httpx.Response, given: str, where: str) -> None:
    """Fail where an answer has words of the other graph that the request does not have itself."""
    said = answer.text.replace("&#39;", "'").replace("\\u0027", "'")
    for own in (given, given.lower(), quote(given), quote(given, safe=""), quote_plus(given)):
        said = said.replace(own, "") if own else said
    assert not SECRET.search(said), (where, given, said[:3000])


async def use_tools(address: str, values: tuple[str, ...]) -> None:
    async with Client(address) as client:
        for tool in (await client.list_tools()).tools:
            if tool.name == "load":
                continue
            for value in values:
                texts = {
                    name: value for name, each in tool.input_schema["properties"].items() if said(each) == "string"
                }
                texts |= {"cypher": ANYTHING, "values": {"x": value}} if tool.name == "query" else {}
                found = await client.call_tool(tool.name, texts)
                text = " ".join(each.text for each in found.content)  # type: ignore[union-attr]
                text = text.replace(value, "") if value else text
                assert not SECRET.search(text), (tool.name, value, text[:2000])


def said(schema: dict[str, Any]) -> str:
    kind = schema.get("type", "")
    return kind if isinstance(kind, str) else next((each for each in kind if each != "null"), "")


def test_a_graph_that_cannot_be_used_leaves_the_others(
    both: tuple[KnowledgeGraph, KnowledgeGraph], database: Database
) -> None:
    name = f"half-{uuid.uuid4().hex[:12]}"
    database.driver.execute_query(
        "CREATE (:KgDocument {id: $id, graph: $graph, key: 'x', title: 'x', kind: 'file'}) "
        "CREATE (:KgGraphState {graph: $graph, importing: true, import_file: 'x.gz', format: $format})",
        format=GRAPH_FORMAT,
        id=uuid.uuid4().hex,
        graph=name,
    )
    try:
        with served(both[0].settings, has_all=True) as client:
            half = client.get(f"{prefix_of(name)}/api/documents")
            assert half.status_code == 503
            assert half.json()["error"]["type"] == UnfinishedImport.__name__
            assert client.get("/api/documents").status_code == 200
        with served(both[0].settings.model_copy(update={"graph": name}), has_all=True) as client:
            assert client.get("/api/documents").status_code == 503
            assert client.get(f"{prefix_of(both[0].name)}/api/documents").status_code == 200
    finally:
        delete_graph(database, name)


def test_all_graphs_share_the_limits(both: tuple[KnowledgeGraph, KnowledgeGraph], tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["scripted"]\ninput = 1.0\noutput = 1.0\n', "utf-8")
    online = {"openai_base_url": "http://127.0.0.1:9/", "openai_api_key": "k", "model": "scripted", "prices": prices}
    service = Service(Settings(**{**both[0].settings.model_dump(), **online}), Rights(spend_usd=1.0), has_all=True)
    try:
        other = service.of(both[1].name)
        assert other is service.of(both[1].name) is other.of(both[1].name)
        assert other.of(both[0].name) is service
        assert (other.budget is service.budget, other.metrics is service.metrics) == (True, True)
        assert other.jobs.folder != service.jobs.folder
        assert other.questions != service.questions
        assert other.database().driver is service.database().driver
    finally:
        service.close()


def test_an_address_is_taken_apart_once() -> None:
    for raw, graph, path in (
        (b"/graphs/a%2Fb/entity", "a/b", "/entity"),
        (b"/graphs/a", "a", "/"),
        (b"/graphs/a/graphs/b/", "a", "/graphs/b/"),
        (b"/graphs/%C3%A9/x%20y", "\u00e9", "/x y"),
        (b"/graphs//entity", None, "whole"),
        (b"/graphs/a/mcp", None, "whole"),
        (b"/graphs/a/log%69n", None, "whole"),
        (b"/entity", None, "whole"),
    ):
        found = without_graph({"type": "http", "path": "whole", "raw_path": raw})
        assert (found.get("graph"), found["path"]) == (graph, path), raw
