"""What every engine has to do: the same files whoever dies, nothing lost, nothing paid twice but calls in flight.

`tests/wings/scale/integration/test_engines.py` runs it for one process and for several, `benchmarks/ray/` for Ray.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from fake_llm import FakeLlm, answer
from kg_neo4j.errors import BudgetReached, FolderFull
from kg_neo4j.extract import exchange
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.settings import Settings
from kg_neo4j_scale import manifest
from kg_neo4j_scale.engines import shards
from kg_neo4j_scale.engines.choice import EngineOptions
from kg_neo4j_scale.extract import ExtractReport, extract
from small_disk import SmallDisk

PEOPLE = "Anna Weber,Karl Braun,Ines Bram,Ada Lorn,Jan Kowal,Eva Stein,Olaf Dahl,Maria Rossi".split(",")
PLACES = "Vienna,Skarnes,Turin,Lisbon,Gdansk,Bergen".split(",")
OPTIONS = LoadOptions(gleanings=0)
IN_FLIGHT = 4  # calls that the settings allow
KILLS = 2  # of workers: fewer than give up a shard, which may be in flight each time


def write_documents(folder: Path, count: int, seed: int = 7) -> Path:
    """Write texts of some 400 bytes, all different."""
    draw = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        lines = [
            f"{draw.choice(PEOPLE)} met {draw.choice(PEOPLE)} in {draw.choice(PLACES)} in {1800 + number}."
            for _ in range(8)
        ]
        (folder / f"note-{number:03}.txt").write_text(f"Note {number}. {' '.join(lines)}\n", "utf-8")
    return folder


def write_manifest(folder: Path, target: Path) -> str:
    entries = [each for each in manifest.entries([str(folder)]) if isinstance(each, manifest.Entry)]
    target.write_text("".join(f"{entry.line}\n" for entry in entries), "utf-8")
    return str(target)


def files(folder: Path) -> dict[str, str]:
    """Return the hash of every file, hidden ones too, that a run left."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def extracted(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Return what the files say of each document: its answers and outcomes, whoever paid for them and when."""
    return {
        header.document.key: [(each.answers[0].text, str(each.outcome)) for each in found]
        for path in exchange.files_in(folder)
        for header, found in exchange.read(path)
    }


class SlowLlm:
    """Answers by the rules after a while; counts what was asked."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._stop = threading.Event()
        self.asked: Counter[str] = Counter()

    def __call__(self, prompt: str, user: str) -> str:
        self.asked[user] += 1
        self._stop.wait(self._seconds * (8 if "Note 5." in user else 1))
        return answer(prompt, user)


def workers_of(process: psutil.Process, marks: Sequence[str]) -> list[psutil.Process]:
    """Return the descendants whose command line has one of `marks`."""
    found = []
    for child in process.children(recursive=True):
        try:
            if any(mark in " ".join(child.cmdline()) for mark in marks):
                found.append(child)
        except psutil.Error:
            continue
    return found


def kill_when(ready: Callable[[], bool], victims: Callable[[], list[psutil.Process]], times: int) -> threading.Thread:
    """Begin to kill one of the victims at random, `times` times, each time after `ready` turned true."""
    draw = random.Random(3)

    def run() -> None:
        for _ in range(times):
            until = time.monotonic() + 120
            while not (ready() and victims()) and time.monotonic() < until:
                time.sleep(0.02)
            for victim in draw.sample(victims(), 1) if victims() else ():
                os.kill(victim.pid, signal.SIGKILL)
            time.sleep(0.4)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def usd(llm: FakeLlm) -> float:
    """Return what the server would charge for all that it answered, heard by anyone or not."""
    return sum(read + 4 * written for read, written in llm.counted) / 1e6


class EngineFixtures:
    """A server of answers, settings with and without it, and shards that are small."""

    @pytest.fixture
    def slow(self) -> SlowLlm:
        return SlowLlm(0.15)

    @pytest.fixture
    def llm(self, slow: SlowLlm) -> Iterator[FakeLlm]:
        with FakeLlm(rules=slow) as server:
            yield server

    @pytest.fixture
    def offline(self, tmp_path: Path) -> Settings:
        return Settings(cache=tmp_path / "cache", openai_api_key=None, openai_base_url=None, embedding_model=None)

    @pytest.fixture
    def online(self, offline: Settings, llm: FakeLlm) -> Settings:
        changes = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "answer_cache": False}
        return Settings(**{**offline.model_dump(), **changes, "model_concurrency": IN_FLIGHT, "model_retries": 0})

    @pytest.fixture(autouse=True)
    def _small_shards(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Some 20 documents are many shards."""
        monkeypatch.setattr(shards, "SHARD_BYTES", 1_500)


class EngineContract(EngineFixtures):
    """Inherit, and set `engine`; `marks` are what the command lines of its workers have."""

    engine: EngineOptions
    marks: Sequence[str]

    def run(self, work: str, to: Path, settings: Settings, engine: EngineOptions | None = None) -> ExtractReport:
        return extract(to=str(to), settings=settings, options=OPTIONS, manifest=work, engine=engine or self.engine)

    def test_gives_the_files_and_counts_of_one_process(self, tmp_path: Path, offline: Settings) -> None:
        work = write_manifest(write_documents(tmp_path / "docs", 24), tmp_path / "work.jsonl")
        one = self.run(work, tmp_path / "one", offline, EngineOptions("local"))
        report = self.run(work, tmp_path / "out", offline)
        assert files(tmp_path / "out") == files(tmp_path / "one")
        assert len(files(tmp_path / "out")) == report.files > 5
        same = {"folder": "", "seconds": 0.0}
        assert replace(report, **same) == replace(one, **same)  # type: ignore[arg-type]
        again = self.run(work, tmp_path / "out", offline)
        assert (again.files, again.documents, again.chunks) == (0, 24, report.chunks)

    def test_a_bad_document_is_skipped_with_its_reason(self, tmp_path: Path, offline: Settings) -> None:
        docs = write_documents(tmp_path / "docs", 8)
        work = write_manifest(docs, tmp_path / "work.jsonl")
        (docs / "note-003.txt").write_bytes(b"\x00\x01\x02 changed")
        report = self.run(work, tmp_path / "out", offline)
        assert [(Path(each.source).name, each.reason.partition(" (")[0]) for each in report.skipped] == [
            ("note-003.txt", "changed since the manifest was written")
        ]
        assert sorted(extracted(tmp_path / "out")) == [f"note-{n:03}.txt" for n in range(8) if n != 3]
        write_documents(docs, 8)
        assert self.run(work, tmp_path / "out", offline).skipped == ()
        assert len(extracted(tmp_path / "out")) == 8

    def test_a_slow_answer_holds_up_only_its_own_document(
        self, tmp_path: Path, online: Settings, slow: SlowLlm
    ) -> None:
        work = write_manifest(write_documents(tmp_path / "docs", 16), tmp_path / "work.jsonl")
        report = self.run(work, tmp_path / "out", online)
        assert (report.documents, report.usage.calls, report.failed_chunks) == (16, 16, ())
        assert set(slow.asked.values()) == {1}
        assert len(extracted(tmp_path / "out")) == 16

    def test_killed_workers_lose_nothing_and_only_calls_in_flight_are_paid_twice(
        self, tmp_path: Path, online: Settings, slow: SlowLlm
    ) -> None:
        if not self.marks:
            return self.killed_as_a_whole(tmp_path, online, slow)
        work = write_manifest(write_documents(tmp_path / "docs", 40), tmp_path / "work.jsonl")
        me = psutil.Process()
        seen: list[int] = []

        def ready() -> bool:  # after more was asked than when the last one was killed
            if sum(slow.asked.values()) <= (seen[-1] if seen else 0) + 4:
                return False
            seen.append(sum(slow.asked.values()))
            return True

        killer = kill_when(ready, lambda: workers_of(me, self.marks), KILLS)
        report = self.run(work, tmp_path / "out", online)
        killer.join()
        assert len(seen) == KILLS
        assert (len(extracted(tmp_path / "out")), report.skipped, report.failed_chunks) == (40, (), ())
        paid_twice = sum(slow.asked.values()) - len(slow.asked)
        assert len(slow.asked) == 40
        assert 0 < paid_twice <= KILLS * IN_FLIGHT
        assert set(files(tmp_path / "out")) == {path.name for path in exchange.files_in(tmp_path / "out")}
        return None

    def killed_as_a_whole(self, tmp_path: Path, online: Settings, slow: SlowLlm) -> None:
        raise NotImplementedError

    def test_a_full_folder_ends_the_run_and_what_is_there_is_kept(
        self, tmp_path: Path, online: Settings, slow: SlowLlm
    ) -> None:
        work = write_manifest(write_documents(tmp_path / "docs", 30), tmp_path / "work.jsonl")
        with SmallDisk(tmp_path / "disk", 2) as disk:
            out = disk.folder / "out"
            out.mkdir()
            disk.fill(left=110_000)
            with pytest.raises(FolderFull, match="space"):
                self.run(work, out, online)
            before, calls = len(extracted(out)), sum(slow.asked.values())
            assert before < 30
            assert 2 * IN_FLIGHT < calls < 30
            disk.relieve()
            report = self.run(work, out, online)
            assert len(extracted(out)) == 30
            assert report.usage.calls == sum(slow.asked.values()) - calls
        assert sum(slow.asked.values()) - 30 <= 2 * IN_FLIGHT

    def test_an_edited_list_replaces_exactly_what_changed(
        self, tmp_path: Path, online: Settings, slow: SlowLlm
    ) -> None:
        docs = write_documents(tmp_path / "docs", 12)
        self.run(write_manifest(docs, tmp_path / "work.jsonl"), tmp_path / "out", online)
        (docs / "note-004.txt").write_text("Anna Weber met nobody in Turin.", "utf-8")
        (docs / "note-000.txt").unlink()
        (docs / "extra.txt").write_text("Karl Braun met Ines Bram in Bergen.", "utf-8")
        work = write_manifest(docs, tmp_path / "again.jsonl")
        report = self.run(work, tmp_path / "out", online)
        assert report.usage.calls == 2
        assert sum(slow.asked.values()) == 14
        assert sorted(extracted(tmp_path / "out")) == ["extra.txt", *(f"note-{n:03}.txt" for n in range(12))]
        assert [outcome for _, outcome in extracted(tmp_path / "out")["note-004.txt"]] == ["done"]

    def test_all_workers_share_one_budget_and_a_resumed_run_counts_what_was_spent(
        self, tmp_path: Path, online: Settings, llm: FakeLlm, slow: SlowLlm
    ) -> None:
        work = write_manifest(write_documents(tmp_path / "docs", 40), tmp_path / "work.jsonl")
        (tmp_path / "prices.toml").write_text('["scripted"]\ninput = 1\noutput = 4\n', "utf-8")
        llm.counts = True
        settings = online.model_copy(update={"prices": tmp_path / "prices.toml"})
        out = tmp_path / "out"

        def run(usd: float | None) -> ExtractReport:
            options = replace(OPTIONS, budget_usd=usd)
            return extract(to=str(out), settings=settings, options=options, manifest=work, engine=self.engine)

        with pytest.raises(BudgetReached) as first:
            run(0.03)
        done, calls = len(extracted(out)), sum(slow.asked.values())
        assert 0 < calls < 40
        assert usd(llm) <= 0.03
        with pytest.raises(BudgetReached) as second:
            run(0.03)  # the same limit again: nothing is left of it
        assert sum(slow.asked.values()) - calls <= IN_FLIGHT
        assert usd(llm) <= 0.03
        assert second.value.spent_usd >= first.value.spent_usd
        assert run(2.0).failed_chunks == ()
        assert (len(extracted(out)), len(slow.asked)) == (40, 40)
        assert done < 40
        assert sum(slow.asked.values()) - 40 <= IN_FLIGHT
