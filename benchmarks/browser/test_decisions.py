"""Decisions on the pages of `kg serve` in a real browser: by keyboard, on a phone, with two people, with axe."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from chromium import Tab, browser
from kg_neo4j import KnowledgeGraph
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.settings import Settings
from kg_neo4j_serve.connection import Rights
from served import served
from served_pages import ADA

AXE = Path(__file__).parents[2] / "out" / "axe" / "axe_playwright_python" / "axe.min.js"
OFFLINE = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None}
FRIENDS = "# Friends\n\nAda Lovelace wrote to Mary Somerville. Ada Lovelace lived in Surrey."
HEADING = "document.querySelector('h1').innerText"
SCREENS = [(390, 844, "light"), (390, 844, "dark"), (1280, 800, "light"), (1280, 800, "dark")]
FOCUSED = "document.activeElement.innerText || document.activeElement.labels?.[0]?.innerText || ''"


@pytest.fixture(scope="module")
def client(settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder, name = tmp_path_factory.mktemp("notes"), f"decide-{uuid.uuid4().hex[:12]}"
    (folder / "ada.md").write_text(ADA, "utf-8")
    (folder / "friends.md").write_text(FRIENDS, "utf-8")
    own = settings.model_copy(update={"graph": name, **OFFLINE})
    with KnowledgeGraph(name, settings=own) as found:
        found.load(folder)
    with served(own, Rights(write=True)) as client:
        yield client
    delete_graph(database, name)


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def address(client: httpx.Client, page: str = "/entity?name=Ada+Lovelace") -> str:
    return f"{client.base_url}".rstrip("/") + page


def open_all(tab: Tab) -> None:
    """Unfold whatever can be."""
    tab.value("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    tab.settle()


def check(tab: Tab, width: int) -> None:
    """Fail where axe finds a fault, or the page is wider than the screen."""
    assert tab.value("document.documentElement.scrollWidth") == width
    tab.value(AXE.read_text("utf-8"))
    found = tab.value("axe.run({resultTypes: ['violations']})")["violations"]
    assert [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found] == []


def reach(tab: Tab, words: str) -> None:
    """Press Tab until the focus is on what has these words."""
    for _ in range(200):
        tab.press("Tab")
        if words in tab.value(FOCUSED):
            return
    raise AssertionError(f"no key leads to {words!r}")


def write(tab: Tab, words: str) -> None:
    tab.value("document.activeElement.select()")
    tab.call("Input.insertText", text=words)


def send(tab: Tab) -> None:
    """Submit the form of the focus with the Enter key, and wait for the page."""
    tab.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", text="\r", windowsVirtualKeyCode=13)
    tab.follow("Input.dispatchKeyEvent", type="keyUp", key="Enter", windowsVirtualKeyCode=13)
    tab.settle()


def fold_out(tab: Tab, *summaries: str) -> None:
    for each in summaries:
        reach(tab, each)
        tab.press("Enter")


@pytest.mark.parametrize(("width", "height", "scheme"), SCREENS)
def test_every_form_unfolded_is_accessible_and_fits(
    tab: Tab, client: httpx.Client, width: int, height: int, scheme: str
) -> None:
    fact = client.get("/api/entity?name=Ada+Lovelace").json()["facts"][0]["id"]
    for page in ("/entity?name=Ada+Lovelace", f"/fact?id={fact}", "/decisions"):
        tab.open(address(client, page), width=width, height=height, scheme=scheme)
        open_all(tab)
        check(tab, width)
        assert tab.complaints() == []


def test_the_keyboard_alone_decides_and_takes_back_on_a_phone(tab: Tab, client: httpx.Client) -> None:
    tab.open(address(client), width=390, height=844)
    tab.call("Page.bringToFront")
    assert not tab.value("document.querySelector('form.decide').checkVisibility()")  # reading stays calm
    fold_out(tab, "Correct Ada Lovelace", "This name is wrong")
    reach(tab, "The right name of")
    write(tab, "Ada King")
    reach(tab, "Reason")
    write(tab, "her <deed>")
    send(tab)
    assert tab.value(HEADING) == "Ada King"
    fold_out(tab, "What was decided on Ada King")
    reach(tab, "Undo")
    send(tab)
    assert tab.value(HEADING) == "Ada Lovelace"


def test_documents_are_chosen_by_keyboard_for_another_bearer(tab: Tab, client: httpx.Client) -> None:
    tab.open(address(client), width=390, height=844)
    tab.call("Page.bringToFront")
    fold_out(tab, "Correct Ada Lovelace", "These are two")
    reach(tab, "Friends" if "Friends" in client.get("/entity?name=Ada+Lovelace").text else "friends")
    tab.press(" ")
    assert tab.value("document.activeElement.checked")
    reach(tab, "They are two")
    send(tab)
    [made] = [
        each
        for each in client.get("/decisions.json").json()["decided"]
        if each["by"] == "a person" and each["document"]
    ]
    tab.open(address(client, "/decisions?kind=names"), width=390, height=844)
    check(tab, 390)
    tab.click_through(*tab.spot(f"document.querySelector('#d-{made['id'][:8]} button')"))
    held = client.get("/decisions.json?kind=names").json()["decided"]
    assert [each["state"] for each in held if each["id"] == made["id"]] == ["taken back"]


def test_two_people_at_once(tab: Tab, client: httpx.Client, tmp_path: Path) -> None:
    with browser(tmp_path) as other:
        for each in (tab, other):
            each.open(address(client), width=390, height=844)
            open_all(each)
        for each, name in ((tab, "Ada King"), (other, "Countess Ada")):
            field = "document.querySelector('form[action=\"/decide/name\"]').elements"
            each.click(*each.spot(f"{field}['value']"))
            write(each, name)
            each.click(*each.spot(f"{field}['reason']"))
            write(each, f"says {name}")
            each.click_through(*each.spot("document.querySelector('form[action=\"/decide/name\"] button')"))
        assert tab.value(HEADING) == "Ada King"
        assert other.documents()[-1]["status"] == 409
        assert other.value(HEADING) == "Nothing was decided"
        words = other.value("document.querySelector('main').innerText")
        assert "Somebody else decided on this" in words
        assert "says Ada King" in words
        check(other, 390)
        assert other.value("document.forms[document.forms.length - 1].elements['value'].value") == "Countess Ada"
        other.click_through(*other.spot("document.querySelector('form.decide button')"))
        assert other.value(HEADING) == "Countess Ada"
        tab.open(address(client, "/decisions?kind=nodes"))
        while tab.value("document.querySelector('.decision button') !== null"):
            tab.click_through(*tab.spot("document.querySelector('.decision button')"))
            tab.open(address(client, "/decisions?kind=nodes"))
        assert client.get("/api/entity?name=Ada+Lovelace").json()["name"] == "Ada Lovelace"
