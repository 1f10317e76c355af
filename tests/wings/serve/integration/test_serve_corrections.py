"""Corrections over the API and by an agent, with write rights alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp.client import Client

from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.settings import Settings
from kg_neo4j_serve.connection import Rights
from served import served

TEXT = "Ada Lovelace was born in London in 1815. Ada Lovelace married William King in 1835."
MARRIED = ["Ada Lovelace", "MARRIED_TO", "William King"]


@pytest.fixture
def loaded(offline: Settings, tmp_path: Path) -> Settings:
    (tmp_path / "ada.txt").write_text(TEXT, "utf-8")
    load([str(tmp_path / "ada.txt")], settings=offline)
    return offline


@pytest.fixture
def server(loaded: Settings) -> Iterator[httpx.Client]:
    with served(loaded, Rights(write=True)) as client:
        yield client


def correct(server: httpx.Client, action: str, what: list[str], **more: Any) -> list[dict[str, Any]]:
    answer = server.post("/api/correct", json={"action": action, "what": what, **more})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["corrections"]
    return found


def facts(server: httpx.Client, name: str) -> set[str]:
    return {each["type"] for each in server.post("/api/entity", json={"name": name}).json()["facts"]}


def test_a_program_corrects_and_takes_back(server: httpx.Client, loaded: Settings, database: Database) -> None:
    before = list(lines(database, loaded.graph))
    [wrong] = correct(server, "wrong", MARRIED, because="another Ada")
    assert "MARRIED_TO" not in facts(server, "Ada Lovelace")
    correct(server, "add", ["Ada Lovelace", "KNEW", "London"], because="a letter", values={"start_date": "1833"})
    correct(server, "edit", ["Ada Lovelace", "KNEW", "London"], values={"type": "VISITED"})
    correct(server, "node", ["London"], values={"name": "Greater London"})
    assert "VISITED" in facts(server, "Greater London")
    listed = server.get("/api/corrections").json()["corrections"]
    held = [each for each in listed if not each["revoked"]]
    assert {(each["kind"], each["state"]) for each in held} == {
        ("wrong-fact", "in force"),
        ("added-fact", "in force"),
        ("edited-node", "in force"),
    }
    assert wrong["id"] in {each["id"] for each in held}
    quotes = server.post("/api/ask", json={"question": "Whom did Ada Lovelace marry?"}).json()
    said = [each["correction"] for each in (*quotes["quotes"], *quotes["passages"]) if "married" in each["source_text"]]
    assert said
    assert all("is wrong (another Ada)" in each for each in said)
    page = server.get("/ask", params={"question": "Whom did Ada Lovelace marry?"}).text
    assert page.count("is wrong (another Ada)") >= len(said)
    for each in held:
        correct(server, "undo", [each["id"]])
    assert list(lines(database, loaded.graph)) == before
    refused = server.post("/api/correct", json={"action": "undo", "what": []})
    assert (refused.status_code, "undo takes 1" in refused.text) == (400, True)
    assert server.get("/api/correct").status_code == 405


def test_an_agent_corrects_where_it_may_write(loaded: Settings) -> None:
    async def use(client: Client, action: str, what: list[str]) -> Any:
        async with client:
            names = {each.name for each in (await client.list_tools()).tools}
            return names, await client.call_tool("correct", {"action": action, "what": what})

    with served(loaded, Rights(write=True)) as client:
        names, made = anyio.run(use, Client(f"{client.base_url}/mcp"), "wrong", MARRIED)
        assert {"correct", "corrections"} <= names
        assert made.structured_content["corrections"][0]["what"] == "Ada Lovelace MARRIED_TO William King"
    with served(loaded) as client:
        names, made = anyio.run(use, Client(f"{client.base_url}/mcp"), "wrong", MARRIED)
        assert not {"correct", "corrections"} & names
        assert made.is_error
        assert client.post("/api/correct", json={"action": "wrong", "what": MARRIED}).status_code == 403
