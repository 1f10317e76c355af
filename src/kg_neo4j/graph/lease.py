"""One writer a graph: a lease on the server's clock, proven and prolonged in every write transaction.

A run that lost its lease (it slept, its machine was cut off) cannot write any more. The lease of a process that died
on this machine is taken over at once; one of another machine after it has run out.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j import owners
from kg_neo4j.errors import DatabaseError, DatabaseUnavailable, DiskFull, LeaseHeld
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row, Transaction, batches
from kg_neo4j.graph.queries import Query
from kg_neo4j.progress import Progress

GRAPH_FORMAT = 3  # of what is stored of a graph; a change that other versions cannot read needs another number
LEASE_S = 90.0  # a dead run of another machine is waited for at most this long
RENEW_S = LEASE_S / 3
MOST = 10_000  # rows of a transaction, where each is small
POLL_S = 0.5  # how often a backup looks whether a run has ended

_held: set[str] = set()  # tokens of the leases that this process holds, or asks for


@dataclass(slots=True, eq=False, repr=False)
class Lease:
    """The right to write to one graph, as a context manager. Entering raises LeaseHeld where another run has it."""

    database: Database
    graph: str
    _token: str = field(default_factory=lambda: secrets.token_hex(16), init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _renewer: threading.Thread = field(init=False)

    def __enter__(self) -> Lease:
        """Take the lease and keep it alive in the background."""
        _held.add(self._token)  # before another thread can see it
        try:
            taken = self.database.write_transaction(self._take)
            while taken["owner"] is None:  # its holder gave it back while we asked: what we saw is deleted
                taken = self.database.write_transaction(self._take)
            if taken["token"] != self._token:
                host, pid, _ = taken["owner"].rsplit(":", 2)
                hint = "wait for it to end, or load into another graph with --graph NAME"
                raise LeaseHeld(f"graph {self.graph!r} is being written to by process {pid} on {host}", hint=hint)
        except BaseException:
            _held.discard(self._token)
            raise
        self._renewer = threading.Thread(target=self._renew, name="kg-lease", daemon=True)
        self._renewer.start()
        return self

    def _take(self, transaction: Transaction) -> Row:
        rows = transaction.run(queries.get("write/read_lease"), graph=self.graph)
        dead = next((row["token"] for row in rows if row["owner"] and _is_dead(row["owner"], row["token"])), "")
        asked = {"graph": self.graph, "token": self._token, "owner": owners.this_process(), "dead": dead}
        return transaction.run(queries.get("write/take_lease"), milliseconds=round(LEASE_S * 1000), **asked)[0]

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Give the lease back. Where the database does not answer any more, it is left to run out."""
        self._stop.set()
        self._renewer.join()
        ignored = () if error is None else (DatabaseError,)  # the first error is the one to report
        try:
            if not isinstance(error, DatabaseUnavailable):
                with contextlib.suppress(*ignored):
                    self.database.write(queries.get("write/release_lease"), graph=self.graph, token=self._token)
        finally:
            _held.discard(self._token)

    def prove(self, transaction: Transaction, *, writes: bool = True) -> None:
        """Prolong the lease within `transaction`, which `writes` to the graph: it has another version then.

        Raises LeaseHeld where another run has taken over.
        """
        rows = transaction.run(
            queries.get("write/hold_lease"),
            graph=self.graph,
            token=self._token,
            milliseconds=round(LEASE_S * 1000),
            writes=writes,
            format=GRAPH_FORMAT,
        )
        if not rows:
            hint = "run the same command again: what was recorded is kept"
            raise LeaseHeld(f"this run no longer holds the right to write to graph {self.graph!r}", hint=hint)

    def write(self, query: queries.Query, /, **params: Any) -> list[Row]:
        """Run a write query in a transaction that proves the lease. Raises LeaseHeld and DatabaseError."""

        def proven(transaction: Transaction) -> list[Row]:
            self.prove(transaction)
            return transaction.run(query, **params)

        return self.database.write_transaction(proven)

    def write_parts(self, query: Query, of: str, items: Sequence[Any], most: int = MOST, /, **params: Any) -> list[Row]:
        """Run a write query on all items, its parameter `of`: `most` in a transaction, fewer where it must be."""

        def write(transaction: Transaction, some: Sequence[Any]) -> list[Row]:
            self.prove(transaction)
            return transaction.run(query, **{of: list(some)}, **params)

        parts = (self.database.write_parts(some, write) for some in batches(items, most))
        return [row for written in parts for rows in written for row in rows]

    def _renew(self) -> None:
        while not self._stop.wait(RENEW_S):
            try:
                self.database.write_transaction(lambda transaction: self.prove(transaction, writes=False))
            except DiskFull:  # there may be space again before the lease runs out
                continue
            except DatabaseError:
                return  # the next write transaction meets the same fault and reports it


def wait_for_writers(database: Database, progress: Progress) -> None:
    """Wait until no living run holds the right to write to any graph of the database."""
    said: list[str] = []
    query = queries.get("write/live_leases")
    while graphs := sorted(row["graph"] for row in database.read(query) if not _is_dead(row["owner"], row["token"])):
        if graphs != said:
            progress.note(f"waiting for runs that write to {', '.join(map(repr, graphs))}")
            said = graphs
        time.sleep(POLL_S)


def _is_dead(owner: str, token: str) -> bool:
    """Return True where the process `owner` has ended.

    Also where it is this very process, which could not give back a lease because the database was gone.
    """
    return owners.has_ended(owner) or (owners.is_this_process(owner) and token not in _held)
