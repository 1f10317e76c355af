"""One writer a graph."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from kg_neo4j.errors import DatabaseUnavailable, LeaseHeld, SchemaConflict
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.lease import Lease


def test_a_second_run_is_refused_and_told_who_writes(database: Database, graph: str) -> None:
    with Lease(database, graph), pytest.raises(LeaseHeld, match="process"), Lease(database, graph):
        pass


def test_another_graph_is_free(database: Database, graph: str) -> None:
    with Lease(database, graph), Lease(database, graph + "-other"):
        pass


def test_a_lease_is_free_again_after_the_run_and_after_its_error(database: Database, graph: str) -> None:
    with pytest.raises(ZeroDivisionError), Lease(database, graph):
        raise ZeroDivisionError
    with Lease(database, graph):
        pass
    assert database.read(queries.get("write/read_lease"), graph=graph) == []


def test_a_lease_is_free_again_after_an_error_of_the_database(database: Database, graph: str) -> None:
    with pytest.raises(SchemaConflict), Lease(database, graph):
        raise SchemaConflict("two nodes of one id")
    with Lease(database, graph):
        pass


def test_a_run_that_lost_its_lease_cannot_write(database: Database, graph: str) -> None:
    with Lease(database, graph) as lost:
        taken = {"token": "t", "owner": "elsewhere:1:0", "milliseconds": 60_000}
        token = database.read(queries.get("write/read_lease"), graph=graph)[0]["token"]
        database.write(queries.get("write/take_lease"), graph=graph, dead=token, **taken)
        with pytest.raises(LeaseHeld, match="no longer"):
            database.write_transaction(lost.prove)


def test_a_lease_that_ran_out_is_taken_over(database: Database, graph: str) -> None:
    taken = {"token": "t", "owner": "elsewhere:1:0", "milliseconds": -1, "dead": ""}
    database.write(queries.get("write/take_lease"), graph=graph, **taken)
    with Lease(database, graph):
        pass


def test_a_lease_that_could_not_be_given_back_is_taken_over_by_the_same_process(database: Database, graph: str) -> None:
    with pytest.raises(DatabaseUnavailable), Lease(database, graph):
        raise DatabaseUnavailable("the server was gone")
    assert len(database.read(queries.get("write/read_lease"), graph=graph)) == 1
    with Lease(database, graph), pytest.raises(LeaseHeld), Lease(database, graph):
        pass


def test_twenty_runs_at_once_leave_one_holder(database: Database, graph: str) -> None:
    """Row 35: a MERGE race on one key, won by one."""
    start, done = threading.Barrier(20), threading.Barrier(20)

    def run(_: int) -> bool:
        start.wait()
        try:
            with Lease(database, graph):
                done.wait()
                return True
        except LeaseHeld:
            done.wait()
            return False

    with ThreadPoolExecutor(20) as crew:
        assert sum(crew.map(run, range(20))) == 1
    assert database.read(queries.get("write/read_lease"), graph=graph) == []


def test_the_lease_of_a_process_that_ended_and_was_not_waited_for_is_taken_over(database: Database, graph: str) -> None:
    """A zombie: in a container without an init process nobody waits for it."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        started = psutil.Process(process.pid).create_time()
        owner = f"{platform.node()}:{process.pid}:{started:.2f}"
        taken = {"token": "t", "owner": owner, "milliseconds": 60_000, "dead": ""}
        database.write(queries.get("write/take_lease"), graph=graph, **taken)
        with pytest.raises(LeaseHeld), Lease(database, graph):
            pass
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended; it stays a zombie
        with Lease(database, graph):
            pass


def test_the_lease_of_a_process_whose_id_another_has_now_is_taken_over(database: Database, graph: str) -> None:
    owner = f"{platform.node()}:1:12345.00"
    taken = {"token": "t", "owner": owner, "milliseconds": 60_000, "dead": ""}
    database.write(queries.get("write/take_lease"), graph=graph, **taken)
    with Lease(database, graph):
        pass


def test_the_lease_of_a_process_that_was_killed_here_is_taken_over(database: Database, graph: str) -> None:
    """Row 49: kill -9, then start again at once."""
    program = """
        import os, signal, sys
        from kg_neo4j.graph.database import Database, DatabaseAddress
        from kg_neo4j.graph.lease import Lease
        uri, user, password, graph = sys.argv[1:]
        with Lease(Database(DatabaseAddress(uri, user, password)), graph):
            os.kill(os.getpid(), signal.SIGKILL)
    """
    address = database.address
    arguments = [address.uri, address.username, address.password, graph]
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(program), *arguments], check=False)
    assert killed.returncode == -9
    assert len(database.read(queries.get("write/read_lease"), graph=graph)) == 1
    with Lease(database, graph):
        pass
