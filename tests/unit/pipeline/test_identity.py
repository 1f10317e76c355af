"""One document per file, whatever way it is named when it is loaded and when it is unloaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from document_record import DocumentRecord
from kg_neo4j import LoadOptions, Settings
from kg_neo4j.errors import UsageError
from text_folders import SOURCES, project_in

PLAIN = LoadOptions()
ALIAS = LoadOptions(alias="docs")  # the keys begin with docs/
LOADED = pytest.mark.parametrize("options", [PLAIN, ALIAS], ids=["plain", "alias"])


@pytest.fixture
def record() -> DocumentRecord:
    return DocumentRecord(Settings())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path)


@pytest.mark.parametrize("given", ["--root", "kg.toml"])
def test_a_file_is_one_document_below_one_root_however_it_is_named(
    record: DocumentRecord, project: Path, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = replace(PLAIN, root=str(project)) if given == "--root" else PLAIN
    if given == "kg.toml":
        (project / "kg.toml").touch()
    record.load(str(project), options=options)
    for how, (start, source) in SOURCES.items():
        monkeypatch.chdir(project / start)
        assert record.load(source.format(project=project), options=options).documents >= 1, how
        assert record.keys == ["docs/a.txt", "docs/sub/b.txt"], how


def test_two_folders_with_files_of_one_key_are_refused_and_nothing_is_loaded(
    record: DocumentRecord, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "readme.txt").write_text(f"{name} lived in Vienna.", "utf-8")
    folders = [str(tmp_path / "one"), str(tmp_path / "two")]
    with pytest.raises(UsageError, match="would both have the key"):
        record.load(*folders, options=PLAIN)
    assert record.keys == []
    record.load(*folders, options=replace(PLAIN, root=str(tmp_path)))
    assert record.keys == ["one/readme.txt", "two/readme.txt"]
    assert record.load(*folders, options=PLAIN).changes == 0  # they keep their keys


@LOADED
@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_is_unloaded_by_any_path_to_it(
    record: DocumentRecord,
    project: Path,
    options: LoadOptions,
    is_there: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record.load(str(project / "docs"), options=options)
    whole = {**record.stored}
    if not is_there:
        (project / "docs" / "a.txt").unlink()
    for start, path in (("..", "link/a.txt"), ("docs/sub", "../a.txt"), ("/", f"{project}/docs/a.txt")):
        record.stored = {**whole}
        monkeypatch.chdir(project / start)
        assert len(record.unload(path)) == 1, path
        assert [key.removeprefix("docs/") for key in record.keys] == ["sub/b.txt"], path


@LOADED
def test_a_folder_is_unloaded_by_any_path_to_it(
    record: DocumentRecord, project: Path, options: LoadOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.load(str(project / "docs"), options=options)
    whole = {**record.stored}
    for start, path in (("..", "link"), (".", "docs"), (".", "."), ("docs/sub", ".."), ("/", f"{project}/docs/")):
        record.stored = {**whole}
        monkeypatch.chdir(project / start)
        assert len(record.unload(path)) == 2, path
        assert record.keys == [], path


def test_only_what_a_folder_gave_is_unloaded_with_it(
    record: DocumentRecord, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder docs/sub is not the folder sub of the root, whose keys begin with the same word."""
    (project / "sub").mkdir()
    (project / "sub" / "c.txt").write_text("Ewa Lis lived in Gdynia.", "utf-8")
    record.load(str(project), options=PLAIN)
    monkeypatch.chdir(project / "docs")
    assert record.unload("sub") == ["docs/sub/b.txt"]
    assert record.keys == ["docs/a.txt", "sub/c.txt"]


def test_a_folder_that_was_moved_is_unloaded_by_its_path_below_the_root(
    record: DocumentRecord, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "kg.toml").touch()
    record.load(str(project), options=PLAIN)
    project.rename(tmp_path / "new")
    monkeypatch.chdir(tmp_path / "new" / "docs")
    assert record.unload("a.txt") == ["docs/a.txt"]
    assert record.unload("sub") == ["docs/sub/b.txt"]
    assert record.unload("sub") == []


def test_a_file_of_the_same_name_elsewhere_is_not_unloaded(
    record: DocumentRecord, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.load(str(project / "docs"), options=PLAIN)
    monkeypatch.chdir(project)
    for path in ("nowhere/a.txt", "../elsewhere/a.txt", "/nowhere/sub", "nowhere/sub"):
        assert record.unload(path) == [], path
    assert record.unload("a.txt") == ["a.txt"]
    assert record.unload("sub") == ["sub/b.txt"]


def test_a_root_for_unloading_must_hold_the_path(record: DocumentRecord, project: Path) -> None:
    record.load(str(project / "docs"), options=PLAIN)
    with pytest.raises(UsageError, match="outside the root"):
        record.unload(str(project / "nothing.txt"), root=str(project / "docs"))
    assert record.unload(str(project / "docs" / "sub"), root=str(project)) == ["sub/b.txt"]
