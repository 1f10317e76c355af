"""Accuracy of options, as the authors of QuALITY and RAPTOR report it: a model reads what was found, and chooses one.

It sees the evidence of a system, the question and its options, and nothing else. A choice that is no number of an
option is asked for once more; then nothing is chosen, which counts as wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.door import Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.records import Answer, Usage
from kg_neo4j_lab.answers.questions import AnsweredQuestion

ROUNDS = 2  # a choice that breaks the rules is asked for once more
CHOICE_TOKENS = 400  # of an answer: some models write their reasons first


@dataclass(frozen=True, slots=True)
class Choose(Prompted[int]):
    """The question which option passages support."""

    kind: ClassVar[str] = "choose"
    rounds: ClassVar[int] = ROUNDS
    max_tokens = CHOICE_TOKENS
    question: str
    choices: tuple[str, ...]
    passages: tuple[str, ...]

    def values(self) -> Mapping[str, str]:
        """Return question, options and passages."""
        options = "\n".join(f"{number}: {each}" for number, each in enumerate(self.choices, 1))
        passages = "\n\n".join(self.passages) or "(none was found)"
        return {"question": self.question, "options": options, "passages": passages}

    def accept(self, said: Completion) -> int | Complaint[int]:
        """Return the number of an option, from 1."""
        found = find_object(said.text, ("option",))
        number = found["option"] if found else None
        if isinstance(number, str) and number.strip().isdecimal():
            number = int(number)
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(self.choices):
            return Complaint(f"it is not one JSON object with a number from 1 to {len(self.choices)}")
        return number


def choose(door: Door, question: AnsweredQuestion, answer: Answer) -> tuple[int, Usage]:
    """Return the option that the evidence of an answer supports, from 1, and what it cost; 0: none was chosen.

    Raises the errors of a model that stop a run.
    """
    passages = tuple(each.text for each in answer.evidence)
    found = door.ask(Choose(question.text, question.options, passages))
    return found.value or 0, found.charged
