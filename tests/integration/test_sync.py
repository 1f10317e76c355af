"""What was loaded is kept in step with where it came from: edited and vanished files. tests/unit has the decisions."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from crash_points import COMMITTED, CrashPoints, Step
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load, unload
from kg_neo4j.errors import ModelRefused
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from text_folders import DOCS, dump, keys, written

PLAIN = LoadOptions(analytics=False)
PRUNE = LoadOptions(analytics=False, prune=True)


@pytest.fixture
def online(offline: Settings, llm: FakeLlm, tmp_path: Path) -> Settings:
    changed = {"openai_base_url": llm.url, "model": "scripted", "model_concurrency": 4, "cache": tmp_path / "cache"}
    return Settings(**{**offline.model_dump(), **changed, "answer_cache": False})


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return written(tmp_path / "docs")


def alone(database: Database, settings: Settings, folder: Path) -> str:
    """Return the export of a graph that never had anything else; the graph is emptied first."""
    delete_graph(database, settings.graph)
    load([str(folder)], settings=settings, options=PLAIN)
    return dump(database, settings.graph)


# ---------------------------------------------------------------------------------------------------- vanished files


def test_files_that_vanished_are_reported_and_stay_until_they_are_pruned(
    database: Database, offline: Settings, docs: Path
) -> None:
    load([str(docs)], settings=offline, options=PLAIN)
    whole = dump(database, offline.graph)
    (docs / "b.txt").unlink()
    shutil.rmtree(docs / "sub")
    reported = load([str(docs)], settings=offline, options=PLAIN)
    assert reported.changes == 0
    assert dump(database, offline.graph) == whole
    assert "b.txt, sub/c.txt: no longer where they came from: they stay until --prune removes them" in reported.notes
    pruned = load([str(docs)], settings=offline, options=PRUNE)
    assert pruned.changes > 0
    assert any(note.startswith("b.txt, sub/c.txt: removed") for note in pruned.notes)
    left = dump(database, offline.graph)
    assert "Marie Curie" not in left
    assert "Anna Weber" in left
    assert load([str(docs)], settings=offline, options=PRUNE).changes == 0
    assert left == alone(database, offline, docs)


def test_nothing_is_pruned_where_the_load_itself_fails(
    database: Database, online: Settings, llm: FakeLlm, docs: Path
) -> None:
    load([str(docs)], settings=online, options=PLAIN)
    (docs / "b.txt").unlink()
    (docs / "a.txt").write_text("Another text about Ewa Lis.", "utf-8")
    for _ in range(9):
        llm.fail(401)
    with pytest.raises(ModelRefused):
        load([str(docs)], settings=online, options=PRUNE)
    assert "b.txt" in keys(database, online.graph)


@pytest.mark.parametrize(
    "step",
    [
        Step(f"{COMMITTED}write/withdraw_evidence", 0),
        Step("write/delete_chunks", 0),
        Step(f"{COMMITTED}write/delete_chunks", 1),
        Step(f"{COMMITTED}write/delete_entities", 0),
        Step("write/delete_document", 0),
        Step(f"{COMMITTED}write/delete_document", 0),
    ],
    ids=str,
)
def test_a_prune_that_was_killed_is_ended_by_the_next_one(
    database: Database,
    offline: Settings,
    environment: Mapping[str, str],
    runner: CrashPoints,
    docs: Path,
    step: Step,
) -> None:
    load([str(docs)], settings=offline, options=PLAIN)
    (docs / "b.txt").unlink()
    (docs / "sub" / "c.txt").unlink()
    arguments = ["load", str(docs), "--prune", "--no-analytics"]
    assert runner.run(arguments, environment, kill_at=step).killed
    assert runner.run(arguments, environment).exit_code == 0
    left = dump(database, offline.graph)
    assert left == alone(database, offline, docs)


# -------------------------------------------------------------------------------------------------------- unloading


def test_unloading_one_of_two_gives_the_graph_of_the_other(
    database: Database, offline: Settings, docs: Path, tmp_path: Path
) -> None:
    other = written(tmp_path / "more", {"d.txt": DOCS["a.txt"] + " Ewa Lis lived in Gdynia."})
    load([str(other)], settings=offline)
    wanted = dump(database, offline.graph)
    delete_graph(database, offline.graph)
    load([str(docs)], settings=offline, options=PLAIN)
    load([str(other)], settings=offline)
    assert unload(f"{docs}/", settings=offline).documents == 3
    assert dump(database, offline.graph) == wanted


# ------------------------------------------------------------------------------------------------------------ edits

NEW = (
    "In the spring a traveller from the north came to the town and read in its library about the caravans, the wells "
    "and the roads of the desert. He wrote a letter about them to his sister, and she kept it."
)


def test_an_edited_article_is_asked_about_where_it_changed_and_gives_the_graph_of_its_new_text(
    database: Database, online: Settings, shared_data: Path, tmp_path: Path
) -> None:
    options = LoadOptions(analytics=False, gleanings=0, wave=0)
    paragraphs = (shared_data / "wikipedia" / "kirito_MarieCurie.txt").read_text("utf-8").split("\n")
    removed, place = len(paragraphs) // 5, len(paragraphs) // 2
    article = tmp_path / "article.txt"
    article.write_text("\n".join(paragraphs), "utf-8")
    whole = load([str(article)], settings=online, options=options)
    paragraphs[place:place] = [NEW]
    article.write_text("\n".join([*paragraphs[:removed], *paragraphs[removed + 1 :]]), "utf-8")
    calls = load([str(article)], settings=online, options=options).steps["whole"].calls
    assert 1 <= calls <= 4 < whole.chunks  # two for each place
    edited = dump(database, online.graph)
    delete_graph(database, online.graph)
    load([str(article)], settings=online, options=options)
    assert dump(database, online.graph) == edited
