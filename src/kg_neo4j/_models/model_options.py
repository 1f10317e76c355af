"""Fields of a request's body that the user sets, for all tasks or for some: reasoning_effort, think, ..."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j import data_files
from kg_neo4j.errors import UsageError
from kg_neo4j.settings import Settings

_DATA = data_files.beside(__file__)
TASKS = {name: frozenset(kinds.split()) for name, kinds in _DATA.table("tasks").items()}
_OWN, _UNHASHED = (frozenset(_DATA.table("fields")[name].split()) for name in ("own", "unhashed"))


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The fields as they are set, with a table for each of "extract", "answer" and "judge" that has its own."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    not_hashed: frozenset[str] = _UNHASHED

    def of(self, kind: str) -> dict[str, Any]:
        """Return the fields for a task of this kind; those of its table win over those for all tasks."""
        found = {name: value for name, value in self.fields.items() if name not in TASKS}
        return found | {
            name: value for task in TASKS if kind in TASKS[task] for name, value in self.fields.get(task, {}).items()
        }

    def hashed(self, kind: str) -> str:
        """Return those of the fields that can change the words of an answer, as JSON; empty without any."""
        return shaping(self.of(kind), self.not_hashed)


def read(settings: Settings) -> ModelOptions:
    """Return the options of the settings. Raises UsageError for a field that kg-neo4j sets itself."""
    tables = [settings.model_options, *(settings.model_options.get(name, {}) for name in TASKS)]
    if bad := [name for name, table in zip(("", *TASKS), tables, strict=True) if not isinstance(table, dict)]:
        raise UsageError(f"model_options: {bad[0]} is a table of fields, for example {{think = false}}")
    if own := sorted(_OWN.intersection(*[{name for table in tables for name in table}])):
        raise UsageError(f"model_options may not set {', '.join(own)}: kg-neo4j sets it", hint="remove it")
    return ModelOptions(settings.model_options, _UNHASHED | {*settings.not_hashed})


def shaping(options: Mapping[str, Any], not_hashed: frozenset[str] = _UNHASHED) -> str:
    """Return what is hashed of a request's fields, as JSON with sorted keys; empty without any."""
    found = {name: value for name, value in options.items() if name not in not_hashed}
    return json.dumps(found, sort_keys=True) if found else ""


def refused_field(said: str, options: Mapping[str, Any]) -> str:
    """Return the field that a server speaks of in its refusal, a nested one as "a.b"; empty where it names none."""
    named = (name for name in _names(options) if re.search(rf"(?<!\w){re.escape(name.rpartition('.')[2])}(?!\w)", said))
    return next(named, "")


def _names(options: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _names(value, f"{path}{name}.")
        yield f"{path}{name}"
