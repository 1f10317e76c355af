"""Which type a name has: a small network over its words, the words around it and what the text is about.

A recogniser of names sees a few words to each side; this sees the whole text, and every mention of the same name in it.
A name that was found once is found everywhere in the text.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kg_neo4j_offline.networks import columns

if TYPE_CHECKING:
    from spacy.tokens import Doc

_UNNAMED = frozenset({"TIME", "NUM"})  # "2010" may be a year here and a number there
_SHORTEST = 3  # characters; shorter names are too often parts of something else


@dataclass(frozen=True, slots=True, order=True)
class MentionSpan:
    """A mention: offsets in characters, the end exclusive, and its type."""

    start: int
    end: int
    type: str


def agree(text: str, found: Sequence[MentionSpan]) -> tuple[MentionSpan, ...]:
    """Return `found` with the most frequent type for each string, and the same strings elsewhere in `text`.

    Of two types found equally often the one that comes first in the text counts. Spans never overlap, provided that
    those of `found` do not.
    """
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for span in sorted(found):
        votes[text[span.start : span.end]][span.type] += 1
    types = {name: counts.most_common(1)[0][0] for name, counts in votes.items()}
    spans = [MentionSpan(span.start, span.end, types[text[span.start : span.end]]) for span in found]
    taken = bytearray(len(text))
    for span in spans:
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    for name in sorted(types, key=lambda each: (-len(each), each)):
        if len(name) < _SHORTEST or types[name] in _UNNAMED or not name[0].isupper():
            continue
        for start in _places(name, text):
            end = start + len(name)
            if not any(taken[start:end]):
                spans.append(MentionSpan(start, end, types[name]))
                taken[start:end] = b"\1" * len(name)
    return tuple(sorted(spans))


def _places(name: str, text: str) -> Iterator[int]:
    """Yield where a name stands in `text` as whole words, and not behind a hyphen."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        before, after = text[max(0, start - 1) : start], text[end : end + 1]
        is_whole = not (before.isalnum() or before in ("-", "_") or after.isalnum() or after == "_")
        if is_whole:
            yield start
        start = text.find(name, end if is_whole else start + 1)


TYPES = ("PER", "LOC", "ORG", "MISC")
HASHES = 9  # words and parts of words of a mention that are looked up by their hash
BUCKETS = 4096

_TRUST = 0.5  # what the recogniser's type counts for, in log probability; chosen on the validation split
_FULL_NAME = 0.5  # weight of a person's full name for the bare surname; likewise
_FIRST_WORDS = 30  # which mostly say what the text is about

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TypeNetwork:
    """Weights: vectors of hashes, one hidden layer, one output for each of `TYPES`."""

    hashed: Floats  # (HASHES, BUCKETS, width)
    hidden: Floats  # (features, neurons)
    hidden_bias: Floats
    out: Floats  # (neurons, types)
    out_bias: Floats

    @classmethod
    def read(cls, file: Path) -> TypeNetwork:
        """Read weights from an .npz file of plain arrays."""
        with np.load(file, allow_pickle=False) as arrays:
            return cls(**{name: arrays[name].astype(np.float32) for name in cls.__slots__})

    def log_probabilities(self, features: Floats, hashes: npt.NDArray[np.int32]) -> Floats:
        """Return the log probability of each type, shape (mentions, types)."""
        looked_up = self.hashed[np.arange(HASHES)[None], hashes].reshape(len(features), -1)
        inputs = np.concatenate([features, looked_up], 1)
        scores = np.maximum(inputs @ self.hidden + self.hidden_bias, 0) @ self.out + self.out_bias
        scores -= scores.max(1, keepdims=True)
        found: Floats = scores - np.log(np.exp(scores).sum(1, keepdims=True))
        return found


def settle_types(doc: Doc, spans: Sequence[MentionSpan], network: TypeNetwork) -> tuple[MentionSpan, ...]:
    """Return `spans` of `doc` with the type that all mentions of the same string in it speak for.

    TIME and NUM stay; a surname leans towards PER where the text gives a person's full name.
    """
    text = doc.text
    named = [span for span in spans if span.type in TYPES]
    places: list[Any] = [doc.char_span(span.start, span.end, alignment_mode="expand") for span in named]
    if not named:
        return tuple(spans)
    described = describe(doc, [(place.start, place.end) for place in places])
    rows = network.log_probabilities(*described)
    sums: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for span, row in zip(named, rows, strict=True):
        name = text[span.start : span.end]
        vote = row + _TRUST * (np.array(TYPES) == span.type)
        sums[name] = sums.get(name, 0) + vote
        counts[name] = counts.get(name, 0) + 1
    means = {name: total / counts[name] for name, total in sums.items()}
    people = {name: mean for name, mean in means.items() if mean.argmax() == 0}
    types = {}
    for name, mean in means.items():
        full_names = sum(people[full] for full in people if full.endswith(" " + name))
        types[name] = TYPES[int((mean + _FULL_NAME * full_names).argmax())]
    return tuple(
        MentionSpan(span.start, span.end, types[text[span.start : span.end]]) if span.type in TYPES else span
        for span in spans
    )


def describe(doc: Doc, places: Sequence[tuple[int, int]]) -> tuple[Floats, npt.NDArray[np.int32]]:
    """Return features and hashes of mentions at (first word, word after the last), one row each."""
    table = columns.vectors(doc)
    words = ["^", "^", *columns.strings(doc, "LOWER"), "^", "^"]  # with two words outside of the text at each end
    plain = np.logical_and(columns.numbers(doc, "IS_LOWER"), columns.numbers(doc, "IS_ALPHA"))
    about = np.concatenate([_mean(table[plain]), _mean(table[:_FIRST_WORDS][plain[:_FIRST_WORDS]])])
    around = _around(table, np.array(places, np.int64).reshape(-1, 2))
    forms, hashes = [], []
    for first, after in places:
        length, mention = after - first, doc[first:after]
        facts = [length == 1, length == 2, length > 2, first == 0, mention[0].is_upper, mention[-1].is_upper]
        facts += [any(word.is_digit for word in mention), first > 0 and doc[first - 1].is_punct]
        facts += [after < len(doc) and doc[after].is_punct, not all(word.is_title for word in mention)]
        forms.append(facts)
        head, tail = words[first + 2], words[after + 1]
        before, behind = words[first + 1], words[after + 2]
        parts = ["sf" + head[-3:], "sl" + tail[-3:], "pf" + head[:3], "wl" + tail, "wf" + head, "l1" + before]
        parts += ["r1" + behind, f"l2{words[first]} {before}", f"r2{behind} {words[after + 3]}"]  # each with its role
        hashes.append([zlib.crc32(part.encode()) % BUCKETS for part in parts])
    shape = (len(places), len(about))
    features = np.concatenate([around, np.broadcast_to(about, shape), np.array(forms, np.float32)], 1)
    return features, np.array(hashes, np.int32)


def _mean(table: Floats) -> Floats:
    found: Floats = table.mean(0) if len(table) else np.zeros(table.shape[1], np.float32)
    return found


def _around(table: Floats, places: npt.NDArray[np.int64]) -> Floats:
    """Return the vectors of each mention's ends and neighbours, and means of wider spans, one row each."""
    first, after = places.T
    nothing = np.zeros_like(table[:1])
    padded = np.concatenate([nothing, nothing, table, nothing, nothing])
    sums = np.concatenate([nothing, np.cumsum(table, 0, dtype=np.float32)])

    def mean(start: npt.NDArray[np.int64], end: npt.NDArray[np.int64]) -> Floats:
        start, end = np.maximum(start, 0), np.minimum(end, len(table))
        found: Floats = (sums[end] - sums[start]) / np.maximum(1, end - start).astype(np.float32)[:, None]
        return found

    near = [padded[first + 2], padded[after + 1], mean(first, after)]
    near += [padded[first + 1], padded[first], padded[after + 2], padded[after + 3]]
    near += [mean(first - 5, first), mean(after, after + 5), mean(first - 12, after + 12)]
    return np.concatenate(near, 1)
