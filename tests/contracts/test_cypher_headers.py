"""Every file of cypher/: its header, compared with what the real server says of the query."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database

NAMES = queries.names()
REPORTS = queries.names("reports")
QUERY_TYPES = {"read": {"r"}, "write": {"w", "rw"}, "schema": {"s"}}
NO_CODE = re.compile(r"//.*$|'(?:[^'\\]|\\.)*'", re.MULTILINE)  # comments and text literals


def body(query: queries.Query) -> str:
    """The query without comments and text literals, where a dollar sign means nothing."""
    return NO_CODE.sub("", query.text)


def test_the_parameters_are_those_of_the_header() -> None:
    offenders = []
    for name in NAMES:
        query = queries.get(name)
        declared = sorted(parameter.name for parameter in query.params)
        if declared != sorted(set(re.findall(r"\$(\w+)", body(query)))):
            offenders.append(f"{name}: {declared}")
    assert offenders == []


def test_columns_and_mode_are_what_the_server_says(database: Database) -> None:
    offenders = []
    for name in NAMES:
        query = queries.get(name)
        columns, query_type = database.explain(query)
        if columns != tuple(column.name for column in query.columns) or query_type not in QUERY_TYPES[query.mode]:
            offenders.append(f"{name}: {query_type} {columns}")
    assert offenders == []


def held() -> Iterator[tuple[queries.Query, queries.Query]]:
    """Yield each query that filters can hold, and the same held by all of them."""
    for name in NAMES:
        query = queries.get(name)
        filtered = query.held_to(("names", "types", "years"))
        if filtered.text != query.text and not name.startswith("left/"):
            yield query, filtered


@pytest.mark.slow  # the server plans each of them for a second; test_filters.py and others run most of them
def test_queries_that_filters_hold_stay_what_their_header_says(database: Database) -> None:
    offenders = []
    for query, filtered in held():
        columns, query_type = database.explain(filtered)
        if columns != tuple(column.name for column in query.columns) or query_type != "r":
            offenders.append(f"{query.name}: {query_type} {columns}")
    assert offenders == []


def test_filters_add_parameters_of_their_own_alone() -> None:
    pairs = list(held())
    offenders = []
    for query, filtered in pairs:
        added = set(re.findall(r"\$(\w+)", body(filtered))) - {parameter.name for parameter in query.params}
        if not added or any(not each.startswith("only_") for each in added) or "left:" in filtered.text:
            offenders.append(f"{query.name}: {sorted(added)}")
    assert offenders == []
    assert len(pairs) > 10


def test_every_condition_of_a_filter_can_be_put_into_a_query() -> None:
    for name in queries.names("left"):
        kind, _, part = name.removeprefix("left/").partition("_")
        query = queries.parse(queries.get(name).text.partition("MATCH")[0] + f"true /* left: {kind} x */", name)
        assert "this" not in body(query.held_to((part,))), name


def test_reports_only_read_and_are_about_one_graph() -> None:
    offenders = [
        name
        for name in REPORTS
        for query in [queries.get(name)]
        if query.mode != "read"
        or (query.params[0].name, query.params[0].default) != ("graph", "main")
        or query.order == "none"
        or not query.columns
        or not re.search(r"\b(ORDER BY|UNION)\b", body(query))
    ]
    assert offenders == []


def test_every_pattern_of_a_report_is_held_to_the_graph() -> None:
    """A labelled node with a name of its own is followed by its graph, before the next clause that finds nodes."""
    offenders = [
        f"{name}: {clause}"
        for name in REPORTS
        for clause in re.split(r"\bMATCH\b", body(queries.get(name)))[1:]
        if not ("graph = $graph" in clause or "{graph: $graph}" in clause or "CHILD_OF" in clause)
    ]
    assert offenders == []


def test_nodes_are_found_by_the_labels_that_only_we_use() -> None:
    """Other programs have nodes under the public labels; these are put on ours where they are made."""
    public = re.compile(rf"[:|&!](?:{'|'.join(queries.BASE_LABELS)}|Lease|GraphState)\b")
    made = re.compile(r":Kg(\w+):\1\b")
    offenders = [name for name in NAMES if public.search(made.sub("", body(queries.get(name))))]
    assert offenders == []


def test_names_are_sorted_and_lower_case() -> None:
    assert sorted(NAMES) == NAMES
    assert all(re.fullmatch(r"[a-z]+/[a-z0-9_]+", name) for name in NAMES)


def test_the_registry_notices_a_header_that_is_wrong(database: Database) -> None:
    good = queries.get("reports/nodes_by_type")
    bad = queries.parse(good.text.replace("NodeType STRING, Count", "Type STRING, Count"), "reports/bad")
    columns, _ = database.explain(bad)
    assert columns != tuple(column.name for column in bad.columns)
