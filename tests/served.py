"""A server of `kg serve` in a thread of this process, on a port of its own, and what asks it over HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from kg_neo4j.settings import Settings
from kg_neo4j_serve.app import build
from kg_neo4j_serve.connection import Rights
from kg_neo4j_serve.guard import SESSION, Access
from kg_neo4j_serve.service import Service

PERSON = {  # what a browser sends where a person goes from one of our pages to another
    "accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "sec-fetch-site": "same-origin",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
    "sec-fetch-user": "?1",
}


@contextmanager
def served(
    settings: Settings, rights: Rights | None = None, access: Access | None = None, *, has_all: bool = False
) -> Iterator[httpx.Client]:
    """Yield a client of a server on the graph of `settings`, or on all graphs; the server ends with the block."""
    access = access or Access()
    app = build(Service(settings, rights, has_all=has_all), access)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            client.access = access  # type: ignore[attr-defined]
            yield client
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


def token(client: httpx.Client, action: str) -> str:
    """Return the token of a form, for the session of the client's cookie."""
    if SESSION not in client.cookies:
        client.get("/login")
    access: Access = client.access  # type: ignore[attr-defined]
    return access.form_token(client.cookies[SESSION], action)


def post(client: httpx.Client, action: str, *, prefix: str = "", files: Any = None, **fields: str) -> httpx.Response:
    """Submit a form of ours as a browser does; `prefix` names a graph."""
    origin = {"origin": str(client.base_url).rstrip("/")}
    data = {"csrf": token(client, action), **fields}
    return client.post(prefix + action, data=data, files=files, headers=PERSON | origin)
