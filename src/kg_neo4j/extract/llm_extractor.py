"""Asks a chat model for the two-section CSV of one chunk, with prompts/extract.md."""

from __future__ import annotations

import hashlib

from kg_neo4j._models import prompts
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.schema import Schema, SchemaColumn
from kg_neo4j.records import Chunk, Document, ModelAnswer

_LANGUAGES = {
    "source": "Names, roles and descriptions are in the language of the text; nothing is translated.",
    "en": "Names stay as the text has them; roles and descriptions are in English. The evidence is never translated.",
}


class LlmExtractor:
    """An Extractor that asks a model behind an API. Keeps no state between chunks; pickles if the model does."""

    def __init__(
        self, model: ChatModel, schema: Schema, *, output_language: str = "source", temperature: float | None = None
    ) -> None:
        """`output_language` is "source" (default) or "en"; `temperature` None takes the prompt's (0)."""
        if output_language not in _LANGUAGES:
            raise UsageError(f"output language {output_language!r}", hint=f"one of {', '.join(_LANGUAGES)}")
        self._model = model
        self._schema = schema
        self._language = output_language
        self._prompt = prompts.load("extract")
        self._temperature = self._prompt.temperature if temperature is None else temperature

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def config_hash(self) -> str:
        """Hash of the model's name, the prompt, the schema, the language of the answer and the temperature."""
        parts = (self._model.name, self._prompt.hash, self._schema.hash, self._language, repr(self._temperature))
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def answer(self, document: Document, chunk: Chunk, shown_text: str) -> ModelAnswer:
        """Ask once and return what the model said, word for word.

        Raises the ModelError subclasses of `ChatModel.complete`.
        """
        system, user = self.messages(document, chunk, shown_text)
        completion = self._model.complete(system, user, temperature=self._temperature)
        return ModelAnswer(
            text=completion.text,
            model=self._model.name,
            prompt_hash=self._prompt.hash,
            finish_reason=completion.finish_reason,
            usage=completion.usage,
        )

    def messages(self, document: Document, chunk: Chunk, shown_text: str) -> tuple[str, str]:
        """Return the system and the user message for one chunk.

        The mark around the text is a hash of the text, so no text can contain its own closing mark.
        """
        schema = self._schema
        return self._prompt.render(
            node_header=",".join(schema.node_header),
            relationship_header=",".join(schema.relationship_header),
            node_columns=_notes(schema.nodes),
            relationship_columns=_notes(schema.relationships),
            types=_types(schema),
            language=_LANGUAGES[self._language],
            example_text=schema.example_text,
            example_answer=schema.example_answer.strip(),
            title=_one_line(document.title),
            section=_one_line(chunk.section) or "-",
            boundary=hashlib.sha256(shown_text.encode("utf-8", "surrogatepass")).hexdigest()[:12],
            text=shown_text,
        )


def _notes(columns: tuple[SchemaColumn, ...]) -> str:
    return "\n".join(f"- {column.name}: {column.note}" for column in columns)


def _types(schema: Schema) -> str:
    allowed = [
        f"{section} are of these types only: {', '.join(types)}."
        for section, types in (("Nodes", schema.node_types), ("Relationships", schema.relationship_types))
        if types
    ]
    return " ".join(allowed) or "Choose the types that fit."


def _one_line(text: str) -> str:
    """Return a title or a path of headings, which come from the document, in one line of at most 300 characters."""
    return " ".join(text.split())[:300]
