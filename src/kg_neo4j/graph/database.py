"""The one door to Neo4j: addresses, the driver, retries, and errors that say what to try.

Reads run in READ transactions, writes in WRITE transactions; what failed for a passing reason is run again. Every
write is idempotent, because a commit whose answer was lost may have happened.
"""

from __future__ import annotations

import contextlib
import copy
import random
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from kg_neo4j import local_server
from kg_neo4j.errors import (
    DatabaseError,
    DiskFull,
    GdsMissing,
    LocalDatabaseError,
    NotEnoughMemory,
    RightMissing,
    TransactionTimedOut,
    UnsupportedServer,
    UsageError,
)
from kg_neo4j.graph.faults import FORBIDDEN, TOO_LARGE, code_of, translated
from kg_neo4j.graph.queries import Query
from kg_neo4j.settings import check_address

if TYPE_CHECKING:
    import neo4j
    from neo4j.exceptions import DriverError, Neo4jError

Row = Mapping[str, Any]
T = TypeVar("T")
S = TypeVar("S")

CONNECT_TIMEOUT_S = 4.0  # so that "nothing there" is said within five seconds (test plan, row 38)
RETRY_TIME_S = 30.0  # how long a transaction that met a transient fault is repeated
RESERVE_S = 30.0  # how long the size of a growing store is taken as known
WRITE_TIMEOUT_S = 600.0  # a write transaction, the wait for locks of other sessions included
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.3, 8.0  # between tries
IDLE_S = 60.0  # after it a connection is tried before it is used: what stands between may have cut it


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where a server is and how to log in. The password never appears in the repr."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None
    home: Path | None = None  # of the managed local server; None: somebody else runs it

    @property
    def shown(self) -> str:
        """The address for messages: without a user name or password in it."""
        return re.sub(r"//[^/@]*@", "//", self.uri)


@dataclass(frozen=True, slots=True)
class Transaction:
    """An open transaction that runs registry queries."""

    _transaction: neo4j.Transaction

    def run(self, query: Query, /, **params: Any) -> list[Row]:
        """Run `query` and return its rows."""
        return list(self.stream(query, **params))

    def stream(self, query: Query, /, **params: Any) -> Iterator[Row]:
        """Yield the rows of `query` one by one. Read them to the end: the next query would keep the rest in memory."""
        result = self._transaction.run(*sent(query, params))
        keys = result.keys()
        for record in result:
            yield dict(zip(keys, record.values(), strict=True))

    read = run  # for what reads alone (`Database.read`) or together with other queries


class Reader(Protocol):
    """Runs read queries: a `Database` each in a transaction of its own, a `Transaction` all in one."""

    def read(self, query: Query, /, **params: Any) -> list[Row]:
        """Run `query` and return its rows."""

    def stream(self, query: Query, /, **params: Any) -> Iterator[Row]:
        """Run `query` and yield its rows one by one."""


class Database(contextlib.AbstractContextManager["Database"]):
    """A connection to one database. Use as a context manager, or call `close`."""

    def __init__(self, address: DatabaseAddress) -> None:
        import neo4j

        self.address = address
        self.indexes: Sequence[Row] | None = None  # as listed in this run; None: not listed, or they may have changed
        self.read_timeout_s = 0.0  # that the server gives a query that reads, whatever its own limit; 0: none
        self._reserve, self._reserve_until = 0, 0.0  # bytes that writes leave free on a managed disk; known until when
        # by them a read sees, in a cluster, what this run has written; the managed server is one, and has none
        self._bookmarks = None if address.home else neo4j.GraphDatabase.bookmark_manager()
        check_address("NEO4J_URI", address.uri)
        try:
            self.driver = neo4j.GraphDatabase.driver(
                address.uri,
                auth=(address.username, address.password),
                connection_timeout=CONNECT_TIMEOUT_S,
                connection_acquisition_timeout=CONNECT_TIMEOUT_S * 4,
                liveness_check_timeout=IDLE_S,
                notifications_min_severity="OFF",
                user_agent="kg-neo4j",
            )
        except (neo4j.exceptions.ConfigurationError, ValueError) as error:
            raise UsageError(
                f"NEO4J_URI is not an address Neo4j's driver understands: {address.shown}",
                hint="for example bolt://localhost:7687 or neo4j+s://<id>.databases.neo4j.io",
            ) from error

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close the driver. A managed server that cannot write any more is ended, before it harms its log."""
        self.driver.close()
        if isinstance(error, DiskFull) and self.address.home is not None:
            with contextlib.suppress(LocalDatabaseError):  # the first error is the one to report
                local_server.end_panicked(self.address.home)

    def close(self) -> None:
        """Close all connections. A second call does nothing."""
        self.driver.close()

    def for_another_run(self) -> Database:
        """Return a database over the same connections for a parallel run, which lists the indexes itself."""
        other = copy.copy(self)
        other.indexes = None
        return other

    def verify(self) -> str:
        """Return the server's version, which it gives with a round trip and no query.

        Raises DatabaseUnavailable, AuthenticationFailed or UnsupportedServer.
        """
        with translated(self.address):
            version = self.driver.get_server_info().agent.removeprefix("Neo4j/")
        if not is_supported(version):
            raise UnsupportedServer(
                f"{self.address.shown} runs Neo4j {version}; kg-neo4j needs 5.26 or newer",
                hint="upgrade the server, or unset NEO4J_URI to use the managed local one",
            )
        return version

    def gds_version(self) -> str:
        """Return the version of the Graph Data Science plugin; GdsMissing where it does not answer."""
        import neo4j

        with translated(self.address):
            try:
                with self._session(neo4j.READ_ACCESS) as session:
                    return str(session.run("RETURN gds.version() AS version").single(strict=True)["version"])
            except neo4j.exceptions.ClientError as error:
                if error.code not in ("Neo.ClientError.Statement.SyntaxError", FORBIDDEN):
                    raise
                raise GdsMissing(
                    f"the Graph Data Science plugin is not installed at {self.address.shown}, or not for this user",
                    hint="install GDS 2.13 or newer, or pip install 'kg-neo4j[analytics]', or pass --no-analytics",
                ) from error

    def read(self, query: Query, /, **params: Any) -> list[Row]:
        """Run a query of mode "read" in a READ transaction and return its rows."""
        return self.read_transaction(lambda transaction: transaction.run(query, **params))

    def write(self, query: Query, /, **params: Any) -> list[Row]:
        """Run one query in a WRITE transaction and return its rows."""
        return self.write_transaction(lambda transaction: transaction.run(query, **params))

    def schema(self, query: Query, /, **params: Any) -> None:
        """Run a schema statement (constraint, index), which may take long and shares a transaction with no write."""
        self.schemas([(query, params)])

    def schemas(self, statements: Sequence[tuple[Query, Mapping[str, Any]]]) -> None:
        """Run schema statements in one transaction; where one fails, each alone, so that the error is its own."""
        try:
            self._run(
                lambda transaction: [transaction.run(query, **params) for query, params in statements],
                is_write=True,
                timeout_s=0.0,
            )
        except RightMissing as error:
            named = "; ".join(query.statement(**params).partition(" FOR ")[0] for query, params in statements)
            raise RightMissing(f"{error}. Not done: {named}", hint=error.hint) from error.__cause__
        except DatabaseError as error:
            code = code_of(error.__cause__)
            if len(statements) > 1 and ".Schema." in code:
                for one in statements:
                    self.schemas([one])
            elif not code.endswith("EquivalentSchemaRuleAlreadyExists"):  # made by another session at this moment
                raise
        finally:
            self.indexes = None

    def read_transaction(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one READ transaction; it may be called again after a transient fault."""
        return self._run(work, is_write=False, timeout_s=self.read_timeout_s)

    def write_transaction(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one WRITE transaction; it may be called again after a transient fault.

        Also after a commit whose answer was lost: `work` finds in the graph whether it is done.
        """
        return self._run(work, is_write=True, timeout_s=WRITE_TIMEOUT_S)

    def write_parts(self, items: Sequence[S], work: Callable[[Transaction, Sequence[S]], T]) -> list[T]:
        """Run `work` on all items in one WRITE transaction; on each half where that is more than the server allows.

        Returns what `work` returned for each part, in order. Raises NotEnoughMemory where one item is too much.
        """
        begun = time.monotonic()
        try:
            return [self.write_transaction(lambda transaction: work(transaction, items))]
        except (NotEnoughMemory, TransactionTimedOut) as error:
            locked = isinstance(error, TransactionTimedOut) and time.monotonic() - begun >= WRITE_TIMEOUT_S
            if len(items) < 2 or locked:  # our own limit is long: it is met by locks, and half as much meets them, too
                raise
        middle = len(items) // 2
        return [*self.write_parts(items[:middle], work), *self.write_parts(items[middle:], work)]

    def stream(self, query: Query, /, **params: Any) -> Iterator[Row]:
        """Yield the rows of a read query one by one, fetched in batches; not repeated once rows were given out."""
        import neo4j
        from neo4j.exceptions import DriverError, Neo4jError

        text, given = sent(query, params)
        repetition = Repetition(RETRY_TIME_S)
        with translated(self.address):
            while True:
                is_begun = False
                try:
                    with self._session(neo4j.READ_ACCESS) as session:
                        result = session.run(neo4j.Query(text, timeout=self.read_timeout_s), given)
                        keys = result.keys()
                        for record in result:
                            is_begun = True
                            yield dict(zip(keys, record.values(), strict=True))
                    return
                except (DriverError, Neo4jError) as error:
                    if is_begun:
                        self.indexes = None
                        raise
                    self._wait(repetition, error)

    def explain(self, query: Query, /, **params: Any) -> tuple[tuple[str, ...], str]:
        """Return the columns and the type ("r", "rw", "w", "s") that the server gives `query`, without running it."""
        import neo4j

        with translated(self.address), self._session(neo4j.READ_ACCESS) as session:
            result = session.run("EXPLAIN " + query.text, params)
            return tuple(result.keys()), str(result.consume().query_type)

    @contextlib.contextmanager
    def reading(self, *, timeout_s: float, fetch_size: int) -> Iterator[neo4j.Transaction]:
        """Open one READ transaction for a query that is not of the registry (mode cypher); it is rolled back, always.

        The server ends it after `timeout_s`; it sends `fetch_size` rows at a time. Nothing is repeated.
        """
        import neo4j

        with (
            translated(self.address),
            self._session(neo4j.READ_ACCESS, fetch_size=fetch_size) as session,
            contextlib.closing(session.begin_transaction(timeout=timeout_s)) as transaction,
        ):
            yield transaction

    def _run(self, work: Callable[[Transaction], T], *, is_write: bool, timeout_s: float) -> T:
        """Run `work` in one transaction until it is known to be done."""
        import neo4j
        from neo4j.exceptions import DriverError, Neo4jError

        if is_write:
            self._require_space()
        repetition = Repetition(RETRY_TIME_S)
        access = neo4j.WRITE_ACCESS if is_write else neo4j.READ_ACCESS
        with translated(self.address):
            while True:
                try:
                    with self._session(access) as session, session.begin_transaction(timeout=timeout_s) as transaction:
                        result = work(Transaction(transaction))
                        transaction.commit()
                        return result
                except (DriverError, Neo4jError) as error:
                    self._wait(repetition, error)

    def _wait(self, repetition: Repetition, error: DriverError | Neo4jError) -> None:
        """Wait for the next try; raise `error` where there is none. An index may be gone, or the store replaced."""
        import neo4j

        self.indexes = None
        try:
            repetition.wait(error)
        except (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError):
            if "Bookmark" in code_of(error):  # of a store that was there before
                self._bookmarks = neo4j.GraphDatabase.bookmark_manager()
            raise

    def _require_space(self) -> None:
        """Raise DiskFull before a write to a managed server that would leave too little space for a checkpoint."""
        if (home := self.address.home) is None:
            return
        if time.monotonic() >= self._reserve_until:
            self._reserve_until = time.monotonic() + RESERVE_S
            self._reserve = local_server.reserve(home)
        if (free := shutil.disk_usage(home).free) < self._reserve:
            raise DiskFull(
                f"{home} has {free / 1e6:,.0f} MB free; writing stops below {self._reserve / 1e6:,.0f} MB",
                hint="free some space, then run the same command again: nothing is lost",
            )

    def _session(self, mode: str, fetch_size: int = 1_000) -> neo4j.Session:
        of: dict[str, Any] = {"database": self.address.database, "bookmark_manager": self._bookmarks}
        return self.driver.session(default_access_mode=mode, fetch_size=fetch_size, **of)


class Repetition:
    """The tries of one transaction: after transient faults, broken connections, and commits whose answer was lost.

    A lack of memory is repeated once, because others may have used it.
    """

    def __init__(self, limit_s: float) -> None:
        """`limit_s` bounds the time in which a further try may begin."""
        self._deadline = time.monotonic() + limit_s
        self._pause_s = FIRST_PAUSE_S
        self._is_unclear = False
        self._memory_faults = 0

    def wait(self, error: DriverError | Neo4jError) -> None:
        """Return when it is time for the next try; raise `error` where there is none."""
        from neo4j.exceptions import ConstraintError, IncompleteCommit

        if isinstance(error, IncompleteCommit):
            helps = self._is_unclear = True
        elif isinstance(error, ConstraintError):  # after an unclear commit: the server was at it still
            helps = self._is_unclear
        elif code_of(error).endswith(TOO_LARGE):
            self._memory_faults += 1
            helps = self._memory_faults < 2
        else:
            helps = error.is_retryable()
        if not helps or time.monotonic() > self._deadline:
            raise error
        time.sleep(self._pause_s * random.uniform(0.8, 1.2))
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)


def is_supported(version: str, since: tuple[int, int] = (5, 26)) -> bool:
    """Return True for Neo4j 5.26 (`since`) and newer; Aura's versions look like "5.27-aura" or "2026.03-aura"."""
    line = re.match(r"(\d+)\.(\d+)", version)
    return line is not None and (int(line[1]), int(line[2])) >= since


can_search = partial(is_supported, since=(2026, 3))  # vector indexes, by SEARCH, inside a graph; from what was tried


class _Unprinted(list[Any]):
    """A list whose text says how many there are."""

    def __repr__(self) -> str:
        return f"<{len(self)} items>"


def sent(query: Query, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the text and the parameters to send; of a question as one map.

    Neo4j plans a query again for each type that a parameter has, null and the empty list among them. A map is always a
    map. The driver does not print lists for its log, which takes 0.2 s of CPU for 450,000 numbers.
    """
    given = {name: _Unprinted(value) if isinstance(value, list | tuple) else value for name, value in params.items()}
    is_question = query.name.startswith("retrieve/")
    return (query.text.replace("$", "$given."), {"given": given}) if is_question else (query.text, given)


def absent_if_empty(value: Any) -> Any:
    """Return None, which stores no property, for an empty text or list; any other value as it is."""
    return None if isinstance(value, str | list) and not value else value


def present(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties without those that the graph does not store: null, empty texts and empty lists."""
    return {name: value for name, value in properties.items() if absent_if_empty(value) is not None}


def pages(rows: Sequence[Row], size: int, after: Callable[[str], Sequence[Row]]) -> Iterator[Sequence[Row]]:
    """Yield rows ordered by id, `size` at a time: the first ones, then what `after` gives of the last id."""
    yield rows
    while len(rows) == size:
        rows = after(rows[-1]["id"])
        yield rows


def swept(write: Callable[..., list[Row]], query: Query, limit: int, /, **params: Any) -> int:
    """Run a query that writes `limit` nodes, fewer where it must be, until there are none; return how many it wrote."""
    done, found = 0, limit
    while found >= limit:
        try:
            found = int(next(iter(write(query, limit=limit, **params)[0].values())))
            done += found
        except (NotEnoughMemory, TransactionTimedOut):
            if limit < 2:
                raise
            found = limit = limit // 2
    return done


def batches(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield `rows` in slices of at most `size`, in order; nothing for no rows."""
    yield from (rows[start : start + size] for start in range(0, len(rows), size))
