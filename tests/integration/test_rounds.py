"""Rounds of asking on a real server: gleaning, repair, quarantine, rebuilding, extracting to files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.errors import BudgetReached, ModelUnavailable, UsageError
from kg_neo4j.extract import numbering
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.plan import plan
from kg_neo4j.pipeline.commands.rebuild import quarantine, rebuild, retry_quarantine
from kg_neo4j.records import LoadReport, RejectionReason
from kg_neo4j_scale.extract import extract
from kg_runner import Kg

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARTICLE = str(EXAMPLES / "alexander_von_humboldt.md")
STORY = str(EXAMPLES / "the_lamp_at_skarnes.md")
OPTIONS = LoadOptions(schema="described", chunk_tokens=200, analytics=False, wave=3, gleanings=1)
SCHEMA = schemas.load("described")
NODES, RELATIONSHIPS = ",".join(SCHEMA.node_header), ",".join(SCHEMA.relationship_header)
ANNA, BEN = "n1,PERSON,Anna,,,,,,Anna", "n2,PERSON,Ben,,,,,,Ben"
BAD = "n2,PERSON?,Ben,,,,,,Ben"
MET = "r1,n1,MET,n2,,They met.,5,Anna met Ben"


def csv(nodes: tuple[str, ...], relationships: tuple[str, ...] = ()) -> str:
    return "\n".join([NODES, *nodes, "", RELATIONSHIPS, *relationships]) + "\n"


@pytest.fixture
def note(tmp_path: Path) -> str:
    path = tmp_path / "note.txt"
    path.write_text("Anna met Ben.", "utf-8")
    return str(path)


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def adds_up(report: LoadReport) -> bool:
    return report.rows.read == report.rows.accepted + sum(report.rejections.values())


def test_a_load_gleans_and_names_of_finished_waves_reach_later_chunks_also_after_a_stop(
    database: Database, online: Settings, llm: FakeLlm
) -> None:
    options = replace(OPTIONS, wave=1)
    report = load([STORY], settings=online, options=options)
    wanted = dump(database, online.graph)
    assert llm.calls == report.usage.calls == 2 * report.chunks
    assert {step: usage.calls for step, usage in report.steps.items()} == dict.fromkeys(
        ("whole", "glean"), report.chunks
    )
    assert adds_up(report)
    assert sum("named so far" in request.user for request in llm.requests) > llm.calls // 2
    delete_graph(database, online.graph)
    llm.answer(9).fail(503)
    with pytest.raises(ModelUnavailable):
        load([STORY], settings=online.model_copy(update={"model_concurrency": 1}), options=options)
    llm.forget()
    load([STORY], settings=online, options=options)
    assert dump(database, online.graph) == wanted
    calls = llm.calls
    assert (load([STORY], settings=online, options=options).changes, llm.calls) == (0, calls)


def test_rows_of_facts_are_stored_as_the_model_wrote_them_and_read_again(
    database: Database, online: Settings, llm: FakeLlm, note: str
) -> None:
    Path(note).write_text(" ".join(f"Anna{place} met Ben{place}." for place in range(12)), "utf-8")
    header = schemas.load("small").headers[0]
    first = f"{header}\n1,Anna0,PERSON,MET,Ben0,PERSON,\n2,Anna1,PERSON,MET,-,UNKNOWN,\n"
    llm.say(first).say(f"{header}\n12,Anna11,PERSON,MET,Ben11,PERSON,\n19,Anna9,PERSON,MET,Ben9,PERSON,\n")
    options = replace(OPTIONS, schema="small", analytics=True)
    report = load([note], settings=online, options=options)
    assert (report.nodes, report.relationships, report.rows.read, llm.calls) == (4, 2, 8, 2)
    assert report.rejections == {"empty_field": 1, "no_such_sentence": 1}
    assert adds_up(report)
    before = dump(database, online.graph)
    assert json.dumps(first) in before
    assert "Anna11 met Ben11." in before
    assert rebuild(settings=online).rows == report.rows
    assert dump(database, online.graph) == before
    assert {each.rejection.text for each in quarantine(settings=online)} == {
        "2,Anna1,PERSON,MET,-,UNKNOWN,",
        "19,Anna9,PERSON,MET,Ben9,PERSON,",
    }
    assert retry_quarantine(settings=online).usage.calls == 0
    assert (load([note], settings=online, options=options).changes, llm.calls) == (0, 2)


def test_rows_that_name_sentences_get_their_quotes_and_are_read_again_with_the_numbers_that_were_shown(
    database: Database, online: Settings, llm: FakeLlm, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(note).write_text("Anna met Ben. They wrote a book. Cleo printed it.", "utf-8")
    lean = schemas.load("lean")
    nodes = "1,n1,PERSON,Anna,,,,,\n1 3,n2,PERSON,Ben,,,,,\n"
    empty, rows = ",".join(lean.relationship_header) + "\n", "7,n1,MET,n2,,,\n"
    llm.say(f"{','.join(lean.node_header)}\n{nodes}\n{empty}{rows}").say(
        f"{','.join(lean.node_header)}\n\n{empty}1,n1,MET,n2,1843,,\n"
    )
    options = replace(OPTIONS, schema="lean", gleanings=0)
    report = load([note], settings=online, options=options)
    assert (report.nodes, report.relationships, report.repaired, llm.calls) == (2, 1, 1, 2)
    assert adds_up(report)
    before = dump(database, online.graph)
    assert '"offsets":"0:13 14:32 33:49"' in before
    assert "Anna met Ben. ... Cleo printed it." in before
    monkeypatch.setattr(numbering, "sentences", lambda text, start, end, language=None: iter([(start, end)]))
    assert rebuild(settings=online).rows.accepted == 3
    places = [{line for line in each.splitlines() if "_IN" in line} for each in (before, dump(database, online.graph))]
    assert places[0] == places[1] != set()
    assert '"offsets":"0:13 14:32 33:49"' in dump(database, online.graph)
    assert load([note], settings=online, options=options).changes == 0
    assert llm.calls == 2


def test_a_repaired_row_is_in_the_graph_and_one_that_fails_again_in_quarantine_until_a_retry(
    database: Database, online: Settings, llm: FakeLlm, note: str, tmp_path: Path
) -> None:
    (tmp_path / "prices.toml").write_text('["scripted"]\ninput = 1.0\noutput = 1.0\n', "utf-8")
    priced = online.model_copy(update={"prices": tmp_path / "prices.toml"})
    llm.say(csv((ANNA, BAD, "n3,PERSON,Cleo"), (MET,))).say(csv(())).say(csv((BEN,), (MET,)))
    report = load([note], settings=priced, options=OPTIONS)
    assert (report.nodes, report.relationships, report.repaired) == (2, 1, 2)
    assert adds_up(report)
    (row,) = quarantine(settings=priced)
    assert (row.document, row.chunk, row.rejection.reason) == ("note", 0, RejectionReason.COLUMN_COUNT)
    assert row.rejection.text == "n3,PERSON,Cleo"
    before = dump(database, online.graph)
    with pytest.raises(UsageError, match="another model"):
        retry_quarantine(settings=priced.model_copy(update={"model": "another"}))
    with pytest.raises(BudgetReached):
        retry_quarantine(settings=priced, budget_usd=1e-6)
    assert (llm.calls, dump(database, online.graph)) == (3, before)
    llm.say(csv(("n3,PERSON?,Cleo,,,,,,Cleo",)))
    again = retry_quarantine(settings=priced, budget_usd=1.0)
    assert adds_up(again)
    (row,) = quarantine(settings=priced)
    assert (row.rejection.reason, again.rows.rejected - again.repaired) == (RejectionReason.BAD_TYPE, 1)
    llm.say(csv(("n3,PERSON,Cleo,,,,,,Cleo",)))
    report = retry_quarantine(settings=priced)
    assert (report.usage.calls, report.nodes, report.relationships) == (1, 3, 1)
    assert quarantine(settings=priced) == ()
    after = dump(database, online.graph)
    assert retry_quarantine(settings=priced).usage.calls == 0
    assert load([note], settings=priced, options=OPTIONS).changes == 0
    assert dump(database, online.graph) == after


def test_a_rebuild_gives_the_same_graph_and_a_former_configuration_is_paid_already(
    database: Database, online: Settings, llm: FakeLlm
) -> None:
    options = replace(OPTIONS, analytics=True)
    load([STORY], settings=online, options=options)
    before, calls = dump(database, online.graph), llm.calls
    spoil = "MATCH (e:Entity {graph: $graph}) SET e.name = 'spoilt', e.description = 'by hand'"
    query = queries.Query("spoil", "", "", "write", (), (), "", "", spoil)
    database.write(query, graph=online.graph)
    assert dump(database, online.graph) != before
    report = rebuild(settings=online)
    assert dump(database, online.graph) == before
    assert (llm.calls, report.usage.calls) == (calls, 0)
    assert adds_up(report)
    load([STORY], settings=online, options=replace(options, evidence="reject", rebuild=True))
    assert llm.calls > calls
    calls = llm.calls
    load([STORY], settings=online, options=replace(options, rebuild=True))
    assert llm.calls == calls
    kept = {line for line in dump(database, online.graph).splitlines() if '"Answer"' not in line}
    assert {line for line in before.splitlines() if '"Answer"' not in line} <= kept


@pytest.mark.parametrize("kind", [pytest.param("offline", marks=pytest.mark.slow), "online"])
def test_extracting_to_files_and_loading_them_is_loading(
    database: Database, request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    settings: Settings = request.getfixturevalue(kind)
    loaded = load([STORY, ARTICLE], settings=settings, options=OPTIONS)
    wanted = dump(database, settings.graph)
    delete_graph(database, settings.graph)
    folder = tmp_path / "extracted"
    extracted = extract([STORY, ARTICLE], to=str(folder), settings=settings, options=OPTIONS)
    assert (extracted.files, extracted.documents, extracted.chunks) == (2, 2, loaded.chunks)
    assert extracted.rows == loaded.rows
    with pytest.raises(UsageError, match="graph"):
        load([str(folder)], settings=settings.model_copy(update={"graph": f"{settings.graph}-2"}), options=OPTIONS)
    planned = plan([str(folder)], settings=settings, options=OPTIONS)
    assert (planned.documents, planned.chunks, planned.chunks_to_ask) == (2, loaded.chunks, 0)
    report = load([str(folder)], settings=settings, options=OPTIONS)
    assert dump(database, settings.graph) == wanted
    assert (report.documents, report.chunks, report.rows) == (2, loaded.chunks, loaded.rows)
    assert load([str(folder)], settings=settings, options=OPTIONS).changes == 0
    assert load([STORY, ARTICLE], settings=settings, options=OPTIONS).changes == 0


UNQUOTED = ("n1,PERSON,Anna,,,,,,", "n2,PERSON,Ben,,,,,,Benjamin the elder")


def test_a_load_of_which_every_row_was_rejected_is_partly_done_and_one_that_keeps_them_counts_what_they_lack(
    database: Database, graph: str, llm: FakeLlm, kg: Kg, tmp_path: Path
) -> None:
    start, end = "*** START OF THE PROJECT GUTENBERG EBOOK X ***", "*** END OF THE PROJECT GUTENBERG EBOOK X ***"
    book, text = tmp_path / "book.txt", f"Header\n{start}\nAnna met Ben.\n{end}\nLicence"
    book.write_text(text, "utf-8")
    number = len(text) - len("Anna met Ben.")
    licence = f"{book}: the Project Gutenberg header and licence were left out ({number} characters)"
    llm.say(csv(UNQUOTED, ("r1,n1,MET,n2,,They met.,5,",))).say(csv(()))
    model = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "canary-key-5f1c", "KG_MODEL": "scripted"}
    arguments = ("load", str(book), "--schema", "described", "--no-analytics", "--gleanings", "0", "--evidence")

    def run(*more: str) -> tuple[int, dict[str, Any]]:
        code, out, err = kg(*arguments, *more, "--json", **model)
        assert out, err
        return code, json.loads(out)

    assert licence in run("reject", "--dry-run")[1]["notes"]
    code, shape = run("reject")
    assert (code, shape["rows"]) == (3, {"read": 3, "accepted": 0, "rejected": 3})
    notes = [note for note in shape["notes"] if not note.endswith(" is new")]  # there may be other graphs
    assert notes == [
        licence,
        "all 3 rows were rejected, 3 of them because their quote is missing or not in the text (no_evidence); "
        "`kg quarantine` lists them, --evidence flag --rebuild keeps them",
    ]
    calls = llm.calls
    assert run("reject")[0] == 0  # no row was read
    code, shape = run("flag", "--rebuild")
    assert (code, llm.calls, shape["nodes"], shape["relationships"]) == (0, calls, 2, 1)
    assert shape["notes"] == [
        licence,
        "of 3 recorded rows 2 have no quote and 1 has a quote that is not in the text; `kg report checks` counts them, "
        "`kg report unsupported-facts` lists facts",
    ]
    checks = {row["Check"]: row["Count"] for row in database.read(queries.get("reports/checks"), graph=graph)}
    assert {name: count for name, count in checks.items() if "quote" in name} == {
        "rows of evidence without a quote": 2,
        "rows of evidence whose quote is not in the text": 1,
    }
    assert run("flag")[1]["notes"] == [licence]


def test_few_rows_for_a_text_are_said_once_and_failed_chunks_are_listed_with_class_and_reason(
    llm: FakeLlm, kg: Kg, tmp_path: Path
) -> None:
    model = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "canary-key-5f1c", "KG_MODEL": "scripted"}
    (tmp_path / "long.txt").write_text("Anna met Ben. " * 200, "utf-8")
    (tmp_path / "bad.txt").write_text("Cleo met Dora.", "utf-8")
    llm.say(csv((ANNA,)))

    def run(*arguments: str) -> tuple[int, Any]:
        code, out, err = kg(*arguments, "--json", **{**model, "KG_ANSWER_CACHE": "false"})
        assert out, err
        return code, json.loads(out)

    def loaded(name: str) -> tuple[int, Any]:
        return run("load", str(tmp_path / name), "--schema", "described", "--no-analytics", "--gleanings", "0")

    code, shape = loaded("long.txt")
    assert (code, shape["few_rows"], shape["failed"]) == (3, True, [])
    assert any(note.startswith("few rows: 'long' gave 1 for ") for note in shape["notes"])
    code, shape = loaded("long.txt")
    assert (code, shape["few_rows"]) == (0, False)
    assert not any(note.startswith("few rows") for note in shape["notes"])
    assert run("quarantine") == (0, [])
    llm.fail(400, code="content_filter")
    code, shape = loaded("bad.txt")
    assert (code, shape["few_rows"], len(shape["failed"])) == (3, False, 1)
    code, (listed,) = run("quarantine")
    assert (code, listed["document"], listed["chunk"], listed["rejection"]["line"]) == (0, "bad", 0, 0)
    assert listed["rejection"]["reason"] == "filtered"
    assert "filter" in listed["rejection"]["detail"]
    assert listed["rejection"]["detail"] in shape["failed"][0]
    assert "filtered" in kg("quarantine", **model)[1]
    assert loaded("bad.txt")[0] == 0
    assert run("quarantine") == (0, [])
