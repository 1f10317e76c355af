"""A file of what a run was given: whatever ends the run, the next one has every line that was whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kg_neo4j_lab.answers.recalling import RecordFile


def test_a_line_is_on_the_disk_while_the_run_lives(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    writing = RecordFile(str(path))
    for number in range(3):
        writing.append("case", {"number": number})
        found = [row["number"] for row in RecordFile(str(path)).rows("case")]
        assert found == list(range(number + 1))


def test_a_line_is_flushed_to_the_disk_before_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, flush, flushed = tmp_path / "run.jsonl", os.fsync, list[str]()

    def watched(file: int) -> None:
        flush(file)
        assert os.path.samestat(os.fstat(file), path.stat())
        flushed.append(path.read_text("utf-8"))

    monkeypatch.setattr(os, "fsync", watched)
    RecordFile(str(path)).append("case", {"number": 0})
    assert flushed == ['{"kind": "case", "number": 0}\n']


def test_a_line_that_was_cut_is_dropped_and_the_next_one_begins_on_its_own(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"kind": "case", "number": 0}\n{"kind": "case", "num')
    RecordFile(str(path)).append("case", {"number": 1})
    assert [row["number"] for row in RecordFile(str(path)).rows("case")] == [0, 1]
