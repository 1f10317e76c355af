"""The server dies, runs out of memory, or is new: what a load does, and that nothing is lost.

Rows 35, 39 and 40 of the test plan, on a server of the tests' own: killed with -9 while it is written to, started with
little memory for transactions. A full disk: `test_full_disk.py`.

Seen red before it was repaired: batches too large repeated instead of halved; an index that another first run makes at
the same moment; a rule of ours whose name is taken.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from corpus import document, extraction, record_document
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.errors import DatabaseError, DatabaseUnavailable, NotEnoughMemory, SchemaConflict
from kg_neo4j.extract import schema as schemas
from kg_neo4j.graph import database as databases
from kg_neo4j.graph import queries, settler
from kg_neo4j.graph.constraints import delete_graph, ensure_constraints
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import LoadConfiguration
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.recorder import Recorder
from private_server import PrivateServer

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
STORY = str(EXAMPLES / "the_lamp_at_skarnes.md")
OPTIONS = LoadOptions(chunk_tokens=150, analytics=False)
GRAPH = "faults"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[PrivateServer]:
    with PrivateServer(tmp_path_factory.mktemp("kg-faults"), settings) as found:
        yield found


@pytest.fixture(scope="module")
def wanted(database: Database, settings: Settings) -> str:
    """The export of a load that nothing happened to."""
    offline = settings.model_copy(update={"graph": GRAPH, "openai_base_url": None, "openai_api_key": None})
    load([STORY], settings=offline, options=OPTIONS)
    text = dump(database)
    delete_graph(database, GRAPH)
    return text


def dump(database: Database) -> str:
    return "\n".join(lines(database, GRAPH))


def query(text: str) -> queries.Query:
    return queries.Query("test", "", "", "write", (), (), "", "", text)


def test_two_first_runs_on_a_new_server_find_every_constraint_online(server: PrivateServer) -> None:
    """Row 35: nothing is written before the constraints stand."""
    server.start()
    start = threading.Barrier(8)

    def prepare(_: int) -> int:
        with server.connect() as own:
            start.wait()
            ensure_constraints(own)
            shown = "SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'kg_' RETURN name, state"
            states = [row["state"] for row in own.write(query(shown))]
            assert set(states) == {"ONLINE"}
            return len(states)

    with ThreadPoolExecutor(8) as crew:
        counts = set(crew.map(prepare, range(8)))
    assert len(counts) == 1
    assert counts.pop() >= 10


STANDING_IN_THE_WAY = {
    "another rule of that name": "CREATE CONSTRAINT kg_own_entity_id FOR (n:Other) REQUIRE n.id IS UNIQUE",
    "an index of that name": "CREATE INDEX kg_own_entity_id FOR (n:Other) ON (n.id)",
}
TIDY = (
    *("DROP CONSTRAINT kg_own_entity_id IF EXISTS", "DROP INDEX kg_own_entity_id IF EXISTS"),
    "DROP INDEX theirs IF EXISTS",
    "MATCH (n:Foreign|KgFact) WHERE n.graph IS NULL DELETE n",
)


@pytest.fixture
def prepared(server: PrivateServer) -> Iterator[Database]:
    """A connection to the private server; what a test leaves in the way is removed."""
    server.start()
    with server.connect() as found:
        ensure_constraints(found)
        yield found
        for text in TIDY:
            found.schema(query(text))
        ensure_constraints(found)


@pytest.mark.parametrize("statement", STANDING_IN_THE_WAY.values(), ids=list(STANDING_IN_THE_WAY))
def test_what_stands_in_the_way_of_a_constraint_is_said_before_anything_is_written(
    server: PrivateServer, prepared: Database, statement: str
) -> None:
    """Row 42."""
    prepared.schema(query("DROP CONSTRAINT kg_own_entity_id"))
    prepared.schema(query(statement))
    with pytest.raises(SchemaConflict) as refused:
        load([STORY], settings=server.aside(GRAPH), options=OPTIONS)
    assert "entity" in str(refused.value).lower()
    assert refused.value.hint
    assert dump(prepared) == ""


def test_an_index_of_others_that_failed_is_no_concern_of_ours_but_one_of_ours_is(
    server: PrivateServer, prepared: Database, wanted: str
) -> None:
    """Row 42: a text too long for an index makes it fail."""
    prepared.write(query("CREATE (:Foreign {text: $text})"), text="x" * 40_000)
    prepared.schema(query("CREATE INDEX theirs FOR (n:Foreign) ON (n.text)"))
    with pytest.raises(DatabaseError):
        prepared.read(queries.get("write/await_index"), name="theirs", seconds=60)
    load([STORY], settings=server.aside(GRAPH), options=OPTIONS)
    assert dump(prepared) == wanted
    delete_graph(prepared, GRAPH)
    prepared.schema(query("DROP INDEX kg_own_fact_relationship"))
    prepared.write(query("CREATE (:KgFact {relationship_id: $text})"), text="x" * 40_000)
    with pytest.raises(DatabaseError):
        ensure_constraints(prepared)
    with pytest.raises(SchemaConflict, match="kg_own_fact_relationship"):
        ensure_constraints(prepared)
    prepared.schema(query("DROP INDEX kg_own_fact_relationship"))


class _Killing:
    """Kills the server in the so-manieth transaction of the recorder, after its last query and before its commit."""

    def __init__(self, number: int, then: Callable[[], object]) -> None:
        self.number, self.then = number, then
        self.acknowledged = 0

    def __enter__(self) -> _Killing:
        record, write = Recorder._record, Recorder._write

        def recorded(recorder: Recorder, *given: object, **named: object) -> object:
            result = record(recorder, *given, **named)  # type: ignore[arg-type]
            self.number -= 1
            if self.number == 0:
                self.then()
            return result

        def written(recorder: Recorder, prepared: object) -> object:
            result = write(recorder, prepared)  # type: ignore[arg-type]
            self.acknowledged += 1
            return result

        self._patches = [
            mock.patch.object(Recorder, "_record", recorded),
            mock.patch.object(Recorder, "_write", written),
        ]
        for patch in self._patches:
            patch.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        for patch in self._patches:
            patch.__exit__(None, None, None)


@pytest.mark.parametrize("number", [2, *(pytest.param(n, marks=pytest.mark.long) for n in range(1, 9))])
def test_a_server_killed_while_it_is_written_to_loses_nothing_that_it_acknowledged(
    server: PrivateServer, wanted: str, number: int
) -> None:
    """Row 39: the load stops with a hint; after a restart the same command gives the same graph."""
    server.start()
    outside = server.aside(GRAPH)
    with server.connect() as database:
        delete_graph(database, GRAPH)
    with (
        mock.patch("kg_neo4j.pipeline.run.BATCH_ROWS", 1),
        mock.patch.object(databases, "RETRY_TIME_S", 1.0),
        _Killing(number, server.kill) as killing,
        pytest.raises(DatabaseUnavailable) as failed,
    ):
        load([STORY], settings=outside, options=OPTIONS)
    assert failed.value.hint
    server.start()
    with server.connect() as database:
        kept = database.read(
            query("MATCH (c:Chunk) WHERE c.graph = $graph AND c.done RETURN count(c) AS n"), graph=GRAPH
        )
        assert kept[0]["n"] >= killing.acknowledged == number - 1
        load([STORY], settings=outside, options=OPTIONS)
        assert dump(database) == wanted


@pytest.mark.long
def test_a_server_that_comes_back_in_time_is_waited_for(server: PrivateServer, wanted: str) -> None:
    """Row 39: the restarted server is found again by the run that was writing."""
    server.start()
    with server.connect() as database:
        delete_graph(database, GRAPH)
    outside = server.aside(GRAPH)
    restarted = threading.Thread(target=lambda: (server.kill(), server.start()))
    with (
        mock.patch("kg_neo4j.pipeline.run.BATCH_ROWS", 1),
        mock.patch.object(databases, "RETRY_TIME_S", 300.0),
        _Killing(3, restarted.start),
    ):
        load([STORY], settings=outside, options=OPTIONS)
    restarted.join()
    with server.connect() as database:
        assert dump(database) == wanted


def write_one_batch(database: Database, most: int = 40) -> list[int]:
    """Record a document of 40 chunks in one batch, settle it, and return the sizes of the parts that were tried.

    Memory is enough for `most` chunks.
    """
    paragraphs = [f"Paragraph {number}." for number in range(40)]
    source, chunks = document(GRAPH, "many.txt", paragraphs)
    schema = schemas.load("described")
    extractions = [
        extraction(chunk, [(f"Person {n}", "KNOWS", f"Person {n + chunk.index + 1}") for n in range(100)])
        for chunk in chunks
    ]
    sizes: list[int] = []
    record = Recorder._record

    def counted(recorder: Recorder, transaction: object, extractions: Sequence[Any], *, prepared: Any) -> int:
        sizes.append(len(extractions))
        count = record(recorder, transaction, extractions, prepared=prepared)  # type: ignore[arg-type]
        if sizes[-1] > most:
            raise NotEnoughMemory("the transaction would take more memory than there is")
        return count

    with mock.patch.object(Recorder, "_record", counted), Lease(database, GRAPH) as lease:
        record_document(database, lease, source, chunks, LoadConfiguration("c0", "described", schema.hash, "words"))
        Recorder(database, GRAPH, schema, lease).record(extractions)
        settler.settle(database, GRAPH, schema, lease)
    return sizes


def test_a_batch_that_takes_too_much_memory_is_written_in_halves(database: Database) -> None:
    """Row 40, without a server of little memory."""
    delete_graph(database, GRAPH)
    assert write_one_batch(database) == [40]
    wanted = dump(database)
    delete_graph(database, GRAPH)
    assert write_one_batch(database, most=15) == [40, 20, 10, 10, 20, 10, 10]
    assert dump(database) == wanted
    delete_graph(database, GRAPH)


@pytest.mark.long
def test_a_batch_too_large_for_the_server_s_memory_is_written_in_halves(
    server: PrivateServer, database: Database
) -> None:
    """Row 40."""
    delete_graph(database, GRAPH)
    assert write_one_batch(database) == [40]
    wanted = dump(database)
    delete_graph(database, GRAPH)
    server.stop()
    server.start(db__memory__transaction__max="8m", db__memory__transaction__total__max="10m")
    with server.connect() as small:
        ensure_constraints(small)
        delete_graph(small, GRAPH)
        assert write_one_batch(small)[:3] == [40, 40, 20]  # once more, because others may have used the memory
        assert dump(small) == wanted
        with pytest.raises(NotEnoughMemory) as failed, mock.patch.object(databases, "RETRY_TIME_S", 0.0):
            small.write(
                query("UNWIND range(1, 1000000) AS n WITH collect(toString(n)) AS all UNWIND all AS x RETURN x")
            )
        assert "memory" in str(failed.value.hint)
