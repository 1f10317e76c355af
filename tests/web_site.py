"""A real server of web pages on loopback, and what reads one page of it. It answers conditional requests."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from kg_neo4j.acquire.interface import SourceText
from kg_neo4j.records import SkippedSource
from kg_neo4j_readers import web

HTML = "text/html; charset=utf-8"
CONDITIONS = {"if-none-match": "ETag", "if-modified-since": "Last-Modified"}


@dataclass
class Site:
    """A server of pages: path -> status, heads and body. A page of a path in `slow` is sent a byte every 0.2 s."""

    pages: dict[str, tuple[int, Mapping[str, str], bytes]] = field(default_factory=dict)
    slow: set[str] = field(default_factory=set)
    asked: list[tuple[str, str]] = field(default_factory=list)  # path, agent
    conditions: list[tuple[str, dict[str, str]]] = field(default_factory=list)  # path, what was asked with it
    url: str = ""

    def put(self, path: str, body: str | bytes, kind: str = HTML, status: int = 200, **heads: str) -> str:
        """Serve a page, and return its address. An empty kind is not sent."""
        data = body.encode() if isinstance(body, str) else body
        given = {"Content-Type": kind, **{name.replace("_", "-"): value for name, value in heads.items()}}
        self.pages[path] = (status, {name: value for name, value in given.items() if value}, data)
        return f"{self.url}{path}"

    def times(self, path: str) -> int:
        """Return how often a path was asked for."""
        return sum(each == path for each, _ in self.asked)


@contextmanager
def running() -> Iterator[Site]:
    """Yield a site; its server ends with the block."""
    made = Site()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            made.asked.append((self.path, self.headers["user-agent"]))
            given = {name: self.headers[name] for name in CONDITIONS if name in self.headers}
            made.conditions.append((self.path, given))
            status, heads, body = made.pages.get(self.path, (404, {}, b"gone"))
            if status == 200 and given and all(heads.get(CONDITIONS[name]) == value for name, value in given.items()):
                status, body = 304, b""
            self.send_response(status)
            for name, value in {**heads, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                for each in (body[at : at + 1] for at in range(len(body))) if self.path in made.slow else (body,):
                    self.wfile.write(each)
                    time.sleep(0.2 if self.path in made.slow else 0)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


def read(address: str) -> SourceText | SkippedSource:
    """Return what the source of an address gives."""
    scheme, _, rest = address.partition(":")
    (found,) = (web.open_http if scheme == "http" else web.open_https)(rest).texts()
    return found


def text_of(address: str) -> str:
    """Return the text of a page that is read."""
    found = read(address)
    assert isinstance(found, SourceText), found
    return found.text


def reason(address: str) -> str:
    """Return why a page is not read."""
    found = read(address)
    assert isinstance(found, SkippedSource), found
    return found.reason
