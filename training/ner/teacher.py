"""Teaches MiniLM the mentions of Re-DocRED, so that it can annotate the passages that nobody annotated."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import numpy as np
import optax
from training.ner import transformer
from training.ner.passages import Passage, Span
from training.ner.tags import best_tags, spans_of, tags_of
from training.ner.tokens import blank
from training.ner.wordpieces import CLS, MARK_SHAPE, SEP, pieces, shape

EPOCHS = 7
RATE = 3e-4
AT_ONCE = 6  # passages
LONGEST = 512  # pieces; what a passage has beyond them is not read
_LENGTHS = (64, 96, 128, 192, 256, 320, 384, 512)  # few shapes, because each is compiled
_POOL = 8  # batches whose passages are sorted by length
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Coded:
    """A passage as numbers."""

    pieces: list[int]
    shapes: list[int]
    first: list[int]  # place of each word's first piece; 0 for a word of blanks
    words: list[Span]  # start, end, text
    tags: list[int]


def code(passage: Passage) -> Coded:
    """Return a passage as numbers, with the tags that its spans mean."""
    numbers, shapes, first, words = [CLS], [MARK_SHAPE], [], []
    before = "."
    for token in blank().make_doc(passage.text):
        own = () if token.is_space else pieces(token.text)
        if len(numbers) + len(own) >= LONGEST:
            break
        words.append((token.idx, token.idx + len(token), token.text))
        first.append(len(numbers) if own else 0)
        numbers += own
        shapes += [shape(token.text, starts=before in '.!?"“')] * len(own)
        before = before if token.is_space else token.text
    return Coded([*numbers, SEP], [*shapes, MARK_SHAPE], first, words, tags_of(words, passage.spans))


class Teacher:
    """A trained network: finds mentions, slowly and well."""

    def __init__(self, net: transformer.Parameters) -> None:
        self.net = jax.tree.map(jax.numpy.array, net)
        self._vectors = transformer.initial(0)[0]
        self._scores = jax.jit(transformer.tag_scores)

    def tag(self, passage: Passage) -> tuple[Coded, np.ndarray, list[int]]:
        """Return a passage's words, the log probabilities of their tags, and the best tags."""
        coded = code(passage)
        scores = np.array(self._scores(self._vectors, self.net, _batch([coded])))[0][: len(coded.words)]
        return coded, scores, best_tags(scores)

    def find(self, passage: Passage) -> list[Span]:
        """Return the mentions of a passage."""
        coded, _, tags = self.tag(passage)
        return spans_of(tags, coded.words)


def teach(passages: Sequence[Passage], seed: int, epochs: int = EPOCHS) -> transformer.Parameters:
    """Return a network trained on `passages`."""
    coded = [code(passage) for passage in passages]
    vectors, net = transformer.initial(seed)
    steps = epochs * len(list(_order(coded, np.random.default_rng(seed))))
    rate = optax.warmup_cosine_decay_schedule(0, RATE, steps // 10, steps, RATE / 50)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.01))
    state = optimiser.init(net)

    @jax.jit
    def step(net: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any, Any]:
        cost, slope = jax.value_and_grad(transformer.loss)(net, vectors, batch, key)
        change, state = optimiser.update(slope, state, net)
        return optax.apply_updates(net, change), state, cost

    random, key = np.random.default_rng(seed), jax.random.PRNGKey(seed)
    for epoch in range(epochs):
        costs = []
        for group in _order(coded, random):
            key, own = jax.random.split(key)
            net, state, cost = step(net, state, _batch(group), own)
            costs.append(float(cost))
        _LOG.info("teacher: epoch %d of %d, loss %.4f", epoch + 1, epochs, np.mean(costs))
    return jax.tree.map(np.array, net)


def save(net: transformer.Parameters, file: Path) -> None:
    """Write a network for later steps of the same training; never shipped."""
    file.write_bytes(pickle.dumps(net))


def restore(file: Path) -> Teacher:
    """Return the network that `save` wrote."""
    return Teacher(pickle.loads(file.read_bytes()))  # noqa: S301 - written by this training a moment ago


def _order(coded: list[Coded], random: np.random.Generator) -> Iterator[list[Coded]]:
    """Yield full batches in random order, each of passages of about the same length; what is left over waits."""
    shuffled = random.permutation(len(coded))
    for start in range(0, len(shuffled), AT_ONCE * _POOL):
        pool = sorted(shuffled[start : start + AT_ONCE * _POOL], key=lambda number: len(coded[number].pieces))
        groups = [pool[first : first + AT_ONCE] for first in range(0, len(pool) - AT_ONCE + 1, AT_ONCE)]
        for place in random.permutation(len(groups)):
            yield [coded[number] for number in groups[place]]


def _batch(group: Sequence[Coded]) -> dict[str, Any]:
    """Return arrays of the same length for several passages."""
    longest = max(len(each.pieces) for each in group)
    length = next(length for length in _LENGTHS if length >= longest)

    def padded(name: str) -> np.ndarray:
        rows = [getattr(each, name) for each in group]
        return np.array([[*row, *[0] * (length - len(row))] for row in rows], np.int32)

    arrays = {name: padded(name) for name in ("pieces", "shapes", "first", "tags")}
    return {**arrays, "mask": arrays["pieces"] > 0}
