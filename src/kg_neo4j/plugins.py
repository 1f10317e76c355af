"""What other packages add by entry points: sources, extractors and reports.

A package names them in its pyproject.toml, for example

    [project.entry-points."kg_neo4j.sources"]
    mail = "kg_mail:open_mailbox"

and `kg load mail:inbox.mbox` then calls `open_mailbox("inbox.mbox")` for a `Source`. An entry of
"kg_neo4j.extractors" is called without arguments for an `Extractor`. One of "kg_neo4j.reports" is the text of a
query with the header that the files of cypher/reports have.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from kg_neo4j.errors import UsageError

SOURCES, EXTRACTORS, REPORTS = "kg_neo4j.sources", "kg_neo4j.extractors", "kg_neo4j.reports"


def found(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, sorted. Nothing is imported."""
    return {each.name: each for each in sorted(entry_points(group=group), key=lambda each: each.name)}


def opened(group: str, name: str, *arguments: str) -> Any:
    """Return what the entry point `name` makes of `arguments`. Raises UsageError where there is none, or it fails."""
    known = found(group)
    if name not in known:
        raise UsageError(f"no installed package adds {name!r}", hint=f"there are: {', '.join(known) or 'none'}")
    return load(known[name])(*arguments)


def load(entry: EntryPoint) -> Any:
    """Import what an entry point names. Raises UsageError, with the package, where that fails."""
    try:
        return entry.load()
    except Exception as error:
        package = entry.dist.name if entry.dist else entry.value
        raise UsageError(
            f"{entry.name!r} of the package {package} cannot be imported: {error}", hint="repair or remove the package"
        ) from error
