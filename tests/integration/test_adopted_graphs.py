"""The graphs that are adopted are written as their owners would have them, and leave no trace."""

from __future__ import annotations

from typing import Any

import pytest

import adopted
from kg_neo4j.graph.database import Database
from report_runs import cypher

NODES = cypher("MATCH (n:$($label)) WHERE n[$key] IN $keys RETURN n[$key] AS key, properties(n) AS properties")
BETWEEN = cypher(
    "MATCH (a:$($one))-[r]->(b:$($other)) WHERE a[$one_key] IN $ones AND b[$other_key] IN $others "
    "RETURN a[$one_key] AS start, type(r) AS type, b[$other_key] AS end, properties(r) AS properties"
)
CONSTRAINTS = cypher("SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'their_' RETURN name")


def keys(graph: adopted.Adopted, label: str) -> list[Any]:
    return [row[graph.keys[label]] for row in graph.nodes[label]]


@pytest.mark.parametrize("name", ["movies", pytest.param("firms", marks=pytest.mark.long)])
def test_a_graph_is_written_with_its_properties_and_removed(name: str, database: Database) -> None:
    graph = adopted.movies() if name == "movies" else adopted.firms()
    adopted.write(database, graph)
    try:
        for label, rows in graph.nodes.items():
            found = database.read(NODES, label=label, key=graph.keys[label], keys=keys(graph, label))
            assert {row["key"]: row["properties"] for row in found} == {row[graph.keys[label]]: row for row in rows}
        named = {adopted.constraint(label, key) for label, key in graph.keys.items()}
        assert named <= {row["name"] for row in database.read(CONSTRAINTS)}
        pairs = {(link.start[0], link.end[0]) for link in graph.links}
        stored = [
            (one, row["start"], row["type"], other, row["end"], sorted(row["properties"].items()))
            for one, other in pairs
            for row in database.read(
                BETWEEN,
                one=one,
                other=other,
                one_key=graph.keys[one],
                other_key=graph.keys[other],
                ones=keys(graph, one),
                others=keys(graph, other),
            )
        ]
        written = [(*link.start, link.type, *link.end, sorted(link.properties.items())) for link in graph.links]
        assert sorted(map(repr, stored)) == sorted(map(repr, written))
    finally:
        adopted.remove(database, graph)
    assert not any(
        database.read(NODES, label=label, key=key, keys=keys(graph, label)) for label, key in graph.keys.items()
    )
    assert not {adopted.constraint(*each) for each in graph.keys.items()} & {
        row["name"] for row in database.read(CONSTRAINTS)
    }
