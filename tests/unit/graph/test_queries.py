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


ASKS = {"retrieve/naive": 1, "retrieve/tree_search": 2, "write/resolve_neighbours": 1}
PROCEDURE = "db.index.vector.queryNodes"


def test_every_question_to_a_vector_index_can_be_a_search_inside_the_graph() -> None:
    asking = {name: text.count(PROCEDURE) for name in queries.names() if PROCEDURE in (text := queries.get(name).text)}
    assert asking == ASKS
    for name, count in ASKS.items():
        query = queries.get(name)
        indexes = {each.name: f"kg_{each.name}" for each in query.params if each.name.endswith("index")}
        assert len(indexes) == count
        searching = query.searching(indexes).text
        assert searching.startswith("CYPHER 25 // title:")
        assert PROCEDURE not in searching
        for index in indexes.values():
            assert f"SEARCH node IN (VECTOR INDEX {index} FOR " in searching
        assert searching.count(" WHERE node.graph = $graph LIMIT $fetch) SCORE AS score") == count


def test_only_the_indexes_that_are_named_are_searched_inside_the_graph() -> None:
    query = queries.get("retrieve/tree_search")
    searching = query.searching({"chunk_index": "kg_chunks"}).text
    assert "VECTOR INDEX kg_chunks FOR $vector" in searching
    assert f"{PROCEDURE}($node_index, $fetch, $vector)" in searching
    assert query.searching({}) is query


@pytest.mark.parametrize("bad", ["", "a b", "a`", "a FOR x", "1a", "A\n", "a)", "ä", "a\n"])
def test_a_name_of_an_index_that_needs_quotes_is_refused_before_it_is_cypher(bad: str) -> None:
    with pytest.raises(ValueError, match="not a name of an index"):
        queries.get("retrieve/naive").searching({"near_index": bad})


def test_vector_indexes_can_be_made_with_the_graph_in_them() -> None:
    makers = [name for name in queries.names("write") if name.startswith("write/vector_index_")]
    assert len(makers) == 5
    for name in makers:
        text = queries.get(name).by_graph().text
        assert text.startswith("CYPHER 25 // title:")
        assert " ON n.embedding WITH [n.graph]\nOPTIONS {" in text


def test_names_can_be_listed_by_area() -> None:
    reports = queries.names("reports")
    assert "reports/most_connected" in reports
    assert reports == sorted(reports) == [name for name in queries.names() if name.startswith("reports/")]
