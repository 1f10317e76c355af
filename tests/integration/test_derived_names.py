"""Names that a load derives: joins and aliases are the same whatever the way to the graph, and an undo wins."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from kg_neo4j import LoadOptions, Settings, load, unload
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.rebuild import rebuild
from kg_neo4j.pipeline.commands.resolve import ResolveOptions, decisions, resolve, undo

OPTIONS = LoadOptions(analytics=False, vectors=False)
TEXTS = {
    "chopin.txt": "Frédéric Chopin was born in Poland. He lived in Paris.\n\nGeorge Sand met Frédéric Chopin in Paris.",
    "letters.txt": "Frederic Chopin wrote to Paul Langevin in 1840.\n\nPaul Langevin lived in Nohant.",
    "sister.txt": "Ludwika Chopin was a sister of Frédéric Chopin. She lived in Warsaw.",
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    return {name: str(tmp_path / name) for name in TEXTS}


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def names(database: Database, graph: str) -> dict[str, list[str]]:
    read = (json.loads(line) for line in lines(database, graph))
    return {
        each["properties"]["name"]: each["properties"].get("aliases", [])
        for each in read
        if "Entity" in each.get("labels", ())
    }


def test_a_load_joins_what_is_surely_one_and_gives_it_its_names(
    database: Database, offline: Settings, files: dict[str, str]
) -> None:
    report = load([files["chopin.txt"], files["letters.txt"]], settings=offline, options=OPTIONS)
    assert any("joined" in note for note in report.notes)
    found = names(database, offline.graph)
    assert found["Frederic Chopin"] == ["Frédéric Chopin", "Chopin"]  # of equally frequent spellings the smallest
    assert found["Paul Langevin"] == ["Langevin"]
    assert "Frédéric Chopin" not in found
    again = load([files["chopin.txt"], files["letters.txt"]], settings=offline, options=OPTIONS)
    assert (again.changes, again.notes) == (0, ())
    assert resolve(settings=offline, options=ResolveOptions(analytics=False)).decisions == ()


def test_every_order_of_loads_an_unload_and_a_rebuild_give_one_graph(
    database: Database, offline: Settings, files: dict[str, str]
) -> None:
    graph = offline.graph
    load(sorted(files.values()), settings=offline, options=OPTIONS)
    wanted = dump(database, graph)
    assert "Chopin" not in names(database, graph)["Frédéric Chopin"]  # Ludwika bears it as well
    for order in list(itertools.permutations(sorted(files.values())))[1:4]:
        delete_graph(database, graph)
        for file in order:
            load([file], settings=offline, options=OPTIONS)
        assert dump(database, graph) == wanted
    delete_graph(database, graph)
    load([files["chopin.txt"], files["letters.txt"]], settings=offline, options=OPTIONS)
    fewer = names(database, graph)
    assert "Chopin" in fewer["Frederic Chopin"]
    load([files["sister.txt"]], settings=offline, options=OPTIONS)
    assert dump(database, graph) == wanted
    unload("sister.txt", settings=offline)
    assert names(database, graph) == fewer
    load([files["sister.txt"]], settings=offline, options=LoadOptions(analytics=False))
    rebuild(settings=offline)
    assert names(database, graph)["Frédéric Chopin"] == ["Frederic Chopin"]


def test_what_somebody_takes_back_stays_so(database: Database, offline: Settings, files: dict[str, str]) -> None:
    both = [files["chopin.txt"], files["letters.txt"]]
    load(both, settings=offline, options=OPTIONS)
    (joined,) = (each for each in decisions(settings=offline) if each.derived)
    undo(joined.decision.id[:10], settings=offline, analytics=False)
    apart = names(database, offline.graph)
    assert {"Frédéric Chopin", "Frederic Chopin"} <= apart.keys()
    assert load(both, settings=offline, options=OPTIONS).changes == 0
    assert names(database, offline.graph) == apart
    assert [each.derived for each in decisions(settings=offline)] == [False]
    unload("letters.txt", settings=offline)
    load(both, settings=offline, options=OPTIONS)
    assert names(database, offline.graph) == apart


def test_a_join_goes_with_its_evidence(database: Database, offline: Settings, files: dict[str, str]) -> None:
    load([files["chopin.txt"]], settings=offline, options=OPTIONS)
    before = names(database, offline.graph)
    load([files["letters.txt"]], settings=offline, options=OPTIONS)
    assert len(decisions(settings=offline)) == 1
    unload("letters.txt", settings=offline)
    assert decisions(settings=offline) == ()
    assert names(database, offline.graph) == before


def test_what_names_are_derived_from_takes_no_memory_of_the_server_in_proportion_to_the_graph(
    database: Database, graph: str
) -> None:
    """A million documents need some 2 GB where they are sorted or facts are grouped, which is more than a heap."""
    made = """
    UNWIND range(1, $count) AS n
    CREATE (:KgDocument {id: $graph + n, graph: $graph, key: 'k' + n, title: 't' + n, schema: 'lean'}),
           (:KgFact {id: $graph + 'f' + n, graph: $graph, source_key: 'a' + n, target_key: 'b' + n, type: 'KNEW'})
    """
    with database.driver.session() as session:
        session.run(made, graph=graph, count=2_000).consume()
        for name in ("write/document_versions", "write/resolve_facts"):
            result = session.run(f"PROFILE {queries.get(name).text}", graph=graph)
            assert list(result)
            profile = result.consume().profile
            assert profile
            assert profile["args"]["GlobalMemory"] < 200_000, name
