"""Vectors in a real Neo4j: what is stored, what is found again, what is refused."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from kg_neo4j._models import tokens
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.errors import BadModelAnswer, SchemaConflict
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents, withdraw_chunks
from kg_neo4j.graph.lease import Lease
from kg_neo4j.graph.queries import parse
from kg_neo4j.organise import search_indexes, vectors
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding
from small_graph import OTHER_PARAGRAPHS, load

TOKENISER = tokens.load("approximate-1")
MODEL = HashedEmbedding()


class CountingEmbedding(HashedEmbedding):
    """The built-in embedder, counting the texts that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.texts += texts
        return super().embed(texts)


class OtherEmbedding(HashedEmbedding):
    """The same vectors under another name, or of another dimension."""

    @property
    def name(self) -> str:
        return "other-model/v2"


def query(cypher: str, columns: str) -> queries.Query:
    header = "// title: T\n// purpose: P\n// mode: read\n// params: $graph STRING (graph)\n"
    return parse(f"{header}// columns: {columns}\n// order: none\n// source: test\n{cypher}", "test")


NODES = query(
    "MATCH (n:Chunk|Entity|Fact) WHERE n.graph = $graph RETURN properties(n) AS node ORDER BY n.id", "node MAP"
)

PASSAGES = query(
    "MATCH (p:Passage)-[:IN_CHUNK]->(c:Chunk) WHERE p.graph = $graph RETURN c.text AS whole, c.embedding AS mean, "
    "p.text AS text, p.start AS start, p.end AS end, p.embedding AS vector ORDER BY start",
    "whole STRING, mean LIST<FLOAT>, text STRING, start INTEGER, end INTEGER, vector LIST<FLOAT>",
)


def embed(database: Database, graph: str, model: EmbeddingModel = MODEL) -> int:
    vectors.prepare(database, model)
    return vectors.embed(database, graph, model, TOKENISER)


def test_chunks_entities_and_facts_get_vectors_of_their_texts(database: Database, graph: str) -> None:
    load(database, graph)
    model = CountingEmbedding()
    embedded = embed(database, graph, model)
    rows = database.read(NODES, graph=graph)
    assert embedded == len(rows) == 3 + 5 + 3
    for row in rows:
        vector = np.array(row["node"]["embedding"])
        assert vector.shape == (256,)
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
    assert "Charles Babbage: Charles Babbage is spoken of." in model.texts
    assert "Ada Lovelace child of Lord Byron." in model.texts
    assert any(text.startswith("Ada\nBabbage lived in Marylebone.") for text in model.texts)


def test_a_chunk_has_passages_whose_mean_is_its_vector_and_that_go_with_it(database: Database, graph: str) -> None:
    letters = " ".join(f"Ada Lovelace wrote her letter number {number} to Charles Babbage." for number in range(60))
    load(database, graph, paragraphs=[letters], facts=[[]])
    assert embed(database, graph) == 1
    rows = database.read(PASSAGES, graph=graph)
    assert len(rows) > 2
    assert " ".join(row["text"] for row in rows) == letters
    assert all(row["whole"][row["start"] : row["end"]] == row["text"] for row in rows)
    assert all(TOKENISER.count(row["text"]) <= 200 for row in rows)
    mean = np.sum([row["vector"] for row in rows], axis=0)
    assert np.allclose(mean / np.linalg.norm(mean), rows[0]["mean"], atol=1e-5)
    assert embed(database, graph) == 0
    with Lease(database, graph) as lease:
        [stored] = list_documents(database, graph)
        withdraw_chunks(database, lease, graph, stored.id)
    assert database.read(PASSAGES, graph=graph) == []


def test_a_repeat_embeds_nothing_and_writes_nothing(database: Database, graph: str) -> None:
    load(database, graph)
    embed(database, graph)
    before = database.read(NODES, graph=graph)
    model = CountingEmbedding()
    assert embed(database, graph, model) == 0
    assert model.texts == []
    assert database.read(NODES, graph=graph) == before


def test_only_what_changed_is_embedded_again(database: Database, graph: str) -> None:
    load(database, graph)
    embed(database, graph)
    change = query("MATCH (n:Entity {name: 'Lord Byron', graph: $graph}) SET n.description = 'A poet.'", "none")
    database.write(change, graph=graph)
    model = CountingEmbedding()
    assert embed(database, graph, model) == 1
    assert model.texts == ["Lord Byron: A poet."]


def test_things_without_a_description_are_embedded_as_words(database: Database, graph: str) -> None:
    load(database, graph)
    strip = "MATCH (n:Entity|Fact) WHERE n.graph = $graph REMOVE n.description"
    database.write(query(strip, "none"), graph=graph)
    model = CountingEmbedding()
    embed(database, graph, model)
    assert {"Lord Byron", "Ada Lovelace child of Lord Byron"} <= set(model.texts)


def test_all_indexes_are_online_and_carry_model_and_dimension(database: Database, graph: str) -> None:
    load(database, graph)
    embed(database, graph)
    found = {index.name: index for index in search_indexes.list_indexes(database)}
    for label in ("chunk", "document", "entity", "fact", "treenode"):
        assert found[f"kg_{label}_text"].state == "ONLINE"
    for label in ("chunk", "entity", "passage", "treenode"):
        assert found[f"kg_{label}_vector_hashed_ngram_256_1_256"].state == "ONLINE"
        assert found[f"kg_{label}_vector_hashed_ngram_256_1_256"].model == "hashed-ngram-256-1"


@pytest.mark.parametrize(
    ("model", "said"),
    [(HashedEmbedding(64), "'hashed-ngram-64-1' with 64 dimensions"), (OtherEmbedding(), "'other-model/v2' with 256")],
)
def test_another_dimension_or_model_is_refused_before_any_write(
    database: Database, graph: str, model: EmbeddingModel, said: str
) -> None:
    load(database, graph)
    embed(database, graph)
    before = database.read(NODES, graph=graph)
    with pytest.raises(SchemaConflict) as refused:
        search_indexes.check(database, model)
    assert "'hashed-ngram-256-1' with 256 dimensions" in str(refused.value)
    assert said in str(refused.value)
    assert "set KG_EMBEDDING_MODEL=hashed-ngram-256-1" in str(refused.value.hint)
    with pytest.raises(SchemaConflict):
        embed(database, graph, model)
    assert database.read(NODES, graph=graph) == before


def test_rebuilding_with_another_model_removes_nothing_while_other_graphs_have_vectors(
    database: Database, graph: str
) -> None:
    other = f"{graph}-other"
    load(database, graph)
    load(database, other, "Chopin", OTHER_PARAGRAPHS, [])
    embed(database, graph)
    embed(database, other)
    with pytest.raises(SchemaConflict, match=other):  # the other graph still holds vectors of the former model
        search_indexes.check(database, OtherEmbedding(), graph=graph, rebuild=True)
    assert all("embedding" in row["node"] for name in (graph, other) for row in database.read(NODES, graph=name))
    assert embed(database, graph) == 0
    search_indexes.clear(database, other)
    if [row["graph"] for row in database.read(queries.get("write/vector_graphs"))] == [graph]:
        search_indexes.check(database, OtherEmbedding(), graph=graph, rebuild=True)
        assert all("embedding" not in row["node"] for row in database.read(NODES, graph=graph))
    database.write(query("MATCH (n) WHERE n.graph = $graph DETACH DELETE n", "none"), graph=other)


def test_indexes_without_a_vector_give_way_to_another_model(database: Database, graph: str) -> None:
    load(database, graph)
    embed(database, graph)
    search_indexes.clear(database, graph)
    if database.read(queries.get("write/vector_graphs")):  # a server that holds other graphs, too
        with pytest.raises(SchemaConflict):
            search_indexes.check(database, OtherEmbedding())
    else:
        assert search_indexes.check(database, OtherEmbedding()) == ()
        assert all(index.kind == "FULLTEXT" for index in search_indexes.list_indexes(database))
    assert embed(database, graph) == 11


@pytest.mark.parametrize("value", [float("nan"), 0.0])
def test_a_vector_that_neo4j_would_never_find_is_not_written(database: Database, graph: str, value: float) -> None:
    class Broken(HashedEmbedding):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return np.full((len(texts), self.dimension), value, dtype=np.float32)

    load(database, graph)
    with pytest.raises(BadModelAnswer):
        embed(database, graph, Broken())
    assert all("embedding" not in row["node"] for row in database.read(NODES, graph=graph))


def test_a_graph_can_be_searched_by_words_although_the_model_failed(database: Database, graph: str) -> None:
    class Silent(HashedEmbedding):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            raise BadModelAnswer("nothing came back")

    load(database, graph)
    with pytest.raises(BadModelAnswer):
        embed(database, graph, Silent())
    states = {index.name: index.state for index in search_indexes.list_indexes(database)}
    assert states["kg_chunk_text"] == states["kg_entity_text"] == states["kg_fact_text"] == "ONLINE"


@pytest.mark.parametrize("concurrency", [1, 4])
def test_what_was_paid_for_is_stored_although_a_later_call_failed(
    database: Database, graph: str, concurrency: int
) -> None:
    failed = threading.Event()

    class FailsOnFacts(HashedEmbedding):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            if any("child of" in text for text in texts):
                failed.set()
                raise BadModelAnswer("no vectors for facts")
            if concurrency > 1:
                failed.wait(60)  # s; the calls under way end after the one that failed
            return super().embed(texts)

    load(database, graph)
    vectors.prepare(database, MODEL)
    with pytest.raises(BadModelAnswer, match="no vectors for facts"):
        vectors.embed(database, graph, FailsOnFacts(), TOKENISER, concurrency=concurrency)
    stored = [row["node"]["id"] for row in database.read(NODES, graph=graph) if "embedding" in row["node"]]
    assert len(stored) == 3 + 5
    assert embed(database, graph) == 3


def test_an_empty_graph_is_no_error(database: Database, graph: str) -> None:
    assert embed(database, graph) == 0
