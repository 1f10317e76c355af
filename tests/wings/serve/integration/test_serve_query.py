"""Callers' own Cypher, by the API and as a tool: the guards of queries that models write, and one graph alone."""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import anyio
import httpx
import pytest
from mcp.client import Client

from cypher_hostile import DISGUISED, HOSTILE, LOADS, READS, UNHELD, WRITES
from kg_neo4j import KnowledgeGraph
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.retrieve.cypher import run
from kg_neo4j.settings import Settings
from kg_neo4j_serve import limits
from kg_neo4j_serve.connection import Rights
from kg_neo4j_serve.refusals import Refused
from kg_neo4j_serve.service import Service
from served import served

ADA = (
    "Ada Lovelace was born in London. Ada Lovelace met Charles Babbage in 1833. Ada Lovelace married William King in "
    "1835. Mary Somerville was a friend of Ada Lovelace."
)
ZELDA = "Zelda Zwick was born in Oslo. Zelda Zwick married Yann Zimmer in 1901. Zelda Zwick met Ada Lovelace."
SECRET = re.compile("zelda|zwick|zimmer|oslo|stranger", re.IGNORECASE)
MANY = str(list(range(40)))
OF_ADA = (  # as in mcp.toml
    "MATCH (a:Entity {name: $name})-[r]-(b:Entity) MATCH (:Fact {id: r.fact_id})-[s:STATED_IN]->(:Chunk)"
    "-[:IN_DOCUMENT]->(d:Document) RETURN type(r) AS type, b.name AS other, s.quote AS quote, d.title AS title"
)


@pytest.fixture(scope="module")
def both(
    settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[KnowledgeGraph, KnowledgeGraph]]:
    """Two graphs, and strangers that bind them together: of no graph, and relationships from one to the other."""
    made = []
    home, end = tmp_path_factory.mktemp("home"), uuid.uuid4().hex[:12]
    none = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None, "neo4j_uri": database.address.uri}
    login = {"neo4j_username": database.address.username, "neo4j_password": database.address.password}
    for name, text in ((f"ada-{end}", ADA), (f"zwick-{end}", ZELDA)):
        source = tmp_path_factory.mktemp("notes") / f"{text.split()[0].lower()}.txt"
        source.write_text(text, "utf-8")
        own = Settings(**{**settings.model_dump(), **none, **login, "graph": name, "home": home})
        found = KnowledgeGraph(name, settings=own)
        found.load(source)
        made.append(found)
    bridge = """
    MATCH (a:KgEntity {graph: $graph}) MATCH (b:KgEntity {graph: $other})
    WITH a, b MERGE (s:Stranger:PERSON:KgEntity {id: 'stranger-' + $graph}) ON CREATE SET s.name = 'Stranger'
    MERGE (a)-[:MET]->(s) MERGE (s)-[:MET]->(b) MERGE (a)-[:MET]->(b)
    """
    database.driver.execute_query(bridge, graph=made[0].name, other=made[1].name)
    yield made[0], made[1]
    database.driver.execute_query("MATCH (n {id: 'stranger-' + $graph}) DETACH DELETE n", graph=made[0].name)
    for each in made:
        each.close()
        delete_graph(database, each.name)


@pytest.fixture(scope="module")
def server(both: tuple[KnowledgeGraph, KnowledgeGraph]) -> Iterator[httpx.Client]:
    with served(both[0].settings, Rights(write=True), has_all=True) as client:
        yield client


def asked(server: httpx.Client, cypher: str, values: Any = None, graph: str = "") -> httpx.Response:
    return server.post("/api/query", json={"cypher": cypher, "values": values, "graph": graph})


def rows(answer: httpx.Response) -> list[list[Any]]:
    assert answer.status_code == 200, answer.text
    return answer.json()["rows"]  # type: ignore[no-any-return]


def test_a_query_reads_the_graph_with_parameters(server: httpx.Client, both: Any) -> None:
    found = asked(server, f"{OF_ADA} ORDER BY other", {"name": "Ada Lovelace"}).json()
    assert (found["graph"], found["columns"], found["notes"]) == (both[0].name, ["type", "other", "quote", "title"], [])
    assert {"Charles Babbage", "London", "William King"} <= {row[1] for row in found["rows"]}
    assert all(row[2] in ADA and row[3] == "ada" for row in found["rows"])
    again = server.get("/api/query", params={"cypher": f"{OF_ADA} ORDER BY other", "set.name": "Ada Lovelace"}).json()
    assert again == found
    text = "MATCH (a:Entity {name: 'Ada Lovelace'})-[:MENTIONED_IN]->(c:Chunk)-[:IN_DOCUMENT]->(d:Document) "
    assert rows(asked(server, text + "RETURN DISTINCT d.title AS title, c.text AS text")) == [["ada", ADA]]
    other = asked(server, OF_ADA, {"name": "Zelda Zwick"}, both[1].name).json()
    assert (other["graph"], {"Oslo", "Yann Zimmer"} <= {row[1] for row in other["rows"]}) == (both[1].name, True)


@pytest.mark.parametrize(
    "cypher",
    [
        "MATCH (a:Entity {graph: $graph, name: 'Ada Lovelace'}) RETURN a.name AS name",
        "MATCH (a:Entity) WHERE a.graph = $graph AND a.name = 'Ada Lovelace' RETURN a.name AS name",
        "MATCH (a {graph: $graph})-[r]-({graph: $graph}) WHERE a.name = 'Ada Lovelace' RETURN DISTINCT a.name AS name",
        "match (a:Entity {graph: $graph}) where a.name = 'Ada Lovelace' return a.name as name limit 5;",
    ],
)
def test_the_name_of_the_graph_is_bound(server: httpx.Client, cypher: str) -> None:
    assert rows(asked(server, cypher)) == [["Ada Lovelace"]]


def test_the_name_of_another_graph_finds_nothing(server: httpx.Client, both: Any) -> None:
    for cypher in (
        "MATCH (a:Entity {graph: $other}) RETURN a.name AS name",
        f"MATCH (a:Entity {{graph: '{both[1].name}'}}) RETURN a.name AS name",
        "MATCH (a:Entity {graph: $graph})-[:MET]-(b {graph: $other}) RETURN b.name AS name",
        "MATCH (a:Entity) WHERE a.graph = $other OR a.graph <> $graph RETURN a.name AS name",
    ):
        assert rows(asked(server, cypher, {"other": both[1].name})) == []
    assert asked(server, "RETURN $graph AS name", {"graph": both[1].name}).status_code == 400
    assert rows(asked(server, "RETURN $graph AS name")) == [[both[0].name]]
    assert rows(asked(server, "RETURN $graph AS name", {"Graph": both[1].name})) == [[both[0].name]]


class _Listener(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.heard.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"a,b\n1,2\n")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def listener() -> Iterator[Any]:
    """An address that a query may try to reach; `heard` has what came."""
    with HTTPServer(("127.0.0.1", 0), _Listener) as found:
        found.heard = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def state(database: Database, both: tuple[KnowledgeGraph, KnowledgeGraph]) -> list[Any]:
    """What no query may change."""
    texts = ("MATCH (n) RETURN count(n)", "MATCH ()-[r]->() RETURN count(r)")
    texts += ("SHOW INDEXES YIELD name", "SHOW CONSTRAINTS YIELD name", "SHOW USERS YIELD user")
    counted = [sorted(str(row[0]) for row in database.driver.execute_query(text).records) for text in texts]
    return [*(list(lines(database, each.name)) for each in both), *counted]


def test_hostile_queries_change_nothing_reach_nothing_and_show_nothing(
    server: httpx.Client, database: Database, both: Any, listener: Any
) -> None:
    """Writes, procedures, LOAD CSV, apoc, other graphs, comments, escapes; a refusal says why."""
    before = state(database, both)
    port = listener.server_port
    passed = set()
    for text in [*HOSTILE, *UNHELD, *(each.format(port=port) for each in LOADS)]:
        answer = asked(server, text)
        assert answer.status_code in (200, 400), (text, answer.text)
        assert not SECRET.search(answer.text.replace(text, "")), (text, answer.text)
        if answer.status_code == 200:
            passed.add(text)
        elif text.strip():
            assert answer.json()["error"]["message"].startswith("the query was refused: "), answer.text
    assert passed.isdisjoint({*WRITES, *(each.format(port=9) for each in LOADS)})
    assert passed <= {*READS, *UNHELD, *DISGUISED}
    assert all("$graph" in text or "graph:" in text or text in UNHELD for text in passed), passed
    assert listener.heard == []
    assert state(database, both) == before


@pytest.mark.parametrize(
    ("cypher", "said"),
    [
        ("MATCH (n) DETACH DELETE n", "a query only reads"),
        ("CALL db.labels() YIELD label RETURN label", "MATCH, OPTIONAL MATCH, WITH, UNWIND or RETURN was expected"),
        ("MATCH (a:Person) RETURN a.name", "this graph has no label Person; it has"),
        ("MATCH (a)-[:NOTHING]-(b) RETURN b.name AS b", "no relationship type NOTHING"),
        ("MATCH (a:PERSON) RETURN a.nothing", "there is no property nothing"),
        ("MATCH (a:PERSON) // all\nRETURN a.name", "comments are not allowed"),
        ("MATCH (a:PERSON) WHERE a.name = $who RETURN a.name", "there is no parameter $who"),
        ("MATCH (a:PERSON)-[*]-(b) RETURN b.name", "needs bounds"),
        ("RETURN 'a' + 'b\\u0027'", "backslash|escape"),
        ("MATCH (a:PERSON) RETURN a.name; MATCH (b) RETURN b", "without a semicolon"),
        ("x" * 4_001, "4,000 characters"),
        (" ", "cypher is empty"),
    ],
)
def test_a_refusal_says_what_is_wrong(server: httpx.Client, cypher: str, said: str) -> None:
    answer = asked(server, cypher)
    assert answer.status_code == 400
    assert re.search(said.replace("$", r"\$"), answer.json()["error"]["message"]), answer.text


@pytest.mark.parametrize(
    "values", [{"x": {"a": 1}}, {"x": "a" * 501}, {"x": [1] * 101}, {"x y": 1}, {"graph": "x"}, {"x": "\ud800"}, [1]]
)
def test_values_that_do_not_fit_are_refused(server: httpx.Client, values: Any) -> None:
    body = json.dumps({"cypher": "RETURN 1 AS n", "values": values})  # with escapes
    answer = server.post("/api/query", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400, answer.text


def test_values_may_be_lists(server: httpx.Client) -> None:
    assert rows(asked(server, "UNWIND $x AS n RETURN n", {"x": [2, 1]})) == [[1], [2]]


def test_rows_and_cells_are_bounded(server: httpx.Client) -> None:
    cross = " ".join(f"UNWIND {MANY} AS {name}" for name in "xy") + " RETURN x, y"
    found = asked(server, cross).json()
    assert len(found["rows"]) == 100
    assert found["notes"] == ["901 or more further rows were left out: use SKIP and LIMIT"]
    assert rows(asked(server, f"{cross} SKIP 39 LIMIT 2")) == [[0, 39], [1, 0]]
    long = "MATCH (c:Chunk) WITH c.text AS t WITH t + t + t + t AS t WITH t + t + t + t AS t RETURN t"
    cut = asked(server, long).json()
    assert [len(row[0]) for row in cut["rows"]] == [2_000]
    assert "texts were cut" in cut["notes"][0]
    assert asked(server, "WITH 'aaaa' AS s " + "WITH s + s AS s " * 14 + "RETURN s").status_code == 400


def test_an_endless_query_is_ended_and_few_run_at_once(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two run, a third one is refused, and what else is asked is answered meanwhile."""
    monkeypatch.setattr(run, "QueryLimits", partial(run.QueryLimits, seconds=2))
    runaway = " ".join(f"UNWIND {MANY} AS x{number}" for number in range(8)) + " RETURN count(*) AS n"
    service, said = Service(both[0].settings), list[str]()

    def ask() -> None:
        with pytest.raises(UsageError) as refused:
            service.query(runaway)
        said.append(str(refused.value))

    try:
        service.open()
        threads = [threading.Thread(target=ask) for _ in range(limits.QUERIES)]
        for thread in threads:
            thread.start()
        while service._opened.queries.acquire(blocking=False):
            service._opened.queries.release()
        with pytest.raises(Refused, match="2 queries are running") as refused:
            service.query("RETURN 1 AS n")
        assert refused.value.status == 429
        assert service.documents().total == 1
        for thread in threads:
            thread.join()
        assert len(said) == limits.QUERIES
        assert all("took longer than 2 s" in each or "more memory" in each for each in said), said
        assert service.query("RETURN 1 AS n").rows == ((1,),)
    finally:
        service.close()


def test_the_tool_reads_and_refuses_as_the_api_does(server: httpx.Client, both: Any) -> None:
    async def use() -> None:
        async with Client(f"{str(server.base_url).rstrip('/')}/mcp") as client:
            found = await client.call_tool("query", {"cypher": OF_ADA, "values": {"name": "Ada Lovelace"}})
            assert not found.is_error
            assert found.structured_content == asked(server, OF_ADA, {"name": "Ada Lovelace"}).json()
            other = await client.call_tool(
                "query", {"cypher": "MATCH (a:PERSON) RETURN a.name AS name", "graph": both[1].name}
            )
            assert ["Zelda Zwick"] in other.structured_content["rows"]
            for text in WRITES:
                refused = await client.call_tool("query", {"cypher": text})
                assert refused.is_error
                assert refused.content[0].text.startswith("the query was refused: ")  # type: ignore[union-attr]
                assert "schema lists the types" in refused.content[0].text  # type: ignore[union-attr]

    anyio.run(use)


def test_a_graph_that_is_empty_has_no_rows(both: Any) -> None:
    service = Service(both[0].settings.model_copy(update={"graph": f"empty-{uuid.uuid4().hex[:8]}"}))
    try:
        assert service.query("MATCH (n) RETURN n").rows == ()
    finally:
        service.close()
