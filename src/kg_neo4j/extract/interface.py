"""What an extractor must be able to do: answer one chunk with the schema's two-section CSV.

A model behind an API and the built-in offline rules are the same to the engine: both give a `ModelAnswer`, both answers
go through the same parser and the same validation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.records import ModelAnswer, NodeRow, Rejection, RelationshipRow


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A further question about a chunk, and what the answers before it gave."""

    step: str  # "continue", "again", "glean" or "repair"
    nodes: tuple[NodeRow, ...]
    relationships: tuple[RelationshipRow, ...]
    rejections: tuple[Rejection, ...] = ()  # the rows to write again; "repair" only
    why: str = ""  # the first answer could not be used; "again" only


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
