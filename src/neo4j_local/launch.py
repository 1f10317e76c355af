"""Lays out a home and starts the Java process in it."""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neo4j_local import class_archive, configuration, disk, java, state
from neo4j_local.configuration import ServerMemory
from neo4j_local.errors import StartFailed, StoreTooNew
from neo4j_local.jars import JarsLock
from neo4j_local.state import Home, ServerRecord

CLASSES = "classes.list"  # in the folder "run": what the server has loaded
NEEDED_BYTES = 200_000_000  # an empty store takes about 5 MB; the rest is room for logs and a first load


@dataclass(frozen=True, slots=True)
class Parts:
    """What a server is made of."""

    lock: JarsLock
    jars: tuple[Path, ...]
    java: Path
    archive: Path | None = None  # of the classes; None: the jars are not in our cache


def launch(
    home: Home,
    parts: Parts,
    memory: ServerMemory,
    ports: tuple[int, int],
    further: Mapping[str, str] | None = None,
) -> ServerRecord:
    """Start the server's process and store its record; says nothing about whether it comes up.

    `further` are settings of Neo4j for this one start. Raises StoreTooNew, DiskFull, or StartFailed where another
    process uses the home.
    """
    _refuse_newer_store(home, parts.lock)
    claim(home)
    disk.require_space(home.root, NEEDED_BYTES)
    _lay_out(home, parts, configuration.text(parts.lock.line, *ports, memory.pagecache_mb, further))
    nonce = secrets.token_hex(16)
    more = class_archive.options(parts.archive, home.root / "run" / CLASSES)
    command = java.command(parts.java, parts.lock.main, home.root, memory.heap_mb, state.marks(home, nonce), more)
    pid = _spawn(command, home)
    versions = parts.lock.neo4j, parts.lock.gds
    record = ServerRecord(pid, state.start_time(pid), nonce, state.STARTING, *ports, *versions)
    state.write(home, record)
    return record


def archive_classes(home: Home, parts: Parts) -> None:
    """Have the classes of a server that answers archived, for later starts."""
    run = home.root / "run"
    class_archive.make_later(parts.archive, parts.java, run / CLASSES, run / "java.args")


def claim(home: Home) -> None:
    """Make sure that `home` is ours alone and whole.

    A restore that was killed between its two renames is completed; one that was killed before the first is dropped.
    Raises StartFailed where a process uses the home that our record does not explain.
    """
    if found := state.strangers(home):
        raise StartFailed(
            f"process {found[0]} uses {home.root}, but our record of it is gone ({home.state_file})",
            hint=f"if it is the local Neo4j: kill {found[0]} (it shuts down cleanly), then start again",
        )
    if not home.restored.is_dir():
        return
    if home.data.is_dir():
        shutil.rmtree(home.restored)
    else:
        home.restored.rename(home.data)


def _refuse_newer_store(home: Home, lock: JarsLock) -> None:
    if not home.version_file.is_file():
        return
    found = home.version_file.read_text(encoding="utf-8", errors="replace").strip()
    if _line(found) > _line(lock.neo4j):
        raise StoreTooNew(
            f"the data in {home.root} were written by Neo4j {found}; this kg-neo4j runs {lock.neo4j}",
            hint="upgrade kg-neo4j, or set KG_HOME to another folder",
        )


def _line(version: str) -> tuple[int, ...]:
    """Return (5, 26) for "5.26.30"; () for what is no version, as a power cut may leave it: Neo4j checks, too."""
    found = re.match(r"(\d{1,9})\.(\d{1,9})", version)
    return (int(found[1]), int(found[2])) if found else ()


def _lay_out(home: Home, parts: Parts, neo4j_conf: str) -> None:
    scratch = home.root / "run" / "tmp"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    disk.write_whole(home.root / "conf" / "neo4j.conf", neo4j_conf.encode())
    disk.write_whole(home.root / "run" / "java.args", java.class_path_file(parts.jars).encode())
    plugins = home.root / "plugins"
    ours = {jar.file_name for jar in parts.lock.jars if jar.plugin} if sys.platform == "win32" else set()
    for old in plugins.iterdir():
        if old.is_symlink():
            old.unlink()
        elif old.name not in ours:
            raise StartFailed(
                f"{old} is not from kg-neo4j, and the server would load it", hint="move it out of that folder"
            )
    for jar, path in zip(parts.lock.jars, parts.jars, strict=True):
        if jar.plugin and sys.platform == "win32":  # links need a privilege there
            shutil.copyfile(path, plugins / jar.file_name)
        elif jar.plugin:
            (plugins / jar.file_name).symlink_to(path)


def _spawn(command: Sequence[str], home: Home) -> int:
    """Start the process in a session of its own, so that Ctrl-C here does not reach it, and return its number.

    It gets none of our environment: keys and passwords in there are not its business.
    """
    environment = None if sys.platform == "win32" else {"LC_ALL": "C.UTF-8"}
    with home.console.open("wb") as console:
        process = subprocess.Popen(  # noqa: S603 - our own command line
            command,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            cwd=home.root,
            env=environment,
            start_new_session=True,
        )
    process.returncode = 0  # the server outlives us: Python shall not warn that nobody waits for it
    return process.pid
