"""Pages of communities and trees: what they show is what the graph has, and no text of a document is markup."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hostile_pages import TEXTS, faults
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.stored_reports import Finding, findings_json
from kg_neo4j.pipeline.commands.communities import communities, community_report, community_reports
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.commands.tree import tree
from kg_neo4j.settings import Settings
from served import served

STORY = Path(__file__).resolve().parents[4] / "examples" / "the_lamp_at_skarnes.md"


@pytest.fixture(scope="module")
def graph_of_a_story(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    source = tmp_path_factory.mktemp("story") / "a <b>story.md"
    source.write_text(
        STORY.read_text("utf-8") + "\n\nRagna Tveit met Anselm Quist near <script>alert(1)</script> in 1921.\n", "utf-8"
    )
    load([str(source)], settings=shared)
    community_reports(settings=shared)
    tree(settings=shared)
    return shared


@pytest.fixture(scope="module")
def server(graph_of_a_story: Settings) -> Iterator[httpx.Client]:
    with served(graph_of_a_story) as client:
        yield client


def test_communities_are_listed_by_level(server: httpx.Client, graph_of_a_story: Settings) -> None:
    twin = server.get("/communities.json").json()
    known = communities(settings=graph_of_a_story, limit=1000)
    assert [each["id"] for each in twin["communities"]] == [each.id for each in known[:20]]
    assert sum(each["communities"] for each in twin["levels"]) == len(known)
    page = server.get("/communities").text
    assert all(f"/community?id={each.id}" in page for each in known[:20])
    level = server.get("/communities.json", params={"level": "0"}).json()
    assert {each["level"] for each in level["communities"]} == {0}
    assert server.get("/communities", params={"level": "0 OR 1=1"}).status_code == 400


def test_a_community_shows_its_report_with_the_words_that_it_rests_on(
    server: httpx.Client, graph_of_a_story: Settings
) -> None:
    first = server.get("/communities.json").json()["communities"][0]
    found = server.get("/community.json", params={"id": first["id"]}).json()["community"]
    known = community_report(first["number"], settings=graph_of_a_story, level=first["level"])
    report = found["report"]
    assert (report["title"], report["rating"], len(report["findings"])) == (
        known.title,
        known.rating,
        len(known.findings),
    )
    assert all(
        len(each["references"]) == len(mine.ids) for each, mine in zip(report["findings"], known.findings, strict=True)
    )
    assert not any("[Data" in each["explanation"] for each in report["findings"])
    quotes = [each["quote"] for finding in report["findings"] for each in finding["references"] if each["quote"]]
    assert quotes
    for quote in quotes:
        passage = server.get("/api/source", params={"id": quote["chunk_id"], "around": 0}).json()["passages"][0]
        assert passage["source_text"][quote["start"] : quote["end"]] == quote["source_text"]
    members = found["members"]
    while cursor := found["cursor"]:
        found = server.get("/community.json", params={"id": first["id"], "cursor": cursor}).json()["community"]
        members += found["members"]
    assert len({each["id"] for each in members}) == first["size"]
    page = server.get("/community", params={"id": first["id"]})
    assert page.status_code == 200
    assert f"/entity?name={members[0]['id']}" in page.text
    assert "/document?id=" in page.text


def test_what_is_not_there_is_404_and_bad_input_400(server: httpx.Client) -> None:
    assert server.get("/community", params={"id": "0" * 32}).status_code == 404
    assert server.get("/community").status_code == 400
    assert server.get("/community", params={"id": "x" * 3000}).status_code == 400
    assert server.get("/communities", params={"cursor": "nonsense"}).status_code == 400
    assert server.get("/tree", params={"document": "0" * 32}).status_code == 404
    document = server.get("/trees.json").json()["trees"][0]["document_id"]
    assert server.get("/tree", params={"document": document, "name": "other"}).status_code == 404
    assert server.get("/tree", params={"document": document, "node": "0" * 32}).status_code == 404


def test_a_tree_leads_from_aspects_to_passages(server: httpx.Client, graph_of_a_story: Settings) -> None:
    (listed,) = server.get("/trees.json").json()["trees"]
    address = {"document": listed["document_id"], "name": listed["name"]}
    found = server.get("/tree.json", params=address).json()
    assert (found["tree"]["leaves"], found["tree"]["summaries"]) == (listed["leaves"], listed["summaries"])
    assert len(found["drawing"]["dots"]) == listed["leaves"] + listed["summaries"]
    assert sum(each["summaries"] for each in found["branches"]) == listed["summaries"]
    node = found["branches"][0]["top"][0]
    for _ in range(10):
        shown = server.get("/tree.json", params={**address, "node": node["id"]}).json()["shown"]
        page = server.get("/tree", params={**address, "node": node["id"]})
        assert page.status_code == 200
        if shown["passage"]:
            break
        node = shown["below"][0]
    quote = shown["passage"]
    assert node["kind"] == "leaf"
    assert f"/document?id={quote['chunk_id']}" in page.text
    passage = server.get("/api/source", params={"id": quote["chunk_id"], "around": 0}).json()["passages"][0]
    assert quote["source_text"][:60] in passage["source_text"]
    assert any(
        each["id"] == node["id"]
        for each in server.get("/tree.json", params={**address, "node": shown["above"][0]["id"]}).json()["shown"][
            "below"
        ]
    )


def test_a_large_tree_is_drawn_from_the_top(server: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from kg_neo4j_serve import limits

    (listed,) = server.get("/trees.json").json()["trees"]
    monkeypatch.setattr(limits, "MOST_DRAWN", 5)
    found = server.get("/tree.json", params={"document": listed["document_id"]}).json()["drawing"]
    assert len(found["dots"]) == 5
    assert found["left_out"] == listed["summaries"] - 5
    assert min(each["band"] for each in found["dots"]) >= 0
    assert "are not drawn" in server.get("/tree", params={"document": listed["document_id"]}).text


def test_no_text_is_markup(server: httpx.Client, graph_of_a_story: Settings, database: Database) -> None:
    """Titles, names, reports and summaries come from documents and models: here each is one of 200 payloads."""
    found = communities(settings=graph_of_a_story, limit=1000)
    (tree,) = server.get("/trees.json").json()["trees"]
    address = f"/tree?document={tree['document_id']}"
    dots = server.get(address.replace("?", ".json?")).json()["drawing"]["dots"]
    attack(database, graph_of_a_story.graph)
    pages = ["/communities", "/trees", address]
    pages += [f"/community?id={each.id}" for each in found] + [f"{address}&node={each['id']}" for each in dots]
    for path in pages:
        page = server.get(path)
        assert page.status_code == 200, path
        assert faults(page.text) == [], path
    assert len(pages) > 30


def attack(database: Database, graph: str) -> None:
    """Give all titles, names, reports, findings and summaries of a graph texts of an attacker."""
    statement = (
        "MATCH (n:KgEntity|KgCommunity|KgDocument|KgTreeNode|KgTree) WHERE n.graph = $graph "
        "WITH n ORDER BY n.id WITH collect(n) AS found UNWIND range(0, size(found) - 1) AS at "
        "WITH found[at] AS n, at, $texts[at % size($texts)] AS text SET n.title = text, n.summary = text, "
        "n.text = text, n.rating_explanation = text, n.report_flags = [text], n.flags = [text], "
        "n.type = text, n.method = text, n.findings = $findings[at % size($texts)], "
        "n.name = CASE WHEN n:KgTree THEN n.name ELSE text END"
    )
    texts = list(TEXTS)
    findings = [findings_json([Finding(text, text, {}, {})]) for text in texts]
    database.driver.execute_query(statement, graph=graph, texts=texts, findings=findings)
