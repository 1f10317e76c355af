"""What the words of other programs mean: each table leads to commands and options that there are."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from typer.main import get_command

from hidden_package import needs_all, needs_room
from kg_neo4j import data_files
from kg_neo4j._cli import app as command_line
from kg_neo4j.rooms.guesses import words
from kg_runner import RunKg

TABLES = data_files.beside(str(words.__file__))
ROOT = get_command(command_line.app)


def hint(run_kg: RunKg, line: str) -> str:
    """Return what the error of a command line proposes."""
    code, out, err = run_kg(line.split(), {})
    assert (code, out) == (2, ""), err
    return err.rpartition("  try: ")[2].strip()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lod x", "`kg load`: Load files, folders, web and wiki pages into the graph."),
        (
            "Backup",
            "`kg db backup FILE` (all graphs) or `kg export --archive FILE` (one) or `kg graphs copy NAME COPY`",
        ),
        ("bakup", "`kg db backup`: Back up the whole store to a file."),
        ("stop", "`kg db stop`: Stop the local server."),
        ("ls", "`kg graphs` or `kg documents`"),
        ("most-connected", "`kg report most-connected`"),
        ("graphs rm notes", "`kg graphs delete`: Delete a graph with its documents, facts and stored answers."),
        ("graphs cop notes", "`kg graphs copy`: Copy a graph under another name from its stored answers."),
        ("db list", "`kg graphs` or `kg documents`"),
        ("completion bash", "`kg --install-completion`, or `kg --show-completion`, which prints the script"),
        ("help xyzzy", "`kg --help` lists the commands"),
        ("./notes", "`kg load ./notes`"),
        ("https://example.org", "`kg load https://example.org`"),
        ("db xyzzy", "`kg db --help` lists the commands"),
    ],
)
@needs_all
def test_a_word_that_is_no_command_leads_to_one(run_kg: RunKg, line: str, said: str) -> None:
    assert hint(run_kg, line) == said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("load x --dryrun", "--dry-run"),
        ("load x --dry", "--dry-run"),
        ("search x -n 3", "--limit"),
        ("db logs --tail", "--lines"),
        ("show Ada --limit 3", "--facts"),
        ("plot -o ada.png", "the file is an argument: `kg plot FILE.png`, FILE.svg or FILE.html"),
        ("graphs delete notes --force", "--yes"),
        ("db reset --assume-yes", "--yes"),
        ("load x --api-key y", "`export OPENAI_API_KEY=...`, or KG_API_KEY_COMMAND, which prints the key"),
        ("documents list", "`kg documents`"),
        ("communities list", "the command alone lists them"),
        ("resolve list", "--list"),
        ("report most-connected limit=5", "a parameter is an option: `kg report NAME --limit 5`"),
        ("export notes out.csv", "the graph is an option: `kg export FILE --graph NAME`"),
        ("config model x", "write it into kg.toml, or export its variable: `kg config --all` lists both names"),
        ("--dry-run load x", "options come after the command: `kg COMMAND --dry-run`"),
        ("--debug load x", "--verbose"),
        ("report most-connected --csv", "--format"),
        ("load x --into notes", "--graph"),
        ("report most-connected --fromat json", "--format"),
        ("export x.csv --xyzzy", "`kg export --help` lists what it takes; for example `kg export graph.csv`"),
        ("ask", '`kg ask --help` lists what it takes; for example `kg ask "Who was Ada Lovelace?" --show`'),
    ],
)
def test_an_option_of_another_program_leads_to_ours(run_kg: RunKg, line: str, said: str) -> None:
    assert hint(run_kg, line) == said


def test_a_question_that_is_no_command_is_asked(run_kg: RunKg) -> None:
    assert run_kg(["Who was Ada?"], {})[2].endswith('  try: `kg ask "Who was Ada?"`\n')


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (["most-connected", "--limit", "5"], ["most-connected", "--set=limit=5"]),
        (["most-connected", "--limit=5", "--json"], ["most-connected", "--set=limit=5", "--json"]),
        (["shortest-path", "--from", "A", "--to", "B"], ["shortest-path", "--set=from=A", "--set=to=B"]),
        (["most-connected", "--set", "limit=5", "-g", "x"], ["most-connected", "--set", "limit=5", "-g", "x"]),
        (["most-connected", "--formt", "csv"], ["most-connected", "--formt", "csv"]),
        (["most-connected", "--limit"], ["most-connected", "--set=limit="]),
    ],
)
def test_a_parameter_of_a_report_may_be_given_as_an_option(given: list[str], passed: list[str]) -> None:
    assert words.parameters(given, {"--set", "--format", "--json", "--graph", "-g"}) == passed


def test_the_parameter_of_another_report_is_refused_with_those_that_it_takes(run_kg: RunKg) -> None:
    assert hint(run_kg, "report most-connected --type PERSON") == "it takes: limit"


def proposed(text: str) -> list[str]:
    """Return the command lines that a cell of `commands` names."""
    return [line for part in text.split(" | ") for line in (quoted(part) if "`" in part else [f"kg {part}"])]


def quoted(text: str) -> list[str]:
    """Return the command lines between back-ticks."""
    return re.findall(r"`(kg [^`]*)`", text)


@needs_all
@pytest.mark.parametrize(("table", "read"), [("commands", proposed), ("instead", quoted)])
def test_what_is_proposed_is_a_command_that_there_is(table: str, read: Callable[[str], list[str]]) -> None:
    known = {path for path, _ in words._listed(ROOT, "kg")} | {"kg"}
    lines = [line for text in TABLES.table(table).values() for line in read(text)]
    assert len(lines) > 40
    paths = [re.match(r"kg(?: [a-z-]+(?![\w.:/]))*", line) for line in lines]
    named = [" ".join(found[0].split()[:3]) for found in paths if found]
    assert [line for line in named if line not in known and line.rpartition(" ")[0] not in known] == []


@needs_all
def test_no_command_has_a_word_of_the_table() -> None:
    known = {path for path, _ in words._listed(ROOT, "kg")}
    keys = [key if key.startswith("kg ") else f"kg {key}" for key in TABLES.table("commands")]
    assert [key for key in keys if key in known] == []


@needs_all
@needs_room("corrections")
def test_each_option_that_is_proposed_is_one_of_some_command() -> None:
    there = {
        option
        for _, command in words._listed(ROOT, "kg")
        for each in command.params
        for option in (*each.opts, *each.secondary_opts)
    }
    named = {option for text in TABLES.table("options").values() for option in text.split()}
    assert named - there == set()
