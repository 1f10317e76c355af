"""Types of the fixtures that run `kg` in this process: a process of its own takes two seconds to start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from kg_neo4j.settings import Settings

Ran = tuple[int, str, str]  # exit code, standard output, standard error
Kg = Callable[..., Ran]


class RunKg(Protocol):
    """Runs a command with more in its environment; `typed` is its standard input."""

    def __call__(self, arguments: Sequence[str], environment: Mapping[str, str], typed: str = "") -> Ran: ...


def environment_of(settings: Settings) -> dict[str, str]:
    """Return the environment that means the server and the graph of `settings`."""
    assert settings.neo4j_uri
    assert settings.neo4j_password
    return {
        "NEO4J_URI": settings.neo4j_uri,
        "NEO4J_USERNAME": settings.neo4j_username,
        "NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "KG_GRAPH": settings.graph,
    }


def printing(run_kg: RunKg, settings: Settings) -> Callable[..., tuple[int, str]]:
    """Return a function that runs `kg` there and returns its exit code and all that it printed."""

    def command(*arguments: str, typed: str = "") -> tuple[int, str]:
        code, out, err = run_kg(arguments, environment_of(settings), typed)
        return code, out + err

    return command
