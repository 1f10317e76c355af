"""What a shell completes from a running database: graphs, documents and types; in a process, as bash asks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kg_neo4j import KnowledgeGraph
from kg_neo4j.pipeline.commands.graphs import delete_graph
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.settings import Settings
from kg_runner import environment_of

TEXT = "Ada Lovelace was born in London on 10 December 1815. Ada Lovelace met Charles Babbage in 1833."
Complete = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def named(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    folder = tmp_path_factory.mktemp("completed")
    (folder / "ada lovelace.txt").write_text(TEXT, "utf-8")
    (folder / "plain.txt").write_text(f"{TEXT} Charles Babbage was a mathematician.", "utf-8")
    settings = shared.model_copy(update={"graph": f"{shared.graph}-completed"})
    with KnowledgeGraph(settings.graph, settings=settings) as graph:
        graph.load(folder, options=LoadOptions(analytics=False))
    yield settings
    delete_graph(settings=settings)


@pytest.fixture
def complete(named: Settings, tmp_path: Path) -> Complete:
    """Return the completions of the last word of a line, on the server of the tests."""

    def completed(line: str) -> list[str]:
        asked = {"_KG_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        environment = {**os.environ, **environment_of(named), "KG_HOME": str(tmp_path / "home"), **asked}
        command = [sys.executable, "-m", "kg_neo4j"]
        for _ in range(5):  # a busy machine gives nothing within a second
            ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            assert ran.stderr == ""
            if found := [each for each in ran.stdout.split("\n") if each]:
                return found
        return []

    return completed


def test_names_of_the_graph_are_completed(complete: Complete, named: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = named.graph
    assert complete(f"kg ask x --graph {graph}") == [graph]
    assert complete(f"kg graphs delete {graph[:-1]}") == [graph]
    assert complete(f"kg ask x -g {graph} --type PER") == ["PERSON"]
    assert complete(f"kg ask x -g {graph} --document pl") == ["plain"]
    assert complete(f"kg ask x -g {graph} --document ad") == [r"ada\ lovelace"]
    assert complete(f"kg ask x -g {graph}-none --document ") == []
