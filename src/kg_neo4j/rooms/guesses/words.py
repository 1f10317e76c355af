"""Which command or option a word means that kg does not have: by words.toml, else the nearest name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from kg_neo4j import data_files

_MOST = 3  # commands that are named
_NEAR = 0.7  # likeness of a near name, of 1


def command(context: Any, given: str) -> str:
    """Return the commands that a word may mean which a group of commands does not have; "" where none is near.

    `context` is typer's, of the group. A command of the group comes first, then one of any group, then a report.
    """
    word, group = given.lower().replace("_", "-"), context.command_path
    if " " in given:
        return f'`kg ask "{given}"`'
    if "/" in given or Path(given).exists():
        return f"`kg load {given}`"
    known = dict(_listed(context.find_root().command, "kg"))
    table = data_files.beside(__file__).table("commands")
    if said := table.get(f"{group} {word}") or table.get(word):
        found = [each if "`" in each else f"kg {each}" for each in said.split(" | ")]
    else:
        from kg_neo4j.graph.canned_reports import list_reports, outside_name

        paths = [*known, *(f"kg report {outside_name(each)}" for each in list_reports())]
        names = sorted({path.rpartition(" ")[2] for path in paths})
        near = [each for each in names if each.startswith(word)] or get_close_matches(word, names, cutoff=_NEAR)
        found = [path for name in near for path in paths if path.endswith(f" {name}")]
        found = ([path for path in found if path.startswith(f"{group} ")] or found)[:_MOST]
    if len(found) == 1 and found[0] in known:
        return f"`{found[0]}`: {known[found[0]].get_short_help_str(100)}"
    return " or ".join(each if "`" in each else f"`{each}`" for each in found)


def option(path: str, given: str, known: Collection[str]) -> str:
    """Return what an option, or a further argument, may mean which the command `path` does not take; "" if unknown."""
    tables = data_files.beside(__file__)
    said = tables.table("instead")
    word = given if given.startswith("-") else given.partition(" ")[0]
    further = f"{path} {'*' if word and not word.startswith('-') else word}"
    if text := said.get(f"{path} {word}") or said.get(further) or said.get(word):
        return text
    near = [each for each in tables.table("options").get(word, "").split() if each in known]
    near = near or [each for each in sorted(known) if word[2:] and each.startswith(word)]
    return " or ".join(each for each in near or get_close_matches(word, sorted(known), 2, _NEAR) if each != word)


def parameters(args: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the arguments of a report with each option that it lacks as a parameter: --limit 5 as --set=limit=5.

    An option that is nearly one of `known` stays as it is, if no report has a parameter of its name: it is misspelt.
    """
    from kg_neo4j.graph.canned_reports import list_reports

    tables = data_files.beside(__file__).table("options")
    others = {name for name, ours in tables.items() if set(ours.split()) & {*known}}
    named = {f"--{parameter.name.replace('_', '-')}" for each in list_reports() for parameter in each.params} - {*known}
    found, rest = [], iter(args)
    for given in rest:
        name, equals, value = given.partition("=")
        is_other = name in others or not name[2:] or bool(get_close_matches(name, known, 1, 0.8))
        if name in named or (name.startswith("--") and not is_other):
            found.append(f"--set={name[2:].replace('-', '_')}={value if equals else next(rest, '')}")
        else:
            found.append(given)
    return found


def _listed(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the path of each command, such as "kg db backup", and the command."""
    for name in group.list_commands(None):
        each = group.get_command(None, name)
        yield f"{path} {name}", each
        if hasattr(each, "list_commands"):
            yield from _listed(each, f"{path} {name}")
