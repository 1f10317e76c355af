"""No caller of `kg serve` or of its MCP tools makes the server fetch an address, not even one that it is given."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx
import pytest
from mcp.client import Client

import web_site
from kg_neo4j.settings import Settings
from kg_neo4j_serve import api
from kg_neo4j_serve.connection import Rights
from served import post, served
from web_site import Site

FIELDS = ("question", "words", "name", "source", "target", "id", "text", "cursor", "url", "address", "sources", "files")


@pytest.fixture
def site() -> Iterator[Site]:
    with web_site.running() as found:
        found.put("/secret", "<p>The word is Rumpelstiltskin.</p>")
        yield found


@pytest.fixture
def server(offline: Settings, tmp_path: Path) -> Iterator[httpx.Client]:
    with served(offline.model_copy(update={"home": tmp_path}), Rights(write=True)) as client:
        yield client


def test_no_address_is_fetched_for_a_caller(server: httpx.Client, site: Site) -> None:
    secret = f"{site.url}/secret"
    for name in (*api.METHODS, *api.WRITING):
        for field in FIELDS:
            assert "Rumpelstiltskin" not in server.post(f"/api/{name}", json={field: secret}).text
    assert server.post("/api/load", json={"name": secret, "text": "x"}).status_code == 400
    assert server.post("/api/load", json={"name": "a.txt", "text": "x", "sources": [secret]}).status_code == 400
    assert server.post("/api/load", files={"files": (secret, b"x")}).status_code == 400
    assert server.post("/api/load", data={"files": secret}, files={"other": b"x"}).status_code == 400
    post(server, "/load", files=[("files", (secret, secret.encode()))])
    assert site.asked == []


def test_a_text_that_is_an_address_is_a_text(server: httpx.Client, site: Site) -> None:
    secret = f"{site.url}/secret"
    job = server.post("/api/load", json={"name": "a.txt", "text": secret}).json()
    until = time.monotonic() + 120
    while job["state"] not in ("done", "failed"):
        assert time.monotonic() < until, job
        time.sleep(0.1)
        (job,) = server.get("/api/status", params={"id": job["id"]}).json()["jobs"]
    assert job["state"] == "done"
    assert [each["key"] for each in server.get("/api/documents").json()["documents"]] == ["a.txt"]
    assert site.asked == []


def test_no_tool_fetches_an_address(server: httpx.Client, site: Site) -> None:
    secret, url = f"{site.url}/secret", f"{str(server.base_url).rstrip('/')}/mcp"

    async def use() -> None:
        async with Client(url) as client:
            tools = (await client.list_tools()).tools
            assert "load" in {tool.name for tool in tools}
            for tool in tools:
                for given in (dict.fromkeys(tool.input_schema["properties"], secret), {"sources": secret}):
                    said = await client.call_tool(tool.name, given)
                    assert "Rumpelstiltskin" not in str(said.content)
            refused = await client.call_tool("load", {"name": secret, "text": "x"})
            assert refused.is_error
            with pytest.raises(Exception, match="address of a resource"):
                await client.read_resource(secret)

    anyio.run(use)
    assert site.asked == []
