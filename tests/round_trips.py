"""Counts the transactions that pass through Neo4j's driver, whoever opened them, with the queries of each."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import neo4j


@dataclass
class RoundTrips:
    """The transactions that were opened, in order: the first line that says what a query is for, for each query."""

    transactions: list[list[str]] = field(default_factory=list)

    def besides(self, title: str) -> int:
        """How many transactions did more than the query of this title, which may stand alone in others."""
        return sum(each != [title] for each in self.transactions)

    def __str__(self) -> str:
        return "\n".join(f"{number:3} {'; '.join(each)}" for number, each in enumerate(self.transactions, 1))

    def naming(self, words: str) -> int:
        """How many transactions had a query whose title holds `words`."""
        return sum(any(words in title for title in each) for each in self.transactions)


@contextlib.contextmanager
def counted() -> Iterator[RoundTrips]:
    """Count the transactions of all sessions of this process, of all threads, while the context is open."""
    found = RoundTrips()
    lock = threading.Lock()
    opened: dict[int, list[str]] = {}

    def open_transaction(title: str = "") -> list[str]:
        with lock:
            found.transactions.append([title] if title else [])
            return found.transactions[-1]

    def begun(original: Callable[..., Any]) -> Callable[..., Any]:
        def begin(self: neo4j.Session, *args: Any, **kwargs: Any) -> neo4j.Transaction:
            transaction: neo4j.Transaction = original(self, *args, **kwargs)
            opened[id(transaction)] = open_transaction()
            return transaction

        return begin

    def alone(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: neo4j.Session, query: Any, *args: Any, **kwargs: Any) -> Any:
            open_transaction(_title(query))
            return original(self, query, *args, **kwargs)

        return run

    def within(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: neo4j.Transaction, query: Any, *args: Any, **kwargs: Any) -> Any:
            opened.get(id(self), []).append(_title(query))
            return original(self, query, *args, **kwargs)

        return run

    def managed(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            open_transaction("of a transaction function")
            return original(*args, **kwargs)

        return run

    wrapped = (
        *((neo4j.Session, "begin_transaction", begun), (neo4j.Session, "run", alone)),
        *((neo4j.Session, "execute_read", managed), (neo4j.Session, "execute_write", managed)),
        *((neo4j.Driver, "execute_query", managed), (neo4j.Transaction, "run", within)),
    )
    with contextlib.ExitStack() as stack:
        for owner, name, wrap in wrapped:
            stack.enter_context(mock.patch.object(owner, name, wrap(getattr(owner, name))))
        yield found


def _title(query: Any) -> str:
    """The title in the header of a query file; of any other query its beginning."""
    first = str(query).strip().splitlines()[0]
    return first.removeprefix("// title: ").strip()[:80]
