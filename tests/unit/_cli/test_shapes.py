"""The table of JSON shapes names records and fields that exist, and the walk does what its terms say."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import pytest

from kg_neo4j import data_files, plugins
from kg_neo4j._cli.shapes import of_record, plain
from kg_neo4j.records import Usage

SOURCE = Path(__file__).parents[3] / "src"
TABLES = sorted(SOURCE.rglob("shapes.toml"))


def _records(package: str) -> dict[str, list[type[Any]]]:
    """Return every dataclass of a package by its name."""
    found: dict[str, list[type[Any]]] = {}
    absent = (
        () if plugins.is_installed("kg_neo4j.rooms.langchain") else ("kg_neo4j.langchain",)
    )  # it is all of that room
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if module.name.endswith("__main__") or module.name in absent:
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module.name:
                found.setdefault(value.__name__, []).append(value)
    return found


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(
            path, marks=[pytest.mark.needs(name), *[pytest.mark.needs("kg_neo4j_offline")] * (name == "kg_neo4j_lab")]
        )
        for path in TABLES
        for name in [path.parent.name]
    ],
    ids=lambda path: path.parent.name,
)
def test_every_shape_is_of_a_record_that_has_what_the_shape_names(table: Path) -> None:
    records = _records(table.relative_to(SOURCE).parts[0])
    for name, terms in data_files.beside(str(table)).table("shapes").items():
        first_parts = {term.rpartition("=")[2].partition(":")[0].lstrip("*").split(".")[0] for term in terms.split()}
        assert any(first_parts <= set(dir(each)) for each in records.get(name, [])), name


@dataclasses.dataclass(frozen=True, slots=True)
class Inner:
    share: float
    edges: tuple[float, float] | None


@dataclasses.dataclass(frozen=True, slots=True)
class Outer:
    name: str
    inner: Inner
    counts: dict[tuple[int, str], int]
    usage: Usage


OUTER = Outer("n", Inner(0.123456, (0.11119, 0.2)), {(1, "a"): 2, (1, "b"): 3, (2, "a"): 4}, Usage(2, 30, 4, None))


@pytest.mark.parametrize(
    ("terms", "shape"),
    [
        ("name", {"name": "n"}),
        ("title=name", {"title": "n"}),
        ("inner:3", {"inner": {"share": 0.123, "edges": [0.111, 0.2]}}),
        ("name *inner", {"name": "n", "share": 0.123456, "edges": [0.11119, 0.2]}),
        ("a.low=inner.edges.0 a.name=name", {"a": {"low": 0.11119, "name": "n"}}),
        ("counts", {"counts": {"1": {"a": 2, "b": 3}, "2": {"a": 4}}}),
        ("*usage", {"calls": 2, "tokens": {"input": 30, "output": 4}, "usd": None}),
    ],
)
def test_terms(terms: str, shape: dict[str, Any]) -> None:
    assert of_record(OUTER, terms) == shape


def test_a_record_without_a_shape_is_given_field_by_field() -> None:
    assert list(plain(OUTER)) == ["name", "inner", "counts", "usage"]
    assert plain([Usage()]) == [{"calls": 0, "tokens": {"input": 0, "output": 0}, "usd": 0.0}]
