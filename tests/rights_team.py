"""Two graphs with marked sentences, a file of rights with a table for each kind of token, and a server on them."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest

from kg_neo4j import KnowledgeGraph
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.rooms.rights.tokens import Tokens, hash_of
from kg_neo4j.settings import Settings
from kg_neo4j_serve.guard import Access
from kg_neo4j_serve.service import Service
from rights_matrix import JSON_RPC, rpc
from served import served

XENIA = "Xenia Xylander was born in Bergen. Xenia Xylander married Waldo Wexford in 1835."
ZELDA = "Zelda Zwick was born in Oslo. Zelda Zwick married Yann Zimmer in 1901."
MARKS = {"A": re.compile("xenia|xylander|wexford|waldo|bergen", re.I), "B": re.compile("zelda|zwick|zimmer|oslo", re.I)}
TOKENS = {
    name: f"kg_{name.replace(' ', '-')}-{'t' * 40}" for name in ("reader-A", "writer-A", "reader-B", "reader-AB", "all")
}
SEES = {"none": "", "wrong": "", "reader-A": "A", "writer-A": "A", "reader-B": "B", "reader-AB": "AB", "all": "AB"}
WRITES = {"writer-A": "A", "all": "AB"}


@dataclass(frozen=True, slots=True)
class Team:
    """A server's files, its two graphs, and ids of what is in each."""

    names: dict[str, str]  # of the graphs A and B
    ids: dict[str, dict[str, str]]
    settings: Settings
    file: Path

    def rights(self, head: str = 'audit = "audit.jsonl"', **tables: str) -> None:
        """Write the file of rights; further tables by name."""
        first, second = (json.dumps(self.names[each]) for each in "AB")
        given = {
            "reader-A": f"graphs = [{first}]",
            "writer-A": f'graphs = [{first}]\nmay = ["read", "write"]',
            "reader-B": f"graphs = [{second}]",
            "reader-AB": f"graphs = [{first}, {second}]",
            "all": 'graphs = ["*"]\nmay = ["read", "write", "metrics"]',
        } | tables
        texts = [f'[tokens.{name}]\ntoken = "{hash_of(TOKENS[name])}"\n{table}' for name, table in given.items()]
        self.file.write_text("\n".join([head, *texts]), "utf-8")

    @property
    def audit(self) -> list[dict[str, Any]]:
        """The lines of the audit."""
        return [json.loads(line) for line in self.file.with_name("audit.jsonl").read_text("utf-8").splitlines()]

    @contextmanager
    def served(self, **changed: Any) -> Iterator[httpx.Client]:
        """Yield a client of a server with the rights of the file, and some other settings."""
        access = Access.to("127.0.0.1", None, (), Tokens(self.file, self.settings.home))
        own = Settings(**{**self.settings.model_dump(), **changed})
        with served(own, access=access, has_all=True) as client:
            yield client


@contextmanager
def made(settings: Settings, database: Database, folders: pytest.TempPathFactory) -> Iterator[Team]:
    """Yield two graphs and a file of rights."""
    home, end = folders.mktemp("home"), uuid.uuid4().hex[:12]
    none = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None, "neo4j_uri": database.address.uri}
    login = {"neo4j_username": database.address.username, "neo4j_password": database.address.password}
    names = {"A": f"xenia's / graph? #1 {end}", "B": f"zelda's / graph? #1 {end}"}
    graphs, ids, own = [], dict[str, dict[str, str]](), settings
    for key, text in (("A", XENIA), ("B", ZELDA)):
        source = folders.mktemp("notes") / f"{text.split()[0].lower()}.txt"
        source.write_text(text, "utf-8")
        own = Settings(**{**settings.model_dump(), **none, **login, "graph": names[key], "home": home})
        graph = KnowledgeGraph(names[key], settings=own)
        graph.load(source)
        graph.tree()
        graphs.append(graph)
        ids[key] = ids_of(graph, text)
    own = own.model_copy(update={"graph": "a-first-graph-that-is-none"})
    found = Team(names, ids, own, folders.mktemp("files") / "serve.toml")
    found.rights()
    yield found
    for each in graphs:
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
            "place": text.split(".", maxsplit=1)[0].rsplit(maxsplit=1)[-1],
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


def bearer(who: str) -> dict[str, str]:
    return {"authorization": f"Bearer {TOKENS[who]}"}


def called(client: httpx.Client, who: str, method: str, **params: Any) -> Any:
    answer = client.post("/mcp", json=rpc(method, **params), headers=bearer(who) | JSON_RPC)
    assert answer.status_code == 200, answer.text
    return answer.json()
