"""A copy of a graph is what a load under its name would give, and calls no model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fake_llm import FakeLlm
from kg_neo4j import KnowledgeGraph, LoadOptions
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.settings import Settings
from kg_runner import Kg

TEXT = "Ada Lovelace met Charles Babbage in 1833.\n\nCharles Babbage designed the Analytical Engine.\n\n" * 8
OTHER = "---\nauthor: Mary Gray\ndate: 2024-05-06\n---\n\nWilliam King married Ada Lovelace."


@pytest.fixture
def target(database: Database, graph: str) -> Iterator[str]:
    name = f"{graph}-copy"
    yield name
    delete_graph(database, name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "notes"
    found.mkdir()
    (found / "ada.txt").write_text(TEXT, "utf-8")
    (found / "king.md").write_text(OTHER, "utf-8")
    return found


@pytest.mark.parametrize("models", ["offline", "online"])
def test_a_copy_is_what_a_load_gives(
    request: pytest.FixtureRequest,
    models: str,
    llm: FakeLlm,
    database: Database,
    folder: Path,
    tmp_path: Path,
    target: str,
) -> None:
    from kg_neo4j.pipeline.commands.rebuild import copy_graph

    settings: Settings = request.getfixturevalue(models)
    options = LoadOptions(chunk_tokens=60)
    with KnowledgeGraph(settings=settings) as kg, KnowledgeGraph(target, settings=settings) as copy:
        kg.load(folder, options=options)
        kg.export(tmp_path / "before.jsonl")
        calls = llm.calls
        report = copy_graph(target, settings=settings)
        assert (report.documents, report.usage.calls, llm.calls) == (2, 0, calls)
        assert copy_graph(target, settings=settings).changes == 0
        copy.export(tmp_path / "copy.jsonl")
        assert copy.load(folder, options=options).changes == 0
        kg.export(tmp_path / "after.jsonl")
        assert (tmp_path / "before.jsonl").read_bytes() == (tmp_path / "after.jsonl").read_bytes()
        delete_graph(database, target)
        copy.load(folder, options=options)
        copy.export(tmp_path / "loaded.jsonl")
    assert (tmp_path / "copy.jsonl").read_bytes() == (tmp_path / "loaded.jsonl").read_bytes()
    assert b'"author":"Mary Gray"' in (tmp_path / "copy.jsonl").read_bytes()


def test_a_graph_is_copied_by_a_command(kg: Kg, graph: str, folder: Path, target: str) -> None:
    assert kg("graphs", "copy", graph, target)[0] == 2  # it is empty
    assert kg("load", str(folder), "--no-analytics")[0] == 0
    code, out, err = kg("graphs", "copy", graph, target, "--json")
    assert code == 0, err
    assert json.loads(out)["documents"] == 2
    assert kg("graphs", "copy", graph, graph)[0] == 2
    assert kg("graphs", "copy", graph, "")[0] == 2
    (folder / "more.txt").write_text("Mary Somerville taught Ada Lovelace.", "utf-8")
    assert kg("load", str(folder / "more.txt"), "--graph", target, "--no-analytics")[0] == 0
    code, _, err = kg("graphs", "copy", graph, target)
    assert code == 2
    assert "holds 'more.txt'" in err
