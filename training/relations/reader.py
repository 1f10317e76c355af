"""The small transformer that ships, in JAX for training; `offline.networks.relation_network` is the same in NumPy.

It begins as some layers of the teacher, with the vectors of pieces pressed into fewer numbers, and learns from
annotated passages and from what the teacher says of others.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from training.ner import wordpieces
from training.relations import network

from kg_neo4j_offline.networks.relation_features import NEAR, PieceVocabulary, TextFeatures, Window

KEPT = (0, 1, 2, 3)  # layers of the teacher
RANK = 128  # numbers a piece
RATE, HEAD_RATE = 1e-4, 5e-4
_SHAPES = ((96, 24, 200, 10), (160, 40, 360, 6), (256, 64, 480, 4), (512, 160, 480, 2))
# of a step: pieces, entities, pairs of a passage, and passages; few shapes, because each is compiled
_LOG = logging.getLogger(__name__)
Parameters = dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """A text with what is right, or likely, of each pair."""

    features: TextFeatures
    window: Window
    right: np.ndarray  # (pairs, relations), 0 to 1
    weight: float = 1.0


def latin_pieces() -> list[str]:
    """Return the pieces that ship: those of Latin letters, digits and signs, and the marks."""
    known = wordpieces.vocabulary()
    marks = ("[UNK]", "[CLS]", "[SEP]")
    return [*marks, *(piece for piece in known if piece[0] != "[" and max(piece) < "\u0250")]


def begin(taught: Parameters, pieces: Sequence[str], counts: np.ndarray) -> tuple[np.ndarray, Parameters]:
    """Return the vectors of `pieces`, as bytes would hold them, and what is trained, from a teacher's weights."""
    known = wordpieces.vocabulary()
    table = np.asarray(network.initial(0, 1)[0])[[known[piece] for piece in pieces]]
    weight = np.sqrt(counts + 1.0)[:, None]
    _, _, ways = np.linalg.svd(table * weight, full_matrices=False)
    project = ways[:RANK]
    vectors = table @ project.T
    scale = (np.abs(vectors).max(1, keepdims=True) / 127).astype(np.float16).astype(np.float32)
    encoder = dict(taught["encoder"])
    encoder["layers"] = [taught["encoder"]["layers"][number] for number in KEPT]
    encoder["project"] = project
    vectors = np.round(vectors / scale).clip(-127, 127) * scale
    return vectors.astype(np.float32), {"encoder": encoder, "head": dict(taught["head"])}


def train(
    vectors: np.ndarray, net: Parameters, readings: Sequence[Reading], seed: int, *, epochs: int, watch: Any = None
) -> Parameters:
    """Return the weights after so many rounds over `readings`."""
    net = jax.tree.map(jnp.array, net)
    table = jnp.array(vectors)
    random, key = np.random.default_rng(seed), jax.random.PRNGKey(seed)
    steps = epochs * len(list(_groups(readings, np.random.default_rng(seed))))

    def schedule(rate: float) -> Any:
        return optax.warmup_cosine_decay_schedule(0, rate, steps // 20, steps, rate / 50)

    rates = {"encoder": optax.adamw(schedule(RATE), weight_decay=0.01)}
    rates["head"] = optax.adamw(schedule(HEAD_RATE), weight_decay=0.01)
    labels = {"encoder": "encoder", "head": "head"}
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.multi_transform(rates, labels))
    state = optimiser.init(net)

    @jax.jit
    def step(net: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any, Any]:
        cost, slope = jax.value_and_grad(network.loss)(net, table, batch, key)
        change, state = optimiser.update(slope, state, net)
        return optax.apply_updates(net, change), state, cost

    for epoch in range(epochs):
        costs = []
        for group in _groups(readings, random):
            key, own = jax.random.split(key)
            batch = batch_of(group, [_choose(each, random) for each in group])
            net, state, cost = step(net, state, batch, own)
            costs.append(float(cost))
            if len(costs) % 50 == 0:
                _LOG.info("reader: %d steps of %d, loss %.4f", len(costs), steps // epochs, np.mean(costs[-50:]))
        _LOG.info("reader: round %d of %d, loss %.4f", epoch + 1, epochs, np.mean(costs))
        if watch is not None:
            watch(epoch, net)
    return jax.tree.map(np.array, net)


_SCORES = jax.jit(network.scores)


def judge(vectors: np.ndarray, net: Parameters, reading: Reading) -> np.ndarray:
    """Return the log odds of every relation, shape (pairs, relations)."""
    found = []
    count = len(reading.features.pairs)
    pairs = _shape(reading)[2]
    for start in range(0, count, pairs):
        some = np.arange(start, min(count, start + pairs))
        batch = batch_of([reading], [(some, np.ones(len(some), np.float32))])
        found.append(np.array(_SCORES(jnp.array(vectors), net, batch))[0, : len(some)])
    return np.concatenate(found)


def _choose(reading: Reading, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs to learn from and their weights: those drawn from many stand for the others."""
    most = _shape(reading)[2]
    is_likely = reading.right.max(1) > 0.1
    likely, others = np.flatnonzero(is_likely)[:most], np.flatnonzero(~is_likely)
    drawn = random.permutation(others)[: most - len(likely)]
    weights = np.full(len(likely) + len(drawn), reading.weight, np.float32)
    weights[len(likely) :] *= len(others) / max(1, len(drawn))
    return np.concatenate([likely, drawn]), weights


def _groups(readings: Sequence[Reading], random: np.random.Generator) -> Iterator[list[Reading]]:
    """Yield the passages in random order, in groups of one shape."""
    open_groups: dict[tuple[int, ...], list[Reading]] = {}
    for place in random.permutation(len(readings)):
        shape = _shape(readings[place])
        group = open_groups.setdefault(shape, [])
        group.append(readings[place])
        if len(group) == shape[3]:
            yield open_groups.pop(shape)
    yield from open_groups.values()


def _shape(reading: Reading) -> tuple[int, int, int, int]:
    length, entities = len(reading.window.pieces), len(reading.features.types)
    return next(shape for shape in _SHAPES if shape[0] >= length and shape[1] >= entities)


def batch_of(group: Sequence[Reading], chosen: Sequence[tuple[np.ndarray, np.ndarray]]) -> dict[str, Any]:
    """Return arrays of the same length for several passages and the pairs chosen of them."""
    length, entities, pairs, rows = _shape(group[0])
    relations = group[0].right.shape[1]
    whole = {"pieces": (rows, length), "shapes": (rows, length)}
    whole |= dict.fromkeys(("sources", "targets", "near"), (rows, pairs))
    batch: dict[str, Any] = {name: np.zeros(size, np.int32) for name, size in whole.items()}
    batch["mask"] = np.zeros((rows, length), bool)
    batch["mask"][:, 0] = True
    batch["members"] = np.zeros((rows, entities, length), np.float32)
    batch["weights"] = np.zeros((rows, pairs), np.float32)
    batch["right"] = np.zeros((rows, pairs, relations), np.float32)
    for row, (each, (some, weights)) in enumerate(zip(group, chosen, strict=True)):
        window, size = each.window, len(each.window.pieces)
        batch["pieces"][row, :size], batch["shapes"][row, :size] = window.pieces, window.shapes
        batch["mask"][row, :size] = True
        for entity, first, after in window.spans.tolist():
            batch["members"][row, entity, first:after] += 1 / (after - first)
        batch["weights"][row, : len(some)] = weights
        source, target, distance = each.features.pairs[some].T
        begins = np.full(entities, np.iinfo(np.int32).max)
        np.minimum.at(begins, each.features.spans[:, 0], each.features.spans[:, 1])
        batch["sources"][row, : len(some)], batch["targets"][row, : len(some)] = source, target
        batch["near"][row, : len(some)] = np.minimum(distance, NEAR - 1) + NEAR * (begins[source] <= begins[target])
        batch["right"][row, : len(some)] = each.right[some]
    batch["members"] /= np.maximum(batch["members"].sum(2, keepdims=True), 1e-9)
    return batch


def count_pieces(windows: Sequence[Window], vocabulary: PieceVocabulary) -> np.ndarray:
    """Return how often each piece stands in the texts."""
    return np.bincount(np.concatenate([each.pieces for each in windows]), minlength=len(vocabulary.numbers))
