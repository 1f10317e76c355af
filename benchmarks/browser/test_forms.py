"""Every form and every button of every page of `kg serve`, pressed in a real browser: `make test-pages`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from chromium import NAME, Tab, browser
from kg_neo4j import KnowledgeGraph
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.settings import Settings
from kg_neo4j_serve.connection import Rights
from kg_neo4j_serve.guard import LOGIN, SESSION, Access
from served import post, served, token
from served_pages import ADA, PAGES, address_of
from viewer_buttons import PRESSED, VIEWER, press_viewer

TOKEN = "a-token-of-twenty-four-ch"
STORY = Path(__file__).resolve().parents[2] / "examples" / "the_lamp_at_skarnes.md"
OFFLINE = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None}
UPLOADED = "zelda.txt"
FORMS = """[...document.forms].flatMap((form, place) => {
  const buttons = [...form.elements].filter(each => each.type === "submit" || each.type === "image");
  return (buttons.length ? buttons : [null]).map(button => {
    const copy = button?.cloneNode(true);
    copy?.querySelectorAll(".visually-hidden").forEach(each => each.remove());
    const controls = [...form.elements].filter(each => each.name && each !== button);
    return {place, button: copy?.textContent.trim() ?? null, number: [...form.elements].indexOf(button),
      method: form.getAttribute("method") ?? "get", action: form.getAttribute("action"),
      hidden: Object.fromEntries(controls.filter(each => each.type === "hidden").map(each => [each.name, each.value])),
      open: controls.filter(each => each.type !== "hidden" && !each.hidden).map(each => each.name),
      files: controls.filter(each => each.type === "file").map(each => each.name),
      missing: controls.filter(each => each.required && !each.value).map(each => each.name)};
  });
})"""
LOOSE = f"""[...document.querySelectorAll("{PRESSED}")].filter(each =>
  !each.form && each.tagName !== "SUMMARY" && !each.closest(".kg-viewer, #history")).map(each => each.outerHTML)"""


@dataclass(frozen=True)
class Site:
    """A server, and the tab that looks at it."""

    client: httpx.Client
    tab: Tab
    write: bool
    locked: bool
    figures: Callable[[str, object], None]  # prints what the browser did, at the end of the run
    folder: Path
    seen: set[str] = field(default_factory=set)  # forms that were submitted

    @property
    def base(self) -> str:
        return str(self.client.base_url).rstrip("/")

    def place(self) -> str:
        return str(self.tab.until("location.pathname + location.search"))

    def note(self, page: str, what: str, did: str) -> None:
        server = f"{'write' if self.write else 'read':5} {'token' if self.locked else '-':5}"
        self.figures("figures", f"{server} {page:<62} {what:<31} {did}")


@dataclass(frozen=True)
class Known:
    """What a person writes into a form, where it ends, and what it promises: checked when the block is left."""

    fields: Mapping[str, str]
    ends: str
    promise: Callable[[Site, dict[str, str]], AbstractContextManager[None]]


def shows(expression: str) -> Callable[[Site, dict[str, str]], AbstractContextManager[None]]:
    """Return a promise: an expression is true on the page at which one ends."""

    @contextmanager
    def promise(site: Site, _: dict[str, str]) -> Iterator[None]:
        yield
        assert site.tab.value(expression) is True, (expression, site.place())

    return promise


@contextmanager
def plans(site: Site, _: dict[str, str]) -> Iterator[None]:
    """Promise the plan of the file that was chosen."""
    yield
    [id] = parse_qs(urlsplit(site.place()).query)["plan"]
    plan = site.client.get("/load.json", params={"plan": id}).json()["plan"]
    assert [each["name"] for each in plan["files"]] == [UPLOADED]
    assert site.tab.value("document.querySelector('h1').innerText") == "Load 1 file?"


@contextmanager
def loads(site: Site, given: dict[str, str]) -> Iterator[None]:
    """Promise a load that ends, which the page shows by itself."""
    known = len(site.client.get("/api/status").json()["jobs"])
    yield
    assert site.tab.until("document.querySelector('#job .badge')?.textContent === 'done'")
    assert site.tab.until("document.querySelector('a.button')?.innerText === 'Ask about them'")
    assert len(site.client.get("/api/status").json()["jobs"]) == known + 1
    assert site.client.get("/load.json", params={"plan": given["plan"]}).status_code == 404


@contextmanager
def drops(site: Site, given: dict[str, str]) -> Iterator[None]:
    """Promise that an upload is gone, and that nothing was loaded."""
    known = len(site.client.get("/api/status").json()["jobs"])
    yield
    assert len(site.client.get("/api/status").json()["jobs"]) == known
    assert site.client.get("/load.json", params={"plan": given["plan"]}).status_code == 404


def decisions(site: Site) -> dict[str, dict[str, Any]]:
    """Return the decisions that hold, by their ids."""
    found, cursor = [], ""
    while cursor is not None:
        page = site.client.get("/decisions.json", params={"cursor": cursor}).json()
        found, cursor = [*found, *page["decided"]], page["cursor"]
    return {each["id"]: each for each in found if not each["revoked"]}


def decides(*kinds: str) -> Callable[[Site, dict[str, str]], AbstractContextManager[None]]:
    """Return a promise: one more decision, of one of these kinds. It is taken back afterwards."""

    @contextmanager
    def promise(site: Site, given: dict[str, str]) -> Iterator[None]:
        before = decisions(site)
        yield
        after = decisions(site)
        [made] = [after[id] for id in after.keys() - before.keys()]
        assert made["kind"] in kinds
        if "pair" in given:
            left = site.client.get("/merges.json").json()["open"]
            assert given["pair"] not in [each["touched"] for each in left]
            return
        carried = {name: made[name] for name in ("id", "was", "seen")}
        assert post(site.client, "/decide/undo", **carried).status_code == 303

    return promise


@contextmanager
def takes_back(site: Site, given: dict[str, str]) -> Iterator[None]:
    """Promise that one decision holds no more."""
    before = decisions(site)
    yield
    assert before.keys() - decisions(site).keys() == {given["id"]}


@contextmanager
def keeps_a_question(site: Site, given: dict[str, str]) -> Iterator[None]:
    """Promise that the question is kept with its wrong answer and the right one."""
    yield
    newest = site.client.get("/questions.json").json()["questions"][0]
    assert (newest["question"], newest["wrong"]) == (given["question"], given["wrong"])
    assert newest["right"] == "He is another one."


@contextmanager
def removes_a_question(site: Site, given: dict[str, str]) -> Iterator[None]:
    """Promise that one question is gone."""
    before = {each["id"] for each in site.client.get("/questions.json").json()["questions"]}
    yield
    after = {each["id"] for each in site.client.get("/questions.json").json()["questions"]}
    assert before - after == {given["id"]}


def cookie_of(tab: Tab, name: str) -> dict[str, Any]:
    """Return a cookie that the browser would send to the page that it shows."""
    [found] = [each for each in tab.call("Network.getCookies")["cookies"] if each["name"] == name]
    return dict(found)


@contextmanager
def logs_in(site: Site, _: dict[str, str]) -> Iterator[None]:
    """Promise a cookie that scripts cannot read and that other sites cannot send."""
    yield
    found = cookie_of(site.tab, LOGIN)
    assert (found["httpOnly"], found["sameSite"], found["path"]) == (True, "Strict", "/")
    assert TOKEN not in found["value"]


KNOWN = {
    "/ask Ask": Known(
        {"question": "Whom did Ada Lovelace marry?", "documents": "Ada Lovelace", "since": "1800"},
        "/ask",
        shows("document.querySelector('#answer').innerText.includes('William King')"),
    ),
    "/search Search": Known(
        {"words": "Charles Babbage"}, "/search", shows("document.querySelectorAll('.hit, mark').length > 0")
    ),
    "/documents Filter": Known(
        {"words": "ada"}, "/documents", shows("document.querySelector('td a').innerText === 'Ada Lovelace'")
    ),
    "/report Run the report": Known(
        {"set.from": "Ada Lovelace", "set.to": "London"},
        "/report",
        shows("document.querySelectorAll('tbody tr').length > 0"),
    ),
    "/load Show the plan": Known({}, "/load", plans),
    "/load/begin Load now": Known({}, "/run", loads),
    "/load/drop Do not load": Known({}, "/load", drops),
    "/decide/name Change the name": Known({"value": "Ada King", "reason": "a deed"}, "/entity", decides("edited-node")),
    "/decide/type Change the type": Known({"value": "SCIENTIST"}, "/entity", decides("edited-node")),
    "/decide/same They are one": Known({"value": "Mary Somerville"}, "/entity", decides("must-link")),
    "/decide/two They are two": Known({"document.": "one"}, "/entity", decides("cannot-link")),
    "/decide/add Add the fact": Known(
        {"type": "ADMIRED", "other": "Charles Babbage", "reason": "a letter"}, "/entity", decides("added-fact")
    ),
    "/decide/wrong This fact is wrong": Known({"reason": "a deed"}, "/entity", decides("wrong-fact")),
    "/decide/edit Change the fact": Known({"type": "KNEW"}, "/entity", decides("edited-fact")),
    "/decide/pair They are one": Known({}, "/merges", decides("must-link")),
    "/decide/pair They are two": Known({}, "/merges", decides("cannot-link")),
    "/decide/undo Undo": Known({}, "/decisions /entity", takes_back),
    "/questions/add Keep this question": Known({"right": "He is another one."}, "/questions", keeps_a_question),
    "/questions/remove Remove": Known({}, "/questions", removes_a_question),
    "/login Log in": Known({"token": TOKEN}, "/", logs_in),
}
WRITING = {each for each in KNOWN if each.startswith(("/load", "/decide", "/questions"))}


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def notes(settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder, name = tmp_path_factory.mktemp("notes"), f"forms-{uuid.uuid4().hex[:12]}"
    (folder / "ada.md").write_text(ADA, "utf-8")
    own = {"graph": name, "home": tmp_path_factory.mktemp("home"), **OFFLINE}
    with KnowledgeGraph(name, settings=settings.model_copy(update=own)) as found:
        found.load(folder)
        found.load(STORY)  # which has names that may be one
        found.tree()
        yield found
    delete_graph(database, name)


@contextmanager
def site_of(
    notes: KnowledgeGraph, tab: Tab, write: bool, locked: bool, record: Callable[[str, object], None], folder: Path
) -> Iterator[Site]:
    """Give a server with these rights, and a browser without its cookies."""
    access = Access.to("127.0.0.1", TOKEN if locked else None, [NAME])
    (folder / UPLOADED).write_text("Zelda Young met Yann Zimmer in Oslo in 1901.", "utf-8")
    with served(notes.settings, Rights(write=write), access) as client:
        if locked:
            client.headers["authorization"] = f"Bearer {TOKEN}"
        tab.call("Network.clearBrowserCookies")
        yield Site(client, tab, write, locked, record, folder)


def check_quiet(tab: Tab, status: int = 200) -> None:
    """Fail where the page wrote to the console. The browser itself does for an error, and for http:// by name."""
    expected = [f"status of {status} "] * (status >= 400)
    expected += ["Cross-Origin-Opener-Policy header has been ignored"] * (not tab.value("isSecureContext"))
    assert [each for each in tab.complaints() if not any(text in each for text in expected)] == []


def fill(site: Site, form: Mapping[str, Any], values: Mapping[str, str]) -> None:
    """Write into the fields of a form, and choose a file for each field of files."""
    tab, element = site.tab, f"document.forms[{form['place']}]"
    tab.value("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    for name in form["open"]:
        control = f"{element}.elements['{name}']"
        if name in form["files"] and name != "folder":
            node = tab.call("Runtime.evaluate", expression=control)["result"]["objectId"]
            tab.call("DOM.setFileInputFiles", objectId=node, files=[str(site.folder / UPLOADED)])
            assert UPLOADED in tab.value("document.querySelector('#chosen').innerText")
        elif name.startswith("document."):
            if not tab.value(f"{element}.querySelector(':checked')"):  # the first document means another bearer
                tab.click(*tab.spot(control))
        elif name in values:
            tab.click(*tab.spot(control))
            tab.value(f"{control}.select()")
            tab.call("Input.insertText", text=values[name])
            assert tab.value(f"{control}.value") == values[name]
    assert tab.value(f"{element}.checkValidity()"), f"nothing is known of a field of {form}"


def submit(
    site: Site, page: str, form: Mapping[str, Any], values: Mapping[str, str], *, was: int = 200
) -> tuple[int, str]:
    """Fill a form, click its button, note what the browser did, and return the status and where it ended."""
    fill(site, form, values)
    check_quiet(site.tab, was)
    site.tab.click_through(*site.tab.spot(f"document.forms[{form['place']}].elements[{form['number']}]"))
    pages = site.tab.documents()
    place, status = site.place(), int(pages[-1]["status"])
    assert (pages[0]["method"].lower(), urlsplit(pages[0]["url"]).path) == (form["method"], form["action"])
    sent = pages[0]["headers"]
    origin = f"; Origin {sent.get('origin')}, Sec-Fetch-Site {sent.get('sec-fetch-site')}"
    way = " -> ".join(f"{each['method']} {urlsplit(each['url']).path} {each['status']}" for each in pages)
    site.note(page, f"[{form['button']}]", f"{way}; at {place}{origin if form['method'] == 'post' else ''}")
    return status, place


def press_forms(site: Site, page: str) -> None:
    """Submit each kind of form of a page, each on the page as it is first shown."""
    found = {f"{each['action']} {each['button']}": each for each in reversed(site.tab.value(FORMS))}
    alien = [each for each in found if not site.write and found[each]["method"] == "post"]
    assert set(alien) <= {"/login Log in"}, f"{page} of a server that only reads has {alien}"
    for kind, form in reversed(found.items()):
        assert kind in KNOWN, f"{page} has a form of which nothing is known: {form}"
        open_page(site, page)
        form = next(each for each in site.tab.value(FORMS) if f"{each['action']} {each['button']}" == kind)
        with KNOWN[kind].promise(site, form["hidden"]):
            status, place = submit(site, page, form, KNOWN[kind].fields)
            said = site.tab.value("document.querySelector('main').innerText")
            assert (status, urlsplit(place).path in KNOWN[kind].ends.split()) == (200, True), (page, form, said)
        check_quiet(site.tab)
        site.seen.add(kind)


def open_page(site: Site, page: str) -> int:
    """Show a page, and return its status."""
    site.tab.open(address_of(site.client, page, write=site.write))
    status = int(site.tab.documents()[-1]["status"])
    check_quiet(site.tab, status)
    return status


def press_summaries(site: Site, page: str) -> None:
    """Open and close whatever can be; the outer ones come first."""
    count = site.tab.value("document.querySelectorAll('summary').length")
    for number in range(count):
        element = f"document.querySelectorAll('summary')[{number}]"
        was = site.tab.value(f"{element}.parentElement.open")
        site.tab.click(*site.tab.spot(element))
        assert site.tab.value(f"{element}.parentElement.open") is not was, (page, number)
        if was:
            site.tab.click(*site.tab.spot(element))
    if count:
        check_quiet(site.tab)
        site.note(page, f"{count} summaries", "each opens or closes")


def log_in(site: Site, page: str) -> None:
    """Ask for a page without a login, try a wrong token, then the right one, and be at the page."""
    address = address_of(site.client, page, write=site.write)
    site.tab.open(address)
    assert [each["status"] for each in site.tab.documents()] == [303, 200]
    assert site.place() == "/login"
    [form] = site.tab.value(FORMS)
    assert submit(site, page, form, {"token": TOKEN[:-1]}) == (401, "/login")
    assert site.tab.value("document.querySelector('[role=alert]').innerText") == "This token is wrong."
    check_quiet(site.tab, 401)
    [form] = site.tab.value(FORMS)
    with logs_in(site, {}):
        assert submit(site, page, form, {"token": TOKEN}, was=401) == (200, address.removeprefix(site.base))


@pytest.mark.parametrize("locked", [False, True], ids=["open", "token"])
@pytest.mark.parametrize("write", [False, True], ids=["reads", "writes"])
def test_every_form_and_button_does_what_it_promises(
    notes: KnowledgeGraph,
    tab: Tab,
    tmp_path: Path,
    write: bool,
    locked: bool,
    record_property: Callable[[str, object], None],
) -> None:
    with site_of(notes, tab, write, locked, record_property, tmp_path) as site:
        if locked:
            log_in(site, PAGES[1])
        for page in PAGES:
            status = open_page(site, page)
            refused = {"/load": 403, "/run": 404}.get(page.partition("?")[0], 200)
            assert status == (200 if write else refused), page
            assert tab.value(LOOSE) == [], page
            press_summaries(site, page)
            if tab.value(f"{VIEWER} !== null"):
                pressed = press_viewer(tab, site.client)
                check_quiet(tab)
                site.note(page, "viewer", f"{pressed}; at {site.place()}")
                open_page(site, page)
            press_forms(site, page)
        expected = KNOWN.keys() if write else KNOWN.keys() - WRITING
        assert site.seen | {"/decide/two They are two"} == expected | {"/decide/two They are two"}  # test_decisions.py


def test_forms_work_where_the_browser_sends_no_sec_fetch_site(
    notes: KnowledgeGraph, tab: Tab, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """At http:// and a name that is not loopback, as with `kg serve --host`."""
    with site_of(notes, tab, True, True, record_property, tmp_path) as site:
        base = site.base.replace("127.0.0.1", NAME)
        tab.open(f"{base}/load")
        [login] = tab.value(FORMS)
        assert submit(site, f"{NAME}/load", login, {"token": TOKEN}) == (200, "/load")
        assert "sec-fetch-site" not in tab.documents()[0]["headers"]
        [form] = tab.value(FORMS)
        with plans(site, {}):
            status, _ = submit(site, f"{NAME}/load", form, {})
        assert status == 200


def test_a_form_of_another_site_is_refused_and_its_links_are_followed(
    notes: KnowledgeGraph, tab: Tab, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Another port is the same site, whose requests have our cookies; another name is another site."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with site_of(notes, tab, True, False, record_property, tmp_path) as site:
        tab.open(f"{site.base}/documents")
        session = cookie_of(tab, SESSION)["value"]
        site.client.cookies.set(SESSION, session, domain="127.0.0.1")
        before, pair = decisions(site), site.client.get("/merges.json").json()["open"][0]
        sides = {"pair": pair["touched"], "was": pair["was"], "seen": pair["seen"]}
        assert post(site.client, "/decide/pair", verdict="apart", **sides).status_code == 303
        [id] = decisions(site).keys() - before.keys()
        fields = {"csrf": token(site.client, "/decide/undo"), "id": id, "was": decisions(site)[id]["was"]}
        inputs = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in fields.items())
        (tmp_path / "index.html").write_text(
            f'<!doctype html><form method="post" action="{site.base}/decide/undo">{inputs}<button>Win</button></form>'
            f'<a href="{site.base}/documents">Documents</a>',
            "utf-8",
        )
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            for host in ("127.0.0.1", NAME):
                tab.open(f"http://{host}:{server.server_port}/")
                tab.click_through(*tab.spot("document.links[0]"))
                assert tab.documents()[-1]["status"] == 200
                assert cookie_of(tab, SESSION)["value"] == session  # so that forms in other tabs still work
                tab.open(f"http://{host}:{server.server_port}/")
                tab.click_through(*tab.spot("document.forms[0].elements[3]"))
                [sent] = tab.documents()
                assert (sent["method"], sent["status"]) == ("POST", 403)
                assert ("cookie" in sent["headers"]) is (host == "127.0.0.1")
                assert tab.value("document.querySelector('h1').innerText") == "This did not work"
                sent_by = f"Origin {sent['headers']['origin']}, Sec-Fetch-Site {sent['headers']['sec-fetch-site']}"
                site.note(f"a page of {host}, another port", "[Win]", f"POST /decide/undo 403; {sent_by}")
            server.shutdown()
        assert id in decisions(site)
