"""MiniLM in JAX with an output for the relations between entities: the teacher's network.

The type of a mention is added to its pieces' vectors. An entity is the mean state of its mentions' pieces; what a pair
attends to together is its context; a bilinear form of both ends gives one score a relation.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from training.ner import transformer
from training.ner.wordpieces import SHAPES

MARKS = 13  # no mention; the first piece of a mention of each of six types, the pieces after it
DISTANCES = 10  # how two entities stand to each other
NEAR = 24  # width of their vectors
HALF = 192  # width of each end
GROUP = 24

Parameters = dict[str, Any]


def initial(seed: int, relations: int) -> tuple[jax.Array, Parameters]:
    """Return the vectors of pieces, which stay, and what is trained."""
    vectors, net = transformer.initial(seed)
    random = np.random.default_rng(seed + 1)

    def small(*shape: int, scale: float = 0.02) -> jax.Array:
        return jnp.array(random.normal(0, scale, shape), jnp.float32)

    width = transformer.WIDTH
    encoder = {name: net[name] for name in ("positions", "kind", "norm", "norm_b", "layers")}
    encoder["shapes"] = small(MARKS * SHAPES, width)
    inputs = 2 * width + NEAR
    head = {
        "near": small(DISTANCES, NEAR, scale=0.3),
        "source": small(inputs, HALF, scale=inputs**-0.5),
        "source_b": jnp.zeros(HALF),
        "target": small(inputs, HALF, scale=inputs**-0.5),
        "target_b": jnp.zeros(HALF),
        "out": small(HALF * GROUP, relations, scale=0.02),
        "ends": small(2 * HALF, relations, scale=0.05),
        "out_b": jnp.full(relations, -5.0),
    }
    return vectors, {"encoder": encoder, "head": head}


def scores(vectors: jax.Array, net: Parameters, batch: dict[str, Any], key: Any = None) -> jax.Array:
    """Return the log odds of every relation, shape (texts, pairs, relations); with a key, as in training."""
    keys = [None] * 3 if key is None else jax.random.split(key, 3)
    encoder, head = net["encoder"], net["head"]
    before = transformer.states(vectors, encoder, batch, keys[0], layers=len(encoder["layers"]) - 1)
    x, attention = _last(before, encoder["layers"][-1], batch["mask"], keys[1])
    members = batch["members"]  # (texts, entities, pieces), rows sum to one
    entities = members @ x
    looks = jnp.einsum("tep,thpq->tehq", members, attention)

    def chosen(rows: jax.Array, which: jax.Array) -> jax.Array:
        return jax.vmap(lambda one, numbers: one[numbers])(rows, which)

    shared = (chosen(looks, batch["sources"]) * chosen(looks, batch["targets"])).sum(2)
    shared = shared / (shared.sum(-1, keepdims=True) + 1e-9)
    context = shared @ x
    near = head["near"][batch["near"]]
    source = jnp.concatenate([chosen(entities, batch["sources"]), context, near], -1)
    target = jnp.concatenate([chosen(entities, batch["targets"]), context, near], -1)
    source = jnp.tanh(_drop(source, keys[2]) @ head["source"] + head["source_b"])
    target = jnp.tanh(_drop(target, keys[2]) @ head["target"] + head["target_b"])
    groups = (*source.shape[:2], HALF // GROUP, GROUP)
    both = source.reshape(groups)[..., :, None] * target.reshape(groups)[..., None, :]
    flat = both.reshape(*source.shape[:2], -1)
    ends = jnp.concatenate([source, target], -1)
    return flat @ head["out"] + ends @ head["ends"] + head["out_b"]


def loss(net: Parameters, vectors: jax.Array, batch: dict[str, Any], key: Any) -> jax.Array:
    """Return the negative log probability of the right relations, a pair."""
    found = scores(vectors, net, batch, key)
    right = batch["right"]
    costs = jax.nn.softplus(found) - right * found
    return (costs.sum(-1) * batch["weights"]).sum() / batch["weights"].sum()


def _last(x: jax.Array, layer: Parameters, mask: jax.Array, key: Any) -> tuple[jax.Array, jax.Array]:
    """Return the states after the last layer, and what each piece attends to in it."""
    texts, length, width = x.shape
    size = width // transformer.HEADS

    def heads(short: str) -> jax.Array:
        projected = x @ layer[short] + layer[short + "_b"]
        return projected.reshape(texts, length, transformer.HEADS, size).transpose(0, 2, 1, 3)

    hidden = jnp.where(mask[:, None, None, :], 0, -1e9)
    attention = jax.nn.softmax(heads("q") @ heads("k").transpose(0, 1, 3, 2) / np.sqrt(size) + hidden, -1)
    joined = (attention @ heads("v")).transpose(0, 2, 1, 3).reshape(texts, length, width)
    x = _norm(x + _drop(joined @ layer["o"] + layer["o_b"], key), layer["n1"], layer["n1_b"])
    wide = jax.nn.gelu(x @ layer["i"] + layer["i_b"], approximate=False)
    return _norm(x + wide @ layer["d"] + layer["d_b"], layer["n2"], layer["n2_b"]), attention


def _norm(x: jax.Array, weight: jax.Array, bias: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * weight + bias


def _drop(x: jax.Array, key: Any) -> jax.Array:
    if key is None:
        return x
    return x * jax.random.bernoulli(key, 1 - transformer.DROPOUT, x.shape) / (1 - transformer.DROPOUT)
