"""A guarded query, explained, checked and run: in a READ transaction with a deadline, its rows counted and weighed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kg_neo4j import data_files
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Cell
from kg_neo4j.retrieve.cypher.guard import GuardedQuery
from kg_neo4j.retrieve.cypher.parser import MOST_ROWS
from kg_neo4j.retrieve.cypher.plan import check_plan, read_plan
from kg_neo4j.retrieve.cypher.tokens import CypherRefused
from kg_neo4j.retrieve.cypher.values import LIST_CAP

if TYPE_CHECKING:
    import neo4j

LONGEST_CELL = 2_000  # characters of a text that are kept
_REFUSED = data_files.beside(__file__).lines("refused")  # codes of what the query itself is to blame for


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one query may take. Beyond rows and bytes nothing more is read; beyond the time the server ends it."""

    seconds: float = 10.0  # of the server, planning apart
    rows: int = 100  # that are kept; further ones are counted, up to MOST_ROWS
    size: int = 5_000_000  # bytes of all rows as they are read


@dataclass(frozen=True, slots=True)
class QueryRows:
    """What a query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    ids: tuple[tuple[str, ...], ...]  # of each row: the facts that it rests on, or else nodes
    cut: int = 0  # rows that were counted and left out
    is_more: bool = False  # there may be further ones
    notes: tuple[str, ...] = ()


def run(database: Database, query: GuardedQuery, limits: QueryLimits | None = None) -> QueryRows:
    """Check the plan of `query`, run it and return its rows.

    Raises CypherRefused where the plan or the server refuses it, or where it takes too long or too much; the message is
    one for the model that wrote it. Other errors of the database are raised as ever.
    """
    from neo4j.exceptions import AuthError, Neo4jError

    limits = limits or QueryLimits()
    with database.reading(timeout_s=limits.seconds, fetch_size=50) as transaction:
        try:
            explain(transaction, query.text, query.parameters)
            return read_rows(transaction.run(query.text, dict(query.parameters)), query.columns, limits)
        except Neo4jError as error:
            code = error.code or ""
            if isinstance(error, AuthError) or not code.startswith(_REFUSED):
                raise
            raise CypherRefused(_said(code, error, limits)) from error


def explain(transaction: neo4j.Transaction, text: str, parameters: Mapping[str, Any]) -> None:
    """Raise CypherRefused unless the server's plan for the query `text` is one that may run; nothing of it runs."""
    summary = transaction.run("EXPLAIN " + text, dict(parameters)).consume()
    check_plan(summary.query_type, read_plan(summary.plan or {"operatorType": "none"}))


def _said(code: str, error: Exception, limits: QueryLimits) -> str:
    if "Timed" in code or "Terminated" in code:
        return f"the query took longer than {limits.seconds:g} s: ask for less, with a bound name or fewer steps"
    if "Memory" in code:
        return "the query took more memory than the server has for it: gather less"
    message = " ".join(str(getattr(error, "message", None) or error).split())
    return f"the server refused the query: {message[:300]}"


def read_rows(result: neo4j.Result, columns: tuple[str, ...], limits: QueryLimits) -> QueryRows:
    """Return the rows of a result, whose last column has the ids that each rests on, as far as `limits` go."""
    rows: list[tuple[Cell, ...]] = []
    ids: list[tuple[str, ...]] = []
    count, size, cuts = 0, 0, Counter[str]()  # what was shortened: lists and texts
    is_more = False
    for record in result:
        count += 1
        *values, rests_on = record.values()
        size += sum(map(_size, values))
        if is_more := size > limits.size:
            break
        if len(rows) < limits.rows:
            rows.append(tuple(_cell(value, cuts) for value in values))
            ids.append(_ids(rests_on))
    notes = []
    if is_more:
        notes.append(f"reading stopped at {limits.size:,} bytes: there are more rows")
    if cuts["lists"]:
        notes.append(f"{cuts['lists']} lists were cut to their first {LIST_CAP} elements")
    if cuts["texts"]:
        notes.append(f"{cuts['texts']} texts were cut to their first {LONGEST_CELL:,} characters")
    is_full = is_more or count >= MOST_ROWS
    return QueryRows(columns, tuple(rows), tuple(ids), count - len(rows), is_full, tuple(notes))


def _cell(value: Any, cuts: Counter[str]) -> Cell:
    """Return a value of a row as plain data; what is long is cut, what is no number is nothing."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        cuts["lists"] += len(value) > LIST_CAP
        return tuple(_cell(each, cuts) for each in value[:LIST_CAP])
    if isinstance(value, dict):
        return {str(name): _cell(each, cuts) for name, each in value.items() if each is not None}
    text = str(value)
    cuts["texts"] += len(text) > LONGEST_CELL
    return text[:LONGEST_CELL]


def _size(value: Any) -> int:
    if isinstance(value, list):
        return 2 + sum(map(_size, value))
    if isinstance(value, dict):
        return 2 + sum(len(name) + _size(each) for name, each in value.items())
    return len(value.encode()) if isinstance(value, str) else 8


def _ids(rests_on: Mapping[str, Sequence[str | None]]) -> tuple[str, ...]:
    """Return the facts that a row rests on; where there are none, the nodes."""
    found = (tuple(dict.fromkeys(each for each in rests_on.get(kind) or () if each)) for kind in ("facts", "nodes"))
    return next(filter(None, found), ())
