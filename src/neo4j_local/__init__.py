"""The managed local Neo4j: a real server with GDS and Browser from pip-installable parts.

No Docker, no Java, no account. The jars are fetched once, the server listens on loopback only, has a password of its
own, and outlives the program that started it. Nothing here is used where NEO4J_URI names another server.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neo4j_local.backup import dump, has_store, import_full, recover, restore
    from neo4j_local.server import end_panicked, fetch, logs, start, status, stop

__all__ = [
    "dump",
    "end_panicked",
    "fetch",
    "has_store",
    "import_full",
    "logs",
    "recover",
    "restore",
    "start",
    "status",
    "stop",
]

_BACKUP = ("dump", "has_store", "import_full", "recover", "restore")  # others: server


def __getattr__(name: str) -> Any:
    """Import a function when it is first asked for: a database of somebody else needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "backup" if name in _BACKUP else "server"
    globals()[name] = found = getattr(import_module(f"{__name__}.{module}"), name)
    return found
