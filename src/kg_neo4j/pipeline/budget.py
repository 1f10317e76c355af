"""The budget of a run: one for all that it asks, and what is left to do when it is reached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kg_neo4j._models.books import Books
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.prices import price_of
from kg_neo4j.errors import BudgetReached
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.records import Usage
from kg_neo4j.settings import Settings


def budget_of(limit_usd: float | None, ledger: Books | None = None) -> Budget | None:
    """Return the budget of one run, with a ledger that of all its workers and of earlier runs; None for no limit.

    Raises UsageError for one that is not above zero.
    """
    return None if limit_usd is None else Budget(limit_usd, ledger)


def priced(model: str, settings: Settings, calls: int, read: int, written: int = 0) -> Usage:
    """Return what calls with so many tokens of input and output take; `usd` is None where no price is known."""
    price = price_of(model, settings)
    return Usage(calls, read, written, price.usd(read, written) if price else None)


@contextmanager
def said_what_is_left(database: Database, graph: str) -> Iterator[None]:
    """Add to a BudgetReached how many chunks of the documents read so far are still to be asked about."""
    try:
        yield
    except BudgetReached as reached:
        documents = list_documents(database, graph)
        chunks, done = sum(each.chunks for each in documents), sum(each.done for each in documents)
        raise BudgetReached(
            f"{reached}; {chunks - done} of {chunks} chunks of the {len(documents)} documents read so far are left",
            limit_usd=reached.limit_usd,
            spent_usd=reached.spent_usd,
            hint=reached.hint,
        ) from None
