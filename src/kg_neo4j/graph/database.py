"""The one door to Neo4j: addresses, the driver, retries, and errors that say what to try.

Reads run in READ transactions, writes in WRITE transactions; what failed for a passing reason is run again. Every
write is idempotent, because a commit whose answer was lost may have happened.
"""

from __future__ import annotations

import contextlib
import copy
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from kg_neo4j.errors import (
    AuthenticationFailed,
    DatabaseError,
    DatabaseReadOnly,
    DatabaseUnavailable,
    DiskFull,
    GdsMissing,
    LocalDatabaseError,
    NotEnoughMemory,
    SchemaConflict,
    UnsupportedServer,
    UsageError,
)
from kg_neo4j.graph.queries import Query
from kg_neo4j.graph.repetition import TOO_LARGE, Repetition

if TYPE_CHECKING:
    import neo4j


Row = Mapping[str, Any]
_USERINFO = re.compile(r"//[^/@]*@")
_VERSION = re.compile(r"(\d+)\.(\d+)")
T = TypeVar("T")
S = TypeVar("S")

CONNECT_TIMEOUT_S = 4.0  # so that "nothing there" is said within five seconds (test plan, row 38)
RETRY_TIME_S = 30.0  # how long a transaction that met a transient fault is repeated
RESERVE_S = 30.0  # how long the size of a growing store is taken as known
WRITE_TIMEOUT_S = 600.0  # a write transaction, the wait for locks of other sessions included

_DISK_FULL = ("TransactionCommitFailed", "TransactionLogError")
_TIMED_OUT = (
    "TransactionTimedOut",
    "TransactionTimedOutClientConfiguration",
    "LockAcquisitionTimeout",
    "LockClientStopped",
)


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where a server is and how to log in. The password never appears in the repr."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None
    home: Path | None = None  # of the managed local server; None: somebody else runs it

    @property
    def managed(self) -> bool:
        """True for the local server that kg-neo4j started."""
        return self.home is not None

    @property
    def shown(self) -> str:
        """The address for messages: without a user name or password in it."""
        return _USERINFO.sub("//", self.uri)


class Transaction:
    """An open transaction that runs registry queries."""

    def __init__(self, transaction: neo4j.Transaction) -> None:
        self._transaction = transaction

    def run(self, query: Query, /, **params: Any) -> list[Row]:
        """Run `query` and return its rows."""
        return list(self.stream(query, **params))

    def stream(self, query: Query, /, **params: Any) -> Iterator[Row]:
        """Yield the rows of `query` one by one. Read them to the end: the next query would keep the rest in memory."""
        result = self._transaction.run(query.text, params)
        keys = result.keys()
        for record in result:
            yield dict(zip(keys, record.values(), strict=True))

    def read(self, query: Query, /, **params: Any) -> list[Row]:
        """Do the same as `run`, for what reads alone (`Database.read`) or together with other queries."""
        return self.run(query, **params)


class Reader(Protocol):
    """Runs read queries: a `Database` each in a transaction of its own, a `Transaction` all in one."""

    def read(self, query: Query, /, **params: Any) -> list[Row]:
        """Run `query` and return its rows."""

    def stream(self, query: Query, /, **params: Any) -> Iterator[Row]:
        """Run `query` and yield its rows one by one."""


class Database:
    """A connection to one database. Use as a context manager, or call `close`."""

    def __init__(self, address: DatabaseAddress) -> None:
        import neo4j

        self.address = address
        self.indexes: Sequence[Row] | None = None  # as listed in this run; None: not listed, or they may have changed
        self.read_timeout_s: float | None = None  # that the server gives a query that reads; None: no limit
        self._reserve = 0  # bytes that writes leave free on a managed server's disk
        self._reserve_until = 0.0  # when it is computed again, because the store grows
        if address.shown != address.uri:
            raise UsageError(
                f"NEO4J_URI holds a user name or password: {address.shown}",
                hint="put them into NEO4J_USERNAME and NEO4J_PASSWORD",
            )
        try:
            self._driver = neo4j.GraphDatabase.driver(
                address.uri,
                auth=(address.username, address.password),
                connection_timeout=CONNECT_TIMEOUT_S,
                connection_acquisition_timeout=CONNECT_TIMEOUT_S * 4,
                notifications_min_severity="OFF",
                user_agent="kg-neo4j",
            )
        except (neo4j.exceptions.ConfigurationError, ValueError) as error:
            raise UsageError(
                f"NEO4J_URI is not an address Neo4j's driver understands: {address.shown}",
                hint="for example bolt://localhost:7687 or neo4j+s://<id>.databases.neo4j.io",
            ) from error

    def __enter__(self) -> Database:
        """Return self."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the driver. A managed server that cannot write any more is ended, before it harms its log."""
        self.close()
        if isinstance(error, DiskFull) and self.address.home is not None:
            from kg_neo4j import _localdb

            with contextlib.suppress(LocalDatabaseError):  # the first error is the one to report
                _localdb.end_panicked(self.address.home)

    def close(self) -> None:
        """Close all connections. A second call does nothing."""
        self._driver.close()

    @property
    def driver(self) -> neo4j.Driver:
        """The driver itself, for the GDS client."""
        return self._driver

    def for_another_run(self) -> Database:
        """Return a database over the same connections for a parallel run, which lists the indexes itself."""
        other = copy.copy(self)
        other.indexes = None
        return other

    def verify(self) -> str:
        """Return the server's version, which it gives with a round trip and no query.

        Raises DatabaseUnavailable, AuthenticationFailed or UnsupportedServer.
        """
        with _translated(self.address):
            version = self._driver.get_server_info().agent.removeprefix("Neo4j/")
        if not is_supported(version):
            raise UnsupportedServer(
                f"{self.address.shown} runs Neo4j {version}; kg-neo4j needs 5.26 or newer",
                hint="upgrade the server, or unset NEO4J_URI to use the managed local one",
            )
        return version

    def gds_version(self) -> str:
        """Return the version of the Graph Data Science plugin; GdsMissing where it does not answer."""
        import neo4j

        with _translated(self.address):
            try:
                with self._session(neo4j.READ_ACCESS) as session:
                    return str(session.run("RETURN gds.version() AS version").single(strict=True)["version"])
            except neo4j.exceptions.ClientError as error:
                if error.code != "Neo.ClientError.Statement.SyntaxError":
                    raise
                raise GdsMissing(
                    f"the Graph Data Science plugin is not installed at {self.address.shown}",
                    hint="install GDS 2.13 or newer there, or pass --no-analytics",
                ) from error

    def read(self, query: Query, /, **params: Any) -> list[Row]:
        """Run a query of mode "read" in a READ transaction and return its rows."""
        return self.read_transaction(lambda transaction: transaction.run(query, **params))

    def write(self, query: Query, /, **params: Any) -> list[Row]:
        """Run one query in a WRITE transaction and return its rows."""
        return self.write_transaction(lambda transaction: transaction.run(query, **params))

    def schema(self, query: Query, /, **params: Any) -> list[Row]:
        """Run a schema statement (constraint, index), which may take long and shares a transaction with no write."""
        try:
            return self._schema(lambda transaction: transaction.run(query, **params))
        except DatabaseError as error:  # IF NOT EXISTS raises it where another session makes the same at this moment
            if not _code(error).endswith("EquivalentSchemaRuleAlreadyExists"):
                raise
            return []

    def schema_together(self, statements: Sequence[tuple[Query, Mapping[str, Any]]]) -> bool:
        """Run schema statements in one transaction. Return False, with nothing done, where one of them fails."""
        try:
            self._schema(lambda transaction: [transaction.run(query, **params) for query, params in statements])
        except DatabaseError as error:
            if ".Schema." not in _code(error):
                raise
            return False
        return True

    def _schema(self, work: Callable[[Transaction], T]) -> T:
        try:
            return self._run(work, is_write=True, timeout_s=None)
        finally:
            self.indexes = None

    def read_transaction(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one READ transaction; it may be called again after a transient fault."""
        return self._run(work, is_write=False, timeout_s=self.read_timeout_s)

    def write_transaction(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one WRITE transaction; it may be called again after a transient fault.

        It is called again, too, after a commit whose answer was lost: `work` finds in the graph whether it is done.
        """
        return self._run(work, is_write=True, timeout_s=WRITE_TIMEOUT_S)

    def write_parts(self, items: Sequence[S], work: Callable[[Transaction, Sequence[S]], T]) -> list[T]:
        """Run `work` on all items in one WRITE transaction; on each half where that takes more memory than there is.

        Returns what `work` returned for each part, in order. Raises NotEnoughMemory where one item is too much.
        """
        try:
            return [self.write_transaction(lambda transaction: work(transaction, items))]
        except NotEnoughMemory:
            if len(items) < 2:
                raise
        middle = len(items) // 2
        return [*self.write_parts(items[:middle], work), *self.write_parts(items[middle:], work)]

    def stream(self, query: Query, /, **params: Any) -> Iterator[Row]:
        """Yield the rows of a read query one by one, fetched in batches; not repeated once rows were given out."""
        import neo4j
        from neo4j.exceptions import DriverError, Neo4jError

        repetition = Repetition(RETRY_TIME_S)
        with _translated(self.address):
            while True:
                is_begun = False
                try:
                    with self._session(neo4j.READ_ACCESS) as session:
                        result = session.run(self._timed(query), params)
                        keys = result.keys()
                        for record in result:
                            is_begun = True
                            yield dict(zip(keys, record.values(), strict=True))
                    return
                except (DriverError, Neo4jError) as error:
                    self.indexes = None
                    if is_begun:
                        raise
                    repetition.wait(error)

    def explain(self, query: Query, /, **params: Any) -> tuple[tuple[str, ...], str]:
        """Return the columns and the type ("r", "rw", "w", "s") that the server gives `query`, without running it."""
        import neo4j

        with _translated(self.address), self._session(neo4j.READ_ACCESS) as session:
            result = session.run("EXPLAIN " + query.text, params)
            return tuple(result.keys()), str(result.consume().query_type)

    @contextlib.contextmanager
    def reading(self, *, timeout_s: float, fetch_size: int) -> Iterator[neo4j.Transaction]:
        """Open one READ transaction for a query that is not of the registry (mode cypher); it is rolled back, always.

        The server ends it after `timeout_s`; it sends `fetch_size` rows at a time. Nothing is repeated.
        """
        import neo4j

        with (
            _translated(self.address),
            self._driver.session(
                database=self.address.database, default_access_mode=neo4j.READ_ACCESS, fetch_size=fetch_size
            ) as session,
        ):
            transaction = session.begin_transaction(timeout=timeout_s)
            try:
                yield transaction
            finally:
                transaction.close()

    def _run(self, work: Callable[[Transaction], T], *, is_write: bool, timeout_s: float | None) -> T:
        """Run `work` in one transaction until it is known to be done."""
        import neo4j
        from neo4j.exceptions import DriverError, Neo4jError

        if is_write:
            self._require_space()
        repetition = Repetition(RETRY_TIME_S)
        access = neo4j.WRITE_ACCESS if is_write else neo4j.READ_ACCESS
        with _translated(self.address):
            while True:
                try:
                    with self._session(access) as session, session.begin_transaction(timeout=timeout_s) as transaction:
                        result = work(Transaction(transaction))
                        transaction.commit()
                        return result
                except (DriverError, Neo4jError) as error:
                    self.indexes = None  # an index may be gone, or the server replaced
                    repetition.wait(error)

    def _require_space(self) -> None:
        """Raise DiskFull before a write to a managed server that would leave too little space for a checkpoint."""
        if self.address.home is None:
            return
        from kg_neo4j._localdb import disk

        if time.monotonic() >= self._reserve_until:
            self._reserve_until = time.monotonic() + RESERVE_S
            self._reserve = disk.RESERVE + disk.folder_size(self.address.home / "data") // disk.RESERVE_SHARE
        free = shutil.disk_usage(self.address.home).free
        if free < self._reserve:
            raise DiskFull(
                f"{self.address.home} has {free / 1e6:,.0f} MB free; writing stops below {self._reserve / 1e6:,.0f} MB",
                hint="free some space, then run the same command again: nothing is lost",
            )

    def _timed(self, query: Query) -> str | neo4j.Query:
        import neo4j

        return query.text if self.read_timeout_s is None else neo4j.Query(query.text, timeout=self.read_timeout_s)

    def _session(self, mode: str) -> neo4j.Session:
        return self._driver.session(database=self.address.database, default_access_mode=mode)


@contextlib.contextmanager
def _translated(address: DatabaseAddress) -> Iterator[None]:
    """Turn the driver's errors into ours: what, where, and what to try."""
    import neo4j.exceptions as driver_errors

    try:
        yield
    except driver_errors.AuthError as error:
        raise AuthenticationFailed(
            f"{address.shown} refused the user {address.username!r} or the password",
            hint="check NEO4J_USERNAME and NEO4J_PASSWORD",
        ) from error
    except (driver_errors.ServiceUnavailable, driver_errors.SessionExpired) as error:
        hint = "see `kg db logs`" if address.managed else "is the server running, and is the port its Bolt port?"
        raise DatabaseUnavailable(f"no Neo4j answers at {address.shown}: {_short(error)}", hint=hint) from error
    except driver_errors.ConstraintError as error:
        raise SchemaConflict(
            f"{address.shown}: {_short(error)}",
            hint="`SHOW CONSTRAINTS` lists it: it is another program's, or another graph has the same id",
        ) from error
    except driver_errors.Neo4jError as error:
        if "critical error" in str(error) or (error.code or "").endswith(_DISK_FULL):
            restart = "" if address.managed else "restart the server, "
            raise DiskFull(
                f"{address.shown} stopped accepting transactions: {_short(error)}",
                hint=f"free disk space, {restart}then run the same command again: nothing is lost",
            ) from error
        if (error.code or "").endswith(("ConstraintCreationFailed", "AlreadyExists")):
            raise SchemaConflict(
                f"{address.shown}: {_short(error)}", hint="`SHOW CONSTRAINTS` and `SHOW INDEXES` list them"
            ) from error
        if error.code in TOO_LARGE:
            raise NotEnoughMemory(
                f"{address.shown}: {_short(error)}",
                hint="give the server more memory (KG_DB_HEAP_MB; db.memory.transaction.total.max elsewhere), "
                "then run the same command again: nothing is lost",
            ) from error
        if (error.code or "").endswith("WriteOnReadOnlyAccessDatabase"):
            raise DatabaseReadOnly(
                f"{address.shown}: the database is read-only, so nothing was written",
                hint="let the server write to it (server.databases.read_only), or choose another with NEO4J_DATABASE",
            ) from error
        if (error.code or "").endswith(_TIMED_OUT):
            raise DatabaseError(
                f"{address.shown} did not finish a transaction in time: {_short(error)}",
                hint="another session may hold locks on the same nodes; run the same command again: nothing is lost",
            ) from error
        raise DatabaseError(f"{address.shown}: {error.code}: {_short(error)}") from error
    except driver_errors.DriverError as error:
        raise DatabaseUnavailable(
            f"{address.shown}: {_short(error)}", hint="is the port Neo4j's Bolt port (not HTTP)?"
        ) from error


def _code(error: DatabaseError) -> str:
    """Return the server's code for an error; "" where the server gave none."""
    return str(getattr(error.__cause__, "code", ""))


def _short(error: BaseException) -> str:
    message = getattr(error, "message", None) or str(error)
    return " ".join(str(message).split())[:300]


def is_supported(version: str) -> bool:
    """Return True for Neo4j 5.26 and newer; Aura's versions look like "5.27-aura" or "2026.03-aura"."""
    line = _VERSION.match(version)
    return line is not None and (int(line[1]), int(line[2])) >= (5, 26)


def absent_if_empty(value: Any) -> Any:
    """Return None, which stores no property, for an empty text or list; any other value as it is."""
    return None if isinstance(value, str | list) and not value else value


def present(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties without those that the graph does not store: null, empty texts and empty lists."""
    return {name: value for name, value in properties.items() if absent_if_empty(value) is not None}


def batches(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield `rows` in slices of at most `size`, in order; nothing for no rows."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
