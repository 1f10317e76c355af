"""The managed local Neo4j: the package neo4j_local with the settings of a run, and its errors as ours.

No other module imports that package, and this one only when the local Neo4j is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kg_neo4j import errors
from kg_neo4j.settings import Settings

if TYPE_CHECKING:
    from neo4j_local import LocalNeo4j, Store


@contextmanager
def local_neo4j(settings: Settings) -> Iterator[LocalNeo4j]:
    """Yield the local Neo4j that settings mean. Raises UsageError where the package is not installed."""
    try:
        import neo4j_local
    except ModuleNotFoundError as error:
        if error.name != "neo4j_local":
            raise
        missing = "the package neo4j_local is not installed"
        why = missing if settings.neo4j_uri else f"no Neo4j server is set and {missing}; set NEO4J_URI"
        raise errors.UsageError(why) from error
    chosen = settings.model_fields_set
    with _errors_as_ours():
        yield neo4j_local.LocalNeo4j(
            folder=settings.home,
            cache=settings.cache,
            line=settings.db_neo4j,
            jars_dir=settings.jars_dir,
            java_home=settings.java_home,
            bolt_port=settings.db_bolt_port if "db_bolt_port" in chosen else None,
            http_port=settings.db_http_port if "db_http_port" in chosen else None,
            heap_mb=settings.db_heap_mb,
            pagecache_mb=settings.db_pagecache_mb,
            start_timeout_s=settings.db_start_timeout_s,
        )


@contextmanager
def local_store(settings: Settings) -> Iterator[Store]:
    """Yield the store of the local Neo4j that settings mean."""
    with local_neo4j(settings) as local:
        from neo4j_local import Store

        yield Store(local)


def has_store(settings: Settings) -> bool:
    """Return whether the local Neo4j has data; False where NEO4J_URI names another server."""
    if settings.neo4j_uri:
        return False
    with local_store(settings) as store:
        return store.exists()


def end_panicked(home: Path) -> None:
    """End the server of `home` where it opens no transaction any more, before it harms its log."""
    with _errors_as_ours():
        from neo4j_local import server

        server.end_panicked(home)


def reserve(home: Path) -> int:
    """Return the bytes that a write to the server of `home` leaves free."""
    from neo4j_local import disk

    return disk.reserve(home / "data")


@contextmanager
def _errors_as_ours() -> Iterator[None]:
    """Raise our error of the same name, else LocalDatabaseError, with message and hint, for one of neo4j_local."""
    from neo4j_local.errors import LocalNeo4jError

    try:
        yield
    except LocalNeo4jError as error:
        ours = getattr(errors, type(error).__name__, errors.LocalDatabaseError)
        raise ours(str(error), hint=error.hint) from error
