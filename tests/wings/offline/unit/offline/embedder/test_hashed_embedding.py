"""The built-in embedder: unit vectors, the same everywhere, near where texts share words."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding

EXAMPLES = Path(__file__).resolve().parents[6] / "examples"
MODEL = HashedEmbedding()
UNRELATED_BELOW = 0.12  # cosine of most questions with texts about something else


def test_it_is_an_embedding_model_of_the_stated_shape():
    model: EmbeddingModel = HashedEmbedding()
    vectors = model.embed(["Humboldt climbed Chimborazo.", "Kosmos"])
    assert (model.name, model.dimension, model.max_tokens) == ("hashed-ngram-256-1", 256, 100_000)
    assert vectors.shape == (2, 256)
    assert vectors.dtype == np.float32


@pytest.mark.parametrize("text", ["", " ", "...", "!?", "\n\n", "—", "the the of", "a", "٣", "北京", "🙂", "\ud800"])
def test_every_text_gets_a_unit_vector(text):
    assert np.linalg.norm(MODEL.embed([text])[0]) == pytest.approx(1.0, abs=1e-6)


def test_no_texts_give_no_rows():
    assert MODEL.embed([]).shape == (0, 256)


def test_rows_keep_the_order_and_do_not_depend_on_their_neighbours():
    texts = ["Freiberg", "Quito and Lima", "Freiberg"]
    together = MODEL.embed(texts)
    assert (together[0] == together[2]).all()
    assert (together[1] == MODEL.embed([texts[1]])[0]).all()


def test_another_dimension_has_another_name():
    assert HashedEmbedding(64).name == "hashed-ngram-64-1"
    assert HashedEmbedding(64).embed(["x"]).shape == (1, 64)
    with pytest.raises(ValueError, match="at least 8"):
        HashedEmbedding(4)


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_vectors_do_not_depend_on_the_hash_seed(seed):
    code = (
        "import hashlib; from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding as H;"
        "print(hashlib.sha256(H().embed(['Aimé Bonpland in Cumaná, 1799']).round(5).tobytes()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    here = hashlib.sha256(MODEL.embed(["Aimé Bonpland in Cumaná, 1799"]).round(5).tobytes()).hexdigest()
    assert run.stdout.strip() == here


def test_a_vector_is_the_one_that_was_released():
    vector = MODEL.embed(["Humboldt climbed Chimborazo in 1802."])[0]
    places = np.argsort(-np.abs(vector))[:3]
    assert places.tolist() == [29, 172, 77]


def test_shared_words_and_inflected_words_bring_texts_near():
    question, same, inflected, other = MODEL.embed(
        ["Who climbed the mountain?", "He climbed a mountain.", "Climbing mountains", "The parliament passed a law."]
    )
    assert question @ same > question @ inflected > question @ other
    assert question @ same > UNRELATED_BELOW > question @ other


def test_names_count_for_more_than_common_words():
    question, name, common = MODEL.embed(["the house of Bonpland", "a letter to Bonpland", "a house by the river"])
    assert question @ name > question @ common


def test_the_stated_level_separates_questions_on_the_text_from_foreign_ones():
    text = (EXAMPLES / "alexander_von_humboldt.md").read_text(encoding="utf-8")
    passages = MODEL.embed([part for part in text.split("\n\n") if len(part) > 80])
    related = ["Who was Aimé Bonpland?", "Who taught at the Mining Academy of Freiberg?", "Who met Thomas Jefferson?"]
    foreign = ["How does a transistor amplify current?", "What is the capital of Australia?", "Who invented pancakes?"]
    assert (MODEL.embed(related) @ passages.T).max(axis=1).min() > UNRELATED_BELOW
    assert np.median((MODEL.embed(foreign) @ passages.T).max(axis=1)) < UNRELATED_BELOW + 0.05
