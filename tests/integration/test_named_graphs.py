"""A graph that there is not is refused at every door, with near names; only a load makes one, and reports it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kg_neo4j import KnowledgeGraph, LoadOptions, NoSuchGraph, ask
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.pipeline.commands.graphs import delete_graph
from kg_neo4j.settings import Settings
from kg_runner import Kg

TEXT = "Ada Lovelace was born in London on 10 December 1815. Ada Lovelace met Charles Babbage in 1833."

READ = {
    "ask": lambda kg: kg.ask("Who met Ada Lovelace?"),
    "search": lambda kg: kg.search("Ada"),
    "entity": lambda kg: kg.entity("Ada Lovelace"),
    "report": lambda kg: kg.report("most-connected"),
    "query": lambda kg: kg.query("RETURN 1"),
    "to_pandas": lambda kg: kg.to_pandas(),
    "communities": lambda kg: kg.communities(),
    "status": lambda kg: kg.status(),
    "verify": lambda kg: kg.verify("Ada Lovelace was born in London."),
    "resolve": lambda kg: kg.resolve(),
    "unload": lambda kg: kg.unload("ada.txt"),
    "copy": lambda kg: kg.copy("other"),
    "corrections": lambda kg: kg.corrections.all(),
}
COMMANDS = (
    "ask who --graph",
    "search Ada --graph",
    "show Ada --graph",
    "report most-connected --graph",
    "documents --graph",
    "communities --graph",
    "export out.jsonl --graph",
    "export out.csv --graph",
    "export out.tar --archive --graph",
    "plot out.html --graph",
    "types --graph",
    "fact list --graph",
    "quarantine --graph",
    "resolve --graph",
    "rebuild --graph",
    "unload ada.txt --graph",
    "status --graph",
    "graphs delete --yes",
    "chat --graph",
    "fact wrong Ada BORN_IN London --because x --graph",
    "fact add Ada BORN_IN London --because x --graph",
    "verify ada.txt --graph",
)


@pytest.fixture
def source(offline: Settings, tmp_path: Path) -> Path:
    source = tmp_path / "ada.txt"
    source.write_text(TEXT, "utf-8")
    with KnowledgeGraph(settings=offline) as kg:
        kg.load(source)
    return source


def graphs_of(database: Database) -> list[str]:
    return [row["graph"] for row in database.read(queries.get("write/named_graphs"))]


@pytest.mark.parametrize("how", READ)
def test_python_refuses_a_graph_that_there_is_not(
    source: Path, offline: Settings, database: Database, how: str
) -> None:
    call: Callable[[KnowledgeGraph], object] = READ[how]
    typo, before = offline.graph + "x", graphs_of(database)
    with KnowledgeGraph(typo, settings=offline) as kg, pytest.raises(NoSuchGraph) as refused:
        call(kg)
    assert f"no graph is called {typo!r}; did you mean {offline.graph!r}?" in str(refused.value)
    assert offline.graph in refused.value.known
    assert graphs_of(database) == before


def test_every_command_refuses_a_graph_that_there_is_not(
    source: Path, offline: Settings, database: Database, kg: Kg, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source.parent)
    typo, before, found = offline.graph + "x", graphs_of(database), {}
    for each in COMMANDS:
        code, _, err = kg(*each.split(), typo)
        if code != 2 or f"did you mean {offline.graph!r}?" not in err:
            found[each] = (code, err)
    assert found == {}
    assert graphs_of(database) == before


def test_a_load_makes_a_graph_and_reports_it(source: Path, offline: Settings, database: Database, kg: Kg) -> None:
    typo = offline.graph + "x"
    code, out, err = kg("load", str(source), "--graph", typo, "--dry-run")
    assert (code, typo in graphs_of(database)) == (0, False)
    note = f"graph {typo!r} is new; did you mean {offline.graph!r}?"
    assert note in out + err
    try:
        code, out, err = kg("load", str(source), "--graph", typo)
        assert code == 0
        assert note in out + err
        assert note not in "".join(kg("load", str(source), "--graph", typo)[1:])
        assert note not in "".join(kg("load", str(source))[1:])
    finally:
        delete_graph(settings=offline.model_copy(update={"graph": typo}))
    with pytest.raises(NoSuchGraph):
        ask("Who met Ada Lovelace?", settings=offline.model_copy(update={"graph": typo}))


def test_a_graph_that_was_emptied_is_still_there(source: Path, offline: Settings) -> None:
    with KnowledgeGraph(settings=offline) as kg:
        kg.unload(str(source))
        assert not kg.ask("Who met Ada Lovelace?").found
        assert kg.load(source, options=LoadOptions(vectors=False)).nodes
        assert not re.search("is new", " ".join(kg.load(source).notes))
