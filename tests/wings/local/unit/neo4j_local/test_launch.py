import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from neo4j_local import launch, state
from neo4j_local.configuration import ServerMemory
from neo4j_local.errors import StartFailed, StoreTooNew
from neo4j_local.jars import JarsLock
from neo4j_local.state import Home

MEMORY = ServerMemory(512, 128)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "neo4j-5.26")
    found.prepare()
    return found


@pytest.fixture
def parts(lock: JarsLock, tmp_path: Path) -> launch.Parts:
    """A server made of a shell script, which ends at once."""
    script = tmp_path / "java"
    script.write_text('#!/bin/sh\necho "$@"\nenv\n')
    script.chmod(0o755)
    return launch.Parts(lock, tuple(tmp_path / jar.file_name for jar in lock.jars), script)


@pytest.mark.parametrize("newer", ["5.27.0", "6.0.0", "2026.03.1"])
def test_data_of_a_newer_line_are_refused(newer: str, home: Home, parts: launch.Parts) -> None:
    home.version_file.write_text(f"{newer}\n")
    with pytest.raises(StoreTooNew, match=newer):
        launch.launch(home, parts, MEMORY, (1, 2))
    assert not home.console.exists()


@pytest.mark.parametrize("older", ["5.26.31", "5.26.2", "5.25.1"])
def test_data_of_the_same_line_or_an_older_one_are_taken(older: str, home: Home, parts: launch.Parts) -> None:
    home.version_file.write_text(f"{older}\n")
    assert launch.launch(home, parts, MEMORY, (1, 2)).phase == state.STARTING


@pytest.mark.parametrize("damaged", [b"", b"abc", b"\xff\xfe\x00", b"5", b"9" * 5_000 + b".1"])
def test_a_damaged_note_of_the_version_hinders_no_start(damaged: bytes, home: Home, parts: launch.Parts) -> None:
    home.version_file.write_bytes(damaged)
    assert launch.launch(home, parts, MEMORY, (1, 2)).phase == state.STARTING


def test_a_jar_that_is_not_ours_is_not_loaded(home: Home, parts: launch.Parts) -> None:
    (home.root / "plugins" / "evil.jar").write_bytes(b"PK")
    with pytest.raises(StartFailed, match=r"evil\.jar is not from kg-neo4j"):
        launch.launch(home, parts, MEMORY, (1, 2))
    assert not home.console.exists()


@pytest.mark.parametrize("data_there", [True, False])
def test_a_restore_that_was_killed_between_its_steps_is_completed_or_dropped(
    data_there: bool, home: Home, parts: launch.Parts
) -> None:
    home.restored.mkdir()
    (home.restored / "which").write_text("restored")
    if data_there:
        home.data.mkdir()
        (home.data / "which").write_text("old")
    launch.launch(home, parts, MEMORY, (1, 2))
    assert (home.data / "which").read_text() == ("old" if data_there else "restored")
    assert not home.restored.exists()


def test_a_process_that_our_record_does_not_explain_is_left_alone_and_named(home: Home, parts: launch.Parts) -> None:
    mark = state.marks(home, "")[1]
    with subprocess.Popen([sys.executable, "-c", "input()", mark], stdin=subprocess.PIPE) as process:
        with pytest.raises(StartFailed, match=f"process {process.pid} uses"):
            launch.launch(home, parts, MEMORY, (1, 2))
        assert process.poll() is None


def test_the_process_gets_its_marks_and_none_of_our_environment(
    home: Home, parts: launch.Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-in-the-environment")
    record = launch.launch(home, parts, MEMORY, (1, 2))
    assert state.read(home) == record
    psutil.Process(record.pid).wait(60)
    said = home.console.read_text()
    assert f"-Dkg_neo4j.nonce={record.nonce}" in said
    assert f"--home-dir={home.root}" in said
    assert "canary" not in said


def test_the_plugin_is_linked_and_links_of_another_version_are_removed(home: Home, parts: launch.Parts) -> None:
    plugins = home.root / "plugins"
    (plugins / "proc-2.12.0.jar").symlink_to("/nowhere/proc-2.12.0.jar")
    launch.launch(home, parts, MEMORY, (1, 2))
    assert [path.name for path in plugins.iterdir()] == [parts.lock.jars[0].file_name]
