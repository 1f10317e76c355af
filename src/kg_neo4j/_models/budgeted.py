"""Models that keep to a budget: each call is paid from what was set aside for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from kg_neo4j._models.books import MARGIN, Seen
from kg_neo4j._models.budget import Budget, Cost, Grant
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_embedding import OpenAIEmbedding
from kg_neo4j._models.prices import Price
from kg_neo4j._models.protocols import Completion, Listener
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.records import Usage


class BudgetedChat:
    """A ChatModel that asks only what its budget still covers; raises BudgetReached besides the model's errors."""

    def __init__(self, model: OpenAIChat, price: Price, budget: Budget, tokeniser: Tokeniser) -> None:
        self.name = model.name
        self.window = model.window
        self._model = model
        self.notes = model.notes
        self._price = price
        self._budget = budget
        self._tokeniser = tokeniser

    def complete(self, system: str, user: str, *, max_tokens: int | None = None, **how: Any) -> Completion:
        """Answer one prompt as `OpenAIChat.complete` does, within the budget.

        An answer that was cut because little was left is asked for again with more, where there is more.
        """
        ask = partial(self._model.complete, system, user, **how)
        counted = self._tokeniser.count(system) + self._tokeniser.count(user)
        spent = Usage()
        again = 0  # tokens that an answer which was cut is asked for again with
        while True:
            with self._budget.reserve(partial(self._cost, counted, max_tokens, again), self.name) as grant:
                bound = self._affordable(grant, counted, max_tokens)
                limit = max_tokens if bound is None else bound
                done = ask(max_tokens=limit, account=grant)
                self._note(counted, done, grant)
            spent += done.usage
            if bound is None or done.finish_reason != "length" or bound == self._room(counted, grant.seen):
                return replace(done, usage=spent)
            again = 2 * bound

    def stream(self, system: str, user: str, on_token: Listener, **how: Any) -> Completion:
        """Answer one prompt as `OpenAIChat.stream` does, within the budget."""
        return self.complete(system, user, on_token=on_token, **how)

    def thoughts(self, options: Mapping[str, Any]) -> int:
        """Return the tokens that its thoughts may take, as `OpenAIChat.thoughts` does."""
        return self._model.thoughts(options)

    def _longest(self, max_tokens: int | None) -> int:
        """Return the tokens of the longest answer. The prompt takes away nothing: our count of it may be too high."""
        return min(self._model.largest_output, max_tokens or self._model.largest_output)

    def _room(self, counted: int, seen: Seen) -> int:
        """Return the tokens of output that surely fit into the window."""
        return max(1, int(self._model.window - seen.prompt(counted)))

    def _cost(self, counted: int, max_tokens: int | None, again: int, seen: Seen) -> Cost:
        prompt = seen.prompt(counted)
        most = self._longest(max_tokens)
        # four times the longest answer; nothing is ample before the first one: it is waited for where money is short
        ample = again or 4 * seen.longest or most
        return Cost(*(self._price.usd(prompt, min(output, most)) for output in (again or seen.usual, ample, most)))

    def _affordable(self, grant: Grant, counted: int, max_tokens: int | None) -> int | None:
        """Return the tokens of output that a grant covers; None where it covers every answer."""
        prompt = grant.seen.prompt(counted)
        if not self._price.output or grant.usd >= self._price.usd(prompt, self._longest(max_tokens)):
            return None
        affordable = int((grant.usd - self._price.usd(prompt)) * 1e6 / self._price.output)
        return max(1, min(affordable, self._room(counted, grant.seen)))

    def _note(self, counted: int, done: Completion, grant: Grant) -> None:
        """Learn from an answer; where the server did not count its tokens, we do."""
        usage = done.usage
        output = usage.output_tokens or self._tokeniser.count(done.text)
        if not grant.spent_usd and not usage.input_tokens:
            grant.paid(Usage(1, counted, output, self._price.usd(counted, output)))
        seen = grant.seen.after(counted, usage.input_tokens if usage.calls == 1 else 0, output)
        if seen != grant.seen:
            self._budget.learn(seen)


class BudgetedEmbedding:
    """An EmbeddingModel that asks only what its budget still covers; raises BudgetReached besides its errors."""

    def __init__(self, model: OpenAIEmbedding, price: Price, budget: Budget, tokeniser: Tokeniser) -> None:
        self.name = model.name
        self.max_tokens = model.max_tokens
        self._model = model
        self.notes = model.notes
        self._price = price
        self._budget = budget
        self._tokeniser = tokeniser

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._model.dimension

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors as `OpenAIEmbedding.embed` does, within the budget."""
        if not texts:
            return self._model.embed(texts)
        parts = [texts[start : start + self._model.batch] for start in range(0, len(texts), self._model.batch)]
        return np.concatenate([self._embed(part) for part in parts])

    def _embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        tokens = sum(self._tokeniser.count(text) for text in texts)
        cost = self._price.usd(tokens * MARGIN)
        with self._budget.reserve(lambda _: Cost(cost, cost, cost)) as grant:
            vectors = self._model.embed(texts, account=grant)
            if not grant.spent_usd:
                grant.paid(Usage(1, tokens, 0, self._price.usd(tokens)))
        return vectors
