"""A small MediaWiki on loopback: a real HTTP server that speaks the part of the action API that is used.

It serves pages of our own, can be told to misbehave, to let only its bot read, and to serve a page recorded from a real
wiki. Answers have the form of those of MediaWiki 1.39.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Page:
    """A page as the wiki has it: a paragraph a line and "== Headings ==", or the `html` that it is."""

    page_id: int
    text: str
    revision: int = 1
    html: str | None = None
    categories: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    is_disambiguation: bool = False
    is_redirect: bool = False
    language: str = "en"
    url: str | None = None


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
_NAMESPACES = {"Talk": 1, "Wikipedia": 4, "Template": 10, "Help": 12, "Portal": 100}
_HEADING = re.compile(r"(={2,6}) *(.+?) *={2,6}")
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
LINKED_PAGES = {
    "Anna Weber": Page(1, "Anna Weber lived in Vienna.", links=("Vienna", "Karl Braun", "Graz", "Which")),
    "Karl Braun": Page(2, "Karl Braun met Anna Weber in Graz.", links=("Vienna", "Graz", "Anna Weber", "Nobody")),
    "Vienna": Page(3, "Vienna lies on the Danube.", links=("Danube",)),
    "Graz": Page(4, "Graz lies on the Mur."),
    "Which": Page(5, "Which may refer to:", is_disambiguation=True),
}
LINKED_REDIRECTS = {"Wien": "Vienna", "A. Weber": "Anna Weber"}
REDIRECTS = {"Rozewie": "Cape Rozewie light", "Cape Rozewie light": "Rozewie Lighthouse"}


@dataclass
class Wiki:
    """What the server serves, and what it was asked. Change it while it runs."""

    url: str = ""
    pages: dict[str, Page] = field(default_factory=lambda: dict(PAGES))
    redirects: dict[str, str] = field(default_factory=lambda: dict(REDIRECTS))
    misbehaviours: deque[Misbehaviour] = field(default_factory=deque)
    edits_after_info: int = 0  # how many times a page is edited just after its revision was asked for
    vanishing: int = 0  # how many revisions are deleted before their text is asked for
    most_entries: int = 500  # links or redirects in one answer
    language: str = "en"  # of the site
    bot: tuple[str, str] | None = None  # user name and password; nobody else may read
    sessions: set[str] = field(default_factory=set)  # cookies of those who are logged in; clear it to end them
    requests: list[dict[str, str]] = field(default_factory=list)
    user_agents: list[str] = field(default_factory=list)
    shown: dict[int, tuple[str, Page]] = field(default_factory=dict)  # by revision, which page named it last

    def replay(self, cassettes: Path) -> None:
        """Serve the page that answers recorded from a real wiki are about."""
        found: dict[str, list[dict[str, object]]] = {}
        for file in sorted(cassettes.glob("*.json")):
            for interaction in json.loads(file.read_text(encoding="utf-8"))["interactions"]:
                for page in json.loads(interaction["response"]["body"]["string"])["query"]["pages"].values():
                    for prop in {"extract", "links", "lastrevid"} & page.keys():
                        found.setdefault(prop, []).append(page)
        info, extract = found["lastrevid"][0], found["extract"][0]
        self.pages[str(info["title"])] = Page(
            int(str(info["pageid"])),
            str(extract["extract"]),
            int(str(info["lastrevid"])),
            links=tuple(link["title"] for page in found["links"] for link in page["links"]),  # type: ignore[attr-defined]
            url=str(info["fullurl"]),
        )

    def answer(self, asked: dict[str, str], session: str = "") -> str:
        """Return the JSON for one request."""
        is_user = session in self.sessions
        if asked.get("assert") == "user" and not is_user:
            return _error("assertuserfailed", "You are no longer logged in, so the action could not be completed.")
        if self.bot is not None and not is_user:
            return _error("readapidenied", "You need read permission to use this module.")
        if asked["action"] == "parse":
            return self._parse(asked)
        query: dict[str, object] = {}
        answer: dict[str, object] = {"batchcomplete": "", "query": query}
        if asked.get("meta") == "siteinfo":
            query["general"] = {"lang": self.language, "wikiid": "fake"}
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
        elif asked.get("generator") == "redirects":
            leading = self._part(self._redirects_to(asked["titles"]), asked, ("grdlimit", "grdcontinue"), answer)
            query["pages"] = {
                str(9_000 + number): {**each, **({"redirects": further} if further else {})}
                for number, each in enumerate(leading)
                if (further := self._redirects_to(str(each["title"]))) is not None
            }
        else:
            self._query_titles(asked, query, answer)
        return json.dumps(answer)

    def _query_titles(self, asked: dict[str, str], query: dict[str, object], answer: dict[str, object]) -> None:
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
            elif title not in self.redirects:  # a circle has no page at all
                pages[str(-1 - len(pages))] = {"ns": 0, "title": title, "missing": ""}
        if steps:
            query["redirects"] = steps
        if "interwiki" not in query and pages:
            query["pages"] = pages

    def _parse(self, asked: dict[str, str]) -> str:
        revision = int(asked["oldid"])
        if self.vanishing or revision not in self.shown:
            self.vanishing = max(self.vanishing - 1, 0)
            return _error("nosuchrevid", f"There is no revision with ID {revision}.")
        title, page = self.shown[revision]
        links = [{"ns": _namespace(name), "title": name, "exists": name in self.pages} for name in page.links]
        parsed = {"title": title, "pageid": page.page_id, "text": page.html or _html(page.text), "links": links}
        return json.dumps({"parse": parsed})

    def log_in(self, asked: dict[str, str], session: str) -> tuple[str, str]:
        """Return the cookie of a session and the JSON, for a request of a token or one to log in."""
        if asked["action"] == "query":
            return "visitor", json.dumps({"batchcomplete": "", "query": {"tokens": {"logintoken": "a1+\\"}}})
        given = (asked.get("lgname"), asked.get("lgpassword"))
        if session != "visitor" or asked.get("lgtoken") != "a1+\\":
            return "visitor", json.dumps({"login": {"result": "NeedToken"}})
        if given != self.bot:
            reason = "Incorrect username or password entered.\nPlease try again."
            return "visitor", json.dumps({"login": {"result": "Failed", "reason": reason}})
        name = f"user-{len(self.requests)}"
        self.sessions.add(name)
        return name, json.dumps({"login": {"result": "Success", "lguserid": 1, "lgusername": given[0]}})

    def _redirects_to(self, title: str) -> list[dict[str, object]]:
        return [{"ns": 0, "title": name} for name, to in sorted(self.redirects.items()) if to == title]

    def _page(self, title: str, asked: dict[str, str], answer: dict[str, object]) -> dict[str, object]:
        page = self.pages[title]
        properties = asked.get("prop", "").split("|")
        namespace = 0 if ":" not in title else 14
        found: dict[str, object] = {"pageid": page.page_id, "ns": namespace, "title": title}
        if "info" in properties:
            address = page.url or self.url.replace("api.php", "index.php?title=") + title.replace(" ", "_")
            found |= {"lastrevid": page.revision, "fullurl": address, "pagelanguage": page.language}
            found |= {"redirect": ""} if page.is_redirect else {}
            self.shown[page.revision] = title, page
            if self.edits_after_info:
                self.edits_after_info -= 1
                self.pages[title] = replace(page, revision=page.revision + 1, text=page.text + " Edited.")
        if "categories" in properties and page.categories:
            found["categories"] = [{"ns": 14, "title": name} for name in page.categories]
        if "pageprops" in properties and page.is_disambiguation:
            found["pageprops"] = {"disambiguation": ""}
        if "links" in properties:
            links = [{"ns": _namespace(name), "title": name} for name in sorted(page.links)]
            found["links"] = self._part(links, asked, ("pllimit", "plcontinue"), answer)
        if "redirects" in properties:
            leading = self._part(self._redirects_to(title), asked, ("rdlimit", "rdcontinue"), answer)
            found |= {"redirects": leading} if leading else {}
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


def _namespace(title: str) -> int:
    return _NAMESPACES.get(title.partition(":")[0], 0)


def _error(code: str, info: str) -> str:
    return json.dumps({"error": {"code": code, "info": info, "*": "See the documentation of the API."}})


def _html(text: str) -> str:
    """Return paragraphs and headings as MediaWiki 1.39 writes them."""
    lines = []
    for line in filter(None, text.split("\n")):
        heading = _HEADING.fullmatch(line.strip())
        level = len(heading[1]) if heading else 0
        lines.append(
            f'<h{level}><span class="mw-headline" id="x">{escape(heading[2])}</span></h{level}>'
            if heading
            else f"<p>{escape(line)}\n</p>"
        )
    return f'<div class="mw-parser-output">{"".join(lines)}</div>'


@contextmanager
def running() -> Iterator[Wiki]:
    """Serve a wiki at `wiki.url` until the block ends."""
    wiki = Wiki()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._respond(_parameters(urlsplit(self.path).query))

        def do_POST(self) -> None:
            self._respond(_parameters(self.rfile.read(int(self.headers["Content-Length"])).decode()))

        def _respond(self, asked: dict[str, str]) -> None:
            wiki.requests.append(asked)
            wiki.user_agents.append(self.headers.get("User-Agent", ""))
            wrong = wiki.misbehaviours.popleft() if wiki.misbehaviours else None
            status, headers = 200, [("Content-Type", "application/json")]
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get("session")
            session = cookie.value if cookie else ""
            if wrong is not None:
                status, headers, body = wrong.status, [*wrong.headers], wrong.body
            elif asked.get("action") == "login" or asked.get("meta") == "tokens":
                session, body = wiki.log_in(asked, session)
                headers.append(("Set-Cookie", f"session={session}; path=/; HttpOnly"))
            else:
                body = wiki.answer(asked, session)
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

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


def _parameters(encoded: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(encoded, keep_blank_values=True).items()}
