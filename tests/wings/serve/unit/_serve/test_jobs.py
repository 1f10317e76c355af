"""Loads that cannot even begin end with a reason, and never stay in the list as running."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.settings import Settings
from kg_neo4j_serve import jobs, limits
from kg_neo4j_serve.refusals import Refused
from kg_neo4j_serve.results import LoadJob


def ended(all_jobs: jobs.Jobs, id: str) -> LoadJob:
    while (job := all_jobs.find(id)).state not in jobs.ENDED:
        time.sleep(0.01)
    return job


def test_a_folder_that_cannot_be_written_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "uploads").write_text("in the way", "utf-8")
    loads = jobs.Jobs(Settings().model_copy(update={"home": tmp_path}), None)
    job = ended(loads, loads.begin([("a.txt", b"x")]).id)
    assert job.state == "failed"
    assert job.error.startswith("the files cannot be kept: ")
    loads.close()


def test_an_error_of_our_own_ends_a_load_without_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(jobs, "_keep", broken)
    loads = jobs.Jobs(Settings().model_copy(update={"home": tmp_path}), None)
    job = ended(loads, loads.begin([("a.txt", b"x")]).id)
    assert (job.state, job.error) == ("failed", "the server failed: RuntimeError")
    loads.close()


def test_old_loads_are_forgotten_and_too_many_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "uploads").write_text("in the way", "utf-8")
    monkeypatch.setattr(limits, "KEPT_JOBS", 3)
    loads = jobs.Jobs(Settings().model_copy(update={"home": tmp_path}), None)
    for _ in range(6):
        ended(loads, loads.begin([("a.txt", b"x")]).id)
    assert len(loads.listed()) == 4
    monkeypatch.setattr(limits, "MOST_JOBS", 0)
    with pytest.raises(Refused) as refused:
        loads.begin([("a.txt", b"x")])
    assert refused.value.status == 429
    loads.close()


def test_a_waiting_load_is_cancelled_and_never_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "uploads").write_text("in the way", "utf-8")
    monkeypatch.setattr(limits, "KEPT_JOBS", 1)
    may_go = threading.Event()
    loads = jobs.Jobs(Settings().model_copy(update={"home": tmp_path}), None)
    loads.look(lambda: may_go.wait(60))  # so that loads wait
    ids = [loads.begin([("a.txt", b"x")]).id for _ in range(2)]
    assert [loads.cancel(each).state for each in ids] == ["cancelled", "cancelled"]
    last = loads.begin([("a.txt", b"x")]).id  # the first one is forgotten
    may_go.set()
    assert ended(loads, last).state == "failed"
    assert [each.id for each in loads.listed()] == [last, ids[1]]
    with pytest.raises(Refused) as refused:
        loads.cancel(ids[0])
    assert refused.value.status == 404
    loads.close()


def test_loads_of_another_graph_are_not_seen(tmp_path: Path) -> None:
    (tmp_path / "uploads").write_text("in the way", "utf-8")
    settings = Settings().model_copy(update={"home": tmp_path})
    loads = jobs.Jobs(settings, None)
    other = loads.of(settings.model_copy(update={"graph": "another"}), None)
    id = loads.begin([("a.txt", b"x")]).id
    ended(loads, id)
    assert (len(loads.listed()), other.listed()) == (1, ())
    for ask in (other.find, other.cancel):
        with pytest.raises(Refused):
            ask(id)
    assert loads.folder != other.folder
    loads.close()


def test_names_of_files_are_made_safe() -> None:
    for path, safe in (("a/b/c.txt", "c.txt"), ("..\\..\\c.txt", "c.txt"), (".c.txt", "c.txt"), ("a?.txt", "a_.txt")):
        assert jobs.made_safe(path) == safe
    for path, safe in (("a/b/c.txt", "a/b/c.txt"), ("/a//c.txt", "a/c.txt"), ("a\\b|/ c.txt", "a/b_/c.txt")):
        assert jobs.made_safe(path, in_folders=True) == safe
    for path in (
        "../c.txt",
        "a/../c.txt",
        ".git/c.txt",
        "a/.c.txt",
        "a/c",
        "",
        "a/" * 21 + "c.txt",
        "x" * 121 + "/c.txt",
    ):
        with pytest.raises(UsageError):
            jobs.made_safe(path, in_folders=True)
