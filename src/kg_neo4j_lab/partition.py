"""Which annotated passages may be learned from: by the hash of their title, one rule for every model and scorecard.

The SHA-1 of the title (UTF-8, as the data set has it) as a fraction of its range: below 0.68 train, from 0.68
validation (thresholds and settings are chosen on it; the weights that ship may learn from it), from 0.80 test, which
nothing ever learns from.
"""

from __future__ import annotations

import hashlib

TRAIN, VALIDATION, TEST = "train", "validation", "test"
PARTS = (TRAIN, VALIDATION, TEST)
VALIDATION_FROM = 0.68
TEST_FROM = 0.8


def place(title: str) -> float:
    """Return where a title falls in the hash space, 0 <= place < 1."""
    return int(hashlib.sha1(title.encode("utf-8"), usedforsecurity=False).hexdigest()[:13], 16) / 16**13


def part(title: str) -> str:
    """Return "train", "validation" or "test"."""
    where = place(title)
    if where >= TEST_FROM:
        return TEST
    return VALIDATION if where >= VALIDATION_FROM else TRAIN


def is_test(title: str) -> bool:
    """Tell whether a passage of this title belongs to the test."""
    return part(title) == TEST
