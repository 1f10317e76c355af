"""Chunks are found by the title of their document; graphs of earlier versions keep their vectors until asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kg_neo4j import LoadOptions, Settings, ask, factory, load
from kg_neo4j._models import tokens
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.errors import SchemaConflict
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import heading_of
from kg_neo4j.graph.export import lines
from kg_neo4j.graph.queries import Query, parse
from kg_neo4j.organise import search_indexes
from kg_neo4j.organise.vectors import store_chunks, text_hash
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
FORGET = query("MATCH (c:Chunk {graph: $graph}) REMOVE c.heading", mode="write")
FORMER_INDEX = query(f"CREATE FULLTEXT INDEX {INDEX} FOR (n:KgChunk) ON EACH [n.text]", mode="schema")


@pytest.fixture
def own(settings: Settings, database: Database, graph: str) -> Iterator[Settings]:
    """An empty graph; today's indexes stand again after the test."""
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


def make_former(database: Database, graph: str, embedder: EmbeddingModel) -> None:
    """Turn a graph into one of an earlier version: no headings, vectors of the text alone, an index over it alone."""
    database.write(FORGET, graph=graph)
    found = chunks(database, graph)
    rows = [({"id": each["id"], "text": each["text"]}, text_hash(each["text"], embedder)) for each in found]
    store_chunks(database, graph, embedder, tokens.load(), rows)
    database.schema(queries.get("write/drop_index"), name=INDEX)
    database.schema(FORMER_INDEX)
    search_indexes.create_fulltext(database)


def searched(database: Database) -> tuple[str, ...]:
    database.indexes = None
    return next(each.properties for each in search_indexes.list_indexes(database) if each.name == INDEX)


def first_found(question: str, settings: Settings) -> str:
    """Return the document of the first passage that words and vectors find."""
    return ask(question, settings=settings, mode="naive").nearest[0].document


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


def test_a_graph_of_an_earlier_version_is_used_as_it_is(
    own: Settings, database: Database, embedder: EmbeddingModel, folder: Path
) -> None:
    load([str(folder)], settings=own, options=PLAIN)
    make_former(database, own.graph, embedder)
    before = vectors(database, own.graph)
    assert load([str(folder)], settings=own, options=PLAIN).changes == 0
    assert vectors(database, own.graph) == before
    assert searched(database) == ("text",)
    assert first_found("Who sold clocks in Vienna?", own) == "Karl Braun"
    (folder / "weber.md").write_text("# Anna Weber\n\nShe wrote letters.\n", "utf-8")
    load([str(folder)], settings=own, options=PLAIN)
    after = vectors(database, own.graph)
    assert {key: after[key] for key in before} == before
    new = next(each for each in chunks(database, own.graph) if each["id"] not in before)
    assert new["embedding_hash"] == text_hash(f"Anna Weber\n{new['text']}", embedder)


@pytest.mark.slow
def test_one_command_makes_the_index_of_titles_and_no_vector(
    own: Settings, database: Database, embedder: EmbeddingModel, folder: Path, run_kg: RunKg
) -> None:
    load([str(folder)], settings=own, options=PLAIN)
    whole = list(lines(database, own.graph))
    make_former(database, own.graph, embedder)
    before = vectors(database, own.graph)
    run = printing(run_kg, own)
    assert "kg db indexes" in run("doctor")[1]
    assert run("db", "indexes") == (0, f"created {INDEX}\n")
    assert searched(database) == ("heading", "text")
    assert list(lines(database, own.graph)) == whole
    assert vectors(database, own.graph) == before
    assert load([str(folder)], settings=own, options=PLAIN).changes == 0
    assert vectors(database, own.graph) == before


@pytest.mark.slow
def test_re_embedding_takes_the_titles_in_once(
    own: Settings, database: Database, embedder: EmbeddingModel, folder: Path, run_kg: RunKg
) -> None:
    load([str(folder)], settings=own, options=PLAIN)
    whole, fresh = list(lines(database, own.graph)), vectors(database, own.graph)
    make_former(database, own.graph, embedder)
    assert vectors(database, own.graph) != fresh
    run = printing(run_kg, own)
    assert "not in this plan: vectors that --re-embed makes" in " ".join(
        run("load", "--re-embed", "--dry-run")[1].split()
    )
    code, printed = run("load", "--re-embed", "--no-analytics")
    assert code == 0, printed
    assert f"changes {len(fresh)}" in " ".join(printed.split())
    assert vectors(database, own.graph) == fresh
    assert searched(database) == ("heading", "text")
    assert list(lines(database, own.graph)) == whole
    assert load(settings=own, options=RE_EMBED).changes == 0


@pytest.mark.slow
def test_re_embedding_replaces_the_vectors_of_another_model(own: Settings, database: Database, folder: Path) -> None:
    load([str(folder)], settings=own, options=PLAIN)
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


@pytest.mark.parametrize("title", ["Otto Lind", "Otto_Lind", "", "Otto", "a/b_c.txt"])
@pytest.mark.parametrize("section", [None, "Otto Lind", "Otto Lind > Later years", "Otto", "Later_years"])
def test_a_chunk_of_an_earlier_version_gets_the_heading_of_a_new_one(
    own: Settings, database: Database, title: str, section: str | None
) -> None:
    write = query(
        f"CREATE (:KgChunk {{graph: $graph, id: $graph, section: {section!r}}})-[:IN_DOCUMENT]->"
        f"(:KgDocument {{graph: $graph, id: $graph, title: {title!r}}})".replace("None", "null"),
        mode="write",
    )
    database.write(write, graph=own.graph)
    search_indexes.add_headings(database)
    stored = database.read(
        query("MATCH (c:KgChunk {graph: $graph}) RETURN c.heading AS heading", "heading STRING"), graph=own.graph
    )
    assert (stored[0]["heading"] or "") == heading_of(title, section or "")
