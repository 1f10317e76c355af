"""Errors of the server: each says once what is wrong, and what is alike."""

from __future__ import annotations

import pytest

from kg_neo4j_serve import api
from kg_neo4j_serve.refusals import NoSuchAddress, status_of
from kg_neo4j_serve.service import OWN

KNOWN = ["/", "/search", "/entity", "/documents", "/mcp", "/api/search", "/api/source"]


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("/documnets", ["/documents"]),
        ("/graphs/a%20b/entiti", ["/entity"]),
        ("/graphs/notes/mcp", ["/mcp"]),
        ("/wp-admin.php", []),
        ("/nosuch.json", []),
        ("/api/nosuch", []),
        ("/api/serch", ["/api/search"]),
        ("/graphs/", []),
    ],
)
def test_an_address_that_is_not_there_names_those_that_are_spelt_alike(path: str, near: list[str]) -> None:
    error = NoSuchAddress(path, KNOWN)
    assert (status_of(error), error.addresses[:1]) == (404, near)
    assert str(error) == f"there is nothing at {path}"
    assert error.hint
    assert all(each in error.hint for each in near or ["/api/openapi.json"])


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("MATCH (n {graph: $graph}) RETURN n", "MATCH (n {graph: $Graph}) RETURN n"),
        ("RETURN '$graph' + \"it's $graph\" + $graph", "RETURN '$graph' + \"it's $graph\" + $Graph"),
        (r"RETURN 'it\'s $graph', $graph", r"RETURN 'it\'s $graph', $Graph"),
        ("RETURN $graphs, $graph_1, $graph.x", "RETURN $graphs, $graph_1, $Graph.x"),
        ("RETURN 'open $graph", "RETURN 'open $Graph"),  # no query at all: the guard refuses it
    ],
)
def test_the_graph_of_a_query_is_a_parameter_outside_of_texts(text: str, rewritten: str) -> None:
    assert OWN.sub(lambda each: each[1] or "$Graph", text) == rewritten


def test_every_operation_takes_a_graph() -> None:
    for name in (*api.METHODS, *api.WRITING):
        assert "graph" in api.method(name).parameters
    assert api.method("schema").arguments({"graph": "a", "limit": 2}) == {"graph": "a", "limit": 2}
