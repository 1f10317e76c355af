"""Tags of words for mentions (begin, inside, end, single, outside), and the best allowed sequence of them."""

from __future__ import annotations

import numpy as np
from training.ner.passages import LABELS, Span

TAGS = ("O", *(f"{place}-{label}" for label in LABELS for place in "BIES"))
NUMBER = {tag: number for number, tag in enumerate(TAGS)}
_NEVER = -1e9


def _may_follow(before: str, after: str) -> bool:
    if before[0] in "BI":
        return after[0] in "IE" and before[2:] == after[2:]
    return after[0] in "OBS"


_STEPS = np.array([[0.0 if _may_follow(before, after) else _NEVER for after in TAGS] for before in TAGS])
_LAST = np.array([_NEVER if tag[0] in "BI" else 0.0 for tag in TAGS])


def tags_of(words: list[Span], spans: tuple[Span, ...]) -> list[int]:
    """Return the tags of words at (start, end, text); of mentions that overlap only the first, longest one counts."""
    tags = [0] * len(words)
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1])):
        inside = [number for number, word in enumerate(words) if word[1] > start and word[0] < end]
        if not inside or any(tags[number] for number in inside):
            continue
        for number in inside:
            tags[number] = NUMBER[f"I-{label}"]
        tags[inside[0]], tags[inside[-1]] = NUMBER[f"B-{label}"], NUMBER[f"E-{label}"]
        if len(inside) == 1:
            tags[inside[0]] = NUMBER[f"S-{label}"]
    return tags


def best_tags(scores: np.ndarray) -> list[int]:
    """Return the sequence of tags with the highest sum of `scores`, shape (words, tags), that makes whole mentions."""
    best = scores[0] + _STEPS[0]  # a text begins as if after an "O"
    back = []
    for row in scores[1:]:
        through = best[:, None] + _STEPS
        back.append(through.argmax(0))
        best = through.max(0) + row
    tags = [int((best + _LAST).argmax())]
    for row in reversed(back):
        tags.append(int(row[tags[-1]]))
    return tags[::-1]


def spans_of(tags: list[int], words: list[Span]) -> list[Span]:
    """Return the mentions that a sequence of tags makes."""
    spans = []
    start = 0
    for tag, word in zip((TAGS[number] for number in tags), words, strict=True):
        if tag[0] in "BS":
            start = word[0]
        if tag[0] in "ES":
            spans.append((start, word[1], tag[2:]))
    return spans
