"""Maps that are proposed: each rule, and a set of tables whose columns a person judged."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any

import pytest
from benchmarks.table_maps import judged

from kg_neo4j.extract import schema as schemas
from kg_neo4j.rooms.tables.loading import extended
from kg_neo4j.rooms.tables.maps import MappedTable, read_map
from kg_neo4j.rooms.tables.proposing import propose
from kg_neo4j.rooms.tables.reading import Table, TableRow

SEEN = Path(__file__).parents[3] / "data" / "tables" / "seen"
NAMES = "Ada Moss|Bo Lund|Cy Rask|Dee Holm|Eva Berg|Finn Aas|Gro Vik|Hal Dahl|Ida Sund|Jon Lie".split("|")
IDS = [f"P{number}" for number in range(10)]
TOWNS = ["Oslo", "Moss"] * 5


def table(**columns: list[Any]) -> Table:
    """Return a table; "_" in a name stands for a space where it is doubled."""
    names = tuple(name.replace("__", " ") for name in columns)
    rows = zip(*columns.values(), strict=True)
    return Table(names, tuple(TableRow(line, tuple(map(str, row))) for line, row in enumerate(rows, 2)), 1)


def texts(**tables: Table) -> str:
    """Return the proposal for tables, checked: it loads, and the schema can be extended with it."""
    text = propose({f"{name}.csv": each for name, each in tables.items()})
    extended(schemas.load("lean"), read_map(tomllib.loads(text)))
    return text


def maps(**tables: Table) -> dict[str, MappedTable]:
    found = read_map(tomllib.loads(texts(**tables)))
    return {each.named.removesuffix(".csv"): each for each in found.tables}


def one(file: str = "people", /, **columns: list[Any]) -> MappedTable:
    return maps(**{file: table(**columns)})[file]


def own(found: MappedTable) -> Any:
    return next(iter(found.nodes.values()))


def relationships(found: MappedTable) -> list[str]:
    return [f"{each.source} {each.type} {each.target}" for each in found.relationships]


def property_of(column: str, values: list[Any], file: str = "people") -> tuple[str, str, str | None, str]:
    """Return how the property that a column becomes is called, and how it is read."""
    found = own(one(file, id=IDS, name=NAMES, **{column: values})).properties.items()
    ((called, each),) = [each for each in found if each[1].column == column.replace("__", " ")]
    return called, each.kind, each.format, each.decimal


# ------------------------------------------------------------------------------------------------------ keys and names


def test_the_key_is_unique_and_its_header_says_so() -> None:
    found = one(name=NAMES, price=[f"{n}.5" for n in range(10)], badge_no=[f"B{n}" for n in range(10)], id=IDS)
    assert (own(found).key, own(found).name, found.unique) == ("id", "name", ("id",))


def test_unique_prices_dates_and_numbers_are_no_keys() -> None:
    days = [f"2020-01-{n:02}" for n in range(1, 11)]
    found = one("sales", day=days, price=[f"{n}.5" for n in range(10)], rank=list(range(10)), title=NAMES)
    assert (own(found).key, own(found).name, found.unique) == ("title", "title", ())


def test_an_id_that_repeats_is_no_key() -> None:
    assert own(one(name=NAMES, card_id=["1", "2"] * 5)).key == "name"


def test_the_key_is_the_name_where_nothing_else_is() -> None:
    found = one("orders", order_id=IDS, amount=list(range(10)))
    assert (own(found).type, own(found).name, own(found).key) == ("EVENT", "order_id", "order_id")


@pytest.mark.parametrize(
    ("file", "header"),
    [("people", "full_name"), ("books", "Title"), ("players", "Player"), ("things", "label"), ("kunden", "Name")],
)
def test_a_header_says_which_column_names_the_rows(file: str, header: str) -> None:
    assert own(one(file, id=IDS, job_title=TOWNS, **{header: NAMES})).name == header


def test_the_first_text_that_differs_is_the_name_where_no_header_says_so() -> None:
    assert own(one("things", id=IDS, colour=TOWNS, inscription=NAMES)).name == "inscription"


def test_rows_without_key_and_name_are_relationships() -> None:
    found = one("results", athlete=NAMES[:5] * 2, town=TOWNS, tournament=["A cup"] * 10, points=list(range(10)))
    assert relationships(found) == ["athlete TOOK_PART_IN tournament", "athlete LIVED_IN town"]
    assert list(found.relationships[0].properties) == ["points"]


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("employees", "PERSON"),
        ("shop_customers", "PERSON"),
        ("list_of_countries", "PLACE"),
        ("suppliers_2021", "ORGANIZATION"),
        ("films", "WORK"),
        ("matches", "EVENT"),
        ("Artikelliste", "PRODUCT"),
        ("bird_species", "SPECIES"),
        ("books_by_city", "WORK"),
        ("x17", "OBJECT"),
    ],
)
def test_the_file_says_what_the_rows_are(file: str, wanted: str) -> None:
    assert own(one(file, code=IDS, name=NAMES)).type == wanted


@pytest.mark.parametrize(("header", "wanted"), [("salary", "PERSON"), ("population", "PLACE"), ("pages", "WORK")])
def test_headers_say_what_the_rows_are_where_the_file_does_not(header: str, wanted: str) -> None:
    assert own(one("x17", name=NAMES, **{header: list(range(100, 110))})).type == wanted


# --------------------------------------------------------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (["31/12/1999", "01/02/2000"] * 5, "%d/%m/%Y"),
        (["12/31/1999", "1/2/2000"] * 5, "%m/%d/%Y"),
        (["31.12.1999", "01.02.2000"] * 5, "%d.%m.%Y"),
        (["7 May 1999", "12 June 2000"] * 5, "%d %B %Y"),
        (["2000-05-01", "2001-06-02"] * 5, None),
        (["2000", "1950"] * 5, None),
        (["c. 1650", "44 BC"] * 5, None),
        (["2000-05-01"] * 9 + ["not known"], None),
    ],
)
def test_dates_have_the_form_that_they_need(values: list[str], form: str | None) -> None:
    assert property_of("born", values)[:3] == ("start_date", "date", form)


def test_a_date_that_no_value_decides_has_a_comment_and_no_form() -> None:
    text = texts(people=table(id=IDS, name=NAMES, born=["03/04/1999", "05/06/2000"] * 5))
    assert "# born: 10 dates of 10, as 03/04/1999; no value says whether the day or the month is first: add" in text
    assert 'start_date = { column = "born", kind = "date" }' in text


def test_four_digits_are_a_year_where_the_header_says_so() -> None:
    assert property_of("founded", ["1990", "2004"] * 5, "firms")[1] == "date"
    assert property_of("seats", ["1990", "2004"] * 5, "firms")[1] == "number"


@pytest.mark.parametrize(
    ("values", "decimal"),
    [
        (["1,234.50", "7"] * 5, "."),
        (["1.234,50", "0,5"] * 5, ","),
        (["€ 12.50", "€ 3"] * 5, "."),
        (["12 %", "7 %"] * 5, "."),
        (["4 kg", "n/a"] * 5, "."),
    ],
)
def test_numbers_have_marks_and_units(values: list[str], decimal: str) -> None:
    assert property_of("amount", values)[1::2] == ("number", decimal)


def test_a_point_stands_between_thousands_where_another_column_has_decimal_commas() -> None:
    found = own(one(id=IDS, name=NAMES, paid=["1.200", "3.400"] * 5, share=["0,5", "1,25"] * 5)).properties
    assert [found[name].decimal for name in ("paid", "share")] == [",", ","]


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("phone", ["4930123", "4930124"]),
        ("contact__no", ["12", "13"]),
        ("zip", ["1234", "99999"]),
        ("mark", ["007", "012"]),
        ("mark", ["A7", "B12"]),
        ("weight", ["800 g", "2 kg"]),
        ("line", ["+4930123456", "+4930123457"]),
        ("mark", ["12", "x", "y", "z"]),
    ],
)
def test_codes_and_mixed_units_are_texts(header: str, values: list[str]) -> None:
    assert property_of(header, list(itertools.islice(itertools.cycle(values), 10)))[1] == "text"


# ------------------------------------------------------------------------------------------------- nodes and references


@pytest.mark.parametrize(
    ("file", "header", "wanted"),
    [
        ("people", "town", "person LIVED_IN town"),
        ("people", "birthplace", "person BORN_IN birthplace"),
        ("people", "employer", "person WORKED_FOR employer"),
        ("firms", "city", "organization LOCATED_IN city"),
        ("books", "author", "author CREATED work"),
        ("books", "publisher", "publisher PUBLISHED work"),
        ("concerts", "venue", "event HAPPENED_IN venue"),
        ("paintings", "museum", "museum OWNED work"),
        ("species", "discoverer", "discoverer DISCOVERED species"),
    ],
)
def test_columns_that_name_things_become_nodes(file: str, header: str, wanted: str) -> None:
    assert relationships(one(file, id=IDS, name=NAMES, **{header: TOWNS})) == [wanted]


def test_numbers_times_and_long_texts_name_nothing() -> None:
    long = [f"{'a long story of the city ' * 4}{number}" for number in range(10)]
    found = one(id=IDS, name=NAMES, town=long, city=list(range(10)), departure=["12:30"] * 10)
    assert list(found.nodes) == ["person"]


@pytest.mark.parametrize(
    ("header", "cell", "split"),
    [
        ("authors", "Ada; Bo", ";"),
        ("author", "Ada | Bo", "|"),
        ("authors", "Ada, Bo", ","),
        ("author", "Moss, Ada", None),
    ],
)
def test_several_names_in_a_cell_are_split(header: str, cell: str, split: str | None) -> None:
    found = one("books", isbn=IDS, title=NAMES, **{header: [cell, "Cy"] * 5})
    assert found.nodes["author"].split == split


def firms(ids: list[Any]) -> Table:
    return table(firm_id=ids, name=[f"{name} Ltd" for name in NAMES])


def test_keys_of_other_tables_are_references() -> None:
    found = maps(people=table(id=IDS, name=NAMES, firm=["F1", "F2"] * 5), firms=firms([f"F{n}" for n in range(10)]))
    assert (found["people"].nodes["firm"].table, found["people"].nodes["firm"].key) == ("firms.csv", "firm")
    assert relationships(found["people"]) == ["person WORKED_FOR firm"]


def test_numbers_refer_where_the_header_says_so() -> None:
    ids = list(range(1, 11))
    people = table(id=ids, name=NAMES, firm_id=[1, 2] * 5, manager_id=["", *[1] * 9], age=[3, 4] * 5)
    found = maps(people=people, firms=firms(ids))["people"]
    assert {name: node.table for name, node in found.nodes.items() if node.table} == {
        "firm": "firms.csv",
        "manager": "people.csv",
    }
    assert own(found).properties["age"].kind == "number"


def test_a_column_refers_where_nearly_all_values_are_keys() -> None:
    keys = firms([f"F{n}" for n in range(10)])
    most = maps(people=table(id=IDS, name=NAMES, firm=["F1"] * 9 + ["F77"]), firms=keys)["people"]
    few = maps(people=table(id=IDS, name=NAMES, firm=["F1"] * 8 + ["F77"] * 2), firms=keys)["people"]
    assert (most.nodes["firm"].table, [*few.nodes]) == ("firms.csv", ["person"])


def test_a_table_between_two_others_is_a_relationship() -> None:
    found = maps(
        uni_students=table(student_id=IDS, name=NAMES),
        uni_courses=table(code=[f"C{n}" for n in range(10)], title=[f"{name} study" for name in NAMES]),
        uni_enrolments=table(student_id=IDS[:5] * 2, course_code=["C1"] * 5 + ["C2"] * 5, grade=["1.3"] * 10),
    )["uni_enrolments"]
    assert relationships(found) == ["student TOOK_PART_IN course"]
    assert list(found.relationships[0].properties) == ["grade"]


# ---------------------------------------------------------------------------------------------------------- properties


def test_since_belongs_to_the_only_organization() -> None:
    days = ["2001-05-01"] * 10
    found = one(id=IDS, name=NAMES, employer=TOWNS, town=TOWNS, since=days, until=days)
    assert list(found.relationships[0].properties) == ["start_date", "end_date"]
    assert "start_date" not in own(found).properties


def test_since_belongs_to_the_node_where_two_could_have_it() -> None:
    found = one(id=IDS, name=NAMES, employer=TOWNS, school=TOWNS, since=["2001-05-01"] * 10)
    assert list(own(found).properties) == ["person_id", "since"]


def test_the_start_of_an_event_is_its_own() -> None:
    found = one("projects", id=IDS, title=NAMES, firm=TOWNS, start=["2001-05-01"] * 10, end=["2002-05-01"] * 10)
    assert list(own(found).properties) == ["event_id", "start_date", "end_date"]


@pytest.mark.parametrize(
    ("header", "values", "wanted"),
    [
        ("died", ["1990"] * 10, "end_date"),
        ("occupation", TOWNS, "role"),
        ("address", TOWNS, "location"),
        ("notes", TOWNS, "description"),
        ("Type", TOWNS, "person_type"),
        ("Größe__(cm)", ["180"] * 10, "grosse_cm"),
        ("2nd__note", ["7"] * 10, "column_2nd_note"),
        ("role", ["7"] * 10, "person_role"),
    ],
)
def test_properties_are_called_by_meaning_or_by_header(header: str, values: list[str], wanted: str) -> None:
    assert property_of(header, values)[0] == wanted


def test_a_name_holds_one_kind_in_all_tables() -> None:
    marks = table(id=[f"F{n}" for n in range(10)], name=NAMES, mark=["x1", "y2"] * 5)
    found = maps(people=table(id=IDS, name=NAMES, mark=["7", "8"] * 5), firms=marks)
    assert [[*own(each).properties][-1] for each in found.values()] == ["mark", "organization_mark"]


def test_only_what_nothing_can_use_is_ignored() -> None:
    link = ["https://a.example/"] * 10
    hashes = [f"{number:032x}" for number in range(10)]
    found = one(id=IDS, name=NAMES, empty=[""] * 10, link=link, sum=hashes, kept=["same"] * 10)
    assert found.ignore == ("empty", "link", "sum")
    assert "kept" in own(found).properties


def test_a_table_without_rows_and_odd_names_give_a_map_that_loads() -> None:
    assert one("people", a=[], b=[]).ignore == ("b",)
    assert own(one("people", **{'say "x"\\': NAMES, "город": TOWNS, "#": list(range(10))})).properties.keys() == {
        "город",
        "column",
    }


def test_comments_say_what_was_seen() -> None:
    text = texts(people=table(id=IDS, name=NAMES, born=["1980-05-01"] * 9 + [""]))
    assert "# people.csv: 10 rows, 3 columns\n# id: 10 texts of 10, as P0\n" in text
    assert "\n# born: 9 dates of 10, as 1980-05-01\n\n[[tables]]\n" in text


def test_a_sheet_is_a_table_of_its_file() -> None:
    sheet = table(id=IDS, name=NAMES)
    text = propose(
        {"all.xlsx/People": sheet, "all.xlsx/Firms": sheet}, {f"all.xlsx/{n}": n for n in ("People", "Firms")}
    )
    found = read_map(tomllib.loads(text)).tables
    assert [(each.file, each.sheet, own(each).type) for each in found] == [
        ("all.xlsx", "People", "PERSON"),
        ("all.xlsx", "Firms", "ORGANIZATION"),
    ]


# ------------------------------------------------------------------------------------------------------- the seen set


@pytest.mark.needs("kg_neo4j_readers")
def test_the_seen_tables_are_read_as_a_person_reads_them() -> None:
    found = list(judged(SEEN))
    assert {each.table: each.wrong for each in found if each.wrong} == {}
    assert (len(found), sum(each.columns for each in found), all(each.has_type for each in found)) == (10, 88, True)
