"""Archive and import: all of a graph in one file, brought back into another home, where nothing is paid again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import archived_graph
import fake_llm
import tree_runs
from fake_llm import FakeLlm
from kg_neo4j import Settings, ask, export_archive, import_graph
from kg_neo4j._models import openai_models
from kg_neo4j.graph import export
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.resolve import decisions
from private_server import PrivateServer

GRAPH = "archived"


@dataclass(frozen=True)
class Home:
    """A database, and the settings that mean it."""

    database: Database
    settings: Settings

    def files(self, folder: Path) -> tuple[bytes, bytes]:
        """Return the plain export and the archive."""
        folder.mkdir()
        export.export_file(self.database, GRAPH, folder / "graph.jsonl")
        export_archive(folder / "graph.jsonl.gz", settings=self.settings)
        return (folder / "graph.jsonl").read_bytes(), (folder / "graph.jsonl.gz").read_bytes()


@pytest.fixture(scope="module")
def llm() -> Iterator[FakeLlm]:
    with pytest.MonkeyPatch.context() as patch, FakeLlm() as server:
        patch.setitem(openai_models.DIMENSIONS, archived_graph.EMBEDDING, fake_llm.DIMENSION)  # not asked for
        yield server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archived_graph.write_texts(tmp_path_factory.mktemp("sources") / "texts")


@pytest.fixture(scope="module")
def first(database: Database, settings: Settings, llm: FakeLlm, folder: Path) -> Iterator[Home]:
    """The server of the tests, where the graph is built."""
    home = Home(database, archived_graph.online(settings, llm, GRAPH))
    try:
        archived_graph.build(home.settings, folder)
        yield home
    finally:
        delete_graph(database, GRAPH)


@pytest.fixture(scope="module")
def second(other_server: PrivateServer, llm: FakeLlm) -> Iterator[Home]:
    """Another server in a home of its own, empty."""
    with other_server.connect() as database:
        yield Home(database, archived_graph.online(other_server.aside(GRAPH), llm, GRAPH))


# The export as one statement each for nodes and relationships: what reading in pages is compared with.
NODES = """
MATCH (n:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgTree|KgTreeNode)
WHERE n.graph = $graph AND NOT coalesce(n.revoked, false)
  AND NOT (n:KgAnswer AND n.kind IN ['description', 'report', 'aspects', 'summary', 'detail', 'vector'])
RETURN [label IN labels(n) WHERE NOT label STARTS WITH 'Kg'] AS labels,
       n {.*, embedding: null, fit: null, number: CASE WHEN n:KgCommunity THEN null ELSE n.number END} AS properties
ORDER BY [label IN labels(n) WHERE label IN ['Answer', 'Chunk', 'Community', 'Decision', 'Detail', 'Document', 'Entity',
                                             'Fact', 'Leaf', 'Summary', 'Tree']][0], n.id
"""
RELATIONSHIPS = """
MATCH (a:KgAnswer|KgChunk|KgCommunity|KgDecision|KgDocument|KgEntity|KgFact|KgTree|KgTreeNode)-[r]->(b)
WHERE a.graph = $graph AND b.graph = $graph
  AND NOT (a:KgAnswer AND a.kind IN ['description', 'report', 'aspects', 'summary', 'detail', 'vector'])
RETURN type(r) AS type, a.id AS start, b.id AS end, properties(r) AS properties
ORDER BY start, type, end, r.row, r.fact_id
"""


@pytest.mark.parametrize("page", [1, 7, 1_000])
def test_an_export_read_in_pages_is_the_same_as_in_one_statement(
    first: Home, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "PAGE", page)
    found = [json.loads(line) for line in export.lines(first.database, GRAPH)]
    nodes = [
        {"kind": "node", "labels": sorted(row["labels"]), "properties": kept(row["properties"])}
        for row in tree_runs.read(first.database, NODES, graph=GRAPH)
    ]
    relationships = [
        {"kind": "relationship", **row, "properties": kept(row["properties"])}
        for row in tree_runs.read(first.database, RELATIONSHIPS, graph=GRAPH)
    ]
    assert {label for node in nodes for label in node["labels"]} >= {*export.KINDS} - {"Leaf"}
    assert found == [*nodes, *relationships]


def kept(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the export has of the properties of a node or relationship."""
    return {name: value for name, value in properties.items() if value is not None and name not in export.LEFT_OUT}


def test_an_archive_in_a_new_home_is_the_graph_and_costs_nothing(
    first: Home, second: Home, llm: FakeLlm, folder: Path, tmp_path: Path
) -> None:
    plain, archive = first.files(tmp_path / "first")
    before = llm.calls
    report = import_graph(tmp_path / "first" / "graph.jsonl.gz", settings=second.settings)
    assert (report.kind, report.graph, report.absent) == ("archive", GRAPH, ())
    assert report.written == report.nodes + report.relationships > 3_000
    assert second.files(tmp_path / "second") == (plain, archive)
    assert [each.decision.revoked for each in decisions(settings=second.settings)].count(True) == 1
    again = archived_graph.repeat(second.settings, folder)
    assert (llm.calls - before, again.changes) == (0, 0)
    assert second.files(tmp_path / "third") == (plain, archive)
    answer = ask("Who was Alexander von Humboldt?", settings=second.settings)
    assert answer.citations


@pytest.mark.long
def test_a_plain_export_in_a_new_home_is_the_same_export_and_costs_vectors_and_the_names_of_aspects(
    first: Home, second: Home, llm: FakeLlm, folder: Path, tmp_path: Path
) -> None:
    plain, _ = first.files(tmp_path / "first")
    delete_graph(second.database, GRAPH)
    report = import_graph(tmp_path / "first" / "graph.jsonl", settings=second.settings)
    assert report.kind == "export"
    assert len(report.absent) == 3
    assert second.files(tmp_path / "second")[0] == plain
    before = llm.calls
    archived_graph.repeat(second.settings, folder)
    asked = [request for request in llm.requests[before:] if not request.path.endswith("/embeddings")]
    assert {tree_runs.kind_of(request.prompt) for request in asked} == {"aspects"}
    assert second.files(tmp_path / "third")[0] == plain
