"""Trains the network that settles a name's type from the whole text."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from kg_neo4j_offline.networks.mention_types import BUCKETS, HASHES, TYPES, describe

NEURONS, HASH_WIDTH = 256, 12
EPOCHS, AT_ONCE, RATE, DECAY = 3, 256, 1e-3, 0.01
DROPPED_INPUTS, DROPPED_NEURONS = 0.4, 0.5  # with less it learns names by heart
_LOG = logging.getLogger(__name__)

Network = dict[str, Any]


def train(vectors: Path, documents: Path, file: Path, seed: int) -> None:
    """Learn from the names in spaCy `documents`, with the word vectors of a pipeline, and write the weights."""
    features, hashes, right = _examples(vectors, documents)
    _LOG.info("types: %d mentions, %d features", *features.shape)
    net = _initial(features.shape[1], seed)
    steps = EPOCHS * (len(right) // AT_ONCE)
    optimiser = optax.adamw(optax.cosine_decay_schedule(RATE, steps), weight_decay=DECAY)
    state = optimiser.init(net)

    @jax.jit
    def step(net: Network, state: Any, batch: tuple[Any, Any, Any], key: Any) -> tuple[Network, Any, Any]:
        cost, slope = jax.value_and_grad(_loss)(net, batch, key)
        change, state = optimiser.update(slope, state, net)
        return optax.apply_updates(net, change), state, cost

    random, key = np.random.default_rng(seed), jax.random.PRNGKey(seed)
    for epoch in range(EPOCHS):
        order = random.permutation(len(right))
        costs = []
        for start in range(0, len(order) - AT_ONCE + 1, AT_ONCE):
            rows = order[start : start + AT_ONCE]
            key, own = jax.random.split(key)
            batch = (features[rows].astype(np.float32), hashes[rows], right[rows])
            net, state, cost = step(net, state, batch, own)
            costs.append(float(cost))
        _LOG.info("types: epoch %d of %d, loss %.4f", epoch + 1, EPOCHS, np.mean(costs))
    np.savez(file, **{name: np.array(array, np.float16) for name, array in net.items()})


def _examples(vectors: Path, documents: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import spacy
    from spacy.tokens import DocBin

    nlp = spacy.load(vectors)
    features, hashes, right = [], [], []
    for document in DocBin().from_disk(documents).get_docs(nlp.vocab):
        names = [entity for entity in document.ents if entity.label_ in TYPES]
        if names:
            rows, parts = describe(document, [(name.start, name.end) for name in names])
            features.append(rows.astype(np.float16))
            hashes.append(parts)
            right += [TYPES.index(name.label_) for name in names]
    return np.concatenate(features), np.concatenate(hashes), np.array(right)


def _initial(features: int, seed: int) -> Network:
    random = np.random.default_rng(seed)
    inputs = features + HASHES * HASH_WIDTH
    arrays = {
        "hashed": random.normal(0, 0.05, (HASHES, BUCKETS, HASH_WIDTH)),
        "hidden": random.normal(0, inputs**-0.5, (inputs, NEURONS)),
        "hidden_bias": np.zeros(NEURONS),
        "out": random.normal(0, 0.05, (NEURONS, len(TYPES))),
        "out_bias": np.zeros(len(TYPES)),
    }
    return {name: jnp.array(array, jnp.float32) for name, array in arrays.items()}


def _loss(net: Network, batch: tuple[Any, Any, Any], key: Any) -> jax.Array:
    features, hashes, right = batch
    of_inputs, of_neurons = jax.random.split(key)
    looked_up = net["hashed"][jnp.arange(HASHES)[None], hashes].reshape(len(features), -1)
    inputs = _drop(jnp.concatenate([features, looked_up], 1), of_inputs, DROPPED_INPUTS)
    neurons = _drop(jax.nn.relu(inputs @ net["hidden"] + net["hidden_bias"]), of_neurons, DROPPED_NEURONS)
    chances = jax.nn.log_softmax(neurons @ net["out"] + net["out_bias"])
    return -jnp.take_along_axis(chances, right[:, None], 1).mean()


def _drop(x: jax.Array, key: Any, share: float) -> jax.Array:
    return x * jax.random.bernoulli(key, 1 - share, x.shape) / (1 - share)
