"""A conversation: what was asked and answered, and of whom and what it spoke."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import ModelError
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Answer, Usage
from kg_neo4j.words import fold, is_stop_word, split_words

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
        return door.fallback(self)


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


ANSWER_TOKENS = 200  # room for one question
PROMPT_TOKENS = 400
LONGEST = 500  # characters of a rewritten question, beyond those of the question itself

_QUOTES = re.compile(r'^["“”\'`]+|["“”\'`]+$')
_MARKS = re.compile("[?\u037e\u061f\uff1f]")
_LABEL = re.compile(r"^(?:(?:rewritten|last|final|standalone)\s+)?question\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RewriteFollowUp(Prompted[str]):
    """Asks for `question` as somebody would ask it who begins the conversation with it."""

    kind: ClassVar[str] = "follow_up"
    prompt_name: ClassVar[str] = "chat/follow_up"
    cached: ClassVar[bool] = False
    max_tokens = ANSWER_TOKENS
    question: str
    history: str

    def values(self) -> dict[str, str]:
        """Return the conversation and its last question."""
        return {"history": self.history, "question": self.question}

    def accept(self, said: Completion) -> str | Complaint[str]:
        """Return the question in an answer, or what is wrong with it."""
        lines = [line.strip() for line in said.text.splitlines() if line.strip()]
        if len(lines) != 1:
            return Complaint(f"the model's rewriting has {len(lines)} lines")
        found = _QUOTES.sub("", _LABEL.sub("", _QUOTES.sub("", lines[0]))).strip()
        if not any(char.isalnum() for char in found):
            return Complaint("the model's rewriting has no words")
        if len(found) > LONGEST + len(self.question):
            return Complaint(f"the model's rewriting has {len(found):,} characters")
        if not all(char.isprintable() for char in found):
            return Complaint("the model's rewriting has characters that are not for reading")
        keeps_words = _terms(self.question) <= _terms(found)
        if not _MARKS.search(found) and (_MARKS.search(self.question) or not keeps_words):
            return Complaint("the model's rewriting is no question")
        return found


@dataclass(frozen=True, slots=True)
class Understand(Job[Understood]):
    """Brings a follow-up to `turns` into a form that stands by itself."""

    kind: ClassVar[str] = "understand"
    question: str
    turns: Sequence[Turn]
    tokeniser: Tokeniser
    history_tokens: int = HISTORY_TOKENS  # of the turns that a model is shown

    def by_model(self, door: Door) -> Understood:
        """Ask the model once; what it says is not used where it is no such question. Raises BudgetReached."""
        try:
            made = rewrite(self.question, self.turns, door, self.tokeniser, self.history_tokens)
        except ModelError as error:
            made = Understood("", why=str(error))
        if not made.question:
            return replace(door.fallback(self), usage=made.usage, why=made.why)
        is_other = made.question.casefold() != " ".join(self.question.split()).casefold()
        return made if is_other else replace(made, by="")


def rewrite(
    question: str, turns: Sequence[Turn], door: Door, tokeniser: Tokeniser, max_tokens: int = HISTORY_TOKENS
) -> Understood:
    """Ask the model once for `question` in a form that stands by itself; empty, with the reason, where it gives none.

    Raises the errors of the model that concern every question.
    """
    room = door.window - PROMPT_TOKENS - ANSWER_TOKENS - tokeniser.count(question)
    history = render(turns, tokeniser, max(0, min(max_tokens, room)))
    if not history:
        return Understood("", why="no turn of the conversation fits")
    answer = door.ask(RewriteFollowUp(question, history))
    return Understood(answer.value or "", "model", answer.charged, answer.problem)


def _terms(text: str) -> frozenset[str]:
    """Return the words of a question that a rewriting must keep: all but those that refer, and other stop words."""
    return frozenset(word for word in map(fold, split_words(text)) if not is_stop_word(word))
