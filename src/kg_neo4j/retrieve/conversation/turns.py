"""A conversation: what was asked and answered, and of whom and what it spoke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Answer, Usage

TURNS = 20  # that are remembered
HISTORY_TOKENS = 1_000  # of them that a model is shown
ANSWER_CHARACTERS = 600  # of one answer that a model is shown


@dataclass(frozen=True, slots=True)
class TurnMention:
    """Somebody or something that a turn spoke of."""

    name: str  # the graph's
    kind: str  # "person", "place", "date", "thing", or "" where the graph does not know it
    gender: str = ""  # "f", "m", or "" where it cannot be told
    said: str = ""  # how the question writes it; empty where the answer alone speaks of it
    sure: bool = False  # the gender is stated: by kinship, a title or a role, not guessed by the first name


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as it was understood, its answer, and the mentions of both in the order in which they stand there."""

    question: str
    answer: str  # empty where nothing was found
    mentions: tuple[TurnMention, ...] = ()

    @property
    def asked(self) -> tuple[TurnMention, ...]:
        """What the question speaks of."""
        return tuple(each for each in self.mentions if each.said)

    @property
    def told(self) -> tuple[TurnMention, ...]:
        """What the answer alone speaks of."""
        return tuple(each for each in self.mentions if not each.said)


@dataclass(frozen=True, slots=True)
class Understood:
    """A question that stands by itself. `by`: "rule" or "model"; empty where it is what was asked."""

    question: str
    by: str = ""
    usage: Usage = field(default_factory=Usage)
    why: str = ""  # why the model's rewriting was not used


@dataclass(frozen=True, slots=True)
class ReadTurn(Job[Turn]):
    """Finds out of whom and what a question and its answer speak."""

    kind: ClassVar[str] = "read_turn"
    database: Database
    graph: str
    answer: Answer

    def by_model(self, door: Door) -> Turn:
        """Leave it to the stand-in: that costs nothing, and the next question may be understood without a model."""
        return door.instead(self)


def remember(turns: Sequence[Turn], turn: Turn) -> tuple[Turn, ...]:
    """Return the turns with one more; of a long conversation the last ones."""
    return (*turns, turn)[-TURNS:]


def render(turns: Sequence[Turn], tokeniser: Tokeniser, max_tokens: int = HISTORY_TOKENS) -> str:
    """Return the last turns as a model is shown them, oldest first; whole turns, within `max_tokens`."""
    shown: list[str] = []
    filled = 0
    for turn in reversed(turns):
        text = f"Q: {_line(turn.question)}\nA: {_line(turn.answer)[:ANSWER_CHARACTERS] or 'not found'}"
        filled += tokeniser.count(text) + 2
        if filled > max_tokens:
            break
        shown.append(text)
    return "\n\n".join(reversed(shown))


def _line(text: str) -> str:
    return " ".join(text.split())
