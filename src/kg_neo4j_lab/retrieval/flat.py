"""Flat search over the same passages, without a database: what a graph has to beat. BM25, vectors, and both fused.

BM25 is Lucene's (k1 1.5, b 0.75) over title and text, without stop words and without a stemmer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from kg_neo4j._models.embedding import embed_texts
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.words import fold, is_stop_word, split_words
from kg_neo4j_lab.retrieval.questions import CorpusPassage

K1 = 1.5
B = 0.75
RANKS = 60  # reciprocal rank fusion (Cormack et al. 2009)
DEPTH = 100  # ranks that are fused


class Bm25:
    """Ranks passages by the words that they share with a question."""

    def __init__(self, passages: Sequence[CorpusPassage]) -> None:
        self._numbers = [passage.idx for passage in passages]
        words = [_words(f"{passage.title}\n{passage.text}") for passage in passages]
        self._lengths = [len(each) for each in words]
        self._mean = sum(self._lengths) / max(1, len(words))
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, each in enumerate(words):
            for word, count in Counter(each).items():
                self._places.setdefault(word, []).append((number, count))

    def rank(self, question: str) -> list[int]:
        """Return the idx of every passage that shares a word with the question, best first."""
        scores: dict[int, float] = {}
        for word in _words(question):
            places = self._places.get(word, ())
            rarity = math.log(1 + (len(self._numbers) - len(places) + 0.5) / (len(places) + 0.5))
            for number, count in places:
                norm = K1 * (1 - B + B * self._lengths[number] / self._mean)
                scores[number] = scores.get(number, 0.0) + rarity * count / (count + norm)
        return [self._numbers[each] for each in sorted(scores, key=lambda each: (-scores[each], each))]


class Dense:
    """Ranks passages by the cosine of their vector with the question's."""

    def __init__(self, passages: Sequence[CorpusPassage], model: EmbeddingModel, tokeniser: Tokeniser) -> None:
        self._numbers = [passage.idx for passage in passages]
        self._model, self._tokeniser = model, tokeniser
        self._vectors = embed_texts(model, [f"{each.title}\n{each.text}" for each in passages], tokeniser)

    def rank(self, question: str) -> list[int]:
        """Return the idx of all passages, nearest first."""
        near = self._vectors @ embed_texts(self._model, [question], self._tokeniser)[0]
        return [self._numbers[each] for each in np.argsort(-near, kind="stable")]


def fuse(*ranked: Sequence[int]) -> list[int]:
    """Return one ranking of several, by reciprocal ranks."""
    scores: dict[int, float] = {}
    for each in ranked:
        for rank, number in enumerate(each[:DEPTH], 1):
            scores[number] = scores.get(number, 0.0) + 1 / (RANKS + rank)
    return sorted(scores, key=lambda number: (-scores[number], number))


def _words(text: str) -> list[str]:
    return [folded for word in split_words(text) if not is_stop_word(folded := fold(word))]
