"""A store that is compacted has no byte of what was deleted, and everything else."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from erased_graph import Place
from kg_neo4j import Settings
from kg_neo4j.errors import UsageError
from kg_neo4j.pipeline.commands.archive import backup
from kg_neo4j.rooms.erasure.compacting import DRAFT, compact
from kg_neo4j.rooms.erasure.purging import purge
from private_server import PrivateServer, short_lived


@contextlib.contextmanager
def another_program(server: PrivateServer) -> Iterator[None]:
    """Keep a connection of another process open."""
    with server.connect() as database:
        address = database.address
    program = (
        "import sys, neo4j; driver = neo4j.GraphDatabase.driver(sys.argv[1], auth=('neo4j', sys.argv[2])); "
        "driver.verify_connectivity(); print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, address.uri, address.password]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "open\n"
        yield
        process.communicate("")


@pytest.mark.long  # starts five servers
@pytest.mark.timeout(1_800)
def test_a_compacted_store_has_no_byte_of_it(offline: Settings, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with PrivateServer(tmp_path / "home", offline) as server, short_lived():
        jars = server.local.fetch()
        server.settings = server.settings.model_copy(update={"cache": tmp_path / "cache", "jars_dir": jars})
        place = Place(server.settings, tmp_path)
        without = place.begin()
        values = "s: '', l: [], d: date('2020-01-02'), p: point({x: 1.5, y: 2})"
        foreign = f"CREATE (a:Secret:Thing {{{values}}})-[:KNOWS {{n: 1}}]->()"
        index = "CREATE FULLTEXT INDEX things FOR (n:Thing) ON EACH [n.s]"
        seen = "MATCH (a:Thing)-[r:KNOWS]->(b) RETURN properties(a) AS a, properties(r) AS r, labels(b) AS b"
        server.start()
        with server.connect() as database, database.driver.session() as session:
            session.run(foreign).consume()
            session.run(index).consume()
            before = session.run(seen).data()
        place.fill()
        backup(tmp_path / "out" / "all.dump", settings=place.settings)
        purge("secret.txt", settings=place.settings)
        assert not (tmp_path / "out" / "all.dump").exists()
        server.stop()
        assert place.marks(place.settings.home)  # Neo4j keeps what was deleted

        server.start()
        with another_program(server), pytest.raises(UsageError, match="another program is connected"):
            compact(settings=place.settings)
        report = compact(settings=place.settings)

        server.start()
        assert report.nodes > 10
        with server.connect() as database, database.driver.session() as session:
            assert session.run(seen).data() == before
            assert session.run("SHOW INDEXES YIELD name, state WHERE name = 'things' RETURN state").value() == [
                "ONLINE"
            ]
        place.derive()
        assert place.export("after.jsonl") == without
        server.stop()
        assert not (place.settings.home / DRAFT).exists()
        assert place.marks(tmp_path / "home", tmp_path / "out", tmp_path / "cache") == set()
