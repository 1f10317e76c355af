"""What a model answers without a passage: how much of a score comes from texts that it knows by heart."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.records import Answer
from kg_neo4j_lab.answers.questions import AnsweredQuestion

UNKNOWN = "NOT KNOWN"  # what the prompt asks a model to write where it does not know


@dataclass(frozen=True, slots=True)
class ByHeart(Prompted[str]):
    """A question alone."""

    kind: ClassVar[str] = "by_heart"
    question: str

    def values(self) -> Mapping[str, str]:
        """Return the question."""
        return {"question": self.question}

    def accept(self, said: Completion) -> str | Complaint[str]:
        """Return the answer; empty where the model does not know."""
        text = " ".join(said.text.split())
        return "" if UNKNOWN in text.upper() else text


def by_heart(door: Door, question: AnsweredQuestion) -> Answer:
    """Return what a model knows of a question. Raises the errors of a model that stop a run."""
    started = time.perf_counter()
    said = door.ask(ByHeart(question.text))
    text = said.value or ""
    return Answer(question.text, "none", text, bool(text), (), (), said.charged, time.perf_counter() - started)
