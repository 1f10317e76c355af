"""Starts, finds and stops the managed local Neo4j. It outlives the program that started it.

It never uses and never stops a server that it did not start.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j.errors import (
    DatabaseOffline,
    DatabaseUnavailable,
    DiskFull,
    LocalDatabaseError,
    PortTaken,
    StartFailed,
    StillStarting,
)
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings
from neo4j_local import disk, failure, jars, java, launch, login, ports, state
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


def start(settings: Settings, progress: Progress, *, check: bool = False) -> Server:
    """Return the running server of KG_HOME, started first where none runs; it then answers Bolt and has GDS.

    The first start on a machine fetches about 170 MB and says so; later ones use no network and take about ten
    seconds. A second start, also at the same time, returns the first one's server. With `check`, a running server
    that opens no transaction any more (after a full disk) is ended first.
    Raises FetchFailed, ChecksumMismatch, JavaMissing, PortTaken, StoreTooNew, DiskFull, DatabaseOffline, StartFailed,
    StillStarting, AuthenticationFailed or GdsMissing.
    """
    home = state.home_of(settings)
    if check:
        end_panicked(home.root, progress)
    found = state.running(home)
    if found and found[0].phase == state.READY and not check:
        return _server(home, found[0], started=False)
    parts = None if found else parts_of(settings, progress)
    home.prepare()
    with locked(settings, home, progress):
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
                    return _awaited(settings, home, found[0])
                except StartFailed:
                    if state.running(home):
                        raise
                    progress.note(f"the local Neo4j (process {found[0].pid}) has ended; it is started again")
            return start_new(settings, home, parts or parts_of(settings, progress), progress)
        finally:
            progress.finish(STAGE)


def _awaited(settings: Settings, home: Home, record: ServerRecord) -> Server:
    """Wait for a server that runs already. It is ended only if its database could not be opened."""
    try:
        return _server(home, _await_ready(home, record, time.monotonic() + settings.db_start_timeout_s), started=False)
    except DatabaseOffline:
        with _stopped_on_failure(home):
            raise


def stop(settings: Settings, *, force: bool = False) -> bool:
    """Stop the server that kg-neo4j started, and only that; False where none ran.

    It is asked to end (SIGTERM) and given 120 s to write everything down. With `force` it is killed after 20 s; the
    store then recovers at the next start. A server that opens no transaction any more is killed at once, because its
    shutdown would damage the transaction log. Raises LocalDatabaseError where it does not end.
    """
    home = state.home_of(settings)
    if not home.root.is_dir():
        return False
    with locked(settings, home, SILENT):
        return end(home, force=force)


def locked(settings: Settings, home: Home, progress: Progress) -> contextlib.AbstractContextManager[None]:
    """Hold the right to start and stop the server of `home`, waiting as long as a start and a stop may take."""
    return state.locked(home, settings.db_start_timeout_s + STOP_TIMEOUT_S, progress)


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


def status(settings: Settings) -> ServerStatus:
    """Say what runs. Starts, stops and waits for nothing; while a server starts, only its pid is given."""
    home = state.home_of(settings)
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


def logs(settings: Settings, lines: int = 100) -> str:
    """Return the last `lines` lines of what the Java process printed and of Neo4j's own log; "" if there are none."""
    home = state.home_of(settings)
    both = "\n".join(part for part in (failure.tail(home.console, lines), failure.tail(home.log, lines)) if part)
    return "\n".join(both.splitlines()[-lines:]) if lines > 0 else ""


def fetch(settings: Settings, progress: Progress, to: Path | None = None) -> Path:
    """Fetch and verify the jars ahead of the first start, and return the folder that holds them.

    With `to`, that folder is filled instead, for KG_JARS_DIR on a machine without a network. A second call fetches
    nothing. Raises FetchFailed, ChecksumMismatch or DiskFull.
    """
    locked = jars.read_lock(settings.db_neo4j)
    if to is not None:
        jars.export(settings, locked, to.absolute(), progress)
        return to.absolute()
    return jars.ensure(settings, locked, progress)[0].parent


def parts_of(settings: Settings, progress: Progress) -> launch.Parts:
    """Return what a server is made of; fetches jars that the cache lacks."""
    locked = jars.read_lock(settings.db_neo4j)
    executable = java.find(settings, locked.java)  # before 170 MB are fetched
    return launch.Parts(locked, jars.ensure(settings, locked, progress), executable)


def start_new(
    settings: Settings, home: Home, parts: launch.Parts, progress: Progress, further: Mapping[str, str] | None = None
) -> Server:
    """Start a server on `home`, whose lock is held, with `further` settings of Neo4j; wait until it answers."""
    deadline = time.monotonic() + settings.db_start_timeout_s
    for attempt in range(1, _PORT_TRIES + 1):
        chosen = ports.choose(settings, progress)
        try:
            with _stopped_on_failure(home):
                record = launch.launch(settings, home, parts, chosen, further)
                return _server(home, _await_ready(home, record, deadline), started=True)
        except PortTaken:  # between our look and the server's bind
            if attempt == _PORT_TRIES:
                raise
    raise AssertionError("unreachable")


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
