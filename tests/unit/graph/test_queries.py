from __future__ import annotations

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.queries import Column, Parameter, parse

GOOD = """\
// title:   Most connected nodes.
// purpose: Which entities
//          carry the graph.
// mode:    read
// params:  $graph STRING (graph name, default main); $limit INTEGER (rows, >= 1, default 5);
//          $share FLOAT (of all, default 0.5); $ids LIST<STRING> (a; b, and c)
// columns: Node STRING, Connections INTEGER (in, or out)
// order:   Node
// source:  W1
MATCH (n:Entity {graph: $graph}) // params: not a header line any more
RETURN n.name AS Node, 1 AS Connections
"""


def test_a_header_is_read_whole() -> None:
    query = parse(GOOD, "reports/good")
    assert (query.title, query.purpose) == ("Most connected nodes", "Which entities carry the graph.")
    assert query.params == (
        Parameter("graph", "STRING", "graph name, default main", "main"),
        Parameter("limit", "INTEGER", "rows, >= 1, default 5", 5),
        Parameter("share", "FLOAT", "of all, default 0.5", 0.5),
        Parameter("ids", "LIST<STRING>", "a; b, and c", None),
    )
    assert query.columns == (Column("Node", "STRING"), Column("Connections", "INTEGER", "in, or out"))
    assert query.text == GOOD


def test_none_is_an_empty_list() -> None:
    lines = [
        "// params:  none" if line.startswith("// params") else "// columns: none" if "columns" in line else line
        for line in GOOD.splitlines()
        if "$share" not in line
    ]
    query = parse("\n".join(lines), "x/y")
    assert (query.params, query.columns) == ((), ())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("// order:   Node\n", "", "the header has"),
        ("// order:   Node\n// source:  W1", "// source:  W1\n// order:   Node", "in this order"),
        ("mode:    read", "mode:    admin", "mode is read, write or schema"),
        ("$limit INTEGER (rows, >= 1, default 5)", "limit INTEGER (rows)", "a parameter is"),
        ("$limit INTEGER (rows, >= 1, default 5)", "$limit INTEGER", "a parameter is"),
        ("Node STRING", "Node: STRING", "a column is"),
        ("// title:   Most connected nodes.\n", "", "the header has"),
    ],
)
def test_a_wrong_header_is_refused_with_the_name_of_the_file(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ValueError, match=message) as caught:
        parse(GOOD.replace(old, new), "reports/wrong")
    assert str(caught.value).startswith("reports/wrong: ")


@pytest.mark.parametrize("name", ["reports/../../etc/passwd", "../x", "/etc/passwd", "reports/most-connected", "x", ""])
def test_a_name_never_leaves_the_folder(name: str) -> None:
    with pytest.raises(UsageError, match="not a query name"):
        queries.get(name)


def test_a_query_that_is_not_there_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="there is no query reports/nothing"):
        queries.get("reports/nothing")


TYPED = GOOD.replace("MATCH (n:Entity", "MATCH (:X)-[:`TYPE_PLACEHOLDER`]->(n:Entity")


def test_a_type_of_the_allow_list_takes_the_placeholder() -> None:
    query = parse(TYPED, "write/typed").for_type("SON_OF")
    assert "[:`SON_OF`]->" in query.text
    assert queries.TYPE_PLACEHOLDER not in query.text


@pytest.mark.parametrize(
    "bad",
    [
        *("", "son_of", "SON OF", "1ST", "_A", "SON-OF", "É", "A" * 65),
        *("A`) DETACH DELETE n //", "A\\u0060]->() //", "A\n", "A\u0000", "A\u202e", "SON_OF "),
    ],
)
def test_any_other_type_is_refused_before_it_is_cypher(bad: str) -> None:
    """Row 56."""
    with pytest.raises(ValueError, match="not an allow-listed type"):
        parse(TYPED, "write/typed").for_type(bad)


def test_a_query_without_a_placeholder_takes_no_type() -> None:
    with pytest.raises(ValueError, match="has no place for a type"):
        parse(GOOD, "reports/good").for_type("SON_OF")


def test_names_can_be_listed_by_area() -> None:
    reports = queries.names("reports")
    assert "reports/most_connected" in reports
    assert reports == sorted(reports) == [name for name in queries.names() if name.startswith("reports/")]
