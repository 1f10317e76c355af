"""What a stored vector is known by."""

from __future__ import annotations

from kg_neo4j.graph.constraints import vector_index_name
from kg_neo4j.organise.search_indexes import SearchIndex
from kg_neo4j.organise.vectors import text_hash
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding


def test_the_hash_covers_text_model_and_dimension() -> None:
    hashes = {text_hash(text, HashedEmbedding(size)) for text in ("a", "b", "\ud800") for size in (64, 256)}
    assert len(hashes) == 6
    assert text_hash("a", HashedEmbedding()) == text_hash("a", HashedEmbedding())


def test_an_index_name_gives_its_model_back() -> None:
    class Slashed(HashedEmbedding):
        @property
        def name(self) -> str:
            return "BAAI/bge-small/en"

    name = vector_index_name("Chunk", Slashed())
    assert name == "kg_chunk_vector_BAAI__2fbge_small__2fen_256"
    index = SearchIndex(name, "VECTOR", "Chunk", "ONLINE", 256)
    assert index.model == "BAAI/bge-small/en"
    assert index.fits(Slashed())
    assert not index.fits(HashedEmbedding())


def test_a_foreign_index_has_no_model() -> None:
    assert SearchIndex("chunk_embeddings", "VECTOR", "Chunk", "ONLINE", 256).model is None
    assert SearchIndex("kg_chunk_text", "FULLTEXT", "Chunk", "ONLINE").model is None


def test_an_index_whose_size_is_not_the_one_in_its_name_does_not_fit() -> None:
    name = vector_index_name("Chunk", HashedEmbedding())
    assert not SearchIndex(name, "VECTOR", "Chunk", "ONLINE", 128).fits(HashedEmbedding())
