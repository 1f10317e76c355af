"""What an extractor may offer besides CSV. The scorecard asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import Extractor
from kg_neo4j_offline.extractor.mentions import EntityMentions, Place, ScoredRelation


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

    def unfiltered(self) -> Extractor:
        """Return the extractor that writes all names, and relationships of its rules' and models' own types."""
