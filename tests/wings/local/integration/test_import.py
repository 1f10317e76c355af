"""Imports that are killed, refused or of a plain export; archives of graphs that a killed load left."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from crash_points import COMMIT, COMMITTED, CrashPoints, Step
from kg_neo4j import Settings, ask, export_archive, import_graph, load
from kg_neo4j.errors import NoSuchGraph, SchemaConflict, UnfinishedImport, UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.graph.export import export_file
from kg_neo4j.graph.queries import Query
from kg_runner import Kg

TEXTS = {
    "a.txt": "Anna Weber met Karl Braun in Vienna. Karl Braun taught Anna Weber.\n\n"
    "Anna Weber wrote to Marie Curie in Paris. Marie Curie answered Anna Weber.\n\n"
    "Karl Braun left Vienna for Paris in 1901. Paris welcomed Karl Braun.",
    "b.txt": "Marie Curie worked in Paris with Pierre Curie. Pierre Curie knew Karl Braun.",
}
MARKS = "MATCH (n:Unsettled) WHERE n.graph = $graph RETURN count(n) AS count"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def archived(offline: Settings, texts: Path, tmp_path: Path) -> Path:
    """The archive of a small graph, which stays where it is."""
    load([str(texts)], settings=offline)
    return export_archive(tmp_path / "graph.jsonl.gz", settings=offline).path


def change(database: Database, text: str, **parameters: object) -> None:
    database.write(Query("test", "", "", "write", (), (), "", "", text), **parameters)


def count(database: Database, text: str, graph: str) -> int:
    return int(database.read(Query("test", "", "", "read", (), (), "", "", text), graph=graph)[0]["count"])


def again(settings: Settings, tmp_path: Path) -> bytes:
    """Return the bytes of an archive of the graph as it is now."""
    return export_archive(tmp_path / "again.gz", settings=settings).path.read_bytes()


@pytest.mark.parametrize("everywhere", [pytest.param(True, marks=pytest.mark.long), False], ids=["everywhere", "once"])
def test_an_import_killed_at_any_step_and_repeated_gives_the_same_graph(
    archived: Path,
    runner: CrashPoints,
    database: Database,
    offline: Settings,
    environment: Mapping[str, str],
    tmp_path: Path,
    everywhere: bool,
) -> None:
    command = ["import", str(archived)]
    delete_graph(database, offline.graph)
    run = runner.run(command, environment)
    assert run.exit_code == 0, run.output
    last = {step.name: step for step in run.steps if "import" in step.name}
    middle = Step(f"{COMMITTED}write/import_relationships", 1)
    assert {f"{COMMITTED}write/import_begin", "write/import_relationships", f"{COMMIT}write/import_finish"} <= set(last)
    assert middle in run.steps
    for place in (*last.values(), middle) if everywhere else (middle, last[f"{COMMIT}write/import_finish"]):
        delete_graph(database, offline.graph)
        killed = runner.run(command, environment, kill_at=place)
        assert killed.killed, place
        if place.name not in ("write/import_begin", f"{COMMIT}write/import_begin", f"{COMMITTED}write/import_finish"):
            with pytest.raises(UnfinishedImport, match=r"'graph\.jsonl\.gz' into graph .* was not finished") as error:
                load([str(archived)], settings=offline)
            assert error.value.hint
            assert error.value.hint.startswith("run `kg import graph.jsonl.gz` again")
        if place.name != f"{COMMITTED}write/import_finish":
            repeated = runner.run(command, environment)
            assert repeated.exit_code == 0, repeated.output
        assert again(offline, tmp_path) == archived.read_bytes(), place


def test_a_part_of_an_import_is_refused_to_readers_and_other_files_and_can_be_deleted(
    archived: Path, runner: CrashPoints, database: Database, environment: Mapping[str, str], kg: Kg, tmp_path: Path
) -> None:
    delete_graph(database, environment["KG_GRAPH"])
    place = Step(f"{COMMITTED}write/import_relationships", 0)
    assert runner.run(["import", str(archived)], environment, kill_at=place).killed
    for command in (["documents"], ["ask", "Who?"], ["export", str(tmp_path / "x.csv")], ["report", "most-connected"]):
        code, out, err = kg(*command)
        assert (code, out) == (4, "")
        assert "was not finished" in err
        assert "kg import graph.jsonl.gz" in err
    plain = tmp_path / "other.jsonl"
    node = {"graph": environment["KG_GRAPH"], "id": "a", "kind": "x", "model": "m"}
    plain.write_text(json.dumps({"kind": "node", "labels": ["Answer"], "properties": node}) + "\n", "utf-8")
    code, _, err = kg("import", str(plain))
    assert code == 2
    assert "holds a part of another file, 'graph.jsonl.gz'" in err
    assert kg("db", "reset", "--yes")[0] == 0
    assert '"NoSuchGraph"' in kg("documents", "--json")[1]


def test_a_load_that_was_killed_is_archived_and_continues_after_the_import(
    texts: Path,
    runner: CrashPoints,
    database: Database,
    offline: Settings,
    environment: Mapping[str, str],
    tmp_path: Path,
) -> None:
    load([str(texts)], settings=offline)
    wanted = again(offline, tmp_path)
    delete_graph(database, offline.graph)
    place = Step(f"{COMMITTED}write/finish_chunks", 0)
    assert runner.run(["load", str(texts)], environment, kill_at=place).killed
    change(database, "MATCH (e:Entity) WHERE e.graph = $graph SET e:Unsettled", graph=offline.graph)
    marks = count(database, MARKS, offline.graph)
    assert marks
    archive = export_archive(tmp_path / "killed.gz", settings=offline).path
    delete_graph(database, offline.graph)
    import_graph(archive, settings=offline)
    assert count(database, MARKS, offline.graph) == marks
    assert again(offline, tmp_path) == archive.read_bytes() != wanted
    load([str(texts)], settings=offline)
    assert again(offline, tmp_path) == wanted


def test_a_plain_export_comes_back_and_the_next_load_makes_what_it_lacks(
    texts: Path, archived: Path, database: Database, offline: Settings, tmp_path: Path
) -> None:
    plain = tmp_path / "graph.jsonl"
    export_file(database, offline.graph, plain)
    delete_graph(database, offline.graph)
    report = import_graph(plain, settings=offline)
    assert report.kind == "export"
    assert any("vectors" in each for each in report.absent)
    export_file(database, offline.graph, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == plain.read_bytes()
    assert ask("Who taught Anna Weber?", settings=offline).evidence
    assert load([str(texts)], settings=offline).usage.calls == 0
    assert load([str(texts)], settings=offline).changes == 0
    export_file(database, offline.graph, tmp_path / "loaded.jsonl")
    assert (tmp_path / "loaded.jsonl").read_bytes() == plain.read_bytes()


def test_a_graph_that_holds_anything_is_not_imported_into(
    archived: Path, database: Database, offline: Settings, kg: Kg, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="is not empty"):
        import_graph(archived, settings=offline)
    code, out, _ = kg("import", str(archived), "--json")
    assert code == 2
    assert f"kg db reset --graph {offline.graph}" in json.loads(out)["error"]["hint"]
    assert again(offline, tmp_path) == archived.read_bytes()


def test_the_graph_has_the_name_that_is_in_the_file(
    archived: Path, database: Database, offline: Settings, kg: Kg
) -> None:
    delete_graph(database, offline.graph)
    code, _, err = kg("import", str(archived), "--graph", "another")
    assert code == 2
    assert f"holds graph '{offline.graph}': its ids contain that name" in err
    done = import_graph(archived, settings=offline.model_copy(update={"graph": "another"}))
    assert done.graph == offline.graph
    assert len(list_documents(database, offline.graph)) == len(TEXTS)
    assert list_documents(database, "another") == ()


def test_an_id_of_another_graph_is_refused_and_both_stay_as_they_were(
    archived: Path, database: Database, offline: Settings, tmp_path: Path
) -> None:
    plain = tmp_path / "stolen.jsonl"
    export_file(database, offline.graph, plain)
    stolen = plain.read_text("utf-8").replace(f'"graph":"{offline.graph}"', '"graph":"thief"')
    plain.write_text(stolen, "utf-8")
    with pytest.raises(SchemaConflict):
        import_graph(plain, settings=offline)
    assert count(database, "MATCH (n) WHERE n.graph = 'thief' AND $graph <> '' RETURN count(n) AS count", "x") == 0
    assert again(offline, tmp_path) == archived.read_bytes()


def test_what_others_wrote_on_our_nodes_is_left_out_and_counted(
    archived: Path, database: Database, offline: Settings, tmp_path: Path
) -> None:
    foreign = (
        "MATCH (d:Document) WHERE d.graph = $graph SET d:Starred, d.seen = datetime() "
        "CREATE (d)-[:SEEN_BY]->(u:KgTestUser {id: 'u'}) WITH d, u LIMIT 1 CREATE (u)-[:OWNS]->(d)"
    )
    try:
        change(database, foreign, graph=offline.graph)
        report = export_archive(tmp_path / "again.gz", settings=offline)
        left_out = 3 * len(TEXTS)
        assert report.notes == (
            f"{left_out} labels, properties or relationships are left out: kg-neo4j did not write them",
        )
        assert report.path.read_bytes() == archived.read_bytes()
    finally:
        change(database, "MATCH (u:KgTestUser) DETACH DELETE u")


def test_an_archive_is_written_whole_or_not_at_all(archived: Path, database: Database, offline: Settings) -> None:
    before = archived.read_bytes()
    change(database, "MATCH (c:Chunk) WHERE c.graph = $graph SET c.index = 'first'", graph=offline.graph)
    with pytest.raises(Exception, match="index: not an integer: 'first'"):
        export_archive(archived, settings=offline)
    assert archived.read_bytes() == before
    assert [path.name for path in archived.parent.glob("graph*")] == [archived.name]
    with pytest.raises(UsageError, match="cannot write"):
        export_archive(archived.parent / "no" / "such" / "folder.gz", settings=offline)
    with pytest.raises(NoSuchGraph):
        export_archive(archived, settings=offline.model_copy(update={"graph": "nothing-here"}))


def test_the_command_line_archives_and_imports(
    archived: Path, offline: Settings, database: Database, kg: Kg, tmp_path: Path
) -> None:
    target = tmp_path / "by-hand.gz"
    code, out, err = kg("export", "--archive", str(target), "--json")
    assert code == 0, err
    shape = json.loads(out)
    assert target.read_bytes() == archived.read_bytes()
    assert (shape["graph"], shape["bytes"]) == (offline.graph, target.stat().st_size)
    delete_graph(database, offline.graph)
    code, out, err = kg("import", str(target))
    assert code == 0, err
    assert f"graph          {offline.graph}" in out
    code, out, _ = kg("load", str(target), "--json")
    assert code == 3
    reason = json.loads(out)["skipped"][0]["reason"]
    assert reason == f"a graph, not a text (`kg import {target}` brings it back)"
