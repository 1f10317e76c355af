"""The options of all commands, groups of options that several commands share, and the settings that they make.

A command is a function: its parameters are the options, and options.toml has what `--help` says of each. A command of
another folder has an options.toml of its own beside its module; without one its own annotations declare it.
"""

import functools
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kg_neo4j import data_files
from kg_neo4j._cli import of_room
from kg_neo4j._cli.terminal import wordiness
from kg_neo4j.errors import UsageError
from kg_neo4j.records import Filters

if TYPE_CHECKING:
    from kg_neo4j.pipeline.options import LoadOptions
    from kg_neo4j.settings import Settings


_WORDINESS = [
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=bool)
    for name in ("quiet", "verbose")
]
_PRICE = inspect.Parameter("price", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=str | None)
_SPENDING = {"budget_usd", "allow_spend"}  # a command with one of these needs a price
_WORD = re.compile(r"[a-z][a-z-]*")  # a value that a metavar names, such as auto|local
_general: dict[str, Any] = {}  # settings that options of several commands make, for `settings_for`


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters are declared as options and arguments, as options.toml has them.

    Where its folder has none, the command is returned as it is. With `kept: Annotated[Filters, filters_of]` the
    parameters of `filters_of` stand in the place of `kept`, which gets what the function returns. Every command gets
    --quiet and --verbose, and each that takes a budget gets --price.
    """
    if _tables(command.__module__) is None:
        return command
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        if grouped := getattr(parameter.annotation, "__metadata__", ()):
            own = list(inspect.signature(grouped[0]).parameters.values())
            groups[name] = (grouped[0], [each.name for each in own])
            parameters += [_declared(each, grouped[0]) for each in own]
        elif parameter.annotation is typer.Context:
            parameters.append(parameter)
        else:
            parameters.append(_declared(parameter, command))
    if not _SPENDING.isdisjoint(each.name for each in parameters):
        parameters.append(_declared(_PRICE, with_options))
    parameters += [_declared(each, _keep, callback=_keep, expose_value=False) for each in _WORDINESS]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for each in _WORDINESS:  # which `_keep` has seen
            given.pop(each.name, None)
        _general["price"] = given.pop("price", None)
        for name, (group, names) in groups.items():
            given[name] = group(**{each: given.pop(each) for each in names})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


@functools.cache
def _tables(module: str) -> Mapping[str, Any] | None:
    """Return what options.toml beside a module has; None where there is none."""
    path = Path(str(sys.modules[module].__file__)).with_name("options")
    return data_files.beside(str(path)).values if path.with_suffix(".toml").is_file() else None


def _declared(parameter: inspect.Parameter, owner: Callable[..., Any], **more: Any) -> inspect.Parameter:
    """Return a parameter of a command or a group as what options.toml says of it: an option or an argument."""
    name, own = parameter.name, _tables(owner.__module__) or {}
    general: Any = data_files.beside(__file__).values["shared"]
    said = {**(own.get(owner.__name__, {}).get(name) or own.get("shared", {}).get(name) or general[name]), **more}
    if kind := said.pop("completes", " ".join(filter(_WORD.fullmatch, said.get("metavar", "").split("|")))):
        said["autocompletion"] = _completion(kind)
    if said.pop("argument", False):
        return parameter.replace(annotation=Annotated[parameter.annotation, typer.Argument(**said)])
    flags = said.pop("flags", f"--{name.replace('_', '-')}")
    declared = typer.Option(*([flags] if isinstance(flags, str) else flags), **said)
    return parameter.replace(annotation=Annotated[parameter.annotation, declared])


def _completion(kind: str) -> Callable[[typer.Context, str], list[str]]:
    """Return what lists the values of a kind for a shell; none without the room of guesses."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        find = of_room("guesses.values:complete")
        return find(kind, ctx.params, incomplete) if find else []

    return complete


def _keep(parameter: typer.CallbackParam, value: bool) -> None:
    setattr(wordiness, f"is_{parameter.name}", value)


def settings_for(**overrides: Any) -> "Settings":
    """Return the settings of the environment with the given ones on top; None leaves a setting alone."""
    from pydantic import ValidationError

    from kg_neo4j.settings import Settings

    given = {name: value for name, value in {**_general, **overrides}.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{name}: {first['msg']}", hint="check the option, the environment variable or kg.toml"
        ) from None


def filters_of(
    documents: list[str] | None = None,
    languages: list[str] | None = None,
    kinds: list[str] | None = None,
    types: list[str] | None = None,
    since: int | None = None,
    until: int | None = None,
) -> Filters:
    """Return the filters that the options mean."""
    return Filters(tuple(documents or ()), tuple(languages or ()), tuple(kinds or ()), tuple(types or ()), since, until)


def tokens_of(text: str) -> int | None:
    """Return the number of tokens that --chunk-tokens means; None for "max"."""
    if text == "max":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--chunk-tokens takes a number of tokens or max, not {text!r}")
    return int(text)


def load_options(
    wikipedia: list[str] | None = None,
    wiki_language: str = "en",
    links: int = 0,
    language: str | None = None,
    encoding: str | None = None,
    password: str | None = None,
    alias: str | None = None,
    root: str | None = None,
    include: list[str] | None = None,
    exclude: list[str] | None = None,
    chunk_tokens: str = "1200",
    chunk_overlap: int = 0,
    preprocess: str = "none",
    schema: str = "lean",
    evidence: str = "flag",
    gleanings: int = 0,
    wave: int = 8,
    output_language: str = "source",
) -> "LoadOptions":
    """Return what the options say of sources, chunks and extraction; each has the name of a field there."""
    given = locals()
    from kg_neo4j.pipeline.options import LoadOptions

    lists = {name: tuple(given[name] or ()) for name in ("wikipedia", "include", "exclude")}
    return LoadOptions(**given | lists | {"chunk_tokens": tokens_of(chunk_tokens)})
