"""What pages of `kg serve` do with a script, and across graphs: in a real browser, `make test-pages`."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest

from chromium import Tab, browser
from kg_neo4j import KnowledgeGraph
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.settings import Settings
from kg_neo4j_serve.connection import Rights
from kg_neo4j_serve.guard import Access
from served import served
from served_pages import ADA

TOKEN = "a-token-of-twenty-four-ch"
OFFLINE = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None}
ZELDA = "Zelda Zwick was born in Oslo. Zelda Zwick married Yann Zimmer in 1901."
LONG = " ".join(f"Anna Weber{number} met Karl Braun in Vienna in 1901." for number in range(9_000))


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def graphs(
    settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[KnowledgeGraph, KnowledgeGraph]]:
    made, home = [], tmp_path_factory.mktemp("home")
    for name, text in (("first", ADA), ("zelda's / graph", ZELDA)):
        source = tmp_path_factory.mktemp("notes") / f"{name[:5]}.md"
        source.write_text(text, "utf-8")
        named = f"{name} {uuid.uuid4().hex[:12]}"
        own = settings.model_copy(update={"graph": named, "home": home, **OFFLINE})
        made.append(KnowledgeGraph(named, settings=own))
        made[-1].load(source)
    yield made[0], made[1]
    for each in made:
        each.close()
        delete_graph(database, each.name)


@pytest.fixture(scope="module")
def client(graphs: tuple[KnowledgeGraph, KnowledgeGraph]) -> Iterator[httpx.Client]:
    with served(graphs[0].settings, Rights(write=True), has_all=True) as found:
        yield found


def address(client: httpx.Client, path: str) -> str:
    return str(client.base_url).rstrip("/") + path


def click_to(tab: Tab, element: str) -> str:
    """Click what leads to a page, and return where it is."""
    tab.click_through(*tab.spot(element))
    assert tab.complaints() == []
    return str(tab.until("location.pathname + location.search"))


def test_a_person_goes_to_another_graph_and_asks_there(
    tab: Tab, client: httpx.Client, graphs: tuple[KnowledgeGraph, KnowledgeGraph]
) -> None:
    prefix = f"/graphs/{quote(graphs[1].name, safe='')}"
    tab.open(address(client, "/documents"))
    tab.click(*tab.spot("document.querySelector('.graphs summary')"))
    link = f"[...document.querySelectorAll('.graphs a')].find(each => each.innerText === {graphs[1].name!r})"
    assert click_to(tab, link) == f"{prefix}/documents"
    assert tab.value("document.querySelector('.brand span').innerText") == graphs[1].name
    assert click_to(tab, "document.querySelector('.top nav a')") == f"{prefix}/"
    tab.click(*tab.spot("document.querySelector('#question')"))
    tab.call("Input.insertText", text="Whom did Zelda Zwick marry?")
    assert click_to(tab, "document.querySelector('form.ask button')").startswith(f"{prefix}/ask?")
    assert "Yann Zimmer" in tab.value("document.querySelector('#answer').innerText")
    assert click_to(tab, "document.querySelector('.quote figcaption a')").startswith(f"{prefix}/document?")
    assert click_to(tab, "document.querySelector('a.name')").startswith(f"{prefix}/entity?")
    assert tab.value("document.querySelectorAll('.kg-viewer canvas, .kg-viewer svg').length") > 0


def test_questions_of_this_browser_are_listed_and_forgotten(
    tab: Tab, client: httpx.Client, graphs: tuple[KnowledgeGraph, KnowledgeGraph]
) -> None:
    prefix = f"/graphs/{quote(graphs[0].name, safe='')}"
    tab.open(address(client, "/"))
    tab.value("localStorage.clear()")
    asked = ("Whom did Ada Lovelace marry?", "<b>When</b> was William King born?")
    for question in (*asked, asked[0]):
        tab.open(address(client, f"{prefix}/ask?question={quote(question)}"))
    tab.open(address(client, "/"))
    assert tab.value("[...document.querySelectorAll('#history li')].map(each => each.innerText)") == [
        *(asked[0], asked[1])
    ]
    assert click_to(tab, "document.querySelector('#history a')") == f"{prefix}/ask?question={quote(asked[0])}"
    tab.open(address(client, f"/graphs/{quote(graphs[1].name, safe='')}/"))
    assert tab.value("document.querySelector('#history').checkVisibility()") is False  # of another graph
    tab.open(address(client, "/"))
    tab.click(*tab.spot("document.querySelector('#history button')"))
    assert tab.value("document.querySelector('#history').checkVisibility()") is False
    tab.open(address(client, "/"))
    assert tab.value("[document.querySelector('#history').hidden, localStorage.length]") == [True, 0]
    tab.value("localStorage.setItem(`kg-questions:${document.querySelector('#history').dataset.graph}`, '{[')")
    tab.open(address(client, "/"))
    assert tab.complaints() == []
    tab.value("localStorage.clear()")


def test_filters_are_ticked(tab: Tab, client: httpx.Client) -> None:
    tab.open(address(client, "/"))
    tab.click(*tab.spot("document.querySelector('form.ask summary')"))
    for value in ("PERSON", "PLACE"):
        tab.click(*tab.spot(f"document.querySelector('input[name=types][value={value}]')"))
    tab.click(*tab.spot("document.querySelector('#question')"))
    tab.call("Input.insertText", text="Whom did Ada Lovelace marry?")
    place = click_to(tab, "document.querySelector('form.ask button')")
    assert parse_qs(urlsplit(place).query)["types"] == ["PERSON", "PLACE"]
    assert "type PERSON, PLACE" in tab.value("document.querySelector('dl.facts').innerText")
    assert tab.value("document.querySelectorAll('input[name=types]:checked').length") == 2


def test_a_folder_is_chosen_and_keeps_its_paths(tab: Tab, client: httpx.Client, tmp_path: Path) -> None:
    for path in ("notes/a/x.txt", "notes/b/x.txt", "notes/photo.heic"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"Anna Weber met Karl Braun at {path}.", "utf-8")
    tab.open(address(client, "/load"))
    node = tab.call("Runtime.evaluate", expression="document.querySelector('#folder')")["result"]["objectId"]
    tab.call("DOM.setFileInputFiles", objectId=node, files=[str(tmp_path / "notes")])
    assert tab.until("document.querySelector('#chosen-folder').innerText") == "3 files"
    place = click_to(tab, "document.querySelector('form.upload button')")
    assert tab.value("[...document.querySelectorAll('main h2 + ul li')].map(each => each.innerText.split(' ')[0])") == [
        *("notes/a/x.txt", "notes/b/x.txt")
    ]
    assert tab.value("document.querySelector('main details summary').innerText") == "1 file is left out"
    assert urlsplit(place).path.endswith("/load")
    click_to(tab, "document.querySelector('form[action$=\"/load/drop\"] button')")


def test_a_load_is_cancelled_by_its_button(tab: Tab, client: httpx.Client) -> None:
    id = client.post("/api/load", json={"name": "long.txt", "text": LONG}).json()["id"]
    tab.open(address(client, f"/run?id={id}"))
    assert tab.until("document.querySelector('#job .badge').innerText === 'running'")
    assert click_to(tab, "document.querySelector('form[action$=\"/run/cancel\"] button')").endswith(f"/run?id={id}")
    assert tab.until("document.querySelector('#job .badge')?.innerText === 'cancelled'")
    assert "It was cancelled" in tab.value("document.querySelector('#job').innerText")
    assert client.get("/api/status", params={"id": id}).json()["jobs"][0]["state"] == "cancelled"


def test_the_first_page_leads_to_the_login(tab: Tab, graphs: tuple[KnowledgeGraph, KnowledgeGraph]) -> None:
    with served(graphs[0].settings, access=Access.to("127.0.0.1", TOKEN), has_all=True) as locked:
        tab.call("Network.clearBrowserCookies")
        tab.open(address(locked, "/"))
        assert tab.value("location.pathname") == "/login"
        tab.click(*tab.spot("document.querySelector('#token')"))
        tab.call("Input.insertText", text=TOKEN)
        assert click_to(tab, "document.querySelector('form button')") == "/"
        assert tab.value("document.querySelector('.brand span').innerText") == graphs[0].name
        assert httpx.get(address(locked, "/"), headers={"accept": "*/*"}).json()["error"]["type"] == "Refused"
