"""What neo4j_local raises. Each error carries `hint`, one sentence on what to try, or None.

kg-neo4j raises its own error in its place, so hints name the settings and commands of kg-neo4j.
"""

from __future__ import annotations


class LocalNeo4jError(Exception):
    """Root of all errors. The message says what and where; `hint` says what to try."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(LocalNeo4jError):
    """An argument that is invalid, or what it names is not there."""


class DatabaseUnavailable(LocalNeo4jError):
    """The server does not serve queries (yet)."""


class AuthenticationFailed(LocalNeo4jError):
    """The server refused the stored password. Never retried: servers lock accounts out."""


class GdsMissing(LocalNeo4jError):
    """The Graph Data Science plugin does not answer."""


class NotEnoughMemory(LocalNeo4jError):
    """An import would take more memory than there is."""


class LocalDatabaseError(LocalNeo4jError):
    """The server, its files, or its store."""


class FetchFailed(LocalDatabaseError):
    """A jar cannot be downloaded."""


class ChecksumMismatch(LocalDatabaseError):
    """A jar is not the one named in the lock."""


class JavaMissing(LocalDatabaseError):
    """No usable Java runtime."""


class PortTaken(LocalDatabaseError):
    """Somebody else listens on the port."""


class StoreTooNew(LocalDatabaseError):
    """The data were written by a newer Neo4j line."""


class DiskFull(LocalDatabaseError):
    """Too little space to start or to continue."""


class DatabaseOffline(LocalDatabaseError):
    """The server runs, but Neo4j could not open the store; the message has Neo4j's own reason."""


class StoreInconsistent(LocalDatabaseError):
    """Neo4j's consistency check found errors in a recovered store; the copy made before the recovery is kept."""


class StartFailed(LocalDatabaseError):
    """The server died while it started, or cannot be started."""


class StillStarting(StartFailed):
    """Not ready in time, but alive: it may be in a long recovery, which must not be interrupted."""
