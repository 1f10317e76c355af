"""Turns the driver's errors into ours: what, where, and what to try. faults.toml has what each code of Neo4j means."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j import errors
from kg_neo4j.settings import network_hint

if TYPE_CHECKING:
    from kg_neo4j.graph.database import DatabaseAddress

TOO_LARGE = ("OutOfMemoryError", "TransactionMemoryLimit")  # ends of codes: of a pool, a transaction, the heap
FORBIDDEN = "Neo.ClientError.Security.Forbidden"


@contextlib.contextmanager
def translated(address: DatabaseAddress) -> Iterator[None]:
    """Raise a DatabaseError, whose cause it is, for an error of the driver within the context."""
    from neo4j.exceptions import DriverError, Neo4jError, ServiceUnavailable, SessionExpired

    try:
        yield
    except (ServiceUnavailable, SessionExpired) as error:
        hint = "see `kg db logs`" if address.home else "is the server running, and is the port its Bolt port?"
        said = f"no Neo4j answers at {address.shown}: {_short(error)}"
        raise errors.DatabaseUnavailable(said, hint=network_hint(error, hint)) from error
    except Neo4jError as error:
        raise _meant(error, address) from error
    except DriverError as error:
        hint = "is the port Neo4j's Bolt port (not HTTP)?"
        raise errors.DatabaseUnavailable(f"{address.shown}: {_short(error)}", hint=hint) from error


def code_of(error: BaseException | None) -> str:
    """Return the code that Neo4j gave; empty where the error is not the server's."""
    return str(getattr(error, "code", None) or "")


def _meant(error: Exception, address: DatabaseAddress) -> errors.DatabaseError:
    code, text = code_of(error), str(error)
    values = {"shown": address.shown, "said": _short(error), "code": code, "user": address.username}
    values |= {"database": address.database or "neo4j", "restart": "" if address.home else "restart the server, "}
    for rule in _rules():
        if code.endswith(tuple(rule.get("ends", [""]))) and any(word in text for word in rule.get("words", [""])):
            kind: type[errors.DatabaseError] = getattr(errors, rule["error"])
            return kind(rule["says"].format(**values), hint=rule.get("hint", "").format(**values) or None)
    raise ValueError("faults.toml has no last rule for every code")


@cache
def _rules() -> list[dict[str, Any]]:
    return list(tomllib.loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))["fault"])


def _short(error: BaseException) -> str:
    return " ".join(str(getattr(error, "message", None) or error).split())[:300]
