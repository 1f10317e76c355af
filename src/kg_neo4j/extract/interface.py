"""What an extractor must be able to do: answer one chunk with the schema's two-section CSV.

A model behind an API and the built-in offline rules are the same to the engine: both give a `ModelAnswer`, both answers
go through the same parser and the same validation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.records import ModelAnswer, NodeRow, Rejection, RelationshipRow


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A further question about a chunk, and what the answers before it gave."""

    step: str  # "continue", "glean" or "repair"
    nodes: tuple[NodeRow, ...]
    relationships: tuple[RelationshipRow, ...]
    rejections: tuple[Rejection, ...] = ()  # the rows to write again; "repair" only


class Extractor(Protocol):
    """Answers chunks. Safe to call from several threads; keeps no state between chunks."""

    @property
    def name(self) -> str:
        """The model's name, stored with every answer."""

    @property
    def config_hash(self) -> str:
        """Hash of everything that shapes an answer besides the text: schema, prompts, model, parameters, rules."""

    @property
    def converses(self) -> bool:
        """True where context is of use and further questions can be asked; false for rules."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know after a run: the cache of answers was made again, ..."""

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        """Return the CSV answer on `shown_text`: the chunk's text, shortened where preprocessing asks for it.

        Raises the ModelError subclasses of `ChatModel.complete`. Another error fails this chunk alone. The same
        input gives the same answer offline.
        """

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        """Ask a further question. Raises as `answer` does; only called where `converses` is true."""

    def keep(self, answer: ModelAnswer) -> None:
        """Note that an answer was read and found to be of use, so that it need not be paid for again."""


# What an extractor may offer besides CSV; only the scorecard and other extractors ask for it.

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
