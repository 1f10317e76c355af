"""Texts of any length become one vector each: split at token borders, embedded in batches, averaged, unit length.

The limit is 450 of 512 tokens for every model (the embedding analysis), so that all vectors are made in one way, or the
model's own where that is smaller, so that no text is cut off in silence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import BadModelAnswer, UsageError

LIMIT_TOKENS = 450  # of a window of 512 (the embedding analysis)
NO_EMBEDDING = "no embedding model is set, and the package kg_neo4j_offline is not installed"
BATCH_PIECES = 256  # pieces a call to the model

Vectors = npt.NDArray[np.float32]


class NoEmbedding:
    """Stands where there is no embedding model: texts get no vectors, and search is by full text alone."""

    name = "none"
    dimension = 0
    max_tokens = LIMIT_TOKENS

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Raise UsageError."""
        raise UsageError(NO_EMBEDDING, hint="set KG_EMBEDDING_MODEL; or install kg-neo4j again")


def split(text: str, tokeniser: Tokeniser, limit: int = LIMIT_TOKENS) -> list[str]:
    """Return `text` in ceil(tokens / limit) pieces of near-equal length in tokens; together they are `text`.

    450 tokens give 1 piece, 600 give 2 of 300, 1,200 give 3 of 400, 1,500 give 4 of 375 (the embedding analysis).
    """
    if limit < 1:
        raise ValueError(f"a piece has at least one token, not {limit}")
    if len(text.encode("utf-8", "surrogatepass")) <= limit:  # a token has at least one byte
        return [text]
    spans = tokeniser.spans(text)
    count = max(1, -(-len(spans) // limit))
    if count == 1:
        return [text]
    borders = [spans[len(spans) * piece // count][0] for piece in range(1, count)]
    return [text[start:end] for start, end in zip([0, *borders], [*borders, len(text)], strict=True)]


def embed_texts(model: EmbeddingModel, texts: Sequence[str], tokeniser: Tokeniser) -> Vectors:
    """Return an array of shape (len(texts), model.dimension): one vector of unit length for each text.

    Texts over 450 tokens (or `model.max_tokens`, where that is smaller) are split; a text's vector is the
    unweighted mean of its pieces, normalised. The pieces of all texts share batches.
    Raises the model's errors, and BadModelAnswer for vectors that cannot be stored.
    """
    parts = [pieces_of(model, text, tokeniser) for text in texts]
    return average(model, embed_pieces(model, [part for each in parts for part in each]), [len(each) for each in parts])


def pieces_of(model: EmbeddingModel, text: str, tokeniser: Tokeniser) -> list[str]:
    """Return the pieces of `text` that the model is given: at least one, and none blank unless the text is."""
    return [part for part in split(text, tokeniser, min(LIMIT_TOKENS, model.max_tokens)) if part.strip()] or [text]


def embed_pieces(model: EmbeddingModel, pieces: Sequence[str]) -> Vectors:
    """Return one vector for each piece as the model gives it, in batches. Raises as `embed_texts`."""
    vectors = np.empty((len(pieces), model.dimension), dtype=np.float32)
    for start in range(0, len(pieces), BATCH_PIECES):
        batch = pieces[start : start + BATCH_PIECES]
        given = model.embed(batch)
        # Neo4j stores wrong vectors without a word and never finds them again
        if given.shape != (len(batch), model.dimension):
            raise BadModelAnswer(
                f"{model.name} gave an array of shape {given.shape} for {len(batch)} texts "
                f"of dimension {model.dimension}"
            )
        if not np.isfinite(given).all():
            raise BadModelAnswer(f"{model.name} gave a vector with a value that is not a number")
        if not given.any(axis=1).all():
            raise BadModelAnswer(f"{model.name} gave a vector of zeros")
        vectors[start : start + len(batch)] = given
    return vectors


def average(model: EmbeddingModel, vectors: Vectors, counts: Sequence[int]) -> Vectors:
    """Return the mean of the first `counts[0]` vectors, of the next `counts[1]`, and so on, each of unit length."""
    means = np.zeros((len(counts), model.dimension), dtype=np.float64)
    np.add.at(means, np.repeat(np.arange(len(counts)), np.asarray(counts, dtype=np.intp)), vectors)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    if not (lengths > 1e-9).all():
        raise BadModelAnswer(f"{model.name}: the pieces of a text cancel each other out")
    normalised: Vectors = (means / lengths).astype(np.float32)
    return normalised
