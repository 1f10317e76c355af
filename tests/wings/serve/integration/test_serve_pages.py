"""The pages of `kg serve` over real HTTP: what they show, where their links lead, and that texts stay texts."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest
from lxml import html

import entity_graph
from hostile_pages import TEXTS, faults, load_hostile
from kg_neo4j import KnowledgeGraph
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.settings import Settings
from kg_neo4j_serve import rendering
from served import served

ADA = (
    "# Ada Lovelace\n\nAda Lovelace was born in London on 10 December 1815. She was a mathematician. Ada Lovelace "
    "met Charles Babbage in 1833. Charles Babbage designed the Analytical Engine. Ada Lovelace married William King in "
    "1835.\n\n# Friends\n\nWilliam King was born in 1805. Mary Somerville was a friend of Ada Lovelace and taught her "
    "mathematics in London."
)
LONG = "\n\n".join(
    f"## Part {number}\n\n" + " ".join(f"Person {number} of the town saw stone {n}." for n in range(150))
    for number in range(24)
)
QUESTION = "Whom did Ada Lovelace marry?"


@pytest.fixture(scope="module")
def notes(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("notes")
    (folder / "ada.md").write_text(ADA, "utf-8")
    (folder / "long.md").write_text(LONG, "utf-8")
    with KnowledgeGraph(shared.graph, settings=shared) as found:
        found.load(folder)
        yield found


@pytest.fixture(scope="module")
def server(notes: KnowledgeGraph) -> Iterator[httpx.Client]:
    with served(notes.settings) as client:
        yield client


def opened(server: httpx.Client, address: str, **given: str | int) -> html.HtmlElement:
    """Return a page that was found."""
    answer = server.get(address, params=given or None)
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    return html.fromstring(answer.text)


def words(element: html.HtmlElement) -> str:
    """Return the text of an element, with single spaces."""
    return " ".join(element.text_content().split())


def followed(server: httpx.Client, link: html.HtmlElement) -> str:
    """Return the words that are marked where a link of a quote leads."""
    address, _, anchor = link.get("href").partition("#")
    page = opened(server, address)
    marks = page.xpath("//mark[@class='meant'][not(ancestor::aside)]")
    assert marks[0].get("id") == anchor == "here"
    return " ".join("".join(mark.text_content() for mark in marks).split())


def test_the_first_page_asks_and_offers_something_to_begin_with(server: httpx.Client) -> None:
    page = opened(server, "/")
    [form] = page.xpath("//form[@action='/ask']")
    assert form.get("method") is None
    assert [each.get("href") for each in page.xpath("//nav[@aria-label='Pages']/a")][:4] == [
        *("/", "/search", "/documents", "/graph")
    ]
    links = page.xpath("//ul[@class='chips']//a")
    assert len(links) == 6  # the entities that have a relationship
    assert words(opened(server, links[0].get("href")).xpath("//h1")[0]) == words(links[0])
    fields = page.xpath("//input | //select")
    assert all(each.xpath("ancestor::label") or page.xpath(f"//label[@for='{each.get('id')}']") for each in fields)


def test_an_answer_shows_how_each_claim_was_checked_and_leads_to_the_words(server: httpx.Client) -> None:
    known = server.get("/api/ask", params={"question": QUESTION}).json()
    page = opened(server, "/ask", question=QUESTION)
    claims = page.xpath("//li[contains(@class, 'claim')]")
    assert [words(each.xpath("./p[1]/span")[0]) for each in claims] == [each["text"] for each in known["claims"]]
    labels = {"supported": "✓ supported", "quoted": "≈ quoted", "contradicted": "✗ contradicted"}
    shown = [words(each.xpath(".//span[contains(@class, 'badge')]")[0]) for each in claims]
    assert shown == [labels[each["check"]] for each in known["claims"]]
    assert [each.get("href") for each in claims[0].xpath(".//a[@class='cite']")] == ["#q1"]
    quotes = page.xpath("//figure[@class='quote'][@id]")
    assert [words(each.xpath("./blockquote")[0]) for each in quotes] == [q["source_text"] for q in known["quotes"]]
    for quote, cited in zip(quotes, known["quotes"], strict=True):
        assert followed(server, quote.xpath(".//a")[0]) == cited["source_text"]
    assert (
        words(page.xpath("//h2[text()='Passages that fit best']/following-sibling::figure//mark")[0])
        == (known["passages"][0]["source_text"])
    )
    steps = [words(each) for each in page.xpath("//ol[contains(@class, 'path')]/li/a[not(@class)]")]
    assert steps == [name for step in known["path"] for name in (step["source"], step["target"])]
    searched = words(page.xpath("//dl")[0])
    assert f"{known['searched']['documents']}, of which {known['searched']['passages']}" in searched
    assert known["searched"]["mode"] in searched
    [graph] = page.xpath("//a[text()='Show as graph']")
    drawn = server.get(graph.get("href").replace("/graph", "/graph.json")).json()["picture"]
    assert {"Ada Lovelace", "William King"} <= {node["name"] for node in drawn["nodes"]}


def test_filters_of_the_form_hold(server: httpx.Client) -> None:
    page = opened(server, "/ask", question=QUESTION, documents="Ada Lovelace, long", mode="naive", since="", until="")
    assert "document Ada Lovelace, long" in words(page.xpath("//dl")[0])
    assert page.xpath("//details[@open]//option[@selected]")[0].text == "naive"
    assert page.xpath("//input[@name='documents']")[0].get("value") == "Ada Lovelace, long"
    assert server.get("/ask", params={"question": QUESTION, "since": "soon"}).status_code == 400
    assert server.get("/ask").status_code == 400


def test_without_a_short_answer_the_passages_that_fit_best_are_shown(server: httpx.Client) -> None:
    question = "Why did Ada Lovelace meet Charles Babbage?"
    known = server.get("/api/ask", params={"question": question}).json()
    page = opened(server, "/ask", question=question)
    assert "Not found" not in words(page.xpath("//article")[0])
    assert next(words(each) for each in page.xpath("//article/h2")) == "Passages that fit best"
    shown = page.xpath("//figure[@class='quote']")
    assert len(shown) == len(known["passages"]) > 1
    for figure, passage in zip(shown, known["passages"], strict=True):
        whole = " ".join(filter(None, (passage["before"], passage["source_text"], passage["after"])))
        assert words(figure.xpath("./blockquote")[0]) == whole
        assert words(figure.xpath("./figcaption")[0]) == f"{passage['document']}, {passage['section']}"
        assert followed(server, figure.xpath(".//a")[0]) == passage["source_text"]
    assert words(shown[0].xpath(".//mark")[0]) == "Ada Lovelace met Charles Babbage in 1833."


def test_where_no_passage_has_the_name_that_is_said(server: httpx.Client) -> None:
    page = opened(server, "/ask", question="Who was the king of Sweden in 1700?")
    assert "Not found in 2 documents" in words(page.xpath("//article")[0])
    assert not page.xpath("//figure")


def test_a_search_has_pages(server: httpx.Client) -> None:
    assert not opened(server, "/search").xpath("//figure")
    page = opened(server, "/search", words="person of the town")
    seen = []
    while True:
        seen += [each.get("href") for each in page.xpath("//figure//a")]
        following = page.xpath("//a[@rel='next']")
        if not following:
            break
        page = opened(server, following[0].get("href"))
    assert len(seen) == len(set(seen)) > 10
    assert page.xpath("//a[contains(., 'First hits')]")
    page = opened(server, "/search", words="Babbage")
    assert words(page.xpath("//li[@class='hit']//a")[0]) == "Charles Babbage"
    assert {words(each) for each in page.xpath("//mark")} == {"Babbage"}


def test_an_entity_shows_facts_whose_quotes_lead_to_their_words(server: httpx.Client) -> None:
    card = server.get("/api/entity", params={"name": "Ada Lovelace"}).json()
    page = opened(server, "/entity", name="Ada Lovelace")
    assert words(page.xpath("//h1")[0]) == "Ada Lovelace"
    facts = page.xpath("//li[@class='fact']")
    assert [each.get("id") for each in facts] == [f"f-{each['id']}" for each in card["facts"]][:10]
    for fact, known in list(zip(facts, card["facts"], strict=False))[:3]:
        quote = fact.xpath(".//figure")[0]
        assert words(quote.xpath("./blockquote")[0]) == known["source_text"]
        assert followed(server, quote.xpath(".//a")[0]) == known["source_text"]
    neighbours = {words(each) for each in page.xpath("//ul[contains(@class, 'neighbours')]/li/a")}
    assert {"Charles Babbage", "William King", "London"} <= neighbours
    [data] = page.xpath("//script[@type='application/json']")
    names = {node["name"] for node in json.loads(data.text)["nodes"]}
    assert names == neighbours | {"Ada Lovelace"}
    assert len(page.xpath("//div[starts-with(@class, 'kg-viewer')]//circle")) == len(names)  # without a script
    for link in page.xpath("//ul[contains(@class, 'neighbours')]/li/a")[:3]:
        assert words(opened(server, link.get("href")).xpath("//h1")[0]) == words(link)


def test_of_a_name_that_no_entity_has_similar_ones_are_offered(server: httpx.Client) -> None:
    answer = server.get("/entity", params={"name": "Ada Lovelice"})
    assert answer.status_code == 404
    assert faults(answer.text) == []
    page = html.fromstring(answer.text)
    near = page.xpath("//ul[@class='chips']//a")
    assert "Ada Lovelace" in [words(each) for each in near]
    assert words(opened(server, near[0].get("href")).xpath("//h1")[0]) == words(near[0])
    twin = server.get("/entity.json", params={"name": "Ada Lovelice"}).json()
    assert twin["error"]["message"].startswith("No entity")
    assert server.get("/entity", params={"name": "Ada Lovelace", "cursor": "x"}).status_code == 400


def test_a_document_is_its_text_with_the_evidence_marked(server: httpx.Client) -> None:
    listed = opened(server, "/documents")
    links = {words(each): each.get("href") for each in listed.xpath("//td/a")}
    page = opened(server, links["Ada Lovelace"])
    for each in page.xpath("//sup"):
        each.drop_tree()
    blocks = page.xpath("//section[starts-with(@class, 'passage')]/*[self::h2 or contains(@class, 'source')]")
    assert " ".join(map(words, blocks)) == " ".join(ADA.replace("# ", "").split())
    page = opened(server, links["Ada Lovelace"])
    stated = page.xpath("//p[contains(@class, 'source')]/span[@class='stated']")
    assert "Charles Babbage designed the Analytical Engine." in "".join(each.text_content() for each in stated)
    for mark in page.xpath("//sup/a"):
        [statement] = page.xpath(f"//*[@id='{mark.get('href')[1:]}']")
        assert statement.xpath(f".//a[@href='#{mark.get('id')}']")
    assert len(page.xpath("//sup/a")) == len(page.xpath("//ol/li[@value]")) > 3
    names = {words(each): each.get("href") for each in page.xpath("//a[@class='name']")}
    assert words(opened(server, names["Charles Babbage"]).xpath("//h1")[0]) == "Charles Babbage"


def test_a_long_document_has_pages_and_sections(server: httpx.Client, database: Database) -> None:
    links = {words(each): each.get("href") for each in opened(server, "/documents").xpath("//td/a")}
    page = first = opened(server, links["long"])
    parts: list[str] = []
    while True:
        parts += [words(each) for each in page.xpath("//section/h2")]
        following = page.xpath("//a[@rel='next']")
        if not following:
            break
        page = opened(server, following[0].get("href"))
    assert parts == [f"Part {number}" for number in range(24)]
    assert page.xpath("//a[@rel='prev']")
    for section in first.xpath("//nav[@aria-label='Sections']//a")[::5]:
        address, _, anchor = section.get("href").partition("#")
        assert words(section) in words(opened(server, address).xpath(f"//section[@id='{anchor}']")[0])
    chunk = server.get("/api/search", params={"words": "Person 23 stone 149"}).json()["hits"][0]
    page = opened(server, "/document", id=chunk["id"])
    [here] = page.xpath("//*[@id='here']/ancestor::section")
    assert words(here.xpath(".//p[contains(@class, 'source')]")[0])[:20] in " ".join(chunk["source_text"].split())
    with database.driver.session() as session:
        session.run(
            "MATCH (c:KgChunk {id: $id})-[:IN_DOCUMENT]->(d) SET d.pages = [0, c.start + 400]", id=chunk["id"]
        ).consume()
    page = opened(server, "/document", id=chunk["id"])
    assert [words(each) for each in page.xpath("//span[@class='page']")] == ["p. 2"]
    assert "page 1" in words(page.xpath("//*[@id='here']/..")[0])


def test_a_graph_is_bounded_and_more_is_a_link(server: httpx.Client) -> None:
    page = opened(server, "/graph", limit=3)
    [more] = page.xpath("//a[starts-with(@href, '/graph?')]")
    assert more.get("href") == "/graph?limit=6"
    counts = [len(server.get("/graph.json", params={"limit": n}).json()["picture"]["nodes"]) for n in (3, 6)]
    assert counts == [3, 6]
    around = server.get("/graph.json", params={"name": "Ada Lovelace", "limit": 4}).json()
    assert around["about"] == "Ada Lovelace"
    assert len(around["picture"]["nodes"]) == 4
    assert around["more"] == {"name": "Ada Lovelace", "limit": "8"}
    assert around["picture"]["caption"].startswith("4 nodes: Ada Lovelace and the neighbours that sources name most;")
    detail = around["picture"]["details"][around["picture"]["nodes"][0]["id"]]
    assert words(opened(server, detail["href"]).xpath("//h1")[0]) == around["picture"]["nodes"][0]["name"]
    quote = detail["quotes"][0]
    page = opened(server, quote["href"].partition("#")[0])
    marked = " ".join("".join(each.text_content() for each in page.xpath("//mark[@class='meant']")[:-1]).split())
    assert marked == quote["text"]
    for limit in ("0", "-1", "x", "1001", "9" * 30, "²"):
        assert server.get("/graph", params={"limit": limit}).status_code == 400
    assert server.get("/graph", params={"ids": "nothing"}).status_code == 200


def base36(node: Mapping[str, Any]) -> str:
    """Return the num of a drawn node as addresses have it."""
    number, digits = int(node["id"][1:]), ""
    while number:
        number, digit = divmod(number, 36)
        digits = string.digits[digit] + digits if digit < 10 else string.ascii_lowercase[digit - 10] + digits
    return digits


def test_neighbours_of_a_node_are_added_to_what_is_drawn(server: httpx.Client) -> None:
    first = server.get("/graph.json", params={"limit": 2}).json()["picture"]
    assert first["more_at"] == "/graph.json"
    [hub, other] = first["nodes"]
    assert hub["degree"] > len(first["edges"])
    known = "-".join(map(base36, (hub, other)))
    grown = server.get("/graph.json", params={"around": base36(hub), "nums": known, "limit": 5}).json()["picture"]
    assert len(grown["nodes"]) == 5
    ids = {node["id"] for node in grown["nodes"]}
    assert {hub["id"], other["id"]} < ids
    assert {each["id"] for each in first["edges"]} < {each["id"] for each in grown["edges"]}
    near = {each["source"] for each in grown["edges"]} | {each["target"] for each in grown["edges"]}
    assert near == ids == {each for each in grown["details"] if each.startswith("n")}
    assert server.get("/graph", params={"around": base36(hub), "nums": known}).status_code == 200
    assert server.get("/graph", params={"around": "0"}).status_code == 404
    assert server.get("/graph", params={"around": "Ω", "nums": "ΩΩ"}).status_code == 404
    many = "-".join(["zzzzzzzzzz"] * 1_000)
    assert server.get("/graph.json", params={"around": base36(hub), "nums": many, "limit": 1_000}).status_code == 200


@pytest.mark.usefixtures("notes")  # makes the index of names
def test_entities_without_a_relationship_are_counted_and_drawn_only_where_they_are_named(
    offline: Settings, database: Database
) -> None:
    with served(offline) as client:
        entity_graph.load(database, offline.graph, [("Hermit", "", ""), ("Recluse", "", "")])
        caption = "0 of 2 nodes: those with relationships; 2 have none. 0 relationships."
        assert f"There is nothing to draw. {caption}" in words(opened(client, "/graph").xpath("//main")[0])
        entity_graph.load(database, offline.graph, [("Hermit", "", ""), ("Recluse", "", ""), ("Ada", "KNOWS", "Ben")])
        caption = "2 of 4 nodes: those with relationships; 2 have none. 1 relationship"
        assert f"{caption}." in [words(each) for each in opened(client, "/graph").xpath("//p[@class='kg-note']")]
        drawn = client.get("/graph.json").json()["picture"]
        assert ([node["name"] for node in drawn["nodes"]], drawn["caption"]) == (["Ada", "Ben"], caption)
        first = queries.get("serve/first_entities")
        ids = {row["name"]: row["id"] for row in database.read(first, graph=offline.graph, chunks=9, limit=9)}
        for given in ({"name": "Hermit"}, {"ids": ids["Hermit"]}):
            around = client.get("/graph.json", params=given).json()["picture"]
            assert [node["name"] for node in around["nodes"]] == ["Hermit"]
            assert around["caption"] == "1 node, 0 relationships"


def test_every_page_is_a_template_that_a_twin_matches(server: httpx.Client) -> None:
    given = {"/ask": {"question": QUESTION}, "/entity": {"name": "Ada Lovelace"}}
    given["/document"] = {"id": server.get("/api/documents").json()["documents"][0]["id"]}
    for page in rendering.declared("PAGES"):
        if page.writes or page.path not in ("/", "/search", "/documents", "/graph", *given):
            continue
        answer = server.get(page.path, params=given.get(page.path))
        [twin] = html.fromstring(answer.text).xpath("//footer/a[text()='This page as JSON']/@href")
        assert isinstance(server.get(twin).json(), dict)
        policy = answer.headers["content-security-policy"]
        assert "'unsafe" not in policy
        assert not re.search(r"<style|\sstyle=|\son\w+=", answer.text)


@pytest.fixture(scope="module")
def hostile(shared: Settings, database: Database) -> Iterator[httpx.Client]:
    settings = shared.model_copy(update={"graph": f"{shared.graph}-hostile"})
    load_hostile(database, settings.graph)
    with served(settings) as client:
        yield client
    delete_graph(database, settings.graph)


def test_there_are_two_hundred_hostile_texts() -> None:
    assert len(set(TEXTS)) == 200
    assert faults('<p title="x" onclick="y()"><i></i><a href="javascript:x()">x</a><script>x()</script>') == [
        *("p has attribute title='x'", "p has attribute onclick='y()'", "element i"),
        *("a leads to 'javascript:x()'", "a script without a file"),
    ]


def test_hostile_texts_of_the_graph_stay_texts(hostile: httpx.Client) -> None:
    titles: list[str] = []
    addresses = ["/documents"]
    while addresses:
        page = opened(hostile, addresses.pop())
        titles += [each.text_content() for each in page.xpath("//td/a")]
        addresses += [each.get("href") for each in page.xpath("//a[@rel='next']")]
        for link in page.xpath("//td/a")[::4]:
            shown = opened(hostile, link.get("href"))
            assert words(shown.xpath("//h1")[0]) == words(link)
    assert {" ".join(each.split()) for each in titles} == {" ".join(each.split()) for each in TEXTS}
    drawn = opened(hostile, "/graph")
    [data] = drawn.xpath("//script[@type='application/json']")
    picture = json.loads(data.text)
    hrefs = {node["name"]: picture["details"][node["id"]]["href"] for node in picture["nodes"]}
    assert set(hrefs) <= set(TEXTS)
    assert len(hrefs) > 100  # names that differ in signs alone are those of one entity
    for text, href in hrefs.items():
        page = opened(hostile, href)
        assert words(page.xpath("//h1")[0]) == " ".join(text.split())
        assert f"{text} x".split() in [each.text_content().split() for each in page.xpath("//ul[@class='chips']//span")]
        assert " met " in words(page.xpath("//blockquote")[0])


def test_hostile_words_of_a_request_stay_texts(hostile: httpx.Client) -> None:
    others = (("/entity", "name"), ("/document", "id"), ("/graph", "name"), ("/graph", "limit"), ("/search", "cursor"))
    for number, text in enumerate(TEXTS):
        page = opened(hostile, "/ask", question=text)
        assert page.xpath("//input[@name='question']")[0].get("value") == text.strip()
        address = ("/search", "/documents")[number % 2]
        page = opened(hostile, address, words=text)
        assert page.xpath("//input[@name='words']")[0].get("value").strip() == text.strip()
        address, name = others[number % len(others)]
        answer = hostile.get(address, params={"words": "x", name: f"{text} nothing"})
        assert answer.status_code in (200, 400, 404)
        assert faults(answer.text) == []
    away = hostile.get(f"/{TEXTS[0].replace('/', '')}")
    assert away.status_code == 404
    assert faults(away.text) == []


@pytest.mark.parametrize(
    "path", ["/nosuch", "/serch", "/entitty", "/graphs", "/nosuch.json", "/api/nosuch", "/api/serch"]
)
def test_what_is_not_there_is_said_once_with_what_helps(server: httpx.Client, path: str) -> None:
    answer = server.get(path, headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert answer.text.lower().count("not found") == (0 if rendering.is_data(path) else 1)
    assert answer.text.count(f"there is nothing at {path}") == 1
    near = {"/serch": "/search", "/entitty": "/entity", "/api/serch": "/api/search", "/graphs": "/graph"}.get(path)
    if rendering.is_data(path):
        assert (near or "/api/openapi.json") in answer.json()["error"]["hint"]
        return
    assert faults(answer.text) == []
    links = html.fromstring(answer.text).xpath("//main//a/@href")
    assert (near in links) if near else (links == ["/", "/search", "/documents"])
    for link in links:
        assert server.get(link).status_code in (200, 400)  # 400: a page that needs a name


def test_a_method_that_an_address_does_not_take_is_said_in_words(server: httpx.Client) -> None:
    answer = server.post("/search", headers={"accept": "text/html"})
    assert answer.status_code == 405
    assert "Method Not Allowed" not in answer.text
    assert "/search does not take POST" in answer.text
    error = server.get("/api/load").json()["error"]
    assert (error["message"], error["hint"]) == ("/api/load does not take GET", "it takes POST")
