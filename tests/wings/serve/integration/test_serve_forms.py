"""The forms of the pages and the login, with the headers that browsers send; and forms that are not ours."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import httpx
import pytest
from lxml import html

from kg_neo4j.pipeline.commands import resolve
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.settings import Settings
from kg_neo4j_serve import rendering
from kg_neo4j_serve.connection import Rights
from kg_neo4j_serve.guard import Access
from served import PERSON, post, served, token

STORY = Path(__file__).resolve().parents[4] / "examples" / "the_lamp_at_skarnes.md"
TOKEN = "a-token-of-twenty-four-ch"
OWN = "http://the-server-itself"  # stands for the address of the server
UPLOAD = {"files": ("ada.txt", b"Ada Lovelace met Charles Babbage in 1833.")}
SHOWN_ON = {
    "/load": "/load",
    "/load/begin": "/load?plan={plan}",
    "/load/drop": "/load?plan={plan}",
    "/decide/pair": "/merges",
    "/decide/undo": "/decisions",
    "/decide/name": "/entity?name=Halvor+Tveit",
    "/run/cancel": "/runs",  # its form is there while a load runs: see test_serve_loading.py
    "/questions/add": "/ask?question=Who+lit+the+lamp%3F",
    "/questions/remove": "/questions",
    "/login": "/login",
}
OURS = {
    "browser": PERSON | {"origin": OWN},
    "browser that hides the referrer": PERSON | {"origin": "null"},
    "browser after a reload by hand": PERSON | {"origin": "null", "sec-fetch-site": "none"},
    "old browser, or http by name": {"accept": PERSON["accept"], "origin": OWN},
}
ALIEN = (
    {"origin": "null"},
    {"origin": "https://evil.example"},
    {"origin": "http://127.0.0.1:1"},
    {"sec-fetch-site": "cross-site", "origin": "https://evil.example"},
    {"sec-fetch-site": "cross-site", "origin": "null"},
    {"sec-fetch-site": "cross-site", "origin": OWN},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:1"},
    {"sec-fetch-site": "same-site", "origin": "null"},
    {"sec-fetch-site": "same-origin", "origin": "https://evil.example"},
    {"sec-fetch-site": "none", "origin": "https://evil.example"},
    {"sec-fetch-site": "unknown"},
)


@pytest.fixture(scope="module")
def story(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    found = shared.model_copy(update={"home": tmp_path_factory.mktemp("home")})
    load([str(STORY)], settings=found)
    return found


def prepare(client: httpx.Client, settings: Settings, action: str) -> None:
    """Leave a pair to decide, or a decision to take back, after the loads of other tests."""
    while [each for each in client.get("/api/status").json()["jobs"] if each["state"] in ("waiting", "running")]:
        time.sleep(0.05)
    if action == "/questions/remove":
        post(client, "/questions/add", question="Who lit the lamp?", right="It was Ines.")
    how = {"settings": settings, "analytics": False, "budget": None}
    stored = [each.decision for each in resolve.decisions(settings=settings) if each.decision.rule == resolve.PERSON]
    held = [each.id for each in stored if not each.revoked]
    if action == "/decide/pair":
        for id in held:
            resolve.undo(id, **how)
    elif action == "/decide/undo" and not held:
        found = resolve.resolve(settings=settings, options=resolve.ResolveOptions(dry_run=True)).proposals[0]
        resolve.decide_pair((found.left.key, found.right.key), is_one=False, **how)


@pytest.fixture(scope="module")
def server(story: Settings) -> Iterator[httpx.Client]:
    with served(story, Rights(write=True)) as client:
        yield client


@pytest.fixture(scope="module")
def locked(story: Settings) -> Iterator[httpx.Client]:
    with served(story, Rights(write=True), Access.to("127.0.0.1", TOKEN)) as client:
        yield client


@pytest.fixture(autouse=True)
def a_browser_of_its_own(request: pytest.FixtureRequest) -> None:
    """Forget the cookies of other tests."""
    for name in {"server", "locked"} & set(request.fixturenames):
        request.getfixturevalue(name).cookies.clear()


def filled(client: httpx.Client, settings: Settings, action: str) -> dict[str, str]:
    """Return the fields of a form as its page has them."""
    prepare(client, settings, action)
    page = SHOWN_ON[action]
    if action == "/run/cancel":
        id = client.post("/api/load", json={"name": "cancelled.txt", "text": "Ada Lovelace"}).json()["id"]
        return {"csrf": token(client, action), "id": id}
    if "{plan}" in page:
        page = post(client, "/load", files=UPLOAD).headers["location"]
    shown = client.get(page, headers=PERSON).text
    forms = html.fromstring(shown).xpath("//form[@action=$action]", action=action)
    assert forms, shown
    form = forms[-1]
    fields = {each.get("name"): each.get("value", "") for each in form.xpath(".//input[not(@type='file')]")}
    return fields | {"/login": {"token": TOKEN}, "/questions/add": {"right": "It was Ines."}}.get(action, {})


def submitted(client: httpx.Client, action: str, fields: Mapping[str, str], headers: Mapping[str, str]) -> int:
    """Return the status of the answer to a form."""
    own = {name: value.replace(OWN, str(client.base_url).rstrip("/")) for name, value in headers.items()}
    files = UPLOAD if action == "/load" else None
    return client.post(action, data=fields, files=files, headers=own).status_code


@pytest.mark.parametrize("sender", OURS)
@pytest.mark.parametrize("action", SHOWN_ON)
def test_a_form_is_accepted_as_a_browser_sends_it(
    server: httpx.Client, story: Settings, action: str, sender: str
) -> None:
    assert submitted(server, action, filled(server, story, action), OURS[sender]) == 303


@pytest.mark.parametrize("action", SHOWN_ON)
def test_a_form_of_another_site_is_refused_even_with_our_token(
    server: httpx.Client, story: Settings, action: str
) -> None:
    fields = filled(server, story, action)
    for headers in ALIEN:
        for more in ({}, {"sec-fetch-mode": "navigate", "accept": PERSON["accept"]}):
            assert submitted(server, action, fields, {**headers, **more}) == 403, headers


@pytest.mark.parametrize("action", SHOWN_ON)
def test_a_form_needs_the_token_of_its_own_action_and_session(
    server: httpx.Client, story: Settings, action: str
) -> None:
    fields = filled(server, story, action)
    others = [token(server, each) for each in SHOWN_ON if each != action]
    for wrong in (*others, "", "0" * 64, "\u0142"):
        assert submitted(server, action, {**fields, "csrf": wrong}, OURS["browser"]) == 403
    assert (
        submitted(server, action, {name: each for name, each in fields.items() if name != "csrf"}, OURS["browser"])
        == 403
    )
    server.cookies.clear()
    assert submitted(server, action, fields, OURS["browser"]) == 403
    server.cookies.set("kg_session", "another")
    assert submitted(server, action, fields, OURS["browser"]) == 403


def test_a_deed_is_done_once_for_a_right_and_a_token(offline: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    page = SimpleNamespace(
        ACTIONS=(rendering.Action("/deed/{id}", lambda _, form: done.append(f"{form['id']} {form['word']}") or "/"),)
    )
    monkeypatch.setattr(rendering, "modules", lambda: (page,))
    rendering.static_files.cache_clear()
    for rights, status in ((Rights(), 403), (Rights(write=True), 303)):
        with served(offline, rights) as client:
            for form in ({}, {"csrf": ""}, {"csrf": token(client, "/deed/2")}):
                assert client.post("/deed/1", data={"word": "no", **form}).status_code == 403
            assert post(client, "/deed/1", word="yes").status_code == status
    assert done == ["1 yes"]
    rendering.static_files.cache_clear()


# ------------------------------------------------------------------------------------------------ the login


def login(client: httpx.Client, word: str = TOKEN) -> httpx.Response:
    """Submit the form of the login."""
    return post(client, "/login", token=word)


@pytest.mark.parametrize("goal", ["/", "/documents", "/search?words=a+%22b%22%3B+%C3%A9%2F..", "/nothing"])
def test_a_person_logs_in_and_returns_to_the_page(locked: httpx.Client, goal: str) -> None:
    asked = locked.get(goal, headers=PERSON)
    assert (asked.status_code, asked.headers["location"]) == (303, "/login")
    page = locked.get("/login", headers=PERSON)
    assert page.status_code == 200
    assert locked.get(goal, headers=PERSON).status_code == 303
    done = login(locked)
    assert (done.status_code, done.headers["location"]) == (303, goal)
    assert locked.get(goal, headers=PERSON).status_code == (404 if goal == "/nothing" else 200)
    assert TOKEN not in page.text + str(asked.headers) + str(done.headers)
    assert login(locked).headers["location"] == "/"  # the page is led to once


def test_a_link_from_another_site_leads_to_the_login_and_then_to_its_page(locked: httpx.Client) -> None:
    link = PERSON | {"sec-fetch-site": "cross-site"}
    assert locked.get("/documents", headers=link).headers["location"] == "/login"
    assert locked.get("/login", headers=link).status_code == 200
    assert login(locked).headers["location"] == "/documents"
    locked.cookies.clear()
    assert locked.get("/ask?question=x", headers=link).status_code == 403
    assert login(locked).headers["location"] == "/"


@pytest.mark.parametrize(
    "goal",
    [
        *("https://evil.example/", "//evil.example/", "/\\evil.example", "\\\\evil.example", "/\t/evil.example"),
        *("javascript:alert(1)", "evil", "/a\r\nset-cookie: a=b", "/\u0142", "", "%2F%2Fevil.example"),
    ],
)
def test_the_login_leads_to_no_other_site(locked: httpx.Client, goal: str) -> None:
    locked.cookies.set("kg_next", quote(goal, safe=""), path="/login")
    assert login(locked).headers["location"] == "/"


def test_a_path_that_looks_like_another_site_is_not_returned_to(locked: httpx.Client) -> None:
    for path in ("//evil.example/", "/\\evil.example/", "/%5Cevil.example/", "/%2Fevil.example"):
        connection = http.client.HTTPConnection("127.0.0.1", locked.base_url.port or 0, timeout=10)
        connection.request("GET", path, headers=PERSON)
        kept = re.search(r"kg_next=([^;]*)", str(connection.getresponse().headers))
        connection.close()
        locked.cookies.set("kg_next", kept[1] if kept else "", path="/login")
        assert re.fullmatch(r"/(?:%[0-9A-F]{2}.*)?", login(locked).headers["location"]), path


def test_a_wrong_token_shows_the_login_again(locked: httpx.Client) -> None:
    locked.get("/documents", headers=PERSON)
    for wrong in ("wrong", "", TOKEN[:-1], f"{TOKEN} "):
        page = login(locked, wrong)
        assert page.status_code == 401
        assert "wrong" in html.fromstring(page.text).xpath("string(//*[@role='alert'])")
        assert "kg_login" not in locked.cookies
    [form] = html.fromstring(page.text).xpath("//form[@action='/login']")
    fields = {each.get("name"): each.get("value", "") for each in form.xpath(".//input")} | {"token": TOKEN}
    assert submitted(locked, "/login", fields, OURS["browser"]) == 303
    assert locked.get("/documents", headers=PERSON).status_code == 200


def test_programs_get_json_and_people_pages(locked: httpx.Client) -> None:
    for path, headers in (
        ("/", {"accept": "*/*"}),
        ("/documents", {"accept": "application/json"}),
        ("/index.json", PERSON),
        ("/api/documents", PERSON),
        ("/mcp", PERSON),
    ):
        answer = locked.get(path, headers=headers)
        assert answer.status_code == 401, path
        assert answer.json()["error"]["type"] == "Refused"
        assert "kg_next" not in answer.headers.get("set-cookie", "")
    page = locked.post("/load", data={}, headers=PERSON)  # logged in before the last start
    assert page.status_code == 401
    assert html.fromstring(page.text).xpath("//main//a[@href='/login']")


def test_what_a_stranger_sees_tells_nothing_of_the_graph(locked: httpx.Client, story: Settings) -> None:
    pages = [
        locked.get("/login", headers=PERSON),
        login(locked, "wrong"),
        locked.post("/load", data={}, headers=PERSON),
        locked.get("/", headers=PERSON | {"host": "evil.example"}),
        locked.get("/", headers=PERSON | {"host": "[::1"}),
        locked.get("/?cursor=x", headers=PERSON | {"sec-fetch-site": "cross-site"}),
        locked.post("/login", content=b"x" * 2_000_000, headers=PERSON),
        locked.post("/login", data={"token": TOKEN}, headers=PERSON),
        locked.get("/login/nothing", headers=PERSON),
        locked.get("/static/0/nothing.css", headers=PERSON),
    ]
    assert [page.status_code for page in pages] == [200, 401, 401, 421, 421, 403, 413, 403, 404, 404]
    for page in pages:
        assert page.headers["content-type"].startswith("text/html")
        assert html.fromstring(page.text).xpath("//h1")
        assert story.graph not in page.text
        assert "/documents" not in page.text
    assert all("set-cookie" not in page.headers for page in pages[2:])
