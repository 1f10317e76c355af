"""The cache of answers: what is kept, what is a miss, files that are torn: test plan row 33."""

from __future__ import annotations

import pickle
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kg_neo4j._models.cache import AnswerCache, open_cache
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Request
from kg_neo4j.records import Usage
from kg_neo4j.settings import Settings

SAID = Completion('n1,PERSON,"Ada, \ud800 Żółć"\n', "stop", Usage(1, 100, 20, 0.003))
FREE = Completion(SAID.text, SAID.finish_reason, Usage(), kept=Usage(1, 100, 20))  # what it took is kept beside it


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "answers.sqlite3"


@pytest.fixture
def cache(file: Path) -> AnswerCache:
    return AnswerCache(file)


def test_an_answer_comes_back_and_costs_nothing(cache: AnswerCache, file: Path) -> None:
    assert cache.get("k") is None
    cache.put("k", SAID)
    assert cache.get("k") == FREE
    assert AnswerCache(file).get("k") == FREE
    assert cache.notes == ()


def test_the_first_answer_of_a_key_stays(cache: AnswerCache) -> None:
    cache.put("k", SAID)
    cache.put("k", Completion("other", "stop", Usage()))
    assert cache.get("k") == FREE


def test_of_an_answer_that_cost_nothing_it_is_not_known_what_it_took(cache: AnswerCache) -> None:
    cache.put("free", Completion("t", "stop", Usage()))
    assert cache.get("free") == Completion("t", "stop", Usage())


def test_only_its_owner_can_read_it(cache: AnswerCache, file: Path) -> None:
    cache.put("k", SAID)
    for each in file.parent.iterdir():
        assert stat.S_IMODE(each.stat().st_mode) == 0o600, each


QUESTION = ("m", "system", "user")


def key_of(model: str, system: str, user: str, **how: Any) -> str:
    return Request("x", system, user, **how).hash(model)


@pytest.mark.parametrize(
    "other",
    [
        key_of("m2", "system", "user", temperature=0),
        key_of("m", "systemu", "ser", temperature=0),
        key_of("m", "system", "user ", temperature=0),
        key_of("m", "system", "user", temperature=0.1),
        key_of("m", "system", "user", temperature=0, max_tokens=7),
    ],
)
def test_another_model_prompt_text_or_parameter_misses(cache: AnswerCache, other: str) -> None:
    cache.put(key_of(*QUESTION, temperature=0), SAID)
    assert cache.get(other) is None
    assert cache.get(key_of(*QUESTION, temperature=0.0)) == FREE


def test_lone_surrogates_have_a_key() -> None:
    assert key_of("m", "\ud800", "u", temperature=0) != key_of("m", "\ud801", "u", temperature=0)


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    assert open_cache(Settings(cache=tmp_path, answer_cache=False)) is None
    assert open_cache(Settings(cache=tmp_path, answer_cache=True)) is not None
    assert list(tmp_path.iterdir()) == []


def test_it_pickles(cache: AnswerCache) -> None:
    cache.put("k", SAID)
    assert pickle.loads(pickle.dumps(cache)).get("k") == FREE


# -- files that are not what they were


@pytest.mark.parametrize(
    "tear",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"not a database at all, but a text " * 400),
        lambda path: path.write_bytes(path.read_bytes()[:1_000]),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xff" * (path.stat().st_size - 4096)),
        lambda path: path.write_bytes(b"\0" * 4096 + path.read_bytes()[4096:]),
    ],
    ids=["empty", "text", "header", "half", "pages", "zeros"],
)
def test_a_torn_file_is_a_miss_and_made_anew(cache: AnswerCache, file: Path, tear: Callable[[Path], object]) -> None:
    for number in range(50):
        cache.put(f"k{number}", Completion("x" * 2_000, "stop", Usage()))
    cache.close()
    tear(file)
    again = AnswerCache(file)
    found = [again.get(f"k{number}") for number in range(50)]
    assert all(each is None or each.text == "x" * 2_000 for each in found)
    assert None in found
    again.put("new", SAID)
    assert again.get("new") == FREE
    assert AnswerCache(file).get("new") == FREE
    assert len(again.notes) <= 1


def test_a_torn_file_is_said_once(cache: AnswerCache, file: Path) -> None:
    cache.put("k", SAID)
    cache.close()
    file.write_bytes(b"torn" * 5_000)
    again = AnswerCache(file)
    assert [again.get("k"), again.get("k")] == [None, None]
    assert len(again.notes) == 1
    assert "has been replaced" in again.notes[0]


def test_a_changed_answer_is_a_miss_and_is_replaced(cache: AnswerCache, file: Path) -> None:
    cache.put("k", SAID)
    with sqlite3.connect(file) as stranger:
        stranger.execute("UPDATE answers SET value = ?", (b'["something else", "stop"]',))
    stranger.close()
    assert cache.get("k") is None
    cache.put("k", SAID)
    assert cache.get("k") == FREE


def test_a_file_of_another_format_begins_anew(file: Path) -> None:
    file.parent.mkdir()
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE answers (key TEXT, said TEXT)")
        other.execute("PRAGMA user_version = 99")
    other.close()
    cache = AnswerCache(file)
    assert cache.get("k") is None
    cache.put("k", SAID)
    assert cache.get("k") == FREE


@pytest.mark.parametrize("blocked", ["folder is a file", "file is a folder"])
def test_a_place_that_cannot_be_used_is_said_and_nothing_stops(tmp_path: Path, blocked: str) -> None:
    if blocked == "folder is a file":
        (tmp_path / "cache").write_text("")
    else:
        (tmp_path / "cache" / "answers.sqlite3").mkdir(parents=True)
    cache = AnswerCache(tmp_path / "cache" / "answers.sqlite3")
    cache.put("k", SAID)
    assert cache.get("k") is None
    assert len(cache.notes) == 1
    assert "not kept" in cache.notes[0]


# -- size, threads, processes


def test_the_oldest_answers_go_first_and_the_file_stays_small(file: Path) -> None:
    cache = AnswerCache(file, max_bytes=400_000)
    for number in range(400):
        cache.put(f"k{number}", Completion("x" * 5_000, "stop", Usage()))
    assert cache.get("k399") is not None
    assert cache.get("k0") is None
    kept = [number for number in range(400) if cache.get(f"k{number}")]
    assert kept == list(range(kept[0], 400))
    assert len(kept) > 40
    cache.close()
    assert file.stat().st_size < 600_000


def test_threads_share_one(cache: AnswerCache) -> None:
    def work(name: int) -> None:
        for number in range(30):
            cache.put(f"{name}-{number}", SAID)
            assert cache.get(f"{name}-{number}") == FREE

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert all(cache.get(f"{name}-{number}") == FREE for name in range(8) for number in range(30))
    assert cache.notes == ()


PROGRAM = """
import sys
from contextlib import ExitStack
from pathlib import Path
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.protocols import Completion
from kg_neo4j.records import Usage
cache = AnswerCache(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.read()
for number in range(80):
    cache.put(f"{sys.argv[2]}-{number}", Completion(sys.argv[2] * 500, "stop", Usage()))
    cache.put(f"both-{number}", Completion("both", "stop", Usage()))
assert cache.notes == (), cache.notes
"""


@pytest.mark.parametrize("torn", [False, True])
def test_six_processes_share_one(file: Path, torn: bool) -> None:
    if torn:
        file.parent.mkdir()
        file.write_bytes(b"torn" * 5_000)
    program = PROGRAM.replace("== ()", "is not None") if torn else PROGRAM
    arguments = [sys.executable, "-c", program, str(file)]
    with ExitStack() as stack:
        all_of_them = [
            stack.enter_context(subprocess.Popen([*arguments, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
            for name in "abcdef"
        ]
        for each in all_of_them:
            assert each.stdout is not None
            assert each.stdout.readline() == b"ready\n"
        for each in all_of_them:  # they open the file at the same moment
            assert each.stdin is not None
            each.stdin.close()
        assert [each.wait(120) for each in all_of_them] == [0] * 6
    cache = AnswerCache(file)
    if not torn:  # of two that find a torn file, one may write to the file that the other removes
        assert [key for name in "abcdef" for n in range(80) if cache.get(key := f"{name}-{n}") is None] == []
    assert cache.get("both-79") is not None
    assert cache.notes == ()


def test_a_reader_does_not_wait_for_a_writer(cache: AnswerCache, file: Path) -> None:
    cache.put("k", SAID)
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    assert cache.get("k") == FREE
    writer.execute("COMMIT")
    writer.close()
