"""What people give: to `KnowledgeGraph` settings by name; to `load` sources in lists and generators of any depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from kg_neo4j.acquire.interface import Source
from kg_neo4j.display import instead
from kg_neo4j.errors import UsageError
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.settings import Settings

KINDS = "files, folders, web addresses, a Source, or DataFrames with a map; load_text(text, name) for a text"


def settings_with(_kg: object, settings: Settings | None, more: Mapping[str, Any]) -> Settings:
    """Return settings with some that are given by name. Raises TypeError, with the right name, for one there is not."""
    for name in more:
        if name not in Settings.model_fields:
            known = [*Settings.model_fields, "chat_model", "settings", "progress"]
            raise TypeError(f"KnowledgeGraph has no argument {name!r}; {instead(name, known, 'Settings')}")
    own = Settings(**more)  # checked
    return settings.model_copy(update={name: getattr(own, name) for name in more}) if settings else own


def options_with(_kg: object, options: LoadOptions, more: Mapping[str, Any]) -> LoadOptions:
    """Return options of a load with some that are given by name. Raises TypeError, as above."""
    known = [each.name for each in fields(LoadOptions)]
    for name in more:
        if name not in known:
            raise TypeError(f"load() has no argument {name!r}; {instead(name, known, 'LoadOptions')}")
    return replace(options, **more)


def flat(_kg: object, given: Iterable[Any], may_be_tables: bool) -> list[Any]:
    """Return the sources. Raises UsageError for what is none, and for a table where there is no map."""
    return list(_each(given, may_be_tables))


def _each(given: Iterable[Any], may_be_tables: bool) -> Iterator[Any]:
    for each in given:
        is_table = isinstance(each, Mapping) or hasattr(each, "itertuples")
        if is_table and not may_be_tables:
            raise UsageError("a DataFrame needs a map of its columns", hint="kg.load(frame, map=kg.map(frame))")
        if isinstance(each, str) and _is_text(each):
            raise UsageError("a text was given, not the name of a file", hint='kg.load_text(text, name="memo")')
        if is_table or isinstance(each, str | Path | Source):
            yield each
        elif isinstance(each, Iterable) and not isinstance(each, bytes):
            yield from _each(each, may_be_tables)
        else:
            raise UsageError(f"a {type(each).__name__} cannot be loaded", hint=KINDS)


def _is_text(given: str) -> bool:
    """Return whether a text, not a path or an address, was given: several lines, or a sentence that is no file."""
    is_sentence = " " in given.strip() and given.rstrip().endswith((".", "!", "?"))
    return "\n" in given or (is_sentence and (len(given) > 255 or not Path(given).exists()))
