"""Many questions to one model, several at a time: from the cache where they were answered before, within the budget.

What stops everything (a key that is refused, a server that is gone, a budget that is used up) is remembered: nothing
is asked after it. What concerns one question alone is that question's answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from kg_neo4j._models.cache import AnswerCache, key_of
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j._models.workers import Crew
from kg_neo4j.errors import BadModelAnswer, BudgetReached, ContentFiltered, ContextTooLong, ModelError

Reply = Completion | ModelError | BudgetReached


class Askable(Protocol):
    """A question as the model gets it."""

    @property
    def messages(self) -> tuple[str, str]:
        """System and user message."""


Q = TypeVar("Q", bound=Askable)


@dataclass(slots=True)
class Inquiry(Generic[Q]):
    """Asks one model. `stopped` is why nobody is asked any more."""

    model: ChatModel
    cache: AnswerCache | None
    concurrency: int
    is_useful: Callable[[Q, Completion], bool]  # what is of no use is not kept for other graphs
    max_tokens: int | None = None
    temperature: float = 0.0
    stopped: ModelError | BudgetReached | None = None

    def ask(self, questions: Sequence[Q]) -> Iterator[tuple[Q, Reply]]:
        """Yield each question with its answer, or with the error that came instead, in the order of coming."""
        crew: Crew[Q, Reply] = Crew(self._answer, self.concurrency)
        try:
            for question in questions:
                crew.begin(question)
            for _ in questions:
                done = crew.take()
                if done.error is not None:
                    raise done.error
                if done.result is not None:
                    yield done.item, done.result
        finally:
            crew.stop()

    def cached(self, question: Q) -> Completion | None:
        """Return the answer that was paid for before, or None."""
        system, user = question.messages
        return self.cache.get(self._key(system, user)) if self.cache else None

    def _key(self, system: str, user: str) -> str:
        return key_of(self.model.name, system, user, temperature=self.temperature, max_tokens=self.max_tokens)

    def _answer(self, question: Q) -> Reply:
        system, user = question.messages
        if cached := self.cached(question):
            return cached
        if self.stopped is not None:
            return self.stopped
        try:
            said = self.model.complete(system, user, max_tokens=self.max_tokens, temperature=self.temperature)
        except (ContentFiltered, ContextTooLong, BadModelAnswer) as error:  # of this question
            return error
        except (ModelError, BudgetReached) as error:
            self.stopped = error
            return error
        if self.cache and self.is_useful(question, said):
            self.cache.put(self._key(system, user), said)
        return said
