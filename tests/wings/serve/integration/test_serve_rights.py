"""One server, several tokens: what each may see and do by every door, and that nothing of another graph gets out."""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import httpx
import pytest
from lxml import html

from hostile_pages import faults
from kg_neo4j import KnowledgeGraph
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.rooms.rights.tokens import Rights, hash_of
from kg_neo4j.settings import Settings
from kg_neo4j_serve import rendering
from kg_neo4j_serve.addresses import prefix_of
from kg_neo4j_serve.app import build
from kg_neo4j_serve.guard import LOGIN, Access
from kg_neo4j_serve.service import Service
from rights_matrix import DOORS, JSON_RPC, Asked, door_of, outcome, requests, rpc, tool_calls
from served import PERSON, post, served

XENIA = "Xenia Xylander was born in Bergen. Xenia Xylander married Waldo Wexford in 1835."
ZELDA = "Zelda Zwick was born in Oslo. Zelda Zwick married Yann Zimmer in 1901."
MARKS = {"A": re.compile("xenia|xylander|wexford|waldo|bergen", re.I), "B": re.compile("zelda|zwick|zimmer|oslo", re.I)}
TOKENS = {name: f"kg_{name.replace(' ', '-')}-{'t' * 40}" for name in ("reader-A", "writer-A", "reader-AB", "all")}
SEES = {"none": "", "wrong": "", "reader-A": "A", "writer-A": "A", "reader-AB": "AB", "all": "AB"}
WRITES = {"writer-A": "A", "all": "AB"}


@dataclass(frozen=True, slots=True)
class Team:
    """A server's files, its two graphs, and ids of what is in each."""

    names: dict[str, str]  # of the graphs A and B
    ids: dict[str, dict[str, str]]
    settings: Settings
    file: Path

    def rights(self, **tables: str) -> None:
        """Write the file of rights; further tables by name."""
        first, second = (json.dumps(self.names[each]) for each in "AB")
        given = {
            "reader-A": f"graphs = [{first}]",
            "writer-A": f'graphs = [{first}]\nmay = ["read", "write"]',
            "reader-AB": f"graphs = [{first}, {second}]",
            "all": 'graphs = ["*"]\nmay = ["read", "write", "metrics"]',
        } | tables
        texts = [f'[tokens.{name}]\ntoken = "{hash_of(TOKENS[name])}"\n{table}' for name, table in given.items()]
        self.file.write_text("\n".join(['audit = "audit.jsonl"', *texts]), "utf-8")

    @property
    def audit(self) -> list[dict[str, Any]]:
        """The lines of the audit."""
        return [json.loads(line) for line in self.file.with_name("audit.jsonl").read_text("utf-8").splitlines()]

    @contextmanager
    def served(self) -> Iterator[httpx.Client]:
        """Yield a client of a server with the rights of the file."""
        access = Access.to("127.0.0.1", None, (), Rights(self.file, self.settings.home))
        with served(self.settings, access=access, has_all=True) as client:
            yield client


@pytest.fixture(scope="module")
def team(settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    home, end = tmp_path_factory.mktemp("home"), uuid.uuid4().hex[:12]
    none = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None, "neo4j_uri": database.address.uri}
    login = {"neo4j_username": database.address.username, "neo4j_password": database.address.password}
    names = {"A": f"xenia's / graph? #1 {end}", "B": f"zelda's / graph? #1 {end}"}
    made, ids, own = [], {}, settings
    for key, text in (("A", XENIA), ("B", ZELDA)):
        source = tmp_path_factory.mktemp("notes") / f"{text.split()[0].lower()}.txt"
        source.write_text(text, "utf-8")
        own = Settings(**{**settings.model_dump(), **none, **login, "graph": names[key], "home": home})
        graph = KnowledgeGraph(names[key], settings=own)
        graph.load(source)
        graph.tree()
        made.append(graph)
        ids[key] = ids_of(graph, text)
    own = own.model_copy(update={"graph": "a-first-graph-that-is-none"})
    found = Team(names, ids, own, tmp_path_factory.mktemp("files") / "serve.toml")
    found.rights()
    yield found
    for each in made:
        each.close()
        delete_graph(database, each.name)


def ids_of(graph: KnowledgeGraph, text: str) -> dict[str, str]:
    """Return what names the things of a graph, as requests give it."""
    service, person = Service(graph.settings), " ".join(text.split()[:2])
    try:
        document = service.documents().documents[0].id
        query = "MATCH (c:KgCommunity {graph: $graph}) RETURN c.id AS id"
        community = service.database().driver.execute_query(query, graph=graph.name).records
        card = service.entity(person)
        return {
            "document": document,
            "chunk": service.source(document).passages[0].chunk_id,
            "entity": card.id,
            "fact": card.facts[0].id,
            "community": community[0]["id"] if community else "none",
            "person": person,
            "place": text.split(".")[0].split()[-1],
            "question": f"Whom did {person} marry?",
            "fact_text": text,
            "job": "0" * 16,
            "plan": "0" * 32,
        }
    finally:
        service.close()


def without(text: str, name: str) -> str:
    """Return an answer without the name that its request had: it may be said."""
    for _ in range(3):
        text = unescape(unquote(text.replace("+", " "))).replace("\\u0027", "'").replace("\\'", "'").replace('\\"', '"')
    return text.replace(name, "")


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
                    if got == "404":  # the same as for a graph that there is not
                        other = nothing.send(client, token)
                        assert other.status_code == answer.status_code
                        assert without(other.text, absent) == without(answer.text, name), (who, asked)
                    hidden = [MARKS[each] for each in "AB" if each not in SEES[who]]
                    if any(each.search(without(answer.text + str(answer.headers), name)) for each in hidden):
                        leaks.append(f"{who}: {asked}: {answer.text[:300]}")
                    table[who, asked.door][f"{'write' if asked.writes else 'read'} {key} {got}"] += 1
    with capsys.disabled():
        print(f"\n{count} requests, {len(leaks)} leaks\n{drawn(table)}")
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
