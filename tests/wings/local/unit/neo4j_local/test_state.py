import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest

from jar_repository import Recorder
from neo4j_local import state
from neo4j_local.errors import LocalDatabaseError, StartFailed
from neo4j_local.progress import SILENT
from neo4j_local.state import Home, ServerRecord

NONCE = "5" * 32


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "neo4j-5.26")
    found.prepare()
    return found


def waiting_process(*arguments: str) -> subprocess.Popen[bytes]:
    """A process that waits for its standard input to close, with these words on its command line."""
    return subprocess.Popen(
        [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    with waiting_process("not", "ours") as process:
        assert process.stdout is not None
        process.stdout.readline()  # until then its command line may be empty
        yield process


@pytest.fixture
def ours(home: Home) -> Iterator[subprocess.Popen[bytes]]:
    with waiting_process(*state.marks(home, NONCE)) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process


def record(pid: int, start: float = 0.0) -> ServerRecord:
    return ServerRecord(pid, start, NONCE, state.READY, 7687, 7474, "5.26.30", "2.13.9")


def test_a_process_whose_command_line_is_still_empty_is_known_by_its_start(home: Home) -> None:
    with subprocess.Popen([""], executable="/bin/cat", stdin=subprocess.PIPE) as process:
        started = psutil.Process(process.pid).create_time()
        assert not any(psutil.Process(process.pid).cmdline())
        assert state.process_of(home, record(process.pid, started)) is not None
        assert state.process_of(home, record(process.pid, started - 60)) is None


def write_signed(home: Home, body: str) -> None:
    home.state_file.write_text(f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n")


def fields(**changed: object) -> str:
    return json.dumps({**asdict(record(12)), **changed})


def test_a_record_with_fields_of_another_version_is_read(home: Home) -> None:
    write_signed(home, fields(extra=1, another={"a": []}))
    assert state.read(home) == record(12)


@pytest.mark.parametrize(
    "body",
    [
        *("[]", "null", "1", '"x"', "{}", "{", "[" * 100_000, '{"pid": NaN}'),
        *(fields(pid=pid) for pid in (-1, 0, 1e99, 2**70, None)),
        *(fields(bolt_port=70_000), fields(nonce=[1])),
    ],
)
def test_a_record_that_nobody_could_have_written_counts_as_none(home: Home, body: str) -> None:
    write_signed(home, body)
    assert state.read(home) is None
    assert state.running(home) is None


def test_a_folder_in_place_of_the_record_is_named(home: Home) -> None:
    home.state_file.mkdir()
    with pytest.raises(LocalDatabaseError, match=r"server\.json"):
        state.read(home)


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_a_lock_that_is_no_file_is_named_and_not_followed(home: Home, kind: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("intact")
    lock = home.root / "server.lock"
    lock.symlink_to(victim) if kind == "link" else lock.mkdir()
    with pytest.raises(StartFailed, match=r"server\.lock"), state.locked(home, 1, SILENT):
        pass
    assert victim.read_text() == "intact"


@pytest.mark.parametrize("place", ["", "plugins", "data/databases"])
def test_a_home_that_another_user_made_is_not_used(home: Home, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = home.root / place
    foreign.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        os.chown(foreign, 12345, 12345)
    else:  # nobody else may give a folder away: be another user instead
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(LocalDatabaseError, match="belongs to the user with the number"):
        home.prepare()


def test_an_open_home_is_closed(home: Home) -> None:
    home.root.chmod(0o777)
    home.prepare()
    assert home.root.stat().st_mode & 0o777 == 0o700


def test_a_file_in_place_of_the_home_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LocalDatabaseError, match="file"):
        Home(tmp_path / "file").prepare()


def test_a_record_is_read_as_it_was_written(home: Home) -> None:
    state.write(home, record(12))
    assert state.read(home) == record(12)
    assert home.state_file.stat().st_mode & 0o777 == 0o600


def test_no_record_is_none(home: Home) -> None:
    assert state.read(home) is None
    state.forget(home)


def test_a_record_cut_at_any_byte_is_none(home: Home) -> None:
    state.write(home, record(12))
    whole = home.state_file.read_bytes()
    for size in range(len(whole) - 1):  # the last byte is the line's end
        home.state_file.write_bytes(whole[:size])
        assert state.read(home) is None, size


def test_a_record_with_any_byte_changed_is_none(home: Home) -> None:
    state.write(home, record(12))
    whole = home.state_file.read_bytes()
    for place in range(len(whole) - 1):
        home.state_file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert state.read(home) is None, place


def test_our_process_is_known_by_its_nonce_and_home(home: Home, ours: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert state.process_of(home, record(ours.pid)) is not None
    assert state.process_of(home, replace(record(ours.pid), nonce="6" * 32)) is None
    assert state.process_of(Home(tmp_path / "other"), record(ours.pid)) is None


def test_another_process_is_never_ours_even_with_the_right_start_time(
    home: Home, stranger: subprocess.Popen[bytes]
) -> None:
    forged = record(stranger.pid, state.start_time(stranger.pid))
    assert state.process_of(home, forged) is None
    assert state.process_of(home, replace(forged, nonce="")) is None


def test_a_process_that_ended_is_not_running_even_before_it_is_reaped(
    home: Home, ours: subprocess.Popen[bytes]
) -> None:
    state.write(home, record(ours.pid))
    assert state.running(home) is not None
    assert ours.stdin is not None
    ours.stdin.close()
    os.waitid(os.P_PID, ours.pid, os.WEXITED | os.WNOWAIT)
    assert state.running(home) is None
    ours.wait()
    assert state.running(home) is None


def test_a_process_that_nobody_reaps_has_ended() -> None:
    parent = "import subprocess, sys; kept = subprocess.Popen(['true']); print(kept.pid, flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as keeper:
        assert keeper.stdout is not None
        child = psutil.Process(int(keeper.stdout.readline()))
        assert state.ends(child, timeout_s=60)
        assert psutil.pid_exists(child.pid)


def test_a_process_that_ends_while_it_is_opened_has_ended(
    ours: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linux 6.18 answers ENOENT for a moment."""
    opened, answers = os.pidfd_open, [FileNotFoundError(2, "No such file or directory")]

    def pidfd_open(pid: int, flags: int = 0) -> int:
        if answers:
            raise answers.pop()
        return opened(pid, flags)

    process = psutil.Process(ours.pid)
    assert not state.ends(process, timeout_s=0)  # psutil looks once whether the system has pidfd_open
    monkeypatch.setattr(os, "pidfd_open", pidfd_open)
    ours.kill()
    assert state.ends(process, timeout_s=60)
    assert not answers


def test_waiting_for_a_process_that_lives_has_a_limit(ours: subprocess.Popen[bytes]) -> None:
    assert not state.ends(psutil.Process(ours.pid), timeout_s=0.05)


def test_processes_on_this_home_are_found(home: Home, ours: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert state.strangers(home) == [ours.pid]
    assert state.strangers(Home(tmp_path / "neo4j-5.2")) == []


def test_a_second_start_waits_says_so_and_gives_up_in_time(home: Home) -> None:
    progress = Recorder()
    with (
        state.locked(home, 1, SILENT),
        pytest.raises(StartFailed, match="another kg-neo4j has held"),
        state.locked(home, 0.05, progress),
    ):
        raise AssertionError("two held the lock")
    assert ["waiting" in note for note in progress.notes] == [True]


def test_the_second_goes_on_when_the_first_is_done(home: Home) -> None:
    entered, order = threading.Event(), []

    def second() -> None:
        with state.locked(home, 30, Noting()):
            order.append("second")

    class Noting(Recorder):
        def note(self, message: str) -> None:
            entered.set()

    waiting = threading.Thread(target=second)
    with state.locked(home, 1, SILENT):
        waiting.start()
        assert entered.wait(30)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]


def test_the_lock_of_a_killed_process_is_free(home: Home) -> None:
    holding = (
        "import sys; from pathlib import Path; from neo4j_local import state; "
        "from neo4j_local.progress import SILENT\n"
        "with state.locked(state.Home(Path(sys.argv[1])), 1, SILENT):\n"
        "    print(flush=True); sys.stdin.read()"
    )
    source = str(Path(state.__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {source!r}); {holding}", str(home.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline()
        with pytest.raises(StartFailed), state.locked(home, 0.05, SILENT):
            pass
        holder.kill()
        holder.wait()
        with state.locked(home, 30, SILENT):
            pass


def test_only_the_owner_may_look_into_a_home(home: Home) -> None:
    assert home.root.stat().st_mode & 0o077 == 0
