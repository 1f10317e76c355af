"""One key per file, however it is named: the path relative to a root. Files of the graph keep their keys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from kg_neo4j.acquire import files
from kg_neo4j.acquire.folders import find, places_of
from kg_neo4j.acquire.identity import origin_id
from kg_neo4j.errors import UsageError
from kg_neo4j.records import Document, SkippedSource


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with docs/a.txt and docs/sub/b.txt, and a link to docs beside it."""
    folder = tmp_path / "project"
    (folder / "docs" / "sub").mkdir(parents=True)
    (folder / "docs" / "a.txt").write_text("Anna.", "utf-8")
    (folder / "docs" / "sub" / "b.txt").write_text("Berta.", "utf-8")
    (tmp_path / "link").symlink_to(folder / "docs")
    return folder


def keys(*sources: Path | str, root: Path | str | None = None, known: Mapping[str, str] | None = None) -> list[str]:
    given = None if root is None else str(root)
    found = files.read([str(each) for each in sources], graph="g", root=given, known=known)
    return [each.key for each in found if isinstance(each, Document)]


def ids(source: Path | str, root: Path | str | None = None) -> set[tuple[str, str]]:
    """Return key and id of docs/a.txt."""
    found = files.read([str(source)], graph="g", root=None if root is None else str(root))
    documents = [each for each in found if isinstance(each, Document)]
    return {(each.key, each.id) for each in documents if each.text == "Anna."}


NAMED = {  # how docs/a.txt is named: from which folder, and by which source
    "alone": (".", "docs/a.txt"),
    "alone, from its folder": ("docs", "a.txt"),
    "alone, with ./": (".", "./docs/./a.txt"),
    "alone, from another folder": ("docs/sub", "../a.txt"),
    "alone, through a link to its folder": ("..", "link/a.txt"),
    "alone, by its absolute path": ("/", "{project}/docs/a.txt"),
    "through its folder": (".", "docs"),
    "through its folder, with a slash": (".", "docs/"),
    "through its folder, with ./": (".", "./docs"),
    "through its folder, from there": ("docs", "."),
    "through its folder, from below": ("docs/sub", ".."),
    "through its folder, by its absolute path": ("/", "{project}/docs"),
    "through a link to its folder": ("..", "link"),
    "through the folder above": (".", "."),
}


def named(project: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> str:
    start, source = NAMED[how]
    monkeypatch.chdir(project / start)
    return source.format(project=project)


@pytest.mark.parametrize("how", NAMED)
def test_a_file_has_one_key_and_one_id_below_a_root(project: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = named(project, how, monkeypatch)
    found = ids(source, project)
    assert {key for key, _ in found} == {"docs/a.txt"}
    assert found == ids(project / "docs" / "a.txt", project)


@pytest.mark.parametrize("how", NAMED)
@pytest.mark.parametrize("content", ["", "# a root\n[later]\noption = 1\n"], ids=["empty", "with options"])
def test_a_file_has_one_key_and_one_id_below_a_marked_folder(
    project: Path, how: str, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "kg.toml").write_text(content, "utf-8")
    assert {key for key, _ in ids(named(project, how, monkeypatch))} == {"docs/a.txt"}


@pytest.mark.parametrize("how", [how for how in NAMED if how != "through the folder above"])
def test_without_a_root_the_folder_that_is_named_is_the_root(
    project: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {key for key, _ in ids(named(project, how, monkeypatch))} == {"a.txt"}


def test_keys_are_relative_paths_with_slashes(project: Path) -> None:
    assert keys(project / "docs") == ["a.txt", "sub/b.txt"]
    assert keys(project) == ["docs/a.txt", "docs/sub/b.txt"]
    assert keys(project / "docs" / "sub", root=project) == ["docs/sub/b.txt"]
    assert keys(project / "docs", root=project / "docs") == ["a.txt", "sub/b.txt"]


def test_the_nearest_mark_counts_and_a_given_root_more(project: Path) -> None:
    (project / "kg.toml").touch()
    (project / "docs" / "kg.toml").touch()
    assert keys(project / "docs" / "sub") == ["sub/b.txt"]
    assert keys(project / "docs" / "sub", root=project.parent) == ["project/docs/sub/b.txt"]


def test_the_mark_is_no_source(project: Path) -> None:
    (project / "docs" / "kg.toml").touch()
    found = list(files.read([str(project / "docs")], graph="g"))
    assert [type(each) for each in found] == [Document, Document]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"\xff\xfe", "not TOML"), (b"= nothing", "not TOML"), (b"[" * 60_000, "not TOML"), (b"#" * 70_000, "bytes")],
    ids=["bytes", "words", "deep", "long"],
)
def test_a_mark_that_is_no_toml_is_refused(project: Path, content: bytes, reason: str) -> None:
    (project / "kg.toml").write_bytes(content)
    with pytest.raises(UsageError, match=reason) as caught:
        keys(project / "docs")
    assert str(project / "kg.toml") in str(caught.value)
    assert "kg.toml" in (caught.value.hint or "")
    assert keys(project / "docs", root=project) == ["docs/a.txt", "docs/sub/b.txt"]


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_mark_that_is_no_file_is_refused(project: Path, kind: str) -> None:
    (project / "kg.toml").mkdir() if kind == "folder" else os.mkfifo(project / "kg.toml")
    with pytest.raises(UsageError, match="not a file"):
        keys(project / "docs")


@pytest.mark.parametrize("source", ["docs", "docs/a.txt", ".", "../link"])
def test_a_source_outside_the_root_is_refused_with_both(
    project: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "other").mkdir()
    monkeypatch.chdir(project)
    with pytest.raises(UsageError, match="outside the root") as caught:
        files.read([source], graph="g", root="other")
    assert str(project / "other") in str(caught.value)
    assert str((project / source).resolve()) in str(caught.value)
    assert "--root DIR" in (caught.value.hint or "")


@pytest.mark.parametrize("root", ["docs/a.txt", "nowhere"])
def test_a_root_that_is_no_folder_is_refused(project: Path, root: str) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        files.read([str(project / "docs")], graph="g", root=str(project / root))


def test_links_to_a_file_have_the_key_of_the_file(project: Path) -> None:
    (project / "docs" / "a-link.txt").symlink_to("a.txt")
    assert keys(project / "docs") == ["a.txt", "sub/b.txt"]
    assert keys(project / "docs" / "a-link.txt") == ["a.txt"]
    (project / "other").mkdir()
    (project / "other" / "link.txt").symlink_to(project / "docs" / "a.txt")
    assert keys(project / "other" / "link.txt") == ["link.txt"]  # it leads out of the root
    assert keys(project / "other" / "link.txt", root=project) == ["docs/a.txt"]


def test_two_folders_with_files_of_one_key_are_refused_before_a_file_is_read(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "readme.txt").write_text(name, "utf-8")
    sources = [str(tmp_path / "one"), str(tmp_path / "two")]
    with pytest.raises(UsageError) as caught:
        next(files.read(sources, graph="g"))
    assert str(tmp_path / "one" / "readme.txt") in str(caught.value)
    assert str(tmp_path / "two" / "readme.txt") in str(caught.value)
    assert "--root DIR" in (caught.value.hint or "")
    assert "--as NAME" in (caught.value.hint or "")
    assert keys(*sources, root=tmp_path) == ["one/readme.txt", "two/readme.txt"]
    (tmp_path / "kg.toml").touch()
    assert keys(*sources) == ["one/readme.txt", "two/readme.txt"]


def test_a_folder_and_a_folder_in_it_are_read_once(project: Path) -> None:
    assert keys(project / "docs", project / "docs" / "sub") == ["a.txt", "sub/b.txt"]
    found = list(find(places_of([str(project / "docs" / "sub"), str(project / "docs")])))
    assert [each.reason for each in found if isinstance(each, SkippedSource)] == ["already read as 'b.txt'"]


# ------------------------------------------------------------------------------------------------- files of a graph


def origin(path: Path) -> str:
    return origin_id(str(path.resolve()))


@pytest.mark.parametrize("how", NAMED)
@pytest.mark.parametrize("root", [None, "."])
def test_a_file_of_the_graph_keeps_its_key(
    project: Path, how: str, root: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = named(project, how, monkeypatch)
    known = {"elsewhere/a.txt": origin(project / "docs" / "a.txt"), "x.txt": "0" * 32}
    found = keys(source, root=project / root if root else None, known=known)
    assert "elsewhere/a.txt" in found
    assert not [each for each in found if each.endswith("a.txt") and each != "elsewhere/a.txt"]


def test_of_two_keys_that_the_graph_has_of_a_file_that_below_the_root_is_taken(project: Path) -> None:
    known = dict.fromkeys(("a.txt", "docs/a.txt", "b.txt"), origin(project / "docs" / "a.txt"))
    assert keys(project / "docs", known=known)[0] == "a.txt"
    assert keys(project / "docs" / "a.txt", known=known) == ["a.txt"]
    assert keys(project, known=known)[0] == "docs/a.txt"
    assert keys(project.parent / "link", root=project.parent, known=known)[0] == "a.txt"  # the first one


def test_the_key_of_another_file_is_not_taken_for_its_name(project: Path) -> None:
    known = {"docs/a.txt": "0" * 32}
    assert keys(project / "docs", known=known) == ["a.txt", "sub/b.txt"]


def test_a_file_whose_key_another_one_kept_is_skipped_with_both_paths(project: Path) -> None:
    (project / "docs" / "z.txt").write_text("Zofia.", "utf-8")
    known = {"z.txt": origin(project / "docs" / "a.txt")}
    found = list(files.read([str(project / "docs")], graph="g", known=known))
    assert [each.key for each in found if isinstance(each, Document)] == ["z.txt", "sub/b.txt"]
    (skipped,) = [each for each in found if isinstance(each, SkippedSource)]
    assert skipped.source == str(project / "docs" / "z.txt")
    assert str(project / "docs" / "a.txt") in skipped.reason
    assert "--as NAME" in skipped.reason


def test_an_alias_is_taken_as_it_is(project: Path) -> None:
    known = {"docs/a.txt": origin(project / "docs" / "a.txt")}
    found = files.read([str(project / "docs")], graph="g", alias="mine", known=known)
    assert [each.key for each in found if isinstance(each, Document)] == ["mine/a.txt", "mine/sub/b.txt"]
