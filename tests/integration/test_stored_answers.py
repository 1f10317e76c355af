"""The store of answers in the graph: written once, with the lease, next to what they are about."""

from __future__ import annotations

import pytest

from entity_graph import load, two_cliques
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Request
from kg_neo4j.errors import LeaseHeld
from kg_neo4j.graph.answers import AnswerSubjects, GraphAnswers
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import Query
from kg_neo4j.records import Usage

STORED = """
MATCH (a:Answer {kind: 'report'}) WHERE a.graph = $graph
RETURN properties(a) AS answer, COLLECT {
  MATCH (a)-[:ANSWERS]->(n)
  RETURN [label IN labels(n) WHERE NOT label STARTS WITH 'Kg'][0] + ' ' + n.id ORDER BY n.id
} AS places ORDER BY a.id
"""
IDS = """
MATCH (e:Entity) WHERE e.graph = $graph WITH min(e.id) AS entity
MATCH (f:Fact) WHERE f.graph = $graph RETURN entity, min(f.id) AS fact
"""


def query(text: str) -> Query:
    return Query("test", "test", "test", "read", (), (), "none", "test", text)


def request(key: str, place: object, round: int = 0) -> Request:
    return Request("report", "system", "user", key=key, place=place, round=round)


def said(text: str) -> Completion:
    return Completion(text, "stop", Usage(1, 30, 4))


def test_an_answer_is_stored_once_next_to_what_it_is_about(database: Database, graph: str) -> None:
    load(database, graph, two_cliques())
    [found] = database.read(query(IDS), graph=graph)
    key, other = f"{graph}-a", f"{graph}-b"
    with Lease(database, graph) as lease:
        store = GraphAnswers(database, graph, lease)
        store.write(request(key, AnswerSubjects((found["entity"],), "p1"), 1), said("first"), "m")
        store.write(request(key, AnswerSubjects((found["fact"], "nothing"), "p2")), said("second"), "m2")
        store.write(request(other, AnswerSubjects((found["fact"],))), said(""), "m")
        assert store.read([key, other, "unknown"]) == {key: ("first", "stop"), other: ("", "stop")}
        assert GraphAnswers(database, f"{graph}-other").read([key]) == {}
    kept = {"graph": graph, "kind": "report", "model": "m", "finish_reason": "stop"}
    tokens = {"input_tokens": 30, "output_tokens": 4}
    places = [f"Entity {found['entity']}", f"Fact {found['fact']}"]
    rows = database.read(query(STORED), graph=graph)
    assert rows[0]["answer"] == {"id": key, "text": "first", "round": 1, "prompt_hash": "p1", **kept, **tokens}
    assert sorted(rows[0]["places"]) == places
    assert rows[1] == {"answer": {"id": other, **kept, **tokens}, "places": places[1:]}


def test_who_lost_the_lease_stores_nothing(database: Database, graph: str) -> None:
    with Lease(database, graph) as lease:
        store = GraphAnswers(database, graph, lease)
    with pytest.raises(LeaseHeld):
        store.write(request(f"{graph}-a", AnswerSubjects(())), said("late"), "m")
    with pytest.raises(TypeError, match="without a lease"):
        GraphAnswers(database, graph).write(request(f"{graph}-a", AnswerSubjects(())), said("late"), "m")
    assert database.read(query(STORED), graph=graph) == []


def test_an_answer_is_stored_by_an_index(database: Database, graph: str) -> None:
    """However large the graph is: no label is scanned."""
    import neo4j

    from kg_neo4j.graph import queries

    text = queries.get("write/store_answer").text
    with database._session(neo4j.READ_ACCESS) as session:
        plan = session.run("EXPLAIN " + text, {"graph": graph, "ids": [], "answer": {}}).consume().plan
    assert "Scan" not in str(plan["args"]["string-representation"])
