"""The page of a graph in a real browser: `make test-pages`, where a Chromium is installed."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import combinations
from pathlib import Path
from threading import Thread

import pytest

from chromium import Tab, browser
from hostile_texts import PAYLOADS
from kg_neo4j.organise.viewer import SCRIPT_FILE, STYLE_FILE
from kg_neo4j.organise.viewer.view import GraphView, draw_page, draw_still
from viewed_graph import hostile, people

VIEWER = "document.querySelector('.kg-viewer').kgViewer"
CARD = "document.querySelector('.kg-card').innerText"
WINDOWS = [(1280, 800, "light"), (1280, 800, "dark"), (390, 844, "light"), (390, 844, "dark")]


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def write(view: GraphView, folder: Path) -> str:
    page = folder / "graph.html"
    page.write_bytes(draw_page(view).encode("utf-8"))
    return page.as_uri()


def at(tab: Tab, id: str) -> tuple[float, float]:
    """Return where a node or the middle of a relationship is in the window."""
    thing = f"{VIEWER}.things.get('{id}')"
    place = f"{thing}.isEdge ? {VIEWER}.along({thing}, 0.5) : {VIEWER}.at({thing})"
    x, y = tab.value(
        f"(() => {{ const b = {VIEWER}.canvas.getBoundingClientRect(); const p = {place}; "
        "return [b.left + p[0], b.top + p[1]]; })()"
    )
    return x, y


@pytest.mark.parametrize(("width", "height", "scheme"), WINDOWS)
def test_names_are_readable_at_the_first_zoom(tab: Tab, tmp_path: Path, width: int, height: int, scheme: str) -> None:
    address = write(people(150), tmp_path)
    tab.open(address, width=width, height=height, scheme=scheme)
    labels = tab.value(f"{VIEWER}.labels")
    wide, high = tab.value(f"[{VIEWER}.width, {VIEWER}.height]")
    assert labels[0]["text"] == "Person number 0"
    assert len(labels) >= (25 if width > 700 else 12)
    assert all(each["bottom"] - each["top"] >= 11 for each in labels)
    assert all(
        0 <= each["left"] < each["right"] <= wide and 0 <= each["top"] < each["bottom"] <= high for each in labels
    )
    for one, other in combinations(labels, 2):
        apart = one["right"] <= other["left"] or other["right"] <= one["left"]
        assert apart or one["bottom"] <= other["top"] or other["bottom"] <= one["top"], (one, other)
    ink, back = tab.value(f"[{VIEWER}.paint.ink, {VIEWER}.paint.back]")
    assert contrast(ink, back) > 7
    assert (
        tab.value("getComputedStyle(document.querySelector('.kg-viewer')).backgroundColor")
        == {"light": "rgb(255, 255, 255)", "dark": "rgb(15, 19, 24)"}[scheme]
    )
    assert tab.value("document.documentElement.scrollWidth") == width
    assert (tab.complaints(), tab.requests()) == ([], [address])


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours such as #1f2328, as WCAG defines it."""

    def light(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_a_click_shows_a_nodes_quotes_and_then_those_of_a_relationship(tab: Tab, tmp_path: Path) -> None:
    tab.open(write(people(12), tmp_path))
    assert "12 nodes, 11 relationships" in tab.value(CARD)
    tab.click(*at(tab, "n0"))
    card = tab.value(CARD)
    for shown in ("Person number 0", "PERSON · community 0", "Known to all.", "words about Person number 0", "Lives"):
        assert shown in card
    assert card.count("→ married to") == 11
    tab.click(*at(tab, "e3"))
    card = tab.value(CARD)
    assert (
        card.split()
        == "Person number 0 married to Person number 4 Quotes vows of e3 Records 2 more in the sources.".split()
    )
    tab.click(5, 5)
    assert "12 nodes, 11 relationships" in tab.value(CARD)
    assert tab.complaints() == []


def test_a_pointer_that_rests_on_a_line_shows_its_type(tab: Tab, tmp_path: Path) -> None:
    tab.open(write(people(12), tmp_path))
    tip = "document.querySelector('.kg-tip')"
    tab.move(*at(tab, "e8"))
    assert not tab.value(f"{tip}.hidden")
    assert tab.value(f"{tip}.textContent") == "Person number 0 – married to → Person number 9"
    tab.move(2, 2)
    assert tab.value(f"{tip}.hidden")


def test_words_find_nodes_and_the_keyboard_reaches_them(tab: Tab, tmp_path: Path) -> None:
    tab.open(write(people(40), tmp_path))
    tab.value(f"{VIEWER}.canvas.focus()")
    tab.press("/")
    for letter in "NUMBER 7":
        tab.press(letter)
    assert tab.value("[...document.querySelectorAll('.kg-hits button')].map(each => each.textContent)") == [
        "Person number 7"
    ]
    tab.press("Enter")
    assert "words about Person number 7" in tab.value(CARD)
    tab.press("Escape")
    assert "40 nodes" in tab.value(CARD)
    tab.value(f"{VIEWER}.canvas.focus()")
    tab.press("ArrowRight")
    assert "words about Person number 0" in tab.value(CARD)
    before = tab.value(f"{VIEWER}.chosen.x")
    tab.press("ArrowRight")
    assert tab.value(f"{VIEWER}.chosen.x") > before
    scale = tab.value(f"{VIEWER}.zoom.scale")
    tab.press("+")
    assert tab.value(f"{VIEWER}.zoom.scale") > scale
    tab.press("0")
    assert tab.value(f"{VIEWER}.zoom.scale") == pytest.approx(scale)


def test_what_is_found_has_its_name_also_among_many_nodes(tab: Tab, tmp_path: Path) -> None:
    tab.open(write(people(150), tmp_path))
    tab.value(f"{VIEWER}.search.value = '13'; {VIEWER}.find()")
    tab.settle()
    found = {"Person number 13", *(f"Person number {n}" for n in range(130, 140)), "Person number 113"}
    assert {each["text"] for each in tab.value(f"{VIEWER}.labels")} == found


def test_the_legend_names_colours_and_shows_one_group(tab: Tab, tmp_path: Path) -> None:
    tab.open(write(people(12), tmp_path))
    groups = "[...document.querySelectorAll('.kg-group')]"
    assert tab.value(f"{groups}.map(each => each.innerText.replace(/\\s+/g, ' '))") == ["PERSON 6", "PLACE 6"]
    tab.value(f"{groups}[1].click()")
    assert tab.value(f"[...{VIEWER}.near].filter(each => !each.isEdge).every(each => each.type === 'PLACE')")
    tab.value(
        "(() => { const s = document.querySelector('.kg-legend select'); s.value = 'community'; "
        "s.dispatchEvent(new Event('change')); })()"
    )
    assert tab.value(f"{groups}.length") == 3
    assert tab.value(f"{VIEWER}.near") is None


def test_an_address_with_a_node_opens_at_it(tab: Tab, tmp_path: Path) -> None:
    tab.open(f"{write(people(12), tmp_path)}#n5")
    assert "words about Person number 5" in tab.value(CARD)


def test_hostile_texts_stay_texts(tab: Tab, tmp_path: Path) -> None:
    address = write(hostile(), tmp_path)
    tab.open(address)
    for kind in "ne":
        for number in range(len(PAYLOADS)):
            tab.value(f"{VIEWER}.choose('{kind}{number}')")
    shown = tab.value(
        f"(async () => {{ const texts = []; for (let n = 0; n < {len(PAYLOADS)}; n++) {{ "
        f"{VIEWER}.choose('n' + n); await new Promise(done => setTimeout(done)); "
        "texts.push(document.querySelector('.kg-card blockquote').textContent); } return texts; })()"
    )
    assert [base64.b64encode(each.encode("utf-8", "replace")) for each in shown] == [
        base64.b64encode(text.encode("utf-8", "replace")) for text in PAYLOADS
    ]
    tab.move(*at(tab, "n3"))
    tab.value(f"{VIEWER}.search.value = '<'; {VIEWER}.find()")
    tab.settle()
    assert tab.value("window.taken") is None
    tags = tab.value("[...new Set([...document.body.querySelectorAll('*')].map(each => each.localName))].sort()")
    assert tags == sorted(
        "main h1 div canvas button input select option span section h2 h3 p figure blockquote figcaption script".split()
    )
    assert tab.value("document.querySelectorAll('script').length") == 2
    assert (tab.complaints(), tab.requests()) == ([], [address])


def test_without_a_script_the_page_is_a_picture(tab: Tab, tmp_path: Path) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        tab.load(write(people(12), tmp_path))
        document = tab.call("DOM.getDocument", depth=-1)["root"]
        (main,) = tab.call("DOM.querySelectorAll", nodeId=document["nodeId"], selector="main")["nodeIds"]
        drawn = tab.call("DOM.getOuterHTML", nodeId=main)["outerHTML"]
    finally:
        tab.call("Emulation.setScriptExecutionDisabled", value=False)
    assert drawn.count("<circle") == 12
    assert ">Person number 0</text>" in drawn


@contextmanager
def served(view: GraphView) -> Iterator[str]:
    """Serve a view as a page of a server has it: files, JSON, and a policy without inline script or style."""
    details = {f"/details/{id}": json.dumps(asdict(detail)) for id, detail in view.details.items() if id != "n2"}
    shown = json.dumps(asdict(replace(view, details={}, details_at="/details/")))
    page = (
        '<!doctype html><html lang="en"><title>served</title><link rel="stylesheet" href="/viewer.css">'
        f'<div class="kg-viewer" data-src="/graph.json">{draw_still(view)}</div>'
        '<script src="/viewer.js" defer></script>'
    )
    files = {
        "/": (page, "text/html"),
        "/viewer.js": (SCRIPT_FILE.read_text("utf-8"), "text/javascript"),
        "/viewer.css": (STYLE_FILE.read_text("utf-8") + ".kg-viewer { height: 100vh }", "text/css"),
        "/graph.json": (shown, "application/json"),
        **{path: (text, "application/json") for path, text in details.items()},
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text, kind = files.get(self.path, ("{}", "application/json"))
            self.send_response(200 if self.path in files else 404)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"
            self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(text.encode("utf-8"))

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def test_a_servers_page_fetches_the_graph_and_its_details(tab: Tab) -> None:
    view = people(12)
    quote = replace(view.details["n1"].quotes[0], href="/passages/7")
    away = replace(view.details["n3"].quotes[0], href="https://taken.invalid/")
    details = {
        **view.details,
        "n1": replace(view.details["n1"], quotes=(quote,)),
        "n3": replace(view.details["n3"], quotes=(away,), href="javascript:window.taken=1"),
    }
    with served(replace(view, details=details)) as address:
        tab.open(address)
        tab.value(f"new Promise(done => {{ const wait = () => {VIEWER} ? done() : setTimeout(wait, 20); wait(); }})")
        tab.settle()
        assert len(tab.value(f"{VIEWER}.labels")) >= 8
        links = "[...document.querySelectorAll('.kg-card a')].map(each => each.href)"
        for id, shown in (("n1", [f"{address}passages/7"]), ("n3", [])):
            tab.value(
                f"{VIEWER}.choose('{id}'); new Promise(done => {{ const wait = () => "
                "document.querySelector('.kg-card blockquote') ? done() : setTimeout(wait, 20); wait(); })"
            )
            assert f"words about Person number {id[1]}" in tab.value(CARD)
            assert tab.value(links) == shown
        assert tab.complaints() == []
        assert {each.removeprefix(address) for each in tab.requests()} == {
            *("", "viewer.js", "viewer.css", "graph.json", "details/n1", "details/n3")
        }
        tab.value(f"{VIEWER}.choose('n2'); new Promise(done => setTimeout(done, 300))")
        assert "Details could not be read: status 404" in tab.value(CARD)
