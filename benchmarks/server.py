"""A real Neo4j for one benchmark: the product's own jars, settings and Java, with all of APOC for two of the writers.

It lives in a temporary folder, listens on free ports of the loopback address, and ends with the benchmark.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import neo4j
import psutil

from kg_neo4j.local_server import local_neo4j
from kg_neo4j.progress import Progress
from kg_neo4j.settings import Settings
from neo4j_local import configuration, java

HEAP_MB, PAGECACHE_MB = 2_048, 1_024
USERNAME = "neo4j"
START_S, STOP_S = 600.0, 120.0
DELETED_AT_A_TIME = 20_000


class PrivateServer:
    """A running server and one connection to it."""

    def __init__(self, process: subprocess.Popen[bytes], driver: neo4j.Driver, uri: str, password: str) -> None:
        self.uri, self.password = uri, password
        self.pid = process.pid
        self._process = psutil.Process(process.pid)
        self._driver = driver

    def version(self) -> str:
        """Return the server's version, as it says itself."""
        rows = self.rows("CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0]")
        return str(rows[0][0])

    def cpu_seconds(self) -> float:
        """Return the CPU time that the server has used so far."""
        times = self._process.cpu_times()
        return float(times.user + times.system)

    def rows(self, query: str) -> list[neo4j.Record]:
        """Run one query and return its rows."""
        with self._driver.session() as session:
            return list(session.run(query))

    def empty(self) -> None:
        """Delete all data, constraints and indexes.

        Without their schema no writer pays for, or gains from, an index of another one: several use the same labels.
        """
        for what, pattern in (("r", "()-[r]->()"), ("n", "(n)")):
            self.rows(f"MATCH {pattern} CALL ({what}) {{ DELETE {what} }} IN TRANSACTIONS OF {DELETED_AT_A_TIME} ROWS")
        for row in self.rows("SHOW CONSTRAINTS YIELD name"):
            self.rows(f"DROP CONSTRAINT `{row[0]}`")
        for row in self.rows("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"):
            self.rows(f"DROP INDEX `{row[0]}`")


@contextlib.contextmanager
def running(cache: Path, progress: Progress, settings: Settings | None = None) -> Iterator[PrivateServer]:
    """Start a server of our own, and stop and remove it in the end. `cache` takes the data."""
    settings = settings or Settings()
    cache.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="server-", dir=cache)).absolute()
    bolt, http = _free_ports(2)
    command = _lay_out(settings, home, (bolt, http), progress)
    password = secrets.token_urlsafe(16)
    with (home / "console.log").open("wb") as console:
        process = subprocess.Popen(command, cwd=home, stdout=console, stderr=subprocess.STDOUT)
    try:
        uri = f"bolt://{configuration.HOST}:{bolt}"
        _await_ready(process, uri, password, home)
        with neo4j.GraphDatabase.driver(uri, auth=(USERNAME, password), notifications_min_severity="OFF") as driver:
            yield PrivateServer(process, driver, uri, password)
    finally:
        process.terminate()
        process.wait(STOP_S)
        shutil.rmtree(home)


def _lay_out(settings: Settings, home: Path, ports: tuple[int, int], progress: Progress) -> list[str]:
    with local_neo4j(settings) as local:
        folder, locked, found = local.fetch(progress), local.lock, local.find_java()
    for name in ("conf", "plugins", "import", "run"):
        (home / name).mkdir()
    (home / "run" / "tmp").mkdir()
    for path in (folder / jar.file_name for jar in locked.jars if jar.plugin):
        (home / "plugins" / path.name).symlink_to(path)
    (home / "conf" / "neo4j.conf").write_text(_with_apoc(configuration.text(locked.line, *ports, PAGECACHE_MB)))
    class_path = java.class_path_file([folder / jar.file_name for jar in locked.jars])
    (home / "run" / "java.args").write_text(class_path)
    marks = ("-Dkg_neo4j.benchmark=true", f"--home-dir={home}")
    return java.command(found, locked.main, home, HEAP_MB, marks)


def _with_apoc(text: str) -> str:
    for name in ("allowlist", "unrestricted"):
        line = f"dbms.security.procedures.{name}={configuration.SECURITY[f'dbms.security.procedures.{name}']}"
        text = text.replace(line, f"{line},apoc.*")
    return text


def _await_ready(process: subprocess.Popen[bytes], uri: str, password: str, home: Path) -> None:
    """Wait until the server answers, and give it its password."""
    deadline = time.monotonic() + START_S
    while True:
        try:
            login = neo4j.GraphDatabase.driver(uri, auth=(USERNAME, "neo4j"))
            with login as driver, driver.session(database="system") as session:
                session.run("ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $new", new=password).consume()
            return
        except (neo4j.exceptions.ServiceUnavailable, neo4j.exceptions.TransientError):
            if process.poll() is not None or time.monotonic() > deadline:
                said = "".join(log.read_text() for log in (home / "console.log", home / "logs" / "neo4j.log"))
                raise SystemExit(f"the server did not start:\n{said[-5_000:]}") from None
            time.sleep(0.3)


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((configuration.HOST, 0))
        return [int(each.getsockname()[1]) for each in sockets]
