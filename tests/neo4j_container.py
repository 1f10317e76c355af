"""The container with Neo4j for platforms without a Java runtime: the image and the settings of the managed server.

`python tests/neo4j_container.py [ARGUMENT...]` starts one and runs pytest with these arguments against it.
"""

from __future__ import annotations

import os
import subprocess
import sys
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


def main(arguments: list[str]) -> int:
    """Return the exit code of pytest; 3 where there is no Docker engine."""
    import docker

    try:
        docker.from_env().ping()
    except docker.errors.DockerException as error:
        sys.stderr.write(f"make test-container needs a Docker engine, and none answers: {error}\n")
        return 3
    with container() as server:
        server_is = {"URI": server.get_connection_url(), "USERNAME": server.username, "PASSWORD": server.password}
        environment = os.environ | {f"NEO4J_{name}": value for name, value in server_is.items()}
        return subprocess.call([sys.executable, "-m", "pytest", *arguments], env=environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
