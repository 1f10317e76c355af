"""The packages of src/: how many lines each may have, and which names cross the borders of the wings.

borders.toml lists the names. A name that is added needs a line under `grown` that says why.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from hidden_package import run_without

SRC = Path(__file__).parents[2] / "src"
TRUNK, ROOMS = "kg_neo4j", "kg_neo4j.rooms"
LINES = {  # at most, all lines of the .py files; rooms are counted apart
    # 38,500 less what moved; 400 for lossless readers, 200 for .rst, 70 for names, 300 for sentences, 670 for trust,
    # 100 for names and types, 100 for readers, 170 for tables, 600 for models, 224 for guesses; 358 less
    # for PDF and .rst, which moved
    TRUNK: 40_769,
    "kg_neo4j_offline": 9_900,
    "kg_neo4j_lab": 8_110,  # 200 for the study of formats, 600 for options, whole answers and rows beside others' names
    "kg_neo4j_readers": 2_500,
    # 10 for pictures of scanned pages, 40 for tables, 34 for /metrics, 450 for all graphs, folders, cancelled loads,
    # filters to tick, the menu and wrong answers, 51 for expanding pictures, 75 for corrections, 300 for decisions,
    # 8 for the start of the local database
    # 106 for callers' own Cypher, resources as Markdown, the argument `graph`, and errors that name what is near;
    # 200 for several tokens
    "kg_neo4j_serve": 4_693,
    "kg_neo4j_scale": 2_600,
    "neo4j_local": 2_235,  # 15 for a store that another home made, 120 for the archive of the server's classes
}
ROOM_LINES = {
    "adopt": 900,
    "chat": 450,
    "claims": 300,
    "corrections": 925,
    "erasure": 490,  # 300 for files, the graph and decisions, 190 for a store that is written again
    "fitness": 440,
    "grammar": 230,
    "guesses": 260,
    "langchain": 45,
    "namesakes": 260,
    "notebooks": 500,
    "ontology": 288,
    "rights": 400,
    "tables": 1_410,  # 47 for maps of DataFrames, 40 for graphs that are in the database already
    "types": 604,
}
MOST = {
    "kg_neo4j_offline": 112,
    "kg_neo4j_lab": 187,
    "kg_neo4j_readers": 30,
    "kg_neo4j_serve": 81,
    "kg_neo4j_scale": 123,
    "neo4j_local": 0,
}
WINGS = tuple(name for name in LINES if name != TRUNK)
PRESENT = tuple(name for name in LINES if (SRC / name).is_dir())
BORDERS = tomllib.loads(Path(__file__).with_name("borders.toml").read_text(encoding="utf-8"))


def module_of(path: Path) -> str:
    name = ".".join(path.relative_to(SRC).with_suffix("").parts)
    return name.removesuffix(".__init__")


@cache
def modules() -> dict[str, Path]:
    return {module_of(path): path for package in PRESENT for path in sorted((SRC / package).rglob("*.py"))}


def lines_of(package: str) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (SRC / package).rglob("*.py"))


def crossings(path: Path) -> Iterator[str]:
    """Yield what a file imports of other packages of src/, as "module: name", or as a module."""
    own = module_of(path).split(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found = [
                name if (name := f"{node.module}.{alias.name}") in modules() else f"{node.module}: {alias.name}"
                for alias in node.names
            ]
        else:
            continue
        yield from (each for each in found if (package := package_of(each)) in LINES and package != own)


def package_of(name: str) -> str:
    return re.split(r"[.:]", name, maxsplit=1)[0]


def listed(text: str) -> set[str]:
    """Return the names of lines such as "kg_neo4j.records: Answer Chunk"; a line without names is a module."""
    found = set()
    for line in filter(None, map(str.strip, text.splitlines())):
        module, _, names = line.partition(":")
        found |= {f"{module}: {name}" for name in names.split()} or {module}
    return found


@pytest.mark.parametrize("package", PRESENT)
def test_a_package_keeps_its_budget(package: str) -> None:
    rooms = sum(lines_of(f"{TRUNK}/rooms/{room}") for room in ROOM_LINES) if package == TRUNK else 0
    assert lines_of(package) - rooms <= LINES[package]


@pytest.mark.parametrize(
    "room", sorted(path.name for path in (SRC / TRUNK / "rooms").iterdir() if (path / "__init__.py").is_file())
)
def test_a_room_keeps_its_budget(room: str) -> None:
    assert lines_of(f"{TRUNK}/rooms/{room}") <= ROOM_LINES[room]


@pytest.mark.parametrize("wing", [name for name in WINGS if name in PRESENT])
def test_the_names_that_a_wing_uses_are_listed(wing: str) -> None:
    border = BORDERS[wing]
    base = listed(border["uses"])
    used = {name for path in (SRC / wing).rglob("*.py") for name in crossings(path)}
    assert used == base | set(border.get("grown", {}))
    assert len(base) <= MOST[wing], "a new name belongs under `grown`, with its reason"
    assert all(border.get("grown", {"": "none"}).values())


@pytest.mark.parametrize("wing", [name for name in WINGS if name in PRESENT])
def test_the_names_that_others_use_of_a_wing_are_listed(wing: str) -> None:
    found = {
        f"{module_of(path)} <- {name}"
        for package in PRESENT
        for path in (SRC / package).rglob("*.py")
        for name in crossings(path)
        if package_of(name) == wing
    }
    assert {each.partition(" <- ")[2] for each in found} == listed(BORDERS[wing]["used"]), sorted(found)


@pytest.mark.slow  # all unit tests, for each package
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("wing", [name for name in WINGS if name in PRESENT])
def test_the_unit_tests_of_everything_else_pass_without_a_wing(wing: str, tmp_path: Path) -> None:
    arguments = ["tests/unit", "-q", "-m", "not slow and not long", "-p", "no:cacheprovider"]
    ran = run_without(wing, tmp_path, ["-m", "pytest", *arguments])
    assert ran.returncode == 0, ran.stdout[-5_000:]
    assert f"NOT RUN: tests that need {wing}" in ran.stdout
