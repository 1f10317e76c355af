"""The archive of the server's classes with the real jars and the real Java."""

from __future__ import annotations

import os
import re
import shutil
import time
import zipfile
from pathlib import Path

import psutil
import pytest

from kg_neo4j.settings import Settings
from neo4j_local import LocalNeo4j, Server, java
from neo4j_local.progress import SILENT

MADE_S = 300.0


def local_for(folder: Path, cache: Path, line: str = "5.26") -> LocalNeo4j:
    return LocalNeo4j(folder, cache, line, bolt_port=0, http_port=0, heap_mb=512, pagecache_mb=64)


@pytest.mark.parametrize("line", ["5.26", "2026.03"])
def test_a_jar_that_names_others_comes_after_them(tmp_path: Path, line: str) -> None:
    """Java enters them where they are named, and then finds another class path than the one of an archive."""
    parts = local_for(tmp_path, Settings().cache, line).parts(SILENT)
    paths = java.class_path_file(parts.jars).split('"')[1].split(os.pathsep)
    names = [Path(each).name for each in paths]
    naming = []
    for number, path in enumerate(paths):
        with zipfile.ZipFile(path) as jar:
            known = "META-INF/MANIFEST.MF" in jar.namelist()
            manifest = jar.read("META-INF/MANIFEST.MF").decode() if known else ""
        joined = re.sub(r"\r?\n ", "", manifest).replace("\r", "")
        named = re.search(r"^Class-Path: (.*)$", joined, re.MULTILINE)
        others = {*(named[1].split() if named else ())} & {*names}
        naming += [names[number]] * bool(others)
        assert others <= {*names[:number]}
    assert naming
    assert all(each.startswith(java.NAMING) for each in naming)


@pytest.mark.slow
def test_the_second_start_maps_the_classes_that_the_first_one_loaded(tmp_path: Path) -> None:
    """As users start it: the archive is made after the first start, once for all homes of a cache."""
    jars = local_for(tmp_path / "unused", Settings().cache).parts(SILENT).jars
    own = tmp_path / "cache" / "jars" / jars[0].parent.name
    own.mkdir(parents=True)
    for jar in jars:
        shutil.copy(jar, own)
    first, second = (local_for(tmp_path / name, tmp_path / "cache") for name in ("first", "second"))
    try:
        command = process(first.start()).cmdline()
        assert [each for each in command if each.startswith("-XX:DumpLoadedClassList=")]
        deadline = time.monotonic() + MADE_S
        while not (made := [*own.glob("*.jsa")]) and time.monotonic() < deadline:
            time.sleep(1)
        assert len(made) == 1
        started = process(second.start())
        assert f"-XX:SharedArchiveFile={made[0]}" in started.cmdline()
        assert str(made[0]) in {each.path for each in started.memory_maps()}
        assert not (second.home.root / "run" / "classes.list").exists()
        assert "cds" not in second.home.console.read_text()
        assert {each.suffix for each in own.iterdir()} == {".jar", ".jsa", ".lock"}
    finally:
        for each in (first, second):
            each.stop(force=True)


def process(server: Server) -> psutil.Process:
    return psutil.Process(server.pid)
