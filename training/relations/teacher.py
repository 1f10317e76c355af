"""Teaches MiniLM the relations of Re-DocRED, so that it can judge the passages that nobody annotated."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import numpy as np
import optax
from training.ner.tokens import blank
from training.ner.wordpieces import CLS, MARK_SHAPE, SEP, SHAPES, pieces, shape
from training.relations import network
from training.relations.passages import LABELS, Passage

EPOCHS = 9
RATE, HEAD_RATE = 2e-4, 1e-3
AT_ONCE = 3  # passages
PAIRS = 480  # of a passage, while it learns: all that are related, and some of the others
LONGEST = 512
_LENGTHS = (96, 160, 224, 288, 352, 416, 512)
_ENTITIES = (16, 24, 32, 48, 64, 96)
_POOL = 10
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Coded:
    """A passage as numbers."""

    pieces: list[int]
    shapes: list[int]
    members: np.ndarray  # (entities, pieces)
    near: np.ndarray  # (entities, entities)
    right: dict[tuple[int, int], list[int]]


def code(passage: Passage) -> Coded:
    """Return a passage as numbers, with its right relations."""
    numbers, shapes = [CLS], [MARK_SHAPE]
    spans: list[tuple[int, int, int]] = []  # first piece, character start, end
    before = "."
    for token in blank().make_doc(passage.text):
        own = () if token.is_space else pieces(token.text)
        if len(numbers) + len(own) >= LONGEST:
            break
        spans.append((len(numbers), token.idx, token.idx + len(token)))
        numbers += own
        shapes += [shape(token.text, starts=before in '.!?"“')] * len(own)
        before = before if token.is_space else token.text
    spans.append((len(numbers), len(passage.text) + 1, len(passage.text) + 1))
    numbers, shapes = [*numbers, SEP], [*shapes, MARK_SHAPE]
    members = np.zeros((len(passage.entities), len(numbers)), np.float32)
    sentences = []
    for row, entity in enumerate(passage.entities):
        mark = 1 + 2 * LABELS.index(entity.type)
        for start, end in entity.mentions:
            own = [
                place
                for (place, first, last), after in pairwise(spans)
                for place in range(place, after[0])
                if first < end and start < last
            ]
            for number, place in enumerate(own):
                members[row, place] = 1 / len(own)
                if shapes[place] < SHAPES:
                    shapes[place] += SHAPES * (mark + (number > 0))
        sentences.append(passage.sentences_of(entity))
    members /= np.maximum(members.sum(1, keepdims=True), 1e-9)
    right: dict[tuple[int, int], list[int]] = {}
    for source, kind, target in passage.relations:
        right.setdefault((source, target), []).append(kind)
    return Coded(numbers, shapes, members, _near(sentences, passage), right)


def _near(sentences: list[list[int]], passage: Passage) -> np.ndarray:
    """Say of every two entities how many sentences lie between them, and which comes first."""
    count = len(sentences)
    near = np.zeros((count, count), np.int32)
    for one in range(count):
        for other in range(count):
            gap = min((abs(a - b) for a in sentences[one] for b in sentences[other]), default=9)
            first = passage.entities[one].mentions[0] <= passage.entities[other].mentions[0]
            near[one, other] = min(4, gap) + 5 * first
    return near


class Teacher:
    """A trained network: judges all pairs, slowly and well."""

    def __init__(self, net: network.Parameters) -> None:
        self.net = jax.tree.map(jax.numpy.array, net)
        self._vectors = network.initial(0, 1)[0]
        self._scores = jax.jit(network.scores)

    def judge(self, passage: Passage) -> np.ndarray:
        """Return the log odds of all relations of all pairs, shape (entities, entities, relations)."""
        coded = code(passage)
        count = len(coded.members)
        pairs = [(a, b) for a in range(count) for b in range(count)]
        size = 400
        found = []
        for start in range(0, len(pairs), size):
            some = pairs[start : start + size]
            batch = _batch([coded], [(some, np.ones(len(some)))], size)
            found.append(np.array(self._scores(self._vectors, self.net, batch))[0, : len(some)])
        return np.concatenate(found).reshape(count, count, -1)


def teach(passages: Sequence[Passage], relations: int, seed: int, epochs: int = EPOCHS, watch: Any = None) -> Any:
    """Return a network trained on `passages`."""
    coded = [code(passage) for passage in passages if len(passage.entities) > 1]
    vectors, net = network.initial(seed, relations)
    steps = epochs * len(list(_order(coded, np.random.default_rng(seed))))

    def schedule(rate: float) -> Any:
        return optax.warmup_cosine_decay_schedule(0, rate, steps // 12, steps, rate / 50)

    optimiser = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.multi_transform(
            {
                "encoder": optax.adamw(schedule(RATE), weight_decay=0.01),
                "head": optax.adamw(schedule(HEAD_RATE), weight_decay=0.01),
            },
            {"encoder": "encoder", "head": "head"},
        ),
    )
    state = optimiser.init(net)

    @jax.jit
    def step(net: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any, Any]:
        cost, slope = jax.value_and_grad(network.loss)(net, vectors, batch, key)
        change, state = optimiser.update(slope, state, net)
        return optax.apply_updates(net, change), state, cost

    random, key = np.random.default_rng(seed), jax.random.PRNGKey(seed)
    for epoch in range(epochs):
        costs = []
        for group in _order(coded, random):
            key, own = jax.random.split(key)
            chosen = [_choose(each, random) for each in group]
            net, state, cost = step(net, state, _batch(group, chosen, PAIRS), own)
            costs.append(float(cost))
        _LOG.info("teacher: epoch %d of %d, loss %.4f", epoch + 1, epochs, np.mean(costs))
        if watch is not None:
            watch(epoch, net)
    return jax.tree.map(np.array, net)


def save(net: Any, file: Path) -> None:
    """Write a network for later steps of the same training; never shipped."""
    file.write_bytes(pickle.dumps(jax.tree.map(np.array, net)))


def restore(file: Path) -> Teacher:
    """Return the network that `save` wrote."""
    return Teacher(pickle.loads(file.read_bytes()))  # noqa: S301 - written by this training a moment ago


def _choose(coded: Coded, random: np.random.Generator) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Return pairs to learn from and their weights: those drawn from many stand for the others."""
    count = len(coded.members)
    related = list(coded.right)[:PAIRS]
    others = [(a, b) for a in range(count) for b in range(count) if a != b and (a, b) not in coded.right]
    most = max(0, PAIRS - len(related))
    weights = np.ones(len(related) + min(most, len(others)))
    if len(others) > most:
        weights[len(related) :] = len(others) / max(1, most)
        others = [others[place] for place in random.permutation(len(others))[:most]]
    return [*related, *others], weights


def _order(coded: list[Coded], random: np.random.Generator) -> Iterator[list[Coded]]:
    """Yield full batches in random order, each of passages of about the same length."""
    shuffled = random.permutation(len(coded))
    for start in range(0, len(shuffled), AT_ONCE * _POOL):
        pool = sorted(shuffled[start : start + AT_ONCE * _POOL], key=lambda number: len(coded[number].pieces))
        groups = [pool[first : first + AT_ONCE] for first in range(0, len(pool) - AT_ONCE + 1, AT_ONCE)]
        for place in random.permutation(len(groups)):
            yield [coded[number] for number in groups[place]]


def _batch(group: Sequence[Coded], chosen: Sequence[tuple[Any, np.ndarray]], pairs: int) -> dict[str, Any]:
    """Return arrays of the same length for several passages."""
    length = next(size for size in _LENGTHS if size >= max(len(each.pieces) for each in group))
    entities = next(size for size in _ENTITIES if size >= max(len(each.members) for each in group))
    batch: dict[str, Any] = {
        "pieces": np.zeros((len(group), length), np.int32),
        "shapes": np.zeros((len(group), length), np.int32),
        "members": np.zeros((len(group), entities, length), np.float32),
        "sources": np.zeros((len(group), pairs), np.int32),
        "targets": np.zeros((len(group), pairs), np.int32),
        "near": np.zeros((len(group), pairs), np.int32),
        "weights": np.zeros((len(group), pairs), np.float32),
        "right": np.zeros((len(group), pairs, RELATIONS), np.float32),
    }
    for row, (each, (some, weights)) in enumerate(zip(group, chosen, strict=True)):
        batch["pieces"][row, : len(each.pieces)] = each.pieces
        batch["shapes"][row, : len(each.shapes)] = each.shapes
        batch["members"][row, : len(each.members), : each.members.shape[1]] = each.members
        batch["weights"][row, : len(some)] = weights
        for place, (source, target) in enumerate(some):
            batch["sources"][row, place], batch["targets"][row, place] = source, target
            batch["near"][row, place] = each.near[source, target]
            for kind in each.right.get((source, target), ()):
                batch["right"][row, place, kind] = 1
    return {**batch, "mask": batch["pieces"] > 0}


RELATIONS = 96
