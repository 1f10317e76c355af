"""Asks a chat model about one chunk: for the two-section CSV with prompts/extract.md, then for what is missing.

A further question repeats the first one and adds what was found, so that a provider's cache of prompts can serve it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import ClassVar

from kg_neo4j._models import prompts
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Task
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import Extractor, FollowUp
from kg_neo4j.extract.schema import Schema, SchemaColumn
from kg_neo4j.records import ModelAnswer

FOLLOW_UPS = ("continue", "glean", "repair")
SHOWN_ROWS = 400  # of each section, in a further question

_LANGUAGES = {
    "source": "Names, roles and descriptions are in the language of the text; nothing is translated.",
    "en": "Names stay as the text has them; roles and descriptions are in English. The evidence is never translated.",
}


@dataclass(frozen=True, slots=True)
class _Rows(Task[Completion]):
    """Ask for rows. It neither reads nor checks the answer: the conversation about the chunk judges the rows."""

    kind: ClassVar[str] = "extract"
    caches_accepted: ClassVar[bool] = False
    system: str
    user: str
    temperature: float

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return both messages; a further question is a task of its own."""
        return self.system, self.user

    def accept(self, said: Completion) -> Completion:
        return said


class LlmExtractor:
    """An Extractor that asks a model behind an API. Keeps no state between chunks; pickles if the model does."""

    def __init__(
        self, door: Door, schema: Schema, *, output_language: str = "source", temperature: float | None = None
    ) -> None:
        """`output_language` is "source" (default) or "en"; `temperature` None takes the prompt's (0)."""
        if output_language not in _LANGUAGES:
            raise UsageError(f"output language {output_language!r}", hint=f"one of {', '.join(_LANGUAGES)}")
        self._door = door
        self._schema = schema
        self._language = output_language
        self._prompt = prompts.load("extract")
        self._further = {name: prompts.load(name) for name in FOLLOW_UPS}
        self._temperature = self._prompt.temperature if temperature is None else temperature
        self.name = door.name
        self.converses = True  # a model uses context and can be asked further questions
        asked = (self._prompt.hash, *(self._further[name].hash for name in FOLLOW_UPS))
        parts = (self.name, asked, schema.hash, output_language, repr(self._temperature))
        self.config_hash = hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the cache of answers has to say."""
        return self._door.notes

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        """Ask once and return what the model said, word for word.

        Raises the ModelError subclasses of `ChatModel.complete`.
        """
        return self._ask(*self.messages(task, shown_text), self._prompt.hash)

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        """Ask a further question and return what the model said, word for word; raises as `answer` does."""
        system, user = self.messages(task, shown_text)
        further = self.further_message(question)
        return self._ask(system, f"{user}\n\n{further}", self._further[question.step].hash)

    def keep(self, answer: ModelAnswer) -> None:
        """Put an answer that was paid for into the cache, at once: a run that is killed does not lose it."""
        self._door.keep(answer.request_hash, Completion(answer.text, answer.finish_reason, answer.usage))

    def _ask(self, system: str, user: str, prompt_hash: str) -> ModelAnswer:
        task = _Rows(system, user, self._temperature)
        said = self._door.ask(task).result()
        return ModelAnswer(
            text=said.text,
            model=self.name,
            prompt_hash=prompt_hash,
            finish_reason=said.finish_reason,
            usage=said.usage,
            request_hash=task.request("", 0).hash(self.name),
            kept=said.kept,
        )

    def messages(self, task: ChunkTask, shown_text: str) -> tuple[str, str]:
        """Return the system and the user message for one chunk.

        The mark around the text is a hash of all that comes from the document, so none of it can contain its own
        closing mark.
        """
        schema = self._schema
        from_document = "\0".join((shown_text, repr(task.context)))
        boundary = hashlib.sha256(from_document.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        carried = []
        if task.context.before:
            carried.append(f"===== end of what came before {boundary} =====\n{task.context.before}")
        if task.context.known:
            names = "; ".join(f"{_one_line(name)} ({kind})" for name, kind in task.context.known)
            carried.append(f"===== named so far {boundary} =====\n{names}")
        types = [
            f"{section} are of these types only: {', '.join(types)}."
            for section, types in (("Nodes", schema.node_types), ("Relationships", schema.relationship_types))
            if types
        ]
        return self._prompt.render(
            node_header=",".join(schema.node_header),
            relationship_header=",".join(schema.relationship_header),
            node_columns=_notes(schema.nodes),
            relationship_columns=_notes(schema.relationships),
            types=" ".join(types) or "Choose the types that fit.",
            language=_LANGUAGES[self._language],
            example_text=schema.example_text,
            example_answer=schema.example_answer.strip(),
            title=_one_line(task.document.title),
            section=_one_line(task.chunk.section) or "-",
            context="".join(f"{part}\n" for part in carried),
            boundary=boundary,
            text=shown_text,
        )

    def further_message(self, question: FollowUp) -> str:
        """Return what a further question adds to the user message."""
        prompt = self._further[question.step]
        nodes, relationships = question.nodes[:SHOWN_ROWS], question.relationships[:SHOWN_ROWS]
        shown = {
            "nodes": [f"{node.node_id},{node.type},{_one_line(node.name)}" for node in nodes],
            "relationships": [f"{row.source_id},{row.type},{row.target_id}" for row in relationships],
            "rejected": [
                f"{_one_line(each.text)}\n  -> {each.reason.replace('_', ' ')}: {_one_line(each.detail)}"
                for each in question.rejections
            ],
        }
        return prompt.render(**{name: "\n".join(shown[name]) or "(none)" for name in prompt.placeholders})[1]


def _notes(columns: tuple[SchemaColumn, ...]) -> str:
    return "\n".join(f"- {column.name}: {column.note}" for column in columns)


def _one_line(text: str) -> str:
    """Return a title or a path of headings, which come from the document, in one line of at most 300 characters."""
    return " ".join(text.split())[:300]


@dataclass(frozen=True, slots=True)
class OpenExtractor(Job[Extractor]):
    """Chooses what extracts rows from chunks."""

    kind: ClassVar[str] = "open_extractor"
    schema: Schema
    output_language: str = "source"
    temperature: float | None = None
    spacy_model: str | None = None  # of the rules, instead of the built-in one

    def by_model(self, door: Door) -> Extractor:
        """Take the model."""
        return LlmExtractor(door, self.schema, output_language=self.output_language, temperature=self.temperature)
