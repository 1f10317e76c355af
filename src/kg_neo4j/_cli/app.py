"""The command `kg`: groups the commands, turns errors into one or two lines and an exit code."""

from __future__ import annotations

import logging
import shlex
import sys
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException
from typer.main import get_group

from kg_neo4j import data_files, plugins
from kg_neo4j._cli import of_room
from kg_neo4j._cli.process import Interrupts, prepare
from kg_neo4j._cli.terminal import print_error, wordiness
from kg_neo4j.errors import KgError, PriceUnknown, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

HEADINGS = {heading: names.split() for heading, names in data_files.beside(__file__).table("headings").items()}
ORDER = [name for names in HEADINGS.values() for name in names]  # of the commands in the help; others come after these


Command, Group = (of_room(f"guesses.command:{each}") for each in ("Command", "Group"))  # these have better help


class _Commands(Group or TyperGroup):  # type: ignore[misc]
    """The commands that entry points name. A module is imported when its command is run, or when all are listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names, in the order of the help."""
        return [*ORDER, *(name for name in _all() if name not in ORDER)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; None where there is none of that name."""
        if cmd_name not in self.commands and (cmd_name in ORDER or cmd_name in _all()):
            self.commands[cmd_name] = _command(cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under their headings, those of other packages last."""
        listed = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        width = max(map(len, listed))
        for heading, names in {**HEADINGS, "Of other packages": [*listed][len(ORDER) :]}.items():
            if names:
                with formatter.section(heading):
                    limit = formatter.width - 6 - width
                    formatter.write_dl([(f"{each:<{width}}", listed[each].get_short_help_str(limit)) for each in names])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Name the commands that are left out, because another one has their name."""
        for each in plugins.hidden(plugins.COMMANDS):
            package = plugins.package_of(each)
            formatter.write(f"\nThe package {package} adds a second {each.name!r}, which is left out.\n")


@cache
def _own() -> Mapping[str, EntryPoint]:
    return {each.name: each for each in plugins.ours(plugins.COMMANDS)}


@cache
def _all() -> Mapping[str, EntryPoint]:
    return plugins.found(plugins.COMMANDS)


@cache
def _command(name: str) -> Any:
    """Return the command of that name. One that cannot be imported says so when it is run."""
    entry = _own().get(name) or _all().get(name)
    try:
        if entry is None:
            why = f"the installed metadata of {plugins.OURS} do not name the command {name!r}"
            raise UsageError(why, hint="install kg-neo4j again; in a checkout with `pip install -e .`")
        return plugins.load(entry, lambda found: _made(name, found))
    except UsageError as error:
        return _unavailable(name, error)


def _made(name: str, found: Any) -> Any:
    """Return the command that a function or an app gives."""
    from kg_neo4j._cli.options import with_options

    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        for each in found.registered_commands:
            each.callback = with_options(each.callback) if each.callback else None
            each.cls = Command if each.cls is TyperCommand else each.cls
        alone.add_typer(found, name=name, cls=Group or TyperGroup)
    else:
        alone.command(name, cls=Command)(with_options(found))
    made = get_group(alone).commands[name]
    vars(made)["continues"] = getattr(found, "continues", False)
    return made


def _unavailable(name: str, reason: UsageError) -> TyperCommand:
    def refuse() -> None:
        raise reason

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    listed = f"Not available: {reason}"
    return TyperCommand(name, callback=refuse, help=listed, add_help_option=False, context_settings=anything)


app = typer.Typer(
    name="kg",
    cls=_Commands,
    help="Text to a knowledge graph in Neo4j, with evidence for every fact, and answers that cite it.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
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
        hint = error.hint
        if isinstance(error, PriceUnknown):
            hint = f"{hint}; for example `{shlex.join(['kg', *arguments])} --price 0.50,2`"
        print_error(type(error).__name__, str(error), hint, as_json=_is_json(arguments))
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
    if arguments and getattr(_command(arguments[0]), "continues", False):
        return f"interrupted: what is recorded is kept; continue with `{shlex.join(['kg', *arguments])}`"
    return "interrupted"


def _is_json(arguments: Sequence[str]) -> bool:
    """Return whether arguments ask for JSON, and so for errors as JSON."""
    return "--json" in arguments or ("json" in arguments and "--format" in arguments) or "--format=json" in arguments
