"""Which files are gone from a folder: only what a folder lists is believed, and only what came from that folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kg_neo4j.acquire.files import read
from kg_neo4j.acquire.folders import LoadedFolder, loaded_folders
from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.records import Document


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub" / "deep").mkdir(parents=True)
    for name in ("a.md", "sub/b.md", "sub/deep/c.md"):
        (folder / name).write_text(f"# {name}", "utf-8")
    return folder


def stored(folder: Path, alias: str | None = None) -> dict[str, tuple[str, str, str]]:
    """Return what a graph has of the files of a folder, by key: origin, key, source."""
    found = [each for each in read([str(folder)], graph="g", alias=alias) if isinstance(each, Document)]
    return {each.key: (origin_id(each.origin or ""), each.key, each.source) for each in found}


def test_files_and_folders_that_are_there_are_not_gone(docs: Path) -> None:
    folder = LoadedFolder(str(docs))
    assert [folder.is_gone(name) for name in ("a.md", "sub/b.md", "sub/deep/c.md")] == [False] * 3
    (docs / "a.md").write_bytes(b"\0\1\2")  # no text any more, but there
    assert LoadedFolder(str(docs)).is_gone("a.md") is False


def test_what_no_folder_lists_is_gone_also_with_its_folder(docs: Path) -> None:
    (docs / "a.md").unlink()
    shutil.rmtree(docs / "sub")
    folder = LoadedFolder(str(docs))
    assert [folder.is_gone(name) for name in ("a.md", "sub/b.md", "sub/deep/c.md")] == [True] * 3


def test_names_are_compared_letter_by_letter(docs: Path) -> None:
    (docs / "a.md").rename(docs / "A.md")
    assert LoadedFolder(str(docs)).is_gone("a.md") is True


def test_nothing_is_known_of_what_lies_below_a_folder_that_cannot_be_read(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Path.iterdir
    closed = docs / "sub"

    def refuse(path: Path) -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    folder = LoadedFolder(str(docs))
    assert folder.is_gone("sub/b.md") is None
    assert folder.is_gone("sub/deep/gone.md") is None
    assert folder.is_gone("gone.md") is True


@pytest.mark.parametrize(
    ("root", "loaded"),
    [(".", "."), (".", "docs"), ("docs", "docs"), ("docs", "docs/sub"), ("docs/sub", "docs/sub"), (None, "docs")],
)
def test_documents_of_a_folder_are_known_whatever_root_their_keys_have(
    docs: Path, root: str | None, loaded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(docs.parent)
    found = [each for each in read([loaded], graph="g", root=root) if isinstance(each, Document)]
    shutil.rmtree(docs / "sub")
    folder = LoadedFolder(str(docs))
    where = {folder.find(origin_id(each.origin or ""), each.key, each.source) for each in found}
    assert {"sub/b.md", "sub/deep/c.md"} <= where <= {"a.md", "sub/b.md", "sub/deep/c.md"}


def test_a_folder_of_the_same_name_elsewhere_is_another_one(docs: Path, tmp_path: Path) -> None:
    origin, key, source = stored(docs)["sub/b.md"]
    other = tmp_path / "other" / "docs"
    shutil.copytree(docs, other)
    assert LoadedFolder(str(docs)).find(origin, key, source) == "sub/b.md"
    assert LoadedFolder(str(other)).find(origin, key, source) is None
    assert LoadedFolder(str(docs / "sub")).find(origin, key, source) == "b.md"
    assert LoadedFolder(str(docs)).find(None, key, source) is None


def test_an_alias_names_the_keys(docs: Path) -> None:
    known = stored(docs, "mine")["mine/a.md"]
    (docs / "a.md").unlink()
    folder = LoadedFolder(str(docs), "mine")
    assert folder.prefix == "mine/"
    assert folder.find(*known) == "a.md"
    assert LoadedFolder(str(docs)).find(*known) == "a.md"  # by its source


def test_a_file_is_in_a_folder_by_its_whole_path(docs: Path, tmp_path: Path) -> None:
    folder = LoadedFolder(str(docs / "sub"))
    assert folder.path_in(str(docs / "sub" / "deep" / "c.md")) == "deep/c.md"
    assert folder.path_in(str(docs / "a.md")) is None
    assert folder.path_in(None) is None


def test_only_folders_are_looked_into(docs: Path) -> None:
    (found,) = loaded_folders([str(docs / "a.md"), str(docs), str(docs / "nowhere")])
    assert found.prefix == ""
    (found,) = loaded_folders([str(docs)], root=str(docs.parent))
    assert found.prefix == "docs/"
