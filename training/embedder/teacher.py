"""What the teacher, all-MiniLM-L6-v2, makes of texts: vectors of 384 numbers at unit length."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from training.ner.wordpieces import CLS, SEP, pieces, weights

LAYERS, HEADS, WIDTH = 6, 12, 384
_LENGTHS = (3, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256)
_PIECES_A_BATCH = 2048
_LOG = logging.getLogger("training")


def embed(texts: Sequence[str], most: int = 256) -> np.ndarray:
    """Return the vectors of `texts`, shape (texts, 384), of which the first `most` pieces are read."""
    return embed_pieces([[CLS, *_cut(text)[: most - 2], SEP] for text in texts])


def embed_pieces(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Return the vectors of texts that are cut already."""
    net = {name: jnp.array(array) for name, array in weights().items()}
    order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    found = np.zeros((len(rows), WIDTH), np.float32)
    began, done = time.monotonic(), 0
    while done < len(order):
        length = next(length for length in _LENGTHS if length >= len(rows[order[done]]))
        size = _PIECES_A_BATCH // length
        batch = [row for row in order[done : done + size] if len(rows[row]) <= length]
        numbers, mask = np.zeros((size, length), np.int32), np.zeros((size, length), bool)
        mask[:, 0] = True
        for place, row in enumerate(batch):
            numbers[place, : len(rows[row])] = rows[row]
            mask[place, : len(rows[row])] = True
        found[batch] = np.asarray(_vectors(net, numbers, mask))[: len(batch)]
        done += len(batch)
    _LOG.info("teacher: %d texts in %.0f s", len(rows), time.monotonic() - began)
    return found


def _cut(text: str) -> list[int]:
    return [number for word in text.split() for number in pieces(word)]


def _norm(x: jax.Array, name: str, net: dict[str, Any]) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return scaled * net[name + ".weight"] + net[name + ".bias"]


@functools.partial(jax.jit)
def _vectors(net: dict[str, Any], numbers: jax.Array, mask: jax.Array) -> jax.Array:
    """Run the network and return the mean of its last states, at unit length."""
    x = net["embeddings.word_embeddings.weight"][numbers] + net["embeddings.token_type_embeddings.weight"][0]
    x = _norm(x + net["embeddings.position_embeddings.weight"][: numbers.shape[1]], "embeddings.LayerNorm", net)
    hidden = jnp.where(mask[:, None, None, :], 0, -1e9)
    texts, length, _ = x.shape

    def dense(layer: str, y: jax.Array) -> jax.Array:
        return y @ net[layer + ".weight"].T + net[layer + ".bias"]

    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        query, key, value = (
            dense(f"{layer}attention.self.{name}", x).reshape(texts, length, HEADS, WIDTH // HEADS).swapaxes(1, 2)
            for name in ("query", "key", "value")
        )
        share = jax.nn.softmax(query @ key.swapaxes(2, 3) / np.sqrt(WIDTH // HEADS) + hidden, -1)
        seen = (share @ value).swapaxes(1, 2).reshape(texts, length, WIDTH)
        x = _norm(x + dense(layer + "attention.output.dense", seen), layer + "attention.output.LayerNorm", net)
        wide = jax.nn.gelu(dense(layer + "intermediate.dense", x), approximate=False)
        x = _norm(x + dense(layer + "output.dense", wide), layer + "output.LayerNorm", net)
    mean = (x * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
    return mean / jnp.linalg.norm(mean, axis=1, keepdims=True)
