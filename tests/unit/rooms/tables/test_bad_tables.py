"""Bad tables: each is refused with one line, or read for what it surely says; a fault of one row fails that row."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from kg_neo4j import data_files
from kg_neo4j.acquire import decoding
from kg_neo4j.extract.schema import BUILT_IN
from table_rows import computed, encrypted_workbook, loaded, people, workbook

pytestmark = pytest.mark.needs("kg_neo4j_readers")
TITLE = {"title": "town"}
SALARY = {"salary": {"column": "salary", "kind": "number"}}
DAY = {"start_date": {"column": "day", "kind": "date"}}
EVENT = {"type": "EVENT"}
NAMES = "name the line: header = ..."
COLUMNS = "correct the map; or name the line that has the names of columns: header = ..."
RENAME = "rename one of them, or name another line: header = ..."
EMPTY = "it is empty: no line has the names of columns"


def read(folder: Path, name: str, data: str | bytes, **table: Any) -> list[str]:
    """Return what the rows of one file become, or the line that refuses it."""
    path, options = folder / name, {each: table.pop(each) for each in ("encoding", "schema") if each in table}
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return loaded(folder, [str(path)], people(str(path), table.pop("properties", None), **table), **options)


ZIP = data_files.beside(str(decoding.__file__)).table("formats")["PK\x03\x04"]
CSV: Mapping[str, tuple[str | bytes, list[str]]] = {
    "too few cells": ("name,town\nAda,London\nBob\n", ["2: PERSON Ada", "3: failed: line 3: 1 cells for 2 columns"]),
    "too many cells": (
        "name,town\nAda,London\nBob,Oslo,x\nCy,Rome,\n",
        ["2: PERSON Ada", "3: failed: line 3: 3 cells for 2 columns", "4: PERSON Cy"],
    ),
    "trailing empties": ("name,town,,\nAda,London,,,\nBob,,\n", ["2: PERSON Ada", "3: PERSON Bob"]),
    "most rows ragged": (
        "Report\nname,town\nAda,London\n",
        [f"refused: t.csv: line 2 has 2 cells, line 1 with the names has 1; so do 2 of 2 rows ({NAMES})"],
    ),
    "a title above": (
        "Report 2024,\nname,town\nAda,London\n",
        [f"refused: the map: t.csv has no column 'name'; it has: Report 2024, column 2 ({COLUMNS})"],
    ),
    "the delimiter named": (
        "sep=;\nname;town;x\nAda;London;y\n",
        [f"refused: t.csv: line 2 has 3 cells, line 1 with the names has 2; so do 2 of 2 rows ({NAMES})"],
    ),
    "a second header": (
        "name,town\nAda,London\nname,town\nBob,Oslo\n",
        ["2: PERSON Ada", "3: failed: line 3: the names again", "4: PERSON Bob"],
    ),
    "two columns of one name": (
        "name,town,name\nAda,London,x\n",
        [f"refused: t.csv: line 1: the columns 1 and 3 are both called 'name' ({RENAME})"],
    ),
    "columns without a name": ("name,,\nAda,London,x\n", ["2: PERSON Ada"]),
    "UTF-16": ("name\nJosé Müller\n".encode("utf-16"), ["2: PERSON José Müller"]),
    "UTF-16 without mark": ("name\nJosé Müller\n".encode("utf-16-le"), ["2: PERSON José Müller"]),
    "UTF-8 with mark": ("name\nJosé Müller\n".encode("utf-8-sig"), ["2: PERSON José Müller"]),
    "cp1252": ("name\nJosé Müller\n".encode("cp1252"), ["2: PERSON José Müller"]),
    "bytes that are no text": (
        "name\nJosé Müller\n".encode() + b"\xff\n",
        [
            "refused: t.csv: damaged UTF-8: 1 unreadable places, the first at byte 19 "
            "(--encoding utf-8 reads the rest; or name another encoding)"
        ],
    ),
    "NUL": ("name\nA\0da\n", ["refused: t.csv: binary (NUL bytes)"]),
    "a control character": ("name,town\nA\x07da,London\n", ["2: PERSON A da"]),
    "many control characters": (
        "name\n" + "\x01\x02\x03\n" * 9,
        ["refused: t.csv: binary (27 control characters among 41)"],
    ),
    "an open quote": (
        'name,town\nAda,"London\nBob,Oslo\n',
        ["refused: t.csv: line 2: no CSV: unexpected end of data (close its quotes, and double those within)"],
    ),
    "a quote that ends early": (
        'name,town\nBob,Oslo\nAda,"Lon"don\n',
        ["refused: t.csv: line 3: no CSV: ',' expected after '\"' (close its quotes, and double those within)"],
    ),
    "quotes within": ('name,town\nDwayne "Rock" J,Oslo\n', ['2: PERSON Dwayne "Rock" J']),
    "line breaks in quotes": (
        'name,town\n"Ada\nLovelace","Lon\r\ndon"\nBob\n',
        ["2: PERSON Ada Lovelace", "5: failed: line 5: 1 cells for 2 columns"],
    ),
    "delimiters in quotes": ('name,town\n"Lovelace, Ada","a;b;c"\n', ["2: PERSON Lovelace, Ada"]),
    "line ends of old Macs": ("name,town\rAda,London\r", ["2: PERSON Ada"]),
    "semicolons": ("name;town\nAda, Bea;1,5\nBob, Cy;2,5\n", ["2: PERSON Ada, Bea", "3: PERSON Bob, Cy"]),
    "tabs": ("name\ttown\nAda, Bea\t1,5\n", ["2: PERSON Ada, Bea"]),
    "pipes": ("name|town\nAda; Bea|1,5\n", ["2: PERSON Ada; Bea"]),
    "a formula": ("name,town\n=A1+2,=x\n", ["2: PERSON =A1+2"]),
    "empty": ("", [f"refused: t.csv: {EMPTY}"]),
    "blank lines": ("\n \n,\n", [f"refused: t.csv: {EMPTY}"]),
    "only a header": ("name,town\n", []),
    "3,000 columns": (",".join(map(str, range(3_000))), ["refused: t.csv: 3,000 columns; at most 2,000 are read"]),
    "a million columns": ("a," * 999_999 + "a", ["refused: t.csv: 1,000,000 columns; at most 2,000 are read"]),
    "a long name": (
        f"name\n{'x' * 600}\nBob\n",
        ["2: rejected: name has 600 characters; at most 500", "3: PERSON Bob"],
    ),
    "a very long cell": (
        f"name\n{'x' * 200_000}\nBob\n",
        ["2: rejected: a field of 200000 characters; at most 131072", "3: PERSON Bob"],
    ),
    "no names": ("name,town\n,London\nn/a,Oslo\n", ["2: empty", "3: rejected: name is empty"]),
    "a workbook": (workbook(["name"], ["Ada"]), [f"refused: t.csv: binary ({ZIP})"]),
}


@pytest.mark.parametrize("case", CSV)
def test_csv(tmp_path: Path, case: str) -> None:
    data, expected = CSV[case]
    assert read(tmp_path, "t.csv", data) == expected


def test_a_small_file_does_not_limit_the_next_one(tmp_path: Path) -> None:
    assert read(tmp_path, "t.csv", "") == [f"refused: t.csv: {EMPTY}"]
    assert read(tmp_path, "t.csv", "name\nAda\n") == ["2: PERSON Ada"]


def test_an_encoding_that_is_named(tmp_path: Path) -> None:
    assert read(tmp_path, "t.csv", "name\nŁódź\n".encode("cp1250"), encoding="cp1250") == ["2: PERSON Łódź"]
    assert read(tmp_path, "t.csv", "name\nŁódź\n", encoding="ascii") == [
        "refused: t.csv: 6 of 13 characters are not ASCII (name another encoding with --encoding, or leave it out)"
    ]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (3, ["4: PERSON Ada"]),
        (2, ["refused: t.csv: line 2 is empty"]),
        (9, ["refused: t.csv: line 9 is empty"]),
        (4, [f"refused: the map: t.csv has no column 'name'; it has: Ada, London ({COLUMNS})"]),
    ],
)
def test_a_header_that_is_named(tmp_path: Path, header: int, expected: list[str]) -> None:
    assert read(tmp_path, "t.csv", "Report,\n\nname,town\nAda,London\n", header=header) == expected


KEYS: Mapping[str, tuple[str, Mapping[str, Any], list[str]]] = {
    "one key with two names": (
        "id,name\n1,Ada\n2,Bob\n1,Cy\n1,ada\n",
        {},
        [
            "2: PERSON Ada",
            "3: PERSON Bob",
            "4: failed: line 4: the key '1' is 'Ada' on line 2, and 'Cy' here",
            "5: PERSON Ada",
        ],
    ),
    "a key that is there twice": (
        "id,name\n1,Ada\n2,Bob\n1,Ada\n",
        {"unique": ["id"]},
        [
            "refused: t.csv, line 4: id '1' is that of line 2 "
            "(the map says that id is unique: correct the table, or the map)"
        ],
    ),
    "no key twice": ("id,name\n,Ada\n,Bob\n", {"unique": ["id"]}, ["2: PERSON Ada", "3: PERSON Bob"]),
    "headers twice": (
        "id,name\nid,name\n1,Ada\nid,name\n",
        {"unique": ["id"]},
        ["2: failed: line 2: the names again", "3: PERSON Ada", "4: failed: line 4: the names again"],
    ),
    "a name of two keys": ("id,name\n1,Ada\n2,ADA\n", {}, ["2: PERSON Ada (1)", "3: PERSON ADA (2)"]),
    "no name": ("id,name\n1,\n", {}, ["2: rejected: name is empty"]),
}


@pytest.mark.parametrize("case", KEYS)
def test_keys(tmp_path: Path, case: str) -> None:
    data, table, expected = KEYS[case]
    assert read(tmp_path, "t.csv", data, node={"key": "id"}, **table) == expected


def test_keys_of_other_tables(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("name,firms\nAda,F1\nBob,F1;F9\nCy,\nDi,n-0 (x)\nEve,F2\nFay,f1\n")
    (tmp_path / "f.csv").write_text("id,name\nF1,Acme\nF2\nF3,Rest\n")
    firm = {"type": "ORGANIZATION", "name": "name", "key": "id"}
    works = {"from": "person", "type": "WORKED_FOR", "to": "firm"}
    person = {"type": "PERSON", "name": "name"}
    nodes = {"person": person, "firm": {"table": str(tmp_path / "f.csv"), "key": "firms", "split": ";"}}
    tables = [
        {"file": str(tmp_path / "p.csv"), "nodes": nodes, "relationships": [works]},
        {"file": str(tmp_path / "f.csv"), "nodes": {"firm": firm}},
    ]
    missing = [
        f"rejected: 'key {key} of f.csv' is not the id of an accepted node row of this answer"
        for key in ("F9", "n-0 (x)", "F2", "f1")
    ]
    acme = "ORGANIZATION Acme"
    assert loaded(tmp_path, [], {"tables": tables}) == [
        f"2: PERSON Ada; {acme}; Ada WORKED_FOR Acme",
        f"3: PERSON Bob; {acme}; Bob WORKED_FOR Acme; {missing[0]}",
        "4: PERSON Cy",
        f"5: PERSON Di; {missing[1]}",
        f"6: PERSON Eve; {missing[2]}",
        f"7: PERSON Fay; {missing[3]}",
        f"2: {acme}",
        "3: failed: line 3: 1 cells for 2 columns",
        "4: ORGANIZATION Rest",
    ]


ODD = (
    *("node_id,node_type,name", "sentences,node_id,node_type,name", "node_id;node_type;name"),
    *("node_id_1,relationship_type,node_id_2", "relationship_id", "n-0", "r-1", "A | B", "a: b", "A|B: c, d"),
    *("<think>", "<think>one two three four five six</think>y", "a </think>B", "```", "```thinking", "◁think▷x"),
    *("<answer>", "[THINK]x[/THINK]", 'say "no", or "yes"', "a\\", "'", '"', "analysis a assistantfinal b"),
)


@pytest.mark.parametrize("schema", BUILT_IN)
@pytest.mark.parametrize("cell", ODD)
def test_cells_that_look_like_parts_of_an_answer(tmp_path: Path, cell: str, schema: str) -> None:
    written = cell.replace('"', '""')
    data = f'name,town\n"{written}",x\nBob,"{written}"\n'
    found = read(tmp_path, "t.csv", data, properties={"remark": "town"}, schema=schema)
    assert found == [f"2: PERSON {cell} remark='x'", f"3: PERSON Bob remark={cell!r}"]


def test_many_columns_of_one_row(tmp_path: Path) -> None:
    names = [f"a_property_with_a_long_name_{number}" for number in range(1_990)]
    found = read(
        tmp_path, "t.csv", f"name,{','.join(names)}\nAda{',x' * 1_990}\n", properties={each: each for each in names}
    )
    assert found == ["2: PERSON Ada " + " ".join(f"{each}='x'" for each in names)]


# ------------------------------------------------------------------------------------------------------- workbooks


def merged(*places: str) -> Any:
    return lambda book: [book.active.merge_cells(each) for each in places]


def hidden(book: openpyxl.Workbook) -> None:
    book.create_sheet("secret").append(["name"])
    book["secret"].sheet_state = "hidden"


def faulty(book: openpyxl.Workbook) -> None:
    sheet = book.worksheets[0]
    sheet["B2"], sheet["A3"] = "#DIV/0!", "#REF!"


def days_since_1904(book: openpyxl.Workbook) -> None:
    book.epoch = CALENDAR_MAC_1904
    book.worksheets[0].append(["Ada", dt.date(1999, 12, 31)])


TOWNS = (["name", "town"], ["Ada", "x"], ["Bob", "y"])
BOOKS: Mapping[str, tuple[bytes, Mapping[str, Any], list[str]]] = {
    "whole numbers": (
        workbook(["name", "salary"], [5.0, 5], [6, 5.25], [12345678, 1e-7], ["X", 1e20]),
        {"properties": SALARY},
        [
            "2: PERSON 5 salary=5",
            "3: PERSON 6 salary=5.25",
            "4: PERSON 12345678 salary=1e-07",
            "5: PERSON X; left out: salary 100000000000000000000",
        ],
    ),
    "numbers with a decimal comma in the map": (
        workbook(["name", "salary"], ["Ada", 1.204], ["Bob", "1.204,5"], ["Cy", 0.125]),
        {"properties": {"salary": {"column": "salary", "kind": "number", "decimal": ","}}},
        ["2: PERSON Ada salary=1.204", "3: PERSON Bob salary=1204.5", "4: PERSON Cy salary=0.125"],
    ),
    "days and times": (
        workbook(["name", "day"], ["A", dt.date(1999, 12, 31)], ["B", dt.datetime(2020, 1, 2, 3, 4, 5)]),  # noqa: DTZ001
        {"properties": DAY, "node": EVENT},
        ["2: EVENT A start_date='1999-12-31'", "3: EVENT B start_date='2020-01-02'"],
    ),
    "a day as a number": (
        workbook(["name", "day"], ["A", 43831]),
        {"properties": DAY, "node": EVENT},
        ["2: EVENT A start_date='43831'"],
    ),
    "days since 1904": (
        workbook(["name", "day"], change=days_since_1904),
        {"properties": DAY, "node": EVENT},
        ["2: EVENT Ada start_date='1999-12-31'"],
    ),
    "a formula without a value": (
        workbook(["name", "town"], ["Ada", "x"], ["Bob", "=A2&1"]),
        {},
        [
            "refused: t.xlsx: cell B3 of xl/worksheets/sheet1.xml is a formula without a value "
            "(open it in Excel or LibreOffice, and save it)"
        ],
    ),
    "formulas with values": (
        computed(workbook(*TOWNS, ["Cy", "=A2&1"], ["Di", "=A2&1"]), "<v>7</v>"),
        {"properties": TITLE},
        ["2: PERSON Ada title='x'", "3: PERSON Bob title='y'", "4: PERSON Cy title='7'", "5: PERSON Di title='7'"],
    ),
    "a formula whose value is an empty text": (
        computed(workbook(["name", "town"], ["Ada", "=A2&1"]), "<v></v>", kind="str"),
        {"properties": TITLE},
        ["2: PERSON Ada"],
    ),
    "errors": (workbook(*TOWNS, change=faulty), {"properties": TITLE}, ["2: PERSON Ada", "3: empty"]),
    "cells over rows": (
        workbook(["town", "name"], ["Oslo", "Ada"], [None, "Bob"], ["Rome", "Cy"], change=merged("A2:A3")),
        {"properties": TITLE},
        ["2: PERSON Ada title='Oslo'", "3: PERSON Bob title='Oslo'", "4: PERSON Cy title='Rome'"],
    ),
    "cells over columns": (
        workbook(["name", "town"], ["Ada", None], ["Cy", "Rome"], change=merged("A2:B2")),
        {"properties": TITLE},
        ["2: PERSON Ada", "3: PERSON Cy title='Rome'"],
    ),
    "a title over columns": (
        workbook(["Report", None], *TOWNS, change=merged("A1:B1")),
        {},
        [f"refused: the map: t.xlsx has no column 'name'; it has: Report, column 2 ({COLUMNS})"],
    ),
    "a title over columns, the header named": (
        workbook(["Report", None], *TOWNS, change=merged("A1:B1")),
        {"header": 2},
        ["3: PERSON Ada", "4: PERSON Bob"],
    ),
    "names in lines": (workbook(["name ", "a\ntown"], [" Ada\nB ", "x"]), {}, ["2: PERSON Ada B"]),
    "a hidden sheet": (workbook(*TOWNS, change=hidden), {}, ["2: PERSON Ada", "3: PERSON Bob"]),
    "a hidden sheet, named": (
        workbook(*TOWNS, change=hidden),
        {"sheet": "secret"},
        ["refused: t.xlsx: no sheet 'secret'; there are: Sheet"],
    ),
    "two sheets": (
        workbook(*TOWNS, change=lambda book: book.create_sheet("b")),
        {},
        ["refused: t.xlsx: 2 sheets: Sheet, b (name one of them)"],
    ),
    "two sheets, one named": (
        workbook(*TOWNS, change=lambda book: book.create_sheet("b")),
        {"sheet": "Sheet"},
        ["2: PERSON Ada", "3: PERSON Bob"],
    ),
    "no such sheet": (workbook(*TOWNS), {"sheet": "c"}, ["refused: t.xlsx: no sheet 'c'; there are: Sheet"]),
    "an empty sheet": (workbook(), {}, [f"refused: t.xlsx: {EMPTY}"]),
    "only a header": (workbook(["name"]), {}, []),
    "a CSV file": (b"name\nAda\n", {}, ["refused: t.xlsx: damaged workbook: Cannot detect file format"]),
    "half a workbook": (workbook(*TOWNS)[:3_000], {}, ["refused: t.xlsx: damaged archive: File is not a zip file"]),
    "a password": (encrypted_workbook(), {}, ["refused: t.xlsx: encrypted (remove the password first)"]),
}


@pytest.mark.parametrize("case", BOOKS)
def test_workbooks(tmp_path: Path, case: str) -> None:
    data, table, expected = BOOKS[case]
    assert read(tmp_path, "t.xlsx", data, **table) == expected
