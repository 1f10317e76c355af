"""The transformer behind the relation model, in NumPy: from the pieces of a text to log odds. Pure.

Every piece looks at all others of its window, layer by layer. An entity is the mean of its mentions' pieces; what both
ends of a pair look at in the last layer is the pair's context; both ends together decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kg_neo4j.offline.networks.relation_features import Integers, TextFeatures
from kg_neo4j.offline.networks.relation_pieces import NEAR, Window

Floats = npt.NDArray[np.float32]

HEADS = 12
GROUP = 24  # of both ends' numbers that are multiplied with each other

_AT_ONCE = 512  # pairs
_LOW, _HIGH = -30.0, 30.0
_LAYER = ("q", "k", "v", "o", "i", "d", "n1", "n2")


@dataclass(frozen=True, slots=True)
class RelationReader:
    """Weights by name; `training/relations/reader.py` makes them."""

    arrays: Mapping[str, Floats]
    layers: int

    @classmethod
    def read(cls, file: Path) -> RelationReader:
        """Read weights from an .npz file of plain arrays; tables of bytes have a scale for each row beside them."""
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: restore(stored, name) for name in stored.files if not name.endswith(".scale")}
        return cls(arrays, sum(name.endswith(".q") for name in arrays))

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
        x += weights["positions"][:size] + weights["kind"] + weights["shapes"][window.shapes]
        x = _norm(x, weights["norm"], weights["norm_b"])
        attention = np.zeros((0, size, size), np.float32)
        for number in range(self.layers):
            x, attention = self._layer(x, number)
        members = np.zeros((count, size), np.float32)
        for entity, begin, after in window.spans.tolist():
            members[entity, begin:after] += 1 / (after - begin)
        return members @ x, x, members @ attention

    def _layer(self, x: Floats, number: int) -> tuple[Floats, Floats]:
        """Return the states after a layer, and what each piece looks at in it: (heads, pieces, pieces)."""
        layer = {short: self.arrays[f"{number}.{short}"] for name in _LAYER for short in (name, name + "_b")}
        size, width = x.shape

        def heads(short: str) -> Floats:
            projected: Floats = x @ layer[short] + layer[short + "_b"]
            return projected.reshape(size, HEADS, -1).transpose(1, 0, 2)

        scores = heads("q") @ heads("k").transpose(0, 2, 1)
        scores *= np.float32((width // HEADS) ** -0.5)
        scores -= scores.max(-1, keepdims=True)
        attention = np.exp(scores, out=scores)
        attention /= attention.sum(-1, keepdims=True)
        joined = (attention @ heads("v")).transpose(1, 0, 2).reshape(size, width)
        x = _norm(x + joined @ layer["o"] + layer["o_b"], layer["n1"], layer["n1_b"])
        wide = _gelu(x @ layer["i"] + layer["i_b"])
        return _norm(x + wide @ layer["d"] + layer["d_b"], layer["n2"], layer["n2_b"]), attention

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


def _norm(x: Floats, weight: Floats, bias: Floats) -> Floats:
    centred = x - x.mean(-1, keepdims=True)
    found: Floats = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * weight + bias
    return found


def _gelu(x: Floats) -> Floats:
    inner = x * x
    inner *= np.float32(0.044715)
    inner += 1
    inner *= x
    inner *= np.float32(0.7978845608)
    np.tanh(inner, out=inner)
    inner += 1
    inner *= x
    inner *= np.float32(0.5)
    return inner
