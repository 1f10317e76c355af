"""Asking with filters from lists, what the menu shows, and questions whose answer was wrong."""

from __future__ import annotations

import json
import shlex
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from lxml import html

from hostile_pages import TEXTS, faults
from kg_neo4j import KnowledgeGraph
from kg_neo4j.pipeline.commands.verify import check_answers
from kg_neo4j.settings import Settings
from kg_neo4j_serve import limits
from kg_neo4j_serve.connection import Rights
from kg_neo4j_serve.pages import questions
from kg_neo4j_serve.service import Service
from served import PERSON, post, served

ADA = (
    "Ada Lovelace was born in London on 10 December 1815. She was a mathematician. Ada Lovelace met Charles Babbage in "
    "1833. Charles Babbage designed the Analytical Engine. Ada Lovelace married William King in 1835."
)
CLARA = (
    "Clara Schumann wurde 1819 in Leipzig geboren. Clara Schumann heiratete 1840 Robert Schumann. Sie war Pianistin."
)
QUESTION = "Whom did Ada Lovelace marry?"


@pytest.fixture(scope="module")
def notes(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("notes")
    (folder / "ada, of London.txt").write_text(ADA, "utf-8")
    (folder / "clara.txt").write_text(CLARA, "utf-8")
    own = shared.model_copy(update={"home": tmp_path_factory.mktemp("home")})
    with KnowledgeGraph(shared.graph, settings=own) as found:
        found.load(folder)
        yield found


@pytest.fixture(scope="module")
def server(notes: KnowledgeGraph) -> Iterator[httpx.Client]:
    with served(notes.settings, Rights(write=True)) as client:
        yield client


def opened(server: httpx.Client, address: str, **given: str | list[str]) -> html.HtmlElement:
    answer = server.get(address, params=given or None, headers=PERSON)
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    return html.fromstring(answer.text)


def menu_of(server: httpx.Client, address: str = "/") -> list[str]:
    return [each.text for each in opened(server, address).xpath("//nav[@aria-label='Pages']/a")]


# ------------------------------------------------------------------------------------------------ filters


def test_filters_are_chosen_from_what_the_graph_has(server: httpx.Client) -> None:
    page = opened(server, "/")
    boxes = {each: page.xpath(f"//input[@type='checkbox'][@name='{each}']/@value") for each in ("types", "languages")}
    assert {"PERSON", "PLACE"} <= set(boxes["types"])
    assert boxes["languages"] == ["de", "en"]
    assert page.xpath("//input[@name='kinds']") == []  # there is one kind: nothing to choose
    assert page.xpath("//datalist/option/@value") == ["ada* of London", "clara"]
    asked = {"question": QUESTION, "languages": ["de", "en"], "documents": "ada* of London", "types": "PERSON"}
    page = opened(server, "/ask", **asked)
    said = page.xpath("string(//dt[.='Filters']/following-sibling::dd[1])")
    assert said == "document ada* of London; language de, en; type PERSON"
    assert page.xpath("//input[@name='languages'][@checked]/@value") == ["de", "en"]
    assert page.xpath("//input[@name='documents'][@type='text']/@value") == ["ada* of London"]
    with_commas = opened(server, "/ask", question=QUESTION, languages="de, en", types="person,PLACE")
    assert with_commas.xpath("//input[@name='languages'][@checked]/@value") == ["de", "en"]
    assert with_commas.xpath("//input[@name='types'][@checked]/@value") == ["PLACE", "person"]
    german = server.get("/ask.json", params={"question": QUESTION, "languages": "de"}).json()
    assert not german["answer"]["found"]
    one_kind = opened(server, "/ask", question=QUESTION, kinds="file")
    assert one_kind.xpath("//input[@name='kinds'][@checked]/@value") == ["file"]


# ------------------------------------------------------------------------------------------------ the menu


def test_the_menu_leaves_out_what_is_empty(
    server: httpx.Client, notes: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "KEPT_S", 0.0)
    always = ["Ask", "Search", "Documents", "Graph", "Reports", "Load"]
    with served(notes.settings, Rights(write=True)) as client:
        shown = menu_of(client)
        assert [each for each in shown if each not in ("Communities", "Merges", "Decisions")] == always
        for path in ("/trees", "/quarantine", "/runs", "/merges", "/questions"):
            assert menu_of(client, path)  # there by its address
        notes.tree()
        assert "Trees" in menu_of(client)
        id = client.post("/api/load", json={"name": "x.txt", "text": ADA}).json()["id"]
        assert "Runs" in menu_of(client, f"/run?id={id}")
        while client.get("/api/status", params={"id": id}).json()["jobs"][0]["state"] != "done":
            time.sleep(0.05)
        notes.unload("x.txt")


def test_merges_are_in_the_menu_where_there_is_something_to_merge(offline: Settings, tmp_path: Path) -> None:
    own = offline.model_copy(update={"home": tmp_path})
    with served(own, Rights(write=True)) as client:
        assert not {"Merges", "Decisions"} & set(menu_of(client))
    story = Path(__file__).resolve().parents[4] / "examples" / "the_lamp_at_skarnes.md"
    with KnowledgeGraph(own.graph, settings=own) as graph:
        graph.load(story)
    with served(own, Rights(write=True)) as client:
        assert client.get("/merges.json").json()["open"]
        until = time.monotonic() + 60
        while "Merges" not in menu_of(client):
            assert time.monotonic() < until
            time.sleep(0.05)


# ------------------------------------------------------------------------------------------------ wrong answers


def test_a_wrong_answer_becomes_a_question_of_kg_test(
    server: httpx.Client, notes: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(server, "/ask", question=QUESTION, languages="en")
    [form] = page.xpath("//form[@action='/questions/add']")
    fields = {each.get("name"): each.get("value", "") for each in form.xpath(".//input")}
    assert fields["wrong"] == notes.ask(QUESTION).answer
    fields.pop("csrf")
    for right in ("John Crosse", TEXTS[0]):
        assert post(server, "/questions/add", right=right, **fields).headers["location"] == "/questions"
    assert post(server, "/questions/add", right="John Crosse", **fields).status_code == 303  # the same once more
    shown = server.get("/questions.json").json()
    assert [each["right"] for each in shown["questions"]] == ["John Crosse", TEXTS[0].strip()]
    assert {each["filtered"] for each in shown["questions"]} == {"languages en"}
    page = opened(server, "/questions")
    command = shlex.split(page.xpath("string(//pre)"))
    assert command[:2] == ["kg", "test"]
    lines = [json.loads(line) for line in Path(command[2]).read_text("utf-8").splitlines()]
    assert lines[1] == {
        "question": QUESTION,
        "mode": "auto",
        "right": "John Crosse",
        "wrong": fields["wrong"],
        "filters": {"languages": "en"},
    }
    assert [each.change for each in check_answers(command[2], settings=notes.settings, save=True)] == ["new", "new"]
    assert [each.change for each in check_answers(command[2], settings=notes.settings)] == ["same", "same"]
    kept = [json.loads(line) for line in Path(command[2]).read_text("utf-8").splitlines()]
    assert [each["right"] for each in kept] == [each["right"] for each in lines]
    for each in server.get("/questions.json").json()["questions"]:
        assert post(server, "/questions/remove", id=each["id"]).headers["location"] == "/questions"
        assert post(server, "/questions/remove", id=each["id"]).status_code == 404
    assert server.get("/questions.json").json()["questions"] == []
    monkeypatch.setattr(limits, "KEPT_S", 0.0)
    assert "Questions" not in menu_of(server)
    assert not list(Path(command[2]).parent.glob("*.partial"))


def test_what_is_no_question_is_refused(server: httpx.Client, notes: KnowledgeGraph) -> None:
    good = {"question": "q", "right": "r", "mode": "auto", "wrong": "w"}
    for wrong in (
        {"question": ""},
        {"right": " "},
        {"mode": "nonsense"},
        {"right": "x" * 3000},
        {"question": "x" * 3000},
    ):
        assert post(server, "/questions/add", **{**good, **wrong}).status_code == 400, wrong
    with served(notes.settings) as reading:
        assert post(reading, "/questions/add", **good).status_code == 403
        assert "This answer is wrong" not in reading.get("/ask", params={"question": QUESTION}).text
        assert reading.get("/questions").status_code == 200
    file = Service(notes.settings).questions
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"question": "by hand"}\n\n[1]\n', "utf-8")
    assert "line 3" in server.get("/questions").text
    assert post(server, "/questions/add", **good).status_code == 400
    assert file.read_text("utf-8") == '{"question": "by hand"}\n\n[1]\n'
    file.write_text('{"question": "by hand", "mode": 5, "filters": [1]}\n', "utf-8")
    assert opened(server, "/questions").xpath("string(//li//a)") == "by hand"
    file.unlink()


def test_two_writers_at_once_lose_nothing(notes: KnowledgeGraph, tmp_path: Path) -> None:
    services = [Service(notes.settings.model_copy(update={"home": tmp_path})) for _ in range(4)]

    def write(number: int) -> None:
        for each in range(10):
            questions.add(services[number], {"question": f"{number} {each}", "right": "r"})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    kept = [json.loads(line)["question"] for line in services[0].questions.read_text("utf-8").splitlines()]
    assert sorted(kept) == sorted(f"{number} {each}" for number in range(4) for each in range(10))


def test_graphs_never_share_a_file(notes: KnowledgeGraph) -> None:
    names = ("notes", "Notes", "no/tes", "no_tes", "..", "../notes", "x" * 200, "x" * 199, "é", "", "con")
    files = {Service(notes.settings.model_copy(update={"graph": name})).questions for name in names}
    assert len({str(each).lower() for each in files}) == len(names)
    assert {each.parent for each in files} == {notes.settings.home / "questions"}
