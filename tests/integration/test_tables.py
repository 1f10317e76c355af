"""Tables by a map: rows are evidence, one graph with texts, and what changes in a table changes exactly its facts."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from fake_llm import FakeLlm
from kg_neo4j import KnowledgeGraph
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.load import load, unload
from kg_neo4j.pipeline.commands.rebuild import copy_graph, quarantine, rebuild, retry_quarantine
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.records import LoadReport
from kg_neo4j.settings import Settings

pytestmark = pytest.mark.needs("kg_neo4j_readers", "kg_neo4j_offline")

MAP = """
[[tables]]
file = "people.csv"
unique = ["id"]
[tables.nodes.person]
type = "PERSON"
name = "name"
key = "id"
[tables.nodes.person.properties]
start_date = { column = "born", kind = "date", format = "%d/%m/%Y" }
salary = { column = "salary", kind = "number" }
[tables.nodes.firm]
table = "firms.csv"
key = "firm"
[[tables.relationships]]
from = "person"
type = "WORKED_FOR"
to = "firm"
properties = { start_date = { column = "since", kind = "date" } }

[[tables]]
file = "firms.csv"
[tables.nodes.firm]
type = "ORGANIZATION"
name = "name"
key = "id"
properties.staff = { column = "staff", kind = "number" }
[tables.nodes.city]
type = "PLACE"
name = "city"
[[tables.relationships]]
from = "firm"
type = "LOCATED_IN"
to = "city"
"""
PEOPLE = """id,name,born,firm,since,salary
P1,Ada Berg,1/5/1980,F1,2019-03-01,"52,000"
P2,Ben Holm,7/11/1975,F2,2015,48000
P3,Cleo Vik,2/2/1990,F1,2021,39000
"""
FIRMS = "id,name,city,staff\nF1,Nordlys Shipping,Oslo,120\nF2,Fjord Data,Bergen,35\n"
NOTES = "# Notes\n\nAda Berg met Ben Holm in Oslo. Nordlys Shipping was founded in 1901.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"map.toml": MAP, "people.csv": PEOPLE, "firms.csv": FIRMS, "notes.md": NOTES}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def tables(folder: Path, settings: Settings, *sources: str, **options: Any) -> LoadReport:
    named = [str(folder / each) for each in sources]
    return load(named, settings=settings, options=LoadOptions(table_map=folder / "map.toml", **options))


def graph_of(database: Database, graph: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(database, graph)]


def stated(database: Database, graph: str) -> dict[str, list[str]]:
    """Return each entity and each fact with the quotes that support it."""
    records = graph_of(database, graph)
    nodes = {each["properties"]["id"]: each["properties"] for each in records if each["kind"] == "node"}

    def shown(own: Mapping[str, Any]) -> str:
        ends = [nodes[own[end]]["name"] for end in ("source_key", "target_key") if end in own]
        return f" {own['type']} ".join(ends) if ends else own["name"]

    found: dict[str, list[str]] = {}
    for each in records:
        if each.get("type") in ("MENTIONED_IN", "STATED_IN"):
            found.setdefault(shown(nodes[each["start"]]), []).append(each["properties"].get("quote", ""))
    return {what: sorted(quotes) for what, quotes in found.items()}


def entity(database: Database, graph: str, name: str) -> dict[str, Any]:
    found = [each["properties"] for each in graph_of(database, graph) if "Entity" in each.get("labels", ())]
    return next(each for each in found if each["name"] == name)


# ------------------------------------------------------------------------------------------------------- one graph


def test_rows_become_facts_whose_evidence_is_their_cells(folder: Path, offline: Settings, database: Database) -> None:
    report = tables(folder, offline)
    assert (report.documents, report.chunks, report.rows.rejected, report.failed_chunks) == (2, 5, 0, ())
    assert report.usage.calls == 0
    found = stated(database, offline.graph)
    assert found["Ada Berg WORKED_FOR Nordlys Shipping"] == [
        "name: Ada Berg ... firm: Nordlys Shipping [F1] / since: 2019-03-01".replace("/", "|")
    ]
    assert found["Fjord Data LOCATED_IN Bergen"] == ["name: Fjord Data | city: Bergen"]
    assert found["Nordlys Shipping"] == [
        "firm: Nordlys Shipping [F1]",
        "firm: Nordlys Shipping [F1]",
        "id: F1 | name: Nordlys Shipping ... staff: 120",
    ]
    ada = entity(database, offline.graph, "Ada Berg")
    assert {name: ada[name] for name in ("type", "start_date", "salary", "birth_year", "table_key")} == {
        "type": "PERSON",
        "start_date": "1980-05-01",
        "salary": 52000,
        "birth_year": 1980,
        "table_key": ["people.csv: P1"],
    }


def test_a_second_load_changes_nothing_and_a_changed_row_changes_its_facts_alone(
    folder: Path, offline: Settings, database: Database
) -> None:
    tables(folder, offline)
    before, whole = stated(database, offline.graph), graph_of(database, offline.graph)
    assert tables(folder, offline).changes == 0
    (folder / "people.csv").write_text(PEOPLE.replace("F2,2015,48000", "F1,2016,48000"), encoding="utf-8")
    tables(folder, offline)
    after = stated(database, offline.graph)
    assert {what for what in before.keys() | after.keys() if before.get(what) != after.get(what)} == {
        "Ben Holm",
        "Ben Holm WORKED_FOR Fjord Data",
        "Ben Holm WORKED_FOR Nordlys Shipping",
        "Fjord Data",
        "Nordlys Shipping",
    }
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    tables(folder, offline)
    assert graph_of(database, offline.graph) == whole


def test_a_removed_row_takes_its_facts_with_it_and_the_first_one_does_not_move_the_others(
    folder: Path, offline: Settings, database: Database
) -> None:
    tables(folder, offline)
    before = stated(database, offline.graph)
    (folder / "people.csv").write_text(PEOPLE.replace('P1,Ada Berg,1/5/1980,F1,2019-03-01,"52,000"\n', ""))
    tables(folder, offline)
    after = stated(database, offline.graph)
    assert before.keys() - after.keys() == {"Ada Berg", "Ada Berg WORKED_FOR Nordlys Shipping"}
    assert {what for what in after if after[what] != before[what]} == {"Nordlys Shipping"}
    with KnowledgeGraph(settings=offline) as kg:
        shown = kg.query("MATCH (c:KgChunk {graph: $graph}) WHERE c.text CONTAINS 'Ben Holm' RETURN c.line AS line")
    assert shown["line"].tolist() == [2]
    unload("people.csv", settings=offline)
    assert stated(database, offline.graph).keys() == {
        "Nordlys Shipping",
        "Fjord Data",
        "Oslo",
        "Bergen",
        "Nordlys Shipping LOCATED_IN Oslo",
        "Fjord Data LOCATED_IN Bergen",
    }


def test_tables_and_texts_in_any_order_give_one_graph(folder: Path, offline: Settings, database: Database) -> None:
    def put(what: str) -> None:
        if what == "notes.md":
            load([str(folder / what)], settings=offline)
        else:
            tables(folder, offline, what)

    exports: set[tuple[str, ...]] = set()
    for order in itertools.permutations(("people.csv", "firms.csv", "notes.md")):
        for each in order:
            put(each)
        exports.add(tuple(lines(database, offline.graph)))
        assert entity(database, offline.graph, "Ada Berg")["salary"] == 52000
        delete_graph(database, offline.graph)
    assert len(exports) == 1


def test_one_person_has_evidence_of_a_table_and_of_a_text(folder: Path, offline: Settings, database: Database) -> None:
    tables(folder, offline)
    load([str(folder / "notes.md")], settings=offline)
    ada = stated(database, offline.graph)["Ada Berg"]
    assert len(ada) == 2
    assert "Ada Berg met Ben Holm in Oslo." in ada[0]
    assert entity(database, offline.graph, "Ada Berg")["salary"] == 52000  # what the table said is kept


def test_the_graph_is_made_again_from_stored_answers_without_the_files(
    folder: Path, offline: Settings, database: Database
) -> None:
    tables(folder, offline)
    whole = graph_of(database, offline.graph)
    for each in folder.iterdir():
        each.unlink()
    rebuild(settings=offline)
    assert graph_of(database, offline.graph) == whole
    copy_graph(f"{offline.graph}-copy", settings=offline)
    try:
        assert stated(database, f"{offline.graph}-copy") == stated(database, offline.graph)
    finally:
        delete_graph(database, f"{offline.graph}-copy")


# ------------------------------------------------------------------------------------------------------- whose row


def test_keys_tell_people_of_one_name_apart(folder: Path, offline: Settings, database: Database) -> None:
    (folder / "people.csv").write_text(f"{PEOPLE}P4,Ada Berg,3/3/1999,F2,2022,1\nP5,A. Berg,,F1,,\n", encoding="utf-8")
    report = tables(folder, offline)
    found = stated(database, offline.graph)
    assert "Ada Berg (P1) WORKED_FOR Nordlys Shipping" in found
    assert "Ada Berg (P4) WORKED_FOR Fjord Data" in found
    assert found["A. Berg"] == ["id: P5 | name: A. Berg"]  # no rule makes two rows one
    assert not any("joined" in note for note in report.notes)


def test_a_row_that_fails_does_so_alone_and_is_listed(folder: Path, offline: Settings, database: Database) -> None:
    bad = "P4,Dan Moe\nP5,Eva Lie,4/4/1980,F9,2020,lots\nP2,Other Holm,,F1,,\n"
    (folder / "people.csv").write_text(PEOPLE + bad, encoding="utf-8")
    (folder / "map.toml").write_text(MAP.replace('unique = ["id"]', ""), encoding="utf-8")
    report = tables(folder, offline)
    assert report.failed_chunks == (
        "chunk 4 of 'people.csv': failed: line 5: 2 cells for 6 columns",
        "chunk 6 of 'people.csv': failed: line 7: the key 'P2' is 'Ben Holm' on line 3, and 'Other Holm' here",
    )
    assert (report.rejections, report.dropped) == ({"missing_end": 1}, {"bad_value": 1})
    listed = {each.rejection.detail for each in quarantine(settings=offline)}
    assert "'key F9 of firms.csv' is not the id of an accepted node row of this answer" in listed
    assert "Eva Lie" in stated(database, offline.graph)
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    assert tables(folder, offline).failed_chunks == ()
    assert quarantine(settings=offline) == ()


def test_no_model_is_asked_about_rows_of_tables(folder: Path, online: Settings, llm: FakeLlm) -> None:
    (folder / "people.csv").write_text(f"{PEOPLE}P5,Eva Lie,4/4/1980,F9,2020,1\n", encoding="utf-8")
    assert tables(folder, online).rejections == {"missing_end": 1}
    assert retry_quarantine(settings=online).chunks == 0  # a table is repaired in its file
    assert llm.calls == 0


def test_pages_are_no_tables(folder: Path, offline: Settings) -> None:
    for more in ({"wikipedia": ("Ada",)}, {"refresh": True}):
        with pytest.raises(UsageError, match="tables are loaded alone"):
            tables(folder, offline, **more)


def test_an_ignored_column_is_not_stored_with_a_row_that_fails(
    folder: Path, offline: Settings, database: Database
) -> None:
    (folder / "people.csv").write_text(f"{PEOPLE}P4,Dan Moe,secret\n", encoding="utf-8")
    ignoring = MAP.replace('unique = ["id"]', 'ignore = ["since"]').replace(
        'properties = { start_date = { column = "since", kind = "date" } }', ""
    )
    (folder / "map.toml").write_text(ignoring, encoding="utf-8")
    assert len(tables(folder, offline).failed_chunks) == 1
    assert "secret" not in json.dumps(graph_of(database, offline.graph))
    assert "2019-03-01" not in json.dumps(graph_of(database, offline.graph))


def test_another_map_reads_the_rows_again(folder: Path, offline: Settings, database: Database) -> None:
    tables(folder, offline)
    (folder / "map.toml").write_text(MAP.replace('type = "WORKED_FOR"', 'type = "MEMBER_OF"'), encoding="utf-8")
    tables(folder, offline)
    assert not [what for what in stated(database, offline.graph) if "WORKED_FOR" in what]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('key = "id"', 'key = "nr"', r"map.toml, line 8: people.csv has no column 'nr'; it has: id, name, born"),
        ('unique = ["id"]', 'unique = ["firm"]', r"people.csv, line 4: firm 'F1' is that of line 2"),
        ("salary = {", "id = {", r"map.toml, line 11: no property may be called 'id'"),
        (
            'kind = "number" }\n[tables.nodes.firm]',
            'kind = "money" }\n[tables.nodes.firm]',
            r"map.toml, line 11: .*money|number",
        ),
        ('to = "firm"', 'to = "firms"', r"map.toml, line 2: .*no node is called 'firms'; there are: person, firm"),
        ("[[tables]]", "[[tables", r"map.toml is not a map: .*\(at line 2"),
    ],
)
def test_a_wrong_map_is_refused_with_its_line_and_nothing_is_loaded(
    folder: Path, offline: Settings, database: Database, old: str, new: str, why: str
) -> None:
    assert old in MAP
    (folder / "map.toml").write_text(MAP.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError, match=why):
        tables(folder, offline)
    assert graph_of(database, offline.graph) == []


# ------------------------------------------------------------------------------------------------------- all kinds


def test_every_kind_of_table_gives_the_same_facts(folder: Path, offline: Settings, database: Database) -> None:
    tables(folder, offline)
    wanted = stated(database, offline.graph)
    frames = {name: pd.read_csv(folder / f"{name}.csv", dtype=object) for name in ("people", "firms")}

    def check(make: Any, *, table_map: Any, sources: Sequence[Any] = ()) -> None:
        delete_graph(database, offline.graph)
        with KnowledgeGraph(settings=offline) as kg:
            kg.load(*sources, map=table_map)
        assert stated(database, offline.graph) == wanted, make

    text = MAP.replace("people.csv", "people.X").replace("firms.csv", "firms.X")
    for kind, write in {
        "tsv": lambda frame, path: frame.to_csv(path, sep="\t", index=False),
        "parquet": lambda frame, path: frame.astype(str).to_parquet(path),
        "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    }.items():
        for name, frame in frames.items():
            write(frame, folder / f"{name}.{kind}")
        (folder / "other.toml").write_text(text.replace(".X", f".{kind}"), encoding="utf-8")
        check(kind, table_map=folder / "other.toml")
    book = openpyxl.Workbook()
    for name, frame in frames.items():
        sheet = book.create_sheet(name)
        for row in [list(frame.columns), *frame.itertuples(index=False)]:
            sheet.append(list(row))
    book.save(folder / "book.xlsx")
    of_sheets = text.replace('file = "people.X"', 'file = "book.xlsx"\nsheet = "people"')
    of_sheets = of_sheets.replace('file = "firms.X"', 'file = "book.xlsx"\nsheet = "firms"')
    (folder / "other.toml").write_text(of_sheets.replace("firms.X", "book.xlsx/firms"), encoding="utf-8")
    check("xlsx", table_map=folder / "other.toml")
    store = folder / "crm.db"
    with sqlite3.connect(store) as connection:
        for name, frame in frames.items():
            frame.to_sql(name, connection, index=False)
    connection.close()
    named = text.replace('file = "people.X"', 'name = "people"\nquery = "SELECT * FROM people"')
    named = named.replace('file = "firms.X"', 'name = "firms"\nquery = "SELECT * FROM firms"').replace(
        "firms.X", "firms"
    )
    (folder / "other.toml").write_text(named, encoding="utf-8")
    check("sql", table_map=folder / "other.toml", sources=[f"sqlite:///{store}"])
    plain = named.replace('\nquery = "SELECT * FROM people"', "").replace('\nquery = "SELECT * FROM firms"', "")
    (folder / "other.toml").write_text(plain, encoding="utf-8")
    check("frames", table_map=folder / "other.toml", sources=[frames])


def test_one_frame_and_a_map_of_one_table(offline: Settings, database: Database) -> None:
    frame = pd.DataFrame({"who": ["Ada Berg", "Ben Holm"], "town": ["Oslo", None], "age": [44.0, 49.0]})
    nodes = {
        "who": {"type": "PERSON", "name": "who", "properties": {"age": {"column": "age", "kind": "number"}}},
        "town": {"type": "PLACE", "name": "town"},
    }
    given = {"name": "staff", "nodes": nodes, "relationships": [{"from": "who", "type": "LIVED_IN", "to": "town"}]}
    with KnowledgeGraph(settings=offline) as kg:
        report = kg.load(frame, map={"tables": [given]})
    assert (report.chunks, report.relationships) == (2, 1)
    assert entity(database, offline.graph, "Ben Holm")["age"] == 49


def test_the_two_sections_of_the_schema_are_read_as_they_are(
    tmp_path: Path, offline: Settings, database: Database
) -> None:
    nodes, facts = tmp_path / "nodes.csv", tmp_path / "relationships.csv"
    nodes.write_text("node_id,node_type,name,role\nn1,PERSON,Ada Berg,pilot\nn2,PLACE,Oslo,\nn3,,Nobody,\nn4,PLACE\n")
    facts.write_text("node_id_1,relationship_type,node_id_2,start_date\nn1,LIVED_IN,n2,1990\nn1,MET,n9,\n")
    report = load([str(nodes), str(facts)], settings=offline)
    assert (report.documents, report.rejections) == (2, {"empty_field": 1, "missing_end": 1})
    assert report.failed_chunks == ("chunk 4 of 'nodes.csv': failed: line 5: 2 cells for 4 columns",)
    assert stated(database, offline.graph) == {
        "Ada Berg": [
            "node_id: n1 | node_type: PERSON | name: Ada Berg | role: pilot",
            *["node_id_1: Ada Berg [n1]"] * 2,
        ],
        "Oslo": ["node_id: n2 | node_type: PLACE | name: Oslo", "node_id_2: Oslo [n2]"],
        "Ada Berg LIVED_IN Oslo": [
            "node_id_1: Ada Berg [n1] | relationship_type: LIVED_IN | node_id_2: Oslo [n2] | start_date: 1990"
        ],
    }
    assert str(tmp_path) not in "".join(json.dumps(stated(database, offline.graph)))
    assert entity(database, offline.graph, "Ada Berg")["table_key"] == ["nodes.csv: n1"]
    moved = tmp_path / "moved"
    moved.mkdir()
    for each in (nodes, facts):
        (moved / each.name).write_bytes(each.read_bytes())
    both = [str(moved / "nodes.csv"), str(moved / "relationships.csv")]
    assert load(both, settings=offline).changes == 0  # the same tables, wherever they are


# ------------------------------------------------------------------------------------------------------- questions


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many firms are in Oslo?", ["Firms related to Oslo in this way: 1", "- 1 ORGANIZATION, among them"]),
        ("Who works at Nordlys Shipping since 2020?", ["The graph says, since 2020 (1):", "- Cleo Vik -WORKED_FOR->"]),
        ("How many people worked for Nordlys Shipping since 2019?", ["People related to Nordlys Sh", "- 2 PERSON"]),
        ("Which firms are in Bergen?", ["The graph says (1):", "- Fjord Data -LOCATED_IN-> Bergen"]),
    ],
)
def test_questions_are_answered_with_rows_without_a_model(
    folder: Path, offline: Settings, question: str, answer: Iterable[str]
) -> None:
    tables(folder, offline)
    with KnowledgeGraph(settings=offline) as kg:
        found = kg.ask(question)
    shown = found.answer.splitlines()
    assert [line.startswith(begin) for line, begin in zip(shown, answer, strict=False)] == [True, True], found.answer
    assert {citation.document for citation in found.citations} <= {"people.csv", "firms.csv"}
    assert found.citations[0].line
    assert found.citations[0].titled.endswith(f", line {found.citations[0].line}")
