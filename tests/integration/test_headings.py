"""Chunks are found by the title of their document, and their vectors can be made again with another model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kg_neo4j import LoadOptions, Settings, factory, load
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.errors import SchemaConflict
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.queries import Query, parse
from kg_neo4j.organise import search_indexes
from kg_neo4j.organise.vectors import text_hash
from kg_runner import RunKg, printing

PLAIN = LoadOptions(analytics=False)
RE_EMBED = LoadOptions(analytics=False, re_embed=True)
TEXT = "# Otto Lind\n\nHe was born in Askeby.\n\n## Later years\n\nHe built a mill and a bridge.\n"
OTHER = "# Karl Braun\n\nHe sold clocks in Vienna.\n"
INDEX = "kg_chunk_text"


def query(cypher: str, columns: str = "none", mode: str = "read") -> Query:
    header = f"// title: T\n// purpose: P\n// mode: {mode}\n// params: $graph STRING (graph)\n"
    return parse(f"{header}// columns: {columns}\n// order: none\n// source: test\n{cypher}", "test")


CHUNKS = query(
    "MATCH (c:Chunk {graph: $graph}) RETURN properties(c) AS chunk ORDER BY c.document_id, c.index", "chunk MAP"
)


@pytest.fixture
def own(settings: Settings, database: Database, graph: str) -> Iterator[Settings]:
    """An empty graph; the indexes of the built-in model stand again after the test."""
    found = settings.model_copy(update={"graph": graph})
    yield found
    delete_graph(database, graph)
    search_indexes.repair(database, factory.embedding_model(settings))


@pytest.fixture
def embedder(settings: Settings) -> EmbeddingModel:
    return factory.embedding_model(settings)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lind.md").write_text(TEXT, "utf-8")
    (tmp_path / "braun.md").write_text(OTHER, "utf-8")
    return tmp_path


def chunks(database: Database, graph: str) -> list[dict[str, Any]]:
    return [row["chunk"] for row in database.read(CHUNKS, graph=graph)]


def vectors(database: Database, graph: str) -> dict[str, list[float]]:
    return {chunk["id"]: chunk["embedding"] for chunk in chunks(database, graph)}


def test_a_chunk_is_found_by_the_title_and_its_text_stays(
    own: Settings, database: Database, embedder: EmbeddingModel, folder: Path
) -> None:
    load([str(folder)], settings=own, options=PLAIN)
    found = chunks(database, own.graph)
    assert {each["heading"] for each in found} >= {"Otto Lind", "Karl Braun"}
    for each in found:
        assert each["embedding_hash"] == text_hash(f"{each['heading']}\n{each['text']}", embedder)
        assert each["text"] in (TEXT[each["start"] : each["end"]], OTHER[each["start"] : each["end"]])
    mill = next(each for each in found if "mill" in each["text"])
    words = database.read(
        query(
            f"CALL db.index.fulltext.queryNodes('{INDEX}', 'lind') YIELD node WHERE node.graph = $graph "
            "RETURN node.id AS id",
            "id STRING",
        ),
        graph=own.graph,
    )
    assert mill["id"] in {row["id"] for row in words}


def test_a_new_title_is_searched_and_embedded(
    own: Settings, database: Database, embedder: EmbeddingModel, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    html = "<html><head><title>{}</title></head><body><p>He built a mill and a bridge.</p></body></html>"
    page.write_text(html.format("Otto Lind"), "utf-8")
    load([str(page)], settings=own, options=PLAIN)
    (before,) = chunks(database, own.graph)
    page.write_text(html.format("Karl Braun"), "utf-8")
    assert load([str(page)], settings=own, options=PLAIN).changes
    (after,) = chunks(database, own.graph)
    assert (before["id"], before["text"]) == (after["id"], after["text"])
    assert (before["heading"], after["heading"]) == ("Otto Lind", "Karl Braun")
    assert after["embedding_hash"] == text_hash(f"Karl Braun\n{after['text']}", embedder) != before["embedding_hash"]
    assert load([str(page)], settings=own, options=PLAIN).changes == 0


@pytest.mark.slow
def test_re_embedding_replaces_the_vectors_of_another_model(
    own: Settings, database: Database, folder: Path, run_kg: RunKg
) -> None:
    load([str(folder)], settings=own, options=PLAIN)
    printed = printing(run_kg, own)("load", "--re-embed", "--dry-run")[1]
    assert "not in this plan: vectors that --re-embed makes" in " ".join(printed.split())
    assert load(settings=own, options=RE_EMBED).changes == 0
    other = own.model_copy(update={"embedding_model": "hashed-ngram-256-1"})
    with pytest.raises(SchemaConflict, match="cannot be compared") as refused:
        load([str(folder)], settings=other, options=PLAIN)
    assert "--re-embed" in str(refused.value.hint)
    owners = {row["graph"] for row in database.read(queries.get("write/vector_graphs"))}
    if owners == {own.graph}:
        load(settings=other, options=RE_EMBED)
        assert {len(vector) for vector in vectors(database, own.graph).values()} == {256}
        load(settings=own, options=RE_EMBED)
    assert {len(vector) for vector in vectors(database, own.graph).values()} == {384}
