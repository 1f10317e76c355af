"""Databases that somebody else runs: clusters, few rights, one member that is not the leader. A proxy plays them.

It stands before a real server and answers some messages as such a server would. Not tried: Aura, and a real cluster.

Seen red before it was repaired: a read after a write without its bookmark; a lack of rights as a bare code of Neo4j.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import neo4j
import pytest

from bolt_proxy import BEGIN, COMMIT, ROUTE, RUN, BoltProxy
from kg_neo4j import LoadOptions, Settings, ask, load
from kg_neo4j.errors import AuthenticationFailed, DatabaseError, DatabaseReadOnly, RightMissing
from kg_neo4j.graph import database as databases
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph, ensure_constraints
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_runner import RunKg, printing

OPTIONS = LoadOptions(chunk_tokens=20, analytics=False)
TEXT = "Anna Weber met Karl Braun in Vienna in 1901.\n\nKarl Braun lived in Graz. Anna Weber wrote to Karl Braun."
SCHEMA = ("CREATE CONSTRAINT", "CREATE INDEX", "CREATE FULLTEXT", "CREATE VECTOR", "DROP ")
FORBIDDEN = "Neo.ClientError.Security.Forbidden"
NO_SCHEMA = "Schema operation 'create_index' on database 'neo4j' is not allowed for user 'neo4j' with roles [editor]."


@pytest.fixture
def proxy(database: Database) -> Iterator[BoltProxy]:
    server = urlsplit(database.address.uri)
    with BoltProxy((server.hostname or "", server.port or 0)) as found:
        yield found


@pytest.fixture
def through(database: Database, proxy: BoltProxy) -> Iterator[Database]:
    """A connection through the proxy, to a server that somebody else runs."""
    with Database(replace(database.address, uri=f"bolt://127.0.0.1:{proxy.port}", home=None)) as found:
        yield found


@pytest.fixture
def offline(settings: Settings, graph: str) -> Settings:
    return settings.model_copy(update={"graph": graph, "openai_api_key": None, "openai_base_url": None})


@pytest.fixture
def managed(offline: Settings, proxy: BoltProxy) -> Settings:
    return offline.model_copy(update={"neo4j_uri": f"bolt://127.0.0.1:{proxy.port}"})


@pytest.fixture
def note(tmp_path: Path) -> str:
    path = tmp_path / "note.txt"
    path.write_text(TEXT, "utf-8")
    return str(path)


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def query(text: str, mode: str = "write") -> queries.Query:
    return queries.Query("test", "", "", mode, (), (), "", "", text)


def bookmark(proxy: BoltProxy) -> bytes:
    """Return the last bookmark that the server gave."""
    found = [
        each[1] for one in proxy.answered if (each := re.search(rb"bookmark.{1,3}?(FB:[\w+/=-]+)", one, re.DOTALL))
    ]
    return found[-1]


# ---------------------------------------------------------------------------------------------------------- a cluster


def test_a_read_carries_the_bookmark_of_what_was_written_before(
    through: Database, proxy: BoltProxy, graph: str
) -> None:
    """Over sessions, threads, parallel runs, and reads that are streamed."""
    counting = query("MATCH (n:KgDecision {graph: $graph}) RETURN count(n) AS n", "read")
    written = query("CREATE (:KgDecision {id: $graph + '-' + $n, graph: $graph})")

    def carry(database: Database) -> list[bool]:
        """Read, once in a transaction and once as a stream; return whether each carried the last bookmark."""
        found = []
        for read in (database.read, database.stream):
            begun, last = len(proxy.sent), bookmark(proxy)
            list(read(counting, graph=graph))
            found.append(any(last in each for each in proxy.sent[begun:] if each[1:2] in (BEGIN, RUN)))
        return found

    try:
        through.write(written, graph=graph, n="1")
        first = bookmark(proxy)
        with ThreadPoolExecutor(1) as other:
            assert other.submit(carry, through).result() == [True, True]
        assert carry(through.for_another_run()) == [True, True]
        with ThreadPoolExecutor(1) as other:
            other.submit(through.for_another_run().write, written, graph=graph, n="2").result()
        assert bookmark(proxy) != first
        assert carry(through) == [True, True]
    finally:
        delete_graph(through, graph)


def test_a_bookmark_of_a_store_that_was_replaced_is_forgotten(through: Database, proxy: BoltProxy, graph: str) -> None:
    through.write(query("MERGE (d:KgDecision {id: $graph}) SET d.graph = $graph"), graph=graph)
    stale = bookmark(proxy)
    proxy.refuse("Neo.ClientError.Transaction.InvalidBookmark", BEGIN, "bookmarks", times=1)
    with pytest.raises(DatabaseError, match="InvalidBookmark"):
        through.read(query("RETURN 1 AS n", "read"))
    assert through.read(query("RETURN 1 AS n", "read")) == [{"n": 1}]
    assert stale not in [each for each in proxy.sent if each[1:2] == BEGIN][-1]
    delete_graph(through, graph)


def test_a_routed_connection_loads_and_answers(database: Database, offline: Settings, note: str, graph: str) -> None:
    """A server alone answers ROUTE with itself as writer and as reader."""
    load([note], settings=offline, options=OPTIONS)
    wanted = dump(database, graph)
    delete_graph(database, graph)
    routed = offline.model_copy(update={"neo4j_uri": re.sub(r"^bolt", "neo4j", database.address.uri)})
    load([note], settings=routed, options=OPTIONS)
    assert dump(database, graph) == wanted
    assert "Graz" in ask("Where did Karl Braun live?", settings=routed, mode="naive").text


def test_a_routed_connection_asks_for_the_members(database: Database, proxy: BoltProxy) -> None:
    address = replace(database.address, uri=f"neo4j://127.0.0.1:{proxy.port}", home=None)
    with Database(address) as routed:
        assert routed.read(query("RETURN 1 AS n", "read")) == [{"n": 1}]
    assert [each[1:2] for each in proxy.sent].count(ROUTE) >= 1


TRANSIENT = (
    *("Neo.ClientError.Cluster.NotALeader", "Neo.TransientError.General.DatabaseUnavailable"),
    *("Neo.TransientError.Cluster.ReplicationFailure", "Neo.ClientError.Security.AuthorizationExpired"),
    *("Neo.TransientError.Transaction.LeaseExpired", "Neo.TransientError.Transaction.BookmarkTimeout"),
    *("Neo.TransientError.Database.DatabaseUnavailable", "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"),
)


@pytest.mark.parametrize("code", TRANSIENT)
def test_what_a_cluster_says_in_passing_is_repeated_and_nothing_is_lost(
    through: Database, proxy: BoltProxy, graph: str, code: str
) -> None:
    write = query("MERGE (d:KgDecision {id: $graph, graph: $graph}) RETURN count(d) AS n")
    proxy.refuse(code, COMMIT, times=1)
    try:
        assert through.write(write, graph=graph) == [{"n": 1}]
        assert proxy.refused == 1
        found = through.read(query("MATCH (d:KgDecision {graph: $graph}) RETURN count(d) AS n", "read"), graph=graph)
        assert found == [{"n": 1}]
    finally:
        delete_graph(through, graph)


@pytest.mark.slow
def test_a_leader_that_changes_in_a_load_costs_nothing(
    database: Database, proxy: BoltProxy, offline: Settings, managed: Settings, note: str, graph: str
) -> None:
    load([note], settings=offline, options=OPTIONS)
    wanted = dump(database, graph)
    delete_graph(database, graph)
    for code in TRANSIENT:
        proxy.refuse(code, COMMIT, times=1)
    load([note], settings=managed, options=OPTIONS)
    assert proxy.refused == len(TRANSIENT)
    assert dump(database, graph) == wanted


def test_a_member_that_is_never_the_leader_leads_to_the_address_of_the_cluster(
    through: Database, proxy: BoltProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "RETRY_TIME_S", 0.0)
    proxy.refuse("Neo.ClientError.Cluster.NotALeader", RUN)
    with pytest.raises(DatabaseReadOnly) as failed:
        through.write(query("MERGE (d:KgDecision {id: 'never'})"))
    assert "neo4j+s://" in str(failed.value.hint)


def test_a_login_that_has_expired_is_not_repeated(through: Database, proxy: BoltProxy) -> None:
    proxy.refuse("Neo.ClientError.Security.TokenExpired", RUN)
    with pytest.raises(AuthenticationFailed, match="expired"):
        through.read(query("RETURN 1 AS n", "read"))
    assert proxy.refused == 1


def test_idle_connections_are_tried_before_they_are_used(through: Database) -> None:
    assert through.driver._pool.pool_config.liveness_check_timeout == databases.IDLE_S


# ------------------------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize(
    "code",
    [
        "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
        "Neo.ClientError.General.TransactionOutOfMemoryError",
        "Neo.TransientError.General.TransactionMemoryLimit",
        "Neo.ClientError.Transaction.TransactionTimedOut",
    ],
)
def test_a_write_that_is_more_than_the_server_allows_is_halved(
    through: Database, proxy: BoltProxy, graph: str, code: str
) -> None:
    proxy.refuse(code, COMMIT, times=1 if code.endswith("TimedOut") else 2)
    sizes: list[int] = []

    def write(transaction: databases.Transaction, some: object) -> None:
        assert isinstance(some, list)
        sizes.append(len(some))
        rows = query("UNWIND $ids AS id MERGE (:KgDecision {id: $graph + id, graph: $graph})")
        transaction.run(rows, ids=some, graph=graph)

    try:
        through.write_parts(["a", "b", "c", "d"], write)
        assert sizes == ([4, 2, 2] if code.endswith("TimedOut") else [4, 4, 2, 2])
    finally:
        assert databases.swept(through.write, queries.get("write/delete_graph"), 3, graph=graph) == 4


def test_deletes_take_fewer_nodes_at_a_time(through: Database, proxy: BoltProxy, graph: str) -> None:
    through.write(query("UNWIND range(1, 9) AS n CREATE (:KgDecision {id: $graph + n, graph: $graph})"), graph=graph)
    proxy.refuse("Neo.ClientError.Transaction.TransactionTimedOut", COMMIT, times=2)
    assert databases.swept(through.write, queries.get("write/delete_graph"), 8, graph=graph) == 9
    assert proxy.refused == 2


@pytest.mark.slow
def test_communities_that_are_too_much_for_one_transaction_are_written_in_several(
    database: Database, proxy: BoltProxy, offline: Settings, managed: Settings, note: str, graph: str
) -> None:
    load([note], settings=offline)
    wanted = dump(database, graph)
    assert '"Community"' in wanted
    delete_graph(database, graph)
    code = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
    proxy.refuse(code, RUN, "Write what analytics found on entities", times=2)
    report = load([note], settings=managed)
    assert proxy.refused == 2
    assert not [note for note in report.notes if "no communities" in note]
    assert dump(database, graph) == wanted


# ------------------------------------------------------------------------------------------------------------- rights


def test_a_user_who_may_not_change_the_schema_loads_where_it_stands(
    database: Database, proxy: BoltProxy, offline: Settings, managed: Settings, note: str, graph: str
) -> None:
    load([note], settings=offline, options=OPTIONS)
    wanted = dump(database, graph)
    delete_graph(database, graph)
    proxy.refuse(FORBIDDEN, RUN, *SCHEMA, message=NO_SCHEMA)
    load([note], settings=managed, options=OPTIONS)
    assert dump(database, graph) == wanted
    assert proxy.refused == 0


def test_a_user_who_may_not_change_the_schema_learns_what_an_administrator_has_to_run(
    database: Database, proxy: BoltProxy, managed: Settings, note: str, run_kg: RunKg
) -> None:
    ensure_constraints(database)
    run = printing(run_kg, managed)
    proxy.refuse(FORBIDDEN, RUN, *SCHEMA, message=NO_SCHEMA)
    database.schema(query("DROP INDEX kg_own_fact_relationship"))
    try:
        code, said = run("load", note, "--no-analytics")
        assert code == 4
        assert "CREATE INDEX kg_own_fact_relationship" in said
        assert "CREATE INDEX kg_own_treenode_tree" not in said  # it stands
        assert "`kg db schema`" in said
        assert proxy.refused == 1
        code, statements = run("db", "schema")
        assert code == 0
        for each in re.findall(r"CREATE INDEX kg_own_fact_relationship [^;]*", statements):
            database.schema(query(each))
        assert run("load", note, "--no-analytics")[0] == 0
    finally:
        ensure_constraints(database)
        delete_graph(database, managed.graph)


def test_the_printed_schema_is_all_that_a_load_makes(database: Database, offline: Settings, note: str) -> None:
    from kg_neo4j import factory
    from kg_neo4j.organise import search_indexes

    load([note], settings=offline, options=OPTIONS)
    made = {str(row["name"]) for row in database.read(queries.get("write/standing_indexes"))}
    statements = search_indexes.statements(factory.embedding_model(offline))
    named = {each.split()[3 if each.split()[1] in ("FULLTEXT", "VECTOR") else 2] for each in statements}
    assert len(named) == len(statements)
    assert named <= made
    assert {each for each in made if each.startswith("kg_")} <= named
    for each in statements:
        database.schema(query(each))  # a statement that a server runs, and that changes nothing


@pytest.mark.parametrize(
    ("message", "grant"),
    [
        ("Create node with labels 'KgLease' on database 'neo4j' is not allowed for user 'a'.", "GRANT WRITE ON GRAPH"),
        ("Write operations are not allowed for user 'a' with roles [reader].", "GRANT WRITE ON GRAPH"),
        ("Creating new node label is not allowed for user 'a'.", "GRANT NAME MANAGEMENT"),
        ("Executing procedure is not allowed for user 'a'.", "GRANT EXECUTE PROCEDURE"),
        ("Show indexes on database 'neo4j' is not allowed for user 'a'.", "GRANT SHOW INDEX"),
        ("Database access is not allowed for user 'a'.", "GRANT ACCESS"),
        ("Read operations are not allowed for user 'a'.", "GRANT MATCH {*}"),
        (NO_SCHEMA, "GRANT CONSTRAINT MANAGEMENT"),
    ],
)
def test_a_right_that_is_missing_is_named(through: Database, proxy: BoltProxy, message: str, grant: str) -> None:
    proxy.refuse(FORBIDDEN, RUN, message=message)
    with pytest.raises(RightMissing, match=re.escape(message)) as failed:
        through.read(query("RETURN 1 AS n", "read"))
    assert grant in str(failed.value.hint)


def test_a_reader_asks_and_a_load_is_refused_before_anything_is_written(
    database: Database, proxy: BoltProxy, offline: Settings, managed: Settings, note: str, tmp_path: Path
) -> None:
    load([note], settings=offline, options=OPTIONS)
    wanted = dump(database, offline.graph)
    message = "Create node with labels 'KgLease' on database 'neo4j' is not allowed for user 'neo4j'."
    proxy.refuse(FORBIDDEN, RUN, "MERGE ", "CREATE ", " SET ", "DELETE ", message=message)
    assert "Graz" in ask("Where did Karl Braun live?", settings=managed, mode="naive").text
    assert proxy.refused == 0
    (tmp_path / "new.txt").write_text("Ewa Lis lived in Gdynia.", "utf-8")
    with pytest.raises(RightMissing, match="may not write"):
        load([str(tmp_path / "new.txt")], settings=managed, options=OPTIONS)
    assert dump(database, offline.graph) == wanted


def test_the_rights_on_the_page_are_statements_of_neo4j(database: Database) -> None:
    """Only Neo4j Enterprise runs them; the community edition reads them, and says that it does not support them."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "own-neo4j.md").read_text("utf-8")
    statements = [each for each in page.splitlines() if each.startswith(("GRANT ", "CREATE ROLE", "CREATE USER"))]
    assert len(statements) >= 8
    for each in statements:
        with database.driver.session(database="system") as session, pytest.raises(neo4j.exceptions.Neo4jError) as said:
            session.run(each.rstrip(";")).consume()
        assert str(said.value.code).endswith("UnsupportedAdministrationCommand"), each


# --------------------------------------------------------------------------------------------------------------- cuts


@pytest.mark.long
@pytest.mark.parametrize("reply", [False, True], ids=["before the server", "after the server"])
def test_a_connection_that_breaks_at_twenty_places_of_a_load_costs_nothing(
    database: Database, proxy: BoltProxy, offline: Settings, managed: Settings, graph: str, reply: bool
) -> None:
    story = str(Path(__file__).resolve().parents[2] / "examples" / "the_lamp_at_skarnes.md")
    load([story], settings=offline)
    wanted = dump(database, graph)
    delete_graph(database, graph)
    begun = len(proxy.sent)
    load([story], settings=managed)
    messages = len(proxy.sent) - begun
    assert dump(database, graph) == wanted
    places = [10 + number * messages * 9 // 200 for number in range(20)]  # up to nine tenths of the load
    for number in range(4):  # five of them in each of four loads
        delete_graph(database, graph)
        proxy.cut_at(*places[number::4], reply=reply)
        for _ in range(6):  # a read whose first rows were used is not repeated: the same command goes on
            try:
                load([story], settings=managed)
            except DatabaseError:
                continue
            break
        assert dump(database, graph) == wanted
    assert proxy.cuts == 20
