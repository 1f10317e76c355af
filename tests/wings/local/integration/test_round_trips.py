"""How often a run asks the server, which is what a chunk and a question wait for; and that little is taken for granted.

The transactions are counted in the driver. What a run knows of constraints and indexes ends with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, ask, factory, load
from kg_neo4j.errors import SchemaConflict
from kg_neo4j.graph import constraints, queries
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.constraints import ensure_constraints
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import vectors
from kg_neo4j.progress import SILENT
from kg_neo4j.rooms.chat.talk import chat
from private_server import PrivateServer
from round_trips import RoundTrips, counted
from tcp_proxy import RUN, Fault, TcpProxy

TEXT = "Anna Weber met Karl Braun in Vienna in 1901. Karl Braun lived in Vienna. Marie Curie worked in Paris.\n"
QUESTION = "Where did Karl Braun live?"
OPTIONS = LoadOptions(analytics=False)
PROVE = "Prove and prolong the right to write"
WRITES = ("Write documents", "Mark chunks as recorded", "Delete chunks", "Withdraw the evidence of chunks")


@pytest.fixture(scope="module")
def fresh(other_server: PrivateServer) -> Iterator[Settings]:
    """Settings of a server on which nothing is loaded, and of a scripted model."""
    with FakeLlm() as llm:
        given = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "answer_cache": False}
        yield Settings(**{**other_server.aside("main").model_dump(), **given})


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A text of one chunk."""
    path: Path = tmp_path_factory.mktemp("texts") / "a.txt"
    path.write_text(TEXT, "utf-8")
    return str(path)


@pytest.fixture(scope="module")
def loads(fresh: Settings, file: str) -> tuple[RoundTrips, RoundTrips]:
    """What the first load of a text took, and the second one, which changes nothing."""
    with counted() as first:
        assert load([file], settings=fresh, options=OPTIONS).nodes
    with counted() as second:
        assert load([file], settings=fresh, options=OPTIONS).changes == 0
    return first, second


def taken(trips: RoundTrips) -> int:
    """How many transactions a run took, but for those that prolong its lease, every 30 seconds, while it works."""
    return trips.besides(PROVE)


def names(settings: Settings) -> set[str]:
    with connect(settings, SILENT, as_it_is=True) as database:
        return {row["name"] for row in database.indexes or ()}


def test_a_first_load_of_one_chunk(loads: tuple[RoundTrips, RoundTrips]) -> None:
    assert taken(loads[0]) <= 26, str(loads[0])  # names are derived in one that reads and one that writes


def test_a_load_that_changes_nothing(loads: tuple[RoundTrips, RoundTrips]) -> None:
    assert taken(loads[1]) <= 12, str(loads[1])
    assert loads[1].naming("One Entity per id") == 0, str(loads[1])


def test_the_right_to_write_is_proven_in_each_transaction_that_writes(
    loads: tuple[RoundTrips, RoundTrips], fresh: Settings, tmp_path: Path
) -> None:
    edited = tmp_path / "b.txt"
    with counted() as further:
        for place in ("Vienna", "Graz", "Linz"):
            edited.write_text(TEXT.replace("Vienna", place), "utf-8")
            load([str(edited)], settings=fresh, options=OPTIONS)
    transactions = [*loads[0].transactions, *further.transactions]
    written = [each for each in transactions if any(title in WRITES for title in each)]
    assert len(written) >= 8, str(further)
    assert all(PROVE in each for each in written), written


@pytest.mark.parametrize("question", [QUESTION, "Where did Karl Braum live?", "What happened in 1901?"])
def test_a_question(loads: tuple[RoundTrips, RoundTrips], fresh: Settings, question: str) -> None:
    """Also the first one, for which the graph is projected; with a name that is misspelt, and without one."""
    del loads
    for _ in range(2):
        with counted() as trips:
            ask(question, settings=fresh, mode="local")
        assert taken(trips) <= 5, str(trips)
    with counted() as trips:
        ask(question, settings=fresh)
    assert taken(trips) <= 7, str(trips)  # the mode auto asks for what it chooses by, too


def test_a_load_that_changes_nothing_leaves_the_projection(
    loads: tuple[RoundTrips, RoundTrips], fresh: Settings, file: str
) -> None:
    del loads
    assert ask(QUESTION, settings=fresh, mode="local").found
    load([file], settings=fresh, options=OPTIONS)
    with counted() as trips:
        assert ask(QUESTION, settings=fresh, mode="local").found
    assert trips.naming("Project one graph") == 0, str(trips)


def test_rules_and_indexes_that_were_dropped_between_two_runs_are_made_again(
    loads: tuple[RoundTrips, RoundTrips], fresh: Settings, other_server: PrivateServer, file: str
) -> None:
    del loads
    before = names(fresh)
    vector = next(name for name in before if name.startswith("kg_chunk_vector_"))
    with other_server.connect() as other:
        other.driver.execute_query("DROP CONSTRAINT kg_own_entity_id")
        other.driver.execute_query("DROP INDEX kg_own_treenode_tree")
        for name in ("kg_chunk_text", vector):
            other.schema(queries.get("write/drop_index"), name=name)
    load([file], settings=fresh, options=OPTIONS)
    assert names(fresh) == before
    assert ask(QUESTION, settings=fresh, mode="local").found


def test_an_index_that_is_dropped_between_two_questions_of_a_conversation_is_noticed(
    loads: tuple[RoundTrips, RoundTrips], fresh: Settings, other_server: PrivateServer, file: str
) -> None:
    del loads
    with chat(settings=fresh) as talk, other_server.connect() as other:
        assert talk.ask(QUESTION).answer.found
        other.schema(queries.get("write/drop_index"), name="kg_chunk_text")
        with pytest.raises(SchemaConflict, match="kg_chunk_text"):
            talk.ask(QUESTION)
        load([file], settings=fresh, options=OPTIONS)
        assert talk.ask(QUESTION).answer.found


def test_vector_indexes_that_another_run_replaced_are_not_taken_for_granted(
    loads: tuple[RoundTrips, RoundTrips], fresh: Settings
) -> None:
    """A run that began before must not embed for indexes that are gone."""
    del loads
    embedder = factory.embedding_model(fresh)
    name = constraints.vector_index_name("Entity", embedder)
    with connect(fresh, SILENT, as_it_is=True) as database, connect(fresh, SILENT, as_it_is=True) as other:
        other.schema(queries.get("write/drop_index"), name=name)
        vectors.prepare(database, embedder)
    assert name in names(fresh)


def test_runs_that_begin_at_once_make_the_rules_together(other_server: PrivateServer, fresh: Settings) -> None:
    with other_server.connect() as database:
        for row in database.driver.execute_query("SHOW CONSTRAINTS YIELD name").records:
            database.driver.execute_query(f"DROP CONSTRAINT `{row['name']}`")

    def begin(_: int) -> int:
        with connect(fresh, SILENT, as_it_is=True) as database:
            ensure_constraints(database)
            return len(database.indexes or ())

    with ThreadPoolExecutor(4) as crew:
        assert len(set(crew.map(begin, range(4)))) == 1
    with connect(fresh, SILENT, as_it_is=True) as database, counted() as trips:
        ensure_constraints(database)
    assert taken(trips) == 0


def test_statements_of_which_one_fails_are_run_alone(other_server: PrivateServer) -> None:
    statements = [(queries.get(f"schema/{name}"), {}) for name in ("index_treenode_tree", "constraint_entity")]
    with other_server.connect() as database:
        ensure_constraints(database)
        ask_server = database.driver.execute_query
        ask_server("DROP INDEX kg_own_treenode_tree")
        ask_server("DROP CONSTRAINT kg_own_entity_id")
        ask_server("CREATE INDEX kg_own_entity_id FOR (n:Other) ON (n.id)")
        with pytest.raises(SchemaConflict, match="kg_own_entity_id"):
            database.schemas(statements)
        found = {row["name"] for row in database.read(queries.get("write/standing_indexes"))}
        assert "kg_own_treenode_tree" in found
        with pytest.raises(SchemaConflict, match="kg_own_entity_id"):
            ensure_constraints(database)
        ask_server("DROP INDEX kg_own_entity_id")
        database.schemas(statements)
        ensure_constraints(database)


def test_another_store_at_the_same_address_is_not_taken_for_the_former_one(
    loads: tuple[RoundTrips, RoundTrips], other_server: PrivateServer, fresh: Settings, file: str
) -> None:
    """As after `kg db reset` and `kg db restore`: two runs of one process, nothing stands at the second one."""
    del loads
    stood = names(fresh)
    other_server.empty()
    assert not names(fresh)
    assert not load([file], settings=fresh, options=OPTIONS).failed_chunks
    assert names(fresh) == stood
    assert ask(QUESTION, settings=fresh, mode="local").found


def test_a_connection_that_is_lost_is_no_word_on_what_stands(database: Database) -> None:
    where = urlsplit(database.address.uri)
    with TcpProxy((where.hostname or "", where.port or 0)) as proxy:
        address = replace(database.address, uri=f"bolt://127.0.0.1:{proxy.port}")
        with Database(address) as through:
            ensure_constraints(through)
            assert through.indexes
            proxy.arm(Fault("cut", RUN))
            through.read(queries.get("write/live_leases"))
            assert proxy.hits == 1
            assert through.indexes is None
