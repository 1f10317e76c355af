"""The managed local Neo4j: a real server with GDS and Browser from pip-installable parts.

No Docker, no Java, no account. The jars are fetched once, the server listens on loopback only, has a password of its
own, and outlives the program that started it. Nothing here is used where NEO4J_URI names another server.
"""

from __future__ import annotations

from pathlib import Path

from kg_neo4j._localdb.interface import Server, ServerStatus
from kg_neo4j.progress import Progress
from kg_neo4j.settings import Settings

__all__ = ["Server", "ServerStatus", "fetch", "logs", "start", "status", "stop"]


def start(settings: Settings, progress: Progress) -> Server:
    """Return the running server of KG_HOME, started first where none runs; it then answers Bolt and has GDS.

    The first start on a machine fetches about 170 MB and says so; later ones use no network and take about ten
    seconds. A second start, also at the same time, returns the first one's server.
    Raises FetchFailed, ChecksumMismatch, JavaMissing, PortTaken, StoreTooNew, DiskFull, StartFailed,
    AuthenticationFailed or GdsMissing.
    """
    from kg_neo4j._localdb import server

    return server.start(settings, progress)


def stop(settings: Settings, *, force: bool = False) -> bool:
    """Stop the server that kg-neo4j started, and only that; False where none ran.

    It is asked to end (SIGTERM) and given 120 s to write everything down. With `force` it is killed after 20 s; the
    store then recovers at the next start. Raises LocalDatabaseError where it does not end.
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
