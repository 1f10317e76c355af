"""What the reader of the relation model sees of a text: word pieces in windows, each knowing the mention it is in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kg_neo4j.offline.networks import columns
from kg_neo4j.offline.networks.relation_features import TYPES, Integers, TextFeatures
from kg_neo4j.offline.networks.wordpieces import CASES, MARK_SHAPE, SHAPES, shape, split_word

if TYPE_CHECKING:
    from spacy.tokens import Doc

WINDOW = 512  # pieces that are read together, the marks at both ends included
NEAR = 5  # how many sentences lie between two entities: 0 to 4, which stands for more
MARKS = 2 * len(TYPES) + 1  # no mention; the first piece of a mention of each type, the pieces after it
_ENDS = '.!?"“'


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a text; one row of `members` for each entity of the text."""

    pieces: Integers  # (pieces,): numbers in the vocabulary, with [CLS] and [SEP] around
    shapes: Integers  # (pieces,): letter case, and the mention: case + SHAPES * mark
    spans: Integers  # (mentions, 3): entity, first piece, piece after the last


class PieceVocabulary:
    """The pieces of a model by name; remembers the words that it has cut."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.numbers: Mapping[str, int] = {piece: number for number, piece in enumerate(pieces)}
        self._cut: dict[str, tuple[tuple[int, ...], int]] = {}

    def cut(self, word: str) -> tuple[tuple[int, ...], int]:
        """Return the numbers of the pieces of a word, and that of its letter case inside a sentence."""
        found = self._cut.get(word)
        if found is None:
            if len(self._cut) > 200_000:
                self._cut.clear()
            found = self._cut[word] = split_word(word, self.numbers), shape(word, starts=False)
        return found


def windows(
    doc: Doc, features: TextFeatures, vocabulary: PieceVocabulary, stretch: tuple[int, int] | None = None
) -> list[Window]:
    """Return the text of `features`, or a stretch of it (tokens, half open), in windows, cut between words."""
    begin, end = stretch or (0, len(doc))
    cut: list[tuple[int, ...]] = []
    cases: list[int] = []
    before = "."
    words = doc[begin:end]
    for word, is_space in zip(columns.strings(words, "ORTH"), columns.numbers(words, "IS_SPACE").tolist(), strict=True):
        pieces, case = vocabulary.cut(word)
        cut.append(() if is_space else pieces)
        cases.append(case + CASES * (before in _ENDS))
        before = before if is_space else word
    spans = features.spans + np.array([0, 1, 1], np.int32) * np.int32(features.begin - begin)
    borders, size = [0], 2
    for number, pieces in enumerate(cut):
        if size + len(pieces) > WINDOW:
            borders.append(number)
            size = 2
        size += len(pieces)
    found = []
    for first, last in pairwise([*borders, len(cut)]):
        mentions = spans - np.array([0, first, first], np.int32)
        found.append(_window(cut[first:last], cases[first:last], mentions, features.types, vocabulary))
    return found


def _window(
    cut: Sequence[tuple[int, ...]],
    cases: Sequence[int],
    mentions: Integers,
    types: Integers,
    vocabulary: PieceVocabulary,
) -> Window:
    """Return the window of some words; `mentions` are counted from the first of them, and may lie outside."""
    pieces = [vocabulary.numbers["[CLS]"], *(piece for word in cut for piece in word), vocabulary.numbers["[SEP]"]]
    counts = [len(word) for word in cut]
    starts = np.concatenate([[1], 1 + np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
    shapes = np.full(len(pieces), MARK_SHAPE, np.int32)
    shapes[1:-1] = np.repeat(cases, counts)
    spans = []
    for entity, *ends in mentions.tolist():
        begin, after = starts[np.clip(ends, 0, len(cut))].tolist()
        if begin < after:
            spans.append((entity, begin, after))
            mark = 1 + 2 * int(types[entity])
            marks = np.where(np.arange(begin, after) > begin, mark + 1, mark)
            free = shapes[begin:after] < SHAPES
            shapes[begin:after] += (SHAPES * marks * free).astype(np.int32)
    rows = np.array(spans, np.int32).reshape(-1, 3)
    return Window(np.array(pieces, np.int32), shapes, rows)
