"""Filters by document, language, kind, type and time: brought from what the user named to ids of the graph.

Documents have no date of their own (equal texts give equal graphs, whenever they were loaded), so time means what the
texts say: dates of facts and years of lives. What is left is resolved once for a question; every search is then bound
to these ids. They travel with each query, so that there is a bound to how many there may be.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from kg_neo4j.errors import UsageError
from kg_neo4j.extract.values import RESERVED_LABELS, ValueRefused, normalise_type
from kg_neo4j.extract.years import MAX_YEAR, MIN_YEAR, parse_year
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row, Transaction
from kg_neo4j.records import Filters
from kg_neo4j.retrieve.interface import Scope

SHOWN = 8  # names of what exists, in a message
MOST = 100_000  # chunks that filters may leave: their ids go to the server with every query
_BEFORE_CHRIST = re.compile(r"\bb\.?\s?c\b", re.IGNORECASE)
_YEARS = re.compile(r"(?<![\d.,])\d{3,4}(?![\d.,]\d)")


def resolve(database: Database, graph: str, filters: Filters) -> Scope | None:
    """Return what `filters` leave of `graph`; None where nothing is filtered.

    Raises UsageError for a document, language, kind or type that the graph does not have, for years in the wrong
    order, and where more than `MOST` chunks are left. A graph without documents has no scope: what is missing there is
    not the filter's fault.
    """
    if not filters:
        return None
    check(filters)
    documents = _documents(database, graph, filters)
    if documents == []:
        return None
    types = _types(database, graph, filters.types) if filters.types else None
    dates = _dates(database, graph, filters) if _has_years(filters) else None
    left = _Left(graph, documents, types, dates, *_range(filters))
    chunks, entities, facts = database.read_transaction(left.read)
    return Scope(chunks, entities, facts, None if documents is None else tuple(documents), say(filters))


@dataclass(frozen=True, slots=True)
class _Left:
    """What filters ask for, as the queries take it; None is everything."""

    graph: str
    documents: list[str] | None
    types: list[str] | None
    dates: list[str] | None
    since: int
    until: int

    def read(self, transaction: Transaction) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return the ids of the chunks, entities and facts that are left."""

        def run(name: str, **params: object) -> Row:
            return transaction.run(queries.get(f"retrieve/scope_{name}"), **params)[0]

        years = {"since": self.since, "until": self.until}
        bounds = {"types": self.types, "dates": self.dates}
        most = {"most": MOST + 1}
        chunks = run("chunks", graph=self.graph, documents=self.documents, **bounds, **years, **most)["ids"]
        if len(chunks) > MOST:
            raise UsageError(
                f"the filters select more than {MOST:,} chunks of graph {self.graph!r}, too many to keep a search to",
                hint="filter for less, or load what belongs together into a graph of its own",
            )
        entities = run("entities", chunks=chunks, **bounds, **years)["ids"]
        stated = run("facts", chunks=chunks, **bounds)
        drawn = run("shared", shared=stated["shared"])["ids"] if stated["shared"] else []
        return tuple(chunks), tuple(entities), tuple(sorted({*stated["ids"], *drawn}))


def check(filters: Filters) -> None:
    """Raise UsageError for years that cannot be meant; needs no database."""
    for name, year in (("since", filters.since), ("until", filters.until)):
        if year is not None and not MIN_YEAR <= year <= MAX_YEAR:
            raise UsageError(f"--{name} is a year from {MIN_YEAR} to {MAX_YEAR}, not {year}")
    if filters.since is not None and filters.until is not None and filters.since > filters.until:
        raise UsageError(
            f"no year is both from {filters.since} on and up to {filters.until}", hint="--since 1799 --until 1804"
        )


def say(filters: Filters) -> str:
    """Return filters in words: "documents Ada; language en; from 1800 on"."""
    parts = [
        f"{name} {', '.join(values)}"
        for name, values in (
            ("document", filters.documents),
            ("language", filters.languages),
            ("kind", filters.kinds),
            ("type", filters.types),
        )
        if values
    ]
    if filters.since is not None and filters.until is not None:
        parts.append(f"dated {filters.since} to {filters.until}")
    elif filters.since is not None:
        parts.append(f"dated {filters.since} or later")
    elif filters.until is not None:
        parts.append(f"dated {filters.until} or earlier")
    return "; ".join(parts)


def years_of(date: str) -> tuple[int, int] | None:
    """Return the first and the last year of a date as a text gives it, negative for BC; None where it has none.

    "c. 570" and "14 May 1804" are one year, "1799-1804" and "from 1799 to 1804" are six.
    """
    text = unicodedata.normalize("NFKC", date)
    if _BEFORE_CHRIST.search(text):
        found = [-int(number) for number in re.findall(r"\d{1,4}", text)]
    else:
        found = [int(number) for number in _YEARS.findall(text)]
    if not found:
        try:
            found = [parse_year(text, "date")]
        except ValueRefused:
            return None
    return min(found), max(found)


def _range(filters: Filters) -> tuple[int, int]:
    since, until = filters.since, filters.until
    return MIN_YEAR if since is None else since, MAX_YEAR if until is None else until


def _has_years(filters: Filters) -> bool:
    return filters.since is not None or filters.until is not None


def _documents(database: Database, graph: str, filters: Filters) -> list[str] | None:
    """Return the ids of the documents that are left, in ascending order; None for all; empty in an empty graph."""
    if not (filters.documents or filters.languages or filters.kinds):
        return None
    rows = database.read(queries.get("retrieve/sources"), graph=graph)
    left = {row["id"] for row in rows}
    if not left:
        return []
    if filters.documents:
        left &= {row["id"] for wanted in filters.documents for row in _named(wanted, rows, graph)}
    for what, wanted in (("language", filters.languages), ("kind", filters.kinds)):
        if wanted:
            left &= {row["id"] for each in wanted for row in _with(what, each, rows, graph)}
    if not left:
        raise UsageError(
            f"no document of graph {graph!r} passes all filters ({say(filters)})",
            hint=f"there are {_listed((row['names'][0] for row in rows), len(rows))}",
        )
    return None if len(left) == len(rows) else sorted(left)


def _named(wanted: str, rows: Sequence[Row], graph: str) -> list[Row]:
    """Return the documents with this id, title, key, source or file name; else those that the pattern fits."""
    plain = _plain(wanted)
    found = [row for row in rows if row["id"] == wanted or plain in _names(row)]
    if not found and ("*" in wanted or "?" in wanted):
        pattern = re.compile(fnmatch.translate(plain.replace("[", "[[]")))
        found = [row for row in rows if any(pattern.match(name) for name in _names(row))]
    if not found:
        titles = [row["names"][0] for row in rows]
        near = difflib.get_close_matches(plain, [_plain(title) for title in titles], SHOWN, 0.6)
        likely = [title for title in titles if _plain(title) in near]
        raise UsageError(
            f"no document of graph {graph!r} is called {wanted!r}",
            hint=f"there are {_listed(likely, len(rows), titles)}",
        )
    return found


def _names(row: Row) -> set[str]:
    names = [_plain(name) for name in (*row["names"], row["source"]) if name]
    return {*names, *(name.rpartition("/")[2] for name in names)}


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _with(what: str, wanted: str, rows: Sequence[Row], graph: str) -> list[Row]:
    found = [row for row in rows if (row[what] or "").casefold() == wanted.casefold().strip()]
    if not found:
        known = sorted({row[what] for row in rows if row[what]})
        raise UsageError(
            f"no document of graph {graph!r} has the {what} {wanted!r}",
            hint=f"there {'are' if known else 'is'} {', '.join(known) or f'none with a {what}'}",
        )
    return found


def _types(database: Database, graph: str, wanted: Collection[str]) -> list[str]:
    known = [row["NodeType"] for row in database.read(queries.get("reports/nodes_by_type"), graph=graph)]
    types = []
    for each in wanted:
        try:
            name = normalise_type(each, RESERVED_LABELS)
        except ValueRefused:
            name = each
        if known and name not in known:
            raise UsageError(
                f"graph {graph!r} has no entities of type {each!r}", hint=f"there are {_listed(known, len(known))}"
            )
        types.append(name)
    return sorted(set(types))


def _dates(database: Database, graph: str, filters: Filters) -> list[str]:
    """Return the dates of the graph, as its texts give them, that reach into the range of years."""
    since, until = _range(filters)
    found = []
    for row in database.read(queries.get("retrieve/dates"), graph=graph):
        years = years_of(row["date"])
        if years is not None and years[0] <= until and years[1] >= since:
            found.append(row["date"])
    return found


def _listed(names: Iterable[str], total: int, otherwise: Sequence[str] = ()) -> str:
    shown = list(dict.fromkeys(names))[:SHOWN] or list(dict.fromkeys(otherwise))[:SHOWN]
    more = f", and {total - len(shown):,} more" if total > len(shown) else ""
    return f"{', '.join(map(repr, shown))}{more}"
