import errno
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from another_user import as_nobody, open_folder
from jar_repository import Recorder, Repository, content
from neo4j_local import jars
from neo4j_local.errors import ChecksumMismatch, DiskFull, FetchFailed
from neo4j_local.jars import Jar, JarsLock


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "FIRST_WAIT_S", 0.0)


@pytest.fixture
def download(repository: Repository) -> jars.Download:
    return partial(jars.download_from_maven, repository=repository.url)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".lock"}


def test_all_jars_arrive_whole_and_nothing_else_stays(
    tmp_path: Path, lock: JarsLock, download: jars.Download, progress: Recorder
) -> None:
    assert jars.fill(tmp_path / "new", lock, progress, download) == len(lock.jars)
    assert names(tmp_path / "new") == {jar.file_name for jar in lock.jars}
    assert jars.missing_jars(tmp_path / "new", lock.jars) == []
    assert (progress.totals, progress.units) == ([len(lock.jars)], len(lock.jars))


def test_a_second_call_asks_for_nothing(
    tmp_path: Path, lock: JarsLock, download: jars.Download, repository: Repository, progress: Recorder
) -> None:
    jars.fill(tmp_path, lock, progress, download)
    asked, notes = repository.requests.copy(), len(progress.notes)
    assert jars.fill(tmp_path, lock, progress, download) == 0
    assert (repository.requests, len(progress.notes)) == (asked, notes)


def test_a_full_cache_of_another_user_is_read_and_an_empty_one_is_refused(
    lock: JarsLock, download: jars.Download, progress: Recorder
) -> None:
    with open_folder() as folder:
        jars.fill(folder / "full", lock, progress, download)
        (folder / "empty").mkdir()
        for closed in ("full", "empty"):
            (folder / closed).chmod(0o555)
        with as_nobody():
            assert jars.fill(folder / "full", lock, progress, download) == 0
            with pytest.raises(FetchFailed, match="empty") as failed:
                jars.fill(folder / "empty", lock, progress, download)
        assert "KG_CACHE" in str(failed.value.hint)


def test_a_broken_fetch_goes_on_where_it_was(
    tmp_path: Path, lock: JarsLock, download: jars.Download, repository: Repository, progress: Recorder
) -> None:
    broken = lock.jars[-1].file_name
    repository.script[broken] = ["404"]
    with pytest.raises(FetchFailed, match=broken) as caught:
        jars.fill(tmp_path, lock, progress, download)
    assert "KG_JARS_DIR" in (caught.value.hint or "")
    kept = names(tmp_path)
    assert kept
    assert kept <= {jar.file_name for jar in lock.jars}
    repository.script.clear()
    repository.requests.clear()
    jars.fill(tmp_path, lock, progress, download)
    assert not kept & set(repository.requests)
    assert jars.missing_jars(tmp_path, lock.jars) == []


@pytest.mark.parametrize("fault", ["503", "429", "cut", "short"])
def test_a_passing_fault_is_tried_again(
    fault: str, tmp_path: Path, lock: JarsLock, download: jars.Download, repository: Repository, progress: Recorder
) -> None:
    repository.script[lock.jars[2].file_name] = [fault, fault, "serve"]
    jars.fill(tmp_path, lock, progress, download)
    assert repository.requests[lock.jars[2].file_name] == 3
    assert jars.missing_jars(tmp_path, lock.jars) == []


def test_a_refused_download_keeps_no_connection_open(tmp_path: Path, lock: JarsLock, repository: Repository) -> None:
    jar = lock.jars[2]
    repository.script[jar.file_name] = ["503"]
    with pytest.raises(FetchFailed) as refused:
        jars.download_from_maven(jar, tmp_path, repository.url)
    port = urlsplit(repository.url).port
    open_ones = [found for found in psutil.Process().net_connections("tcp") if found.raddr and found.raddr.port == port]
    assert not open_ones, f"open while the error is held: {refused.value}"


def test_a_wrong_checksum_is_refused_at_once_and_the_old_file_is_kept(
    tmp_path: Path, lock: JarsLock, download: jars.Download, repository: Repository, progress: Recorder
) -> None:
    bad = lock.jars[3].file_name
    (tmp_path / bad).write_bytes(b"what was here before")
    repository.script[bad] = ["tamper"]
    with pytest.raises(ChecksumMismatch, match=bad):
        jars.fill(tmp_path, lock, progress, download)
    assert (tmp_path / bad).read_bytes() == b"what was here before"
    assert repository.requests[bad] == 1


@pytest.mark.parametrize("size", [0, 1, 100])
def test_a_half_file_does_not_count_and_is_replaced(
    size: int, tmp_path: Path, lock: JarsLock, download: jars.Download, progress: Recorder
) -> None:
    half = tmp_path / lock.jars[4].file_name
    half.write_bytes(content(4)[:size])
    assert lock.jars[4] in jars.missing_jars(tmp_path, lock.jars)
    jars.fill(tmp_path, lock, progress, download)
    assert half.read_bytes() == content(4)


def test_the_rest_of_a_killed_fetch_is_swept_away(
    tmp_path: Path, lock: JarsLock, download: jars.Download, progress: Recorder
) -> None:
    rest = tmp_path / ".fetching-abc" / "xyz"
    rest.mkdir(parents=True)
    (rest / lock.jars[0].file_name).write_bytes(b"half")
    jars.fill(tmp_path, lock, progress, download)
    assert names(tmp_path) == {jar.file_name for jar in lock.jars}


def test_two_fetches_at_once_share_the_work(
    tmp_path: Path, lock: JarsLock, download: jars.Download, repository: Repository
) -> None:
    fills = [threading.Thread(target=jars.fill, args=(tmp_path, lock, Recorder(), download)) for _ in range(2)]
    for fill in fills:
        fill.start()
    for fill in fills:
        fill.join()
    assert set(repository.requests.values()) == {1}


def test_a_disk_that_becomes_full_is_called_so(tmp_path: Path, lock: JarsLock, progress: Recorder) -> None:
    def full(jar: Jar, into: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device", str(into / jar.file_name))

    with pytest.raises(DiskFull):
        jars.fill(tmp_path, lock, progress, full)
    assert names(tmp_path) == set()


def test_too_little_space_is_seen_before_anything_is_fetched(
    tmp_path: Path, download: jars.Download, repository: Repository, progress: Recorder
) -> None:
    jar = Jar("org.example", "huge", "1.0", "", "a" * 64, 10**18)
    huge = JarsLock("5.26.30", "org.neo4j.Main", (21,), "2.13.9", "5.26.19", (jar,), "0" * 16)
    with pytest.raises(DiskFull, match="MB are needed"):
        jars.fill(tmp_path, huge, progress, download)
    assert not repository.requests


def test_licences_and_sources_are_named_before_the_first_fetch(
    tmp_path: Path, lock: JarsLock, download: jars.Download, progress: Recorder
) -> None:
    jars.fill(tmp_path, lock, progress, download)
    said = "\n".join(progress.notes)
    for words in ("Community 5.26.30", "Data Science 2.13.9", "GPL-3.0", "neo4j/neo4j)", "APOC Core 5.26.19"):
        assert words in said


def filled(folder: Path, lock: JarsLock) -> Path:
    folder.mkdir(parents=True)
    for number, jar in enumerate(lock.jars):
        (folder / jar.file_name).write_bytes(content(number))
    return folder


def test_kg_jars_dir_is_used_in_the_order_of_the_lock_and_only_read(
    tmp_path: Path, lock: JarsLock, progress: Recorder
) -> None:
    given = filled(tmp_path / "given", lock)
    (given / "another-program.jar").write_bytes(b"not ours")
    before = {path.name for path in given.iterdir()}
    found = jars.ensure(given, tmp_path / "cache", lock, progress)
    assert [path.name for path in found] == [jar.file_name for jar in lock.jars]
    assert {path.name for path in given.iterdir()} == before
    assert not (tmp_path / "cache").exists()


def test_kg_jars_dir_without_a_jar_is_refused(tmp_path: Path, lock: JarsLock, progress: Recorder) -> None:
    given = filled(tmp_path / "given", lock)
    (given / lock.jars[5].file_name).unlink()
    with pytest.raises(FetchFailed, match=lock.jars[5].file_name):
        jars.ensure(given, tmp_path / "cache", lock, progress)


def test_kg_jars_dir_with_a_changed_jar_is_refused(tmp_path: Path, lock: JarsLock, progress: Recorder) -> None:
    given = filled(tmp_path / "given", lock)
    (given / lock.jars[5].file_name).write_bytes(content(5)[:-1] + b"!")
    with pytest.raises(ChecksumMismatch, match=lock.jars[5].file_name):
        jars.ensure(given, tmp_path / "cache", lock, progress)


def test_a_full_cache_fills_another_folder_without_a_network(
    tmp_path: Path, lock: JarsLock, progress: Recorder
) -> None:
    filled(jars.cache_folder(tmp_path / "cache", lock), lock)
    jars.export(tmp_path / "cache", lock, tmp_path / "stick", progress)
    assert jars.missing_jars(tmp_path / "stick", lock.jars) == []


def test_another_lock_has_another_folder(tmp_path: Path, lock: JarsLock) -> None:
    other = replace(lock, jars=lock.jars[1:], hash="f" * 16)
    assert jars.cache_folder(tmp_path, lock) != jars.cache_folder(tmp_path, other)
