"""Errors of the server itself, and the HTTP status of every error."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

from starlette.responses import JSONResponse

from kg_neo4j.errors import BudgetReached, DatabaseError, KgError, ModelError, SourceError, UsageError
from kg_neo4j_serve import limits

_EXTRA = re.compile(r"^/api|\.json$")  # of addresses, which makes them no more alike


class Refused(KgError):
    """A request that is not answered; `status` is the HTTP status that says why."""

    def __init__(self, message: str, status: int, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class NoSuchEntity(Refused):
    """A name that no entity has; `near` are names that are spelt alike."""

    def __init__(self, message: str, name: str, near: tuple[str, ...]) -> None:
        super().__init__(message, 404)
        self.name, self.near = name, near


class NoSuchAddress(Refused):
    """An address that the server does not have; `addresses` are those that are spelt alike."""

    def __init__(self, path: str, known: Sequence[str]) -> None:
        own = re.sub("^/graphs/[^/]*(?=.)", "", path)  # of one that takes no graph before it
        is_api = own.startswith("/api/")
        bare = {_EXTRA.sub("", each): each for each in known if each.startswith("/api/") == is_api}
        near = difflib.get_close_matches(_EXTRA.sub("", own), bare, limits.NEAR_ADDRESSES)
        self.addresses = [bare[each] for each in near]
        said = f"did you mean {' or '.join(self.addresses)}?" if near else ""
        hint = said or "/ leads to all pages; /api/openapi.json lists the addresses of the API"
        super().__init__(f"there is nothing at {path[:80]}", 404, hint=hint)


class NotServed(Refused):
    """A graph that is not served; `graphs` are those whose names are spelt alike, else some of those that there are."""

    def __init__(self, name: str, graphs: tuple[str, ...]) -> None:
        hint = f"there is {', '.join(map(repr, graphs)) or 'none that you may see'}; only `kg load` makes graphs"
        super().__init__(f"no graph is called {name[:80]!r}", 404, hint=hint)
        self.graphs = graphs


class InternalError(Refused):
    """A request at which our own code failed: no detail, because it may hold anything."""

    def __init__(self) -> None:
        super().__init__("the server failed", 500)


def missing(what: str, hint: str | None = None) -> Refused:
    """Return the error of something that is not there."""
    return Refused(what, 404, hint=hint)


def status_of(error: KgError) -> int:
    """Return the HTTP status of an error."""
    if isinstance(error, Refused):
        return error.status
    for kind, status in ((UsageError, 400), (SourceError, 400), (BudgetReached, 402), (ModelError, 502)):
        if isinstance(error, kind):
            return status
    return 503 if isinstance(error, DatabaseError) else 500


def error_shape(error: KgError) -> dict[str, Any]:
    """Return an error as JSON, as the command line gives it."""
    return {"error": {"type": type(error).__name__, "message": str(error), "hint": error.hint}}


def error_response(error: KgError) -> JSONResponse:
    """Return the response of an error."""
    status = status_of(error)
    headers = {429: {"retry-after": "1"}, 401: {"www-authenticate": "Bearer"}}.get(status)
    return JSONResponse(error_shape(error), status, headers)
