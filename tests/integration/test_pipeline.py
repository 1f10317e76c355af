"""The whole flow on a real server: offline, with a model behind HTTP, repeated, stopped, edited, unloaded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, ask, load, resources, unload
from kg_neo4j.errors import ModelRefused, ModelUnavailable, SourceNotFound, UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.plan import plan
from kg_neo4j.records import LoadReport

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARTICLE = str(EXAMPLES / "alexander_von_humboldt.md")
STORY = str(EXAMPLES / "the_lamp_at_skarnes.md")
SMALL_CHUNKS = LoadOptions(chunk_tokens=200, analytics=False, gleanings=0)


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def adds_up(report: LoadReport) -> bool:
    return (
        report.rows.read
        == report.rows.accepted + report.rows.rejected
        == report.rows.accepted + sum(report.rejections.values())
    )


def test_the_example_article_becomes_a_graph_offline_and_a_repeat_changes_nothing(
    database: Database, offline: Settings
) -> None:
    options = LoadOptions(chunk_tokens=300)
    first = load([ARTICLE], settings=offline, options=options)
    assert first.nodes >= 30
    assert first.relationships >= 15
    assert first.communities >= 2
    assert first.usage.calls == 0
    assert adds_up(first)
    before = dump(database, offline.graph)
    checks = database.read(queries.get("reports/checks"), graph=offline.graph)
    assert {row["Check"]: row["Count"] for row in checks if row["Count"]} == {}  # every quote stands where it says
    second = load([ARTICLE], settings=offline, options=options)
    assert (second.changes, second.rows.read) == (0, 0)
    assert (second.nodes, second.relationships, second.communities) == (
        first.nodes,
        first.relationships,
        first.communities,
    )
    assert dump(database, offline.graph) == before


WALK = "Nora Quill heard the rain, and the rain went on all night over the roofs of the town.\n\n"
MARRIED = "Anna Weber married Karl Braun in Vienna in 1901. Karl Braun was born in Graz.\n\n"
NEEDED = "this kind of text needs a model. `kg ask` and `kg search` work on its passages."


def test_a_load_by_rules_that_found_few_relationships_ends_with_a_note_on_its_own_documents(
    database: Database, offline: Settings, tmp_path: Path
) -> None:
    options = LoadOptions(vectors=False, analytics=False)
    load([STORY], settings=offline, options=options)
    path = tmp_path / "walk.txt"
    path.write_text(WALK * 100, "utf-8")
    found = load([str(path)], settings=offline, options=options)
    assert found.notes[-1] == f"1 name, 0 relationships: {NEEDED}"
    assert NEEDED not in str(load([str(path)], settings=offline, options=options).notes)  # it changed nothing
    (tmp_path / "wedding.txt").write_text(WALK * 100 + MARRIED, "utf-8")
    found = load([str(tmp_path)], settings=offline, options=options)
    documents = database.read(queries.get("reports/documents"), graph=offline.graph)
    [row] = [each for each in documents if each["Source"].endswith("wedding.txt")]
    names, facts = row["Entities"], row["Facts"]
    assert names > facts > 0
    assert found.notes[-1] == f"{names} names, {facts} relationship{'s' * (facts > 1)}: {NEEDED}"


@pytest.mark.parametrize("text", [WALK * 20, (WALK * 8 + MARRIED) * 12], ids=["short", "rich"])
def test_neither_a_short_text_nor_one_with_relationships_is_said_to_need_a_model(
    offline: Settings, tmp_path: Path, text: str
) -> None:
    (tmp_path / "walk.txt").write_text(text, "utf-8")
    found = load([str(tmp_path)], settings=offline, options=LoadOptions(vectors=False, analytics=False))
    assert found.rows.accepted > 0
    assert NEEDED not in str(found.notes)


def test_changes_count_the_document_its_chunks_and_what_was_read_of_them(offline: Settings, tmp_path: Path) -> None:
    path = tmp_path / "rain.txt"
    path.write_text("it rained all day, and nobody went out.", "utf-8")
    report = load([str(path)], settings=offline, options=LoadOptions(vectors=False, analytics=False))
    assert (report.nodes, report.chunks, report.changes) == (0, 1, 1 + 1 + 1)


def test_unloading_gives_the_graph_without_the_document_and_the_order_of_loading_does_not_matter(
    database: Database, offline: Settings
) -> None:
    load([STORY], settings=offline)
    alone = dump(database, offline.graph)
    load([ARTICLE], settings=offline)
    both = dump(database, offline.graph)
    report = unload(Path(ARTICLE).name, settings=offline)
    assert report.changes > 0
    assert dump(database, offline.graph) == alone
    with pytest.raises(SourceNotFound, match="no document"):
        unload(Path(ARTICLE).name, settings=offline)
    delete_graph(database, offline.graph)
    load([ARTICLE], settings=offline)
    load([STORY], settings=offline)
    assert dump(database, offline.graph) == both


def test_an_edited_file_gives_the_graph_of_its_new_text(database: Database, offline: Settings, tmp_path: Path) -> None:
    text = Path(ARTICLE).read_text(encoding="utf-8")
    note = tmp_path / "note.md"
    note.write_text(text, encoding="utf-8")
    load([str(note)], settings=offline, options=SMALL_CHUNKS)
    paragraphs = text.split("\n\n")
    note.write_text("\n\n".join([*paragraphs[:4], "Anna Weber met Karl Braun in Vienna.", *paragraphs[6:]]), "utf-8")
    edited = load([str(note)], settings=offline, options=SMALL_CHUNKS)
    assert edited.rows.read > 0
    after = dump(database, offline.graph)
    assert "Anna Weber" in after
    delete_graph(database, offline.graph)
    load([str(note)], settings=offline, options=SMALL_CHUNKS)
    assert dump(database, offline.graph) == after


def test_a_model_behind_http_is_asked_once_a_chunk_and_never_again(
    database: Database, online: Settings, llm: FakeLlm
) -> None:
    report = load([STORY], settings=online, options=SMALL_CHUNKS)
    assert report.chunks > 3
    assert llm.calls == report.usage.calls == report.chunks
    assert report.usage.input_tokens == llm.usage[0] * report.chunks
    assert report.nodes > 0
    assert adds_up(report)
    before = dump(database, online.graph)
    again = load([STORY], settings=online, options=SMALL_CHUNKS)
    assert (again.changes, again.usage.calls, llm.calls) == (0, 0, report.chunks)
    assert dump(database, online.graph) == before
    assert "canary-key-5f1c" not in before


def test_bad_rows_are_rejected_and_counted_and_the_rest_is_kept(
    database: Database, online: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Anna met Ben.", "utf-8")
    llm.say(
        "Here is the CSV:\n```csv\n"
        "node_id,node_type,name,birth_year,death_year,role,location,description,evidence\n"
        "n1,PERSON,Anna,,,,,,Anna\n"
        "n2,PERSON,Ben,,,,,,Ben\n"
        "n3,PERSON,Cleo\n"
        "n4,]->() DETACH DELETE n //,Dora,,,,,,\n"
        "\n"
        "relationship_id,node_id_1,relationship_type,node_id_2,start_date,description,strength,evidence\n"
        "r1,n1,MET,n2,,They met.,5,Anna met Ben\n"
        "r2,n1,MET,n9,,,5,\n"
        "r3,n1,MET,n2,,,much,\n"
        "```\n"
    ).say("I cannot repair them.")
    report = load([str(note)], settings=online, options=replace(SMALL_CHUNKS, schema="described"))
    assert (report.rows.read, report.rows.accepted) == (7, 4 + ("DETACH_DELETE_N" in dump(database, online.graph)))
    assert adds_up(report)
    assert {"column_count", "missing_end"} <= set(report.rejections)
    assert report.dropped == {"bad_value": 1}
    assert report.relationships == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refused_key_stops_the_run_at_once_and_leaves_no_half(
    database: Database, online: Settings, llm: FakeLlm, status: int
) -> None:
    for _ in range(20):
        llm.fail(status)
    with pytest.raises(ModelRefused) as refused:
        load([STORY], settings=online, options=SMALL_CHUNKS)
    assert "canary-key-5f1c" not in str(refused.value)
    assert llm.calls <= 2 * online.model_concurrency
    text = dump(database, online.graph)
    assert '"num":' not in text
    assert "Unsettled" not in text


def test_a_run_that_the_model_stopped_goes_on_without_paying_twice(
    database: Database, online: Settings, llm: FakeLlm
) -> None:
    whole = load([STORY], settings=online, options=SMALL_CHUNKS)
    wanted = dump(database, online.graph)
    delete_graph(database, online.graph)
    before = llm.calls
    llm.answer(3).fail(503)
    with pytest.raises(ModelUnavailable):
        load([STORY], settings=online.model_copy(update={"model_concurrency": 1}), options=SMALL_CHUNKS)
    assert llm.calls == before + 4
    llm.forget()
    resumed = load([STORY], settings=online, options=SMALL_CHUNKS)
    assert resumed.usage.calls == whole.chunks - 3
    assert dump(database, online.graph) == wanted


def test_a_run_that_was_killed_goes_on_to_the_same_graph(
    database: Database, environment: Mapping[str, str], online: Settings, llm: FakeLlm
) -> None:
    """Row 47: kill -9 while the model answers."""
    load([STORY], settings=online, options=SMALL_CHUNKS)
    wanted = dump(database, online.graph)
    delete_graph(database, online.graph)
    llm.answer(5).hang()
    child = {**environment, "OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "k", "KG_MODEL": "scripted"}
    arguments = ["load", STORY, "--chunk-tokens", "200", "--no-analytics", "--gleanings", "0", "--graph", online.graph]
    before = llm.calls
    with subprocess.Popen([sys.executable, "-m", "kg_neo4j", *arguments], env=child) as process:
        llm.wait_for_calls(before + 6)
        os.kill(process.pid, signal.SIGKILL)
    llm.forget()
    load([STORY], settings=online, options=SMALL_CHUNKS)
    assert dump(database, online.graph) == wanted


def test_another_configuration_is_refused_unless_rebuilt(database: Database, offline: Settings) -> None:
    load([STORY], settings=offline, options=SMALL_CHUNKS)
    before = dump(database, offline.graph)
    with pytest.raises(UsageError, match="another model"):
        load([STORY], settings=offline, options=LoadOptions(chunk_tokens=300, analytics=False))
    assert dump(database, offline.graph) == before
    load([STORY], settings=offline, options=LoadOptions(chunk_tokens=300, analytics=False, rebuild=True))
    rebuilt = dump(database, offline.graph)
    delete_graph(database, offline.graph)
    load([STORY], settings=offline, options=LoadOptions(chunk_tokens=300, analytics=False))
    assert dump(database, offline.graph) == rebuilt


@pytest.fixture(scope="module")
def story(shared: Settings) -> Settings:
    """Settings of a graph of the story, which no test changes."""
    load([STORY], settings=shared, options=SMALL_CHUNKS)
    return shared


def test_another_schema_in_one_graph_is_refused(story: Settings) -> None:
    with pytest.raises(UsageError, match="loaded with the schema 'lean', not 'wikipedia'"):
        load([ARTICLE], settings=story, options=LoadOptions(schema="wikipedia", analytics=False))


def changed_schema(folder: Path, *changes: tuple[str, str]) -> str:
    """Write `lean` with changes to a file, and return its path."""
    text = (resources.folder("prompts") / "schemas" / "lean.toml").read_text("utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    path = folder / "changed.toml"
    path.write_text(text, "utf-8")
    return str(path)


NOTE = ("what the node is or does", "what it is")
COLUMN = (
    '[[nodes]]\nname = "description"',
    '[[nodes]]\nname = "language"\nkind = "text"\nfold = "mode"\nnote = "spoken"\n[[nodes]]\nname = "description"',
)
EXAMPLE = [(",location,description", ",location,language,description")]
ROWS = [(row, f"{row},") for row in (",architect,,", ",cook,,", ",shared flat,,", ",web page,,", "bicycle,,,,,")]


def test_a_schema_whose_meaning_is_the_same_loads_on(database: Database, offline: Settings, tmp_path: Path) -> None:
    load([STORY], settings=offline, options=SMALL_CHUNKS)
    before = dump(database, offline.graph)
    changed = changed_schema(tmp_path, NOTE, ('PERSON = "a human', 'TEAM = "people at work"\nPERSON = "a human'))
    report = load([STORY], settings=offline, options=replace(SMALL_CHUNKS, schema=changed))
    assert report.rows.read == 0
    assert [line for line in dump(database, offline.graph).splitlines() if '"Document"' not in line] == [
        line for line in before.splitlines() if '"Document"' not in line
    ]


def test_an_added_column_loads_on_and_reading_again_gives_the_export_of_a_fresh_load(
    database: Database, offline: Settings, tmp_path: Path
) -> None:
    added = replace(SMALL_CHUNKS, schema=changed_schema(tmp_path, COLUMN, *EXAMPLE, *ROWS))
    load([STORY], settings=offline, options=SMALL_CHUNKS)
    before = dump(database, offline.graph)
    assert load([STORY], settings=offline, options=added).rows.read == 0
    assert dump(database, offline.graph) == before  # what an earlier version read stays as it is
    both = load([STORY, ARTICLE], settings=offline, options=added)
    assert both.documents == 2
    assert both.rows.read
    planned = plan([STORY, ARTICLE], settings=offline, options=replace(added, re_extract=True))
    assert planned.chunks > 0
    again = load([STORY, ARTICLE], settings=offline, options=replace(added, re_extract=True))
    assert again.rows.read
    wanted = dump(database, offline.graph)
    assert load([STORY, ARTICLE], settings=offline, options=replace(added, re_extract=True)).changes == 0
    delete_graph(database, offline.graph)
    load([STORY, ARTICLE], settings=offline, options=added)
    assert dump(database, offline.graph) == wanted


def test_an_edited_document_is_read_with_the_later_version(
    database: Database, offline: Settings, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Anna Weber met Karl Braun in Vienna in 1901.", "utf-8")
    added = replace(SMALL_CHUNKS, schema=changed_schema(tmp_path, COLUMN, *EXAMPLE, *ROWS))
    load([str(note)], settings=offline, options=SMALL_CHUNKS)
    note.write_text("Anna Weber met Karl Braun in Vienna in 1902.", "utf-8")
    load([str(note)], settings=offline, options=added)
    wanted = dump(database, offline.graph)
    delete_graph(database, offline.graph)
    load([str(note)], settings=offline, options=added)
    assert dump(database, offline.graph) == wanted


def test_a_schema_without_a_column_of_the_graph_is_refused(story: Settings, tmp_path: Path) -> None:
    changed = changed_schema(
        tmp_path, ('name = "phrase"', 'name = "words"'), ("start_date,end_date,phrase", "start_date,end_date,words")
    )
    with pytest.raises(UsageError, match="column phrase of relationships is dropped") as refused:
        load([ARTICLE], settings=story, options=LoadOptions(schema=changed, analytics=False))
    assert "kg schema diff" in str(refused.value.hint)


def test_the_wikipedia_schema_and_stop_words_removed_work_too(database: Database, offline: Settings) -> None:
    options = LoadOptions(schema="wikipedia", preprocess="stopwords", analytics=False)
    report = load([ARTICLE], settings=offline, options=options)
    assert report.nodes > 0
    assert adds_up(report)


def test_sources_that_cannot_be_read_are_named_and_the_rest_is_loaded(offline: Settings, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" \n", "utf-8")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "good.txt").write_text("Anna Weber met Karl Braun in Vienna in 1901.", "utf-8")
    report = load([str(tmp_path)], settings=offline, options=SMALL_CHUNKS)
    assert report.documents == 1
    assert {Path(skipped.source).name for skipped in report.skipped} == {"empty.txt", "binary.txt"}
    assert all(skipped.reason for skipped in report.skipped)


def test_answers_cite_what_exists_offline_and_with_a_model(
    database: Database, offline: Settings, online: Settings
) -> None:
    load([ARTICLE], settings=offline)
    for settings in (offline, online):
        answer = ask("When was Humboldt born?", settings=settings)
        assert answer.found
        assert answer.citations
        texts = {
            row["id"]: row["text"]
            for row in database.read(queries.get("write/chunk_texts"), ids=[c.chunk_id for c in answer.citations])
        }
        for citation in answer.citations:
            assert texts[citation.chunk_id][citation.start : citation.end] == citation.quote
    assert not ask("What is the capital of Australia?", settings=offline).found
