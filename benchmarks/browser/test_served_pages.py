"""Every page of `kg serve` in a real browser: `make test-pages`, where a Chromium is installed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from chromium import Tab, browser
from fake_llm import FakeLlm
from hostile_pages import TEXTS, load_hostile
from kg_neo4j import KnowledgeGraph
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.settings import Settings
from kg_neo4j_serve.connection import Rights
from served import served
from served_pages import ADA, PAGES, address_of

AXE = Path(__file__).parents[2] / "out" / "axe" / "axe_playwright_python" / "axe.min.js"
OFFLINE = {"openai_api_key": None, "openai_base_url": None, "embedding_model": None}
REACHED = """(() => {
  const element = document.activeElement, style = getComputedStyle(element);
  if (element === document.body) return null;
  const reached = window.reached ??= new Set();
  const isNew = !reached.has(element);
  reached.add(element);
  return {isNew, what: element.outerHTML.slice(0, 120), name: element.innerText || element.labels?.[0]?.innerText
    || element.getAttribute("aria-label") || element.title || "", ring: style.outlineStyle !== "none"};
})()"""
OPEN_TO_KEYS = """[...document.querySelectorAll(
  "a[href], button, input:not([type=hidden]), select, summary, textarea, [tabindex='0']")]
  .filter(each => !each.disabled && each.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true}))"""


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def notes(settings: Settings, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    source = tmp_path_factory.mktemp("notes") / "ada.md"
    source.write_text(ADA, "utf-8")
    name = f"pages-{uuid.uuid4().hex[:12]}"
    with KnowledgeGraph(name, settings=settings.model_copy(update={"graph": name, **OFFLINE})) as found:
        found.load(source)
        found.tree()
        yield found
    delete_graph(database, name)


@pytest.fixture(scope="module")
def client(notes: KnowledgeGraph) -> Iterator[httpx.Client]:
    with served(notes.settings, Rights(write=True)) as found:
        yield found


def check_quiet(tab: Tab, address: str) -> None:
    """Fail where the page wrote to the console, or asked another host."""
    host = "/".join(address.split("/")[:3]) + "/"
    assert tab.complaints() == []
    assert [each for each in tab.requests() if not each.startswith((host, "data:"))] == []


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("width", "height", "scheme"), [(1280, 800, "light"), (360, 780, "dark")])
def test_a_page_is_quiet_and_accessible(
    tab: Tab, client: httpx.Client, page: str, width: int, height: int, scheme: str
) -> None:
    address = address_of(client, page)
    tab.open(address, width=width, height=height, scheme=scheme)
    assert tab.value("document.documentElement.scrollWidth") == width
    check_quiet(tab, address)
    tab.value(AXE.read_text("utf-8"))
    found = tab.value("axe.run({resultTypes: ['violations']})")
    violations = [
        (each["id"], [node["html"][:200] + " " + node["failureSummary"] for node in each["nodes"]])
        for each in found["violations"]
    ]
    assert violations == []
    assert len(found["passes"]) > 10


@pytest.mark.parametrize("page", PAGES)
def test_the_keyboard_reaches_everything_and_shows_where_it_is(tab: Tab, client: httpx.Client, page: str) -> None:
    tab.open(address_of(client, page))
    tab.value("document.activeElement.blur(); window.scrollTo(0, 0); getSelection().removeAllRanges()")
    tab.call("Page.bringToFront")
    expected = tab.value(f"{OPEN_TO_KEYS}.length")
    reached: list[dict[str, object]] = []
    for _ in range(expected + 5):
        tab.press("Tab")
        found = tab.value(REACHED)
        if found and found["isNew"]:
            reached.append(found)
    missed = tab.value(f"{OPEN_TO_KEYS}.filter(each => !window.reached.has(each)).map(each => each.outerHTML)")
    assert missed == []
    assert [each["what"] for each in reached if not each["ring"]] == []
    assert [each["what"] for each in reached if not str(each["name"]).strip()] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_whole_without_a_script(tab: Tab, client: httpx.Client, page: str) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        address = address_of(client, page)
        tab.load(address)
        tab.call("Emulation.setScriptExecutionDisabled", value=False)
        assert tab.value("typeof document.querySelector('.kg-viewer')?.kgViewer") == "undefined"
        assert tab.value("document.querySelector('h1').innerText.length") > 0
        pictures = tab.value(
            "[...document.querySelectorAll('.kg-viewer')].map(each => each.querySelectorAll('circle').length)"
        )
        assert all(count > 1 for count in pictures)
    finally:
        tab.call("Emulation.setScriptExecutionDisabled", value=False)


def test_a_citation_opens_its_quote_highlighted_in_the_passage(tab: Tab, client: httpx.Client) -> None:
    tab.open(address_of(client, PAGES[1]))
    quote = tab.value("document.querySelector('.quote blockquote').innerText")
    tab.value("document.querySelector('.cite').click()")
    assert tab.value("document.querySelector('.quote:target blockquote').innerText") == quote
    tab.follow("Runtime.evaluate", expression="document.querySelector('.quote:target figcaption a').click()")
    tab.settle()
    marked = tab.value("[...document.querySelectorAll('article mark.meant')].map(each => each.innerText).join('')")
    assert marked == quote
    assert tab.value("document.querySelector(':target').matches('mark.meant')")


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (400, "dark")])
@pytest.mark.parametrize("columns", ["name,town,note", "الاسم,المدينة,ملاحظة"])
def test_a_cited_row_is_in_sight_and_a_wide_table_scrolls_in_its_own_box(
    tab: Tab, settings: Settings, database: Database, tmp_path: Path, width: int, scheme: str, columns: str
) -> None:
    name, town, _ = columns.split(",")
    lines = [f"Person {number},Town {number},{'words ' * 40}" for number in range(70)]
    (tmp_path / "rows.csv").write_text("\n".join([columns, *lines]), "utf-8")
    nodes = {"person": {"type": "PERSON", "name": name}, "town": {"type": "PLACE", "name": town}}
    drawn = [{"from": "person", "type": "LIVED_IN", "to": "town"}]
    graph = f"table-{uuid.uuid4().hex[:12]}"
    own = settings.model_copy(update={"graph": graph, **OFFLINE})
    with KnowledgeGraph(graph, settings=own) as found, served(own) as client:
        rows = [{"file": str(tmp_path / "rows.csv"), "nodes": nodes, "relationships": drawn}]
        found.load(map={"tables": rows})
        [quote] = client.get("/entity.json", params={"name": "Person 40"}).json()["facts"][0]["quotes"]
        place = f"id={quote['chunk_id']}&start={quote['start']}&end={quote['end']}#here"
        address = f"{client.base_url}".rstrip("/") + f"/document?{place}"
        tab.open(address, width=width, height=800, scheme=scheme)
        assert tab.value("document.documentElement.scrollWidth") == width
        check_quiet(tab, address)
        box = tab.value("document.querySelector('tr.meant mark').getBoundingClientRect().toJSON()")
        assert 0 <= box["left"] < box["right"] <= width
        assert 0 <= box["top"] < box["bottom"] <= 800
        marked = tab.value("[...document.querySelectorAll('tr.meant mark')].map(each => each.innerText)")
        assert marked == ["Person 40", "Town 40"]
        tab.value(AXE.read_text("utf-8"))
        assert tab.value("axe.run({resultTypes: ['violations']})")["violations"] == []
    delete_graph(database, graph)


def test_a_draft_is_shown_before_the_checked_answer(tab: Tab, notes: KnowledgeGraph, tmp_path: Path) -> None:
    with FakeLlm() as llm:
        said = "Ada Lovelace married William King in 1835."
        llm.rules = lambda _prompt, _user: f"{said} [C1]"
        prices = tmp_path / "prices.toml"
        prices.write_text('["scripted"]\ninput = 1.0\noutput = 1.0\n', "utf-8")
        online = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "prices": prices}
        settings = Settings(**{**notes.settings.model_dump(), **online})
        with served(settings, Rights(spend_usd=1.0)) as client:
            tab.open(f"{client.base_url}")
            tab.value(
                "(() => { const draft = document.querySelector('#draft');"
                " new MutationObserver(() => sessionStorage.seen = draft.innerText)"
                ".observe(draft, {subtree: true, childList: true, characterData: true}); })()"
            )
            tab.follow(
                "Runtime.evaluate",
                expression="document.querySelector('#question').value = 'Whom did Ada Lovelace marry?';"
                "document.querySelector('form.ask').requestSubmit()",
            )
            tab.settle()
            assert (
                tab.value("location.pathname + location.search")
                == "/ask?question=Whom+did+Ada+Lovelace+marry%3F&mode=auto"
            )
            draft = tab.value("sessionStorage.seen")
            assert "not checked yet" in draft
            assert f"{said} [" in draft
            claim = tab.value("document.querySelector('.claim').innerText")
            assert said in claim
            assert "supported" in claim
            assert llm.calls == 1  # the page shows the answer that was streamed
            check_quiet(tab, f"{client.base_url}")


def test_hostile_texts_run_nothing(tab: Tab, settings: Settings, database: Database) -> None:
    graph = f"hostile-{uuid.uuid4().hex[:12]}"
    load_hostile(database, graph)
    try:
        with served(settings.model_copy(update={"graph": graph, **OFFLINE})) as client:
            base = f"{client.base_url}".rstrip("/")
            documents = client.get("/api/documents", params={"limit": 100}).json()["documents"]
            shown = [
                "/documents",
                "/graph",
                "/runs",
                "/communities",
                "/reports",
                *(f"/document?id={each['id']}" for each in documents[::10]),
            ]
            for name, page in (("name", "/entity"), ("words", "/search"), ("question", "/ask"), ("id", "/document")):
                shown += [f"{page}?{httpx.QueryParams({name: text})}" for text in TEXTS[::8]]
            for page in shown:
                tab.open(base + page)
                assert tab.value("window.taken") is None, page
                alien = [each for each in tab.requests() if not each.startswith((base, "data:"))]
                dialogs = [each for each in tab.events if each["method"] == "Page.javascriptDialogOpening"]
                refused = [each for each in tab.complaints() if "404" not in each and "400" not in each]
                assert (alien, dialogs, refused) == ([], [], []), page
                kinds = tab.value("[...document.scripts].map(each => each.src || each.type)")
                assert {each for each in kinds if not each.startswith(f"{base}/static/")} <= {"application/json"}
    finally:
        delete_graph(database, graph)
