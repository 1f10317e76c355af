"""What a model can be asked: a task is a question with a typed answer.

A task holds the messages, the room for the answer, and `accept`, which turns what was said into a value, or into a
complaint with which the task is asked once more. It knows nothing of caches, budgets, threads or retries: `door` does.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.cache import FORMAT
from kg_neo4j._models.protocols import Completion, Listener
from kg_neo4j.errors import BadModelAnswer, BudgetReached, ContentFiltered, ContextTooLong, ModelError
from kg_neo4j.records import Usage

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Unanswered(ModelError):
    """A plan counts this question: nothing stored or cached answers it."""


OF_ONE_TASK = (ContentFiltered, ContextTooLong, BadModelAnswer, Unanswered)  # errors that say nothing of other tasks


@dataclass(frozen=True, slots=True)
class Complaint(Generic[T_co]):
    """Why an answer cannot be taken as it is, in words for the model; `value` is what can be used of it."""

    why: str
    value: T_co | None = None
    faults: int = 0  # of two answers with faults the later one counts, unless the earlier one has fewer
    keeps: bool = False  # the answer may be cached, faults and all
    repeats: bool = True  # asking once more may help


@dataclass(frozen=True, slots=True)
class Request:
    """What a model gets, and what the layers need to know of it."""

    kind: str
    system: str
    user: str
    max_tokens: int | None = None
    temperature: float = 0.0
    cached: bool = True
    key: str = ""  # of the stored answer; empty: it is not stored
    place: object = None  # what the stored answer belongs to, for the store alone
    round: int = 0
    on_token: Listener | None = None  # gets the pieces of the answer as they come
    options: Mapping[str, Any] = field(default_factory=dict)  # further fields of the request's body
    shaping: str = ""  # those of them that can change the answer, as JSON

    def hash(self, model: str) -> str:
        """Return what the cache knows the answer of `model` by: a hash of all that shapes it, the address apart."""
        parts = [FORMAT, model, self.system, self.user, float(self.temperature), self.max_tokens]
        parts += [self.shaping] if self.shaping else []  # without any the hash is as before
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Task(ABC, Generic[T]):
    """One question to a model. It does not change while it is asked; `accept` may do work, and runs once a round."""

    kind: ClassVar[str]
    rounds: ClassVar[int] = 1  # it is asked so often, at most
    cached: ClassVar[bool] = True  # answers of use serve other graphs on this machine
    caches_accepted: ClassVar[bool] = True  # an accepted answer is of use; False: the caller decides, by `Door.keep`
    reads_whole: ClassVar[bool] = True  # False: `accept` takes cut answers, and says what is missing
    reads_thoughts: ClassVar[bool] = False  # True: `accept` gets the answer word for word
    max_tokens: int | None = None  # room for the answer; None: what the model has
    temperature: float = 0.0
    options: Mapping[str, Any] = MappingProxyType({})  # fields of the request's body that the task itself wants

    def read(self, said: Completion) -> T | Complaint[T]:
        """Return what `accept` makes of an answer without thoughts; a cut one is none, unless the task takes it."""
        words = said if self.reads_thoughts else replace(said, text=without_thoughts(said.text))
        found = self.accept(words)
        if isinstance(found, Complaint) or not (self.reads_whole and said.is_cut):
            return found
        return Complaint("it was truncated: write less", found, faults=1)

    @abstractmethod
    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the system and the user message; `complaint` is on the answer before, empty in the first round."""

    @abstractmethod
    def accept(self, said: Completion) -> T | Complaint[T]:
        """Return the value that an answer gives, or what is wrong with it."""

    def smaller(self) -> Sequence[Task[T]]:
        """Return the tasks to ask where this one did not fit the model's window; none where it cannot be cut."""
        return ()

    def request(self, complaint: str, round: int) -> Request:
        """Return what the model gets in one round."""
        system, user = self.messages(complaint)
        return Request(self.kind, system, user, self.max_tokens, self.temperature, self.cached, round=round)


def once_more(why: str) -> str:
    """Return the usual complaint, to be put behind the user message."""
    return f"\n\nYour last answer could not be used: {why}. Keep to the rules." if why else ""


class Prompted(Task[T]):
    """A task whose messages and temperature are those of the prompt called `kind`."""

    prompt_name: ClassVar[str] = ""  # where that is not the kind: a room has a folder in prompts/

    @abstractmethod
    def values(self) -> Mapping[str, str]:
        """Return what the placeholders of the prompt stand for; `complaint` is left out."""

    def complain(self, complaint: str) -> str:
        """Return what stands for the placeholder `complaint`."""
        return once_more(complaint)

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the prompt, filled in."""
        prompt = self._prompt()
        more = {"complaint": self.complain(complaint)} if "complaint" in prompt.placeholders else {}
        return prompt.render(**self.values(), **more)

    def request(self, complaint: str, round: int) -> Request:
        """Return what the model gets in one round, at the temperature of the prompt."""
        return replace(super().request(complaint, round), temperature=self._prompt().temperature)

    def _prompt(self) -> prompts.Prompt:
        return prompts.load(self.prompt_name or self.kind)


@dataclass(frozen=True, slots=True)
class TaskAnswer(Generic[T]):
    """What became of a task: a value, or why there is none."""

    task: Task[T]
    value: T | None
    usage: Usage = field(default_factory=Usage)
    problem: str = ""  # of the answer that was used, or why none could be; empty where nothing was wrong
    error: ModelError | BudgetReached | None = None  # that came instead of an answer
    keys: tuple[str, ...] = ()  # of the stored answers that it rests on
    notes: tuple[str, ...] = ()  # of the client
    seconds: float = 0.0  # of waiting for the model
    stands_in: bool = False  # no model is set: a stand-in gave the value

    @property
    def charged(self) -> Usage:
        """Usage, with a call that brought an error counted as one call."""
        return self.usage + Usage(calls=1) if self.error is not None else self.usage

    def result(self) -> T:
        """Return the value; where there is none, raise the error, or BadModelAnswer where no answer could be used."""
        if self.value is not None:
            return self.value
        raise self.error or BadModelAnswer(self.problem or f"no answer to {self.task.kind}")
