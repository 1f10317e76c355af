"""Every file of cypher/: its header, compared with what the real server says of the query."""

from __future__ import annotations

import re

import pytest

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database

NAMES = queries.names()
QUERY_TYPES = {"read": {"r"}, "write": {"w", "rw"}, "schema": {"s"}}
NO_CODE = re.compile(r"//.*$|'(?:[^'\\]|\\.)*'", re.MULTILINE)  # comments and text literals


def body(query: queries.Query) -> str:
    """The query without comments and text literals, where a dollar sign means nothing."""
    return NO_CODE.sub("", query.text)


@pytest.mark.parametrize("name", NAMES)
def test_the_parameters_are_those_of_the_header(name: str) -> None:
    query = queries.get(name)
    declared = [parameter.name for parameter in query.params]
    assert len(set(declared)) == len(declared)
    assert set(re.findall(r"\$(\w+)", body(query))) == set(declared)


@pytest.mark.parametrize("name", NAMES)
def test_columns_and_mode_are_what_the_server_says(name: str, database: Database) -> None:
    query = queries.get(name)
    columns, query_type = database.explain(query)
    assert columns == tuple(column.name for column in query.columns)
    assert query_type in QUERY_TYPES[query.mode]


@pytest.mark.parametrize("name", queries.names("reports"))
def test_reports_only_read_and_are_about_one_graph(name: str) -> None:
    query = queries.get(name)
    assert query.mode == "read"
    assert query.params[0].name == "graph"
    assert query.params[0].default == "main"
    assert query.order != "none"
    assert query.columns
    assert re.search(r"\b(ORDER BY|UNION)\b", body(query))


@pytest.mark.parametrize("name", queries.names("reports"))
def test_every_pattern_of_a_report_is_held_to_the_graph(name: str) -> None:
    """A labelled node with a name of its own is followed by its graph, before the next clause that finds nodes."""
    text = body(queries.get(name))
    for clause in re.split(r"\bMATCH\b", text)[1:]:
        assert "graph = $graph" in clause or "{graph: $graph}" in clause or clause.count("CHILD_OF"), clause


def test_names_are_sorted_and_lower_case() -> None:
    assert sorted(NAMES) == NAMES
    assert all(re.fullmatch(r"[a-z]+/[a-z0-9_]+", name) for name in NAMES)


def test_the_registry_notices_a_header_that_is_wrong(database: Database) -> None:
    good = queries.get("reports/nodes_by_type")
    bad = queries.parse(good.text.replace("NodeType STRING, Count", "Type STRING, Count"), "reports/bad")
    columns, _ = database.explain(bad)
    assert columns != tuple(column.name for column in bad.columns)
