"""Two runs at once: of one graph, one is refused and told who writes; two graphs of one database do not meet.

Rows 49 and 50 of the test plan, with real processes.

Mutants seen to turn this red: the lease taken without looking who has it; a dead process taken for a living one; ids
that do not hash the graph.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crash_points import CrashPoints, Run
from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines

TEXT = "\n\n".join(
    [
        "Anna Weber met Karl Braun in Vienna. Karl Braun taught Anna Weber.",
        "Anna Weber wrote to Marie Curie in Paris. Marie Curie answered Anna Weber.",
        "Karl Braun left Vienna for Paris. Paris welcomed Karl Braun.",
    ]
)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


@pytest.fixture
def given(environment: Mapping[str, str], llm: FakeLlm) -> dict[str, str]:
    return {**environment, "OPENAI_BASE_URL": llm.url, "KG_MODEL": "scripted", "KG_MODEL_CONCURRENCY": "1"}


@pytest.fixture
def note(tmp_path: Path) -> str:
    path = tmp_path / "note.txt"
    path.write_text(TEXT, "utf-8")
    return str(path)


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def test_the_second_run_says_who_writes_and_goes_on_when_the_first_is_killed(
    database: Database, graph: str, given: Mapping[str, str], runner: CrashPoints, llm: FakeLlm, note: str
) -> None:
    arguments = ["load", note, "--chunk-tokens", "24", "--no-analytics", "--gleanings", "1"]

    def second() -> Run:
        return runner.run(arguments, given)

    assert second().exit_code == 0
    wanted, needed = dump(database, graph), llm.calls
    delete_graph(database, graph)
    for file in Path(given["KG_CACHE"]).glob("*"):
        file.unlink()
    llm.answer(2).hang()
    with subprocess.Popen([sys.executable, "-m", "kg_neo4j", *arguments], env=dict(given)) as first:
        llm.wait_for_calls(needed + 3)
        before = ""
        while before != (before := dump(database, graph)):  # the first run may still write what was answered
            time.sleep(3)
        refused = second()
        assert refused.exit_code == 4
        assert f"process {first.pid}" in refused.output
        assert "try:" in refused.output
        assert llm.calls == needed + 3
        assert dump(database, graph) == before
        os.kill(first.pid, signal.SIGKILL)
        os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)  # it has ended; nobody has waited for it yet
        assert second().exit_code == 0
    assert dump(database, graph) == wanted
    assert llm.calls <= 2 * needed + 1


def test_two_runs_on_two_graphs_of_one_database_are_as_if_alone(
    database: Database, graph: str, settings: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    graphs = [f"{graph}-{number}" for number in range(2)]
    both = tmp_path / "both.txt"
    both.write_text(TEXT, "utf-8")
    chosen = {"openai_base_url": llm.url, "model": "scripted", "embedding_model": None}
    online = {name: Settings(**{**settings.model_dump(), **chosen, "graph": name}) for name in graphs}
    others = {}
    for name in graphs:
        others[name] = tmp_path / f"{name}.txt"
        others[name].write_text(f"{TEXT.replace('Vienna', name.title())}\n\nMarie Curie met Karl Braun.", "utf-8")

    def run(name: str) -> str:
        options = LoadOptions(chunk_tokens=24, gleanings=0)
        load([str(both), str(others[name])], settings=online[name], options=options)
        return dump(database, name)

    try:
        alone = [run(name) for name in graphs]
        for name in graphs:
            delete_graph(database, name)
        with ThreadPoolExecutor(2) as crew:
            together = list(crew.map(run, graphs))
        assert together == alone
        delete_graph(database, graphs[0])
        assert dump(database, graphs[0]) == ""
        assert dump(database, graphs[1]) == alone[1]
    finally:
        for name in graphs:
            delete_graph(database, name)
