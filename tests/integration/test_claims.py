"""Claims on a real server: what is stored, what does not change with them, and where they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import KnowledgeGraph, LoadOptions, Settings, load
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.organise.stored_reports import read_reports
from kg_neo4j.pipeline.commands.communities import CommunityReportOptions, community_reports
from kg_neo4j.rooms.claims.section import COLUMNS
from report_runs import check_references, cypher
from report_writer import is_report_prompt, write_report

LEAN = schemas.load("lean")
TEXTS = {
    "police.txt": "Police suspect that Ada Berg took the ledger of the Olsen yard in March 1921. She met Ole Olsen.",
    "court.txt": "The court found that Ada Berg never took the ledger of the Olsen yard.",
}
NODES = f"{LEAN.headers[0]}\n1,n1,PERSON,Ada Berg,,,,,\n1,n2,ORGANIZATION,Olsen yard,,,,,\n"
POLICE = f"{NODES}2,n3,PERSON,Ole Olsen,,,,,\n\n{LEAN.headers[1]}\n2,n1,MET,n3,,,\n1,n3,OWNED,n2,,,\n"
COURT = f"{NODES}\n{LEAN.headers[1]}\n"
HEADER = f"\n{','.join(COLUMNS)}\n"
SUSPECTED = f"{HEADER}n1,n2,THEFT,SUSPECTED,1921-03,,Ada Berg took the ledger.,1\n"
FALSE = f"{HEADER}n1,n2,THEFT,FALSE,,,A court found that she did not take it.,1\n"
COMMUNITIES = cypher("MATCH (c:KgCommunity) WHERE c.graph = $graph RETURN c.id AS id ORDER BY id")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def answer(llm: FakeLlm, *, claims: bool) -> None:
    def said(prompt: str, user: str) -> str:
        if is_report_prompt(prompt):
            return write_report(prompt, user)
        rows, claim = (COURT, FALSE) if "The court found" in user else (POLICE, SUSPECTED)
        return rows + (claim if claims else "")

    llm.rules = said


def dump(database: Database, graph: str) -> str:
    return "\n".join(line for line in lines(database, graph) if '"THEFT"' not in line)


def test_claims_change_no_relationship_and_no_community_and_stand_in_reports(
    database: Database, online: Settings, llm: FakeLlm, folder: Path
) -> None:
    answer(llm, claims=False)
    plain = LoadOptions(gleanings=0)
    load([str(folder)], settings=online, options=plain)
    communities = database.read(COMMUNITIES, graph=online.graph)
    answer(llm, claims=True)
    given = LoadOptions(schema="lean+claims", gleanings=0, rebuild=True)
    report = load([str(folder)], settings=online, options=given)
    assert (report.nodes, report.relationships) == (3, 2)
    assert database.read(COMMUNITIES, graph=online.graph) == communities
    graph = KnowledgeGraph(settings=online)
    claimed = graph.report("claims").fillna("").to_dict("records")
    assert [(row["Status"], row["Start"], row["Document"]) for row in claimed] == [
        ("FALSE", "", "court"),
        ("SUSPECTED", "1921-03", "police"),
    ]
    assert claimed[0]["Quote"] == TEXTS["court.txt"]
    differing = graph.report("differing-claims").to_dict("records")
    assert [(row["Status"], row["Places"]) for row in differing] == [("FALSE", 1), ("SUSPECTED", 1)]
    assert list(graph.report("facts-by-evidence")["Relationship"]) == ["MET", "OWNED"]


def test_a_graph_without_claims_gets_them_and_a_copy_has_them(
    database: Database, online: Settings, llm: FakeLlm, folder: Path
) -> None:
    answer(llm, claims=False)
    load([str(folder)], settings=online, options=LoadOptions(gleanings=0))
    answer(llm, claims=True)
    load([str(folder)], settings=online, options=LoadOptions(schema="lean+claims", gleanings=0))
    graph = KnowledgeGraph(settings=online)
    assert graph.report("claims").empty  # the documents have not changed
    load([str(folder)], settings=online, options=LoadOptions(schema="lean+claims", gleanings=0, re_extract=True))
    assert list(graph.report("claims")["Status"]) == ["FALSE", "SUSPECTED"]
    before = list(lines(database, online.graph))
    graph.copy(f"{online.graph}-copy")
    copied = KnowledgeGraph(settings=online.model_copy(update={"graph": f"{online.graph}-copy"}))
    assert list(copied.report("claims")["Quote"]) == list(graph.report("claims")["Quote"])
    copied.delete()
    assert list(lines(database, online.graph)) == before


def test_a_report_on_a_community_is_shown_its_claims_and_may_cite_them(
    database: Database, online: Settings, llm: FakeLlm, folder: Path
) -> None:
    answer(llm, claims=True)
    (folder / "court.txt").unlink()
    load([str(folder)], settings=online, options=LoadOptions(schema="lean+claims", gleanings=0))
    graph = KnowledgeGraph(settings=online)
    community_reports(settings=online, options=CommunityReportOptions(smallest=2))
    asked = [request.user for request in llm.requests if is_report_prompt(request.prompt)]
    assert "Ada Berg THEFT Olsen yard (1921-03): claim, SUSPECTED: Ada Berg took the ledger." in asked[0]
    check_references(database, online.graph, read_reports(database, online.graph))
    (folder / "police.txt").write_text("Nothing is here.", "utf-8")
    llm.rules = lambda prompt, user: f"{LEAN.headers[0]}\n\n{LEAN.headers[1]}\n"
    load([str(folder)], settings=online, options=LoadOptions(schema="lean+claims", gleanings=0))
    assert graph.report("claims").empty
