"""Rounds of asking on a real server: gleaning, repair, quarantine, rebuilding, extracting to files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.errors import BudgetReached, ModelUnavailable, UnreadableSource, UsageError
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline import extract, plan, quarantine, rebuild, retry_quarantine
from kg_neo4j.records import LoadReport, QuoteCounts, RejectionReason
from kg_runner import Kg

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARTICLE = str(EXAMPLES / "alexander_von_humboldt.md")
STORY = str(EXAMPLES / "the_lamp_at_skarnes.md")
OPTIONS = LoadOptions(chunk_tokens=200, analytics=False, wave=3)
SCHEMA = schemas.load("graph")
NODES, RELATIONSHIPS = ",".join(SCHEMA.node_header), ",".join(SCHEMA.relationship_header)
ANNA, BEN = "n1,PERSON,Anna,,,,,,Anna", "n2,PERSON,Ben,,,,,,Ben"
BAD = "n2,PERSON,Ben,last year,,,,,Ben"
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


def test_a_load_gleans_once_and_says_what_each_round_cost(online: Settings, llm: FakeLlm) -> None:
    report = load([STORY], settings=online, options=OPTIONS)
    assert llm.calls == report.usage.calls == 2 * report.chunks
    assert {step: usage.calls for step, usage in report.steps.items()} == {
        "whole": report.chunks,
        "glean": report.chunks,
    }
    assert adds_up(report)
    assert load([STORY], settings=online, options=OPTIONS).changes == 0
    assert llm.calls == 2 * report.chunks


def test_names_of_finished_waves_reach_later_chunks_also_after_a_stop(
    database: Database, online: Settings, llm: FakeLlm
) -> None:
    options = replace(OPTIONS, wave=1)
    load([STORY], settings=online, options=options)
    wanted = dump(database, online.graph)
    assert sum("named so far" in request.user for request in llm.requests) > llm.calls // 2
    delete_graph(database, online.graph)
    llm.answer(9).fail(503)
    with pytest.raises(ModelUnavailable):
        load([STORY], settings=online.model_copy(update={"model_concurrency": 1}), options=options)
    llm.forget()
    load([STORY], settings=online, options=options)
    assert dump(database, online.graph) == wanted


def test_a_repaired_row_is_in_the_graph_and_what_fails_again_in_quarantine(
    online: Settings, llm: FakeLlm, note: str
) -> None:
    llm.say(csv((ANNA, BAD, "n3,PERSON,Cleo"), (MET,))).say(csv(())).say(csv((BEN,), (MET,)))
    report = load([note], settings=online, options=OPTIONS)
    assert (report.nodes, report.relationships, report.mended) == (2, 1, 2)
    assert adds_up(report)
    (row,) = quarantine(settings=online)
    assert (row.document, row.chunk, row.rejection.reason) == ("note", 0, RejectionReason.COLUMN_COUNT)
    assert row.rejection.text == "n3,PERSON,Cleo"


def test_a_row_that_is_rejected_again_counts_once_with_its_last_reason(
    online: Settings, llm: FakeLlm, note: str
) -> None:
    options = replace(OPTIONS, gleanings=0)
    llm.say(csv((ANNA, BAD, "n3,PERSON,Cleo"), (MET,))).say(csv((BEN, "n3,,Cleo,,,,,,Cleo"), (MET,)))
    report = load([note], settings=online, options=options)
    assert (report.rows.read, report.rows.rejected, report.mended) == (6, 3, 2)
    assert report.rejections == {"bad_value": 1, "empty_field": 1, "missing_end": 1}
    assert adds_up(report)
    (row,) = quarantine(settings=online)
    assert (row.rejection.reason, row.rejection.text) == (RejectionReason.EMPTY_FIELD, "n3,,Cleo,,,,,,Cleo")
    assert report.rows.rejected - report.mended == 1
    llm.say(csv(("n3,PERSON,Cleo,last,,,,,Cleo",)))
    assert adds_up(again := retry_quarantine(settings=online))
    (row,) = quarantine(settings=online)
    assert (row.rejection.reason, again.rows.rejected - again.mended) == (RejectionReason.BAD_VALUE, 1)


def test_retrying_the_quarantine_asks_once_more_and_records_what_is_accepted(
    database: Database, online: Settings, llm: FakeLlm, note: str
) -> None:
    llm.say(csv((ANNA, BAD), (MET,))).say(csv(())).say(csv(()))
    load([note], settings=online, options=OPTIONS)
    assert len(quarantine(settings=online)) == 2
    llm.say(csv((BEN,), (MET,)))
    report = retry_quarantine(settings=online)
    assert (report.usage.calls, report.nodes, report.relationships) == (1, 2, 1)
    assert quarantine(settings=online) == ()
    after = dump(database, online.graph)
    assert retry_quarantine(settings=online).usage.calls == 0
    assert load([note], settings=online, options=OPTIONS).changes == 0
    assert dump(database, online.graph) == after


def test_a_retry_keeps_to_a_budget_and_what_was_repaired_before_stays(
    database: Database, online: Settings, llm: FakeLlm, note: str, tmp_path: Path
) -> None:
    (tmp_path / "prices.toml").write_text('["scripted"]\ninput = 1.0\noutput = 1.0\n', "utf-8")
    priced = online.model_copy(update={"prices": tmp_path / "prices.toml", "model": "scripted"})
    llm.say(csv((ANNA, BAD), (MET,))).say(csv(())).say(csv(()))
    load([note], settings=priced, options=OPTIONS)
    before, calls = dump(database, online.graph), llm.calls
    with pytest.raises(BudgetReached):
        retry_quarantine(settings=priced, budget_usd=1e-6)
    assert llm.calls == calls
    assert dump(database, online.graph) == before
    llm.say(csv((BEN,), (MET,)))
    assert retry_quarantine(settings=priced, budget_usd=1.0).nodes == 2


def test_a_retry_with_another_model_is_refused(online: Settings, llm: FakeLlm, note: str) -> None:
    llm.say(csv((ANNA, BAD))).say(csv(())).say(csv(()))
    load([note], settings=online, options=OPTIONS)
    with pytest.raises(UsageError, match="another model"):
        retry_quarantine(settings=online.model_copy(update={"model": "another"}))


def test_a_rebuild_gives_the_same_graph_and_asks_nobody(database: Database, online: Settings, llm: FakeLlm) -> None:
    load([STORY, ARTICLE], settings=online, options=replace(OPTIONS, analytics=True))
    before, calls = dump(database, online.graph), llm.calls
    spoil = "MATCH (e:Entity {graph: $graph}) SET e.name = 'spoilt', e.description = 'by hand'"
    query = queries.Query("spoil", "", "", "write", (), (), "", "", spoil)
    database.write(query, graph=online.graph)
    assert dump(database, online.graph) != before
    report = rebuild(settings=online)
    assert dump(database, online.graph) == before
    assert llm.calls == calls
    assert report.usage.calls == 0
    assert adds_up(report)


def test_a_rebuild_offline_needs_no_model(database: Database, offline: Settings) -> None:
    load([STORY], settings=offline, options=replace(OPTIONS, analytics=True))
    before = dump(database, offline.graph)
    rebuild(settings=offline)
    assert dump(database, offline.graph) == before


@pytest.mark.parametrize("kind", ["offline", "online"])
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
    report = load([str(folder)], settings=settings, options=OPTIONS)
    assert dump(database, settings.graph) == wanted
    assert (report.documents, report.chunks, report.rows) == (2, loaded.chunks, loaded.rows)
    assert load([str(folder)], settings=settings, options=OPTIONS).changes == 0
    assert load([STORY, ARTICLE], settings=settings, options=OPTIONS).changes == 0


def test_a_second_extraction_asks_only_about_what_changed(online: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    note = tmp_path / "story.md"
    text = Path(STORY).read_text("utf-8")
    note.write_text(text, "utf-8")
    folder = str(tmp_path / "extracted")
    first = extract([str(note)], to=folder, settings=online, options=OPTIONS)
    assert extract([str(note)], to=folder, settings=online, options=OPTIONS).files == 0
    assert llm.calls == first.usage.calls
    paragraphs = text.split("\n\n")
    note.write_text("\n\n".join([*paragraphs[:3], "Anna Weber met Karl Braun.", *paragraphs[3:]]), "utf-8")
    second = extract([str(note)], to=folder, settings=online, options=OPTIONS)
    assert second.files == 1
    assert 2 <= second.usage.calls <= 6
    assert second.chunks >= first.chunks


def test_files_that_are_torn_or_of_another_graph_are_refused(offline: Settings, note: str, tmp_path: Path) -> None:
    folder = tmp_path / "extracted"
    extract([note], to=str(folder), settings=offline, options=OPTIONS)
    with pytest.raises(UsageError, match="graph"):
        load([str(folder)], settings=offline.model_copy(update={"graph": f"{offline.graph}-2"}), options=OPTIONS)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for torn in (whole[:-10], whole.replace(b"Anna", b"Anne", 1), b""):
        file.write_bytes(torn)
        with pytest.raises(UnreadableSource, match="not whole"):
            load([str(folder)], settings=offline, options=OPTIONS)


def test_going_back_to_a_former_configuration_pays_nothing(database: Database, online: Settings, llm: FakeLlm) -> None:
    load([STORY], settings=online, options=OPTIONS)
    before, calls = dump(database, online.graph), llm.calls
    other = replace(OPTIONS, evidence="reject", rebuild=True)
    load([STORY], settings=online, options=other)
    assert llm.calls > calls
    calls = llm.calls
    load([STORY], settings=online, options=replace(OPTIONS, rebuild=True))
    assert llm.calls == calls
    kept = {line for line in dump(database, online.graph).splitlines() if '"Answer"' not in line}
    assert {line for line in before.splitlines() if '"Answer"' not in line} <= kept


UNQUOTED = ("n1,PERSON,Anna,,,,,,", "n2,PERSON,Ben,,,,,,Benjamin the elder")


def test_a_load_says_how_many_rows_have_no_quote_or_one_that_is_not_in_the_text(
    database: Database, online: Settings, llm: FakeLlm, note: str, tmp_path: Path
) -> None:
    once = replace(OPTIONS, gleanings=0)
    uncached = online.model_copy(update={"answer_cache": False})
    llm.say(csv(UNQUOTED, ("r1,n1,MET,n2,,They met.,5,",)))
    report = load([note], settings=uncached, options=once)
    assert (report.nodes, report.relationships, report.quotes) == (2, 1, QuoteCounts(2, 1))
    assert report.notes == (
        "of 3 recorded rows 2 have no quote and 1 has a quote that is not in the text; `kg report checks` counts them, "
        "`kg report unsupported-facts` lists facts",
    )
    checks = {row["Check"]: row["Count"] for row in database.read(queries.get("reports/checks"), graph=online.graph)}
    assert {name: count for name, count in checks.items() if "quote" in name} == {
        "rows of evidence without a quote": 2,
        "rows of evidence whose quote is not in the text": 1,
    }
    assert load([note], settings=uncached, options=once).notes == ()
    llm.say(csv(UNQUOTED, ("r1,n1,MET,n2,,They met.,5,",)))
    extracted = extract([note], to=str(tmp_path / "extracted"), settings=uncached, options=once)
    assert (extracted.quotes, extracted.notes) == (report.quotes, report.notes)


def test_a_load_of_which_every_row_was_rejected_is_partly_done_and_says_why(llm: FakeLlm, note: str, kg: Kg) -> None:
    llm.say(csv(UNQUOTED, ("r1,n1,MET,n2,,They met.,5,",))).say(csv(()))
    model = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "canary-key-5f1c", "KG_MODEL": "scripted"}
    arguments = ("load", note, "--no-analytics", "--gleanings", "0", "--evidence")
    code, out, err = kg(*arguments, "reject", "--json", **model)
    assert (code, json.loads(out)["rows"]) == (3, {"read": 3, "accepted": 0, "rejected": 3}), err
    assert json.loads(out)["notes"] == [
        "all 3 rows were rejected, 3 of them because their quote is missing or not in the text (no_evidence); "
        "`kg quarantine` lists them, --evidence flag --rebuild keeps them"
    ]
    calls = llm.calls
    assert kg(*arguments, "reject", **model)[0] == 0  # no row was read
    code, out, err = kg(*arguments, "flag", "--rebuild", "--json", **model)
    assert (code, llm.calls, json.loads(out)["nodes"]) == (0, calls, 2), err


def test_what_is_left_out_of_a_gutenberg_file_is_noted(offline: Settings, tmp_path: Path) -> None:
    start, end = "*** START OF THE PROJECT GUTENBERG EBOOK X ***", "*** END OF THE PROJECT GUTENBERG EBOOK X ***"
    book = f"Header\n{start}\nAnna met Ben.\n{end}\nLicence"
    (tmp_path / "book.txt").write_text(book, "utf-8")
    report = load([str(tmp_path / "book.txt")], settings=offline, options=OPTIONS)
    number = len(book) - len("Anna met Ben.")
    left_out = f"the Project Gutenberg header and licence were left out ({number} characters)"
    assert report.notes == (f"{tmp_path / 'book.txt'}: {left_out}",)
    assert left_out in plan([str(tmp_path / "book.txt")], settings=offline, options=OPTIONS).notes[0]
