"""The command line: arguments to settings, one library call, a table or JSON, an exit code. No logic."""

from pkgutil import resolve_name
from typing import Any

PARTLY_DONE = 3  # the exit code of a command that left something undone


def of_room(name: str) -> Any:
    """Return what a room has under a name such as "chat.command:chat"; None where the room is not installed."""
    from kg_neo4j import plugins

    is_there = plugins.is_installed(f"kg_neo4j.rooms.{name.partition('.')[0]}")
    return resolve_name(f"kg_neo4j.rooms.{name}") if is_there else None
