"""What an extractor must be able to do: answer one chunk with the schema's two-section CSV.

A model behind an API and the built-in offline rules are the same to the engine: both give a `ModelAnswer`, both answers
go through the same parser and the same validation.
"""

from __future__ import annotations

from typing import Protocol

from kg_neo4j.records import Chunk, Document, ModelAnswer


class Extractor(Protocol):
    """Answers chunks. Safe to call from several threads; keeps no state between chunks."""

    @property
    def name(self) -> str:
        """The model's name, stored with every answer."""

    @property
    def config_hash(self) -> str:
        """Hash of everything that shapes an answer besides the text: schema, prompts, model, parameters, rules."""

    def answer(self, document: Document, chunk: Chunk, shown_text: str) -> ModelAnswer:
        """Return the CSV answer on `shown_text`: the chunk's text, shortened where preprocessing asks for it.

        Raises the ModelError subclasses of `ChatModel.complete`. The same input gives the same answer offline.
        """
