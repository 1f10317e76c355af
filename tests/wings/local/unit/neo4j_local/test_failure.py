import os
from pathlib import Path

import pytest

from neo4j_local import failure
from neo4j_local.errors import DatabaseOffline, DiskFull, LocalDatabaseError, PortTaken, StartFailed, StoreTooNew
from neo4j_local.login import Condition
from neo4j_local.state import STARTING, Home, ServerRecord

RECORD = ServerRecord(1, 1_000.0, "n", STARTING, 7687, 7474, "5.26.30", "2.13.9")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    found.prepare()
    return found


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Caused by: java.net.BindException: Address already in use", PortTaken),
        ("java.io.IOException: No space left on device", DiskFull),
        ("ERROR Lock file has been locked by another process: /x/store_lock", StartFailed),
        ("ERROR Unknown store version 'record-aligned-99'", StoreTooNew),
        ("Error: Could not reserve enough space for object heap", StartFailed),
        ("ERROR Something never seen before", StartFailed),
    ],
)
def test_known_causes_have_errors_of_their_own(home: Home, said: str, expected: type[LocalDatabaseError]) -> None:
    home.log.write_text(f"2026-01-01 INFO  Starting...\n{said}\n")
    found = failure.explain(home, RECORD)
    assert type(found) is expected
    assert said.split(": ", 1)[-1].removeprefix("java.net.BindException: ") in str(found)
    assert found.hint


def test_too_small_a_heap_is_to_be_enlarged(home: Home) -> None:
    home.log.write_text("x INFO  Starting...\nERROR java.lang.OutOfMemoryError: Java heap space\n")
    assert "KG_DB_HEAP_MB to more" in str(failure.explain(home, RECORD).hint)


def test_a_store_that_does_not_open_is_explained_in_neo4j_s_words(home: Home) -> None:
    home.debug_log.write_text(
        "ERROR Failed to start DatabaseId{1[neo4j]}\nCaused by: java.io.IOException: No space left on device\n"
        "INFO  Starting...\nERROR Failed to start DatabaseId{1[neo4j]}\njava.lang.RuntimeException: all\n\tat x.y(Z)\n"
        "Caused by: java.lang.RuntimeException: recovery not possible. To force the database to, do\n\tat x.y(Z)\n"
        "Caused by: java.lang.IllegalStateException: Unreadable bytes\n\t... 20 more\nINFO  Started.\n"
    )
    found = failure.explain_offline(home, Condition("offline", "An error occurred"))
    assert isinstance(found, DatabaseOffline)
    assert str(found).endswith("(database offline): recovery not possible. Unreadable bytes")
    assert "kg db start --recover" in str(found.hint)
    home.debug_log.unlink()
    assert "An error occurred" in str(failure.explain_offline(home, Condition("offline", "An error occurred")))
    full = failure.explain_offline(home, Condition("offline", "java.io.IOException: No space left on device"))
    assert isinstance(full, DiskFull)


def test_what_an_earlier_start_said_is_not_blamed(home: Home) -> None:
    home.log.write_text("x INFO  Starting...\nERROR No space left on device\nx INFO  Starting...\nERROR broken pipe\n")
    found = failure.explain(home, RECORD)
    assert type(found) is StartFailed
    assert "broken pipe" in str(found)


def test_a_log_older_than_the_process_is_not_read(home: Home) -> None:
    home.log.write_text("ERROR No space left on device\n")
    os.utime(home.log, (500, 500))
    home.console.write_text("Error: the virtual machine broke\n")
    found = failure.explain(home, RECORD)
    assert type(found) is StartFailed
    assert "virtual machine broke" in str(found)


def test_stack_frames_are_left_out(home: Home) -> None:
    frames = "".join(f"\tat org.neo4j.Thing.fail(Exception.java:{line})\n" for line in range(50))
    home.log.write_text(f"ERROR Failed to start\n{frames}Caused by: the real reason\n{frames}")
    shown = str(failure.explain(home, RECORD))
    assert "Failed to start" in shown
    assert "the real reason" in shown
    assert "\tat " not in shown


def test_the_end_of_a_log_is_read_without_the_rest(tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    log.write_text("".join(f"line {number}\n" for number in range(100_000)))
    assert failure.tail(log, 2) == "line 99998\nline 99999"
    assert failure.tail(log, 0) == ""
    assert failure.tail(tmp_path / "absent", 5) == ""
