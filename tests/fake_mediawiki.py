"""A small MediaWiki on loopback: a real HTTP server that speaks the part of the action API that is used.

It serves pages of our own, can be told to misbehave, and can replay answers recorded from a real wiki.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
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
    is_redirect: bool = False
    language: str = "en"


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
    most_entries: int = 500  # links or redirects in one answer
    recorded: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)  # prop, title, place -> answers
    requests: list[dict[str, str]] = field(default_factory=list)
    user_agents: list[str] = field(default_factory=list)

    def replay(self, cassettes: Path) -> None:
        """Answer from recordings of a real wiki where there is one for the prop, the title and the place in it."""
        for file in sorted(cassettes.glob("*.json")):
            for interaction in json.loads(file.read_text(encoding="utf-8"))["interactions"]:
                asked = _parameters(interaction["request"]["uri"])
                self.recorded.setdefault(_recorded_as(asked), []).append(interaction["response"]["body"]["string"])

    def answer(self, asked: dict[str, str]) -> str:
        """Return the JSON for one request."""
        for prop in asked.get("prop", "").split("|"):
            if recorded := self.recorded.get(_recorded_as({**asked, "prop": prop})):
                return recorded[0]
        query: dict[str, object] = {}
        answer: dict[str, object] = {"batchcomplete": "", "query": query}
        if "pageids" in asked:
            titles = {page.page_id: title for title, page in self.pages.items()}
            wanted = [int(number) for number in asked["pageids"].split("|")]
            assert len(wanted) <= 50
            query["pages"] = {
                str(number): self._page(titles[number], asked, answer)
                if number in titles
                else {"pageid": number, "missing": ""}
                for number in wanted
            }
            return json.dumps(answer)
        titles_asked = asked.get("titles", "").replace("_", " ").split("|")
        assert len(titles_asked) <= 50
        pages: dict[str, object] = {}
        steps: list[dict[str, str]] = []
        for written in titles_asked:
            title = written[:1].upper() + written[1:]
            while title in self.redirects and title not in [step["from"] for step in steps]:
                steps.append({"from": title, "to": self.redirects[title]})
                title = self.redirects[title]
            if title.startswith("De:"):
                query["interwiki"] = [{"title": title, "iw": "de"}]
            elif title in self.pages:
                pages[str(self.pages[title].page_id)] = self._page(title, asked, answer)
            else:
                pages[str(-1 - len(pages))] = {"ns": 0, "title": title, "missing": ""}
        if steps:
            query["redirects"] = steps
        if "interwiki" not in query:
            query["pages"] = pages
        return json.dumps(answer)

    def _page(self, title: str, asked: dict[str, str], answer: dict[str, object]) -> dict[str, object]:
        page = self.pages[title]
        properties = asked.get("prop", "").split("|")
        namespace = 0 if ":" not in title else 14
        found: dict[str, object] = {"pageid": page.page_id, "ns": namespace, "title": title}
        if "info" in properties:
            address = self.url.replace("api.php", "index.php?title=") + title.replace(" ", "_")
            found |= {"lastrevid": page.revision, "fullurl": address, "pagelanguage": page.language}
            found |= {"redirect": ""} if page.is_redirect else {}
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
            links = [{"ns": 1 if name.startswith("Talk:") else 0, "title": name} for name in sorted(page.links)]
            found["links"] = self._part(links, asked, ("pllimit", "plcontinue"), answer)
        if "redirects" in properties:
            leading = [{"ns": 0, "title": name} for name, to in sorted(self.redirects.items()) if to == title]
            found["redirects"] = self._part(leading, asked, ("rdlimit", "rdcontinue"), answer)
        return found

    def _part(
        self,
        entries: list[dict[str, object]],
        asked: dict[str, str],
        names: tuple[str, str],
        answer: dict[str, object],
    ) -> list[dict[str, object]]:
        """Return as many entries as one answer holds, and say in the answer where the next ones begin."""
        limit, place = names
        start = int(asked.get(place, 0))
        end = start + min(int(asked.get(limit, 10)), self.most_entries)
        if end < len(entries):
            answer["continue"] = {place: str(end), "continue": "||"}
            del answer["batchcomplete"]
        return entries[start:end]


def _recorded_as(asked: dict[str, str]) -> tuple[str, str, str]:
    return asked.get("prop", ""), asked.get("titles", "").replace("_", " "), asked.get("plcontinue", "")


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
