"""What people give to `load`, one by one: out of lists, tuples and generators, of any depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kg_neo4j.acquire.interface import Source
from kg_neo4j.errors import UsageError

KINDS = "files, folders, web addresses, a Source, or DataFrames with a map; load_text(text, name) for a text"


def flat(_kg: object, given: Iterable[Any], may_be_tables: bool) -> list[Any]:
    """Return the sources. Raises UsageError for what is none, and for a table where there is no map."""
    return list(_each(given, may_be_tables))


def _each(given: Iterable[Any], may_be_tables: bool) -> Iterator[Any]:
    for each in given:
        is_table = isinstance(each, Mapping) or hasattr(each, "itertuples")
        if is_table and not may_be_tables:
            raise UsageError("a DataFrame needs a map of its columns", hint="kg.load(frame, map=kg.map(frame))")
        if is_table or isinstance(each, str | Path | Source):
            yield each
        elif isinstance(each, Iterable) and not isinstance(each, bytes):
            yield from _each(each, may_be_tables)
        else:
            raise UsageError(f"a {type(each).__name__} cannot be loaded", hint=KINDS)
