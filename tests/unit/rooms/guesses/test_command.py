"""What a command prints as help: at each level, however it is asked for, in sections."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from typer.main import get_command

from hidden_package import needs_all, needs_room
from kg_neo4j import plugins
from kg_neo4j._cli import app as command_line
from kg_neo4j.rooms.guesses.command import TEXTS
from kg_runner import RunKg

ROOT = get_command(command_line.app)
WIDE = {"COLUMNS": "100"}


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("", "--help"),
        ("help", "--help"),
        ("-h", "--help"),
        ("help load", "load --help"),
        ("load -h", "load --help"),
        ("db", "db --help"),
        ("help db", "db --help"),
        ("db help", "db --help"),
        ("db help backup", "db backup --help"),
        ("help db backup", "db backup --help"),
        pytest.param("fact", "fact --help", marks=needs_room("corrections")),
    ],
)
def test_help_is_found_where_it_is_looked_for(run_kg: RunKg, line: str, same: str) -> None:
    code, out, err = run_kg(line.split(), WIDE)
    assert (code, err) == (0, "")
    assert out.startswith("Usage: kg")
    assert out == run_kg(same.split(), WIDE)[1]


@needs_all
def test_commands_are_listed_under_headings(run_kg: RunKg) -> None:
    out = run_kg([], WIDE)[1]
    headings = re.findall(r"^(\w[\w ,]*):$", out, re.M)
    assert headings == ["Options", *command_line.HEADINGS]
    assert set(command_line.ORDER) == set(ROOT.list_commands(None))


@needs_all
@pytest.mark.parametrize("command", ["load", "ask", "extract"])
def test_every_option_of_a_long_command_is_in_one_section(command: str) -> None:
    params = {each.name for each in ROOT.get_command(None, command).params}
    sections = TEXTS.values["sections"][command]  # type: ignore[index]
    placed = [name for names in sections.values() for name in names.split()]
    assert len(placed) == len(set(placed))
    assert set(placed) - params == set()
    assert params - set(placed) <= {"sources", "question", "to", "graph", "as_json", "quiet", "verbose"}


def test_a_section_has_its_options(run_kg: RunKg) -> None:
    out = run_kg(["load", "--help"], WIDE)[1]
    chunks = out.partition("\nChunks:\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (--[\w-]+)", chunks, re.M) == ["--chunk-tokens", "--chunk-overlap", "--preprocess"]
    assert "<" not in out
    assert "x>=" not in out


@needs_all
def test_every_example_is_a_command_line_that_is_understood() -> None:
    homes = {each.name: each.module.rpartition(".")[0] for each in plugins.found(plugins.COMMANDS).values()}
    absent = [f"kg {name}" for name, home in homes.items() if not plugins.is_installed(home)]
    absent += ["kg schema from-database"] * ("kg adopt" in absent)
    for path, example in TEXTS.table("examples").items():
        assert example.startswith(f"{path} ")
        if path.startswith(tuple(absent)):
            continue
        command: Any = ROOT
        for name in path.split()[1:]:
            command = command.get_command(None, name)
        assert command.make_context(path, shlex.split(example)[len(path.split()) :]).params


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("-g notes load", "load -g notes"),
        ("--graph=notes --json load", "load --graph=notes --json"),
        ("-q graphs list --nope", "graphs list -q --nope"),
    ],
)
def test_an_option_of_many_commands_may_come_first(run_kg: RunKg, line: str, same: str) -> None:
    assert run_kg(line.split(), {}) == run_kg(same.split(), {})


def test_a_common_option_that_the_command_lacks_is_refused(run_kg: RunKg) -> None:
    code, _, err = run_kg(["-g", "notes", "config"], {})
    assert code == 2
    assert err.startswith("error: No such option: -g\n")


@needs_all
def test_every_option_of_a_graph_and_of_yes_has_its_short_name() -> None:
    wanted = {"--graph": "-g", "--yes": "-y", "--quiet": "-q", "--verbose": "-v"}
    found = []

    def walk(group: Any) -> None:
        for name in group.list_commands(None):
            command = group.get_command(None, name)
            found.extend((name, each.opts) for each in command.params if set(each.opts) & wanted.keys())
            if hasattr(command, "list_commands"):
                walk(command)

    walk(ROOT)
    assert len(found) > 100
    assert [(name, opts) for name, opts in found if opts != [opts[0], wanted[opts[0]]]] == []


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("search x --limit many", "Invalid value for '--limit': a whole number is needed"),
        ("load x --budget-usd much", "Invalid value for '--budget-usd': a number is needed"),
        ("status notes", "Unexpected: (notes)"),
    ],
)
def test_an_error_of_the_parser_is_said_in_plain_words(run_kg: RunKg, line: str, error: str) -> None:
    assert run_kg(line.split(), {})[2].splitlines()[0] == f"error: {error}"
