"""The container with Neo4j for platforms without a Java runtime: the image and the settings of the managed server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neo4j_local import configuration, jars

if TYPE_CHECKING:
    from testcontainers.community.neo4j import Neo4jContainer

LINE = "5.26"
PLUGINS = '["graph-data-science", "apoc"]'  # APOC is in the image; of GDS it fetches the newest for this Neo4j
SETTINGS = {**configuration.TRANSACTION_LOG, **configuration.SECURITY}
del SETTINGS["dbms.security.auth_enabled"]  # NEO4J_AUTH stands for it


def image() -> str:
    return f"neo4j:{jars.read_lock(LINE).neo4j}-community"


def variable(setting: str) -> str:
    """Return the name by which the Neo4j image knows a setting."""
    return "NEO4J_" + setting.replace("_", "__").replace(".", "_")


def container(**options: Any) -> Neo4jContainer:
    """Return the container, not started. It needs a Docker engine, unless `options` name the version of its API."""
    from testcontainers.community.neo4j import Neo4jContainer

    found = Neo4jContainer(image(), **options).with_env("NEO4J_PLUGINS", PLUGINS)
    for setting, value in SETTINGS.items():
        found.with_env(variable(setting), value)
    return found
