"""Where a text names its entities, and which relations it states between them."""

from __future__ import annotations

from dataclasses import dataclass

Place = tuple[int, int]  # code points of the text at hand, half open


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """An entity of one text and all the places where it is named."""

    name: str
    type: str
    mentions: tuple[Place, ...]  # ascending; where two entities are mentioned in one sentence is read from these


@dataclass(frozen=True, slots=True)
class ScoredRelation:
    """A relation between two entities of a text, given by their indexes, and how likely it is."""

    source: int
    type: str  # upper snake case, as in the relationship_type of a CSV row
    target: int
    probability: float  # 0 to 1, calibrated
    evidence: Place | None = None  # the sentence, or the words, that it rests on
