"""The command `kg`: groups the commands, turns errors into one or two lines and an exit code."""

from __future__ import annotations

import logging
import shlex
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException
from typer.main import get_group

from kg_neo4j._cli.process import Interrupts, prepare
from kg_neo4j._cli.terminal import print_error, wordiness
from kg_neo4j.errors import KgError

_HOMES = (  # the commands of each module, in the order of the help
    ("load", "load unload extract manifest build"),
    ("tune", "tune"),
    ("load", "quarantine rebuild"),
    ("resolve", "resolve"),
    ("graph", "graphs documents"),
    ("organise", "communities tree"),
    ("ask", "ask chat"),
    ("looking", "search show test verify report"),
    ("graph", "plot export import diff browse"),
    ("serve", "serve mcp"),
    ("db", "status doctor config db"),
    ("study", "study"),
    ("evaluation", "eval"),
)
_MODULES = {name: module for module, names in _HOMES for name in names.split()}
_NAMES = {  # in the module, where it is not that of the command; an app is a group of commands
    "test": "ask_again",
    "import": "import_graph",
    **dict.fromkeys(("graphs", "db", "study", "eval"), "app"),
}
# Commands that record what they do: the same command again continues.
_CONTINUED = frozenset(
    "load unload extract build quarantine rebuild resolve communities tree import study eval tune".split()
)


class _Commands(TyperGroup):
    """The commands. A module is imported when its command is run, or when all are listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names, in the order of the help."""
        return list(_MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; None, with all of them known for a suggestion, where there is none of that name."""
        for name in (cmd_name,) if cmd_name in _MODULES else _MODULES:
            if name not in self.commands:
                self.commands[name] = _command(name)
        return self.commands.get(cmd_name)


@cache
def _command(name: str) -> Any:
    from kg_neo4j._cli.options import with_options

    found = getattr(import_module(f"kg_neo4j._cli.{_MODULES[name]}"), _NAMES.get(name, name))
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        for each in found.registered_commands:
            each.callback = with_options(each.callback) if each.callback else None
        alone.add_typer(found, name=name)
    else:
        alone.command(name)(with_options(found))
    return get_group(alone).commands[name]


app = typer.Typer(
    name="kg",
    cls=_Commands,
    help="Text to a knowledge graph in Neo4j, with evidence for every fact, and answers that cite it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def version(
    show: Annotated[bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)] = False,
) -> None:
    """Text to a knowledge graph in Neo4j, with evidence for every fact, and answers that cite it."""
    if show:
        from kg_neo4j import __version__

        typer.echo(f"kg-neo4j {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line.

    Exits 0 done, 1 failed, 2 usage, 3 partly done, 4 database, 5 model, 130 interrupted, 143 terminated.
    """
    logging.getLogger("neo4j").addHandler(logging.NullHandler())  # its warnings come as our errors, too
    prepare()
    interrupts, arguments = Interrupts(), sys.argv[1:]
    try:
        with interrupts.handled():
            code = app(prog_name="kg", standalone_mode=False)
    except KgError as error:
        if wordiness.is_verbose:
            traceback.print_exc()
        print_error(type(error).__name__, str(error), error.hint, as_json=_is_json(arguments))
        code = error.exit_code
    except typer.Abort:  # a question that nobody answers
        code = interrupts.exit_code
    except typer.Exit as done:
        code = done.exit_code
    except TyperException as error:  # every usage error of the option parser
        hint = "`kg --help` and `kg COMMAND --help` list what there is"
        print_error("UsageError", error.format_message(), hint, as_json=_is_json(arguments))
        code = error.exit_code
    if interrupts.received:
        typer.echo(_interrupted(arguments), err=True)
        code = interrupts.exit_code
    sys.exit(code if isinstance(code, int) else 0)


def _interrupted(arguments: Sequence[str]) -> str:
    """Return what a person whose command was interrupted needs to know."""
    if arguments and arguments[0] in _CONTINUED:
        return f"interrupted: what is recorded is kept; continue with `{shlex.join(['kg', *arguments])}`"
    return "interrupted"


def _is_json(arguments: Sequence[str]) -> bool:
    """Return whether arguments ask for JSON, and so for errors as JSON."""
    return "--json" in arguments or ("json" in arguments and "--format" in arguments) or "--format=json" in arguments
