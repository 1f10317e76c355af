"""The built-in embedder: a vector for each piece of a word, learned from a small sentence model. No network, no key.

A text's vector is the weighted sum of its words'. A word's is that of its pieces, which know meaning, plus one of
random signs from its hash, which knows the very word: what no vocabulary has, a rare name say, or a word of another
language, is still found where it stands again. docs/models.md says what it learned from and how good it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kg_neo4j_offline.embedder.static_words import Weighing, cut, ngrams, weigh
from kg_neo4j_offline.networks import trained

FOLDER = Path(__file__).parents[1] / "data" / "embedder"
LOCK = Path(__file__).parents[1] / "data" / "embedder.lock"

Floats = npt.NDArray[np.float32]
_WORDS_KEPT = 1 << 14  # vectors of words that are remembered, 25 MB


@dataclass(frozen=True, slots=True)
class PieceVectors:
    """What was learned, as stored."""

    name: str  # of the model; another name for other vectors
    pieces: tuple[str, ...]  # "##" marks one that continues a word
    vectors: npt.NDArray[np.int8]  # (pieces, dimension)
    scale: Floats  # (pieces,): a row of `vectors` times its scale is the piece's vector
    rarity: Floats  # (pieces,): 0 to 1, how much the hash of a word that is this one piece counts
    weighing: Weighing
    hashed: float  # factor of the hashed part
    ngrams: float  # share of parts of words in the hashed part of a word of several pieces, 0 to 1

    @classmethod
    def read(cls, folder: Path) -> PieceVectors:
        """Return what a folder holds: vectors.npz, pieces.txt and settings.json. Its files are not checked here."""
        settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
        with np.load(folder / "vectors.npz", allow_pickle=False) as arrays:
            vectors, scale, rarity = arrays["vectors"], arrays["scale"], arrays["rarity"]
        pieces = tuple((folder / "pieces.txt").read_text(encoding="utf-8").split("\n"))
        return cls(
            settings["name"],
            pieces,
            vectors,
            scale.astype(np.float32),
            rarity.astype(np.float32),
            Weighing(**settings["weighing"]),
            settings["hashed"],
            settings["ngrams"],
        )

    def write(self, folder: Path) -> None:
        """Write the three files that `read` reads."""
        folder.mkdir(parents=True, exist_ok=True)
        how = {"name": self.weighing.name, "lead": self.weighing.lead, "reach": self.weighing.reach}
        settings = {"name": self.name, "weighing": how, "hashed": self.hashed, "ngrams": self.ngrams}
        (folder / "settings.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
        (folder / "pieces.txt").write_text("\n".join(self.pieces), encoding="utf-8")
        scale, rarity = self.scale.astype(np.float16), self.rarity.astype(np.float16)
        np.savez_compressed(folder / "vectors.npz", vectors=self.vectors, scale=scale, rarity=rarity)


class StaticEmbedding:
    """The learned vectors at work; every vector has unit length, and no text's depends on another's.

    Implements `EmbeddingModel`. Safe to call from several threads. Raises ModelDamaged if a file is not what it was.
    """

    def __init__(self, learned: PieceVectors | None = None) -> None:
        self._learned = learned or load()
        self._known = {piece: number for number, piece in enumerate(self._learned.pieces)}
        self._vector = lru_cache(maxsize=_WORDS_KEPT)(self._make)

    @property
    def name(self) -> str:
        """Stored with the vectors: teacher, dimension, version."""
        return self._learned.name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return int(self._learned.vectors.shape[1])

    @property
    def max_tokens(self) -> int:
        """No text is too long; the number is there for the protocol."""
        return 100_000

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return an array of shape (len(texts), dimension), rows of unit length, in the order of `texts`.

        A text without a letter or digit gets the vector of its stripped characters, so no row is ever zero.
        """
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for text, vector in zip(texts, vectors, strict=True):
            weights = weigh(text, self._learned.weighing)
            if weights:
                rows = np.stack([self._vector(word) for word in weights])
                rows *= np.fromiter(weights.values(), np.float32, len(weights))[:, None]
                vector[:] = rows.sum(axis=0)
            length = float(np.sqrt((vector * vector).sum()))
            vector[:] = vector / np.float32(length) if length > 1e-6 else signs("empty:" + text.strip(), self.dimension)
        return vectors

    def _make(self, word: str) -> Floats:
        """Return a word's vector: what its pieces mean, and its hash."""
        learned = self._learned
        numbers = cut(word, self._known)
        rarity = float(learned.rarity[numbers[0]]) if len(numbers) == 1 else 1.0
        vector = learned.hashed * rarity * hashed(word, learned.vectors.shape[1], 0.0 if rarity < 1 else learned.ngrams)
        for number in numbers:
            vector += learned.vectors[number] * (learned.scale[number] / np.float32(len(numbers) ** 0.5))
        return vector.astype(np.float32)


@cache
def load(folder: Path = FOLDER, lock: Path = LOCK) -> PieceVectors:
    """Return the learned vectors after their files were checked. Raises ModelDamaged."""
    trained.verify(folder, lock)
    return PieceVectors.read(folder)


def hashed(word: str, dimension: int, share: float) -> Floats:
    """Return the hashed part of a word, about unit length; `share` of it are its parts, for words that are alike."""
    own = signs(word, dimension)
    if not share:
        return own
    parts = ngrams(word)
    mean = np.sum([signs("n:" + part, dimension) for part in parts], axis=0) / np.float32(len(parts) ** 0.5)
    mixed: Floats = ((1 - share) ** 0.5 * own + share**0.5 * mean).astype(np.float32)
    return mixed


def signs(word: str, dimension: int) -> Floats:
    """Return a vector of unit length whose signs are bits of the word's SHAKE-128 hash, the same everywhere."""
    shake = hashlib.shake_128(word.encode("utf-8", "surrogatepass")).digest(-(-dimension // 8))
    bits = np.unpackbits(np.frombuffer(shake, np.uint8))[:dimension].astype(np.float32)
    return (bits * 2 - 1) / np.float32(dimension**0.5)
