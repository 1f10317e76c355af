"""The page of a graph in a real browser: `make test-pages`, where a Chromium is installed."""

from __future__ import annotations

import base64
import csv
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import combinations
from pathlib import Path
from threading import Thread
from xml.etree import ElementTree

import pytest

from chromium import Tab, browser
from hostile_texts import PAYLOADS
from kg_neo4j.organise.viewer import SCRIPT_FILE, STYLE_FILE
from kg_neo4j.organise.viewer.view import GraphView, draw_page, draw_still
from viewed_graph import circles, hostile, people

VIEWER = "document.querySelector('.kg-viewer').kgViewer"
CARD = "document.querySelector('.kg-card').innerText"
CAPTION = "document.querySelector('.kg-side > .kg-note').innerText"
SEEN = f"{VIEWER}.seen.map(each => each.id).join(' ')"
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


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_places_fill_the_window_and_hold_their_nodes(tab: Tab, tmp_path: Path, width: int, height: int) -> None:
    tab.open(write(circles(), tmp_path), width=width, height=height)
    spots = tab.value(f"{VIEWER}.nodes.map(each => {VIEWER}.at(each))")
    room = tab.value(f"[{VIEWER}.width, {VIEWER}.height]")
    filled = [(max(axis) - min(axis)) / side for axis, side in zip(zip(*spots, strict=True), room, strict=True)]
    assert max(filled) > 0.85
    assert min(filled) > 0.4
    boxes, nodes = tab.value(
        f"[{VIEWER}.data.places.map(each => each[1]), {VIEWER}.nodes.map(each => [each.x, each.y])]"
    )
    inside = [sum(left < x < right and top < y < bottom for left, top, right, bottom in boxes) for x, y in nodes]
    assert inside == [1] * 120
    assert tab.complaints() == []


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
    assert tab.value(CAPTION) == "12 nodes, 11 relationships."
    assert "Choose a node or a line" in tab.value(CARD)
    tab.click(*at(tab, "n0"))
    card = tab.value(CARD)
    for shown in (
        "Person number 0",
        "PERSON · around Person number 0",
        "Known to all.",
        "words about Person number 0",
        "Lives",
    ):
        assert shown in card
    assert card.count("→ married to") == 11
    tab.click(*at(tab, "e3"))
    card = tab.value(CARD)
    assert (
        card.split()
        == "Person number 0 married to Person number 4 Quotes vows of e3 Records 2 more in the sources.".split()
    )
    tab.click(5, 5)
    assert "Choose a node or a line" in tab.value(CARD)
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
    assert "Choose a node or a line" in tab.value(CARD)
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
        "main h1 div canvas button input select option span section h2 h3 p figure blockquote figcaption script"
        " details summary fieldset legend label".split()
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


def dated(size: int = 12) -> GraphView:
    """Return a star whose relationships have years, from 1900 to 1908, save the last three; two are of another type."""
    shown = people(size)
    edges = [replace(each, years=(1900 + n, 1902 + n)) for n, each in enumerate(shown.edges[:-3])]
    others = [replace(each, type="BORN_IN") for each in shown.edges[-3:-1]]
    return replace(shown, edges=(*edges, *others, shown.edges[-1]))


def test_a_filter_leaves_types_nodes_and_years_out(tab: Tab, tmp_path: Path) -> None:
    tab.open(write(dated(), tmp_path))
    tab.value("document.querySelector('.kg-filter summary').focus()")
    tab.press("Enter")
    assert tab.value("document.querySelector('.kg-filter').open")
    ticks = "[...document.querySelectorAll('.kg-filter .kg-tick')]"
    assert tab.value(f"{ticks}.map(each => each.textContent)") == [
        *("married to 9", "born in 2", "PERSON 6", "PLACE 6", "relationships without a year")
    ]
    every = tab.value(SEEN)
    for tick, left in ((1, "n9 n10"), (3, "n1 n3 n5 n7 n9 n11")):
        tab.value(f"{ticks}[{tick}].querySelector('input').focus()")
        tab.press(" ")
        assert set(every.split()) - set(tab.value(SEEN).split()) == set(left.split())
        assert f"{12 - len(left.split())} of 12 are seen: the filter leaves out the others" in tab.value(CAPTION)
        tab.press(" ")
        assert tab.value(SEEN) == every
    tab.value("document.querySelectorAll('.kg-year')[0].focus()")
    tab.call("Input.insertText", text="1906")
    assert set(tab.value(SEEN).split()) == {f"n{number}" for number in (0, 5, 6, 7, 8, 9, 10, 11)}
    tab.value(f"{ticks}[4].querySelector('input').click()")
    assert set(tab.value(SEEN).split()) == {f"n{number}" for number in (0, 5, 6, 7, 8)}
    tab.value("document.querySelectorAll('.kg-year')[1].focus()")
    tab.call("Input.insertText", text="1904")
    assert set(tab.value(SEEN).split()) == {"n0", "n5"}
    tab.settle()
    assert {each["text"] for each in tab.value(f"{VIEWER}.labels")} <= {
        *("Person number 0", "Person number 5", "married to")
    }
    tab.open(write(people(12), tmp_path))
    assert tab.value("document.querySelectorAll('.kg-year').length") == 0
    assert tab.complaints() == []


def test_what_is_seen_becomes_files(tab: Tab, tmp_path: Path) -> None:
    formula = replace(dated(), title="=1+1 & <b>")
    formula = replace(formula, nodes=(replace(formula.nodes[0], name='=HYPERLINK("x")'), *formula.nodes[1:]))
    tab.open(write(formula, tmp_path), scheme="dark")
    tab.value(f"{VIEWER}.left.nodes.add('PLACE'); {VIEWER}.sift(); {VIEWER}.redraw()")
    folder = tmp_path / "saved"
    folder.mkdir()
    tab.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    tab.value("document.querySelector('.kg-save summary').click()")
    for number, suffix in enumerate(("svg", "json", "csv")):
        tab.click(*tab.spot(f"document.querySelectorAll('.kg-save button')[{number}]"))
        end = time.monotonic() + 30
        while not (folder / f"1-1-b-.{suffix}").is_file() and not (folder / f"-1-1-b-.{suffix}").is_file():
            assert time.monotonic() < end, list(folder.iterdir())
            time.sleep(0.05)
    found = {path.suffix: path.read_text("utf-8") for path in folder.iterdir()}
    picture = ElementTree.fromstring(found[".svg"])
    names = {each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert '=HYPERLINK("x")' in names
    assert "Person number 2" in names
    assert "Person number 1" not in names
    data = json.loads(found[".json"])
    assert [each["id"] for each in data["nodes"]] == ["n0", "n2", "n4", "n6", "n8", "n10"]
    assert data["relationships"][0] == {"source": "n0", "type": "MARRIED_TO", "target": "n2", "years": [1901, 1903]}
    rows = list(csv.reader(found[".csv"].splitlines()))
    assert rows[1] == ['\'=HYPERLINK("x")', "PERSON", "MARRIED_TO", "Person number 2", "PERSON", "1901", "1903"]
    assert len(rows) == 6
    assert tab.complaints() == []


def test_a_file_says_how_many_relationships_it_does_not_have(tab: Tab, tmp_path: Path) -> None:
    shown = people(12)
    hub = replace(shown.nodes[0], degree=40)
    tab.open(write(replace(shown, nodes=(hub, *shown.nodes[1:])), tmp_path))
    tab.value(f"{VIEWER}.choose('n0')")
    assert "11 of 40 relationships are here" in tab.value(CARD)
    assert tab.value("document.querySelectorAll('.kg-more').length") == 0
    tab.value(f"{VIEWER}.canvas.focus()")
    tab.press("e")
    assert tab.value(f"{VIEWER}.nodes.length") == 12
    assert tab.complaints() == []


def test_types_are_on_all_lines_of_a_small_graph_and_on_those_of_a_chosen_node(tab: Tab, tmp_path: Path) -> None:
    tab.open(write(people(8), tmp_path))
    typed = f"{VIEWER}.labels.filter(each => each.text === 'married to').length"
    assert tab.value(typed) >= 6
    tab.open(write(people(300), tmp_path))
    few = tab.value(typed)
    tab.value(f"{VIEWER}.choose('n7', true)")
    tab.settle()
    assert tab.value(typed) == 1
    assert few < 100


@contextmanager
def served(view: GraphView, whole: GraphView) -> Iterator[str]:
    """Serve a view as a page of a server has it: files, JSON, and a policy without inline script or style."""
    page = (
        '<!doctype html><html lang="en"><title>served</title><link rel="stylesheet" href="/viewer.css">'
        f'<div class="kg-viewer" data-src="/graph.json">{draw_still(view)}</div>'
        '<script src="/viewer.js" defer></script>'
    )
    files = {
        "/": (page, "text/html"),
        "/viewer.js": (SCRIPT_FILE.read_text("utf-8"), "text/javascript"),
        "/viewer.css": (STYLE_FILE.read_text("utf-8") + ".kg-viewer { height: 100vh }", "text/css"),
        "/graph.json": (json.dumps(asdict(view)), "application/json"),
        "/more.json": (json.dumps({"picture": asdict(whole)}), "application/json"),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            text, kind = files.get(path, ("{}", "application/json"))
            self.send_response(200 if path in files else 404)
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


def opened(tab: Tab, address: str) -> None:
    tab.open(address)
    tab.until(f"!!{VIEWER}")
    tab.settle()


def test_a_servers_page_fetches_the_graph_and_links_stay_on_its_site(tab: Tab) -> None:
    view = people(12)
    quote = replace(view.details["n1"].quotes[0], href="/passages/7")
    away = replace(view.details["n3"].quotes[0], href="https://taken.invalid/")
    details = {
        **view.details,
        "n1": replace(view.details["n1"], quotes=(quote,)),
        "n3": replace(view.details["n3"], quotes=(away,), href="javascript:window.taken=1"),
    }
    with served(replace(view, details=details), view) as address:
        opened(tab, address)
        assert len(tab.value(f"{VIEWER}.labels")) >= 8
        links = "[...document.querySelectorAll('.kg-card a')].map(each => each.href)"
        for id, shown in (("n1", [f"{address}passages/7"]), ("n3", [])):
            tab.value(f"{VIEWER}.choose('{id}')")
            assert f"words about Person number {id[1]}" in tab.value(CARD)
            assert tab.value(links) == shown
        assert tab.complaints() == []
        assert {each.removeprefix(address) for each in tab.requests()} == {"", "viewer.js", "viewer.css", "graph.json"}


@pytest.mark.parametrize("by", ["press", "key", "two clicks"])
def test_a_node_brings_its_neighbours_from_the_server(tab: Tab, by: str) -> None:
    whole = people(12)
    part = replace(whole, nodes=whole.nodes[:4], edges=whole.edges[:3], places=(), more_at="/more.json")
    with served(part, whole) as address:
        opened(tab, address)
        places = tab.value(f"{VIEWER}.nodes.map(each => [each.x, each.y])")
        if by == "two clicks":
            x, y = at(tab, "n0")
            for count in (1, 2):
                for kind in ("mousePressed", "mouseReleased"):
                    tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count)
        else:
            tab.click(*at(tab, "n0"))
            assert "3 of 11 relationships are here" in tab.value(CARD)
        if by == "press":
            tab.click(*tab.spot("document.querySelector('.kg-more')"))
        elif by == "key":
            tab.value(f"{VIEWER}.canvas.focus()")
            tab.press("e")
        tab.until(f"{VIEWER}.nodes.length === 12")
        tab.settle()
        assert "around=0&nums=0-1-2-3&limit=29" in tab.requests()[-1]
        assert tab.value(f"{VIEWER}.nodes.slice(0, 4).map(each => [each.x, each.y])") == places
        boxes = tab.value(f"{VIEWER}.nodes.map(each => [each.x, each.y])")
        for (ax, ay), (bx, by_) in combinations(boxes[4:], 2):
            assert abs(ax - bx) >= 0.9 or abs(ay - by_) >= 0.35
        assert "8 neighbours were added" in tab.value(CAPTION)
        if by == "press":
            assert tab.value("document.activeElement.localName") == "canvas"  # its button is gone
        assert "are here" not in tab.value(CARD)
        assert tab.value("document.querySelectorAll('.kg-more').length") == 0
        assert tab.value(f"{VIEWER}.edges.length") == 11
        tab.value(f"{VIEWER}.choose('n9')")
        assert "words about Person number 9" in tab.value(CARD)
        assert tab.complaints() == []


def test_a_server_that_does_not_answer_leaves_the_picture_as_it_is(tab: Tab) -> None:
    whole = people(12)
    part = replace(whole, nodes=whole.nodes[:4], edges=whole.edges[:3], places=(), more_at="/gone.json")
    with served(part, whole) as address:
        opened(tab, address)
        tab.value(f"{VIEWER}.choose('n0')")
        tab.value("document.querySelector('.kg-more').click()")
        tab.until(f"{CARD}.includes('More could not be read: status 404')")
        assert tab.value(f"{VIEWER}.nodes.length") == 4
