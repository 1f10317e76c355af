"""Writers that race, locks that are held, constraints that are broken, data of others: nothing is lost or half written.

Rows 34, 42, 44 and 45 of the test plan, on the real server. Row 46 (any batch size) is in test_invariant.

Mutants seen to turn this red: `delete_graph` without its WHERE (row 45); the lease not proven within the transaction
(row 34); the write transaction without a time limit (row 44); the labels of others removed while settling (row 45).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import pytest

from corpus import Fact, document, extraction, record_document
from kg_neo4j import LoadOptions, Settings, load, unload
from kg_neo4j.errors import DatabaseError, LeaseHeld, SchemaConflict
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
from kg_neo4j.records import Document, Extraction

SCHEMA = schemas.load("described")
CONFIGURATION = LoadConfiguration("c0", "described", SCHEMA.hash, "words")
TEXT = "Anna Weber met Karl Braun in Vienna in 1901.\n\nKarl Braun lived in Graz. Anna Weber wrote to Karl Braun."
OPTIONS = LoadOptions(chunk_tokens=20, analytics=False)
WRITERS, HUBS = 16, 30


def query(text: str) -> queries.Query:
    return queries.Query("test", "", "", "write", (), (), "", "", text)


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


@pytest.fixture
def offline(settings: Settings, graph: str) -> Settings:
    return settings.model_copy(update={"graph": graph, "openai_api_key": None, "openai_base_url": None})


@pytest.fixture
def note(tmp_path: Path) -> str:
    path = tmp_path / "note.txt"
    path.write_text(TEXT, "utf-8")
    return str(path)


# ------------------------------------------------------------------------------------------------ row 34: hubs


def hub_document(graph: str, number: int) -> tuple[Document, list[Extraction]]:
    """A document that states something of every hub."""
    facts: list[Fact] = [(f"Hub {hub}", "KNOWS", f"Own {number}") for hub in range(HUBS)]
    source, chunks = document(graph, f"{number}.txt", [f"Paragraph {index} of {number}." for index in range(3)])
    return source, [extraction(chunk, facts) for chunk in chunks]


def write(database: Database, graph: str, number: int) -> int:
    """Write one document as a run of its own, as soon as the graph is free; return how often it was not."""
    source, extractions = hub_document(graph, number)
    for refused in range(10_000):
        try:
            with Lease(database, graph) as lease:
                record_document(database, lease, source, [each.chunk for each in extractions], CONFIGURATION)
                recorder = Recorder(database, graph, SCHEMA, lease)
                for each in extractions:
                    recorder.record([each])
                settle(database, graph, SCHEMA, lease)
                return refused
        except LeaseHeld:
            continue
    raise AssertionError("the graph was never free")


@pytest.mark.slow
def test_sixteen_writers_on_thirty_hubs_give_exact_sums(database: Database, graph: str) -> None:
    for number in range(WRITERS):
        write(database, graph, number)
    wanted = dump(database, graph)
    assert wanted.count(f'"evidence_count":{3 * WRITERS}') == HUBS
    delete_graph(database, graph)
    with ThreadPoolExecutor(WRITERS) as crew:
        list(crew.map(lambda number: write(database, graph, number), range(WRITERS)))
    assert dump(database, graph) == wanted


def test_writers_of_sixteen_graphs_do_not_meet(
    database: Database, graph: str, caplog: pytest.LogCaptureFixture
) -> None:
    graphs = [f"{graph}-{number}" for number in range(WRITERS)]
    try:
        with ThreadPoolExecutor(WRITERS) as crew:
            assert sum(crew.map(lambda name: write(database, name, 1), graphs)) == 0
        for name in graphs:
            assert dump(database, name).count('"evidence_count":3') == 2 * HUBS + HUBS + 1
    finally:
        for name in graphs:
            delete_graph(database, name)
    assert "Deadlock" not in caplog.text


def test_a_run_that_slept_through_its_lease_writes_nothing_more(database: Database, graph: str) -> None:
    """It wakes in the middle of a transaction, and another run has written meanwhile."""
    source, extractions = hub_document(graph, 1)
    with Lease(database, graph) as slept:
        record_document(database, slept, source, [each.chunk for each in extractions], CONFIGURATION)
        recorder = Recorder(database, graph, SCHEMA, slept)
        recorder.record(extractions[:1])
        run_out = "MATCH (l:Lease {graph: $graph}) SET l.expires = 0"
        database.write(query(run_out), graph=graph)
        write(database, graph, 2)
        write(database, graph, 1)
        wanted = dump(database, graph)
        late = extraction(extractions[1].chunk, [("Stray", "KNOWS", "Hub 1")])
        with pytest.raises(LeaseHeld, match="no longer"):
            recorder.record([late])
    assert dump(database, graph) == wanted
    assert "Stray" not in wanted


# --------------------------------------------------------------------------------- row 42: constraints that break


def test_a_foreign_rule_in_the_way_keeps_a_batch_out_whole_and_is_named(
    database: Database, offline: Settings, note: str
) -> None:
    load([note], settings=offline, options=OPTIONS)
    wanted = dump(database, offline.graph)
    delete_graph(database, offline.graph)
    database.schema(query("CREATE CONSTRAINT theirs FOR (n:Entity) REQUIRE n.name IS UNIQUE"))
    database.write(query("CREATE (:Entity {name: 'Anna Weber', mark: $mark})"), mark=offline.graph)
    try:
        with pytest.raises(SchemaConflict, match="Entity") as refused:
            load([note], settings=offline, options=OPTIONS)
        assert refused.value.hint
        assert '"num":' not in dump(database, offline.graph)
        assert '"done":true' not in dump(database, offline.graph)
    finally:
        database.schema(query("DROP CONSTRAINT theirs"))
        database.write(query("MATCH (e:Entity {mark: $mark}) DELETE e"), mark=offline.graph)
    load([note], settings=offline, options=OPTIONS)
    assert dump(database, offline.graph) == wanted


# ------------------------------------------------------------------------------------- row 44: a lock that is held


@pytest.mark.parametrize("held", ["MATCH (n:Entity {graph: $graph})", "MATCH (n:Lease {graph: $graph})"])
def test_a_lock_that_another_session_holds_is_waited_for_with_an_end(
    database: Database, offline: Settings, note: str, tmp_path: Path, held: str
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Karl Braun met Anna Weber in Graz in 1905.", "utf-8")
    load([note, str(other)], settings=offline, options=OPTIONS)
    wanted = dump(database, offline.graph)
    delete_graph(database, offline.graph)
    load([note], settings=offline, options=OPTIONS)
    database.write(
        query("MERGE (:KgLease:Lease {graph: $graph})"), graph=offline.graph
    )  # left by a former version, free
    with (
        database.driver.session() as session,
        session.begin_transaction() as holding,
        mock.patch.object(databases, "WRITE_TIMEOUT_S", 1.0),
    ):
        holding.run(f"{held} SET n.held = true", graph=offline.graph).consume()
        guard = threading.Timer(30.0, holding.rollback)  # a load that waited for ever would hang with this test
        guard.start()
        with pytest.raises(DatabaseError, match="in time") as failed:
            load([str(other)], settings=offline, options=OPTIONS)
        assert "locks" in str(failed.value.hint)
        guard.cancel()
        holding.rollback()
    load([str(other)], settings=offline, options=OPTIONS)
    assert dump(database, offline.graph) == wanted


# ------------------------------------------------------------------------------------- row 45: data of others


@pytest.fixture
def foreign(database: Database, graph: str) -> Iterator[str]:
    """A thousand nodes of somebody else, under labels and types of ours, and their relationships."""
    made = """
        UNWIND range(1, 250) AS n
        CREATE (a:Entity:PERSON {id: 'theirs-' + n, name: 'Anna Weber', mark: $mark}),
               (b:Chunk {id: 'theirs-' + n, text: 'Anna Weber met Karl Braun.', mark: $mark, graph: $other}),
               (c:Document {id: 'theirs-' + n, title: 'note', source: 'note.txt', mark: $mark}),
               (d:Community:Customer {mark: $mark, name: 'x' + n}),
               (a)-[:MENTIONED_IN {row: 0}]->(b)-[:IN_DOCUMENT]->(c), (a)-[:IN_COMMUNITY]->(d), (a)-[:MET]->(d)
    """
    mark = f"foreign-{graph}"
    database.write(query(made), mark=mark, other=f"{graph}-of-others")
    yield mark
    database.write(query("MATCH (n {mark: $mark}) DETACH DELETE n"), mark=mark)


def fingerprint(database: Database, mark: str) -> list[object]:
    text = """
        MATCH (n {mark: $mark}) OPTIONAL MATCH (n)-[r]->(m)
        WITH n, collect([type(r), properties(r), m.id]) AS relationships
        RETURN labels(n) AS labels, properties(n) AS node, relationships
        ORDER BY labels[0], n.id, n.name
    """
    return [dict(row) for row in database.read(query(text), mark=mark)]


def test_a_thousand_nodes_of_others_are_the_same_after_everything(
    database: Database, offline: Settings, note: str, foreign: str
) -> None:
    before = fingerprint(database, foreign)
    assert len(before) == 1_000
    report = load([note], settings=offline)
    assert report.nodes < 20
    Path(note).write_text(TEXT.replace("Graz", "Linz"), "utf-8")
    load([note], settings=offline)
    unload("note.txt", settings=offline)
    load([note], settings=offline)
    delete_graph(database, offline.graph)
    assert dump(database, offline.graph) == ""
    assert fingerprint(database, foreign) == before


def test_labels_and_properties_that_others_put_on_our_nodes_stay(
    database: Database, offline: Settings, note: str, tmp_path: Path
) -> None:
    load([note], settings=offline, options=OPTIONS)
    own = "MATCH (e:Entity {graph: $graph, name: 'Karl Braun'}) "
    database.write(query(own + "SET e:Important, e.my_rating = 5"), graph=offline.graph)
    other = tmp_path / "other.txt"
    other.write_text("Karl Braun met Anna Weber in Graz in 1905.", "utf-8")
    load([str(other)], settings=offline, options=OPTIONS)
    kept = database.read(query(own + "RETURN labels(e) AS labels, e.my_rating AS rating"), graph=offline.graph)
    assert "Important" in kept[0]["labels"]
    assert kept[0]["rating"] == 5


def test_a_second_writer_waits_for_none_of_ours_and_we_for_none_of_theirs(
    database: Database, offline: Settings, note: str, foreign: str
) -> None:
    """A foreign session that holds all its own nodes does not stop a load."""
    with database.driver.session() as session, session.begin_transaction() as holding:
        holding.run("MATCH (n {mark: $mark}) SET n.held = true", mark=foreign).consume()
        done = threading.Event()
        load([note], settings=offline, options=OPTIONS)
        done.set()
        holding.rollback()
    assert done.is_set()
