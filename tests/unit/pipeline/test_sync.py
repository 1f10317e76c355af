"""What of the files in a graph is gone from their folder, what stays, and what a report says of both."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from document_record import DocumentRecord
from kg_neo4j import LoadOptions, Settings
from kg_neo4j.acquire.folders import LoadedFolder
from kg_neo4j.errors import SourceNotFound, UsageError
from kg_neo4j.pipeline.sync import GONE, MAX_NAMED, OTHERS, UNSURE, FolderComparison, compare
from text_folders import written

PLAIN = LoadOptions()
PRUNE = LoadOptions(prune=True)
ALIAS = LoadOptions(alias="docs")  # the keys begin with docs/
LOADED = pytest.mark.parametrize(("first", "begin"), [(PLAIN, ""), (ALIAS, "docs/")], ids=["plain", "alias"])


@pytest.fixture
def record() -> DocumentRecord:
    return DocumentRecord(Settings())


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return written(tmp_path / "docs")


def test_what_patterns_leave_out_is_not_gone(record: DocumentRecord, docs: Path) -> None:
    record.load(str(docs), options=replace(PLAIN, exclude=("sub",)))
    assert record.keys == ["a.txt", "b.txt"]
    record.load(str(docs), options=replace(PRUNE, include=("c.txt",)))
    assert record.keys == ["a.txt", "b.txt", "sub/c.txt"]
    (docs / "b.txt").unlink()
    record.load(str(docs), options=replace(PRUNE, exclude=("b.txt", "sub")))
    assert record.keys == ["a.txt", "sub/c.txt"]


@LOADED
def test_files_that_vanished_are_reported_then_removed(
    record: DocumentRecord, docs: Path, first: LoadOptions, begin: str
) -> None:
    record.load(str(docs), options=first)
    (docs / "b.txt").unlink()
    shutil.rmtree(docs / "sub")
    reported = record.load(str(docs), options=PLAIN)
    assert reported.notes == [f"{begin}b.txt, {begin}sub/c.txt: {GONE}"]
    assert reported.changes == 0
    pruned = record.load(str(docs), options=PRUNE)
    assert pruned.notes == [f"{begin}b.txt, {begin}sub/c.txt: removed: no longer where they came from"]
    assert record.keys == [f"{begin}a.txt"]
    assert record.load(str(docs), options=PRUNE).notes == []


def test_a_note_names_the_first_documents_and_counts_the_others(record: DocumentRecord, tmp_path: Path) -> None:
    folder = written(tmp_path / "docs", {f"{number:02}.txt": "Text." for number in range(MAX_NAMED + 3)})
    record.load(str(folder), options=PLAIN)
    for number in range(MAX_NAMED + 2):
        (folder / f"{number:02}.txt").unlink()
    (note,) = record.load(str(folder), options=PLAIN).notes
    assert note == f"{', '.join(f'{number:02}.txt' for number in range(MAX_NAMED))} and 2 more: {GONE}"


@pytest.mark.parametrize("is_marked", [True, False], ids=["marked", "not marked"])
def test_a_folder_of_the_same_name_elsewhere_and_files_loaded_by_name_are_not_touched(
    record: DocumentRecord, docs: Path, tmp_path: Path, is_marked: bool
) -> None:
    other = written(tmp_path / "other" / "docs", {"z.txt": "Zofia Nowak."})
    single = written(tmp_path / "single", {"docs.txt": "Ewa Lis."})
    for folder in (docs.parent, other.parent) if is_marked else ():
        (folder / "kg.toml").touch()
    for source in (docs, other, single / "docs.txt"):
        record.load(str(source), options=PLAIN)
    (single / "docs.txt").unlink()
    whole = record.listed()
    assert len(whole) == 5
    for source, others in ((docs, "docs/z.txt"), (other, "docs/a.txt, docs/b.txt, docs/sub/c.txt")):
        tally = record.load(str(source), options=PRUNE)
        assert tally.changes == 0
        assert tally.notes == ([f"{others}: {OTHERS}"] if is_marked else [])
    assert record.listed() == whole


@LOADED
def test_files_that_a_moved_folder_had_at_its_former_place_are_named(
    record: DocumentRecord, docs: Path, tmp_path: Path, first: LoadOptions, begin: str
) -> None:
    """One of its files tells: the graph has it with another origin."""
    record.load(str(docs), options=first)
    moved = tmp_path / "new" / "docs"
    shutil.move(docs, moved)
    (moved / "sub" / "c.txt").unlink()
    read = {each.id: str(moved / each.key.removeprefix(begin)) for each in record.listed() if "c.txt" not in each.key}
    found = compare(LoadedFolder(str(moved)), record.listed(), read, prune=True)
    assert [each.key for each in found.others] == [f"{begin}sub/c.txt"]
    assert found.notes == [f"{begin}sub/c.txt: {OTHERS}"]
    assert (found.gone, found.unsure, found.skipped) == ((), (), ())


@LOADED
def test_a_folder_without_a_readable_file_loses_nothing_and_is_skipped_with_the_reason(
    record: DocumentRecord, docs: Path, first: LoadOptions, begin: str
) -> None:
    """An empty folder is what is left where a disk is not mounted."""
    del begin
    record.load(str(docs), options=first)
    whole = record.listed()
    shutil.rmtree(docs)
    with pytest.raises(SourceNotFound):
        record.load(str(docs), options=PRUNE)
    docs.mkdir()
    (docs / "lost.txt").write_text("  ", "utf-8")
    tally = record.load(str(docs), options=PRUNE)
    (skipped,) = [each for each in tally.skipped if f"`kg unload {docs}`" in each.reason]
    assert skipped.source == str(docs)
    assert "its 3 documents stay" in skipped.reason
    assert record.listed() == whole
    assert any(GONE in note for note in record.load(str(docs), options=PLAIN).notes)
    assert record.unload(str(docs)) == [each.key for each in whole]


def test_files_of_another_folder_do_not_let_an_empty_one_lose_its_documents(
    record: DocumentRecord, docs: Path, tmp_path: Path
) -> None:
    other = written(tmp_path / "more", {"d.txt": "Ewa Lis."})
    record.load(str(docs), str(other), options=PLAIN)
    shutil.rmtree(docs)
    docs.mkdir()
    tally = record.load(str(docs), str(other), options=PRUNE)
    assert [each.source for each in tally.skipped] == [str(docs)]
    assert record.keys == ["a.txt", "b.txt", "d.txt", "sub/c.txt"]


def test_a_file_that_cannot_be_read_any_more_keeps_its_document(record: DocumentRecord, docs: Path) -> None:
    record.load(str(docs), options=PLAIN)
    (docs / "a.txt").write_bytes(bytes(range(256)) * 20)
    tally = record.load(str(docs), options=PRUNE)
    assert [Path(skipped.source).name for skipped in tally.skipped] == ["a.txt"]
    assert tally.notes == []
    assert "a.txt" in record.keys


def test_what_lies_below_a_closed_folder_is_neither_gone_nor_kept_in_silence(
    record: DocumentRecord, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.load(str(docs), options=PLAIN)
    listed, closed = Path.iterdir, docs / "sub"

    def refuse(path: Path) -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    stored = record.listed()
    read = {each.id: str(docs / each.key) for each in stored if each.key != "sub/c.txt"}
    found = compare(LoadedFolder(str(docs)), stored, read, prune=True)
    assert found == FolderComparison((), stored[2:], ())
    assert found.notes == [f"sub/c.txt: {UNSURE}"]


@pytest.mark.parametrize(
    ("name", "number"), [("", 0), ("/", 0), ("//", 0), ("doc", 0), ("docs/su", 0), ("docs/", 3), ("docs/sub", 1)]
)
def test_an_empty_name_or_the_root_names_no_document_to_unload(
    record: DocumentRecord, docs: Path, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    record.load(str(docs), options=PLAIN)
    monkeypatch.chdir(docs.parent)
    assert len(record.unload(name)) == number


def test_a_language_that_is_named_is_not_guessed(record: DocumentRecord, tmp_path: Path) -> None:
    source = str(written(tmp_path, {"x.txt": "Anna Weber met Karl Braun in Vienna."}) / "x.txt")
    record.load(source, options=PLAIN)
    assert record.listed()[0].language is None
    assert record.load(source, options=replace(PLAIN, language="de")).documents == 1
    assert record.listed()[0].language == "de"
    with pytest.raises(UsageError, match="code of a language"):
        record.load(source, options=replace(PLAIN, language="../x"))
