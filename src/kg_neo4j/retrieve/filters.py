"""Filters by document, language, kind, type and time: brought from what the user named to what the server tests.

Documents have no date of their own (equal texts give equal graphs, whenever they were loaded), so time means what the
texts say: dates of facts and years of lives. What the user named is looked up once for a question. The server then
tests each thing that a search finds, by the conditions in cypher/left/; no ids of what is left travel.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.extract.values import MAX_YEAR, MIN_YEAR, ValueRefused, normalise_type, parse_year
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database, Row
from kg_neo4j.records import Filters
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import Scope, check_filters

SHOWN = 8  # names of what exists, in a message
FEW = 1_000  # documents whose ids travel; of more the server tests name, language and kind
COUNTED = 10_000  # chunks of which it is counted how many are left, for a note
SPACE = r"[\s\p{Z}]"  # as the server's expressions have it
TITLES = 10_000  # documents among which near titles are looked for
_BEFORE_CHRIST = re.compile(r"\bb\.?\s?c\b", re.IGNORECASE)
_YEARS = re.compile(r"(?<![\d.,])\d{3,4}(?![\d.,]\d)")


def resolve(database: Database, graph: str, filters: Filters) -> Scope | None:
    """Return what `filters` leave of `graph`; None where nothing is filtered.

    Raises UsageError for a document, language, kind or type that the graph does not have, and for years in the wrong
    order. A graph without documents has no scope: what is missing there is not the filter's fault.
    """
    if not filters:
        return None
    check_filters(filters)
    values: dict[str, Any] = {}
    if filters.documents or filters.languages or filters.kinds:
        if (chosen := _documents(database, graph, filters)) is None:
            return None
        values |= chosen
    if filters.types:
        values["only_types"] = _types(database, graph, filters.types)
    if filters.since is not None or filters.until is not None:
        since = MIN_YEAR if filters.since is None else filters.since
        until = MAX_YEAR if filters.until is None else filters.until
        values |= {"only_dates": _dates(database, graph, since, until), "only_since": since, "only_until": until}
    needed = {"ids": "only_documents", "names": "only_names", "types": "only_types", "years": "only_dates"}
    scope = Scope(tuple(each for each, value in needed.items() if value in values), values, say(filters))
    return replace(scope, counted=_counted(database, graph, scope))


def _counted(database: Database, graph: str, scope: Scope) -> str:
    """Return how many chunks are left in words; of a large graph that at least so many are."""
    row = read_left(database, scope, "retrieve/count_left", graph=graph, most=COUNTED)[0]
    chunks = f"{row['chunks']:,} {'chunk' if row['chunks'] == 1 else 'chunks'}"
    return f"{chunks} or more" if row["seen"] == COUNTED else f"{row['chunks']:,} chunks"


def say(filters: Filters) -> str:
    """Return filters in words: "documents Ada; language en; from 1800 on"."""
    named = {"document": filters.documents, "language": filters.languages, "kind": filters.kinds, "type": filters.types}
    parts = [f"{name} {', '.join(values)}" for name, values in named.items() if values]
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


def _documents(database: Database, graph: str, filters: Filters) -> dict[str, Any] | None:
    """Return the parameters that documents are tested by; none where all are left. None in an empty graph."""
    groups = database.read(queries.get("retrieve/kinds_of_documents"), graph=graph)
    total = sum(row["documents"] for row in groups)
    if not total:
        return None
    named = [_named(database, graph, wanted, total) for wanted in filters.documents]
    values: dict[str, Any] = {
        "only_names": "|".join(pattern for _, pattern in named) if named else None,
        "only_named": [wanted for wanted, _ in named],
        "only_languages": [_with("language", each, groups, graph) for each in filters.languages] or None,
        "only_kinds": [_with("kind", each, groups, graph) for each in filters.kinds] or None,
    }
    by_name = queries.get("retrieve/documents_left").held_to(("names",))
    found = [row["id"] for row in database.read(by_name, graph=graph, most=FEW + 1, **values)]
    if not found:
        raise UsageError(
            f"no document of graph {graph!r} passes all filters ({say(filters)})",
            hint=f"there are {_listed(_titles(database, graph), total)}",
        )
    if len(found) > FEW:
        return values
    return {} if len(found) == total else {"only_documents": sorted(found)}


def _named(database: Database, graph: str, wanted: str, total: int) -> tuple[str, str]:
    """Return the id and the expression of the names that `wanted` stands for.

    That is a document's id, title, key, source or file name; else, where nothing is called so, those that it fits as a
    pattern. Raises UsageError where there are none.
    """
    for is_pattern in (False, True) if "*" in wanted or "?" in wanted else (False,):
        pattern = expression(wanted, is_pattern=is_pattern)
        given = {"only_names": pattern, "only_named": [wanted], "only_languages": None, "only_kinds": None}
        by_name = queries.get("retrieve/documents_left").held_to(("names",))
        if database.read(by_name, graph=graph, most=1, **given):
            return wanted, pattern
    titles = _titles(database, graph)
    near = difflib.get_close_matches(_plain(wanted), [_plain(title) for title in titles], SHOWN, 0.6)
    likely = [title for title in titles if _plain(title) in near]
    raise UsageError(
        f"no document of graph {graph!r} is called {wanted!r}",
        hint=f"there are {_listed(likely, total, titles)}",
    )


def expression(wanted: str, *, is_pattern: bool) -> str:
    """Return the regular expression, as the server reads it, of a name or pattern, without case.

    It fits a whole name, or the last part of a path. What follows a `*` is found at its first place and kept there
    (an atomic group), so that many stars take no time.
    """
    parts = [part.split("?") for part in re.split(r"\*+", _plain(wanted))] if is_pattern else [[_plain(wanted)]]
    first, *others = (".".join(map(_plain_text, each)) for each in parts)
    between = "".join(f"(?>.*?{part})" for part in others[:-1])
    last = f".*{others[-1]}" if others else ""
    return rf"(?isu)(?:.*/(?=[^/]*\z))?{SPACE}*{first}{between}{last}{SPACE}*"


def _plain_text(text: str) -> str:
    """Return the expression of a text in which nothing is a mark."""
    marks = (f"{SPACE}+" if char == " " else char if char.isalnum() else f"\\x{{{ord(char):x}}}" for char in text)
    return "".join(marks).replace("ss", "(?:ss|ß)")


def _titles(database: Database, graph: str) -> list[str]:
    return [row["title"] for row in database.read(queries.get("retrieve/titles"), graph=graph, most=TITLES)]


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _with(what: str, wanted: str, rows: Sequence[Row], graph: str) -> str:
    """Return a language or kind in lower case; UsageError where no document has it."""
    asked = wanted.casefold().strip()
    if asked not in {(row[what] or "").casefold() for row in rows}:
        known = sorted({row[what] for row in rows if row[what]})
        raise UsageError(
            f"no document of graph {graph!r} has the {what} {wanted!r}",
            hint=f"there {'are' if known else 'is'} {', '.join(known) or f'none with a {what}'}",
        )
    return asked


def _types(database: Database, graph: str, wanted: Collection[str]) -> list[str]:
    known = [row["NodeType"] for row in database.read(queries.get("retrieve/types"), graph=graph)]
    types = []
    for each in wanted:
        try:
            name = normalise_type(each)
        except ValueRefused:
            name = each
        if known and name not in known:
            raise UsageError(
                f"graph {graph!r} has no entities of type {each!r}", hint=f"there are {_listed(known, len(known))}"
            )
        types.append(name)
    return sorted(set(types))


def _dates(database: Database, graph: str, since: int, until: int) -> list[str]:
    """Return the dates of the graph, as its texts give them, that reach into the range of years."""
    dates = [row["date"] for row in database.read(queries.get("retrieve/dates"), graph=graph)]
    return [each for each in dates if (years := years_of(each)) and years[0] <= until and years[1] >= since]


def _listed(names: Iterable[str], total: int, otherwise: Sequence[str] = ()) -> str:
    shown = list(dict.fromkeys(names))[:SHOWN] or list(dict.fromkeys(otherwise))[:SHOWN]
    more = f", and {total - len(shown):,} more" if total > len(shown) else ""
    return f"{', '.join(map(repr, shown))}{more}"
