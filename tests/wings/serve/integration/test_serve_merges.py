"""The inbox of merges: what rules propose, and what a person decides with its buttons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hostile_pages import faults
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands import resolve
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.settings import Settings
from kg_neo4j_serve import limits
from kg_neo4j_serve.connection import Rights
from kg_neo4j_serve.limits import picked
from served import post, served

HOSTILE = "<script>alert(1)</script>"
STORY = Path(__file__).resolve().parents[4] / "examples" / "the_lamp_at_skarnes.md"


@pytest.fixture
def story(offline: Settings) -> Settings:
    load([str(STORY)], settings=offline)
    return offline


@pytest.fixture
def server(story: Settings) -> Iterator[httpx.Client]:
    with served(story, Rights(write=True)) as client:
        yield client


def test_the_inbox_shows_what_a_dry_run_proposes(server: httpx.Client, story: Settings) -> None:
    known = resolve.resolve(settings=story, options=resolve.ResolveOptions(dry_run=True)).proposals
    found = server.get("/merges.json").json()["open"]
    assert {(each["left"]["key"], each["right"]["key"], each["reason"]) for each in found} == {
        (each.left.key, each.right.key, each.reason) for each in known
    }
    assert found
    text = STORY.read_text("utf-8")
    for side in (each[name] for each in found for name in ("left", "right")):
        assert side["quote"]["source_text"] in text
        assert server.get("/entity", params={"name": side["entity"]}).status_code == 200
    page = server.get("/merges").text
    assert all(f'They are two<span class="visually-hidden">: {each["left"]["name"]}' in page for each in found)


def test_a_person_accepts_and_takes_back(server: httpx.Client, story: Settings, database: Database) -> None:
    before = list(lines(database, story.graph))
    pair = server.get("/merges.json").json()["open"][0]
    sides = carried(pair)
    done = post(server, "/decide/pair", verdict="join", **sides)
    assert (done.status_code, done.headers["location"]) == (303, "/merges")
    left = server.get("/merges.json").json()["open"]
    assert (pair["left"]["key"], pair["right"]["key"]) not in {(e["left"]["key"], e["right"]["key"]) for e in left}
    (decision,) = by_a_person(server)
    assert (decision["kind"], decision["revoked"]) == ("must-link", False)
    names = {server.get("/api/entity", params={"name": pair[side]["name"]}).json()["id"] for side in ("left", "right")}
    assert len(names) == 1
    again = post(server, "/decide/pair", verdict="apart", **sides)
    assert again.status_code == 409
    assert "Somebody else decided on this" in again.text
    assert by_a_person(server) == [decision]
    undone = post(server, "/decide/undo", **picked(decision, "id", "was", "seen"))
    assert undone.headers["location"] == "/decisions"
    after = [line for line in lines(database, story.graph) if '"person"' not in line]
    assert after == before
    assert post(server, "/decide/undo", **picked(decision, "id", "was", "seen")).status_code == 409
    assert "taken back" in server.get("/decisions?kind=names").text


def by_a_person(server: httpx.Client) -> list[dict[str, str]]:
    return [e for e in server.get("/decisions.json?kind=names").json()["decided"] if e["rule"] == "person"]


def carried(pair: dict[str, Any]) -> dict[str, str]:
    """Return what the forms on a pair carry."""
    return {"pair": pair["touched"], "was": pair["was"], "seen": pair["seen"]}


def test_a_refusal_outlives_resolving_and_is_taken_back(server: httpx.Client, story: Settings) -> None:
    pair = server.get("/merges.json").json()["open"][0]
    sides = carried(pair)
    assert post(server, "/decide/pair", verdict="apart", **sides).status_code == 303
    (stored,) = [each for each in resolve.decisions(settings=story) if each.decision.rule == resolve.PERSON]
    assert str(stored.decision.kind) == "cannot-link"
    keys = {pairs(pair)}
    assert not keys & {pairs(each) for each in server.get("/merges.json").json()["open"]}
    (decision,) = by_a_person(server)
    assert post(server, "/decide/undo", **picked(decision, "id", "was", "seen")).status_code == 303
    assert keys & {pairs(each) for each in server.get("/merges.json").json()["open"]}


def pairs(proposal: dict[str, dict[str, str]]) -> tuple[str, ...]:
    return tuple(sorted((proposal["left"]["key"], proposal["right"]["key"])))


def test_decisions_need_the_right_and_the_token(server: httpx.Client, story: Settings) -> None:
    pair = server.get("/merges.json").json()["open"][0]
    fields = carried(pair) | {"verdict": "join"}
    for given in ({}, {"csrf": ""}, {"csrf": "0" * 64}):
        assert server.post("/decide/pair", data={**fields, **given}).status_code == 403
        assert server.post("/decide/undo", data={"id": "0" * 32, **given}).status_code == 403
    key = fields["pair"].split()[0]
    wrong = ({"verdict": "maybe"}, 400), ({"pair": ""}, 400), ({"pair": f"{key} {key}"}, 409), ({"pair": "0 1"}, 409)
    for changed, status in wrong:
        assert post(server, "/decide/pair", **{**fields, **changed}).status_code == status, changed
    assert post(server, "/decide/undo", id="1").status_code == 409  # a run is more than was shown
    assert not [each for each in resolve.decisions(settings=story) if each.decision.rule == resolve.PERSON]
    with served(story) as reader:
        assert reader.get("/merges").status_code == 200
        assert 'action="/decide/pair"' not in reader.get("/merges").text
        answer = reader.post("/decide/pair", data=fields)
        assert (answer.status_code, reader.get("/load").status_code) == (403, 403)
        assert reader.post("/load", files={"files": ("a.txt", b"text")}).status_code == 403


def test_a_large_graph_is_not_searched_while_a_page_waits(
    server: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_PROPOSED", 3)
    assert server.get("/merges.json").json()["is_large"]
    assert "kg resolve --dry-run" in server.get("/merges").text


def test_names_in_the_inbox_are_text(server: httpx.Client, story: Settings, database: Database) -> None:
    first = server.get("/merges.json").json()["open"][0]
    assert post(server, "/decide/pair", verdict="apart", **carried(first)).status_code == 303
    names = "MATCH (:KgEntity {graph: $graph})-[m:MENTIONED_IN]->() SET m.name = replace(m.name, ' ', ' <b>')"
    texts = "MATCH (c:KgChunk {graph: $graph}) SET c.text = reduce(text = '', _ IN range(0, 400) | text + $text)"
    decisions = "MATCH (d:KgDecision {graph: $graph}) SET d.left_name = $text, d.reason = $text"
    for statement in (names, texts, decisions):
        database.driver.execute_query(statement, graph=story.graph, text=HOSTILE)
    assert "&lt;b&gt;" in server.get("/merges").text
    for path in ("/merges", "/decisions"):
        page = server.get(path)
        assert page.status_code == 200
        assert "&lt;script&gt;" in page.text, path
        assert faults(page.text) == [], path
