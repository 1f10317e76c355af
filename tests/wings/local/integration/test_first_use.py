"""A server on which nothing was ever loaded: whatever reads says so and what to do; no missing index is an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kg_neo4j import Settings
from kg_runner import RunKg, printing
from private_server import PrivateServer

Run = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def unused(other_server: PrivateServer) -> Settings:
    """Settings of a server that knows not even the names of our labels and properties."""
    with other_server.connect() as database:
        assert not database.driver.execute_query("CALL db.propertyKeys()").records
    return other_server.aside("main")


@pytest.fixture
def run(unused: Settings, run_kg: RunKg) -> Run:
    """Run `kg` on it and return its exit code and all that it said."""
    return printing(run_kg, unused)


@pytest.mark.parametrize(
    "command",
    [
        *(["ask", "Who was Ada Lovelace?", "--mode", mode] for mode in ("auto", "local", "naive", "tree", "cypher")),
        ["ask", "What are the main themes?", "--mode", "global"],
        ["chat"],
        ["search", "Ada"],
        ["show", "Ada Lovelace"],
        ["documents"],
        ["report", "most-connected"],
        ["report", "nodes-by-type"],
        ["quarantine"],
        ["resolve", "--list"],
        ["resolve", "--dry-run"],
        ["rebuild"],
        ["communities"],
        ["communities", "--reports"],
        ["tree"],
        ["tree", "--dry-run"],
        ["unload", "nothing.md"],
        ["export", "graph.jsonl"],
    ],
    ids=" ".join,
)
def test_what_reads_says_that_there_is_no_graph_and_what_makes_one(
    run: Run, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = run(*command)
    assert code == 2, said
    assert "no graph is called 'main'" in said
    assert "`kg load --graph NAME` makes a graph; there is none yet" in said
    assert list(tmp_path.iterdir()) == []


def test_the_lists_of_graphs_are_empty_and_the_doctor_is_content(run: Run) -> None:
    for command in (["graphs"], ["graphs", "list"], ["status"], ["doctor"], ["db", "indexes"]):
        code, said = run(*command)
        assert code == 0, (command, said)
        assert "Neo." not in said
