"""One document per file, whatever way it is named: what is in the graph keeps its key."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load, unload
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.extract import exchange
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.plan import plan
from kg_neo4j.records import Filters
from kg_neo4j.retrieve.filtered import all_left
from kg_neo4j.retrieve.filters import resolve
from kg_neo4j_scale.extract import extract
from text_folders import SOURCES, dump, keys, project_in

PLAIN = LoadOptions(analytics=False)
PRUNE = LoadOptions(analytics=False, prune=True)
ALIAS = LoadOptions(analytics=False, alias="docs")  # the keys begin with docs/


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path)


@pytest.mark.parametrize("root", [None, pytest.param(".", marks=pytest.mark.long), "docs"])
def test_what_was_loaded_under_another_name_is_changed_by_no_way_of_naming_it(
    database: Database, offline: Settings, project: Path, root: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    load([str(project / "docs")], settings=offline, options=ALIAS)
    whole = dump(database, offline.graph)
    options = replace(PRUNE, root=str(project / root) if root else None)
    for how, (start, source) in SOURCES.items():
        if root == "docs" and how == "through the folder above":
            continue  # the folder above is outside of the root
        monkeypatch.chdir(project / start)
        named = source.format(project=project)
        assert load([named], settings=offline, options=options).changes == 0, how
        assert plan([named], settings=offline, options=options).chunks_to_ask == 0
    assert dump(database, offline.graph) == whole
    (project / "docs" / "a.txt").write_text("Ewa Lis lived in Gdynia.", "utf-8")
    assert load([str(project / "docs" / "a.txt")], settings=offline, options=options).changes > 0
    assert keys(database, offline.graph) == ["docs/a.txt", "docs/sub/b.txt"]
    assert "Karl Braun" not in dump(database, offline.graph)


def test_a_dry_run_knows_the_keys_of_the_graph(
    database: Database, online: Settings, llm: FakeLlm, project: Path
) -> None:
    del database, llm
    load([str(project / "docs")], settings=online, options=ALIAS)
    assert plan([str(project / "docs")], settings=online, options=PLAIN).chunks_to_ask == 0
    (project / "docs" / "c.txt").write_text("Ewa Lis lived in Gdynia.", "utf-8")
    assert plan([str(project / "docs")], settings=online, options=PLAIN).chunks_to_ask == 1


def test_a_folder_that_was_moved_is_known(database: Database, offline: Settings, project: Path, tmp_path: Path) -> None:
    load([str(project / "docs")], settings=offline, options=PLAIN)
    whole = dump(database, offline.graph)
    moved = tmp_path / "new" / "docs"
    shutil.copytree(project / "docs", moved)
    shutil.rmtree(project)
    assert load([str(moved)], settings=offline, options=PRUNE).changes == 0
    assert dump(database, offline.graph) == whole
    (moved / "sub" / "b.txt").unlink()
    report = load([str(moved)], settings=offline, options=PRUNE)
    assert report.changes == 0
    assert [note for note in report.notes if "sub/b.txt: not in the folder, but loaded from another place" in note]
    (moved / "a.txt").write_text("Ewa Lis lived in Gdynia.", "utf-8")
    with pytest.raises(UsageError, match="another file's text") as caught:
        load([str(moved)], settings=offline, options=PRUNE)
    assert str(moved / "a.txt") in str(caught.value)
    assert str(project / "docs" / "a.txt") in str(caught.value)
    assert "--root DIR" in (caught.value.hint or "")


def test_a_filter_takes_documents_by_key_and_by_the_source_that_was_named(
    database: Database, offline: Settings, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    load(["docs/"], settings=offline, options=PLAIN)
    for wanted, found in (("docs/sub/*", 1), ("docs/*", 2), ("sub/b.txt", 1), ("docs/a.txt", 1)):
        scope = resolve(database, offline.graph, Filters(documents=(wanted,)))
        assert (2 if scope is None else len(all_left(database, offline.graph, scope).chunks)) == found


# -------------------------------------------------------------------------------------------------------- unloading


def test_a_folder_that_was_moved_is_unloaded_by_its_path_below_the_root(
    database: Database, offline: Settings, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "kg.toml").touch()
    load([str(project)], settings=offline, options=PLAIN)
    project.rename(tmp_path / "new")
    monkeypatch.chdir(tmp_path / "new" / "docs")
    assert unload("a.txt", settings=offline).documents == 1
    assert unload("sub", settings=offline).documents == 1
    assert keys(database, offline.graph) == []
    with pytest.raises(SourceNotFound):
        unload("sub", settings=offline)


# --------------------------------------------------------------------------------------------- files of extractions


def test_an_extraction_under_another_key_is_refused_and_names_both(
    database: Database, offline: Settings, project: Path, tmp_path: Path
) -> None:
    """`extract` has no database, so it cannot know which key a graph has."""
    docs = [str(project / "docs")]
    load(docs, settings=offline, options=ALIAS)
    whole = dump(database, offline.graph)
    extract(docs, to=str(tmp_path / "new"), settings=offline, options=PLAIN)
    with pytest.raises(UsageError, match="was extracted under the key") as caught:
        load([str(tmp_path / "new")], settings=offline, options=PLAIN)
    assert "the key 'docs/" in str(caught.value)
    assert dump(database, offline.graph) == whole
    extract(docs, to=str(tmp_path / "same"), settings=offline, options=ALIAS)
    assert load([str(tmp_path / "same")], settings=offline, options=PLAIN).changes == 0
    assert dump(database, offline.graph) == whole


def test_an_extraction_has_the_keys_of_its_root(offline: Settings, project: Path, tmp_path: Path) -> None:
    target = tmp_path / "to"
    extract([str(project / "docs")], to=str(target), settings=offline, options=replace(PLAIN, root=str(project)))
    (path,) = target.iterdir()
    assert [each.document.key for each in exchange.documents(path)] == ["docs/a.txt", "docs/sub/b.txt"]
