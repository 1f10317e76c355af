"""Vectors of a tree's texts: read where they are stored, made and stored where they are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kg_neo4j._models.embedding import Vectors, embed_texts
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph.database import Row, batches
from kg_neo4j.graph.documents import embedded_text
from kg_neo4j.organise.tree.leaves import Leaves
from kg_neo4j.organise.tree.store import TreeStore
from kg_neo4j.organise.vectors import TEXTS_A_CALL, text_hash


@dataclass(slots=True)
class TreeVectors:
    """The vectors of one tree. With `keeps`, what is made is stored at once, before its node is published."""

    store: TreeStore
    tree_id: str
    model: EmbeddingModel
    tokeniser: Tokeniser
    keeps: bool = False  # vectors that are paid for
    stands_for: EmbeddingModel | None = None  # in a plan: the model that would be paid
    _known: dict[str, list[float]] = field(default_factory=dict)

    def digest(self, text: str) -> str:
        """Return what the vector of a text is known by."""
        return text_hash(text, self.model)

    def of_texts(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (n, d), a row for each text."""
        hashes = [self.digest(text) for text in texts]
        self._read(sorted(set(hashes) - self._known.keys()))
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in self._known}
        for some in batches(sorted(missing), TEXTS_A_CALL):
            found = embed_texts(self.model, [missing[key] for key in some], self.tokeniser)
            made = dict(zip(some, (row.tolist() for row in found), strict=True))
            if self.keeps and self.store.lease is not None:
                self.store.keep_text_vectors(self.tree_id, self.model, made)
            self._known |= made
        return self._array([self._known[key] for key in hashes])

    def of_leaves(self, leaves: Leaves, chunks: Sequence[Row]) -> Vectors:
        """Return an array of shape (n, d). `chunks`: the rows of tree/chunks.cypher; none for a text not loaded."""
        texts = [leaf.text for leaf in leaves.leaves]
        if self.stands_for is not None:
            paid = replace(self, model=self.stands_for, _known={})
            stored = paid._stored([leaf.id for leaf in leaves.leaves], texts)
            return self.of_texts(texts) if stored is None else stored
        return self.of_texts(texts) if leaves.are_passages or not chunks else self._of_chunks(chunks)

    def _of_chunks(self, chunks: Sequence[Row]) -> Vectors:
        """Return an array of shape (n, d) for rows of tree/chunks.cypher: vectors of heading and text, as published."""
        return self.of_texts([embedded_text(row["heading"], row["text"]) for row in chunks])

    def _stored(self, ids: Sequence[str], texts: Sequence[str]) -> Vectors | None:
        """Return the vectors of leaves without making any: a leaf without one is taken for its neighbour.

        None where no leaf has one. Shape (n, d).
        """
        hashes = [self.digest(text) for text in texts]
        self._read(sorted(set(hashes)))
        chunks = self.store.chunk_vectors(ids)
        found = [self._known.get(key, chunks.get(each)) for each, key in zip(ids, hashes, strict=True)]
        near = next((vector for vector in found if vector is not None), None)
        if near is None:
            return None
        nearest = []
        for vector in found:
            near = near if vector is None else vector
            nearest.append(near)
        return self._array(nearest)

    def _read(self, hashes: Sequence[str]) -> None:
        if hashes:
            self._known |= self.store.text_vectors(self.tree_id, hashes)

    def _array(self, rows: Sequence[Sequence[float]]) -> Vectors:
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.model.dimension)
