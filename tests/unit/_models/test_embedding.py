"""Splitting and pooling (W5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from kg_neo4j._models.embedding import BATCH_PIECES, average, embed_pieces, embed_texts, pieces_of, split
from kg_neo4j.errors import BadModelAnswer
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding


class Words:
    """A tokeniser for counting by hand: a token is a word with the space before it."""

    name = "words"

    def count(self, text: str) -> int:
        return len(self.spans(text))

    def spans(self, text: str) -> list[tuple[int, int]]:
        starts = [0] + [i for i in range(1, len(text)) if text[i] == " "]
        return [(start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=True) if end > start]


class Model(HashedEmbedding):
    """The built-in embedder, keeping what it is asked."""

    def __init__(self, max_tokens: int = 512) -> None:
        super().__init__()
        self.calls: list[list[str]] = []
        self._max_tokens = max_tokens

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.calls.append(list(texts))
        return super().embed(texts)


def text_of(tokens: int) -> str:
    return " ".join(f"w{n}" for n in range(tokens))


@pytest.mark.parametrize(
    ("tokens", "pieces"),
    [(1, [1]), (450, [450]), (451, [225, 226]), (600, [300] * 2), (1200, [400] * 3), (1500, [375] * 4)],
)
def test_a_text_is_split_into_near_equal_pieces(tokens: int, pieces: list[int]) -> None:
    parts = split(text_of(tokens), Words())
    assert [Words().count(part) for part in parts] == pieces
    assert "".join(parts) == text_of(tokens)


def test_an_empty_text_is_one_piece() -> None:
    assert split("", Words()) == [""]


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one token"):
        split("a b", Words(), 0)


def test_a_vector_is_the_unweighted_mean_of_the_pieces_at_unit_length() -> None:
    model = Model()
    vector = embed_texts(model, [text_of(600)], Words())[0]
    parts = HashedEmbedding().embed(split(text_of(600), Words()))
    mean = parts.mean(axis=0)
    np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-6)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)


def test_the_pieces_of_all_texts_share_batches_and_keep_their_order() -> None:
    model = Model()
    texts = [text_of(1200), *(f"text {n}" for n in range(BATCH_PIECES))]
    vectors = embed_texts(model, texts, Words())
    assert [len(call) for call in model.calls] == [BATCH_PIECES, 3]
    np.testing.assert_allclose(vectors[-1], HashedEmbedding().embed([texts[-1]])[0], atol=1e-6)


def test_a_smaller_window_of_the_model_wins() -> None:
    model = Model(max_tokens=100)
    embed_texts(model, [text_of(450)], Words())
    assert [Words().count(piece) for piece in model.calls[0]] == [90] * 5


def test_pieces_of_white_space_count_for_nothing() -> None:
    model = Model()
    vector = embed_texts(model, ["word" + " " * 2000], Words())[0]
    np.testing.assert_allclose(vector, HashedEmbedding().embed(["word"])[0], atol=1e-6)


def test_no_texts_give_no_vectors() -> None:
    assert embed_texts(Model(), [], Words()).shape == (0, 256)


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        (np.ones((1, 256)), "shape"),
        (np.ones((2, 255)), "shape"),
        (np.full((2, 256), np.nan), "not a number"),
        (np.full((2, 256), np.inf), "not a number"),
        (np.zeros((2, 256)), "zeros"),
    ],
)
def test_vectors_that_cannot_be_found_again_are_refused(vectors: npt.NDArray[np.float64], said: str) -> None:
    class Broken(HashedEmbedding):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return vectors.astype(np.float32)

    with pytest.raises(BadModelAnswer, match=said):
        embed_texts(Broken(), ["a", "b"], Words())


def test_pieces_that_cancel_each_other_out_are_refused() -> None:
    class Opposite(HashedEmbedding):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return np.array([[1.0] * 256, [-1.0] * 256], dtype=np.float32)

    with pytest.raises(BadModelAnswer, match="cancel"):
        embed_texts(Opposite(), [text_of(600)], Words())


def test_the_mean_of_the_pieces_is_the_vector_of_the_text() -> None:
    texts = [text_of(1_000), "one", text_of(460)]
    model = Model()
    parts = [pieces_of(model, text, Words()) for text in texts]
    assert [len(each) for each in parts] == [3, 1, 2]
    vectors = embed_pieces(model, [part for each in parts for part in each])
    assert vectors.shape == (6, model.dimension)
    assert np.array_equal(average(model, vectors, [3, 1, 2]), embed_texts(model, texts, Words()))
