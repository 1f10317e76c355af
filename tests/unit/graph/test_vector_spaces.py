"""Names of vector indexes: plain words that give the model and the dimension back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.graph.constraints import VectorSpace, space_of, vector_index_name

MODELS = st.one_of(st.text("ab1-_/.:", min_size=1), st.text(st.characters(exclude_categories=["Cs"]), min_size=1))


@given(MODELS, st.integers(1, 4096))
def test_a_name_is_a_plain_word_and_says_whose_vectors_it_holds(model: str, dimension: int) -> None:
    space = VectorSpace(model, dimension)
    name = vector_index_name("TreeNode", space)
    assert re.fullmatch(r"[A-Za-z0-9_]+", name, re.ASCII)
    assert space_of(name, "TreeNode") == space


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("static-minilm-384-1", "kg_chunk_vector_static_minilm_384_1_384"),
        ("text_embedding-3", "kg_chunk_vector_text__5fembedding_3_384"),
        ("BAAI/bge-small-en-v1.5", "kg_chunk_vector_BAAI__2fbge_small_en_v1__2e5_384"),
        ("a--b-", "kg_chunk_vector_a__2d_b__2d_384"),
    ],
)
def test_hyphens_are_short_and_other_signs_are_exact(model: str, name: str) -> None:
    assert vector_index_name("Chunk", VectorSpace(model, 384)) == name


@pytest.mark.parametrize(
    "name",
    ["chunk_embeddings", "kg_chunk_text", "kg_entity_vector_m_4", "kg_chunk_vector/m/4", "kg_chunk_vector___ff_4"],
)
def test_names_of_other_indexes_say_nothing(name: str) -> None:
    assert space_of(name, "Chunk") is None
