"""A small MediaWiki on loopback: a real HTTP server that speaks the part of the action API that is used.

It serves pages of our own, can be told to misbehave, and can replay answers recorded from a real wiki.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Page:
    """A page as the wiki has it."""

    page_id: int
    extract: str
    revision: int = 1
    categories: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    is_disambiguation: bool = False


@dataclass(frozen=True)
class Misbehaviour:
    """One answer that is given in place of the right one."""

    status: int = 200
    body: str = ""
    headers: tuple[tuple[str, str], ...] = ()


BUSY = Misbehaviour(503, "busy", (("Retry-After", "0"),))
RATE_LIMITED = Misbehaviour(429, "slow down", (("Retry-After", "0"),))
MAXLAG = Misbehaviour(
    200,
    '{"error": {"code": "maxlag", "info": "Waiting for a database server: 6 seconds lagged."}}',
    (("Retry-After", "0"), ("MediaWiki-API-Error", "maxlag")),
)
HTML = Misbehaviour(200, "<!doctype html><title>Log in to the network</title>")

_LIGHTHOUSE = """The Rozewie Lighthouse is a lighthouse on the Baltic coast of Poland. It was lit in 1822.
It is named after Stefan Żeromski.


== History ==
A light was shown on the cape in the 17th century.


=== The lantern ===
The lantern was raised in 1910 and again in 1978.


== Access ==
The lighthouse is open to visitors.


=== By bus ===
Buses run from Władysławowo.


== See also ==


== References =="""

PAGES = {
    "Rozewie Lighthouse": Page(
        101, _LIGHTHOUSE, revision=7001, categories=("Category:Lighthouses in Poland",), links=("Baltic Sea",)
    ),
    "Mercury": Page(
        102,
        "Mercury may refer to:",
        categories=("Category:Disambiguation pages",),
        links=("Mercury (planet)", "Mercury (element)", "Talk:Mercury"),
        is_disambiguation=True,
    ),
    "Merkury": Page(
        103,
        "Merkury – strona ujednoznaczniająca",
        categories=("Kategoria:Strony ujednoznaczniające",),
        links=("Merkury (planeta)",),
    ),
    "Juno": Page(104, "Juno may refer to:", links=("Juno (mythology)",), is_disambiguation=True),
    "Blank": Page(105, "", revision=7005),
}
REDIRECTS = {"Rozewie": "Cape Rozewie light", "Cape Rozewie light": "Rozewie Lighthouse"}


@dataclass
class Wiki:
    """What the server serves, and what it was asked. Change it while it runs."""

    url: str = ""
    pages: dict[str, Page] = field(default_factory=lambda: dict(PAGES))
    redirects: dict[str, str] = field(default_factory=lambda: dict(REDIRECTS))
    misbehaviours: deque[Misbehaviour] = field(default_factory=deque)
    edits_after_extract: int = 0  # how many times a page is edited just after its text was read
    recorded: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # (prop, title) -> answers
    requests: list[dict[str, str]] = field(default_factory=list)
    user_agents: list[str] = field(default_factory=list)

    def replay(self, cassettes: Path) -> None:
        """Answer from recordings of a real wiki where there is one for the prop and the title."""
        for file in sorted(cassettes.glob("*.json")):
            for interaction in json.loads(file.read_text(encoding="utf-8"))["interactions"]:
                asked = _parameters(interaction["request"]["uri"])
                key = (asked.get("prop", ""), asked.get("titles", "").replace("_", " "))
                self.recorded.setdefault(key, []).append(interaction["response"]["body"]["string"])

    def answer(self, asked: dict[str, str]) -> str:
        """Return the JSON for one request."""
        title = asked.get("titles", "").replace("_", " ")
        properties = asked.get("prop", "").split("|")
        for prop in properties:
            if (prop, title) in self.recorded:
                return self.recorded[prop, title][0]
        title = title[:1].upper() + title[1:]
        query: dict[str, object] = {}
        steps = []
        while title in self.redirects:
            steps.append({"from": title, "to": self.redirects[title]})
            title = self.redirects[title]
        if steps:
            query["redirects"] = steps
        if title.startswith("De:"):
            query["interwiki"] = [{"title": title, "iw": "de"}]
            return json.dumps({"batchcomplete": "", "query": query})
        page = self.pages.get(title)
        if page is None:
            query["pages"] = {"-1": {"ns": 0, "title": title, "missing": ""}}
        else:
            query["pages"] = {str(page.page_id): self._page(title, page, properties)}
        return json.dumps({"batchcomplete": "", "query": query})

    def _page(self, title: str, page: Page, properties: Sequence[str]) -> dict[str, object]:
        found: dict[str, object] = {"pageid": page.page_id, "ns": 0, "title": title}
        if "info" in properties:
            address = self.url.replace("api.php", "index.php?title=") + title.replace(" ", "_")
            found |= {"lastrevid": page.revision, "fullurl": address, "pagelanguage": "en"}
        if "extracts" in properties:
            found["extract"] = page.extract
            if self.edits_after_extract:
                self.edits_after_extract -= 1
                self.pages[title] = replace(page, revision=page.revision + 1, extract=page.extract + " Edited.")
        if "categories" in properties and page.categories:
            found["categories"] = [{"ns": 14, "title": name} for name in page.categories]
        if "pageprops" in properties and page.is_disambiguation:
            found["pageprops"] = {"disambiguation": ""}
        if "links" in properties:
            found["links"] = [{"ns": 1 if name.startswith("Talk:") else 0, "title": name} for name in page.links]
        return found


@contextmanager
def running() -> Iterator[Wiki]:
    """Serve a wiki at `wiki.url` until the block ends."""
    wiki = Wiki()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = _parameters(self.path)
            wiki.requests.append(asked)
            wiki.user_agents.append(self.headers.get("User-Agent", ""))
            wrong = wiki.misbehaviours.popleft() if wiki.misbehaviours else None
            body = (wiki.answer(asked) if wrong is None else wrong.body).encode()
            self.send_response(200 if wrong is None else wrong.status)
            for name, value in wrong.headers if wrong is not None else (("Content-Type", "application/json"),):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    wiki.url = f"http://127.0.0.1:{server.server_address[1]}/w/api.php"
    try:
        yield wiki
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _parameters(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query, keep_blank_values=True).items()}
