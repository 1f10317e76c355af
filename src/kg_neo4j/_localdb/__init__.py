"""The managed local Neo4j: a real server with GDS and Browser from pip-installable parts.

No Docker, no Java, no account. The jars are fetched once, the server listens on loopback only, has a password of its
own, and outlives the program that started it. Nothing here is used where NEO4J_URI names another server.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j._localdb.interface import Server, ServerStatus
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.settings import Settings

if TYPE_CHECKING:
    from kg_neo4j._localdb.recovery import Recovery

__all__ = [
    "Server",
    "ServerStatus",
    "dump",
    "end_panicked",
    "fetch",
    "has_store",
    "logs",
    "recover",
    "restore",
    "start",
    "status",
    "stop",
]


def start(settings: Settings, progress: Progress, *, check: bool = False) -> Server:
    """Return the running server of KG_HOME, started first where none runs; it then answers Bolt and has GDS.

    The first start on a machine fetches about 170 MB and says so; later ones use no network and take about ten
    seconds. A second start, also at the same time, returns the first one's server. With `check`, a running server
    that opens no transaction any more (after a full disk) is ended first.
    Raises FetchFailed, ChecksumMismatch, JavaMissing, PortTaken, StoreTooNew, DiskFull, DatabaseOffline, StartFailed,
    StillStarting, AuthenticationFailed or GdsMissing.
    """
    from kg_neo4j._localdb import server

    return server.start(settings, progress, check=check)


def stop(settings: Settings, *, force: bool = False) -> bool:
    """Stop the server that kg-neo4j started, and only that; False where none ran.

    It is asked to end (SIGTERM) and given 120 s to write everything down. With `force` it is killed after 20 s; the
    store then recovers at the next start. A server that opens no transaction any more is killed at once, because its
    shutdown would damage the transaction log. Raises LocalDatabaseError where it does not end.
    """
    from kg_neo4j._localdb import server

    return server.stop(settings, force=force)


def status(settings: Settings) -> ServerStatus:
    """Say what runs. Starts, stops and waits for nothing; while a server starts, only its pid is given."""
    from kg_neo4j._localdb import server

    return server.status(settings)


def logs(settings: Settings, lines: int = 100) -> str:
    """Return the last `lines` lines of the server's logs; "" where there are none."""
    from kg_neo4j._localdb import server

    return server.logs(settings, lines)


def fetch(settings: Settings, progress: Progress, to: Path | None = None) -> Path:
    """Fetch and verify the jars ahead of the first start, and return the folder that holds them.

    With `to`, that folder is filled instead, for KG_JARS_DIR on a machine without a network. A second call fetches
    nothing. Raises FetchFailed, ChecksumMismatch or DiskFull.
    """
    from kg_neo4j._localdb import server

    return server.fetch_jars(settings, progress, to)


def end_panicked(home: Path, progress: Progress = SILENT) -> None:
    """End the server of the folder `home` where it runs but opens no transaction any more; else do nothing."""
    from kg_neo4j._localdb import server, state

    server.end_panicked(state.Home(home), progress)


def has_store(settings: Settings) -> bool:
    """Say whether KG_HOME holds data of the managed server."""
    from kg_neo4j._localdb import lock, recovery, state

    return recovery.has_store(state.home_of(settings, lock.read().line))


def recover(settings: Settings, progress: Progress) -> Recovery:
    """Open a store again whose transaction log cannot be read to its end, after copying it; the server then runs.

    Raises UsageError where there is nothing to recover, DiskFull, DatabaseOffline or StoreInconsistent.
    """
    from kg_neo4j._localdb import recovery

    return recovery.recover(settings, progress)


def dump(settings: Settings, target: Path, progress: Progress, *, overwrite: bool = False) -> int:
    """Write the store to the file `target` and return its bytes; a running server is stopped, then started again.

    Raises UsageError, DiskFull or LocalDatabaseError.
    """
    from kg_neo4j._localdb import backup

    return backup.dump(settings, target, progress, overwrite=overwrite)


def restore(settings: Settings, source: Path, progress: Progress, *, overwrite: bool = False) -> None:
    """Replace the store by the one in `source`, and start the server. Where that fails the old store stays.

    Raises UsageError where there is a store and `overwrite` is not set, DiskFull, or LocalDatabaseError.
    """
    from kg_neo4j._localdb import backup

    backup.restore(settings, source, progress, overwrite=overwrite)
