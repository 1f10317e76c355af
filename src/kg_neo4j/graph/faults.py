"""Turns the driver's errors into ours: what, where, and what to try. faults.toml has what each means."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kg_neo4j import errors
from kg_neo4j.settings import network_hint

TOO_LARGE = ("OutOfMemoryError", "TransactionMemoryLimit")  # ends of codes: of a pool, a transaction, the heap
FORBIDDEN = "Neo.ClientError.Security.Forbidden"
_RULES = tomllib.loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))["fault"]


@contextlib.contextmanager
def translated(address: Any) -> Iterator[None]:  # a DatabaseAddress, whose module imports this one
    """Raise a DatabaseError for an error of the driver within the context, which is its cause."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except (DriverError, Neo4jError) as error:
        code, text, own = code_of(error), str(error), address.home is not None
        said = " ".join(str(error.message if isinstance(error, Neo4jError) else error).split())[:300]
        values = {"shown": address.shown, "said": said, "code": code, "user": address.username}
        values |= {"database": address.database or "neo4j", "restart": "" if own else "restart the server, "}
        values |= {"look": "see `kg db logs`" if own else "is the server running, and is the port its Bolt port?"}
        for rule in _RULES:
            if code.endswith(tuple(rule.get("ends", [""]))) and any(word in text for word in rule.get("words", [""])):
                hint = network_hint(error, rule.get("hint", "").format(**values)) or None
                raise getattr(errors, rule["error"])(rule["says"].format(**values), hint=hint) from error
        raise


def code_of(error: BaseException | None) -> str:
    """Return the code that Neo4j gave; the name of the class where the error is not the server's."""
    return str(getattr(error, "code", None) or type(error).__name__)
