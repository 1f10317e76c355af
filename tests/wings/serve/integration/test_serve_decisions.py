"""The forms that decide: each does what it says, carries what its page showed, is kept, and is undone. A real Neo4j."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from lxml import html

from fake_llm import FakeLlm
from hostile_pages import faults
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.commands.rebuild import rebuild
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.settings import Settings
from kg_neo4j_serve.connection import Rights
from served import post, served

TEXTS = {
    "letters.txt": "Tom Hale wrote that Ada Reed founded Harbour Mill. Tom Hale married Ann Reed.",
    "mill.txt": "Ada Reed founded Harbour Mill. Ada Reed was born in Durham. Tom Hale worked for Harbour Mill.",
}
NODES = "sentences,node_id,node_type,name,start_date,end_date,role,location,description\n"
RELATIONSHIPS = "\nsentences,node_id_1,relationship_type,node_id_2,start_date,end_date,phrase\n"
ANSWERS = {
    "Ada Reed was born": NODES
    + "1,n1,PERSON,Ada Reed,,,,,\n1,n2,ORGANIZATION,Harbour Mill,,,,,\n"
    + "2,n3,PLACE,Durham,,,,,\n3,n4,PERSON,Tom Hale,,,,,\n"
    + RELATIONSHIPS
    + "1,n1,FOUNDED,n2,1841,,\n2,n1,BORN_IN,n3,,,\n3,n4,WORKED_FOR,n2,,,\n",
    "Tom Hale wrote that": NODES
    + "1,n1,PERSON,Tom Hale,,,,,\n1,n2,PERSON,Ada Reed,,,,,\n"
    + "1,n3,ORGANIZATION,Harbour Mill,,,,,\n2,n4,PERSON,Ann Reed,,,,,\n"
    + RELATIONSHIPS
    + "1,n2,FOUNDED,n3,,,\n2,n1,MARRIED_TO,n4,,,\n",
}
"""What a model says of the texts."""
REASON = "the <deed> says it"


@pytest.fixture
def loaded(offline: Settings, tmp_path: Path) -> Settings:
    with FakeLlm(rules=lambda _, user: next((ANSWERS[known] for known in ANSWERS if known in user), "")) as llm:
        own = offline.model_copy(update={"openai_base_url": llm.url, "model": "fake"})
        for name, text in TEXTS.items():
            (tmp_path / name).write_text(text)
            load([str(tmp_path / name)], settings=own, options=LoadOptions(gleanings=0))
    return offline


@pytest.fixture
def server(loaded: Settings) -> Iterator[httpx.Client]:
    with served(loaded, Rights(write=True)) as client:
        yield client


def forms(client: httpx.Client, page: str, form: str, **given: str) -> list[dict[str, str]]:
    """Return the fields of the forms of one kind on a page, as a browser sends them."""
    found = client.get(page, params=given)
    assert found.status_code == 200
    assert [each for each in faults(found.text) if "example.org" not in each] == []
    return filled(found.text, form)


def filled(text: str, form: str) -> list[dict[str, str]]:
    """Return the fields of the forms of one kind in a page."""
    found = []
    for each in html.fromstring(text).xpath("//form[@action=$action]", action=f"/decide/{form}"):
        fields = {one.get("name"): one.get("value", "") for one in each.xpath(".//input[not(@type='checkbox')]")}
        fields |= {
            one.get("name"): one.xpath("string(option[@selected or 1]/@value)") for one in each.xpath(".//select")
        }
        found.append(fields)
    return found


def entity_form(client: httpx.Client, form: str, name: str = "Ada Reed") -> dict[str, str]:
    return forms(client, "/entity", form, name=name)[0]


def fact_form(client: httpx.Client, form: str, kind: str = "FOUNDED", name: str = "Ada Reed") -> dict[str, str]:
    facts = client.get("/entity.json", params={"name": name}).json()["facts"]
    [id] = [each["id"] for each in facts if each["type"] == kind]
    [found] = [each for each in forms(client, "/entity", form, name=name) if each["fact"] == id]
    return found


def send(client: httpx.Client, form: str, fields: dict[str, str], **changed: str) -> httpx.Response:
    given = {name: value for name, value in (fields | changed).items() if name != "csrf"}
    return post(client, f"/decide/{form}", **given)


def facts(client: httpx.Client, name: str = "Ada Reed") -> list[tuple[str, str, str]]:
    found = client.get("/entity.json", params={"name": name}).json()["facts"]
    return sorted((each["source"], each["type"], each["target"]) for each in found)


def decided(client: httpx.Client, **given: str) -> list[dict[str, Any]]:
    return [each for each in client.get("/decisions.json", params=given).json()["decided"] if each["by"] == "a person"]


def undo_all(client: httpx.Client) -> None:
    while held := [each for each in decided(client) if not each["revoked"]]:
        [fields] = [each for each in forms(client, "/decisions", "undo") if each["id"] == held[0]["id"]]
        assert send(client, "undo", fields).status_code == 303


def exported(database: Database, settings: Settings) -> list[str]:
    """Return the export without decisions that were taken back: they are remembered."""
    return [line for line in lines(database, settings.graph) if '"revoked":true' not in line.replace(" ", "")]


FORMS: dict[str, tuple[str, dict[str, str]]] = {
    "name": ("nodes", {"value": "Ada Maria Reed"}),
    "type": ("nodes", {"value": "scientist", "scope": "one"}),
    "type of all": ("types", {"value": "HUMAN", "scope": "all"}),
    "same": ("names", {"value": "ann reed"}),
    "add": ("facts", {"type": "lived in", "other": "Durham", "start": "1851", "url": "https://example.org/census"}),
    "add a new name": ("facts", {"type": "OWNED", "other": "The Lark", "other_type": "PRODUCT", "direction": "to"}),
    "add the other way": ("facts", {"type": "PRAISED", "other": "Ann Reed", "direction": "from"}),
    "wrong": ("facts", {}),
    "edit": ("facts", {"type": "BOUGHT", "start": "1843"}),
    "edit an end": ("facts", {"target": "Durham"}),
}
SHOWN = {
    "name": ("Ada Maria Reed", None),
    "type": ("Ada Reed", "SCIENTIST"),
    "type of all": ("Ada Reed", "HUMAN"),
}


@pytest.mark.parametrize("case", FORMS)
def test_a_form_decides_is_kept_and_undone(
    server: httpx.Client, loaded: Settings, database: Database, case: str
) -> None:
    before, known = exported(database, loaded), facts(server)
    form, (group, fields) = case.partition(" ")[0], FORMS[case]
    form_of = fact_form if form in ("wrong", "edit") else entity_form
    done = send(server, form, form_of(server, form), reason=REASON, **fields)
    assert done.status_code == 303, done.text
    assert server.get(done.headers["location"]).status_code == 200
    [made] = decided(server, kind=group)
    assert (made["group"], made["revoked"], made["reason"]) == (group, False, REASON)
    card = server.get("/entity.json", params={"name": "Ada Reed"}).json()["card"]
    name, kind = SHOWN.get(case, ("Ada Reed", None))
    assert (card["name"], card["type"]) == (name, kind or card["type"])
    changed = facts(server)
    rebuild(settings=loaded)  # from the stored answers
    assert facts(server) == changed
    assert (changed != known) is (form in ("name", "same", "add", "wrong", "edit"))
    page = server.get("/decisions", params={"kind": group}).text
    assert "the &lt;deed&gt; says it" in page
    assert [each for each in faults(page) if "example.org" not in each] == []
    undo_all(server)
    assert exported(database, loaded) == before
    assert [each["state"] for each in decided(server, kind=group)] == ["taken back"]


def test_documents_that_mean_another_bearer_are_parted_and_come_back(
    server: httpx.Client, loaded: Settings, database: Database
) -> None:
    before = exported(database, loaded)
    fields = entity_form(server, "two")
    boxes = html.fromstring(server.get("/entity", params={"name": "Ada Reed"}).text).xpath(
        "//form[@action='/decide/two']//label[input[@type='checkbox']]"
    )
    [name] = [each.xpath("string(input/@name)") for each in boxes if "letters" in each.text_content()]
    assert send(server, "two", fields).status_code == 400  # no document is chosen
    assert send(server, "two", fields, **{name: "on"}, reason=REASON).status_code == 303
    hits = server.get("/api/search", params={"words": "Ada Reed"}).json()["hits"]
    assert [each["name"] for each in hits if each["kind"] == "entity"].count("Ada Reed") == 2
    [made] = decided(server, kind="names")
    assert (made["kind"], made["document"], made["reason"]) == ("cannot-link", "letters", REASON)
    undo_all(server)
    assert exported(database, loaded) == before


def test_a_reason_stays_with_names_that_are_one(server: httpx.Client, loaded: Settings, database: Database) -> None:
    before = exported(database, loaded)
    assert send(server, "same", entity_form(server, "same"), value="Tom Hale").status_code == 303
    assert {"Ada Reed (PERSON)", "Tom Hale (PERSON)"} == {
        name for each in decided(server, kind="names") for name in (each["left"], each["right"])
    }
    card = server.get("/entity.json", params={"name": "Tom Hale"}).json()["card"]
    assert server.get("/entity.json", params={"name": "Ada Reed"}).json()["card"]["id"] == card["id"]
    refused = send(server, "same", entity_form(server, "same"), value="Ada Reed", reason=REASON)
    assert refused.status_code == 400
    assert "is this entity already" in refused.text
    [again] = filled(refused.text, "same")
    assert (again["value"], again["reason"]) == ("Ada Reed", REASON)  # what was written is not lost
    assert send(server, "same", again, value="Ann Reed").status_code == 303
    undo_all(server)
    assert exported(database, loaded) == before


def test_a_statement_by_hand_is_marked_and_taken_back_at_its_place(server: httpx.Client) -> None:
    known = facts(server)
    assert (
        send(server, "add", entity_form(server, "add"), type="OWNED", other="Durham", reason=REASON).status_code == 303
    )
    found = html.fromstring(server.get("/entity", params={"name": "Ada Reed"}).text)
    marked = found.xpath("//li[contains(@class, 'fact')][.//span[text()='by hand']]")
    assert ["owned" in each.text_content() for each in marked] == [True]
    card = server.get("/api/entity", params={"name": "Ada Reed"}).json()
    assert {each["type"]: each["by_hand"] for each in card["facts"]} == {"OWNED": 1, "FOUNDED": 0, "BORN_IN": 0}
    [fact] = [each["id"] for each in card["facts"] if each["type"] == "OWNED"]
    page = server.get("/fact", params={"id": fact}).text
    assert filled(page, "wrong") == []  # the statement is taken back
    [fields, *_] = filled(page, "undo")
    assert send(server, "undo", fields).status_code == 303
    assert facts(server) == known
    assert server.get("/fact", params={"id": fact}).status_code == 404


def test_pages_of_texts_lead_to_the_form_and_mark_what_is_wrong(server: httpx.Client) -> None:
    document = next(each["id"] for each in server.get("/api/documents").json()["documents"] if "mill" in each["key"])
    page = html.fromstring(server.get("/document", params={"id": document}).text)
    [link] = page.xpath("//ol//a[contains(., 'This fact is wrong')][contains(., 'founded')]/@href")
    answer = html.fromstring(server.get("/ask", params={"question": "Who founded Harbour Mill?"}).text)
    assert link in answer.xpath("//li[contains(@class, 'claim')]//a[contains(., 'This fact is wrong')]/@href")
    assert not page.xpath("//article//*[contains(@class, 'corrected')]")
    [fields] = filled(server.get(link).text, "wrong")
    assert send(server, "wrong", fields, reason=REASON).status_code == 303
    for name, words in (
        ("mill", "Ada Reed founded Harbour Mill."),
        ("letters", "Tom Hale wrote that Ada Reed founded Harbour Mill."),
    ):
        id = next(each["id"] for each in server.get("/api/documents").json()["documents"] if name in each["key"])
        shown = html.fromstring(server.get("/document", params={"id": id}).text)
        marked = shown.xpath("//article//*[contains(@class, 'corrected')]")
        assert "".join(each.text_content() for each in marked) == words
        [note] = shown.xpath("//li/span[@class='correction']")
        assert "Ada Reed FOUNDED Harbour Mill is wrong: the <deed> says it" in " ".join(note.text_content().split())
        assert server.get(note.xpath("string(a/@href)")).status_code == 200
    undo_all(server)
    assert "corrected" not in server.get("/document", params={"id": document}).text


# ------------------------------------------------------------------------------------------------ two people at once

RIVALS = {
    "name": ("name", {"value": "A. Reed"}, "name", {"value": "Ada R."}),
    "type": ("type", {"value": "SCIENTIST"}, "name", {"value": "Ada R."}),
    "same": ("same", {"value": "Ann Reed"}, "type", {"value": "SCIENTIST"}),
    "add": ("add", {"type": "OWNED", "other": "Durham"}, "add", {"type": "OWNED", "other": "Durham"}),
    "wrong": ("wrong", {}, "edit", {"type": "BOUGHT"}),
    "edit": ("edit", {"start": "1843"}, "wrong", {}),
}


@pytest.mark.parametrize("case", RIVALS)
def test_what_has_changed_since_is_not_decided_on(server: httpx.Client, loaded: Settings, case: str) -> None:
    first, fields, second, others = RIVALS[case]
    with served(loaded, Rights(write=True)) as other:
        mine, theirs = (
            (fact_form if form in ("wrong", "edit") else entity_form)(client, form)
            for client, form in ((server, first), (other, second))
        )
        assert send(server, first, mine, reason="mine", **fields).status_code == 303
        refused = send(other, second, theirs, reason="theirs", **others)
        assert refused.status_code == 409
        assert [each["reason"] for each in decided(server)] == ["mine"]
        page = " ".join(html.fromstring(refused.text).xpath("//main")[0].text_content().split())
        assert "Somebody else decided on this after your page was made" in page
        assert "by a person: mine" in page
        assert "It matters if" in page
        assert faults(refused.text) == []
        again = filled(refused.text, second)
        if first in ("wrong", "edit"):
            assert again == []  # the fact is not there as it was
            return
        assert (again[0]["reason"], again[0].get("value")) == ("theirs", others.get("value"))
        assert send(other, second, again[0]).status_code == 303  # with the present state, it is decided


def test_a_proposal_and_an_undo_are_decided_once(server: httpx.Client) -> None:
    assert send(server, "wrong", fact_form(server, "wrong")).status_code == 303
    [fields, *_] = forms(server, "/decisions", "undo")
    assert send(server, "undo", fields).status_code == 303
    refused = send(server, "undo", fields)
    assert refused.status_code == 409
    assert "taken back" in refused.text
    assert filled(refused.text, "undo") == []


def test_of_two_threads_one_decides(server: httpx.Client, loaded: Settings) -> None:
    clients = [httpx.Client(base_url=server.base_url, timeout=60, trust_env=False) for _ in range(2)]
    for each in clients:
        each.access = server.access  # type: ignore[attr-defined]
    both = [entity_form(each, "name") for each in clients]
    with ThreadPoolExecutor(2) as pool:
        sent = [
            pool.submit(send, *each, value=f"Ada {n}", reason=f"{n}")
            for n, each in enumerate(zip(clients, ("name",) * 2, both, strict=True))
        ]
        statuses = [each.result().status_code for each in sent]
    assert sorted(statuses) == [303, 409]
    assert [each["reason"] for each in decided(server)] == [str(statuses.index(303))]
    for each in clients:
        each.close()


def test_a_load_that_runs_is_waited_for_and_nothing_is_lost(
    server: httpx.Client, loaded: Settings, database: Database
) -> None:
    fields = entity_form(server, "name")
    with Lease(database, loaded.graph):
        refused = send(server, "name", fields, value="Ada R.", reason=REASON)
        assert refused.status_code == 503
        assert "is being written" in refused.text
        assert decided(server) == []
    [again] = filled(refused.text, "name")
    assert (again["value"], again["reason"]) == ("Ada R.", REASON)
    assert send(server, "name", again).status_code == 303
    assert server.get("/entity.json", params={"name": "Ada Reed"}).json()["card"]["name"] == "Ada R."


# ------------------------------------------------------------------------------------------------ rights and pages


def test_a_server_that_only_reads_has_no_form(server: httpx.Client, loaded: Settings) -> None:
    fields = entity_form(server, "name")
    assert send(server, "name", {**fields, "was": ""}, value="x").status_code == 409
    assert send(server, "name", fields, value=" ").status_code == 400
    del fields["csrf"]
    for form in ("wrong", "name", "undo", "pair", "edit", "add", "same", "two", "type"):
        assert server.post(f"/decide/{form}", data=fields).status_code == 403
    with served(loaded) as reader:
        fact = reader.get("/entity.json", params={"name": "Ada Reed"}).json()["facts"][0]["id"]
        for page, given in (("/entity", {"name": "Ada Reed"}), ("/fact", {"id": fact}), ("/decisions", {})):
            found = reader.get(page, params=given)
            assert found.status_code == 200
            assert not re.search(r"/decide/|This fact is wrong", found.text)
        assert reader.post("/decide/name", data=fields).status_code == 403


def test_decisions_are_filtered_and_paged(server: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert send(server, "name", entity_form(server, "name"), value="Ada R.").status_code == 303
    assert send(server, "wrong", fact_form(server, "wrong", name="Ada R.")).status_code == 303
    assert [each["group"] for each in decided(server, kind="facts")] == ["facts"]
    monkeypatch.setattr("kg_neo4j_serve.limits.ROWS", 1)
    first = server.get("/decisions.json").json()
    second = server.get("/decisions.json", params={"cursor": first["cursor"]}).json()
    assert len({each["id"] for page in (first, second) for each in page["decided"]}) == 2
    assert server.get("/decisions", params={"kind": "all"}).status_code == 400
    assert '<a href="/decisions"' in server.get("/").text


def test_a_correction_whose_sentence_has_gone_says_it(server: httpx.Client, loaded: Settings, tmp_path: Path) -> None:
    assert send(server, "wrong", fact_form(server, "wrong", "BORN_IN")).status_code == 303
    (tmp_path / "mill.txt").write_text("The mill stood at the harbour.")
    load([str(tmp_path / "mill.txt")], settings=loaded, options=LoadOptions(rebuild=True))
    [made] = decided(server, kind="facts")
    assert made["state"] == "its sentence has gone"
