"""Packages of ours that are not there: which tests need them, and processes that cannot find them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from kg_neo4j import plugins

CHECKOUT = Path(__file__).resolve().parents[1]
WINGS = {name: f"kg_neo4j_{name}" for name in ("lab", "offline", "readers", "scale", "serve")} | {
    "local": "neo4j_local"
}
PACKAGES = tuple(WINGS.values())
needs_all = pytest.mark.needs(*PACKAGES)  # for tests of all commands and of the pages for users


def needs_room(room: str) -> pytest.MarkDecorator:
    """Return the mark of a test that another room is part of."""
    return pytest.mark.skipif(not plugins.is_installed(f"kg_neo4j.rooms.{room}"), reason=f"the room {room} is absent")


HIDES = """\
import sys
from importlib.abc import MetaPathFinder


class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {package!r}", name={package!r})
        return None


sys.meta_path.insert(0, Hidden())
"""


@cache
def absent() -> frozenset[str]:
    """Return the packages that cannot be found."""
    return frozenset(each for each in PACKAGES if not plugins.is_installed(each))


def missing(file: Path) -> frozenset[str]:
    """Return the packages that a file of tests needs, or a module of the tests that it imports, and that are absent."""
    if not absent() or file.suffix != ".py":
        return frozenset()
    wing = file.relative_to(CHECKOUT).parts[1:3] if file.is_relative_to(CHECKOUT / "tests") else ()
    own = {WINGS[wing[1]]} if wing[:1] == ("wings",) and wing[1] in WINGS else set()
    return absent() & (own | _needs(file))


@cache
def _needs(file: Path) -> frozenset[str]:
    if file.name in ("conftest.py", "hidden_package.py") or file.is_relative_to(CHECKOUT / "tests" / "contracts"):
        return frozenset()
    text = file.read_text(encoding="utf-8")
    helpers = [file.with_name(f"{name}.py") for name in re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)]
    helpers += [CHECKOUT / "tests" / each.name for each in helpers]
    text = re.sub(r"mark\.needs\([^)]*\)", "", text)
    own = frozenset(each for each in PACKAGES if re.search(rf"\b{each}\b", text))
    return own.union(*(_needs(each) for each in helpers if each != file and each.is_file()))


def run_without(
    package: str, folder: Path, arguments: list[str], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python with `arguments`; neither it nor its children find `package`. `folder` gets the hook that hides it."""
    (folder / "sitecustomize.py").write_text(HIDES.format(package=package), encoding="utf-8")
    path = os.pathsep.join((str(folder), str(CHECKOUT / "src"), str(CHECKOUT / "tests")))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=CHECKOUT,
        env={**os.environ, "PYTEST_ADDOPTS": "", "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
