"""What an extractor may offer besides CSV: mentions with their places, and relations between given entities.

Both are optional, and only the scorecard and other extractors ask for them: an extractor that has a recogniser of names
or a model of relations behind its CSV offers it under the name that the protocols say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kg_neo4j.extract.context import ChunkTask

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


class RelationClassifier(Protocol):
    """Says which relations a text states between entities that are already known. Deterministic."""

    @property
    def name(self) -> str:
        """Shown in the scorecard."""

    @property
    def threshold(self) -> float:
        """The probability from which on a relation is believed by default."""

    def relate(
        self, text: str, sentences: Sequence[Place], entities: Sequence[EntityMentions]
    ) -> tuple[ScoredRelation, ...]:
        """Return relations, also those below the threshold that are worth a look (say, from 0.01 on).

        Entities are of the types PER, LOC, ORG, MISC, TIME and NUM. The same triple comes once at most.
        """


@runtime_checkable
class OffersRelations(Protocol):
    """An extractor whose relations come from a classifier."""

    @property
    def relation_classifier(self) -> RelationClassifier:
        """The classifier, as the extractor uses it."""


@runtime_checkable
class OffersMentions(Protocol):
    """An extractor that knows where each of its entities is mentioned, also by short names and pronouns."""

    def find_mentions(self, task: ChunkTask, shown_text: str) -> tuple[EntityMentions, ...]:
        """Return the entities of `shown_text`, typed as the node rows of the extractor are."""
