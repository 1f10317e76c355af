"""The connection to Neo4j is cut, cut short, half closed, slowed down, at every message of a write.

Rows 36 and 37 of the test plan. A proxy stands between the driver and a real server. Whatever happens, the load ends by
itself, each batch has one effect, and the graph is that of a load over a whole connection.

Mutants seen to turn this red: an unclear commit raised instead of looked at; the digest of a chunk not compared within
the transaction, so that evidence stands twice. Seen red before it was repaired: the lost commit of a read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock
from urllib.parse import urlsplit

import pytest

from corpus import document, extraction, record_document
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.errors import DatabaseError, DatabaseUnavailable
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph import database as databases
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from kg_neo4j.graph.settler import settle
from tcp_proxy import BEGIN, COMMIT, PULL, RUN, Fault, TcpProxy

STORY = str(Path(__file__).resolve().parents[2] / "examples" / "the_lamp_at_skarnes.md")
OPTIONS = LoadOptions(chunk_tokens=300, analytics=False)
SCHEMA = schemas.load("described")
FACTS = [("Anna", "MET", "Ben"), ("Ben", "LIVED_IN", "Graz::PLACE")]

FAULTS = {  # the first transaction after they are armed is a read
    "cut before begin": Fault("cut", BEGIN, skip=1),
    "cut before run": Fault("cut", RUN, skip=2),
    "cut after run": Fault("cut", RUN, skip=2, reply=True),
    "cut in a result": Fault("truncate", PULL, skip=3, reply=True, size=5),
    "half closed": Fault("half-close", RUN, skip=2),
    "cut before commit": Fault("cut", COMMIT, skip=1),
    "cut after commit": Fault("cut", COMMIT, skip=1, reply=True),
    "the commit's answer cut short": Fault("truncate", COMMIT, skip=1, reply=True, size=3),
    "drip": Fault("drip", COMMIT, skip=1, reply=True, seconds=0.02),
    "delay": Fault("delay", RUN, seconds=0.3),
}
VARIANTS = ("cut before run", "the commit's answer cut short", "drip", "delay")  # of other faults, or nothing breaks


@pytest.fixture
def proxy(database: Database) -> Iterator[TcpProxy]:
    server = urlsplit(database.address.uri)
    with TcpProxy((server.hostname or "", server.port or 0)) as found:
        yield found


@pytest.fixture
def through(database: Database, proxy: TcpProxy) -> Iterator[Database]:
    """A connection that goes through the proxy."""
    with Database(replace(database.address, uri=f"bolt://127.0.0.1:{proxy.port}")) as found:
        found.verify()
        yield found


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def write_two_chunks(database: Database, graph: str, between: list[Fault], proxy: TcpProxy | None = None) -> None:
    """Record and settle a document; the faults come about while its second chunk is recorded."""
    source, chunks = document(graph, "a.txt", ["Anna met Ben.", "Anna met Ben again."])
    with Lease(database, graph) as lease:
        record_document(database, lease, source, chunks, LoadConfiguration("c0", "described", SCHEMA.hash, "words"))
        recorder = Recorder(database, graph, SCHEMA, lease)
        recorder.record([extraction(chunks[0], FACTS)])
        if proxy:
            proxy.arm(*between)
        recorder.record([extraction(chunks[1], FACTS)])
        settle(database, graph, SCHEMA, lease)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, id=name, marks=[pytest.mark.slow] if name in VARIANTS else [])
        for name, fault in FAULTS.items()
    ],
)
def test_a_connection_that_breaks_while_a_batch_is_written_has_one_effect(
    database: Database, through: Database, proxy: TcpProxy, graph: str, fault: Fault
) -> None:
    write_two_chunks(database, graph, [])
    wanted = dump(database, graph)
    assert '"evidence_count":2' in wanted
    delete_graph(database, graph)
    write_two_chunks(through, graph, [replace(fault)], proxy)
    assert proxy.hits == 1
    assert dump(database, graph) == wanted


def test_a_commit_whose_answer_is_lost_again_and_again_ends_with_what_to_do(
    database: Database, through: Database, proxy: TcpProxy, graph: str
) -> None:
    with mock.patch.object(databases, "RETRY_TIME_S", 0.0), pytest.raises(DatabaseUnavailable) as failed:
        write_two_chunks(through, graph, [replace(FAULTS["cut after commit"])] * 40, proxy)
    assert failed.value.hint
    release = queries.get("write/release_lease")
    token = database.read(queries.get("write/read_lease"), graph=graph)[0]["token"]
    database.write(release, graph=graph, token=token)
    write_two_chunks(database, graph, [])
    once = dump(database, graph)
    delete_graph(database, graph)
    write_two_chunks(database, graph, [])
    assert dump(database, graph) == once


@pytest.mark.parametrize(
    "seed",
    [
        0,
        pytest.param(1, marks=pytest.mark.slow),
        *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 60)),
    ],
)
def test_a_load_over_a_line_that_breaks_often_gives_the_same_graph(
    database: Database, proxy: TcpProxy, settings: Settings, graph: str, seed: int
) -> None:
    """Faults all along a whole load; where it gives up, the same command goes on."""
    offline = settings.model_copy(update={"graph": graph, "openai_base_url": None, "openai_api_key": None})
    kinds = list(FAULTS.values())
    with mock.patch("kg_neo4j.pipeline.run.BATCH_ROWS", 20):
        load([STORY], settings=offline, options=OPTIONS)
        wanted = dump(database, graph)
        delete_graph(database, graph)
        broken = offline.model_copy(update={"neo4j_uri": f"bolt://127.0.0.1:{proxy.port}"})
        for number in range(4):
            first, second = kinds[(seed + number) % len(kinds)], kinds[(3 * seed + number + 5) % len(kinds)]
            proxy.arm(replace(first, skip=first.skip + 5 * number), replace(second, skip=10 * number + seed % 7))
        for _ in range(20):
            try:
                load([STORY], settings=broken, options=OPTIONS)
            except DatabaseError:
                continue
            break
    assert proxy.hits >= 4
    assert dump(database, graph) == wanted
