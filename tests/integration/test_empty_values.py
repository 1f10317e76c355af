"""No empty text and no empty list is stored: an absent property means empty."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import archived_graph
import fake_llm
import report_writer
import tree_runs
from fake_llm import FakeLlm
from kg_neo4j import Settings, TreeBuildOptions, load, tree
from kg_neo4j._models import openai_models
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import export
from kg_neo4j.pipeline.commands.communities import community_reports
from kg_neo4j.pipeline.commands.rebuild import rebuild
from kg_neo4j.pipeline.commands.resolve import ResolveOptions, resolve

TEXTS = {
    "a.md": "# Vienna\n\nAnna Weber met Karl Braun in Vienna. Karl Braun taught Anna Weber.\n\n"
    "Anna Weber wrote to Marie Curie in Paris. Marie Curie answered Anna Weber.\n",
    "b.txt": "Marie Curie worked in Paris with Pierre Curie. Pierre Curie knew Karol Braun.\n",
}
TREE = TreeBuildOptions(documents=("a.md",), summary_tokens=60)
EMPTIES = """
CALL () {
  MATCH (n) WHERE n.graph = $graph RETURN labels(n) AS kinds, properties(n) AS found
  UNION ALL
  MATCH (n)-[r]->() WHERE n.graph = $graph RETURN [type(r)] AS kinds, properties(r) AS found
}
UNWIND keys(found) AS key
WITH kinds, key, found[key] AS value
WHERE value = '' OR value = []
RETURN DISTINCT kinds, key, value ORDER BY kinds, key
"""


@pytest.fixture(autouse=True)
def scripted_vectors() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(openai_models.DIMENSIONS, archived_graph.EMBEDDING, fake_llm.DIMENSION)  # not asked for
        yield


def empties(database: Database, graph: str) -> list[Any]:
    return tree_runs.read(database, EMPTIES, graph=graph)


def exported(database: Database, graph: str) -> list[str]:
    text = io.StringIO()
    export(database, graph, text)
    return text.getvalue().splitlines()


def short(prompt: str, user: str) -> str:
    """Leave empty what a report may leave empty."""
    if report_writer.is_report_prompt(prompt):
        return report_writer.write_report(prompt, user, summary="")
    return archived_graph.say(prompt, user)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(params=["a model", "built-in models"])
def using(request: pytest.FixtureRequest, offline: Settings, llm: FakeLlm) -> Settings:
    if request.param == "built-in models":
        return offline
    online = archived_graph.online(offline, llm, offline.graph)
    llm.rules = short
    return online


@pytest.mark.slow
def test_no_empty_value_is_stored(database: Database, graph: str, using: Settings, texts: Path, tmp_path: Path) -> None:
    load([str(texts)], settings=using)
    links = tmp_path / "links.csv"
    links.write_text("name_1,type_1,name_2,type_2\nKarl Braun,PERSON,Karol Braun,PERSON\n", "utf-8")
    assert resolve(settings=using, options=ResolveOptions(must_link=links)).decisions
    community_reports(settings=using)
    tree(settings=using, options=TREE)
    assert empties(database, graph) == []
    read = tree_runs.read(database, "MATCH (e:Entity {graph: $graph}) RETURN e.aliases IS NULL AS none", graph=graph)
    assert {row["none"] for row in read} == {True, False}
    before = exported(database, graph)
    marked = "MATCH (n:Entity|Fact) WHERE n.graph = $graph SET n:Unsettled"
    tree_runs.change(database, marked, graph=graph)
    load([str(texts)], settings=using)
    rebuild(settings=using)
    assert empties(database, graph) == []
    assert exported(database, graph) == before
