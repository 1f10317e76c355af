"""From trained networks to the files of the package: bytes instead of floats, calibration, thresholds, the lock."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from training.relations.silver import chance, fit
from training.relations.student import Example, Parameters

from kg_neo4j_lab.extraction.type_map import snake
from kg_neo4j_offline.networks.relation_features import TYPES

BYTES = ("words", "couples", "up", "down", "top", "first_names", "last_names")
COARSE, FINE = 7, 31  # steps to each side, of the networks' tables and of the reader's matrices; few, to be small
BY_ROW = ("vectors", "positions", "shapes")
_SMALL = 5_000  # numbers; what is smaller is not pressed into bytes
PRECISION = 0.6  # that the default threshold must reach on the validation split, within a sentence and over the text
SHARES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the reader, that are tried
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """What is chosen on the validation split."""

    share: float  # of the reader in the log odds
    scale: float  # of these, and shift: one for all relations
    shift: float
    threshold: float


def write_network(net: Parameters, file: Path) -> None:
    """Write weights: tables of words as bytes with a scale for each row, everything else in half precision."""
    arrays = {}
    for name, value in net.items():
        array = np.asarray(value, np.float32)
        if name in BYTES:
            array[np.abs(array).max(1) < 0.02] = 0  # words that were never seen
            scale = np.maximum(np.abs(array).max(1, keepdims=True), 1e-9) / COARSE
            arrays[name] = np.round(array / scale).astype(np.int8)
            arrays[name + ".scale"] = np.where(np.abs(array).max(1, keepdims=True) > 0, scale, 0).astype(np.float16)
        else:
            arrays[name] = array.astype(np.float16)
    with file.open("wb") as target:
        np.savez_compressed(target, **arrays)


def write_reader(vectors: np.ndarray, net: Parameters, file: Path) -> None:
    """Write the weights of the reader: matrices as bytes with a scale for each column, the rest in half precision."""
    encoder = {name: value for name, value in net["encoder"].items() if name != "layers"}
    arrays = {name: np.asarray(value, np.float32) for name, value in {**encoder, **net["head"]}.items()}
    for number, layer in enumerate(net["encoder"]["layers"]):
        arrays |= {f"{number}.{name}": np.asarray(value, np.float32) for name, value in layer.items()}
    stored = {}
    for name, array in [("vectors", vectors), *arrays.items()]:
        if array.size < _SMALL:
            stored[name] = array.astype(np.float16)
            continue
        scale = np.abs(array).max(1 if name in BY_ROW else 0, keepdims=True) / FINE
        scale = np.maximum(scale.astype(np.float16), np.float16(1e-7))
        stored[name] = np.round(array / scale.astype(np.float32)).clip(-FINE, FINE).astype(np.int8)
        stored[name + ".scale"] = scale
    with file.open("wb") as target:
        np.savez_compressed(target, **stored)


def choose(
    apart: Sequence[tuple[np.ndarray, np.ndarray]], examples: Sequence[Example], allowed: np.ndarray
) -> Settings:
    """Return the settings for the validation split, from the log odds of the reader and of the networks there.

    One scale and one shift serve all relations: one for each never raised F1 on passages that it was not chosen on.
    """
    fitting = [fits_types(example, allowed) for example in examples]
    found: list[tuple[float, Settings]] = []
    for share in SHARES:
        scores = [share * own + (1 - share) * other for own, other in apart]
        scale, shift = fit(scores, examples)
        chances = [chance(each * scale + shift) * may for each, may in zip(scores, fitting, strict=True)]
        reached = sum(best_f1(chances, examples, is_near=near) for near in (True, False))
        _LOG.info("share %.2f: F1 within a sentence and over the text, mean %.4f", share, reached / 2)
        found.append((reached, Settings(share, scale, shift, choose_threshold(chances, examples))))
    return max(found, key=lambda each: each[0])[1]


def fits_types(example: Example, allowed: np.ndarray) -> np.ndarray:
    """Return which relations the types of each pair allow, shape (pairs, relations)."""
    sources, targets, _ = example.features.pairs.T
    return allowed[example.features.types[sources], example.features.types[targets]]


def best_f1(chances: Sequence[np.ndarray], examples: Sequence[Example], *, is_near: bool) -> float:
    """Return F1 at the best threshold, within a sentence or over the text."""
    masks = [(each.features.pairs[:, 2] == 0) | (not is_near) for each in examples]
    every = np.concatenate([each[some].ravel() for each, some in zip(chances, masks, strict=True)])
    right = np.concatenate([each.right[some].ravel() for each, some in zip(examples, masks, strict=True)]) > 0.5
    order = np.argsort(-every, kind="stable")
    hits = np.cumsum(right[order])
    return float((2 * hits / (np.arange(1, len(hits) + 1) + right.sum())).max())


def choose_threshold(chances: Sequence[np.ndarray], examples: Sequence[Example]) -> float:
    """Return the lowest threshold, in hundredths, with enough precision both within a sentence and over all."""
    every = np.concatenate([each.ravel() for each in chances])
    right = np.concatenate([each.right.ravel() for each in examples]) > 0.5
    near = np.concatenate([np.repeat(each.features.pairs[:, 2] == 0, each.right.shape[1]) for each in examples])
    for step in range(20, 90):
        taken = every >= step / 100
        if all(right[taken & some].mean() >= PRECISION for some in (near, np.ones_like(near))):
            return step / 100
    return 0.9


def constraints(examples: Sequence[Example]) -> np.ndarray:
    """Return which types each relation connects in the annotation, shape (source, target, relation)."""
    allowed = np.zeros((len(TYPES), len(TYPES), examples[0].right.shape[1]), bool)
    for example in examples:
        rows, kinds = np.nonzero(example.right > 0.5)
        sources, targets, _ = example.features.pairs[rows].T
        allowed[example.features.types[sources], example.features.types[targets], kinds] = True
    return allowed


def write_weights(
    folder: Path, pieces: Sequence[str], reader: tuple[np.ndarray, Parameters], networks: Sequence[Parameters]
) -> None:
    """Write the weights and the vocabulary into an empty folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / "pieces.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    write_reader(*reader, folder / "reader.npz")
    for number, net in enumerate(networks):
        write_network(net, folder / f"network_{number}.npz")


def write_settings(folder: Path, relations: Sequence[tuple[str, str]], allowed: np.ndarray, settings: Settings) -> None:
    """Write what turns log odds into relations, and the lock of the folder. `relations` are ids and names."""
    names = sorted(path.name for path in folder.glob("network_*.npz"))
    rows = [
        {
            "id": kind,
            "type": snake(name),
            "between": [[TYPES[a], TYPES[b]] for a, b in np.argwhere(allowed[:, :, number])],
        }
        for number, (kind, name) in enumerate(relations)
    ]
    said = {
        "threshold": settings.threshold,
        "share": settings.share,
        "scale": round(settings.scale, 5),
        "shift": round(settings.shift, 5),
        "networks": names,
        "relations": rows,
    }
    (folder / "relations.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    _lock(folder, folder.with_suffix(".lock"))


def _lock(folder: Path, file: Path) -> None:
    """Write the checksum and the size of every file of `folder`."""
    lines = ["# sha256, bytes and path of every file of the relation model; written by `make train-relations`"]
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        lines.append(f"{hashlib.sha256(content).hexdigest()} {len(content)} {path.name}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
