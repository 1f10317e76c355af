"""kg plot on a real Neo4j."""

from __future__ import annotations

import importlib.util
import json
import re

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise.plot import plot
from kg_neo4j.organise.plot_graph import read_graph
from kg_neo4j.organise.viewer.view import QUOTES, ViewDetail, ViewQuote, read_details

CREATE = Query(
    name="test/create",
    title="",
    purpose="",
    mode="write",
    params=(),
    columns=(),
    order="",
    source="",
    text="""
        UNWIND $nodes AS node
        CREATE (n:KgEntity:Entity {id: $graph + node.name, num: node.num, graph: $graph, name: node.name,
                                   type: node.type, community: node.community, evidence_count: 1})
        WITH count(*) AS created
        UNWIND $pairs AS pair
        MATCH (a:Entity {graph: $graph, name: pair[0]}), (b:Entity {graph: $graph, name: pair[1]})
        CREATE (a)-[:KNOWS {evidence_count: 2}]->(b)
    """,
)

ATTEST = Query(
    name="test/attest",
    title="",
    purpose="",
    mode="write",
    params=(),
    columns=(),
    order="",
    source="",
    text="""
        CREATE (d:KgDocument {id: $graph + 'd', graph: $graph, title: 'Letters'})
        CREATE (d)<-[:IN_DOCUMENT]-(c:KgChunk {id: $graph + 'c', graph: $graph, document_id: d.id, index: 0,
                                               text: $text})
        CREATE (f:KgFact {id: $graph + 'f', graph: $graph, description: 'Old friends.', evidence_count: 2})
        CREATE (f)-[:STATED_IN {row: 1, quote: 'ada knew ben', quote_start: 2, quote_end: 15}]->(c)
        CREATE (f)-[:STATED_IN {row: 2, quote: 'never said', stated: false}]->(c)
        WITH c, f
        MATCH (a:KgEntity {graph: $graph, name: 'Ada'})-[r:KNOWS]->(:KgEntity {name: 'Ben'})
        SET r.fact_id = f.id, a.description = 'A countess.', a.evidence_count = 9
        FOREACH (place IN range(0, 8) |
          CREATE (a)-[:MENTIONED_IN {row: place, quote: 'Ada, ' + (place / 2), quote_start: null}]->(c))
        CREATE (a)-[:MENTIONED_IN {row: 99, quote_start: 2, quote_end: 5}]->(c)
    """,
)

DATE = Query(
    name="test/date",
    title="",
    purpose="",
    mode="write",
    params=(),
    columns=(),
    order="",
    source="",
    text="""
        MATCH (a:KgEntity {graph: $graph, name: 'Ada'})-[ben:KNOWS]->(:KgEntity {name: 'Ben'}),
              (a)-[cleo:KNOWS]->(:KgEntity {name: 'Cleo'}), (dan:KgEntity {name: 'Dan'})-[:KNOWS]->(a)
        SET ben.start_date = '1833-06', ben.end_date = '1840', cleo.start_date = '-44'
        SET dan.type = 'DATE', dan.name = '14 September 1769'
        CREATE (:KgCommunity {id: $graph + 'c0', graph: $graph, level: 0, number: 0, title: 'The first circle'}),
               (:KgCommunity {id: $graph + 'c1', graph: $graph, level: 1, number: 1, title: 'A finer one'}),
               (:KgCommunity {id: $graph + 'c2', graph: $graph, level: 0, number: 2})
    """,
)


def num(graph: str, place: int) -> int:
    """A number that no other test uses."""
    return int(graph.rpartition("-")[2][:8], 16) * 1000 + place


@pytest.fixture
def filled(database, graph):
    """Ada knows three people and herself; Zoe knows nobody; a node of another label and graph hangs on."""
    names = ["Ada", "Ben", "Cleo", "Dan", "Zoe"]
    nodes = [
        {"name": name, "num": num(graph, place), "type": "PERSON", "community": place % 2 if place < 3 else None}
        for place, name in enumerate(names)
    ]
    pairs = [["Ada", "Ben"], ["Ada", "Cleo"], ["Dan", "Ada"], ["Ada", "Ada"], ["Ben", "Ada"]]
    database.write(CREATE, graph=graph, nodes=nodes, pairs=pairs)
    return graph


def test_the_most_connected_come_first_and_the_isolated_are_left_out(database, filled):
    found = read_graph(database, filled, 150)
    assert [(node.name, node.degree) for node in found.nodes][:2] == [("Ada", 5), ("Ben", 2)]
    assert {node.name for node in found.nodes} == {"Ada", "Ben", "Cleo", "Dan"}
    assert (found.total_nodes, found.alone) == (4, 1)
    everybody = read_graph(database, filled, 150, alone=True)
    assert ([node.name for node in everybody.nodes][4:], everybody.total_nodes, everybody.alone) == (["Zoe"], 5, 0)
    named = sorted((found.nodes[each.source].name, found.nodes[each.target].name) for each in found.relationships)
    assert named == [("Ada", "Ada"), ("Ada", "Ben"), ("Ada", "Cleo"), ("Ben", "Ada"), ("Dan", "Ada")]
    assert {each.evidence for each in found.relationships} == {2}


def test_the_limit_keeps_relationships_between_drawn_nodes_only(database, filled):
    found = read_graph(database, filled, 2)
    assert [node.name for node in found.nodes] == ["Ada", "Ben"]
    assert len(found.relationships) == 3


def test_of_a_graph_without_relationships_nothing_is_drawn(database, graph, tmp_path):
    node = {"name": "Ada", "num": num(graph, 0), "type": "PERSON", "community": None}
    database.write(CREATE, graph=graph, nodes=[node], pairs=[])
    with pytest.raises(UsageError, match="has no relationship: there is nothing to draw") as caught:
        plot(database, graph, tmp_path / "graph.svg")
    assert caught.value.hint == "`kg search` finds its entities"
    assert [(node.name, node.community) for node in read_graph(database, graph, 9, alone=True).nodes] == [("Ada", "")]


def test_the_caption_says_how_many_are_not_drawn_and_for_what(database, filled, tmp_path):
    assert plot(database, filled, tmp_path / "graph.svg", limit=3).left_out == 1
    caption = "3 of 5 nodes: the most connected ones; 1 has fewer relationships; 1 has none. 4 relationships"
    assert f">{caption}</text>" in (tmp_path / "graph.svg").read_text("utf-8")
    plot(database, filled, tmp_path / "graph.html")
    page = (tmp_path / "graph.html").read_text("utf-8")
    data = json.loads(re.search(r'id="kg-graph">(.*?)</script>', page)[1])
    assert data["caption"] == "4 of 5 nodes: those with relationships; 1 has none. 5 relationships"
    assert (data["more_at"], {node["name"]: node["degree"] for node in data["nodes"]}["Ada"]) == ("", 5)


def test_titles_of_communities_and_years_of_relationships_are_read(database, filled):
    database.write(DATE, graph=filled)
    found = read_graph(database, filled, 150)
    assert found.titles == {"0": "The first circle"}
    years = {(found.nodes[each.source].name, found.nodes[each.target].name): each.years for each in found.relationships}
    assert years[("Ada", "Ben")] == (1833, 1840)
    assert years[("Ada", "Cleo")] == (-44,)
    assert years[("14 September 1769", "Ada")] == (1769,)
    assert years[("Ben", "Ada")] == ()


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<svg"), (".html", b"<!doctype html"), (".PNG", b"\x89PNG")]
)
@pytest.mark.parametrize("colour_by", ["type", "community"])
def test_a_picture_of_each_kind_is_written(database, filled, tmp_path, suffix, start, colour_by):
    target = tmp_path / f"graph{suffix}"
    report = plot(database, filled, target, colour_by=colour_by)
    assert (report.path, report.nodes, report.relationships) == (target, 4, 5)
    assert target.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [target]


def test_a_second_run_replaces_the_picture_with_the_same_bytes(database, filled, tmp_path):
    target = tmp_path / "graph.png"
    plot(database, filled, target)
    first = target.read_bytes()
    plot(database, filled, target)
    assert target.read_bytes() == first


def test_other_graphs_are_not_drawn(database, filled, tmp_path):
    with pytest.raises(UsageError, match="empty") as caught:
        plot(database, filled + "-other", tmp_path / "graph.png")
    assert "kg load" in (caught.value.hint or "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["graph.jpg", "graph", "graph.pdf", ".png.exe"])
def test_another_extension_is_refused(database, filled, tmp_path, name):
    with pytest.raises(UsageError, match="cannot draw into") as caught:
        plot(database, filled, tmp_path / name)
    assert ".png, .svg or .html" in (caught.value.hint or "")


def test_arguments_that_cannot_be_meant_are_refused(database, filled, tmp_path):
    with pytest.raises(UsageError, match="type or community"):
        plot(database, filled, tmp_path / "graph.png", colour_by="size")
    with pytest.raises(UsageError, match="at least one node"):
        plot(database, filled, tmp_path / "graph.png", limit=0)
    with pytest.raises(UsageError, match="no folder"):
        plot(database, filled, tmp_path / "absent" / "graph.png")


def test_a_target_that_cannot_be_written_leaves_nothing_behind(database, filled, tmp_path):
    target = tmp_path / "graph.png"
    target.mkdir()
    with pytest.raises(UsageError, match="cannot write"):
        plot(database, filled, target)
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_library_is_named_with_the_extra(database, filled, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="resvg-py") as caught:
        plot(database, filled, tmp_path / "graph.png")
    assert caught.value.hint == "pip install 'kg-neo4j[plot]'"


@pytest.mark.parametrize("name", ["graph.html", "graph.svg"])
def test_pages_and_svg_need_no_library_beside_the_default_install(database, filled, tmp_path, monkeypatch, name):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert plot(database, filled, tmp_path / name).nodes == 4


@pytest.fixture
def attested(database, filled):
    database.write(ATTEST, graph=filled, text="😀 Ada knew  Ben. They wrote.")
    return filled


def test_details_are_the_words_of_the_sources_each_once(database, attested):
    ada = num(attested, 0)
    found = read_details(database, attested, "entity", [ada, num(attested, 4), 1])
    assert list(found) == [ada, num(attested, 4)]
    assert found[ada].description == "A countess."
    assert found[ada].evidence == 9
    words = ["Ada", "Ada, 0", "Ada, 1", "Ada, 2", "Ada, 3"]
    assert found[ada].quotes == tuple(ViewQuote(text, "Letters") for text in words)
    assert len(words) == QUOTES
    assert found[num(attested, 4)] == ViewDetail("", 1, ())


def test_details_of_a_fact_are_what_sources_state(database, attested):
    fact = attested + "f"
    assert read_details(database, attested, "fact", [fact, "unknown"]) == {
        fact: ViewDetail("Old friends.", 2, (ViewQuote("Ada knew Ben", "Letters"),))
    }
    assert read_details(database, attested + "-other", "fact", [fact]) == {}


def test_a_page_holds_the_details_of_nodes_and_relationships(database, attested, tmp_path):
    plot(database, attested, tmp_path / "graph.html")
    page = (tmp_path / "graph.html").read_text("utf-8")
    data = json.loads(re.search(r'id="kg-graph">(.*?)</script>', page)[1])
    ids = {node["name"]: node["id"] for node in data["nodes"]}
    assert data["details"][ids["Ada"]]["description"] == "A countess."
    (known,) = [each["id"] for each in data["edges"] if (each["source"], each["target"]) == (ids["Ada"], ids["Ben"])]
    assert data["details"][known]["quotes"] == [{"text": "Ada knew Ben", "document": "Letters", "href": ""}]
    assert {each for each in data["details"] if each.startswith("e")} == {known}


@pytest.mark.parametrize(
    "name", ["plot_graph", "plot_relationships", "plot_total", "plot_entity_evidence", "plot_fact_evidence"]
)
def test_the_queries_are_what_their_headers_say(database, name):
    query = queries.get(f"analytics/{name}")
    params = {"graph": "main", "limit": 1, "least": 1, "nums": [], "keys": [], "quotes": 1, "hub": 1}
    columns, kind = database.explain(query, **{each.name: params[each.name] for each in query.params})
    assert columns == tuple(column.name for column in query.columns)
    assert kind == "r"
