"""Rooms: without one of them everything else works."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from hidden_package import absent
from kg_neo4j import plugins, rooms

BUILT_ON = {"adopt": ("tables", "ontology")}  # as test_architecture.py has it
CHECKOUT = Path(__file__).resolve().parents[2]
ROOMS = sorted(path.parent.name for path in Path(str(rooms.__file__)).parent.glob("*/__init__.py"))


def run_without(hidden: Collection[str], folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process that does not find some rooms."""
    others = folder / "rooms"
    if not others.is_dir():
        others.mkdir()
        for other in {*ROOMS} - {*hidden}:
            (others / other).symlink_to(Path(str(rooms.__file__)).parent / other)
    begin = f"import sys\nfrom kg_neo4j import rooms\nrooms.__path__ = [{str(others)!r}]\n{program}"
    environment = {**os.environ, "PYTEST_ADDOPTS": "", "PYTHONPATH": str(CHECKOUT / "src")}
    return subprocess.run(
        [sys.executable, "-c", begin], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False
    )


def commands_of(room: str) -> list[str]:
    entries = plugins.found(plugins.COMMANDS).values()
    return [each.name for each in entries if each.module.startswith(f"kg_neo4j.rooms.{room}.")]


def test_every_folder_is_a_room() -> None:
    assert "chat" in ROOMS
    assert commands_of("chat") == ["chat"]


@pytest.mark.parametrize("room", ROOMS)
def test_the_commands_of_a_room_that_is_missing_are_listed_and_refused(room: str, tmp_path: Path) -> None:
    main = "from kg_neo4j._cli.app import main\nsys.argv = ['kg', {!r}]\nmain()"
    helped = run_without([room], tmp_path, main.format("--help"))
    assert helped.returncode == 0, helped.stderr
    missing = [each for each in plugins.found(plugins.COMMANDS).values() if each.module.split(".")[0] in absent()]
    assert helped.stdout.count("Not available: ") == len(commands_of(room)) + len(missing)
    for name in commands_of(room):
        ran = run_without([room], tmp_path, main.format(name))
        assert ran.returncode == 2
        needed = f"error: {name!r} needs the package kg_neo4j.rooms.{room}, which is not installed\n"
        assert ran.stderr == f"{needed}  try: install kg-neo4j again\n"


@pytest.mark.slow  # all unit tests, for each room: five minutes
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("room", ROOMS)
def test_the_unit_tests_of_everything_else_pass_without_a_room(room: str, tmp_path: Path) -> None:
    without = [room, *(each for each, others in BUILT_ON.items() if room in others)]
    ignored = [f"--ignore=tests/unit/rooms/{each}" for each in without]
    arguments = ["tests/unit", *ignored, "-q", "-m", "not slow and not long"]
    program = f"import pytest\nsys.exit(pytest.main({[*arguments, '-p', 'no:cacheprovider']!r}))"
    ran = run_without(without, tmp_path, program)
    assert ran.returncode == 0, ran.stdout[-5_000:]
