"""A folder of hostile files is read to its end: each file becomes a document or is skipped with a reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kg_neo4j.acquire import files
from kg_neo4j.records import Document, SkippedSource
from made_files import END, hostile_files, page_of_attributes

pytestmark = pytest.mark.needs("kg_neo4j_readers")
HOSTILE = {each.name: each for each in hostile_files()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for each in HOSTILE.values():
        (folder / each.name).write_bytes(each.data)
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Document | SkippedSource]:
    return {Path(each.source).name: each for each in files.read([str(folder)], graph="g")}


def test_every_file_is_accounted_for(found):
    assert found.keys() == HOSTILE.keys()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_read_to_its_end_or_skipped_with_a_reason(found, name):
    expected, outcome = HOSTILE[name], found[name]
    if expected.reason is None:
        assert isinstance(outcome, Document), outcome
        assert END.decode() in outcome.text
    else:
        assert isinstance(outcome, SkippedSource)
        assert expected.reason in outcome.reason


def dry_run(folder: Path, home: Path) -> dict[str, object]:
    """Return what `kg load --dry-run --json` prints, in a home without a database."""
    command = [sys.executable, "-m", "kg_neo4j", "load", "--dry-run", "--json", str(folder)]
    foreign = ("NEO4J_URI", "OPENAI_API_KEY", "OPENAI_BASE_URL", "KG_MODEL")
    environment = {name: value for name, value in os.environ.items() if name not in foreign}
    environment |= {"KG_HOME": str(home), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.needs("kg_neo4j_offline", "neo4j_local")
def test_bad_file_between_good_ones_does_not_end_the_run(tmp_path):
    folder = tmp_path / "four"
    folder.mkdir()
    for name in ("a.txt", "c.txt", "d.md"):
        (folder / name).write_text("Text.", encoding="utf-8")
    (folder / "b.html").write_text('<meta charset="undefined">\0\0\0', encoding="utf-8")
    report = dry_run(folder, tmp_path / "home")
    assert report["documents"] == 3
    assert report["skipped"] == [{"source": str(folder / "b.html"), "reason": "binary (NUL bytes)", "kind": ""}]


@pytest.mark.needs("kg_neo4j_offline", "neo4j_local")
def test_hostile_folder_is_loaded_in_one_run(folder, tmp_path):
    report = dry_run(folder, tmp_path)
    good = [each for each in HOSTILE.values() if each.reason is None]
    assert report["documents"] == len(good)
    assert len(report["skipped"]) == len(HOSTILE) - len(good)


@pytest.mark.long
def test_page_that_takes_too_long_is_skipped_and_the_rest_is_read(tmp_path):
    (tmp_path / "a.html").write_bytes(page_of_attributes(1_200_000))
    (tmp_path / "b.txt").write_bytes(END)
    late, last = files.read([str(tmp_path)], graph="g")
    assert isinstance(late, SkippedSource)
    assert late.reason == "reading took longer than 120 s"
    assert isinstance(last, Document)
