"""The vectors of word pieces, tuned until texts and questions are as near to each other as the teacher has them."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from kg_neo4j_offline.embedder.static_embedding import PieceVectors, hashed
from kg_neo4j_offline.embedder.static_words import Weighing, cut, weigh

DIMENSION = 384
WEIGHING = Weighing(name=2.5, lead=1.5, reach=20.0)
HASHED = 1.5
NGRAMS = 0.3
STEPS = 600
RATE = 0.003
_WARM_UP = 30
_HEAT = 0.06  # of similarities, the teacher's and the student's
_TRUTH = 0.2  # share of the passages that a question was made from; the teacher has the rest
_DROPPED = 0.1  # pieces that are left out of a text in a step
_TEXTS, _QUESTIONS, _PASSAGES = 384, 256, 1_500  # in a step
_LOG = logging.getLogger("training")


@dataclass(frozen=True)
class Features:
    """Texts as the embedder sees them: the weights of pieces, and the sum of hashes."""

    pieces: sparse.csr_matrix  # (texts, pieces)
    hashes: np.ndarray  # (texts, DIMENSION)

    def take(self, rows: np.ndarray, rng: np.random.Generator) -> Features:
        """Return some of the texts, each without some of its pieces."""
        some = self.pieces[rows].copy()
        some.data = some.data * (rng.random(len(some.data)) > _DROPPED)
        return Features(some, self.hashes[rows])


@dataclass(frozen=True)
class Kind:
    """Texts of one kind with the teacher's vectors; for questions and sentences, the passages they belong to."""

    features: Features
    taught: np.ndarray  # (texts, DIMENSION), unit length
    share: float  # of the steps that use it
    passages: Sequence[Sequence[int]] = ()


def describe(texts: Sequence[str], pieces: dict[str, int], rarity: np.ndarray) -> Features:
    """Return what the embedder sees of texts; `rarity` is that of each piece."""
    rows, columns, values = [], [], []
    hashes = np.zeros((len(texts), DIMENSION), np.float32)
    kept: dict[str, tuple[tuple[int, ...], np.ndarray]] = {}
    for row, text in enumerate(texts):
        for word, weight in weigh(text, WEIGHING).items():
            if word not in kept:
                numbers = cut(word, pieces)
                own = float(rarity[numbers[0]]) if len(numbers) == 1 else 1.0
                kept[word] = numbers, HASHED * own * hashed(word, DIMENSION, NGRAMS if own == 1 else 0.0)
            numbers, sign = kept[word]
            rows += [row] * len(numbers)
            columns += numbers
            values += [weight / max(1, len(numbers)) ** 0.5] * len(numbers)
            hashes[row] += weight * sign
    shape = (len(texts), len(rarity))
    return Features(sparse.csr_matrix((np.array(values, np.float32), (rows, columns)), shape), hashes)


def begin(taught: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the vectors to begin with: the teacher's for each piece alone, centred, unit length times its weight."""
    unit = taught / np.linalg.norm(taught, axis=1, keepdims=True)
    centred = unit - unit.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    turned = centred @ axes[:DIMENSION].T
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    return (turned * weights[:, None]).astype(np.float32)


def tune(vectors: np.ndarray, alike: Sequence[Kind], asked: Sequence[Kind], passages: Kind, seed: int) -> np.ndarray:
    """Return the vectors after STEPS steps of Adam, each on similarities among texts and from questions to passages."""
    rng = np.random.default_rng(seed)
    vectors = vectors.copy()
    adam = _Adam(vectors)
    began = time.monotonic()
    for step in range(1, STEPS + 1):
        kind = alike[rng.choice(len(alike), p=[each.share for each in alike])]
        slope = _among(vectors, kind, rng)
        kind = asked[rng.choice(len(asked), p=[each.share for each in asked])]
        slope = slope + _towards(vectors, kind, passages, rng)
        adam.move(slope, RATE * min(1, step / _WARM_UP) * (1 - step / STEPS) + 1e-5)
        if step % 100 == 0:
            _LOG.info("student: step %d of %d, %.0f s", step, STEPS, time.monotonic() - began)
    return vectors


def pack(name: str, pieces: Sequence[str], vectors: np.ndarray, rarity: np.ndarray) -> PieceVectors:
    """Return the vectors with a byte for each number."""
    scale = (np.abs(vectors).max(axis=1) / 127).astype(np.float16).astype(np.float32)
    scale = np.maximum(scale, np.float32(6e-8))
    small = np.clip(np.rint(vectors / scale[:, None]), -127, 127).astype(np.int8)
    return PieceVectors(name, tuple(pieces), small, scale, rarity.astype(np.float32), WEIGHING, HASHED, NGRAMS)


class _Adam:
    """Adam that moves only the rows that a step has seen."""

    def __init__(self, vectors: np.ndarray) -> None:
        self.vectors = vectors
        self.mean, self.square = np.zeros_like(vectors), np.zeros_like(vectors)
        self.seen = np.zeros(len(vectors))

    def move(self, slope: np.ndarray, rate: float) -> None:
        rows = np.flatnonzero(np.abs(slope).sum(axis=1))
        some = slope[rows]
        self.seen[rows] += 1
        times = self.seen[rows][:, None]
        self.mean[rows] = 0.9 * self.mean[rows] + 0.1 * some
        self.square[rows] = 0.98 * self.square[rows] + 0.02 * some * some
        square = np.sqrt(self.square[rows] / (1 - 0.98**times))
        self.vectors[rows] -= rate * (self.mean[rows] / (1 - 0.9**times)) / (square + 1e-6)


def _among(vectors: np.ndarray, kind: Kind, rng: np.random.Generator) -> np.ndarray:
    """Return the slope of the difference between both models' similarities among some texts of a kind."""
    rows = rng.choice(len(kind.taught), min(_TEXTS, len(kind.taught)), replace=False)
    some = kind.features.take(rows, rng)
    raw = some.pieces @ vectors + some.hashes
    unit = _unit(raw)
    wrong = (_shares(unit @ unit.T, own=False) - _shares(kind.taught[rows] @ kind.taught[rows].T, own=False)) / len(
        rows
    )
    return np.asarray(some.pieces.T @ _through_unit(raw, (wrong + wrong.T) @ unit / _HEAT))


def _towards(vectors: np.ndarray, kind: Kind, passages: Kind, rng: np.random.Generator) -> np.ndarray:
    """Return the slope of the difference between both models' similarities from questions to passages."""
    rows = rng.choice(len(kind.passages), _QUESTIONS, replace=False)
    most = min(_PASSAGES, len(passages.taught))
    needed = [number for row in rows for number in kind.passages[row]]
    pool = np.unique(np.concatenate([needed, rng.choice(len(passages.taught), most, replace=False)]))
    place = {number: column for column, number in enumerate(pool)}
    some, near = kind.features.take(rows, rng), passages.features.take(pool, rng)
    raw, raw_near = some.pieces @ vectors + some.hashes, near.pieces @ vectors + near.hashes
    unit, unit_near = _unit(raw), _unit(raw_near)
    aim = (1 - _TRUTH) * _shares(kind.taught[rows] @ passages.taught[pool].T)
    for row, number in enumerate(rows):
        own = kind.passages[number]
        aim[row, [place[each] for each in own]] += _TRUTH / len(own)
    wrong = (_shares(unit @ unit_near.T) - aim) / len(rows)
    slope = some.pieces.T @ _through_unit(raw, wrong @ unit_near / _HEAT)
    return np.asarray(slope + near.pieces.T @ _through_unit(raw_near, wrong.T @ unit / _HEAT))


def _shares(similarities: np.ndarray, *, own: bool = True) -> np.ndarray:
    """Return rows of shares that sum to 1; without `own`, none for a text and itself."""
    scaled = similarities / _HEAT
    if not own:
        np.fill_diagonal(scaled, -1e9)
    raised = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    shares: np.ndarray = raised / raised.sum(axis=1, keepdims=True)
    return shares


def _unit(raw: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = raw / np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-6)
    return scaled


def _through_unit(raw: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return the slope before a vector was brought to unit length."""
    length = np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-6)
    unit = raw / length
    turned: np.ndarray = (slope - unit * (unit * slope).sum(axis=1, keepdims=True)) / length
    return turned
