"""The contract of engines for one process and for several."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from engine_contract import (
    IN_FLIGHT,
    EngineContract,
    EngineFixtures,
    SlowLlm,
    extracted,
    files,
    kill_when,
    workers_of,
    write_documents,
    write_manifest,
)
from kg_neo4j.errors import UsageError, WorkerLost
from kg_neo4j.settings import Settings
from kg_neo4j_scale.engines import choice, processes
from kg_neo4j_scale.engines.choice import EngineOptions
from kg_neo4j_scale.extract import extract


def environment(online: Settings, folder: Path) -> dict[str, str]:
    """Return the environment of a process that has these settings."""
    return {
        **os.environ,
        "OPENAI_BASE_URL": str(online.openai_base_url),
        "OPENAI_API_KEY": "k",
        "KG_MODEL": "scripted",
        "KG_MODEL_CONCURRENCY": str(IN_FLIGHT),
        "KG_ANSWER_CACHE": "off",
        "KG_CACHE": str(folder / "cache"),
    }


class TestLocal(EngineContract):
    engine = EngineOptions("local")
    marks = ()

    def killed_as_a_whole(self, tmp_path: Path, online: Settings, slow: SlowLlm) -> None:
        work = write_manifest(write_documents(tmp_path / "docs", 40), tmp_path / "work.jsonl")
        arguments = ["extract", "--manifest", work, "--to", str(tmp_path / "out"), "--gleanings", "0"]
        # these runs have one large shard, the last one many small ones: answers are found for other shards, too
        for kills in (1, 2):
            process = subprocess.Popen(
                [sys.executable, "-m", "kg_neo4j", *arguments], env=environment(online, tmp_path)
            )
            with process:
                while sum(slow.asked.values()) < 12 * kills and process.poll() is None:
                    time.sleep(0.02)
                assert process.poll() is None, "it ended before it was killed"
                process.kill()
        report = self.run(work, tmp_path / "out", online)
        assert (len(extracted(tmp_path / "out")), report.skipped) == (40, ())
        assert len(slow.asked) == 40
        assert sum(slow.asked.values()) - 40 <= 2 * IN_FLIGHT


class TestProcesses(EngineContract):
    engine = EngineOptions("processes", workers=2)
    marks = ("kg_neo4j_scale.engines.processes import main",)

    def test_a_shard_that_kills_every_worker_is_skipped_and_the_others_are_not(
        self, tmp_path: Path, online: Settings, slow: SlowLlm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What kills them is this test, whenever the answer about one document is waited for."""
        monkeypatch.setattr(processes, "DEATHS", 2)
        docs = write_documents(tmp_path / "docs", 10)
        work = write_manifest(docs, tmp_path / "work.jsonl")
        asked: list[int] = []

        def ready() -> bool:
            (times,) = [slow.asked[user] for user in slow.asked if "Note 5." in user] or [0]
            return times > len(asked) and (asked.append(times) or True)

        killer = kill_when(ready, lambda: workers_of(psutil.Process(), self.marks), 2)
        report = extract(
            to=str(tmp_path / "out"),
            settings=online.model_copy(update={"model_concurrency": 1}),
            manifest=work,
            engine=EngineOptions("processes", workers=1),
        )
        killer.join()
        assert {each.reason for each in report.skipped} == {"2 workers died with it or with a document of its shard"}
        assert "note-005.txt" in {Path(each.source).name for each in report.skipped}
        assert len(extracted(tmp_path / "out")) + len(report.skipped) == 10
        assert len(report.skipped) < 5
        again = self.run(work, tmp_path / "out", online)
        assert (again.skipped, len(extracted(tmp_path / "out"))) == ((), 10)

    def test_workers_that_do_not_start_end_the_run(
        self, tmp_path: Path, offline: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        work = write_manifest(write_documents(tmp_path / "docs", 8), tmp_path / "work.jsonl")
        monkeypatch.setattr(sys, "executable", "/bin/false")
        with pytest.raises(WorkerLost, match="ended before they were ready"):
            self.run(work, tmp_path / "out", offline)

    def test_no_worker_outlives_a_killed_run(self, tmp_path: Path, online: Settings, slow: SlowLlm) -> None:
        work = write_manifest(write_documents(tmp_path / "docs", 400), tmp_path / "work.jsonl")
        arguments = ["extract", "--manifest", work, "--to", str(tmp_path / "out"), "--workers", "2"]
        process = subprocess.Popen([sys.executable, "-m", "kg_neo4j", *arguments], env=environment(online, tmp_path))
        with process:
            workers: list[psutil.Process] = []
            while (len(workers) < 2 or not slow.asked) and process.poll() is None:
                workers = workers_of(psutil.Process(process.pid), self.marks)
                time.sleep(0.02)
            assert process.poll() is None, "it ended before it was killed"
            process.kill()
        _, alive = psutil.wait_procs(workers, timeout=20)
        assert alive == []


class TestParts(EngineFixtures):
    def test_parts_share_the_work_and_give_the_files_of_the_whole(self, tmp_path: Path, offline: Settings) -> None:
        work = write_manifest(write_documents(tmp_path / "docs", 24), tmp_path / "work.jsonl")
        extract(to=str(tmp_path / "whole"), settings=offline, manifest=work)
        reports = [
            extract(to=str(tmp_path / "out"), settings=offline, manifest=work, engine=EngineOptions(part=f"{k}/3"))
            for k in (3, 1, 2)
        ]
        assert files(tmp_path / "out") == files(tmp_path / "whole")
        assert sum(report.documents for report in reports) == 24
        assert min(report.documents for report in reports) > 0

    @pytest.mark.parametrize("part", ["0/3", "4/3", "x/3", "3", "1/0"])
    def test_a_part_that_cannot_be_meant_is_refused(self, tmp_path: Path, offline: Settings, part: str) -> None:
        with pytest.raises(UsageError, match="K/N"):
            extract([str(tmp_path)], to=str(tmp_path / "out"), settings=offline, engine=EngineOptions(part=part))


def test_options_of_engines_that_contradict_each_other_are_refused() -> None:
    for wrong in ({"engine": "spark"}, {"engine": "local", "workers": 2}, {"workers": 0}, {"address": "auto"}):
        with pytest.raises(UsageError):
            EngineOptions(**wrong)  # type: ignore[arg-type]


def test_processes_are_chosen_for_long_work_where_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice.os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    large = int(choice.WORTH_S * choice.RULES_BYTES_S) + 1

    def chosen(size: int, count: int = 99, waits: bool = False, **options: object) -> tuple[str, int]:
        found = choice.choose(EngineOptions(**options), count=count, size=size, waits=waits)  # type: ignore[arg-type]
        return found.engine, found.workers

    monkeypatch.setattr(choice.psutil, "virtual_memory", lambda: type("M", (), {"available": 64_000_000_000}))
    assert chosen(large) == ("processes", 4)
    assert chosen(large - 2) == ("local", 1)
    assert chosen(large, waits=True) == ("local", 1)  # a model works, and this process waits
    assert chosen(large, count=3) == ("processes", 3)
    assert chosen(large, count=1) == ("local", 1)
    assert chosen(large, engine="local") == ("local", 1)
    assert chosen(10, workers=2) == ("processes", 2)
    assert chosen(large, workers=1) == ("local", 1)
    monkeypatch.setattr(choice.psutil, "virtual_memory", lambda: type("M", (), {"available": 1_200_000_000}))
    assert chosen(large) == ("processes", 2)
    monkeypatch.setattr(choice.psutil, "virtual_memory", lambda: type("M", (), {"available": 900_000_000}))
    assert chosen(large) == ("local", 1)
    assert "memory" in choice.choose(EngineOptions(), count=9, size=large, waits=False).notes[0]
