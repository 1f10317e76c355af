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


@pytest.mark.parametrize("mode", ["auto", "local", "naive", "global", "tree", "cypher"])
def test_a_question_finds_nothing_and_is_told_to_load_something(run: Run, mode: str) -> None:
    for question in ("Who was Ada Lovelace?", "What are the main themes?", "How many people are there?", "who was ada"):
        code, said = run("ask", question, "--mode", mode)
        assert code == 0, said
        assert "error" not in said
        assert "load something first" in said or mode == "cypher", said


def test_a_conversation_goes_on(run: Run) -> None:
    code, said = run("chat", typed="Who was Ada Lovelace?\nWhen did she die?\n")
    assert (code, "error" in said) == (0, False), said
    assert said.count("No answer found.") == 2


@pytest.mark.parametrize(
    "command",
    [
        ["documents"],
        ["report", "most-connected"],
        ["report", "nodes-by-type"],
        ["quarantine"],
        ["resolve", "--list"],
        ["rebuild"],
    ],
    ids=" ".join,
)
def test_what_lists_lists_nothing(run: Run, command: list[str]) -> None:
    code, said = run(*command)
    assert code == 0, said
    assert "Neo." not in said


@pytest.mark.parametrize(
    "command",
    [
        ["resolve", "--dry-run"],
        ["communities"],
        ["communities", "--reports"],
        ["tree"],
        ["tree", "--dry-run"],
        ["unload", "nothing.md"],
    ],
    ids=" ".join,
)
def test_what_needs_a_graph_says_so(run: Run, command: list[str]) -> None:
    code, said = run(*command)
    assert code in (1, 2), said
    assert "try:" in said
    assert "Neo." not in said


def test_an_export_is_empty(run: Run, tmp_path: Path) -> None:
    code, said = run("export", str(tmp_path / "graph.jsonl"))
    assert code == 0, said
    assert (tmp_path / "graph.jsonl").read_text(encoding="utf-8") == ""
