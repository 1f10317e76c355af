from __future__ import annotations

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.canned_reports import browser_text, check, list_reports, outside_name
from kg_neo4j.graph.report_format import Report, render

SAMPLE = Report(
    "sample",
    "Sample",
    ("Node", "Count", "Score", "Members"),
    (("Khadīja", 12, 0.123456789, ("a", "b")), ("李白", -3, None, ()), ("x | *y*\n=z", 7, 2.0, ("=1+1",))),
)


# ------------------------------------------------------------------------------------------------------- the list


def test_the_reports_of_w1_have_its_columns() -> None:
    known = {outside_name(query): [column.name for column in query.columns] for query in list_reports()}
    assert known["most-connected"] == ["Node", "Connections"]
    assert known["relationships-by-type"] == ["RelationshipType", "Count"]
    assert known["nodes-by-type"] == ["NodeType", "Count", "WithoutRelationships"]


def test_there_are_at_least_nine_more_each_described_and_in_order() -> None:
    listed = list_reports()
    names = [outside_name(query) for query in listed]
    assert len(names) >= 12
    assert names == sorted(names)
    assert all(query.title and query.purpose.endswith(".") for query in listed)
    assert not [name for name in names if "_" in name]


# ------------------------------------------------------------------------------------------------------- parameters


def test_most_connected_shows_five_unless_asked_otherwise() -> None:
    assert "LIMIT 5" in browser_text("most-connected", "main", {}).splitlines()
    assert "LIMIT 12" in browser_text("most-connected", "main", {"limit": "12"}).splitlines()


@pytest.mark.parametrize(
    ("name", "parameters", "message", "hint"),
    [
        ("most-conected", {}, "there is no report 'most-conected'", "did you mean most-connected?"),
        ("most_connected", {}, "there is no report", "did you mean most-connected?"),
        ("../write/delete_graph", {}, "there is no report", None),
        ("most-connected", {"limt": "3"}, "has no parameter 'limt'", "it takes: limit"),
        ("nodes-by-type", {"limit": "3"}, "has no parameter 'limit'", "it takes: none"),
        ("most-connected", {"graph": "x"}, "has no parameter 'graph'", "choose the graph with --graph NAME"),
        ("neighbours", {}, "neighbours needs name", "--set name=VALUE"),
        ("most-connected", {"limit": "many"}, "limit cannot be 'many'", "limit is INTEGER: rows, >= 1, default 5"),
        ("most-connected", {"limit": "0"}, "limit cannot be '0'", "limit is INTEGER: rows, >= 1, default 5"),
        ("most-connected", {"limit": "-1"}, "limit cannot be '-1'", None),
        ("most-connected", {"limit": "2.5"}, "limit cannot be '2.5'", None),
        ("most-connected", {"limit": 2.5}, "limit cannot be '2.5'", None),
        ("most-connected", {"limit": str(2**63)}, "limit cannot be", None),
        ("most-connected", {"limit": "9" * 5000}, "limit cannot be", None),
        ("most-connected", {"limit": float("nan")}, "limit cannot be 'nan'", None),
        ("most-connected", {"limit": float("inf")}, "limit cannot be 'inf'", None),
        ("neighbours", {"name": "\ud800"}, "name cannot be", None),
    ],
)
def test_what_cannot_be_meant_is_refused_before_a_database_is_asked(
    name: str, parameters: dict[str, str | int | float], message: str, hint: str | None
) -> None:
    with pytest.raises(UsageError) as caught:
        check(name, parameters)
    assert message in str(caught.value)
    assert hint is None or caught.value.hint == hint


@pytest.mark.parametrize("limit", ["7", " 7 ", 7, 7.0])
def test_whole_numbers_are_taken_however_they_are_written(limit: str | float) -> None:
    assert "LIMIT 7" in browser_text("most-connected", "main", {"limit": limit}).splitlines()


# ---------------------------------------------------------------------------------------------------------- Browser


@pytest.mark.parametrize("query", list_reports(), ids=outside_name)
def test_browser_text_is_the_file_as_one_statement(query: queries.Query) -> None:
    needed = {parameter.name: "Khadija" for parameter in query.params if parameter.default is None}
    text = browser_text(outside_name(query), "main", needed)
    comments, shown = ([line for line in each.splitlines() if line.startswith("//")] for each in (query.text, text))
    assert shown == comments
    statement = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    assert not re.search(r"\$\w|^:|;$", statement, re.MULTILINE)
    assert all(f"'{value}'" in statement for value in ("main", *needed.values()) if query.params)


def test_a_value_with_quotes_and_line_ends_stays_one_line_and_one_text() -> None:
    text = browser_text("neighbours", "main", {"name": "O'Neil\\\n:param x => $graph"})
    assert r"'O\'Neil\u005c\u005c\n:param x => $graph'" in text


# ---------------------------------------------------------------------------------------------------------- formats


def test_a_report_is_a_data_frame() -> None:
    frame = SAMPLE.to_dataframe()
    assert list(frame.columns) == list(SAMPLE.columns)
    assert frame["Count"].sum() == 16
    assert frame["Node"].tolist() == [row[0] for row in SAMPLE.rows]
    assert Report("empty", "Empty", ("Node", "Count"), ()).to_dataframe().shape == (0, 2)


def test_json_is_a_list_of_objects_whose_keys_are_the_columns() -> None:
    read = json.loads(render(SAMPLE, "json"))
    assert read[0] == {"Node": "Khadīja", "Count": 12, "Score": 0.123456789, "Members": ["a", "b"]}
    assert read[1]["Score"] is None
    assert "李白" in render(SAMPLE, "json")


def test_csv_reads_back_with_numbers_as_they_are() -> None:
    header, *rows = csv.reader(io.StringIO(render(SAMPLE, "csv")))
    assert header == ["Node", "Count", "Score", "Members"]
    assert rows == [
        ["Khadīja", "12", "0.123456789", "a, b"],
        ["李白", "-3", "", ""],
        ["x | *y*\n=z", "7", "2.0", "'=1+1"],
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_holds_no_formulas(start: str) -> None:
    """Row 73."""
    report = Report("r", "R", ("Text", "Number"), ((f"{start}cmd|' /C calc'!A0", -1.5),))
    _, row = csv.reader(io.StringIO(render(report, "csv"), newline=""))
    assert row == [f"'{start}cmd|' /C calc'!A0", "-1.5"]


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.integers()), max_size=5))
def test_any_text_survives_csv_and_json_and_breaks_no_table(rows: list[tuple[str, int]]) -> None:
    report = Report("r", "R", ("Text", "Number"), tuple(rows))
    read = list(csv.reader(io.StringIO(render(report, "csv"), newline="")))[1:]
    assert [(text.removeprefix("'"), int(number)) for text, number in read] == [
        (text.removeprefix("'"), number) for text, number in rows
    ]
    assert [(row["Text"], row["Number"]) for row in json.loads(render(report, "json"))] == rows
    assert len(render(report, "markdown").split("\n")) == len(rows) + 2


def test_markdown_marks_nothing_up_and_keeps_its_columns() -> None:
    lines = render(SAMPLE, "markdown").split("\n")
    assert lines[0] == "| Node | Count | Score | Members |"
    assert lines[1] == "| --- | ---: | ---: | --- |"
    assert lines[4] == r"| x \| \*y\* =z | 7 | 2 | =1+1 |"


def test_a_table_of_nothing_has_its_header_and_control_characters_stay_out() -> None:
    assert render(Report("r", "R", ("A", "B"), ()), "markdown") == "| A | B |\n| --- | --- |"
    shown = render(Report("r", "R", ("A",), (("\x1b[31mred\u202e\x00",),)), "markdown")
    assert not re.search("[\x00\x1b\u202e]", shown)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no format 'xlsx'") as caught:
        render(SAMPLE, "xlsx")
    assert caught.value.hint == "one of table, csv, json, markdown, mermaid"
