"""Commands whose help has sections and an example, and whose errors name what was meant. command.toml has the texts."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from kg_neo4j import data_files
from kg_neo4j.errors import UsageError
from kg_neo4j.rooms.guesses import words

TEXTS = data_files.beside(__file__)
_TYPE, _LEAST = re.compile(r" <[^<>]*>$"), re.compile(r"\bx>=(-?\d+)")  # of an argument, of a number


class Command(TyperCommand):
    """A command whose help has sections and an example."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments. Raises UsageError with what was probably meant."""
        if ctx.command_path == "kg report" and not ctx.resilient_parsing:
            args = words.parameters(args, _options(ctx))
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            raise _refused(ctx, error) from None

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, in sections where command.toml has some for the command."""
        named: dict[str, Any] = {str(each.name): each for each in self.get_params(ctx)}
        sections: Any = TEXTS.values["sections"]
        placed = {"Arguments": [name for name in named if named[name].param_type_name == "argument"]}
        placed |= {heading: names.split() for heading, names in sections.get(self.name, {}).items()}
        placed["Options"] = [name for name in named if not any(name in names for names in placed.values())]
        for heading, names in placed.items():
            records = [named[name].get_help_record(ctx) for name in names]
            rows = [(_TYPE.sub("", left), _LEAST.sub(r"\1 or more", right)) for left, right in filter(None, records)]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write an example, where command.toml has one."""
        if example := TEXTS.table("examples").get(ctx.command_path):
            formatter.write(f"\nExample:\n  {example}\n")


class Group(TyperGroup):
    """Commands. Alone it prints its help; `help load` is `load --help`; `-g notes load` is `load -g notes`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments. Raises UsageError with what was probably meant."""
        common = {each: each in ("--graph", "-g") for each in TEXTS.words("common")}  # whether a value follows
        first = 0
        while first < len(args) and (name := args[first].partition("=")[0]) in common.keys() - _options(ctx):
            first += 1 + (common[name] and name == args[first])
        args = [*args[first : first + 1], *args[:first], *args[first + 1 :]]
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        if not (args or ctx.resilient_parsing) and (self.no_args_is_help or not self.invoke_without_command):
            args = ["--help"]
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            raise _refused(ctx, error) from None

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the command that the first word names. Raises UsageError that names what the word may mean."""
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            hint = words.command(ctx, args[0]) or f"`{ctx.command_path} --help` lists the commands"
            raise UsageError(f"`{ctx.command_path}` has no command {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def _main_shell_completion(self, *given: Any, **more: Any) -> None:
        """Complete what a shell asks for, if it does; silent, because a person is typing there."""
        try:
            super()._main_shell_completion(*given, **more)
        except Exception as error:
            raise SystemExit(1) from error


def _options(ctx: Any) -> set[str]:
    return {option for each in ctx.command.get_params(ctx) for option in (*each.opts, *each.secondary_opts)}


def _refused(ctx: Any, error: TyperException) -> UsageError:
    """Return the error of an argument that a command does not take, with what was probably meant."""
    why, example = error.format_message().partition(" (Possible")[0], TEXTS.table("examples").get(ctx.command_path)
    word = getattr(error, "option_name", "") or why.partition("argument(s) (")[2].rstrip(")")
    known, general = _options(ctx), f"`{ctx.command_path} --help` lists what it takes"
    if isinstance(ctx.command, TyperGroup) and word:
        known |= {*TEXTS.words("common")}
        general = f"options come after the command: `{ctx.command_path} COMMAND {word}`"
    elif example:
        general += f"; for example `{example}`"
    return UsageError(why, hint=words.option(ctx.command_path, word, known) or general)
