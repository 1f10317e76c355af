"""The managed local Neo4j, started for these tests in a home of its own; three starts in all."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import neo4j
import psutil
import pytest

from cypher_hostile import LOADS
from kg_neo4j.settings import Settings
from neo4j_local import LocalNeo4j, Server, ports, state
from neo4j_local.errors import AuthenticationFailed, PortTaken, StartFailed
from neo4j_local.state import Home, ServerRecord
from private_server import short_lived

SOURCE = Path(state.__file__).parents[1]

START = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from neo4j_local import LocalNeo4j
given = json.loads(sys.argv[2])
server = LocalNeo4j(Path(given.pop("folder")), Path(given.pop("cache")), **given).start()
print(json.dumps({"pid": server.pid, "started": server.started, "uri": server.uri}))
"""


def local_for(folder: Path) -> LocalNeo4j:
    return LocalNeo4j(folder, Settings().cache, bolt_port=0, http_port=0, heap_mb=512, pagecache_mb=64)


@pytest.fixture(scope="module", autouse=True)
def cheap_to_start() -> Iterator[None]:
    """But for the first server, which other processes start as users do."""
    with short_lived():
        yield


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalNeo4j]:
    local = local_for(tmp_path_factory.mktemp("kg home"))  # with a space in its name
    yield local
    local.stop(force=True)


@pytest.fixture(scope="module")
def first_starts(private: LocalNeo4j) -> list[dict[str, object]]:
    """What two processes say that start the same home at the same time."""
    given = json.dumps(asdict(private), default=str)
    command = [sys.executable, "-c", START, str(SOURCE), given]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    return [json.loads(process.communicate()[0]) for process in both]


@pytest.fixture
def server(private: LocalNeo4j, first_starts: list[dict[str, object]]) -> Server:
    return private.start()


@pytest.fixture
def home(server: Server) -> Home:
    return Home(server.home)


@pytest.fixture
def record(home: Home) -> Iterator[ServerRecord]:
    """The server's record, put back after the test."""
    kept = state.read(home)
    assert kept is not None
    yield kept
    state.write(home, kept)


def ask(server: Server, query: str, **params: object) -> list[neo4j.Record]:
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        return driver.execute_query(query, parameters_=params).records  # type: ignore[arg-type]


def test_two_starts_at_once_give_one_server_which_outlives_both(
    first_starts: list[dict[str, object]], server: Server
) -> None:
    assert sorted(bool(said["started"]) for said in first_starts) == [False, True]
    assert {said["pid"] for said in first_starts} == {server.pid}
    assert not server.started


def test_bolt_gds_and_browser_answer(server: Server) -> None:
    assert ask(server, "RETURN gds.version() AS version")[0]["version"] == server.gds == "2.13.9"
    assert server.neo4j == "5.26.30"
    with urllib.request.urlopen(server.browser_url) as page:
        assert b"<html" in page.read().lower()
    discovery = server.browser_url.removesuffix("browser/")
    with urllib.request.urlopen(urllib.request.Request(discovery, headers={"Accept": "application/json"})) as page:
        assert server.uri.removeprefix("bolt://") in json.load(page)["bolt_direct"]


def test_status_says_where_everything_is(private: LocalNeo4j, server: Server) -> None:
    found = private.status()
    assert (found.running, found.uri, found.browser, found.pid) == (True, server.uri, server.browser_url, server.pid)
    assert (found.neo4j, found.gds, found.username) == (server.neo4j, server.gds, "neo4j")
    assert found.password_file == str(server.password_file)
    assert "Started." in private.logs()


def test_it_listens_on_loopback_only_and_at_two_ports_only(server: Server) -> None:
    listening = [
        connection.laddr
        for connection in psutil.Process(server.pid).net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert {address.ip for address in listening} <= {"127.0.0.1", "::ffff:127.0.0.1"}
    assert len({address.port for address in listening}) == 2


def test_no_other_address_of_this_machine_reaches_it(server: Server) -> None:
    port = int(server.uri.rsplit(":", 1)[1])
    addresses = [
        each.address for all_ in psutil.net_if_addrs().values() for each in all_ if each.family == socket.AF_INET
    ]
    for address in addresses:
        if not address.startswith("127."):
            with (
                pytest.raises(OSError, match=r"refused|timed out"),
                socket.create_connection((address, port), timeout=5),
            ):
                pass
    assert ports.speaks_bolt(port)


def test_the_password_is_random_and_stands_in_its_file_only(server: Server, home: Home) -> None:
    assert len(server.password) >= 20
    assert server.password_file.stat().st_mode & 0o777 == 0o600
    process = psutil.Process(server.pid)
    assert server.password not in " ".join(process.cmdline())
    assert server.password not in str(process.environ())
    assert server.password not in repr(server)
    holding = [
        path.name
        for path in home.root.rglob("*")
        if path.is_file() and not path.is_symlink() and server.password.encode() in path.read_bytes()
    ]
    assert holding == ["password"]


@pytest.mark.parametrize("password", ["neo4j", "", "wrong"])
def test_no_other_password_opens_it(server: Server, password: str) -> None:
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=("neo4j", password)) as driver,
        pytest.raises(neo4j.exceptions.AuthError),
    ):
        driver.verify_connectivity()


@pytest.fixture
def visitors() -> Iterator[tuple[int, list[str]]]:
    """A web server on loopback, and the paths that were asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"a,b\n")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as web:
        thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield web.server_port, asked
        web.shutdown()
        thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "[::ffff:127.0.0.1]"])
def test_load_csv_reaches_no_address(server: Server, visitors: tuple[int, list[str]], host: str) -> None:
    port, asked = visitors
    with pytest.raises(neo4j.exceptions.ClientError) as caught:
        ask(server, "LOAD CSV FROM $address AS row RETURN row", address=f"http://{host}:{port}/x.csv")
    assert "blocked" in str(caught.value) or "blocklist" in str(caught.value).lower()
    assert asked == []


@pytest.mark.parametrize("place", ["import", "elsewhere"])
def test_load_csv_reads_no_file(server: Server, home: Home, tmp_path: Path, place: str) -> None:
    canary = (home.root / "import" if place == "import" else tmp_path) / "canary.csv"
    canary.write_text("canary\n")
    address = "file:///canary.csv" if place == "import" else canary.as_uri()
    with pytest.raises(neo4j.exceptions.ClientError, match=r"not allowed|allow_csv_import_from_file_urls"):
        ask(server, "LOAD CSV FROM $address AS row RETURN row", address=address)
    canary.unlink()


def test_no_procedures_but_neo4j_s_own_gds_s_and_two_of_apoc(server: Server) -> None:
    names = [row["name"] for row in ask(server, "SHOW PROCEDURES YIELD name")]
    assert {name.split(".")[0] for name in names} == {"apoc", "db", "dbms", "gds", "tx"}
    assert any(name.startswith("gds.leiden") for name in names)
    assert [name for name in names if name.startswith("apoc")] == ["apoc.meta.data", "apoc.meta.subGraph"]
    functions = ask(server, "SHOW FUNCTIONS YIELD name WHERE name STARTS WITH 'apoc'")
    assert [row["name"] for row in functions] == ["apoc.any.property"]


@pytest.mark.parametrize("query", LOADS)
def test_nothing_of_apoc_loads_exports_or_runs_text(
    server: Server, visitors: tuple[int, list[str]], query: str
) -> None:
    port, asked = visitors
    ask(server, "MERGE (:Entity {graph: 'canary', name: 'x'})")  # one of them reads nothing without an entity
    with pytest.raises(neo4j.exceptions.ClientError):
        ask(server, query.format(port=port), graph="canary")
    assert asked == []


def test_a_home_that_is_nearly_empty_stays_small(home: Home) -> None:
    files = [path for path in home.root.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) < 30_000_000


def test_a_forged_record_makes_nobody_stop_a_stranger(private: LocalNeo4j, home: Home, record: ServerRecord) -> None:
    with subprocess.Popen(["sleep", "600"]) as sleep:
        state.write(home, replace(record, pid=sleep.pid, process_start=state.start_time(sleep.pid)))
        assert not private.status().running
        assert private.stop(force=True) is False
        assert sleep.poll() is None
        sleep.kill()
    assert psutil.Process(record.pid).is_running()


@pytest.mark.parametrize("damage", ["torn", "gone"])
def test_without_its_record_the_server_is_neither_used_nor_stopped(
    private: LocalNeo4j, home: Home, record: ServerRecord, damage: str
) -> None:
    state.forget(home)
    if damage == "torn":
        home.state_file.write_bytes(b"0123456789abcdef\n{")
    assert private.stop(force=True) is False
    with pytest.raises(StartFailed, match=f"process {record.pid} uses"):
        private.start()
    assert psutil.Process(record.pid).is_running()


def test_a_start_that_was_interrupted_is_taken_up(private: LocalNeo4j, home: Home, record: ServerRecord) -> None:
    state.write(home, replace(record, phase=state.STARTING))
    halfway = private.status()
    assert (halfway.running, halfway.pid) == (False, record.pid)
    assert private.start().pid == record.pid
    assert private.status().running


def test_a_password_changed_elsewhere_is_explained(private: LocalNeo4j, home: Home, record: ServerRecord) -> None:
    right = home.password_file.read_text()
    home.password_file.write_text("another\n")
    state.write(home, replace(record, phase=state.STARTING))
    with pytest.raises(AuthenticationFailed, match=re.escape(str(home.password_file))):
        private.start()
    home.password_file.write_text(right)
    assert private.start().pid == record.pid


def test_another_neo4j_at_the_chosen_port_is_neither_used_nor_stopped(server: Server, tmp_path: Path) -> None:
    port = int(server.uri.rsplit(":", 1)[1])
    other = replace(local_for(tmp_path), bolt_port=port)
    with pytest.raises(PortTaken, match=f"KG_DB_BOLT_PORT={port}"):
        other.start()
    assert not other.status().running
    assert other.stop() is False
    assert ask(server, "RETURN 1 AS one")[0]["one"] == 1


def test_a_server_that_dies_while_starting_says_why(tmp_path: Path) -> None:
    local = replace(local_for(tmp_path), heap_mb=100_000_000)
    with pytest.raises(StartFailed, match=r"(?i)heap|memory") as caught:
        local.start()
    assert "KG_DB_HEAP_MB" in (caught.value.hint or "")
    assert local.status().pid is None


def test_nothing_to_stop_is_no_error_and_leaves_nothing_behind(tmp_path: Path) -> None:
    assert local_for(tmp_path / "unused").stop() is False
    assert not (tmp_path / "unused").exists()


def test_after_kill_9_a_slow_start_goes_on_and_the_data_are_there(private: LocalNeo4j, server: Server) -> None:
    ask(server, "CREATE (:Canary {name: 'kept'})")
    process = psutil.Process(server.pid)
    process.kill()
    assert state.ends(process, timeout_s=60)
    assert not private.status().running
    with pytest.raises(StartFailed, match="still starting"):
        replace(private, start_timeout_s=0.5).start()
    again = private.start()
    assert again.pid != server.pid
    assert again.password == server.password
    assert ask(again, "MATCH (n:Canary) RETURN n.name AS name")[0]["name"] == "kept"


def test_stopped_once_it_is_stopped_and_starts_again_with_its_data(private: LocalNeo4j, server: Server) -> None:
    assert private.stop() is True
    assert not ports.is_taken(int(server.uri.rsplit(":", 1)[1]))
    assert private.stop() is False
    assert private.status().pid is None
    again = private.start()
    assert again.started
    assert private.start().pid == again.pid
    assert ask(again, "MATCH (n:Canary) RETURN count(n) AS found")[0]["found"] == 1
