"""kg map, and the dry run of kg load --map, without a database."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest

from kg_neo4j.rooms.tables.maps import read_map
from kg_runner import Kg, RunKg

pytestmark = pytest.mark.needs("kg_neo4j_readers")

PEOPLE = "id,name,born,firm_id\nP1,Ada Moss,1980-05-01,F1\nP2,Bo Lund,unknown year,F2\nP3,Cy Rask,1991,F9\n"
FIRMS = "firm_id,name,city\nF1,Norda,Oslo\nF2,Vexel,Moss\n"
MAP = """[[tables]]
file = "people.csv"
[tables.nodes.person]
type = "PERSON"
name = "name"
key = "id"
properties = { start_date = { column = "born", kind = "date" } }
[tables.nodes.firm]
table = "firms.csv"
key = "firm_id"
[[tables.relationships]]
from = "person"
type = "WORKED_FOR"
to = "firm"
[[tables]]
file = "firms.csv"
nodes.firm = { type = "ORGANIZATION", name = "name", key = "firm_id" }
"""


@pytest.fixture
def kg(run_kg: RunKg, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kg:
    """Run the command line where no server answers, in a folder with two tables and a map."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"people.csv": PEOPLE, "firms.csv": FIRMS, "own.toml": MAP}.items():
        Path(name).write_text(text, encoding="utf-8")
    given = {"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "none", "KG_HOME": str(tmp_path / "home")}
    return lambda *arguments: run_kg(arguments, given)


def test_a_map_is_printed(kg: Kg) -> None:
    code, out, err = kg("map", "people.csv", "firms.csv")
    assert (code, err) == (0, "")
    Path("printed.toml").write_text(out, encoding="utf-8")
    found = read_map("printed.toml")
    assert [each.file for each in found.tables] == ["people.csv", "firms.csv"]
    assert json.loads(kg("map", "people.csv", "firms.csv", "--json")[1]) == {"map": out}


def test_a_written_map_names_the_files_as_seen_from_it_and_replaces_none(kg: Kg) -> None:
    Path("maps").mkdir()
    code, out, err = kg("map", "people.csv", "--to", "maps/new.toml")
    assert (code, out) == (0, "map     maps/new.toml\ntables  1\n")
    assert err == "note: read it, edit it, then: kg load --map maps/new.toml --dry-run\n"
    assert read_map("maps/new.toml").tables[0].file == "../people.csv"
    code, _, err = kg("map", "firms.csv", "--to", "maps/new.toml")
    assert (code, err.splitlines()[0]) == (2, "error: there is a file maps/new.toml already")
    assert kg("map", "firms.csv", "--to", "maps/new.toml", "--force")[0] == 0
    assert read_map("maps/new.toml").tables[0].file == "../firms.csv"
    assert kg("load", "--map", "maps/new.toml", "--dry-run")[0] == 0


def test_what_is_no_table_is_refused_by_name(kg: Kg) -> None:
    Path("note.txt").write_text("a\n", encoding="utf-8")
    Path("empty.csv").write_text("\n", encoding="utf-8")
    assert kg("map", "note.txt")[2].startswith("error: note.txt: no table; these are read: csv, ")
    assert kg("map", "people.csv", "empty.csv")[2].startswith("error: empty.csv: it is empty: ")
    assert kg("map", "gone.csv")[2].startswith("error: gone.csv: it cannot be read: No such file")
    assert kg("map", "people.csv", "--to", "no/such/folder.toml")[2].startswith("error: cannot write no/such/")


def test_each_sheet_of_a_workbook_is_a_table(kg: Kg) -> None:
    book = openpyxl.Workbook()
    for sheet, text in zip((book.active, book.create_sheet()), (PEOPLE, FIRMS), strict=True):
        for line in text.splitlines():
            sheet.append(line.split(","))
    book.worksheets[0].title, book.worksheets[1].title = "People", "Firms"
    book.create_sheet("Notes").sheet_state = "hidden"
    book.save("all.xlsx")
    assert kg("map", "all.xlsx", "--to", "all.toml")[0] == 0
    found = read_map("all.toml").tables
    assert [(each.file, each.sheet) for each in found] == [("all.xlsx", "People"), ("all.xlsx", "Firms")]
    assert kg("load", "--map", "all.toml", "--dry-run")[1].startswith("table          all.xlsx, sheet People\n")
    assert kg("map", "all.xlsx", "--sheet", "Firms", "--to", "one.toml")[0] == 0
    assert [each.sheet for each in read_map("one.toml").tables] == ["Firms"]


def test_a_dry_run_shows_rows_and_counts(kg: Kg) -> None:
    code, out, err = kg("load", "people.csv", "--map", "own.toml", "--dry-run")
    assert (code, err) == (0, "")
    assert (
        out
        == """table          people.csv
rows           3
nodes          5
relationships  2
failed         0
rejected       1 missing_end
no dates       1 start_date
line 2
  PERSON Ada Moss (start_date 1980-05-01, table_key people.csv: P1, birth_year 1980)
  ORGANIZATION Norda (table_key firms.csv: F1)
  Ada Moss WORKED_FOR Norda
line 3
  PERSON Bo Lund (start_date unknown year, table_key people.csv: P2)
  ORGANIZATION Vexel (table_key firms.csv: F2)
  Bo Lund WORKED_FOR Vexel
line 4
  PERSON Cy Rask (start_date 1991, table_key people.csv: P3, birth_year 1991)

"""
    )


def test_a_dry_run_shows_ten_rows_and_three_failures_and_counts_all(kg: Kg) -> None:
    rows = [f"P{number},Person {number},1980,F1" for number in range(20)] + ["P1,Other,1980,F1"] * 5 + ["P3,x"]
    Path("people.csv").write_text("\n".join(["id,name,born,firm_id", *rows, ""]), encoding="utf-8")
    code, out, err = kg("load", "people.csv", "--map", "own.toml", "--dry-run", "--json")
    assert (code, err) == (0, "")
    (found,) = json.loads(out)
    assert [found[name] for name in ("rows", "nodes", "relationships", "failed")] == [26, 21, 20, 6]
    assert (len(found["shown"]), found["shown"][0]["line"], len(found["failures"])) == (10, 2, 3)
    assert found["failures"][0].startswith("line 22: the key 'P1' is 'Person 1' on line 3, and 'Other' here")
    assert kg("load", "people.csv", "--map", "own.toml", "--dry-run")[2].count("failed: line 2") == 3
