"""What packages add by entry points: sources, extractors, reports and commands. Ours add commands in the same way.

A package names them in its pyproject.toml, for example

    [project.entry-points."kg_neo4j.sources"]
    mail = "kg_mail:open_mailbox"

and `kg load mail:inbox.mbox` then calls `open_mailbox("inbox.mbox")` for a `Source`. An entry of
"kg_neo4j.extractors" is called without arguments for an `Extractor`. One of "kg_neo4j.reports" is the text of a
query with the header that the files of cypher/reports have. One of "kg_neo4j.commands" is a function, or a
`typer.Typer` for a group of commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, distributions, entry_points
from typing import Any

from kg_neo4j.errors import UsageError

SOURCES, EXTRACTORS, REPORTS = "kg_neo4j.sources", "kg_neo4j.extractors", "kg_neo4j.reports"
COMMANDS = "kg_neo4j.commands"
OURS = "kg-neo4j"  # the distribution whose entry points win


def found(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, sorted. Of two with one name ours wins. Nothing is imported."""
    first: dict[str, EntryPoint] = {}
    for each in _sorted(group):
        first.setdefault(each.name, each)
    return first


def hidden(group: str) -> Sequence[EntryPoint]:
    """Return the entry points of a name that another package's entry point wins."""
    winners = found(group)
    return [each for each in _sorted(group) if each != winners[each.name]]


def ours(group: str) -> Sequence[EntryPoint]:
    """Return the entry points of this distribution; those of others are not read, which takes a while."""
    installed = next(iter(distributions(name=OURS)), None)
    return list(installed.entry_points.select(group=group)) if installed else []


def package_of(entry: EntryPoint) -> str:
    """Return the name of the distribution that an entry point belongs to."""
    return entry.dist.name if entry.dist else entry.value


def _sorted(group: str) -> Sequence[EntryPoint]:
    own = ours(group)
    return sorted(entry_points(group=group), key=lambda each: (each.name, each not in own))


def opened(group: str, name: str, *arguments: str) -> Any:
    """Return what the entry point `name` makes of `arguments`. Raises UsageError where there is none, or it fails."""
    known = found(group)
    if name not in known:
        raise UsageError(f"no installed package adds {name!r}", hint=f"there are: {', '.join(known) or 'none'}")
    return load(known[name])(*arguments)


def is_installed(package: str) -> bool:
    """Return whether a package of our own distribution is there."""
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        return False
    return True


def need(package: str, why: str, hint: str) -> None:
    """Raise UsageError with `why` and `hint` where a package of our own distribution is not there."""
    if not is_installed(package):
        raise UsageError(f"{why}: the package {package} is not installed", hint=hint)


def load(entry: EntryPoint, use: Callable[[Any], Any] = lambda found: found) -> Any:
    """Return what `use` makes of what an entry point names. Raises UsageError, with the package, where that fails."""
    try:
        return use(entry.load())
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{entry.module}.".startswith(f"{error.name}."):
            why = f"{entry.name!r} needs the package {error.name}, which is not installed"
            raise UsageError(why, hint=f"install {package_of(entry)} again") from error
        why = f"{entry.name!r} of the package {package_of(entry)} cannot be imported: {error}"
        raise UsageError(why, hint="repair or remove the package") from error
