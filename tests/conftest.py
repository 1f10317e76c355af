"""A real Neo4j with GDS: the one in NEO4J_URI, else the managed local one, else a container where Docker runs."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg_neo4j.graph.constraints import delete_graph, ensure_constraints
from kg_neo4j.graph.database import Database, DatabaseAddress, connect
from kg_neo4j.progress import SILENT
from kg_neo4j.settings import Settings

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def settings() -> Settings:
    """Settings of the environment that the tests run in."""
    return Settings()


@pytest.fixture(scope="session")
def database(settings: Settings) -> Iterator[Database]:
    """A connection to the server that the ladder finds; the constraints stand."""
    with connect(settings, SILENT) as found:
        ensure_constraints(found)
        yield found


@pytest.fixture
def graph(database: Database) -> Iterator[str]:
    """A graph name of this test's own; everything under it is deleted afterwards."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    yield name
    delete_graph(database, name)


@pytest.fixture
def address(database: Database) -> DatabaseAddress:
    """Where the server is."""
    return database.address


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real texts that are not part of the repository; the only reason for which a test may be skipped."""
    if not DATA.is_dir():
        pytest.skip(f"{os.path.relpath(DATA)} is absent")
    return DATA
