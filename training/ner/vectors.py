"""Word vectors: what MiniLM, before and after it was taught mentions, thinks of each word by itself."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import jax
import numpy as np
from training.ner import transformer
from training.ner.passages import Passage
from training.ner.teacher import Teacher
from training.ner.tokens import blank
from training.ner.wordpieces import CLS, MARK_SHAPE, SEP, pieces, shape, vocabulary

DIMENSIONS = 96
EARLY = 3  # layers of the untaught model that are kept beside its input vectors
_WEIGHTS = (0.7, 1.0, 0.7)  # of input vectors, taught states, early states
_LONGEST = 6  # pieces of a word that are read
_AT_ONCE = 512
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SIGNS = {*".,;:!?()[]\"'-–—/&%$", "'s", "n't", "'re", "'ve", "'ll", "'d", "'m"}


def write(folder: Path, data: Path, teacher: Teacher, passages: Sequence[Passage]) -> None:
    """Write a blank pipeline with the vectors of all words of `passages`, of the other texts and of MiniLM itself."""
    from spacy.vectors import Vectors

    counts, capitals = _count(data, passages)
    words = sorted(
        {word for word in counts if not (word.isdigit() and len(word) > 4)}
        | {piece for piece in vocabulary() if piece.isalpha() and piece.isascii() and len(piece) > 1}
        | _SIGNS
    )
    shown = [word.title() if capitals[word] * 2 > counts[word] else word for word in words]
    importance = np.array([np.log(2 + counts[word]) for word in words])
    table = _reduce(_features(words, shown, teacher), importance)
    nlp = blank()
    keys = [nlp.vocab.strings.add(word) for word in words]
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=table, keys=keys, attr="LOWER")
    nlp.to_disk(folder)


def _count(data: Path, passages: Sequence[Passage]) -> tuple[Counter[str], Counter[str]]:
    """Return how often each word occurs, in lower case, and how often with a capital."""
    texts = [f"{passage.title} {passage.text}" for passage in passages]
    for name in ("wikipedia", "narrative"):
        texts += [file.read_text(encoding="utf-8") for file in sorted((data / name).glob("*.txt"))]
    with gzip.open(data / "ud_english_ewt" / "en_ewt-ud-train.conllu.gz", "rt", encoding="utf-8") as lines:
        texts += [line.split("\t")[1] for line in lines if line[:1].isdigit()]
    counts: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    for text in texts:
        for word in _WORD.findall(text):
            counts[word.lower()] += 1
            capitals[word.lower()] += word[0].isupper()
    return counts, capitals


def _features(words: list[str], shown: list[str], teacher: Teacher) -> np.ndarray:
    """Return three vectors for each word side by side, shape (words, 3 * 384)."""
    vectors, net = transformer.initial(0)
    net = {**net, "shapes": net["shapes"] * 0}  # the untaught model does not know of letter case
    table = np.array(vectors)
    inputs = np.stack([table[list(pieces(word))].mean(0) for word in words])
    taught = _states(vectors, teacher.net, shown, transformer.LAYERS)
    early = _states(vectors, net, words, EARLY)
    scaled = []
    for weight, part in zip(_WEIGHTS, (inputs, taught, early), strict=True):
        centred = part - part.mean(0)
        scaled.append(weight * centred / np.sqrt((centred**2).sum(1).mean()))
    return np.concatenate(scaled, 1)


def _states(vectors: jax.Array, net: transformer.Parameters, words: list[str], layers: int) -> np.ndarray:
    """Return the mean state of each word's pieces when the word is the whole text."""
    read = jax.jit(lambda batch: transformer.states(vectors, net, batch, layers=layers))
    means = np.zeros((len(words), transformer.WIDTH), np.float32)
    by_length: dict[int, list[int]] = {}
    for number, word in enumerate(words):
        by_length.setdefault(len(pieces(word)[:_LONGEST]), []).append(number)
    for length, numbers in sorted(by_length.items()):
        for first in range(0, len(numbers), _AT_ONCE):
            group = numbers[first : first + _AT_ONCE]
            coded = np.full((_AT_ONCE, length + 2), CLS, np.int32)
            shapes = np.full(coded.shape, MARK_SHAPE, np.int32)
            for row, number in enumerate(group):
                coded[row] = [CLS, *pieces(words[number])[:_LONGEST], SEP]
                shapes[row, 1:-1] = shape(words[number], starts=False)
            found = read({"pieces": coded, "shapes": shapes, "mask": coded > 0})
            means[group] = np.array(found)[: len(group), 1:-1].mean(1)
    return means


def _reduce(features: np.ndarray, importance: np.ndarray) -> np.ndarray:
    """Return the principal components of weighted rows, in half precision and with a mean square of one."""
    directions = np.linalg.svd(np.cov((features * np.sqrt(importance)[:, None]).T))[0][:, :DIMENSIONS]
    table = features @ directions
    table /= np.sqrt((table**2).mean())
    return table.astype(np.float16).astype(np.float32)
