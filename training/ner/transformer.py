"""MiniLM in JAX, with an input for the letter case and an output for the tags of mentions."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from training.ner.tags import TAGS
from training.ner.wordpieces import SHAPES, weights

LAYERS, HEADS, WIDTH = 6, 12, 384
DROPOUT = 0.1

_DENSE = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "o": "attention.output.dense",
    "i": "intermediate.dense",
    "d": "output.dense",
}
_NORMS = {"n1": "attention.output.LayerNorm", "n2": "output.LayerNorm"}

Parameters = dict[str, Any]


def initial(seed: int) -> tuple[jax.Array, Parameters]:
    """Return the word-piece vectors, which stay as they are, and everything that is trained."""
    arrays = {name: jnp.array(array) for name, array in weights().items()}
    random = np.random.default_rng(seed)
    trained: Parameters = {
        "positions": arrays["embeddings.position_embeddings.weight"],
        "kind": arrays["embeddings.token_type_embeddings.weight"][0],
        "norm": arrays["embeddings.LayerNorm.weight"],
        "norm_b": arrays["embeddings.LayerNorm.bias"],
        "shapes": jnp.array(random.normal(0, 0.02, (SHAPES, WIDTH)), jnp.float32),
        "tags": jnp.array(random.normal(0, 0.02, (WIDTH, len(TAGS))), jnp.float32),
        "tags_b": jnp.zeros(len(TAGS)),
        "layers": [],
    }
    for number in range(LAYERS):
        layer = {}
        for short, name in _DENSE.items():
            layer[short] = arrays[f"encoder.layer.{number}.{name}.weight"].T
            layer[short + "_b"] = arrays[f"encoder.layer.{number}.{name}.bias"]
        for short, name in _NORMS.items():
            layer[short] = arrays[f"encoder.layer.{number}.{name}.weight"]
            layer[short + "_b"] = arrays[f"encoder.layer.{number}.{name}.bias"]
        trained["layers"].append(layer)
    return arrays["embeddings.word_embeddings.weight"], trained


def states(
    vectors: jax.Array, net: Parameters, batch: dict[str, Any], key: Any = None, layers: int = LAYERS
) -> jax.Array:
    """Return the states of all pieces, shape (texts, pieces, 384); with a key, some are dropped as in training."""
    keys = iter([None] * 20 if key is None else jax.random.split(key, 20))
    pieces = batch["pieces"]
    own = vectors[pieces] @ net["project"] if "project" in net else vectors[pieces]
    x = own + net["positions"][: pieces.shape[1]] + net["kind"] + net["shapes"][batch["shapes"]]
    x = _drop(_norm(x, net["norm"], net["norm_b"]), next(keys))
    hidden = jnp.where(batch["mask"][:, None, None, :], 0, -1e9)
    for layer in net["layers"][:layers]:
        x = _norm(x + _drop(_attend(x, layer, hidden), next(keys)), layer["n1"], layer["n1_b"])
        wide = jax.nn.gelu(x @ layer["i"] + layer["i_b"], approximate=False)
        x = _norm(x + _drop(wide @ layer["d"] + layer["d_b"], next(keys)), layer["n2"], layer["n2_b"])
    return x


def tag_scores(vectors: jax.Array, net: Parameters, batch: dict[str, Any], key: Any = None) -> jax.Array:
    """Return the log probabilities of the tags of all words, shape (texts, words, tags)."""
    x = states(vectors, net, batch, key)
    x = jnp.take_along_axis(x, batch["first"][:, :, None], 1)
    return jax.nn.log_softmax(_drop(x, key) @ net["tags"] + net["tags_b"])


def loss(net: Parameters, vectors: jax.Array, batch: dict[str, Any], key: Any) -> jax.Array:
    """Return the mean negative log probability of the right tags."""
    right = jnp.take_along_axis(tag_scores(vectors, net, batch, key), batch["tags"][:, :, None], 2)[..., 0]
    is_word = batch["first"] > 0
    return -(right * is_word).sum() / is_word.sum()


def _attend(x: jax.Array, layer: Parameters, hidden: jax.Array) -> jax.Array:
    texts, length, width = x.shape

    def heads(short: str) -> jax.Array:
        projected = x @ layer[short] + layer[short + "_b"]
        return projected.reshape(texts, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)

    q, k, v = heads("q"), heads("k"), heads("v")
    attention = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // HEADS) + hidden, -1)
    joined = (attention @ v).transpose(0, 2, 1, 3).reshape(texts, length, width)
    return joined @ layer["o"] + layer["o_b"]


def _norm(x: jax.Array, weight: jax.Array, bias: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * weight + bias


def _drop(x: jax.Array, key: Any) -> jax.Array:
    if key is None:
        return x
    return x * jax.random.bernoulli(key, 1 - DROPOUT, x.shape) / (1 - DROPOUT)
