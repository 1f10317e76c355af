"""Loads that cannot even begin end with a reason, and never stay in the list as running."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

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
