"""The commands of kg are those that installed packages name: each test runs kg beside a small package in a folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kg_neo4j._cli import app

GREET = '''
from typing import Annotated
import typer

def greet(name: str, loud: Annotated[bool, typer.Option(help="Shout.")] = False) -> None:
    """Greet somebody."""
    print(f"HELLO, {name}" if loud else f"Hello, {name}")
'''
OPTIONS = """
[show]
name = { argument = true, metavar = "NAME", help = "Somebody." }
"""
SHOW = '''
import typer
app = typer.Typer(help="Greet in more ways.", no_args_is_help=True)

@app.command()
def show(name: str, graph: str = "main") -> None:
    """Greet in a graph."""
    print(f"Hello, {name} of {graph}")

@app.command()
def again() -> None:
    """Greet again."""
'''

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run kg in a process that finds the packages of `tmp_path`, too."""

    def kg(*arguments: str) -> tuple[int, str, str]:
        path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "100"}
        ran = subprocess.run(
            [sys.executable, "-m", "kg_neo4j", *arguments], env=environment, capture_output=True, text=True, check=False
        )
        return ran.returncode, ran.stdout, ran.stderr

    return kg


def install(folder: Path, package: str, entries: str, **modules: str) -> None:
    """Put a package into a folder as pip does: its modules, and the metadata that name its commands."""
    metadata = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n", "utf-8")
    (metadata / "entry_points.txt").write_text(f"[kg_neo4j.commands]\n{entries}\n", "utf-8")
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, "utf-8")


def listed(text: str) -> dict[str, str]:
    """Return what a help has of each command."""
    lines = [line.split(maxsplit=1) for line in re.findall(r"^  (\w.*)$", text.partition("\nLoad")[2], re.M)]
    return {name: "".join(said) for name, *said in lines}


def test_a_package_adds_a_command_that_its_annotations_declare(run: Run, tmp_path: Path) -> None:
    install(tmp_path, "kg-toy", "greet = kg_toy:greet", kg_toy=GREET)
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert list(listed(out)) == [*app.ORDER, "greet"]
    assert listed(out)["greet"] == "Greet somebody."
    assert run("greet", "Ada", "--loud") == (0, "HELLO, Ada\n", "")
    assert "Shout." in run("greet", "--help")[1]
    assert out.endswith("\nOf other packages:\n  greet        Greet somebody.\n")
    assert "try: `kg greet`: Greet somebody." in run("gret")[2]


def test_a_package_adds_a_group_whose_options_are_declared_in_its_own_file(run: Run, tmp_path: Path) -> None:
    install(tmp_path, "kg-toy", "greetings = kg_toy:app", kg_toy=SHOW)
    (tmp_path / "options.toml").write_text(OPTIONS, "utf-8")
    assert run("greetings", "show", "Ada", "--graph", "notes", "--quiet") == (0, "Hello, Ada of notes\n", "")
    text = run("greetings", "show", "--help")[1]
    assert "Somebody." in text
    assert "Name of the graph" in text  # as for every command that has this option


def test_a_command_whose_option_no_file_declares_is_refused(run: Run, tmp_path: Path) -> None:
    install(tmp_path, "kg-toy", "greetings = kg_toy:app", kg_toy=SHOW)
    (tmp_path / "options.toml").write_text("", "utf-8")
    code, out, err = run("greetings", "show", "Ada")
    assert (code, out) == (2, "")
    assert err.startswith("error: 'greetings' of the package kg-toy cannot be imported: 'name'\n")


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("kg_toy:greet", "'greet' of the package kg-toy cannot be imported: No module named 'no_such_module'"),
        ("kg_toy:other", "'greet' of the package kg-toy cannot be imported: No module named 'no_such_module'"),
        ("kg_lab.commands:app", "'greet' needs the package kg_lab, which is not installed"),
    ],
)
@pytest.mark.parametrize("arguments", [["greet", "Ada", "--loud"], ["greet", "--help"]])
def test_a_command_that_cannot_be_imported_is_refused(
    run: Run, tmp_path: Path, target: str, why: str, arguments: list[str]
) -> None:
    install(tmp_path, "kg-toy", f"greet = {target}", kg_toy=f"import no_such_module\n{GREET}")
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.splitlines()[0] == f"error: {why}"


def test_a_command_that_cannot_be_imported_is_listed(run: Run, tmp_path: Path) -> None:
    install(tmp_path, "kg-toy", "greet = kg_toy:greet\nhail = kg_lab:hail", kg_toy=f"import no_such_module\n{GREET}")
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert list(listed(out)) == [*app.ORDER, "greet", "hail"]
    assert listed(out)["greet"].startswith("Not available: 'greet' of the package kg-toy")
    assert listed(out)["hail"].startswith("Not available: 'hail' needs the package kg_lab")
    assert listed(out)["load"].startswith("Load ")


def test_of_two_commands_with_one_name_ours_wins(run: Run, tmp_path: Path) -> None:
    install(tmp_path, "kg-toy", "load = kg_toy:greet", kg_toy=GREET)
    code, out, _ = run("--help")
    assert code == 0
    assert listed(out)["load"].startswith("Load ")
    assert "The package kg-toy adds a second 'load', which is left out." in out
    assert "--chunk-tokens" in run("load", "--help")[1]


def test_metadata_without_our_commands_ask_for_another_installation(run: Run, tmp_path: Path) -> None:
    install(tmp_path, "kg-neo4j", "load = kg_neo4j._cli.load:load")
    code, out, err = run("ask", "Who?")
    assert (code, out) == (2, "")
    assert err.startswith("error: the installed metadata of kg-neo4j do not name the command 'ask'\n  try: install")
    code, out, _ = run("--help")
    assert code == 0
    assert listed(out)["load"].startswith("Load ")
    assert listed(out)["ask"].startswith("Not available: ")
