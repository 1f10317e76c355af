"""Pages that are tables: rows in quarantine, and canned reports with their queries."""

from __future__ import annotations

from pathlib import Path

from fake_llm import FakeLlm
from hostile_pages import faults
from kg_neo4j import LoadOptions
from kg_neo4j.extract import schema as schemas
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.commands.rebuild import quarantine
from kg_neo4j.pipeline.commands.report import report as run_report
from kg_neo4j.settings import Settings
from kg_neo4j_serve import limits
from served import served

HOSTILE = "<script>alert(1)</script>"
STORY = Path(__file__).resolve().parents[4] / "examples" / "the_lamp_at_skarnes.md"


def test_quarantined_rows_are_listed_as_text(online: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    schema = schemas.load("described")
    nodes, relationships = ",".join(schema.node_header), ",".join(schema.relationship_header)
    note = tmp_path / "note.txt"
    note.write_text("Anna met Ben in Rome.", "utf-8")
    bad = [f"n{number},PERSON,{HOSTILE}" for number in range(2, 2 + limits.ROWS + 1)]
    answer = "\n".join([nodes, "n1,PERSON,Anna,,,,,,Anna", *bad, "", relationships, ""])
    llm.say(answer).say("\n".join([nodes, "", relationships, ""])).say("\n".join([nodes, "", relationships, ""]))
    load([str(note)], settings=online, options=LoadOptions(schema="described", analytics=False))
    known = quarantine(settings=online)
    assert len(known) == limits.ROWS + 1
    with served(online) as server:
        first = server.get("/quarantine.json").json()
        second = server.get("/quarantine.json", params={"cursor": first["cursor"]}).json()
        assert second["cursor"] is None
        rows = [*first["rows"], *second["rows"]]
        assert [each["rejection"]["text"] for each in rows] == [each.rejection.text for each in known]
        assert {(each["document"], each["rejection"]["reason"]) for each in rows} == {("note", "column_count")}
        page = server.get("/quarantine").text
    assert faults(page) == []
    assert "&lt;script&gt;" in page
    assert f"/document?id={known[0].chunk_id}" in page


def test_reports_are_tables_with_their_query(offline: Settings) -> None:
    load([str(STORY)], settings=offline)
    with served(offline) as server:
        listed = server.get("/reports.json").json()["reports"]
        page = server.get("/reports").text
        for report in listed:
            assert f"/report?name={report['name']}" in page
            parameters = {f"set.{each['name']}": each["value"] or "Ragna Tveit" for each in report["parameters"]}
            shown = server.get("/report", params={"name": report["name"], **parameters})
            assert shown.status_code in (200, 400), (report["name"], shown.text)
        known = run_report("most-connected", settings=offline, parameters={"limit": "30"})
        found = server.get("/report.json", params={"name": "most-connected", "set.limit": "30"}).json()
        assert [tuple(row) for row in found["table"]["rows"]] == list(known.rows[: limits.ROWS])
        assert "W1" not in found["cypher"]
        assert "LIMIT 30" in found["cypher"]
        page = server.get("/report", params={"name": "neighbours"}).text
        assert "Rows" not in page  # its parameter must be given
        assert 'name="set.name"' in page
        page = server.get("/report", params={"name": "neighbours", "set.name": "Ragna Tveit"}).text
        assert "<table>" in page
        assert server.get("/report", params={"name": "no-such"}).status_code == 400
        assert server.get("/report", params={"name": "most-connected", "set.limit": "0"}).status_code == 400
        assert server.get("/report", params={"name": "most-connected", "set.other": "1"}).status_code == 400
        hostile = server.get("/report", params={"name": "neighbours", "set.name": HOSTILE})
        assert faults(hostile.text) == []
