"""A graph of another format is refused by all that read or write it; `load --rebuild` deletes it and loads it again."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import tree_runs
from kg_neo4j import LoadOptions, Settings, ask, load, unload
from kg_neo4j.errors import LeaseHeld, SchemaConflict, UnfinishedImport
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import export
from kg_neo4j.graph.lease import GRAPH_FORMAT, Lease
from kg_neo4j.pipeline.commands.communities import community_reports
from kg_neo4j.pipeline.commands.doctor import status
from kg_neo4j.pipeline.commands.graphs import graphs
from kg_neo4j.pipeline.commands.rebuild import copy_graph
from kg_neo4j.pipeline.commands.report import report
from text_folders import written

STATE = "MATCH (s:KgGraphState {graph: $graph}) "
QUESTION = "Who met Karl Braun?"
REBUILD = LoadOptions(rebuild=True)
OTHERS = {
    "another number": "SET s.format = 99",
    "no number": "REMOVE s.format",
    "no state": "DELETE s",
}


@pytest.fixture
def docs(tmp_path: Path) -> str:
    return str(written(tmp_path / "docs"))


def exported(database: Database, graph: str) -> str:
    text = io.StringIO()
    export(database, graph, text)
    return text.getvalue()


@pytest.mark.parametrize("how", OTHERS)
def test_a_graph_of_another_format_is_refused_until_it_is_loaded_again(
    database: Database, offline: Settings, docs: str, how: str
) -> None:
    load([docs], settings=offline)
    fresh = exported(database, offline.graph)
    tree_runs.change(database, "MATCH (d:KgDocument {graph: $graph, key: 'b.txt'}) SET d.odd = 1", graph=offline.graph)
    tree_runs.change(database, STATE + OTHERS[how], graph=offline.graph)
    before = exported(database, offline.graph)
    for use in (
        lambda: load([docs], settings=offline),
        lambda: unload("a.txt", settings=offline),
        lambda: community_reports(settings=offline),
        lambda: copy_graph(f"{offline.graph}-copy", settings=offline),
        lambda: ask(QUESTION, settings=offline),
        lambda: report("nodes-by-type", settings=offline),
    ):
        with pytest.raises(SchemaConflict, match=f"reads format {GRAPH_FORMAT}") as refused:
            use()
        assert "`kg load --rebuild" in str(refused.value.hint)
    assert exported(database, offline.graph) == before != fresh
    assert offline.graph in {each.graph for each in graphs(settings=offline)}
    assert status(settings=offline).stored is not None
    assert load([docs], settings=offline, options=REBUILD).documents == 3
    assert exported(database, offline.graph) == fresh
    assert load([docs], settings=offline).changes == 0
    assert ask(QUESTION, settings=offline).found


def test_nothing_is_deleted_while_another_run_writes(database: Database, offline: Settings, docs: str) -> None:
    load([docs], settings=offline)
    tree_runs.change(database, STATE + "SET s.format = 99", graph=offline.graph)
    before = exported(database, offline.graph)
    with Lease(database, offline.graph), pytest.raises(LeaseHeld):
        load([docs], settings=offline, options=REBUILD)
    assert exported(database, offline.graph) == before


def test_a_graph_of_this_format_is_not_deleted(database: Database, offline: Settings, docs: str) -> None:
    load([docs], settings=offline)
    Path(docs, "b.txt").unlink()
    load([docs], settings=offline, options=REBUILD)
    assert '"key":"b.txt"' in exported(database, offline.graph)


def test_an_empty_graph_has_every_format(database: Database, offline: Settings, docs: str) -> None:
    load([docs], settings=offline)
    unload(docs, settings=offline)
    tree_runs.change(database, STATE + "SET s.format = 99", graph=offline.graph)
    load([docs], settings=offline)
    assert load([docs], settings=offline).changes == 0


def test_a_text_without_entities_leaves_the_format(offline: Settings, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Nothing here that a model could say anything about, really nothing.", "utf-8")
    assert load([str(tmp_path)], settings=offline).nodes == 0
    assert load([str(tmp_path)], settings=offline).changes == 0


def test_an_import_that_was_stopped_is_not_rebuilt(database: Database, offline: Settings, docs: str) -> None:
    load([docs], settings=offline)
    tree_runs.change(database, STATE + "SET s.importing = 'x', s.import_file = 'file.gz'", graph=offline.graph)
    with pytest.raises(UnfinishedImport):
        load([docs], settings=offline, options=REBUILD)
    delete_graph(database, offline.graph)
