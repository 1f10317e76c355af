"""Which files are gone from a folder: only what a folder lists is believed, and only what came from that folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kg_neo4j.acquire.absence import LoadedFolder, loaded_folders
from kg_neo4j.acquire.files import read
from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.records import Document


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub" / "deep").mkdir(parents=True)
    for name in ("a.md", "sub/b.md", "sub/deep/c.md"):
        (folder / name).write_text(f"# {name}", "utf-8")
    return folder


def origins(folder: Path, alias: str | None = None) -> dict[str, str]:
    found = [each for each in read([str(folder)], graph="g", alias=alias) if isinstance(each, Document)]
    return {each.key: origin_id(each.origin or "") for each in found}


def test_files_and_folders_that_are_there_are_not_gone(docs: Path) -> None:
    folder = LoadedFolder(str(docs))
    assert [folder.is_gone(f"docs/{name}") for name in ("a.md", "sub/b.md", "sub/deep/c.md")] == [False] * 3
    (docs / "a.md").write_bytes(b"\0\1\2")  # no text any more, but there
    assert LoadedFolder(str(docs)).is_gone("docs/a.md") is False


def test_what_no_folder_lists_is_gone_also_with_its_folder(docs: Path) -> None:
    (docs / "a.md").unlink()
    shutil.rmtree(docs / "sub")
    folder = LoadedFolder(str(docs))
    assert [folder.is_gone(f"docs/{name}") for name in ("a.md", "sub/b.md", "sub/deep/c.md")] == [True] * 3


def test_names_are_compared_letter_by_letter(docs: Path) -> None:
    (docs / "a.md").rename(docs / "A.md")
    assert LoadedFolder(str(docs)).is_gone("docs/a.md") is True


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
    assert folder.is_gone("docs/sub/b.md") is None
    assert folder.is_gone("docs/sub/deep/gone.md") is None
    assert folder.is_gone("docs/gone.md") is True


def test_a_folder_of_the_same_name_elsewhere_is_another_one(docs: Path, tmp_path: Path) -> None:
    stored = origins(docs)
    other = tmp_path / "other" / "docs"
    shutil.copytree(docs, other)
    assert LoadedFolder(str(docs)).bore("docs/sub/b.md", stored["docs/sub/b.md"])
    assert not LoadedFolder(str(other)).bore("docs/sub/b.md", stored["docs/sub/b.md"])
    assert not LoadedFolder(str(docs)).bore("docs/a.md", None)


def test_links_to_the_folder_and_within_it_are_followed(docs: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(docs)
    (docs / "sub" / "b.md").rename(docs / "target.md")
    (docs / "a.md").unlink()
    (docs / "a.md").symlink_to(docs / "target.md")  # read first, so it gives the key
    stored = origins(link)
    (docs / "a.md").unlink()
    folder = LoadedFolder(str(link))
    assert folder.prefix == "link/"
    assert folder.is_gone("link/a.md") is True
    assert folder.bore("link/a.md", stored["link/a.md"])


def test_an_alias_names_the_keys(docs: Path) -> None:
    stored = origins(docs, "mine")
    (docs / "a.md").unlink()
    folder = LoadedFolder(str(docs), "mine")
    assert folder.is_gone("mine/a.md") is True
    assert folder.bore("mine/a.md", stored["mine/a.md"])


def test_only_folders_are_looked_into(docs: Path) -> None:
    (found,) = loaded_folders([str(docs / "a.md"), str(docs), str(docs / "nowhere")])
    assert found.prefix == "docs/"
