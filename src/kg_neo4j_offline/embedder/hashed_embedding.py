"""The former built-in embedder: hashed words and character n-grams. It learned nothing, and no file belongs to it.

KG_EMBEDDING_MODEL=hashed-ngram-256-1 asks for it, where a database holds its vectors; else `static_embedding` is used.

Two texts are near where they share words, parts of words or pairs of neighbouring words; it knows no synonyms. The hash
is BLAKE2b, so that vectors are the same on every platform and for every PYTHONHASHSEED.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from kg_neo4j_offline.embedder.static_words import FUNCTION_WORDS

_WORD = re.compile(r"[^\W_]+")
_NAME_FACTOR = 2.0
_PAIR_WEIGHT = 0.2
_NGRAM_WEIGHT = 0.1  # each; a word of eight letters has fifteen of them
_FUNCTION_WORD_WEIGHT = 0.05
_NGRAM_SIZES = (3, 4)


class HashedEmbedding:
    """Signed feature hashing with sublinear term weights; every vector has unit length.

    Implements `EmbeddingModel`. Stateless, safe to call from several threads.
    """

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 8:
            raise ValueError(f"a hashed embedding needs at least 8 dimensions, not {dimension}")
        self._dimension = dimension

    @property
    def name(self) -> str:
        """Stored with the vectors: method, dimension, version."""
        return f"hashed-ngram-{self._dimension}-1"

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    @property
    def max_tokens(self) -> int:
        """No text is too long; the number is there for the protocol."""
        return 100_000

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return an array of shape (len(texts), dimension), rows of unit length, in the order of `texts`.

        A text without a letter or digit gets the vector of its stripped characters, so no row is ever zero.
        """
        vectors = [self._embed_one(text) for text in texts]
        return np.array(vectors, dtype=np.float32).reshape(len(texts), self._dimension)

    def _embed_one(self, text: str) -> npt.NDArray[np.float64]:
        vector = np.zeros(self._dimension, dtype=np.float64)
        for feature, weight in _features(text).items():
            place, sign = _hash(feature, self._dimension)
            vector[place] += sign * weight
        length = math.sqrt(math.fsum(vector**2))
        if length > 1e-9:
            scaled: npt.NDArray[np.float64] = vector / length
            return scaled
        vector[:] = 0.0  # nothing to hash, or features that cancel each other out
        place, sign = _hash("empty:" + text.strip(), self._dimension)
        vector[place] = sign
        return vector


def _features(text: str) -> dict[str, float]:
    """Return each feature's weight: (1 + log count) times the weight of its kind.

    Words that stand with a capital, numbers and long words count for more: they tell texts apart.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text))
    folded = [word.casefold() for word in words]
    capitals = Counter(word.casefold() for word in words if word[0].isupper() or word[0].isdigit())
    content = [word for word in folded if word not in FUNCTION_WORDS]
    features: dict[str, float] = {}
    ngrams: Counter[str] = Counter()
    for word, count in Counter(folded).items():
        if word in FUNCTION_WORDS:
            features["w:" + word] = _FUNCTION_WORD_WEIGHT * (1 + math.log(count))
            continue
        weight = (_NAME_FACTOR if capitals[word] * 2 > count else 1.0) * min(1.0, (len(word) + 1) / 8)
        features["w:" + word] = weight * (1 + math.log(count))
        for ngram in _ngrams(word):
            ngrams[ngram] += 1
    for ngram, count in ngrams.items():
        features["n:" + ngram] = _NGRAM_WEIGHT * (1 + math.log(count))
    for pair, count in Counter(pairwise(content)).items():
        features["p:" + " ".join(pair)] = _PAIR_WEIGHT * (1 + math.log(count))
    return features


def _ngrams(word: str) -> Iterator[str]:
    """Yield the character n-grams of a word with its borders marked."""
    marked = f"<{word}>"
    for size in _NGRAM_SIZES:
        for start in range(len(marked) - size + 1):
            yield marked[start : start + size]


@lru_cache(maxsize=1 << 17)
def _hash(feature: str, dimension: int) -> tuple[int, int]:
    """Return the feature's place and its sign."""
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return (number >> 1) % dimension, 1 if number & 1 else -1
