"""All that a server with several tokens can be asked, about each of two graphs, and what each token may get.

Routes come from the application: one that is not in `ROUTES` fails, so that a new one is thought about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from starlette.routing import Route

from kg_neo4j_serve import api, mcp, rendering
from kg_neo4j_serve.addresses import prefix_of
from served import PERSON, token

# Doors by routes. `{...}` of a path and arguments come from the ids of the graph that is asked about.
DOORS = ("api", "pages", "page twins", "streams", "forms", "uploads", "MCP", "MCP resources", "static", "metrics")
OPEN = {"/healthz", "/login", "/static/{hash}/{name}"}  # of no graph, and without a token
WRITING = {"/api/load": "uploads", "/load": "uploads"}
READING = {"/api/ask/events": "streams", "/api/jobs/{id}/events": "streams", "/api/openapi.json": "api"}
AGAIN = {  # arguments that let a request of the API or a page find something; the rest gets none
    "ask": {"question": "{question}"},
    "ask/events": {"question": "{question}"},
    "search": {"words": "{person}"},
    "entity": {"name": "{person}"},
    "connect": {"source": "{person}", "target": "{place}"},
    "source": {"id": "{document}"},
    "verify": {"text": "{fact_text}"},
    "query": {"cypher": "MATCH (n:Entity) RETURN n.name AS name, n.graph AS graph"},
    "report": {"name": "most-connected"},
    "document": {"id": "{document}"},
    "tree": {"document": "{document}"},
    "graph": {"name": "{person}"},
    "community": {"id": "{community}"},
    "fact": {"id": "{fact}"},
    "run": {"id": "{job}"},
    "status": {"id": "{job}"},
    "load": {"plan": "{plan}"},
}
HARMLESS = {  # of requests that write: they pass the check of rights and change nothing
    "load": {"name": "a.exe", "text": "x"},
    "cancel": {"id": "0"},
    "correct": {"action": "undo", "what": ["0"]},
}
JSON_RPC = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: `door`, what it does, of which graph it is, and how it is sent."""

    door: str
    writes: bool
    about: str  # the name of a graph; empty: of none
    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None  # JSON
    form: Mapping[str, str] | None = None

    def send(self, client: httpx.Client, token_of: str | None) -> httpx.Response:
        """Send it with a token."""
        headers = {"authorization": f"Bearer {token_of}"} if token_of is not None else {}
        data: dict[str, str] | None = None
        if self.form is not None:
            action = re.sub("^/graphs/[^/]*", "", self.path)
            data = {"csrf": token(client, action), **self.form}
            headers |= {"origin": str(client.base_url).rstrip("/")}
        if self.door in ("pages", "forms", "uploads") and not self.path.endswith(".json") and self.body is None:
            headers |= PERSON
        if self.door.startswith("MCP"):
            headers |= JSON_RPC
        content = None if self.body is None else json.dumps(self.body)
        headers |= {"content-type": "application/json"} if content else {}
        given = {"params": dict(self.query), "headers": headers, "content": content, "data": data}
        return client.request(self.method, self.path, **given)  # type: ignore[arg-type]


def door_of(route: Route) -> str:
    """Return the door of a route; empty for an open one. Fails for one that is in no class."""
    path = route.path
    if path in OPEN:
        return "static"
    if path in ("/metrics", "/mcp"):
        return {"/metrics": "metrics", "/mcp": "MCP"}[path]
    if path in READING:
        return READING[path]
    pages = {each.path for each in rendering.declared("PAGES")}
    actions = {each.path for each in rendering.declared("ACTIONS")}
    methods = {f"/api/{name}" for name in (*api.METHODS, *api.WRITING)}
    if path in WRITING and "POST" in (route.methods or ()):
        return WRITING[path]
    if path in methods:
        return "api"
    if path in actions and "POST" in (route.methods or ()):
        return "forms"
    if path in pages:
        return "pages"
    assert path in {rendering.twin_of(each) for each in pages}, f"{path} is in no class: who may ask for it?"
    return "page twins"


def requests(routes: list[Any], name: str, ids: Mapping[str, str]) -> Iterator[Asked]:
    """Yield all requests about a graph, with the ids of that graph: by its address, and by the argument `graph`."""

    def filled(given: Mapping[str, Any]) -> dict[str, Any]:
        return {key: each.format(**ids) if isinstance(each, str) else each for key, each in given.items()}

    prefix = prefix_of(name)
    for route in routes:
        door = door_of(route)
        if door in ("static", "metrics", "MCP"):
            continue
        path = route.path.replace("{id}", ids["job"])
        key = route.path.removeprefix("/api/").removesuffix(".json").strip("/")
        if door in ("forms", "uploads") and not path.startswith("/api/"):
            yield Asked(door, True, name, "POST", prefix + path, form={"id": ids["entity"], "plan": "0" * 32})
        elif key in HARMLESS and door in ("api", "uploads"):
            yield Asked(door, True, name, "POST", prefix + path, body=HARMLESS[key])
            yield Asked(door, True, name, "POST", path, body=HARMLESS[key] | {"graph": name})
        else:
            given, writes = filled(AGAIN.get(key, {})), key == "load"
            yield Asked(door, writes, name, "GET", prefix + path, given)
            if path.startswith("/api/") and key not in ("openapi", "graphs") and "jobs/" not in key:
                yield Asked(door, writes, name, "GET", path, given | {"graph": name})
                yield Asked(door, writes, name, "POST", path, body=given | {"graph": name})


def of_no_graph() -> Iterator[tuple[Asked, tuple[str, ...]]]:
    """Yield what is of no graph, and which tokens may have it; without tokens: all, and strangers."""
    for path in ("/healthz", "/login", rendering.static_address("style.css")):
        yield Asked("static", False, "", "GET", path), ()
    yield Asked("metrics", False, "", "GET", "/metrics"), ("all",)


def rpc(method: str, **params: Any) -> dict[str, Any]:
    """Return a call of the Model Context Protocol."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def tool_calls(name: str, ids: Mapping[str, str]) -> Iterator[Asked]:
    """Yield all calls of tools, and all resources, of a graph."""
    from urllib.parse import quote

    for tool in (*mcp.READING, *mcp.WRITING):
        given = {
            key: each.format(**ids) if isinstance(each, str) else each for key, each in AGAIN.get(tool, {}).items()
        }
        given = dict(HARMLESS.get(tool, given)) | {"graph": name}
        call = rpc("tools/call", name=tool, arguments=given)
        yield Asked("MCP", tool in mcp.WRITING, name, "POST", "/mcp", body=call)
    keys = {"document": ids["document"], "entity": ids["person"], "passage": ids["chunk"], "report": "most-connected"}
    for kind, key in keys.items():
        uri = f"kg://{quote(name, safe='')}/{kind}/{quote(key, safe='')}"
        yield Asked("MCP resources", False, name, "POST", "/mcp", body=rpc("resources/read", uri=uri))
    assert set(keys) == set(mcp.KINDS), "a new kind of resource is in no class"


def outcome(asked: Asked, answer: httpx.Response) -> str:
    """Return what became of a request: answered, 401, 403 or 404 for the graph; of MCP what its answer says."""
    said = answer.text
    if asked.door.startswith("MCP") and answer.status_code == 200:
        if "no graph is called" in said:
            return "404"
        return "403" if "there is no tool" in said or "only reads" in said else "answered"
    if answer.status_code == 404 and "no graph is called" in said:
        return "404"
    if answer.status_code in (401, 403):
        return str(answer.status_code)
    if answer.status_code == 303 and answer.headers["location"] == "/login":
        return "401"
    return "answered"
