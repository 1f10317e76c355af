"""Bad JSON lines, Parquet files, DataFrames and queries; and values of rows that have another form."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sqlalchemy

from table_rows import loaded, parquet, parquet_of, people

pytestmark = pytest.mark.needs("kg_neo4j_readers")
EMPTY = "it is empty: no line has the names of columns"
RENAME = "rename one of them, or name another line: header = ..."
COLUMNS = "correct the map; or name the line that has the names of columns: header = ..."
TITLE = {"title": "town"}
ONE_OBJECT = "one object a line"


def read(folder: Path, name: str, data: bytes, properties: Any = None, **table: Any) -> list[str]:
    """Return what the rows of one file become, or the line that refuses it."""
    (folder / name).write_bytes(data)
    return loaded(folder, [str(folder / name)], people(str(folder / name), properties, **table))


JSON = {
    "lists and objects": (
        '{"name": "Ada", "town": ["a", "b"], "x": {"k": 1}}\n\n{"town": {"k": [1]}, "name": "Bob"}\n',
        ["1: PERSON Ada title='a; b'", "3: PERSON Bob title='{\"k\": [1]}'"],
    ),
    "a bad line": (
        '{"name": "Ada"}\n{"name":\n',
        [f"refused: t.jsonl: line 2: no JSON: Expecting value: column 9 (char 8) ({ONE_OBJECT})"],
    ),
    "an array": ('{"name": "Ada"}\n["Bob"]\n', ["refused: t.jsonl: line 2: no object with the columns"]),
    "one long array": (
        '[\n{"name": "Ada"}\n]\n',
        [f"refused: t.jsonl: line 1: no JSON: Expecting value: column 2 (char 1) ({ONE_OBJECT})"],
    ),
    "no objects": ("{}\n{}\n", [f"refused: t.jsonl: {EMPTY}"]),
    "names that differ by a space": (
        '{"name": "Ada", " name": "Bob"}\n',
        [f"refused: t.jsonl: the columns 1 and 2 are both called 'name' ({RENAME})"],
    ),
    "other columns": ('{"name": "Ada"}\n{"town": "Oslo"}\n', ["1: PERSON Ada", "2: empty"]),
    "NaN": ('{"name": NaN, "town": "x"}\n{"name": "Bob", "town": NaN}\n', ["1: empty", "2: PERSON Bob"]),
    "large numbers": ('{"name": 9007199254740993, "town": 1e400}\n', ["1: PERSON 9007199254740993 title='inf'"]),
    "what no text has": ('{"name": "A\\ud800", "town": "x\\u0000y"}\n', ["1: PERSON A\ufffd title='x y'"]),
}


@pytest.mark.parametrize("case", JSON)
def test_json_lines(tmp_path: Path, case: str) -> None:
    data, expected = JSON[case]
    assert read(tmp_path, "t.jsonl", data.encode(), TITLE) == expected


def test_a_kind_that_is_no_table(tmp_path: Path) -> None:
    found = read(tmp_path, "t.json", b'[{"name": "Ada"}]')
    kinds = "csv, jsonl, ndjson, ods, parquet, tsv, xls, xlsb, xlsm, xlsx"
    assert found == [f"refused: t.json: no table; these are read: {kinds}"]


TIME = dt.datetime(2020, 1, 2, 3, 4, 5, 678, dt.UTC)
NUMBERS = {each: {"column": each, "kind": "number"} for each in ("price", "big", "share")}


def test_columns_of_parquet(tmp_path: Path) -> None:
    data = parquet(
        {
            "name": ["Ada", "Bob", None],
            "list": [[1, 2], None, []],
            "deep": [{"a": {"b": None}}, None, {"a": None}],
            "price": pa.array([Decimal("1.50"), Decimal("1000000.00"), None], pa.decimal128(12, 2)),
            "time": pa.array([TIME, None, None], pa.timestamp("us", tz="UTC")),
            "nano": pa.array([1_577_934_245_123_456_789, None, None], pa.timestamp("ns")),
            "big": [9_007_199_254_740_995, 5, None],
            "share": [float("nan"), float("inf"), 0.1],
            "raw": [b"xy", b"\xff", None],
        }
    )
    columns: dict[str, Any] = {"list": "list", "deep": "deep", "raw": "raw", "whole": "big"} | NUMBERS
    columns |= {"end_date": {"column": "nano", "kind": "date"}, "start_date": {"column": "time", "kind": "date"}}
    assert read(tmp_path, "t.parquet", data, columns, node={"type": "EVENT"}) == [
        "1: EVENT Ada start_date='2020-01-02' end_date='2020-01-02' list='1; 2' deep='{\"a\": {\"b\": null}}' raw='xy' "
        "whole='9007199254740995' price=1.5; left out: big 9007199254740995",
        "2: EVENT Bob raw='\ufffd' whole='5' price=1000000 big=5; left out: share Infinity",
        "3: empty",
    ]


def test_bad_parquet(tmp_path: Path) -> None:
    whole = parquet({"name": ["Ada"]})
    magic = "Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file."
    assert read(tmp_path, "t.parquet", whole[:-20]) == [f"refused: t.parquet: no Parquet file: {magic}"]
    assert read(tmp_path, "t.parquet", b"") == ["refused: t.parquet: no Parquet file: Parquet file size is 0 bytes"]
    twice = parquet_of(pa.Table.from_arrays([pa.array(["Ada"]), pa.array(["Bob"])], names=["name", "name"]))
    assert read(tmp_path, "t.parquet", twice) == [
        f"refused: t.parquet: the columns 1 and 2 are both called 'name' ({RENAME})"
    ]
    assert read(tmp_path, "t.parquet", whole, header=1) == [
        f"refused: the map: t.parquet has no column 'name'; it has: Ada ({COLUMNS})"
    ]


# ----------------------------------------------------------------------------------------------------- DataFrames


def framed(folder: Path, *frames: Any) -> list[str]:
    table = people("people", TITLE)["tables"][0]
    return loaded(folder, frames, {"tables": [{"name": table.pop("file")} | table]})


FRAMES: dict[str, tuple[Any, list[str]]] = {
    "NaN and None": (
        {"name": ["Ada", None, "Cy", "Di"], "town": [1, None, np.nan, 2]},
        ["1: PERSON Ada title='1'", "3: PERSON Cy", "4: PERSON Di title='2'"],
    ),
    "several kinds of nothing": (
        {"name": ["Ada", pd.NA, pd.NaT, np.float64("nan"), Decimal("NaN")], "town": ["x", 1.5, 2.0, 3, 4]},
        ["1: PERSON Ada title='x'", "2: empty", "3: empty", "4: empty", "5: empty"],
    ),
    "lists and arrays": (
        {"name": ["Ada", "Bob"], "town": [[1, 2], np.array([1, 2])]},
        ["1: PERSON Ada title='1; 2'", "2: PERSON Bob title='[1 2]'"],
    ),
    "characters of no text": ({"name": ["A\0da"], "town": ["x\x07y\nz"]}, ["1: PERSON A da title='x y z'"]),
    "no rows": ({"name": [], "town": []}, []),
    "no columns": ({}, [f"refused: people: {EMPTY}"]),
}


@pytest.mark.parametrize("case", FRAMES)
def test_frames(tmp_path: Path, case: str) -> None:
    data, expected = FRAMES[case]
    assert framed(tmp_path, pd.DataFrame(data, dtype=object)) == expected


def test_columns_of_frames(tmp_path: Path) -> None:
    nested = pd.DataFrame([["Ada", 1]], columns=pd.MultiIndex.from_tuples([("name", ""), ("town", "x")]))
    assert framed(tmp_path, nested) == [
        f"refused: the map: people has no column 'name'; it has: name;, town; x ({COLUMNS})"
    ]
    twice = pd.DataFrame([["Ada", "Bob"]], columns=["name", "name"])
    assert framed(tmp_path, twice) == [f"refused: people: the columns 1 and 2 are both called 'name' ({RENAME})"]
    plain = pd.DataFrame([["Ada", "Bob"]])
    assert framed(tmp_path, plain) == [f"refused: the map: people has no column 'name'; it has: 0, 1 ({COLUMNS})"]


def test_what_is_no_frame(tmp_path: Path) -> None:
    frame = pd.DataFrame({"name": ["Ada"], "town": ["x"]})
    assert framed(tmp_path, [{"name": "Ada"}]) == ["refused: people: a list is no DataFrame of pandas (make one of it)"]
    assert framed(tmp_path, {"people": frame}) == ["1: PERSON Ada title='x'"]
    assert framed(tmp_path, frame, frame) == [
        "refused: the map has no table for each DataFrame (`kg map` proposes one)"
    ]
    assert framed(tmp_path, {"peeple": frame}) == [
        "refused: the map: people is no file (name the address of its database, or pass a DataFrame of this name)"
    ]


# -------------------------------------------------------------------------------------------------------- queries


@pytest.fixture
def address(tmp_path: Path) -> str:
    found = f"sqlite:///{tmp_path / 'people.db'}"
    with sqlalchemy.create_engine(found).begin() as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE people (name TEXT, town TEXT, raw BLOB)"))
        connection.execute(sqlalchemy.text("INSERT INTO people VALUES ('Ada', 'London', x'414243'), (NULL, 'Oslo', 1)"))
    return found


def asked(folder: Path, address: str, query: str) -> list[str]:
    table = people("people", TITLE, query=query)["tables"][0]
    return loaded(folder, [address], {"tables": [{"name": table.pop("file")} | table]})


CHECK = "check its address and the query"
READS = (
    "refused: the map: tables.0: a table has a file, or a name; a query has a name, too, and begins with SELECT or WITH"
)
QUERIES = {
    "select name, town from people": ["1: PERSON Ada title='London'", "2: empty"],
    "-- who\nWITH a AS (SELECT * FROM people) (SELECT name, raw AS town FROM a LIMIT 1)": [
        f'refused: people: the database says: near "(": syntax error ({CHECK})'
    ],
    "-- who\n SELECT name, raw AS town FROM people LIMIT 1": ["1: PERSON Ada title='ABC'"],
    "SELECT name, town FROM people WHERE 0": [],
    "SELECT * FROM nowhere": [f"refused: people: the database says: no such table: nowhere ({CHECK})"],
    "SELECT name, name FROM people": [f"refused: people: the columns 1 and 2 are both called 'name' ({RENAME})"],
    "SELECT name FROM people; DROP TABLE people": [
        f"refused: people: the database says: You can only execute one statement at a time. ({CHECK})"
    ],
    "DROP TABLE people": [READS],
    "UPDATE people SET name = 'Eve'": [READS],
    "": [READS],
}


@pytest.mark.parametrize("query", QUERIES)
def test_queries(tmp_path: Path, address: str, query: str) -> None:
    assert asked(tmp_path, address, query) == QUERIES[query]
    assert len(asked(tmp_path, address, "SELECT name, town FROM people WHERE name = 'Ada'")) == 1  # nothing was changed


def test_addresses(tmp_path: Path, address: str) -> None:
    query = "SELECT name, town FROM people"
    says = "refused: people: the database says"
    assert asked(tmp_path, "nosuch://x", query) == [f"{says}: Can't load plugin: sqlalchemy.dialects:nosuch ({CHECK})"]
    assert asked(tmp_path, "sqlite:////no/such/folder/x.db", query) == [
        f"{says}: unable to open database file ({CHECK})"
    ]
    (tmp_path / "t.csv").write_text("name\nAda\n")
    assert loaded(tmp_path, [address], people(str(tmp_path / "t.csv"))) == [
        "refused: the map has no query for the database (`kg map` proposes one)"
    ]


# --------------------------------------------------------------------------------------------------------- values

POINT = {
    "1,204.50": 1204.5,
    "$1,200": 1200,
    "(300)": -300,
    "-$5": -5,
    "\u22125": -5,
    "12 %": 12,
    "5 zł": 5,
    "EUR 5": 5,
    "1 204": 1204,
    "1\u202f204": 1204,
    "1'204.5": 1204.5,
    "12,34,567": 1234567,
    "1.204,50": None,
    "1,5": None,
    "12,34": None,
    "1.5.2": None,
    "(300": None,
    "300)": None,
    "<5": None,
    "#5": None,
    "10k": None,
    "1.5M": None,
    "3 Mio.": None,
    "5 bn": None,
    "5 MB": 5,
    "five": None,
    "nan": None,
    "1/2": None,
    "9007199254740995": None,
}
COMMA = {"1.204,50": 1204.5, "1,5": 1.5, "-1,5": -1.5, "1.204": 1204, "1,204.5": None, "1'204,5": 1204.5, "1,5 k": None}


@pytest.mark.parametrize(
    ("decimal", "written", "number"),
    [(decimal, *each) for decimal, values in ((".", POINT), (",", COMMA)) for each in values.items()],
)
def test_numbers(tmp_path: Path, decimal: str, written: str, number: float | None) -> None:
    given = {"salary": {"column": "salary", "kind": "number", "decimal": decimal}}
    found = read(tmp_path, "t.csv", f'name;salary\nAda;"{written}"\n'.encode(), given)
    assert found == [
        f"2: PERSON Ada salary={number!r}" if number is not None else f"2: PERSON Ada; left out: salary {written}"
    ]


@pytest.mark.parametrize(
    ("form", "written", "day"),
    [
        (None, "2020-01-02", "2020-01-02"),
        (None, "2020-01-02 13:45:00", "2020-01-02"),
        (None, "2020-01-02T13:45:00+02:00", "2020-01-02"),
        (None, "31/12/1999", "1999-12-31"),
        (None, "3/4/1996", "1996"),  # which is the month?
        (None, "12/31/99", "12/31/99"),
        (None, "soon", "soon"),
        ("%d/%m/%Y", "03/04/2020", "2020-04-03"),
        ("%m/%d/%Y", "03/04/2020", "2020-03-04"),
        ("%m/%d/%Y", "31/12/2020", "2020-12-31"),  # another form, which has one reading
        ("%d.%m.%Y", "03/04/2020", "2020"),  # another form, which has two
        ("%m.%Y", "04.2020", "2020-04"),
        ("%Y%m%d", "20200102", "2020-01-02"),
        ("%d.%m.%Y", "2020-01-02 13:45", "2020-01-02"),
        ("%Y%m%d", "soon", "soon"),
    ],
)
def test_dates(tmp_path: Path, form: str | None, written: str, day: str) -> None:
    given = {"start_date": {"column": "day", "kind": "date", "format": form}}
    found = read(tmp_path, "t.csv", f"name,day\nA,{written}\n".encode(), given, node={"type": "EVENT"})
    assert found == [f"2: EVENT A start_date={day!r}"]
