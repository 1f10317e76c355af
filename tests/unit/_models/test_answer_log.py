"""Answers of an unfinished shard are found by whoever continues, whole lines only."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kg_neo4j._models.answer_log import AnswerLog, logs
from kg_neo4j._models.protocols import Completion
from kg_neo4j.errors import FolderFull
from kg_neo4j.records import Usage
from small_disk import SmallDisk

PAID = Completion("node_id,…\nn1", "stop", Usage(1, 100, 20, 0.5))


def test_another_process_finds_what_was_put_and_pays_nothing(tmp_path: Path) -> None:
    AnswerLog(tmp_path, "one").put("key", PAID)
    AnswerLog(tmp_path, "other").put("other", PAID)
    found = AnswerLog(tmp_path, "one").get("key")
    assert found == Completion(PAID.text, "stop", Usage(), kept=Usage(1, 100, 20))
    assert AnswerLog(tmp_path, "one").get("other") is None
    assert AnswerLog(tmp_path, "one", [path for _, path in logs(tmp_path)]).get("other") is not None


def test_a_line_that_a_killed_process_left_unfinished_is_no_answer(tmp_path: Path) -> None:
    log = AnswerLog(tmp_path, "one")
    log.put("first", PAID)
    log.put("second", PAID)
    ((_, path),) = logs(tmp_path)
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole)):
        path.write_bytes(whole[:length])
        again = AnswerLog(tmp_path, "one")
        assert again.get("first") is not None
        assert again.get("second") is None


def test_removing_leaves_what_others_have(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    one, other = AnswerLog(folder, "one"), AnswerLog(folder, "other")
    one.put("key", PAID)
    AnswerLog(folder, "one").put("more", PAID)
    other.put("key", PAID)
    one.remove()
    assert [name for name, _ in logs(folder)] == ["other"]
    other.remove()
    assert logs(folder) == []


def test_shards_that_end_while_others_begin_lose_nothing(tmp_path: Path) -> None:
    def shard(name: str) -> None:
        for _ in range(200):
            log = AnswerLog(tmp_path / "answers", name)
            assert log.get("key") is None
            log.put("key", PAID)
            assert AnswerLog(tmp_path / "answers", name).get("key") is not None
            log.remove()

    with ThreadPoolExecutor() as threads:
        list(threads.map(shard, ["one", "other", "third"]))


def test_an_answer_that_has_no_room_is_an_error(tmp_path: Path) -> None:
    with SmallDisk(tmp_path / "disk", 1) as disk:
        log = AnswerLog(disk.folder, "one")
        log.put("key", PAID)
        disk.fill()
        with pytest.raises(FolderFull, match="no space left"):
            log.put("long", Completion("x" * 100_000, "stop", Usage(1, 1, 1)))
        assert AnswerLog(disk.folder, "one").get("key") is not None
        disk.relieve()
        log.put("next", PAID)
        assert AnswerLog(disk.folder, "one").get("next") is not None
