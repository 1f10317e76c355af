"""Addresses of graphs: `/graphs/NAME/...` is a page, or a route of the API, of one graph among several.

The guard takes the name off before it checks a request, so that all its rules hold for both kinds of addresses.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote, unquote

from starlette.types import Scope

log = logging.getLogger("kg_neo4j.serve")
_NAMED = re.compile(rb"(/graphs/([^/]+))(/.*)?", re.DOTALL)
ALONE = ("/healthz", "/metrics", "/mcp", "/login", "/static/")  # of the server, not of a graph
NO_NAMES = (".", "..")  # of graphs that an address can name: a browser takes them for folders
PREFIX: ContextVar[str] = ContextVar("kg_prefix", default="")  # of the addresses that this request is answered with
CALLER: ContextVar[Any] = ContextVar(
    "kg_caller", default=None
)  # who sent this request, of a server with several tokens
RECORD: ContextVar[Any] = ContextVar("kg_record", default=None)  # of this request, for the audit: see rooms/rights


def without_graph(scope: Scope) -> Scope:
    """Return a request without the name of a graph in its path; `graph` has it, `prefix` what was taken off."""
    found = _NAMED.fullmatch(scope.get("raw_path") or b"")
    path = unquote((found[3] or b"/").decode("ascii", "replace")) if found else ""
    if found is None or path.startswith(ALONE):
        return scope
    named = {"graph": unquote(found[2].decode("ascii", "replace")), "prefix": found[1].decode("ascii", "replace")}
    return {**scope, "path": path, "raw_path": found[3] or b"/", **named}


def note(text: Mapping[str, Any] | None = None, **said: Any) -> None:
    """Note for the audit, if there is one, what this request is about."""
    if record := RECORD.get():
        record.note(text, **said)


def write_after(record: Any, status: int | str, *, after: bool = True) -> None:
    """Write to the audit what is known after the answer; the log has what cannot be written."""
    try:
        record.write(status, after=after)
    except OSError as error:
        log.error("the audit cannot be written: %s", error.strerror)


def prefix_of(graph: str) -> str:
    """Return how the addresses of a graph begin."""
    return f"/graphs/{quote(graph, safe='')}"


def at(path: str) -> str:
    """Return the address of a path for the graph that this request is about."""
    return PREFIX.get() + path
