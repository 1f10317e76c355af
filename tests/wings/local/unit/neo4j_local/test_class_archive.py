"""The archive of the server's classes: who has one made, what Java is given, and that a failure leaves nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import filelock
import pytest

from neo4j_local import class_archive, disk
from neo4j_local.errors import DiskFull

LISTED = (
    "java/lang/Object id: 0\n"
    + "x" * 5_000
    + "\norg/neo4j/A id: 1\njdk/proxy2/$Proxy9 id: 2\norg/neo4j/B id: 2\norg/ne"
)


@pytest.fixture
def java(tmp_path: Path) -> Path:
    """A Java that writes its arguments, and the list that it is given, into the archive."""
    script = tmp_path / "java"
    script.write_text(
        '#!/bin/sh\nfor each in "$@"; do case "$each" in\n'
        '  -XX:SharedClassListFile=*) list="${each#*=}";; -XX:SharedArchiveFile=*) out="${each#*=}";;\nesac; done\n'
        'cat "$list" > "$out"; echo "$@" >> "$out"\n'
    )
    script.chmod(0o755)
    return script


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    listed, class_path = tmp_path / "classes.list", tmp_path / "java.args"
    listed.write_text(LISTED)
    class_path.write_text('-cp "one.jar"\n')
    return listed, class_path


def test_the_first_start_lists_classes_and_later_ones_have_the_archive(tmp_path: Path) -> None:
    archive, listed = tmp_path / "classes.jsa", tmp_path / "classes.list"
    assert class_archive.options(archive, listed) == [f"-XX:DumpLoadedClassList={listed}"]
    archive.touch()
    assert class_archive.options(archive, listed)[0] == f"-XX:SharedArchiveFile={archive}"
    assert class_archive.options(None, listed) == []


def test_nothing_of_a_folder_that_is_another_user_s_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "classes.jsa"
    archive.touch()
    monkeypatch.setattr(class_archive.os, "access", lambda *_: False)
    assert class_archive.options(archive, tmp_path / "classes.list") == []


def test_another_java_has_another_archive(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).touch()
    places = {class_archive.place(tmp_path, tmp_path / name) for name in ("a", "b")}
    assert len(places) == 2
    assert {each.suffix for each in places} == {".jsa"}


def test_java_gets_what_it_can_read(tmp_path: Path, java: Path, files: tuple[Path, Path]) -> None:
    archive = tmp_path / "classes.jsa"
    class_archive.main([str(archive), str(java), *map(str, files)])
    first, second, third, said = archive.read_text().splitlines()
    assert (first, second, third) == ("java/lang/Object id: 0", "org/neo4j/A id: 1", "org/neo4j/B id: 2")
    assert "-Xshare:dump" in said
    assert f"@{files[1]}" in said
    assert {each.name for each in tmp_path.iterdir()} == {"java", "classes.jsa", "classes.jsa.lock"}


def test_a_java_that_fails_leaves_no_archive(tmp_path: Path, files: tuple[Path, Path]) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    with pytest.raises(subprocess.CalledProcessError):
        class_archive.make(tmp_path / "classes.jsa", java, *files)
    archive, listed = tmp_path / "classes.jsa", tmp_path / "run.list"
    assert not archive.exists()
    assert not any(each.exists() for each in files)
    assert class_archive.options(archive, listed) == []  # not at each start again
    os.utime(archive.with_suffix(".part"), (0, 0))
    assert class_archive.options(archive, listed) == [f"-XX:DumpLoadedClassList={listed}"]


def test_two_processes_make_one(tmp_path: Path, java: Path, files: tuple[Path, Path]) -> None:
    archive = tmp_path / "classes.jsa"
    with filelock.FileLock(f"{archive}.lock"):
        class_archive.make(archive, java, *files)
    assert not archive.exists()


@pytest.mark.parametrize("why", ["full", "unwritable", "no list", "not ours"])
def test_no_process_is_started_where_none_is_needed(
    tmp_path: Path, java: Path, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    archive: Path | None = tmp_path / "classes.jsa"
    assert archive is not None
    if why == "full":
        monkeypatch.setattr(disk, "require_space", lambda *_: (_ for _ in ()).throw(DiskFull("full", hint="")))
    elif why == "unwritable":
        monkeypatch.setattr(class_archive.shutil, "copy", lambda *_: (_ for _ in ()).throw(PermissionError("no")))
    elif why == "no list":
        files[0].unlink()
    else:
        archive = None
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    class_archive.make_later(archive, java, *files)
