"""Projections on the real GDS: each run has its own, none is left behind, and one too large is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kg_neo4j
from entity_graph import karate, load, projected
from kg_neo4j.errors import DatabaseUnavailable, NotEnoughMemory
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import communities
from kg_neo4j.organise import projection as projecting
from kg_neo4j.organise.entity_pairs import fold
from kg_neo4j.organise.gds_client import client
from kg_neo4j.organise.projection import PREFIX, check_memory, sweep
from kg_neo4j.settings import Settings


@pytest.fixture(scope="module")
def club(database: Database, shared: Settings) -> str:
    """The karate club, for tests that only read."""
    load(database, shared.graph, karate())
    return shared.graph


def projections(database: Database) -> list[str]:
    return [row["name"] for row in database.read(queries.get("analytics/projections"), prefix=PREFIX)]


class Interrupted(Exception):
    """Stands for whatever stops a run."""


def test_the_projection_is_dropped_also_on_failure(database: Database, club: str) -> None:
    names: list[str] = []

    def fail_within() -> None:
        with projected(database, club) as projection:
            names.append(projection.name)
            assert names[0] in projections(database)
            raise Interrupted

    with pytest.raises(Interrupted):
        fail_within()
    assert names[0] not in projections(database)


# A part of a loaded article: pairs and rows of evidence, for which GDS gave two results in turn.
TIES = """0-5 0-27-2 1-23 2-18 3-26 4-5-8 4-6 4-10-2 4-11 4-12 4-13 4-14 4-15 4-16 4-20-2 4-22 4-23-2 5-8 5-23 7-10 9-17
19-36 20-37 21-25 21-32 21-33 21-35 23-31 24-30 28-34 29-34"""


def test_communities_repeat_also_where_two_would_be_equally_good(database: Database, graph: str) -> None:
    rows = np.array([[int(number) for number in (*pair.split("-"), "1")[:3]] for pair in TIES.split()])
    pairs = fold(rows[:, 0] * 2**20, rows[:, 1] * 2**20, rows[:, 2])
    found = set()
    for _ in range(20):
        with projecting.project(database, graph, pairs) as projection:
            levels = communities.hierarchy(graph, projection.leiden(42))
            found.add(tuple(tuple(each.id for each in level) for level in levels))
    assert len(found) == 1


def test_two_runs_on_one_graph_do_not_share_a_projection(database: Database, club: str) -> None:
    with projected(database, club) as one, projected(database, club) as two:
        assert one.name != two.name
        assert one.leiden(42) == two.leiden(42)


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from kg_neo4j.graph.database import Database, DatabaseAddress
from kg_neo4j.organise.analytics import read_graph
from kg_neo4j.organise.projection import project
database = Database(DatabaseAddress(*sys.argv[2:5]))
found = read_graph(database, sys.argv[5], "test")
with project(database, sys.argv[5], found.pairs) as projected:
    print(projected.name, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_while_projecting(database: Database, graph: str) -> str:
    """Project in a process that is killed there and then; return the projection's name."""
    address = database.address
    given = [str(Path(kg_neo4j.__file__).parents[1]), address.uri, address.username, address.password, graph]
    ran = subprocess.run([sys.executable, "-c", KILLED, *given], capture_output=True, text=True, check=False)
    assert ran.returncode == -9, ran.stderr
    return ran.stdout.strip()


def test_what_a_killed_run_left_is_swept_and_nothing_else(database: Database, club: str) -> None:
    left = killed_while_projecting(database, club)
    assert left in projections(database)
    gds = client(database)
    foreign = f"kg-neo4j-lookalike-{club}"
    text = queries.get("analytics/project").text
    made = gds.graph.project.cypher(text, name=foreign, sources=[1], targets=[2], weights=[1.0])
    try:
        with projected(database, club) as alive:
            assert left not in projections(database)
            sweep(database, gds)
            assert alive.name in projections(database)
        assert gds.graph.exists(foreign)
    finally:
        made.graph.drop()


def test_an_analysis_larger_than_the_heap_is_refused_with_both_numbers(database: Database) -> None:
    check_memory(database, 1_000, 5_000)
    with pytest.raises(NotEnoughMemory, match=r"takes [\d,]+ MiB of heap, [\d,]+ MiB are free"):
        check_memory(database, 10**9, 10**10)
    assert database.gds_version()


def test_a_server_that_goes_away_is_said_at_once(database: Database) -> None:
    """The GDS client by itself asks on for ten minutes."""
    with Database(database.address) as leaving:
        gds = client(leaving)
        leaving.close()
        with pytest.raises(DatabaseUnavailable):
            gds.graph.drop("kg-neo4j/nothing", fail_if_missing=False)
