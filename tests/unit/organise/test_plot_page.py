"""The page of a graph: what stands in it, and that no text of a document becomes part of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from hostile_texts import PAYLOADS
from kg_neo4j.organise import html_page
from kg_neo4j.organise.plot_graph import PlotGraph
from kg_neo4j.organise.viewer import SCRIPT_FILE, STYLE_FILE
from kg_neo4j.organise.viewer.view import draw_page, draw_still, view
from viewed_graph import hostile, people

SVG = "{http://www.w3.org/2000/svg}"
OURS = set("html head meta title style body h1 main div svg g rect line circle text script".split())


class Page(HTMLParser):
    """Notes the elements of a page, their attributes, and what its scripts and styles hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.held: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.held.get(tag, []).append("")

    def handle_data(self, data: str) -> None:
        if self.lasttag in self.held:
            self.held[self.lasttag][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.lasttag = ""

    @property
    def data(self) -> dict:
        return json.loads(self.held["script"][0])


def test_a_page_holds_the_graph_and_loads_nothing() -> None:
    text = draw_page(people(5))
    page = Page(text)
    assert [node["name"] for node in page.data["nodes"]] == [f"Person number {place}" for place in range(5)]
    assert {each["type"] for each in page.data["edges"]} == {"MARRIED_TO"}
    assert page.data["details"]["n2"]["quotes"] == [
        {"text": "words about Person number 2", "document": "Lives", "href": ""}
    ]
    assert "<title>test graph</title>" in text
    assert not {name for name, _ in page.attributes} & {"src", "href"}
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", text)


def test_the_policy_allows_the_script_and_the_style_of_the_page_and_nothing_else() -> None:
    page = Page(draw_page(people(5)))
    (policy,) = [value for name, value in page.attributes if name == "content" and "default-src" in value]

    def source(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    _, script = page.held["script"]
    (style,) = page.held["style"]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src {source(script)}",
        f"style-src {source(style)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert script.strip() == SCRIPT_FILE.read_text("utf-8").strip()
    assert not {name for name, _ in page.attributes if name == "style" or name.startswith("on")}


def test_no_text_of_a_document_becomes_part_of_the_page() -> None:
    assert len(PAYLOADS) >= 60
    page = Page(draw_page(hostile()))
    assert set(page.tags) == OURS
    assert page.tags.count("script") == 2
    assert page.tags.count("style") == page.tags.count("main") == page.tags.count("svg") == 1
    assert not {name for name, _ in page.attributes if name.startswith("on") or name in ("src", "href", "style")}
    assert [node["name"] for node in page.data["nodes"]] == list(PAYLOADS)
    assert [page.data["details"][f"e{n}"]["quotes"][0]["text"] for n in range(len(PAYLOADS))] == list(PAYLOADS)


@pytest.mark.parametrize("text", PAYLOADS)
def test_data_holds_no_sign_that_a_page_reads(text: str) -> None:
    data = html_page.as_data([text])
    assert not set("<>&\u2028\u2029\x00") & set(data)
    assert data.isascii()
    assert json.loads(data) == [text]


def test_the_script_writes_texts_as_text() -> None:
    script = SCRIPT_FILE.read_text("utf-8")
    for unsafe in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "srcdoc"):
        assert unsafe not in script
    assert 'setAttribute("style' not in script
    assert "url(" not in STYLE_FILE.read_text("utf-8")


def test_a_hub_has_its_name_also_where_nodes_are_all_around_it() -> None:
    names = [each.text for each in ElementTree.fromstring(draw_still(people(150))).iter(f"{SVG}text")]
    assert names[0] == "Person number 0"


def test_without_a_script_the_graph_is_a_picture_with_names() -> None:
    root = ElementTree.fromstring(draw_still(people(12)))
    assert len(list(root.iter(f"{SVG}line"))) == 11
    circles = list(root.iter(f"{SVG}circle"))
    assert [each[0].text for each in circles] == [f"Person number {n}" for n in range(12)]
    names = [each.text for each in root.iter(f"{SVG}text")]
    assert names[0] == "Person number 0"
    assert len(names) >= 8
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    places = [(float(each.attrib["cx"]) - left, float(each.attrib["cy"]) - top) for each in circles]
    assert all(0 < x < width and 0 < y < height for x, y in places)


@pytest.mark.parametrize("size", [1, 2])
def test_small_graphs_have_a_page_too(size: int) -> None:
    page = Page(draw_page(people(size)))
    assert len(page.data["nodes"]) == size


def test_a_view_has_both_legends_and_is_the_same_twice() -> None:
    shown = people(12)
    assert [(group.value, group.count) for group in shown.legends["type"]] == [("PERSON", 6), ("PLACE", 6)]
    assert [group.name for group in shown.legends["community"]] == [
        *("around Person number 0", "around Person number 1", "around Person number 2")
    ]
    assert {node.community for node in shown.nodes} == {group.value for group in shown.legends["community"]}
    assert draw_page(people(12)) == draw_page(people(12))


def test_an_empty_graph_has_a_page() -> None:
    assert Page(draw_page(view(PlotGraph("empty", (), (), 0), "community"))).data["nodes"] == []
