"""The network that ships, in JAX for training: `kg_neo4j_offline.networks.relation_model` is the same in NumPy."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from kg_neo4j_offline.networks.relation_features import (
    BUCKETS,
    DISTANCES,
    FACTS,
    LINK,
    NAME_BUCKETS,
    NEARS,
    TYPES,
    TextFeatures,
)

VECTOR = 96
TOKEN = 96
HASHED = 32
HIDDEN = 192
PRODUCT = 96
STEPS = 32  # ways over a third entity
SECOND = 128
RATE = 2e-3
TOKENS, ENTITIES, SPANS, PAIRS, LINKED, DOCS, MOST = 1600, 160, 320, 4096, 6144, 10, 72
_LOG = logging.getLogger(__name__)
Parameters = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """A text with what is right, or likely, of each pair."""

    features: TextFeatures
    right: np.ndarray  # (pairs, relations), 0 to 1
    weight: float = 1.0


def initial(seed: int, relations: int) -> Parameters:
    """Return weights to begin with."""
    random = np.random.default_rng(seed)

    def dense(rows: int, columns: int, scale: float = 1.0) -> np.ndarray:
        return random.normal(0, scale * rows**-0.5, (rows, columns)).astype(np.float32)

    def table(rows: int) -> np.ndarray:
        return random.normal(0, 0.01, (rows, HASHED)).astype(np.float32)

    entity = 3 * TOKEN + 2 * HASHED + 2 * VECTOR + len(TYPES) + FACTS
    net = {
        "words": table(2 * BUCKETS),
        "couples": table(2 * BUCKETS),
        "up": table(BUCKETS),
        "down": table(BUCKETS),
        "top": table(BUCKETS),
        "first_names": table(NAME_BUCKETS),
        "last_names": table(NAME_BUCKETS),
        "token": dense(2 * VECTOR, TOKEN),
        "marks": np.zeros((7, TOKEN), np.float32),
        "source": dense(entity, HIDDEN, 0.7),
        "target": dense(entity, HIDDEN, 0.7),
        "source_product": dense(entity, PRODUCT),
        "target_product": dense(entity, PRODUCT),
        "hashed": dense(5 * HASHED, HIDDEN),
        "beside": np.stack([dense(TOKEN, HIDDEN, 0.5) for _ in range(10)]),
        "about": dense(VECTOR, HIDDEN, 0.5),
        "near": np.zeros((2 * NEARS, HIDDEN), np.float32),
        "distance": np.zeros((DISTANCES, HIDDEN), np.float32),
        "hidden_bias": np.zeros(HIDDEN, np.float32),
        "out": dense(HIDDEN, relations, 0.5),
        "product": dense(PRODUCT, relations, 0.5),
        "kinds": np.full((len(TYPES) ** 2, relations), -4.0, np.float32),
        "step_one": dense(relations, STEPS, 1.0),
        "step_two": dense(relations, STEPS, 1.0),
        "second": dense(6 * relations + STEPS, SECOND),
        "second_bias": np.zeros(SECOND, np.float32),
        "second_out": np.zeros((SECOND, relations), np.float32),
    }
    return jax.tree.map(jnp.array, net)


def _sums(rows: jax.Array) -> jax.Array:
    return jnp.concatenate([jnp.zeros_like(rows[:1]), jnp.cumsum(rows, 0)])


def forward(net: Parameters, batch: dict[str, Any], key: Any = None) -> tuple[jax.Array, jax.Array]:
    """Return the log odds of the first and of the second stage, shape (pairs, relations)."""
    keys = iter([None] * 12 if key is None else jax.random.split(key, 12))
    seen = jnp.concatenate([batch["vectors"], batch["states"]], -1)
    tokens = jax.nn.relu(seen @ net["token"] + net["marks"][batch["marks"]])
    tokens = _drop(tokens, next(keys), 0.1)
    entity = _entities(net, batch, tokens)
    entity = _drop(entity, next(keys), 0.15)
    link, pair = batch["links"], batch["pairs"]
    get = {name: link[:, place] for place, name in enumerate(LINK)}
    side = get["is_first"]
    hashed = _drop(_hashed(net, batch, get, next(keys)), next(keys), 0.1)
    beside = _beside(net, tokens, get)
    near = net["near"][get["near"] * 2 + side] + net["distance"][pair[get["pair"], 2]]
    plain = (batch["marks"] == 0) * batch["real"]
    about = jax.ops.segment_sum(batch["vectors"] * plain[:, None], batch["doc_of_token"], DOCS)
    about = about / jnp.maximum(jax.ops.segment_sum(plain, batch["doc_of_token"], DOCS), 1)[:, None]
    fixed = (entity @ net["source"])[pair[:, 0]] + (entity @ net["target"])[pair[:, 1]]
    fixed = fixed + (about @ net["about"])[batch["doc_of_pair"]] + net["hidden_bias"]
    hidden = jax.nn.relu(fixed[get["pair"]] + hashed @ net["hashed"] + beside + near)
    hidden = jnp.maximum(jax.ops.segment_max(hidden, get["pair"], PAIRS), 0)
    hidden = _drop(hidden, next(keys), 0.25)
    product = (
        jnp.tanh(entity @ net["source_product"])[pair[:, 0]] * jnp.tanh(entity @ net["target_product"])[pair[:, 1]]
    )
    product = _drop(product, next(keys), 0.25)
    kinds = batch["types"][pair[:, 0]] * len(TYPES) + batch["types"][pair[:, 1]]
    first = hidden @ net["out"] + product @ net["product"] + net["kinds"][kinds]
    return first, first + _second(net, first, batch, next(keys))


def _entities(net: Parameters, batch: dict[str, Any], tokens: jax.Array) -> jax.Array:
    sums, spans = _sums(tokens), batch["spans"]
    first, after = spans[:, 1], spans[:, 2]

    def mean(start: jax.Array, end: jax.Array) -> jax.Array:
        return (sums[end] - sums[start]) / jnp.maximum(end - start, 1)[:, None]

    left, right = jnp.maximum(first - 4, batch["low"]), jnp.minimum(after + 4, batch["high"])
    mentions = jnp.concatenate([mean(first, after), mean(left, first), mean(after, right)], -1)
    total = jax.ops.segment_sum(mentions, spans[:, 0], ENTITIES + 1)[:ENTITIES]
    count = jax.ops.segment_sum(jnp.ones(len(spans)), spans[:, 0], ENTITIES + 1)[:ENTITIES]
    heads = batch["heads"]
    return jnp.concatenate(
        [
            total / jnp.maximum(count, 1)[:, None],
            net["first_names"][batch["names"][heads[:, 0]]],
            net["last_names"][batch["names"][heads[:, 1]]],
            batch["vectors"][heads[:, 0]],
            batch["vectors"][heads[:, 1]],
            jax.nn.one_hot(batch["types"], len(TYPES)),
            batch["facts"],
        ],
        -1,
    )


def _hashed(net: Parameters, batch: dict[str, Any], get: dict[str, Any], key: Any) -> jax.Array:
    side, begin, middle = get["is_first"], get["begin"], get["middle"]
    keep = 1.0 if key is None else jax.random.bernoulli(key, 0.85, batch["words"].shape)[:, None] / 0.85
    scale = 1 / jnp.sqrt(jnp.maximum(middle - begin, 1))[:, None]

    def between(table: jax.Array, numbers: jax.Array) -> jax.Array:
        sums = jnp.stack([_sums(table[numbers + BUCKETS * way] * keep) for way in (0, 1)])
        return (sums[side, middle] - sums[side, begin]) * scale

    def along(name: str, end: jax.Array) -> jax.Array:
        rows = net[name][batch["steps"]] * keep
        chains = (rows[batch["up"]] * (batch["up"] >= 0)[..., None]).sum(1)
        return (chains[end] - chains[top]) * has_path

    top, has_path = jnp.maximum(get["top"], 0), (get["top"] >= 0)[:, None]
    parts = [between(net["words"], batch["words"]), between(net["couples"], batch["couples"])]
    parts += [along("up", batch["ends"][:, 0]), along("down", batch["ends"][:, 1])]
    parts.append(net["top"][batch["words"][top]] * has_path)
    return jnp.concatenate(parts, -1)


def _beside(net: Parameters, tokens: jax.Array, get: dict[str, Any]) -> jax.Array:
    side, total = get["is_first"], 0.0
    length = get["middle"] - get["begin"]
    sums = _sums(tokens)
    inner = jnp.where(length > 0, get["begin"], -1)
    for number, place in enumerate((get["left"], get["right"], inner, get["last"])):
        seen = jnp.stack([tokens @ net["beside"][2 * number + way] for way in (0, 1)])
        total = total + seen[side, jnp.maximum(place, 0)] * (place >= 0)[:, None]
    seen = jnp.stack([sums @ net["beside"][8 + way] for way in (0, 1)])
    mean = (seen[side, get["middle"]] - seen[side, get["begin"]]) / jnp.maximum(length, 1)[:, None]
    return total + mean


def _second(net: Parameters, first: jax.Array, batch: dict[str, Any], key: Any) -> jax.Array:
    """Return what the other pairs of the text say."""
    said = jax.nn.sigmoid(first) * batch["real_pairs"][:, None]
    said = _drop(said, key, 0.1)
    doc, one, other = batch["doc_of_pair"], batch["inside"][:, 0], batch["inside"][:, 1]
    grid = jnp.zeros((DOCS, MOST, MOST, said.shape[1])).at[doc, one, other].add(said)
    leaving, entering = grid.max(2), grid.max(1)
    steps = jnp.einsum("dusk,dutk->dstk", (grid @ net["step_one"]).transpose(0, 2, 1, 3), grid @ net["step_two"])
    seen = [said, grid[doc, other, one], leaving[doc, one], entering[doc, one], leaving[doc, other]]
    seen += [entering[doc, other], jnp.tanh(steps[doc, one, other])]
    hidden = jax.nn.relu(jnp.concatenate(seen, -1) @ net["second"] + net["second_bias"])
    return hidden @ net["second_out"]


def _drop(x: jax.Array, key: Any, share: float) -> jax.Array:
    if key is None:
        return x
    return x * jax.random.bernoulli(key, 1 - share, x.shape) / (1 - share)


def loss(net: Parameters, batch: dict[str, Any], key: Any) -> jax.Array:
    """Return the negative log probability of what is right, a pair, of both stages."""
    right, weights = batch["right"], batch["weights"]
    costs = 0.0
    for found in forward(net, batch, key):
        costs += ((jax.nn.softplus(found) - right * found).sum(-1) * weights).sum() / weights.sum()
    return costs


def pack(examples: Sequence[Example]) -> Iterator[list[Example]]:
    """Yield the examples in groups that fit into the arrays."""
    group: list[Example] = []
    room = np.zeros(5, np.int64)
    for example in examples:
        own = sizes(example)
        if group and ((room + own > LIMITS).any() or len(group) == DOCS):
            yield group
            group, room = [], np.zeros(5, np.int64)
        group.append(example)
        room = room + own
    if group:
        yield group


LIMITS = np.array([TOKENS, ENTITIES, SPANS, PAIRS, LINKED])


def sizes(example: Example) -> np.ndarray:
    """Return how many tokens, entities, mentions, pairs and links a text has."""
    f = example.features
    return np.array([len(f.words), len(f.types), len(f.spans), len(f.pairs), len(f.links)])


def fits(example: Example) -> bool:
    """Tell whether a text has links, and fits into a batch."""
    return bool(
        (sizes(example) <= LIMITS).all() and len(example.features.types) <= MOST and len(example.features.links)
    )


def batch_of(group: Sequence[Example]) -> dict[str, Any]:
    """Return the arrays of several texts one after the other."""
    relations = group[0].right.shape[1]
    depth = group[0].features.up.shape[1]

    def zeros(*shape: int, kind: Any = np.int32) -> np.ndarray:
        return np.zeros(shape, kind)

    b: dict[str, Any] = {
        "vectors": zeros(TOKENS, VECTOR, kind=np.float32),
        "states": zeros(TOKENS, VECTOR, kind=np.float32),
        "marks": zeros(TOKENS),
        "words": zeros(TOKENS),
        "couples": zeros(TOKENS),
        "steps": zeros(TOKENS),
        "names": zeros(TOKENS),
        "real": zeros(TOKENS, kind=np.float32),
        "up": np.full((TOKENS, depth), -1, np.int32),
        "doc_of_token": np.full(TOKENS, DOCS - 1, np.int32),
        "types": zeros(ENTITIES),
        "facts": zeros(ENTITIES, FACTS, kind=np.float32),
        "heads": zeros(ENTITIES, 2),
        "spans": np.tile(np.array([[ENTITIES, 0, 0]], np.int32), (SPANS, 1)),
        "low": zeros(SPANS),
        "high": zeros(SPANS),
        "pairs": zeros(PAIRS, 3),
        "inside": np.full((PAIRS, 2), MOST - 1, np.int32),
        "doc_of_pair": np.full(PAIRS, DOCS - 1, np.int32),
        "real_pairs": zeros(PAIRS, kind=np.float32),
        "links": zeros(LINKED, len(LINK)),
        "ends": zeros(LINKED, 2),
        "right": zeros(PAIRS, relations, kind=np.float32),
        "weights": zeros(PAIRS, kind=np.float32),
    }
    b["links"][:, 0] = PAIRS - 1
    b["links"][:, LINK.index("top")] = -1
    t = e = s = p = k = 0
    for number, example in enumerate(group):
        f = example.features
        nt, ne, ns, npairs, nl = sizes(example)
        for name in ("vectors", "states", "marks", "words", "couples", "steps", "names"):
            b[name][t : t + nt] = getattr(f, name)
        b["real"][t : t + nt] = 1
        b["up"][t : t + nt] = np.where(f.up >= 0, f.up + t, -1)
        b["doc_of_token"][t : t + nt] = number
        b["types"][e : e + ne], b["facts"][e : e + ne], b["heads"][e : e + ne] = f.types, f.facts, f.heads + t
        b["spans"][s : s + ns] = f.spans + np.array([e, t, t])
        b["low"][s : s + ns], b["high"][s : s + ns] = t, t + nt
        b["pairs"][p : p + npairs] = f.pairs + np.array([e, e, 0])
        b["inside"][p : p + npairs] = f.pairs[:, :2]
        b["doc_of_pair"][p : p + npairs] = number
        b["real_pairs"][p : p + npairs] = 1
        b["right"][p : p + npairs], b["weights"][p : p + npairs] = example.right, example.weight
        links = f.links.copy()
        links[:, 0] += p
        for name in ("begin", "middle", "last", "left", "right", "top"):
            column = links[:, LINK.index(name)]
            links[:, LINK.index(name)] = np.where(column >= 0, column + t, -1)
        b["links"][k : k + nl], b["ends"][k : k + nl] = links, f.ends + t
        t, e, s, p, k = t + nt, e + ne, s + ns, p + npairs, k + nl
    return b


def train(
    examples: Sequence[Example],
    relations: int,
    seed: int,
    *,
    steps: int,
    watch: Any = None,
) -> Parameters:
    """Return the weights after so many batches."""
    usable = [each for each in examples if fits(each)]
    net = initial(seed, relations)
    schedule = optax.warmup_cosine_decay_schedule(0, RATE, steps // 20, steps, RATE / 50)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.01))
    state = optimiser.init(net)

    @jax.jit
    def step(net: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any, Any]:
        cost, slope = jax.value_and_grad(loss)(net, batch, key)
        change, state = optimiser.update(slope, state, net)
        return optax.apply_updates(net, change), state, cost

    random, key = np.random.default_rng(seed), jax.random.PRNGKey(seed)
    done, costs = 0, []
    while done < steps:
        order = random.permutation(len(usable))
        for group in pack([usable[place] for place in order]):
            key, own = jax.random.split(key)
            net, state, cost = step(net, state, batch_of(group), own)
            costs.append(float(cost))
            done += 1
            if done % 100 == 0:
                _LOG.info("student: step %d of %d, loss %.4f", done, steps, np.mean(costs))
                costs = []
                if watch is not None:
                    watch(done, net)
            if done >= steps:
                break
    return jax.tree.map(np.array, net)


_FORWARD = jax.jit(forward)


def judge(net: Parameters, examples: Sequence[Example]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the log odds of both stages for each example."""
    found = []
    for group in pack(examples):
        first, second = (np.array(each) for each in _FORWARD(net, batch_of(group)))
        place = 0
        for example in group:
            count = len(example.features.pairs)
            found.append((first[place : place + count], second[place : place + count]))
            place += count
    return found
