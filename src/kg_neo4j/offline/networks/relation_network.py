"""The network behind the relation model, in NumPy: from the arrays of a text to log odds. Pure.

Two stages. The first looks at a pair of entities: what they are called, the words around and between their mentions,
the path through the tree of the sentence. The second looks at what the first said of the other pairs of the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kg_neo4j.offline.networks.relation_features import BUCKETS, LINK, TYPES, TextFeatures
from kg_neo4j.offline.networks.relation_reader import restore

Floats = npt.NDArray[np.float32]

_WINDOW = 4  # words to each side of a mention
_LOW, _HIGH = -30.0, 30.0  # log odds beyond these are cut, for the sake of exp


@dataclass(frozen=True, slots=True)
class RelationNetwork:
    """Weights; `training/relations/student.py` makes them."""

    words: Floats  # (2 * BUCKETS, hashed): by what comes first, target or source
    couples: Floats
    up: Floats  # (BUCKETS, hashed)
    down: Floats
    top: Floats
    first_names: Floats  # (NAME_BUCKETS, hashed)
    last_names: Floats
    token: Floats  # (vector and state, token)
    marks: Floats  # (7, token)
    source: Floats  # (entity, hidden)
    target: Floats
    source_product: Floats  # (entity, product)
    target_product: Floats
    hashed: Floats  # (5 * hashed, hidden)
    beside: Floats  # (10, token, hidden)
    about: Floats  # (vector, hidden)
    near: Floats  # (2 * NEARS, hidden)
    distance: Floats  # (DISTANCES, hidden)
    hidden_bias: Floats
    out: Floats  # (hidden, relations)
    product: Floats  # (product, relations)
    kinds: Floats  # (types * types, relations)
    step_one: Floats  # (relations, steps)
    step_two: Floats
    second: Floats  # (6 * relations + steps, second)
    second_bias: Floats
    second_out: Floats  # (second, relations)

    @classmethod
    def read(cls, file: Path) -> RelationNetwork:
        """Read weights from an .npz file of plain arrays; tables of bytes have a scale for each row."""
        with np.load(file, allow_pickle=False) as arrays:
            return cls(**{name: restore(arrays, name) for name in cls.__slots__})

    def score(self, features: TextFeatures) -> Floats:
        """Return the log odds of every relation, shape (pairs, relations)."""
        first = self.score_alone(features)
        if not len(first):
            return first
        found: Floats = np.clip(first + self._second(first, features), _LOW, _HIGH)
        return found

    def score_alone(self, features: TextFeatures) -> Floats:
        """Return the log odds that the first stage gives each pair by itself."""
        if not len(features.pairs):
            return np.zeros((0, self.out.shape[1]), np.float32)
        seen = np.concatenate([features.vectors, features.states], 1)
        tokens = np.maximum(seen @ self.token + self.marks[features.marks], 0)
        entities = self._entities(features, tokens)
        link = {name: features.links[:, place] for place, name in enumerate(LINK)}
        sources, targets, distances = features.pairs.T
        fixed = (entities @ self.source)[sources] + (entities @ self.target)[targets]
        fixed += self.distance[distances] + (features.about @ self.about + self.hidden_bias)
        hidden = fixed[link["pair"]] + self._hashed(features, link) @ self.hashed
        hidden += self._beside(tokens, link)
        hidden += self.near[link["near"] * 2 + link["is_first"]]
        starts = np.flatnonzero(np.append(True, link["pair"][1:] != link["pair"][:-1]))
        best = np.maximum(np.maximum.reduceat(hidden, starts, axis=0), 0)
        product = np.tanh(entities @ self.source_product)[sources] * np.tanh(entities @ self.target_product)[targets]
        kinds = features.types[sources] * len(TYPES) + features.types[targets]
        found: Floats = np.clip(best @ self.out + product @ self.product + self.kinds[kinds], _LOW, _HIGH)
        return found

    def _entities(self, features: TextFeatures, tokens: Floats) -> Floats:
        sums, spans = _sums(tokens), features.spans
        owner, first, after = spans.T
        left, right = np.maximum(first - _WINDOW, 0), np.minimum(after + _WINDOW, len(tokens))
        mentions = np.concatenate([_mean(sums, first, after), _mean(sums, left, first), _mean(sums, after, right)], 1)
        count = len(features.types)
        total = np.zeros((count, mentions.shape[1]), np.float32)
        np.add.at(total, owner, mentions)
        total /= np.maximum(np.bincount(owner, minlength=count), 1)[:, None]
        heads = features.heads
        names = [self.first_names[features.names[heads[:, 0]]], self.last_names[features.names[heads[:, 1]]]]
        vectors = [features.vectors[heads[:, 0]], features.vectors[heads[:, 1]]]
        kinds = np.eye(len(TYPES), dtype=np.float32)[features.types]
        return np.concatenate([total, *names, *vectors, kinds, features.facts], 1)

    def _hashed(self, features: TextFeatures, link: dict[str, Any]) -> Floats:
        side, begin, middle = link["is_first"], link["begin"], link["middle"]
        scale = 1 / np.sqrt(np.maximum(middle - begin, 1))[:, None]
        top, has_path = np.maximum(link["top"], 0), (link["top"] >= 0)[:, None]
        deepest = int((features.up >= 0).sum(1).max())

        def between(table: Floats, numbers: npt.NDArray[np.int32]) -> Floats:
            sums = np.stack([_sums(table[numbers + BUCKETS * way]) for way in (0, 1)])
            found: Floats = ((sums[side, middle] - sums[side, begin]) * scale).astype(np.float32)
            return found

        def along(table: Floats, end: npt.NDArray[np.int32]) -> Floats:
            rows = np.concatenate([table[features.steps], np.zeros((1, table.shape[1]), np.float32)])
            chains = rows[features.up[:, :deepest]].sum(1)
            found: Floats = (chains[end] - chains[top]) * has_path
            return found

        parts = [between(self.words, features.words), between(self.couples, features.couples)]
        parts += [along(self.up, features.ends[:, 0]), along(self.down, features.ends[:, 1])]
        return np.concatenate([*parts, self.top[features.words[top]] * has_path], 1)

    def _beside(self, tokens: Floats, link: dict[str, Any]) -> Floats:
        side, begin, middle = link["is_first"], link["begin"], link["middle"]
        inner = np.where(middle > begin, begin, -1)
        total = np.zeros((len(side), self.beside.shape[2]), np.float32)
        seen = np.matmul(tokens, self.beside[:8])
        for number, place in enumerate((link["left"], link["right"], inner, link["last"])):
            total += seen[2 * number + side, np.maximum(place, 0)] * (place >= 0)[:, None]
        mean = _mean(_sums(tokens), begin, middle)
        for way in (0, 1):
            total[side == way] += mean[side == way] @ self.beside[8 + way]
        return total

    def _second(self, first: Floats, features: TextFeatures) -> Floats:
        """Return what the other pairs of the text add to the log odds."""
        said = 1 / (1 + np.exp(-first))
        count = len(features.types)
        one, other = features.pairs[:, 0], features.pairs[:, 1]
        grid = np.zeros((count, count, said.shape[1]), np.float32)
        grid[one, other] = said
        leaving, entering = grid.max(1), grid.max(0)
        ways = np.matmul((grid @ self.step_one).transpose(2, 0, 1), (grid @ self.step_two).transpose(2, 0, 1))
        seen = [said, grid[other, one], leaving[one], entering[one], leaving[other], entering[other]]
        inputs = np.concatenate([*seen, np.tanh(ways[:, one, other].T)], 1)
        found: Floats = np.maximum(inputs @ self.second + self.second_bias, 0) @ self.second_out
        return found


def _sums(rows: Floats) -> Floats:
    return np.concatenate([np.zeros_like(rows[:1]), np.cumsum(rows, 0, dtype=np.float32)])


def _mean(sums: Floats, start: Any, end: Any) -> Floats:
    found: Floats = (sums[end] - sums[start]) / np.maximum(end - start, 1).astype(np.float32)[:, None]
    return found
