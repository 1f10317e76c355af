"""A database that may not be written: what reads works, what writes is refused before a model is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.errors import DatabaseReadOnly
from kg_runner import RunKg, printing
from private_server import PrivateServer

Run = Callable[..., tuple[int, str]]
TEXT = "Anna Weber met Karl Braun in Vienna in 1901. Karl Braun lived in Vienna. Marie Curie worked in Paris."


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[Settings]:
    """Settings of a server of its own with one text; its database is read-only."""
    folder = tmp_path_factory.mktemp("read-only")
    (folder / "a.txt").write_text(TEXT, "utf-8")
    with PrivateServer(folder / "home", settings) as server:
        load([str(folder / "a.txt")], settings=server.start().aside("main"))
        server.stop()
        yield server.start(server__databases__read_only="neo4j").aside("main")


@pytest.fixture
def run(closed: Settings, run_kg: RunKg) -> Run:
    """Run `kg` on it and return its exit code and all that it printed."""
    return printing(run_kg, closed)


@pytest.mark.parametrize("mode", ["auto", "local", "naive", "global", "tree", "cypher"])
def test_a_question_is_answered(run: Run, mode: str) -> None:
    code, printed = run("ask", "Who lived in Vienna?", "--mode", mode)
    assert code == 0, printed
    assert "Karl Braun" in printed or mode in ("global", "tree")  # there are no reports and no trees


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["documents"], "a.txt"),
        (["report", "most-connected"], "Vienna"),
        (["report", "pagerank"], "Vienna"),
        (["communities"], "Vienna"),
        (["quarantine"], ""),
        (["search", "Karl Braun"], "Karl Braun"),
        (["show", "Karl Braun"], "Vienna"),
        (["verify", "{folder}/claim.txt"], "Karl Braun"),
        (["types"], "PERSON"),
        (["graphs"], "main"),
        (["status"], "documents"),
        (["resolve", "--list"], ""),
        (["load", "{folder}/new.txt", "--dry-run"], "to send to the model"),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each[:2]),
)
def test_what_reads_works(run: Run, tmp_path: Path, command: list[str], shown: str) -> None:
    (tmp_path / "new.txt").write_text("Ewa Lis lived in Gdynia.", "utf-8")
    (tmp_path / "claim.txt").write_text("Karl Braun lived in Vienna.", "utf-8")
    code, printed = run(*(each.format(folder=tmp_path) for each in command))
    assert code == 0, printed
    assert shown in printed


def test_a_chat_answers(run: Run) -> None:
    code, printed = run("chat", "--mode", "naive", typed="Who lived in Vienna?\n")
    assert code == 0, printed
    assert "Karl Braun" in printed


@pytest.mark.needs("kg_neo4j_serve")
def test_pages_are_served(closed: Settings) -> None:
    from served import served

    with served(closed) as client:
        for path in ("/", "/documents", "/graph", "/reports", "/ask?question=Who+lived+in+Vienna%3F"):
            answer = client.get(path, follow_redirects=True)
            assert answer.status_code == 200, f"{path}: {answer.text[:500]}"


def test_a_graph_is_exported_and_drawn(run: Run, tmp_path: Path) -> None:
    assert run("export", str(tmp_path / "g.jsonl"))[0] == 0
    assert "Vienna" in (tmp_path / "g.jsonl").read_text("utf-8")
    assert run("plot", str(tmp_path / "g.svg"))[0] == 0


def test_indexes_that_all_stand_are_reported_and_nothing_is_written(run: Run) -> None:
    assert run("db", "indexes") == (0, "all indexes are online\n")


@pytest.mark.parametrize(
    "command",
    [
        ["load", "{folder}/new.txt"],
        ["unload", "a.txt"],
        ["rebuild"],
        ["resolve"],
        ["communities", "--reports"],
        ["tree"],
        ["db", "reset", "--yes"],
    ],
    ids=" ".join,
)
def test_what_writes_is_refused_with_the_cause(run: Run, tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "new.txt").write_text("Ewa Lis lived in Gdynia.", "utf-8")
    code, printed = run(*(each.format(folder=tmp_path) for each in command))
    assert code == 4, printed
    assert "read-only" in printed
    assert "try:" in printed
    assert "Neo." not in printed


def test_no_model_is_called_before_a_load_is_refused(closed: Settings, llm: FakeLlm, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("Ewa Lis lived in Gdynia.", "utf-8")
    model = {"openai_base_url": llm.url, "openai_api_key": "k", "model": "scripted", "model_retries": 0}
    online = Settings(**{**closed.model_dump(), **model})
    with pytest.raises(DatabaseReadOnly):
        load([str(tmp_path / "new.txt")], settings=online, options=LoadOptions(analytics=False))
    assert llm.requests == []
