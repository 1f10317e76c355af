"""The store as a whole: a log that cannot be read to its end, backups, and restoring them into another home.

Breaks that this file notices: a recovery without a copy, without Neo4j's check, or that leaves the setting on; a
backup that does not wait for the lease; a restore that loses the old store when the new one cannot be loaded.
"""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import small_graph
from jar_repository import Recorder
from kg_neo4j.errors import DatabaseOffline, DiskFull, LocalDatabaseError, UsageError
from kg_neo4j.graph.constraints import ensure_constraints
from kg_neo4j.graph.export import export
from kg_neo4j.graph.lease import Lease
from kg_neo4j.pipeline.commands.archive import BackupReport, backup, recover, restore
from kg_neo4j.settings import Settings
from kg_runner import Kg, RunKg
from neo4j_local import configuration, disk, state
from private_server import PrivateServer, short_lived

GRAPH = "kept"


class Listener(Recorder):
    """Knows when a backup waits."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = threading.Event()

    def note(self, message: str) -> None:
        if message == f"waiting for runs that write to {GRAPH!r}":
            self.waits.set()


@pytest.fixture(scope="module", autouse=True)
def cheap_to_start() -> Iterator[None]:
    """Also the servers and tools that a command starts."""
    with short_lived():
        yield


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    with PrivateServer(tmp_path_factory.mktemp("first"), Settings()) as found:
        found.start()
        with found.connect() as database:
            ensure_constraints(database)
            small_graph.load(database, GRAPH)
        yield found


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    with PrivateServer(tmp_path_factory.mktemp("second"), Settings()) as found:
        yield found


def exported(private: PrivateServer) -> str:
    written = io.StringIO()
    private.start()
    with private.connect() as database:
        export(database, GRAPH, written)
    return written.getvalue()


@pytest.fixture(scope="module")
def expected(private: PrivateServer) -> str:
    found = exported(private)
    assert '"Charles Babbage"' in found
    return found


def home_of(private: PrivateServer) -> state.Home:
    return private.local.home


def tear_log(private: PrivateServer) -> None:
    """Kill the server and leave its log as a full disk does: an entry half written, other bytes after it."""
    private.start()
    private.kill()
    log = max((home_of(private).data / "transactions" / "neo4j").glob("neostore.transaction.db.*"))
    end = len(log.read_bytes().rstrip(b"\0"))
    with log.open("r+b") as file:
        file.seek(end + 1)
        file.write(b"\x05\x03" + bytes(range(200, 256)) * 20)


@pytest.fixture
def kg(private: PrivateServer, run_kg: RunKg) -> Kg:
    settings = private.settings
    environment = {
        "KG_HOME": str(settings.home),
        "KG_CACHE": str(settings.cache),
        "KG_DB_BOLT_PORT": str(settings.db_bolt_port),
        "KG_DB_HTTP_PORT": str(settings.db_http_port),
        "KG_DB_HEAP_MB": "512",
        "NEO4J_URI": "",
    }
    return lambda *arguments: run_kg(arguments, environment)


def test_a_torn_log_is_explained_and_the_printed_command_brings_the_graph_back(
    private: PrivateServer, expected: str, kg: Kg
) -> None:
    tear_log(private)
    with pytest.raises(DatabaseOffline, match=r"offline.*Unreadable bytes") as failed:
        private.start()
    assert "`kg db start --recover`" in str(failed.value.hint)
    assert not private.local.status().pid

    code, out, err = kg("db", "start", "--recover", "--json")
    assert code == 0, err
    said = json.loads(out)
    graph = {"graph": GRAPH, "documents": 1, "unsettled": 0, "as_analysed": None}
    assert said["graphs"] == [{**graph, "unfinished": []}]
    copy = Path(said["copy"])
    assert (copy / "databases" / "neo4j").is_dir()
    assert exported(private) == expected
    conf = (home_of(private).root / "conf" / "neo4j.conf").read_text()
    assert not set(configuration.RECOVERY) & {line.partition("=")[0] for line in conf.splitlines()}


def test_there_is_nothing_to_recover_where_the_server_answers_or_nothing_is_stored(
    private: PrivateServer, tmp_path: Path
) -> None:
    private.start()
    with pytest.raises(UsageError, match="nothing to recover"):
        recover(settings=private.settings)
    with pytest.raises(UsageError, match="nothing to recover"):
        recover(settings=private.settings.model_copy(update={"home": tmp_path}))


def test_a_backup_waits_for_the_lease_and_comes_back_in_another_home(
    private: PrivateServer, second: PrivateServer, expected: str, tmp_path: Path
) -> None:
    private.start()
    progress = Listener()
    target = tmp_path / "all.dump"
    reports: list[BackupReport] = []

    def back_up() -> None:
        reports.append(backup(target, settings=private.settings, progress=progress))

    with private.connect() as database:
        with Lease(database, GRAPH):
            thread = threading.Thread(target=back_up)
            thread.start()
            assert progress.waits.wait(60)
            assert not target.exists()
        thread.join(120)
    assert reports[0].bytes == target.stat().st_size > 10_000
    assert exported(private) == expected
    with pytest.raises(UsageError, match="exists"):
        backup(target, settings=private.settings)

    graphs = restore(target, settings=second.settings)
    assert [(each.graph, each.documents) for each in graphs] == [(GRAPH, 1)]
    with pytest.raises(UsageError, match="has a store"):
        restore(target, settings=second.settings)
    data = target.read_bytes()
    (tmp_path / "half.dump").write_bytes(data[: len(data) // 2])
    with pytest.raises(LocalDatabaseError, match="could not load"):
        restore(tmp_path / "half.dump", settings=second.settings, overwrite=True)
    assert second.local.status().running
    assert exported(second) == expected  # what the first restore brought


@pytest.mark.long
def test_a_backup_that_cannot_be_loaded_leaves_the_old_store(
    private: PrivateServer, expected: str, kg: Kg, tmp_path: Path
) -> None:
    private.start()
    target = tmp_path / "whole.dump"
    backup(target, settings=private.settings)
    data = target.read_bytes()
    (tmp_path / "half.dump").write_bytes(data[: len(data) // 2])
    code, out, err = kg("db", "restore", str(tmp_path / "half.dump"), "--yes", "--json")
    assert code == 4, err
    assert "could not load" in json.loads(out)["error"]["message"]
    assert private.local.status().running
    assert exported(private) == expected
    (tmp_path / "text.dump").write_text("no dump")
    with pytest.raises(UsageError, match="not a backup"):
        restore(tmp_path / "text.dump", settings=private.settings, overwrite=True)


@pytest.mark.long
def test_a_restore_asks_before_it_replaces(private: PrivateServer, expected: str, kg: Kg, tmp_path: Path) -> None:
    private.start()
    backup(tmp_path / "a.dump", settings=private.settings)
    assert kg("db", "restore", str(tmp_path / "a.dump"))[0] != 0  # there is nobody to say yes
    assert exported(private) == expected


@pytest.mark.long
def test_a_store_that_was_killed_is_not_backed_up_before_it_recovered(
    private: PrivateServer, expected: str, tmp_path: Path
) -> None:
    private.start()
    with private.connect() as database, Lease(database, "another"):
        pass  # what the lease wrote is in the log alone
    private.kill()
    with pytest.raises(LocalDatabaseError, match="not shut down cleanly") as failed:
        backup(tmp_path / "a.dump", settings=private.settings)
    assert "kg db start" in str(failed.value.hint)
    assert not list(tmp_path.iterdir())
    assert exported(private) == expected


@pytest.mark.long
def test_errors_that_neo4j_s_check_finds_are_reported(
    private: PrivateServer, expected: str, kg: Kg, tmp_path: Path
) -> None:
    private.start()
    backup(tmp_path / "good.dump", settings=private.settings)
    private.stop()
    store = home_of(private).data / "databases" / "neo4j" / "neostore.relationshipstore.db"
    damaged = bytearray(store.read_bytes())
    for place in range(100, 700):  # records of 34 bytes
        damaged[place] ^= 0x5A
    store.write_bytes(damaged)
    code, _, err = kg("db", "start", "--recover")
    assert code == 4
    assert "found errors" in err
    assert "data-before-recovery" in err
    restore(tmp_path / "good.dump", settings=private.settings, overwrite=True)
    assert exported(private) == expected


@pytest.mark.parametrize(
    "command",
    [
        lambda file, settings: backup(file, settings=settings),
        lambda file, settings: restore(file, settings=settings),
        lambda _, settings: recover(settings=settings),
    ],
)
def test_of_another_server_its_own_tools_are_named(command: Callable[[Path, Settings], object], tmp_path: Path) -> None:
    settings = Settings(neo4j_uri="bolt://127.0.0.1:1")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="NEO4J_URI") as failed:
        command(tmp_path / "x", settings)
    assert "neo4j-admin" in str(failed.value.hint)


def test_little_space_stops_a_write_before_it_begins(private: PrivateServer, monkeypatch: pytest.MonkeyPatch) -> None:
    private.start()
    monkeypatch.setattr(disk, "RESERVE", 10**18)
    with (
        pytest.raises(DiskFull, match=r"writing stops below 1,000,000,000,000 MB") as failed,
        private.connect() as database,
    ):
        small_graph.load(database, GRAPH)
    assert "nothing is lost" in str(failed.value.hint)
    assert private.local.status().running  # it is well: nothing ended it


@pytest.mark.long
def test_a_server_without_space_for_its_checkpoint_is_killed(
    private: PrivateServer, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    private.start()
    monkeypatch.setattr(disk, "RESERVE", 10**18)
    assert private.local.stop()
    said = home_of(private).log.read_text().rpartition("Started.")[2]
    assert "Stopping" not in said
    monkeypatch.undo()
    assert exported(private) == expected
