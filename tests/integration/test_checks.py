"""The report `checks` on the real server: each check finds what it is for."""

from __future__ import annotations

from typing import Any

import pytest

import entity_graph
from kg_neo4j.graph import queries
from kg_neo4j.graph.canned_reports import run
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query
from kg_neo4j.organise.analytics import refresh
from kg_neo4j.settings import Settings

BROKEN = {
    "entities without a type": "MATCH (n:Entity {graph: $graph, name: 'A'}) REMOVE n.type",
    "entities whose label is not their type": "MATCH (n:Entity {graph: $graph, name: 'A'}) REMOVE n:PERSON",
    "entities without evidence": "MATCH (:Entity {graph: $graph, name: 'A'})-[m:MENTIONED_IN]->() DELETE m",
    "entities whose evidence is counted wrongly": "MATCH (n {graph: $graph, name: 'A'}) SET n.evidence_count = 9",
    "facts without evidence": "MATCH (:Fact {graph: $graph})-[s:STATED_IN]->() DELETE s",
    "facts whose evidence is counted wrongly": "MATCH (f:Fact {graph: $graph}) SET f.evidence_count = 9",
    "rows of evidence without a quote": "MATCH ({graph: $graph, name: 'A'})-[m:MENTIONED_IN]->() REMOVE m.quote",
    "rows of evidence whose quote is not in the text": "MATCH (:Fact {graph: $graph})-[s:STATED_IN]->() "
    "REMOVE s.quote_start",
    "rows of evidence that say what their sentences do not say": "MATCH (:Fact {graph: $graph})-[s:STATED_IN]->() "
    "SET s.flags = 'inverse'",
    "facts without their relationship": "MATCH (:Entity {graph: $graph})-[r:KNOWS]->() DELETE r",
    "facts that are only likely, with a relationship": "MATCH (f:Fact {graph: $graph}) SET f.stated = false",
    "relationships without their fact": "MATCH (f:Fact {graph: $graph}) DETACH DELETE f",
    "chunks without a document": "MATCH (d:Document {graph: $graph}) DETACH DELETE d",
    "passages without a chunk": "CREATE (:KgPassage:Passage {id: $graph, graph: $graph})",
    "chunks not done": "MATCH (c:Chunk {graph: $graph}) SET c.done = false",
    "entities, facts and decisions not settled": "MATCH (f:Fact {graph: $graph}) SET f:Unsettled",
    "entities without a community": "MATCH (:Entity {graph: $graph, name: 'A'})-[r:IN_COMMUNITY]->() DELETE r",
    "narrative trees that are not whole": "MATCH (d:Document {graph: $graph}) "
    "CREATE (:KgTree:Tree {id: $graph, graph: $graph, name: 'narrative'})-[:TREE_OF]->(d)",
    "narrative trees without a document": "CREATE (:KgTree:Tree {id: $graph, graph: $graph, complete: true})",
    "passages, summaries and details without a tree": "CREATE (:KgTreeNode:Detail {id: $graph, graph: $graph})",
}


@pytest.fixture(scope="module")
def whole(database: Database, shared: Settings) -> str:
    """A graph of one fact that passes every check."""
    entity_graph.load(database, shared.graph, [("A", "KNOWS", "B")])
    refresh(database, shared.graph)
    quoted = "MATCH ({graph: $graph})-[e:MENTIONED_IN|STATED_IN]->() SET e.quote_start = 0"
    database.write(Query("test", "test", "test", "write", (), (), "none", "test", quoted), graph=shared.graph)
    return shared.graph


def checks(database: Database, graph: str) -> dict[Any, Any]:
    return dict(run(database, "checks", graph=graph, parameters={}).rows)


@pytest.mark.parametrize("check", BROKEN)
def test_each_check_finds_what_it_is_for(database: Database, whole: str, check: str) -> None:
    """The graph is broken in a transaction that is rolled back."""
    assert set(checks(database, whole).values()) == {0}
    with database.driver.session() as session, session.begin_transaction() as changed:
        changed.run(BROKEN[check], graph=whole).consume()
        found = {row["Check"]: row["Count"] for row in changed.run(queries.get("reports/checks").text, graph=whole)}
        changed.rollback()
    assert found[check] == 1


def test_every_check_is_tested(database: Database, whole: str) -> None:
    assert list(checks(database, whole)) == list(BROKEN)
