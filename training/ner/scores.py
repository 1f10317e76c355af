"""Precision, recall and F1 of mentions, over all and per type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from training.ner.passages import LABELS, Passage, Span


@dataclass(frozen=True)
class Score:
    """Shares in 0..1."""

    precision: float
    recall: float
    mentions: int  # of the annotation

    @property
    def f1(self) -> float:
        """Harmonic mean."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def __str__(self) -> str:
        return f"F1 {self.f1:6.1%}  P {self.precision:6.1%}  R {self.recall:6.1%}  ({self.mentions:,} mentions)"


def score(passages: Sequence[Passage], found: Sequence[Sequence[Span]]) -> dict[str, Score]:
    """Return the scores of "strict" (span and type), "span" (span only) and of every type."""
    gold = {(number, *span) for number, passage in enumerate(passages) for span in passage.spans}
    mine = {(number, *span) for number, spans in enumerate(found) for span in spans}
    scores = {"strict": _score(gold, mine)}
    scores["span"] = _score({each[:3] for each in gold}, {each[:3] for each in mine})
    for label in LABELS:
        scores[label] = _score({each for each in gold if each[3] == label}, {each for each in mine if each[3] == label})
    return scores


def show(scores: dict[str, Score]) -> str:
    """Return the scores as lines."""
    return "\n".join(f"{name:6}  {each}" for name, each in scores.items())


def _score(gold: set, mine: set) -> Score:
    right = len(gold & mine)
    return Score(right / max(1, len(mine)), right / max(1, len(gold)), len(gold))
