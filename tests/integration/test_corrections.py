"""Corrected facts stay corrected: through other models, rebuilds, edited documents and any order. With a real Neo4j."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from fake_llm import FakeLlm
from kg_neo4j import KnowledgeGraph
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.resolution.decisions import DecisionKind
from kg_neo4j.graph.resolution.showing import all_decisions, store
from kg_neo4j.pipeline.commands.load import load, unload
from kg_neo4j.pipeline.commands.rebuild import rebuild
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.records import LoadReport
from kg_neo4j.rooms.corrections.statements import revoked
from kg_neo4j.rooms.types.deciding import RELATIONSHIP, TypeChange, decide_types, undo_types
from kg_neo4j.settings import Settings
from kg_runner import RunKg

TEXTS = {
    "mill.txt": "Ada Reed founded Harbour Mill. Ada Reed was born in Durham. Tom Hale worked for Harbour Mill.",
    "letters.txt": "Tom Hale wrote that Ada Reed founded Harbour Mill. Tom Hale married Ann Reed.",
}
NODES = "sentences,node_id,node_type,name,start_date,end_date,role,location,description\n"
RELATIONSHIPS = "\nsentences,node_id_1,relationship_type,node_id_2,start_date,end_date,phrase\n"
ANSWERS = {
    "born in Durham.": NODES
    + "1,n1,PERSON,Ada Reed,,,,,\n1,n2,ORGANIZATION,Harbour Mill,,,,,\n2,n3,PLACE,Durham,,,,,\n"
    + "3,n4,PERSON,Tom Hale,,,,,\n"
    + RELATIONSHIPS
    + "1,n1,FOUNDED,n2,1841,,\n2,n1,BORN_IN,n3,,,\n3,n4,WORKED_FOR,n2,,,\n",
    "Tom Hale wrote that": NODES
    + "1,n1,PERSON,Tom Hale,,,,,\n1,n2,PERSON,Ada Reed,,,,,\n1,n3,ORGANIZATION,Harbour Mill,,,,,\n"
    + "2,n4,PERSON,Ann Reed,,,,,\n"
    + RELATIONSHIPS
    + "1,n2,FOUNDED,n3,,,\n2,n1,MARRIED_TO,n4,,,\n",
}
"""What a model says of the texts."""
MARRIED = """Ada Reed founded Harbour Mill in 1841. Ada Reed was born in Durham in 1815. She married Tom Hale in 1839.
Harbour Mill is located in Whitby. Tom Hale worked for Harbour Mill."""
ANSWERS["She married Tom Hale"] = (
    NODES
    + "1,n1,PERSON,Ada Reed,,,,,\n1,n2,ORGANIZATION,Harbour Mill,,,,,\n2,n3,PLACE,Durham,,,,,\n"
    + "3,n4,PERSON,Tom Hale,,,,,\n4,n5,PLACE,Whitby,,,,,\n"
    + RELATIONSHIPS
    + "2,n1,BORN_IN,n3,1815,,\n3,n1,MARRIED_TO,n4,1839,,\n"
)
"""The text of tests/data/recorded/corrections.answers.jsonl."""
RECORDED = Path(__file__).parents[1] / "data/recorded/corrections.answers.jsonl"
OPTIONS = LoadOptions(gleanings=0)
FOUNDED = ("Ada Reed", "FOUNDED", "Harbour Mill")


def said(prompt: str, user: str) -> str:
    return next((ANSWERS[known] for known in ANSWERS if known in user), "")


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(rules=said) as server:
        yield server


@pytest.fixture
def here(settings: Settings, graph: str, tmp_path: Path, llm: FakeLlm) -> Settings:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    return settings.model_copy(update={"graph": graph, "openai_base_url": llm.url, "model": "fake"})


@pytest.fixture
def kg(here: Settings, settings: Settings, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    """The loaded graph; corrections need no model."""
    put(here, tmp_path)
    with KnowledgeGraph(settings=settings.model_copy(update={"graph": here.graph})) as found:
        yield found


def put(here: Settings, folder: Path, *names: str, **options: Any) -> LoadReport:
    found = [load([str(folder / name)], settings=here, options=replace(OPTIONS, **options)) for name in names or TEXTS]
    return found[-1]


def drawn(kg: KnowledgeGraph) -> set[tuple[str, str, str]]:
    rows = kg.query(
        "MATCH (a:KgEntity {graph: $graph})-[r]->(b:KgEntity) RETURN a.name, type(r) AS t, b.name"
    ).itertuples(index=False)
    return {tuple(row) for row in rows}


def exported(database: Database, settings: Settings) -> str:
    return "\n".join(lines(database, settings.graph))


def test_a_wrong_fact_is_hidden_and_kept_and_undone(kg: KnowledgeGraph, database: Database) -> None:
    before, all_of_them = exported(database, kg.settings), drawn(kg)
    assert FOUNDED in all_of_them
    report = kg.corrections.wrong(*FOUNDED, because="she bought it")
    assert drawn(kg) == all_of_them - {FOUNDED}
    assert [fact.type for fact in kg.entity("Ada Reed").facts] == ["BORN_IN"]
    [made] = report.corrections
    assert (made.kind, made.what, made.reason) == ("wrong-fact", "Ada Reed FOUNDED Harbour Mill", "she bought it")
    assert {each.text for each in made.sentences} == {
        "Ada Reed founded Harbour Mill.",
        "Tom Hale wrote that Ada Reed founded Harbour Mill.",
    }
    assert [each.state for each in kg.corrections.all()] == ["in force"]
    kg.corrections.undo(made.id[:8])
    assert exported(database, kg.settings) == before


def test_a_correction_survives_reloads_a_rebuild_and_another_order(
    kg: KnowledgeGraph, here: Settings, tmp_path: Path, database: Database, llm: FakeLlm
) -> None:
    kg.corrections.wrong(*FOUNDED)
    left = drawn(kg)
    shown = exported(database, kg.settings)
    assert FOUNDED not in left
    put(here, tmp_path)
    assert exported(database, kg.settings) == shown
    rebuild(settings=here)
    assert exported(database, kg.settings) == shown
    for name in reversed(TEXTS):
        unload(name, settings=here)
    assert drawn(kg) == set()
    put(here, tmp_path, *reversed(TEXTS))
    assert drawn(kg) == left
    put(here, tmp_path, rebuild=True)
    assert drawn(kg) == left


def test_added_and_edited_facts_are_by_hand(kg: KnowledgeGraph, database: Database) -> None:
    before, checks = exported(database, kg.settings), kg.report("checks")
    kg.corrections.add(
        "Ann Reed",
        "LIVED_IN",
        "Durham",
        because="a census",
        url="https://example.org/1851",
        values={"start_date": "1851"},
    )
    kg.corrections.edit(*FOUNDED, type="BOUGHT", because="the deed")
    kg.corrections.edit("Tom Hale", "WORKED_FOR", "Harbour Mill", values={"start_date": "1843"})
    found = drawn(kg)
    assert ("Ann Reed", "LIVED_IN", "Durham") in found
    assert FOUNDED not in found
    assert ("Ada Reed", "BOUGHT", "Harbour Mill") in found
    fact = next(each for each in kg.entity("Tom Hale").facts if each.type == "WORKED_FOR")
    assert fact.by_hand == fact.evidence == 1
    assert kg.report("checks").equals(checks)
    answer = kg.ask("Where did Ann Reed live?")
    assert "Durham" in answer.answer
    for each in kg.corrections.all():
        kg.corrections.undo(each.id)
    assert exported(database, kg.settings) == before


def test_a_node_gets_another_name_and_type(
    kg: KnowledgeGraph, database: Database, here: Settings, tmp_path: Path
) -> None:
    before = exported(database, kg.settings)
    kg.corrections.edit_node("Harbour Mill", {"name": "Harbor Mill & Sons", "type": "PRODUCT"}, because="its sign")
    found = kg.entity("Harbor Mill & Sons")
    assert (found.type, "Harbour Mill" in found.aliases) == ("PRODUCT", True)
    assert kg.entity("Harbour Mill").id == found.id
    kg.corrections.edit_node("Harbor Mill & Sons", {"name": "Harbor Mill"})
    kg.corrections.edit_node("Harbour Mill", {"name": "Harbor Mill & Sons"})
    assert len(kg.corrections.all()) == 2
    (tmp_path / "mill.txt").write_text(TEXTS["mill.txt"] + " The end.")
    put(here, tmp_path, "mill.txt")
    assert kg.entity("Harbour Mill").name == "Harbor Mill & Sons"
    (tmp_path / "mill.txt").write_text(TEXTS["mill.txt"])
    put(here, tmp_path, "mill.txt")
    for each in kg.corrections.all():
        kg.corrections.undo(each.id)
    assert exported(database, kg.settings) == before


def test_a_corrected_sentence_is_shown_with_its_correction(kg: KnowledgeGraph) -> None:
    kg.corrections.edit(*FOUNDED, type="BOUGHT", because="the deed")
    answer = kg.ask("Who founded Harbour Mill?")
    said = "corrected by hand: “Ada Reed FOUNDED Harbour Mill” is wrong; "
    said += "right is “Ada Reed BOUGHT Harbour Mill (1841)” (the deed)"
    cited = [*answer.citations, *(each.citation for each in answer.passages)]
    assert {each.correction for each in cited if "founded Harbour Mill" in each.quote} == {said}
    assert {each.support for each in answer.claims if "founded" in each.text} <= {"contradicted"}
    assert not answer.short
    assert "founded" not in answer.answer or answer.claims
    assert all(not each.correction for each in kg.ask("Who married Ann Reed?").citations)


def test_a_model_is_given_the_corrections_of_what_it_reads(kg: KnowledgeGraph, here: Settings, llm: FakeLlm) -> None:
    kg.corrections.wrong(*FOUNDED, because="she bought it")
    with KnowledgeGraph(settings=here) as asked:
        asked.ask("Who founded Harbour Mill?", mode="naive")
    prompt = llm.requests[-1].user
    assert "C1 corrected by hand: “Ada Reed FOUNDED Harbour Mill” is wrong (she bought it)\n" in prompt
    assert prompt.count("is wrong") == 1


def test_a_large_model_does_not_repeat_what_is_wrong(
    here: Settings, settings: Settings, tmp_path: Path, llm: FakeLlm
) -> None:
    recorded = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    by_question = {each["question"]: each for each in recorded}
    (tmp_path / "mill.txt").write_text(MARRIED)
    put(here, tmp_path, "mill.txt")
    corrections = KnowledgeGraph(settings=settings.model_copy(update={"graph": here.graph})).corrections
    corrections.wrong("Ada Reed", "MARRIED_TO", "Tom Hale", because="it was her sister")
    corrections.edit("Ada Reed", "BORN_IN", "Durham", target="Whitby", because="the parish register")
    llm.rules = lambda _, user: by_question[user.rpartition("Question: ")[2].strip()]["answer"]
    with KnowledgeGraph(settings=here) as kg:
        for question, each in by_question.items():
            found = kg.ask(question, mode="local")
            assert "is wrong (it was her sister)" in llm.requests[-1].user
            assert "Durham" not in found.answer
            assert (found.found, found.short) == (each["short"] is not None, each["short"] or ""), question
            assert {claim.support for claim in found.claims} <= {"supported"}, question


def test_decisions_on_types_keep_a_correction(kg: KnowledgeGraph, here: Settings) -> None:
    kg.corrections.wrong(*FOUNDED)
    kg.corrections.add("Tom Hale", "FOUNDED", "Durham", because="so that the type is there")
    left = drawn(kg)
    decide_types([TypeChange(RELATIONSHIP, "FOUNDED", "STARTED")], settings=here)
    assert {(source, kind.replace("STARTED", "FOUNDED"), target) for source, kind, target in drawn(kg)} == left
    assert {each.state for each in kg.corrections.all()} == {"in force"}
    undo_types("FOUNDED", settings=here)
    assert drawn(kg) == left
    decide_types([TypeChange(RELATIONSHIP, "WORKED_FOR", "SERVED")], settings=here)
    kg.corrections.wrong("Tom Hale", "SERVED", "Harbour Mill")
    undo_types("WORKED_FOR", settings=here)
    assert drawn(kg) == left - {("Tom Hale", "WORKED_FOR", "Harbour Mill")}


def test_a_run_that_was_killed_before_it_showed_a_correction_is_ended_by_the_next(
    kg: KnowledgeGraph, here: Settings, tmp_path: Path, database: Database
) -> None:
    before = drawn(kg)
    kg.corrections.add("Ann Reed", "LIVED_IN", "Durham", because="a census")
    [made] = [each for each in all_decisions(database, kg.name) if each.decision.kind is DecisionKind.ADDED_FACT]
    with Lease(database, kg.name) as lease:
        store(lease, [revoked(made)])
    put(here, tmp_path, "mill.txt")
    assert drawn(kg) == before
    with Lease(database, kg.name) as lease:
        store(lease, [replace(made, pending=True)])
    put(here, tmp_path, "mill.txt")
    assert drawn(kg) == before | {("Ann Reed", "LIVED_IN", "Durham")}
    assert not any(each.pending for each in all_decisions(database, kg.name))


def test_what_is_not_there_is_refused_and_a_repeat_changes_nothing(kg: KnowledgeGraph) -> None:
    for work, words in (
        (lambda: kg.corrections.wrong("Ada Reed", "SOLD", "Harbour Mill"), "has no fact 'Ada Reed SOLD Harbour Mill'"),
        (lambda: kg.corrections.wrong("Bo Lind", "SOLD", "Harbour Mill"), "no entity of graph .* is called 'Bo Lind'"),
        (lambda: kg.corrections.wrong("12345"), "too short"),
        (lambda: kg.corrections.wrong("ffffffffff"), "no facts of graph .* have an id that begins with 'ffffffffff'"),
        (lambda: kg.corrections.add("Ada Reed", "SOLD", "Durham", because=" "), "say why"),
        (lambda: kg.corrections.add("Bo Lind", "SOLD", "Durham", because="x"), "no entity of graph"),
        (lambda: kg.corrections.edit(*FOUNDED), "nothing is to be changed"),
        (lambda: kg.corrections.edit(*FOUNDED, values={"colour": "red"}), "has no column 'colour'"),
        (lambda: kg.corrections.edit_node("Ada Reed", {"name": " "}), "name has no value"),
        (lambda: kg.corrections.edit_node("Ada Reed", {"type": "%"}), "type"),
        (lambda: kg.corrections.undo("abcdef"), "no corrections of graph"),
    ):
        with pytest.raises(UsageError, match=words):
            work()
    assert kg.corrections.all() == ()
    kg.corrections.add("Bo Lind", "SOLD", "Durham", because="a deed", new_types=("PERSON", ""))
    assert kg.entity("Bo Lind").type == "PERSON"
    again = kg.corrections.add("Bo Lind", "SOLD", "Durham", because="a deed")
    assert (again.corrections, again.graph.changes) == ((), 0)
    with pytest.raises(UsageError, match="stated by hand"):
        kg.corrections.wrong("Bo Lind", "SOLD", "Durham")
    with pytest.raises(UsageError, match="was stated by hand"):
        kg.unload("By hand: Bo Lind SOLD Durham")


def test_a_statement_by_hand_is_edited(kg: KnowledgeGraph, database: Database) -> None:
    before = exported(database, kg.settings)
    kg.corrections.add("Ann Reed", "LIVED_IN", "Durham", because="a census")
    kg.corrections.edit("Ann Reed", "LIVED_IN", "Durham", type="STAYED_IN", values={"start_date": "1850"})
    assert ("Ann Reed", "STAYED_IN", "Durham") in drawn(kg)
    assert ("Ann Reed", "LIVED_IN", "Durham") not in drawn(kg)
    kg.corrections.edit(*FOUNDED, type="BOUGHT")
    kg.corrections.edit("Ada Reed", "BOUGHT", "Harbour Mill", type="LEASED", because="a letter")
    assert {each for each in drawn(kg) if each[2] == FOUNDED[2]} >= {("Ada Reed", "LEASED", "Harbour Mill")}
    held = [each for each in kg.corrections.all() if not each.revoked]
    assert {(each.kind, each.becomes) for each in held} == {
        ("added-fact", ""),
        ("edited-fact", "Ada Reed LEASED Harbour Mill (1841)"),
    }
    for each in held:
        kg.corrections.undo(each.id)
    assert exported(database, kg.settings) == before


def test_the_command_line_corrects(kg: KnowledgeGraph, environment: Mapping[str, str], run_kg: RunKg) -> None:
    def run(*arguments: str) -> str:
        code, out, err = run_kg(arguments, {**environment, "KG_GRAPH": kg.name})
        assert code == 0, err
        return out

    fact = kg.entity("Ada Reed").facts[0].id[:8]
    assert fact in run("show", "Ada Reed")
    assert "wrong-fact  Ada Reed" in run("fact", "wrong", fact, "--because", "she bought it")
    more = ("--because", "a census", "--start", "1851", "--source", "https://example.org")
    run("fact", "add", "Ann Reed", "LIVED_IN", "Durham", *more)
    assert "1, 1 by hand" in run("show", "Ann Reed")
    run("node", "edit", "Durham", "--name", "Durham City", "--set", "start_date=995")
    found = json.loads(run("fact", "list", "--json"))
    assert {each["url"] for each in found if each["kind"] == "added-fact"} == {"https://example.org"}
    assert {each["becomes"] for each in found} >= {"name: Durham City", "start_date: 995"}
    for each in found:
        run("node", "undo", each["id"])
    assert {each["state"] for each in json.loads(run("fact", "list", "--json"))} == {"taken back"}
    assert run_kg(("fact", "undo", "123"), {**environment, "KG_GRAPH": kg.name})[0] == 2


def test_a_type_that_only_a_person_states_is_shown_as_decided(kg: KnowledgeGraph, here: Settings) -> None:
    kg.corrections.add("Ann Reed", "LIVED_IN", "Durham", because="a census")
    report = decide_types([TypeChange(RELATIONSHIP, "LIVED_IN", "STAYED_IN")], settings=here)
    assert ("Ann Reed", "STAYED_IN", "Durham") in drawn(kg)
    assert report.unanswered == 0
    undo_types("LIVED_IN", settings=here)
    assert ("Ann Reed", "LIVED_IN", "Durham") in drawn(kg)


@pytest.mark.needs("kg_neo4j_readers", "kg_neo4j_offline")
def test_facts_of_tables_are_corrected(kg: KnowledgeGraph) -> None:
    nodes = {"firm": {"type": "ORGANIZATION", "name": "firm"}, "town": {"type": "PLACE", "name": "town"}}
    located_in = {"from": "firm", "type": "LOCATED_IN", "to": "town"}
    table_map = {"tables": [{"name": "firms", "unique": ["firm"], "nodes": nodes, "relationships": [located_in]}]}
    rows = [("Harbour Mill", "Whitby"), ("Old Press", "Leeds")]

    def put_rows(*rows: tuple[str, str]) -> None:
        kg.load(pd.DataFrame(rows, columns=["firm", "town"]), map=table_map)

    put_rows(*rows)
    located = ("Harbour Mill", "LOCATED_IN", "Whitby")
    assert located in drawn(kg)
    kg.corrections.edit(*located, target="Durham", because="it moved")
    found = drawn(kg)
    assert located not in found
    put_rows(*rows, ("New Press", "Whitby"))
    assert drawn(kg) == found | {("New Press", "LOCATED_IN", "Whitby")}
    [made] = kg.corrections.all()
    assert (made.state, [each.text for each in made.sentences]) == ("in force", ["firm: Harbour Mill | town: Whitby"])
    put_rows(("Harbour Mill", "Leeds"))
    assert [each.state for each in kg.corrections.all()] == ["its sentence has gone"]
    assert ("Harbour Mill", "LOCATED_IN", "Durham") in drawn(kg)
