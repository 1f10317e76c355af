"""The networks behind the relation model, in NumPy: from the arrays and pieces of a text to log odds. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kg_neo4j_offline.networks.relation_features import BUCKETS, LINK, NEAR, TYPES, Integers, TextFeatures, Window

Floats = npt.NDArray[np.float32]

HEADS = 12
GROUP = 24  # of both ends' numbers that are multiplied with each other

_AT_ONCE = 512  # pairs
_LOW, _HIGH = -30.0, 30.0
_LAYER = ("qkv", "qkv_b", "o", "o_b", "i", "i_b", "d", "d_b", "n1", "n1_b", "n2", "n2_b")
_ROWS = 32  # of a layer's widest array, which stay in the processor's cache


@dataclass(frozen=True, slots=True)
class RelationReader:
    """Weights by name; `training/relations/reader.py` makes them."""

    arrays: Mapping[str, Floats]
    layers: int

    @classmethod
    def read(cls, file: Path) -> RelationReader:
        """Read weights from an .npz file of plain arrays; tables of bytes have a scale for each row."""
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: restore(stored, name) for name in stored.files if not name.endswith(".scale")}
        layers = sum(name.endswith(".q") for name in arrays)
        for number in range(layers):
            for end in ("", "_b"):
                query, key, value = (arrays.pop(f"{number}.{name}{end}") for name in "qkv")
                query *= np.float32((query.shape[-1] // HEADS) ** -0.5)
                arrays[f"{number}.qkv{end}"] = np.concatenate([query, key, value], -1)
        return cls(arrays, layers)

    def score(self, features: TextFeatures, windows: Sequence[Window]) -> Floats:
        """Return the log odds of every relation, shape (pairs, relations)."""
        weights = self.arrays
        sources, targets, distances = features.pairs.T
        count = len(features.types)
        read = [self._states(window, count) for window in windows]
        named = np.maximum(np.bincount(features.spans[:, 0], minlength=count), 1).astype(np.float32)[:, None]
        entities = np.sum([each[0] for each in read], axis=0, dtype=np.float32) / named
        context = self._contexts(read, sources, targets)
        begins = np.full(count, np.iinfo(np.int32).max)
        np.minimum.at(begins, features.spans[:, 0], features.spans[:, 1])
        near = np.minimum(distances, NEAR - 1) + NEAR * (begins[sources] <= begins[targets])
        shared = np.concatenate([context, weights["near"][near]], 1)
        width = entities.shape[1]
        found = np.empty((len(sources), weights["out_b"].shape[0]), np.float32)
        from_entity = {end: entities @ weights[end][:width] + weights[end + "_b"] for end in ("source", "target")}
        for start in range(0, len(sources), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            source = np.tanh(from_entity["source"][sources[some]] + shared[some] @ weights["source"][width:])
            target = np.tanh(from_entity["target"][targets[some]] + shared[some] @ weights["target"][width:])
            groups = (len(source), -1, GROUP)
            both = source.reshape(groups)[..., :, None] * target.reshape(groups)[..., None, :]
            found[some] = both.reshape(len(source), -1) @ weights["out"]
            found[some] += np.concatenate([source, target], 1) @ weights["ends"]
        clipped: Floats = np.clip(found + weights["out_b"], _LOW, _HIGH)
        return clipped

    def _states(self, window: Window, count: int) -> tuple[Floats, Floats, Floats]:
        """Return sums of states by entity, all states, and what each entity looks at: (heads, entities, pieces)."""
        weights, size = self.arrays, len(window.pieces)
        x = weights["vectors"][window.pieces] @ weights["project"]
        x += weights["positions"][:size] + weights["kind"]
        x += weights["shapes"][window.shapes]
        _norm(x, weights["norm"], weights["norm_b"])
        members = np.zeros((count, size), np.float32)
        for entity, begin, after in window.spans.tolist():
            members[entity, begin:after] += 1 / (after - begin)
        # Every layer writes to these: queries, keys and values; attention; four times the width.
        shapes = (size, 3 * x.shape[1]), (HEADS, size, size), (size, 4 * x.shape[1])
        room = [np.empty(shape, np.float32) for shape in shapes]
        for number in range(self.layers):
            totals = self._layer(x, number, room)
        looks: Floats = np.matmul(np.divide(members, totals), room[1])  # whose rows are not divided yet
        return members @ x, x, looks

    def _layer(self, x: Floats, number: int, room: Sequence[Floats]) -> Floats:
        """Replace the states `x` by those after a layer, and return the sums of the rows of the attention."""
        in_projection, in_attention, wide = room
        layer = {name: self.arrays[f"{number}.{name}"] for name in _LAYER}
        size, width = x.shape
        projected = np.matmul(x, layer["qkv"], out=in_projection)
        projected += layer["qkv_b"]
        query, key, value = projected.reshape(size, 3, HEADS, -1).transpose(1, 2, 0, 3)
        attention = np.matmul(query, key.transpose(0, 2, 1), out=in_attention)
        attention -= attention.max(-1, keepdims=True)
        np.exp(attention, out=attention)
        totals: Floats = attention.sum(-1, keepdims=True)
        read = np.matmul(attention, value)
        read /= totals
        x += read.transpose(1, 0, 2).reshape(size, width) @ layer["o"]
        x += layer["o_b"]
        _norm(x, layer["n1"], layer["n1_b"])
        np.matmul(x, layer["i"], out=wide)
        for first in range(0, size, _ROWS):
            _gelu(wide[first : first + _ROWS], layer["i_b"])
        x += wide @ layer["d"]
        x += layer["d_b"]
        _norm(x, layer["n2"], layer["n2_b"])
        return totals.transpose(0, 2, 1)

    def _contexts(self, read: Sequence[tuple[Floats, Floats, Floats]], sources: Integers, targets: Integers) -> Floats:
        """Return for each pair the mean state of what both ends look at."""
        total = np.full((len(sources), 1), 1e-9, np.float32)
        sums = np.zeros((len(sources), self.arrays["kind"].shape[0]), np.float32)
        for _, states, looks in read:
            shared = np.zeros((len(sources), states.shape[0]), np.float32)
            for head in looks:
                shared += head[sources] * head[targets]
            total += shared.sum(1, keepdims=True)
            sums += shared @ states
        return sums / total


def restore(stored: Mapping[str, npt.NDArray[np.generic]], name: str) -> Floats:
    """Return an array of an .npz file in single precision."""
    found: Floats = stored[name].astype(np.float32)
    return found * stored[name + ".scale"].astype(np.float32) if name + ".scale" in stored else found


def _norm(x: Floats, weight: Floats, bias: Floats) -> None:
    x -= x.mean(-1, keepdims=True)
    spread = np.einsum("rc,rc->r", x, x)
    spread /= x.shape[1]
    spread += np.float32(1e-12)
    x /= np.sqrt(spread)[:, None]
    x *= weight
    x += bias


def _gelu(x: Floats, bias: Floats) -> None:
    """Add a bias and apply the gelu function, in place: 0.5 x (1 + tanh(u)), which is x / (1 + exp(-2 u))."""
    x += bias
    inner = x * x
    inner *= np.float32(-2 * 0.7978845608 * 0.044715)
    inner -= np.float32(2 * 0.7978845608)
    inner *= x
    with np.errstate(over="ignore"):  # infinite below -10, where the function is zero
        np.exp(inner, out=inner)
    inner += 1
    x /= inner


_WINDOW = 4  # words to each side of a mention


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
    near: Floats  # (24, hidden)
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
