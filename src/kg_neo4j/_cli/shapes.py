"""The JSON shapes that other programs rely on: records in, plain values out."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kg_neo4j import data_files
from kg_neo4j.records import Usage


@cache
def shapes(module: str) -> Mapping[str, str]:
    """Return record -> what its JSON has, for the records of a module: the nearest shapes.toml above it, else ours."""
    above = Path(str(sys.modules[module].__file__)).parents[: module.count(".")]
    nearest = next((folder for folder in above if (folder / "shapes.toml").is_file()), Path(__file__).parent)
    return data_files.beside(str(nearest / "shapes")).table("shapes")


def plain(value: Any, digits: int | None = None) -> Any:
    """Return a record, or what holds records, as plain values; floats rounded to `digits`. Keys of pairs are nested."""
    if isinstance(value, Usage):  # nothing is paid where nothing is asked; null where a price is not known
        tokens = {"input": value.input_tokens, "output": value.output_tokens}
        return {"calls": value.calls, "tokens": tokens, "usd": value.usd if value.calls else 0.0}
    if is_dataclass(value) and not isinstance(value, type):
        terms = shapes(type(value).__module__).get(type(value).__name__)
        return of_record(value, terms or " ".join(each.name for each in fields(value)), digits)
    if isinstance(value, Mapping):
        shape: dict[Any, Any] = {}
        for key, each in value.items():
            put(shape, [str(part) for part in key] if isinstance(key, tuple) else [key], plain(each, digits))
        return shape
    if isinstance(value, list | tuple):
        return [plain(each, digits) for each in value]
    if isinstance(value, float) and digits is not None:
        return round(value, digits)
    return str(value) if isinstance(value, Path) else value


def of_record(record: Any, terms: str, digits: int | None = None) -> dict[str, Any]:
    """Return what `terms` say of a record, in their order; see shapes.toml."""
    shape: dict[str, Any] = {}
    for term in terms.split():
        name, _, path = term.partition("=")
        path, _, rounded = (path or name).partition(":")
        value: Any = record
        for part in path.lstrip("*").split("."):
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        value = plain(value, int(rounded) if rounded else digits)
        if path.startswith("*"):
            shape.update(value)
        else:
            put(shape, name.partition(":")[0].split("."), value)
    return shape


def put(shape: dict[Any, Any], keys: list[Any], value: Any) -> None:
    """Put `value` under nested keys; an object joins what is there already."""
    for key in keys[:-1]:
        shape = shape.setdefault(key, {})
    if isinstance(value, dict) and isinstance(shape.get(keys[-1]), dict):
        shape[keys[-1]].update(value)
    else:
        shape[keys[-1]] = value
