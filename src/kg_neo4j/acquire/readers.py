"""Which reader reads which files: those of `acquire`, and those that packages add by entry points.

The name of an entry point is a suffix. Its function takes the bytes of a file and `ReadOptions`. It returns a
`ParsedText`, or raises UnreadableSource. A suffix that `acquire` reads cannot be taken over.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kg_neo4j import data_files, plugins

READERS = "kg_neo4j.readers"
NO_READER = "no reader reads it; name the file itself to have it read as text"
_DATA = data_files.beside(__file__)
OWN = _DATA.table("own")
_HEADS, _MEMBERS = (
    {begins.encode(): suffix for begins, suffix in _DATA.table(key).items()} for key in ("heads", "members")
)


@cache
def kinds() -> Mapping[str, str]:
    """Return what reads files of each suffix: a name for `sandbox`, of an added reader its module and function."""
    added = {f".{suffix.lower()}": entry.value for suffix, entry in plugins.found(READERS).items()}
    there = (each for each in added.items() if plugins.is_installed(each[1].partition(".")[0]))
    return OWN | {suffix: value for suffix, value in there if suffix not in OWN}


def kind_of(suffix: str, data: bytes) -> str:
    """Return what reads a file, by its suffix, else by what it holds."""
    is_html = data[:1_000].lstrip().lower().startswith((b"<!doctype html", b"<html"))
    found = next((suffix for head, suffix in _HEADS.items() if data.startswith(head)), ".html" if is_html else "")
    if data.startswith(b"PK\x03\x04"):
        found = next((suffix for member, suffix in _MEMBERS.items() if member in data), "")
    return kinds().get(suffix.lower()) or kinds().get(found, "text")
