"""An index that a search needs and that is not there is an error that names it; one command makes it again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kg_neo4j import LoadOptions, Settings, ask, factory, load, tree, unload
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.errors import SchemaConflict
from kg_neo4j.graph import constraints, queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.organise import search_indexes
from kg_runner import RunKg, printing

TEXT = "Anna Weber met Karl Braun in Vienna in 1901. Karl Braun lived in Vienna. Marie Curie worked in Paris."
QUESTION = "Who lived in Vienna?"
Run = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def embedder(shared: Settings) -> EmbeddingModel:
    return factory.embedding_model(shared)


@pytest.fixture(scope="module")
def one_text(shared: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A graph with one text."""
    text = tmp_path_factory.mktemp("texts") / "a.txt"
    text.write_text(TEXT, "utf-8")
    load([str(text)], settings=shared, options=LoadOptions(analytics=False))
    assert ask(QUESTION, settings=shared).found
    return shared


@pytest.fixture
def loaded(database: Database, one_text: Settings, embedder: EmbeddingModel) -> Iterator[Settings]:
    """A graph with one text; all indexes are made again after each test."""
    before = standing(database)
    yield one_text
    delete_graph(database, other_of(one_text).graph)
    search_indexes.repair(database, embedder)
    assert before <= standing(database)


@pytest.fixture
def run(loaded: Settings, run_kg: RunKg) -> Run:
    """Run `kg` on that graph and return its exit code and all that it printed."""
    return printing(run_kg, loaded)


def standing(database: Database) -> set[str]:
    return {each.name for each in search_indexes.list_indexes(database)}


def other_of(settings: Settings) -> Settings:
    return settings.model_copy(update={"graph": f"{settings.graph}-other"})


def drop(database: Database, name: str) -> None:
    database.schema(queries.get("write/drop_index"), name=name)


def name_of(kind: str, label: str, embedder: EmbeddingModel) -> str:
    if kind == "vector":
        return constraints.vector_index_name(label, embedder)
    return search_indexes.fulltext_index_name(label)


@pytest.mark.parametrize(
    ("mode", "kind", "label"),
    [
        ("naive", "vector", "Chunk"),
        ("naive", "fulltext", "Chunk"),
        ("local", "vector", "Entity"),
        ("local", "vector", "Passage"),
        ("local", "fulltext", "Entity"),
        ("local", "fulltext", "Fact"),
        ("auto", "fulltext", "Document"),
        ("auto", "vector", "Chunk"),
        ("cypher", "fulltext", "Entity"),
    ],
)
def test_a_question_is_not_answered_without_an_index_that_it_needs(
    database: Database, embedder: EmbeddingModel, run: Run, mode: str, kind: str, label: str
) -> None:
    name = name_of(kind, label, embedder)
    drop(database, name)
    code, printed = run("ask", "Who met Karl Braun?" if mode == "cypher" else QUESTION, "--mode", mode)
    assert code == 4, printed
    assert name in printed
    assert "missing" in printed
    assert "kg db indexes" in printed


@pytest.mark.parametrize(("mode", "kind", "label"), [("local", "vector", "Entity"), ("naive", "fulltext", "Chunk")])
def test_the_command_that_is_named_makes_a_missing_index_again(
    database: Database, loaded: Settings, embedder: EmbeddingModel, run: Run, mode: str, kind: str, label: str
) -> None:
    whole = list(lines(database, loaded.graph))
    name = name_of(kind, label, embedder)
    drop(database, name)
    assert run("ask", QUESTION, "--mode", mode)[0] == 4
    code, printed = run("db", "indexes", "--json")
    assert (code, json.loads(printed)["created"]) == (0, [name])
    assert run("ask", QUESTION, "--mode", mode)[0] == 0
    assert ask(QUESTION, settings=loaded).found
    assert run("db", "indexes") == (0, "all indexes are online\n")
    assert list(lines(database, loaded.graph)) == whole


def test_an_index_over_the_vectors_of_facts_is_made_where_it_is_asked_for(
    database: Database, loaded: Settings, embedder: EmbeddingModel, run: Run
) -> None:
    name = name_of("vector", "Fact", embedder)
    assert name not in {each.name for each in search_indexes.list_indexes(database)}
    before = ask(QUESTION, settings=loaded)
    code, printed = run("db", "indexes", "--facts", "--json")
    assert (code, json.loads(printed)["created"]) == (0, [name])
    nearest = (
        "MATCH (f:Fact {graph: $graph}) WITH f LIMIT 1 "
        "CALL db.index.vector.queryNodes($name, 1, f.embedding) YIELD score RETURN score"
    )
    rows = database.driver.execute_query(nearest, graph=loaded.graph, name=name).records
    assert rows[0]["score"] > 0.99
    assert ask(QUESTION, settings=loaded).citations == before.citations
    assert run("db", "indexes") == (0, "all indexes are online\n")  # it stays
    drop(database, name)
    assert run("db", "indexes") == (0, "all indexes are online\n")  # and is not missed


@pytest.mark.parametrize("kind", ["vector", "fulltext"])
def test_a_tree_is_not_read_without_an_index_over_its_nodes(
    database: Database, loaded: Settings, embedder: EmbeddingModel, run: Run, kind: str
) -> None:
    tree(settings=loaded)
    name = name_of(kind, "TreeNode", embedder)
    drop(database, name)
    code, printed = run("ask", QUESTION, "--mode", "tree")
    assert code == 4, printed
    assert name in printed
    assert run("ask", QUESTION, "--mode", "naive")[0] == 0  # it reads no tree


def test_a_conversation_says_which_index_is_missing(database: Database, run: Run) -> None:
    drop(database, "kg_chunk_text")
    code, printed = run("chat", typed=f"{QUESTION}\n")
    assert "kg_chunk_text" in printed
    assert "No answer found" not in printed
    assert code in (0, 4)


@pytest.mark.parametrize(("state", "words"), [("FAILED", "could not be filled"), ("POPULATING", "not filled yet")])
def test_an_index_that_is_not_online_counts_as_missing(
    loaded: Settings, monkeypatch: pytest.MonkeyPatch, state: str, words: str
) -> None:
    whole = search_indexes.list_indexes

    def listed(database: Database) -> tuple[search_indexes.SearchIndex, ...]:
        found = whole(database)
        return tuple(replace(each, state=state) if each.name == "kg_chunk_text" else each for each in found)

    monkeypatch.setattr(search_indexes, "list_indexes", listed)
    with pytest.raises(SchemaConflict, match=words) as caught:
        ask(QUESTION, settings=loaded)
    assert "kg_chunk_text" in str(caught.value)
    assert "kg db indexes" in (caught.value.hint or "")


def test_an_empty_graph_and_a_graph_without_vectors_need_no_vector_index(
    database: Database, loaded: Settings, embedder: EmbeddingModel, tmp_path: Path
) -> None:
    """The indexes are those of the database: what another graph has does not matter."""
    other = other_of(loaded)
    (tmp_path / "b.txt").write_text(TEXT, "utf-8")
    load([str(tmp_path / "b.txt")], settings=other, options=LoadOptions(analytics=False, vectors=False))
    unload("b.txt", settings=other)
    for label in search_indexes.LABELS:
        drop(database, name_of("vector", label, embedder))
    found = ask(QUESTION, settings=other)
    assert not found.found
    assert any("load something first" in note for note in found.notes)
    load([str(tmp_path / "b.txt")], settings=other, options=LoadOptions(analytics=False, vectors=False))
    assert ask(QUESTION, settings=other).found
    with pytest.raises(SchemaConflict, match="vector"):
        ask(QUESTION, settings=loaded)


def test_what_lists_needs_no_search_index(
    database: Database, loaded: Settings, embedder: EmbeddingModel, run: Run, tmp_path: Path
) -> None:
    del loaded
    for label in search_indexes.LABELS:
        drop(database, name_of("vector", label, embedder))
    for label in search_indexes.WORDED:
        drop(database, name_of("fulltext", label, embedder))
    for command in (["documents"], ["report", "most-connected"], ["export", str(tmp_path / "g.jsonl")]):
        code, printed = run(*command)
        assert code == 0, printed
    assert "Vienna" in run("report", "most-connected")[1]
