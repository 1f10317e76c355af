"""Models that keep to a budget: each call is paid from what was set aside for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from kg_neo4j._models.budget import Budget, Cost, Grant
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_embedding import OpenAIEmbedding
from kg_neo4j._models.prices import Price
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.records import Usage

FIRST_OUTPUT = 500  # tokens expected of the first answer
AMPLE = 4  # times the longest answer so far
MARGIN = 1.05  # other tokenisers, and the server's own words around the messages


class BudgetedChat:
    """A ChatModel that asks only what its budget still covers; raises BudgetReached besides the model's errors."""

    def __init__(self, model: OpenAIChat, price: Price, budget: Budget, tokeniser: Tokeniser) -> None:
        self._model = model
        self._price = price
        self._budget = budget
        self._tokeniser = tokeniser
        self._lock = threading.Lock()
        self._factor = MARGIN  # the server's tokens for one of ours; the highest seen
        self._longest = 0  # tokens of the longest answer so far; 0: there is none yet

    @property
    def name(self) -> str:
        """The model's name, as stored beside its answers."""
        return self._model.name

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""
        return self._model.window

    def complete(
        self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
    ) -> Completion:
        """Answer one prompt as `OpenAIChat.complete` does, within the budget.

        An answer that was cut because little was left is asked for again with more, where there is more.
        """
        return self._complete(system, user, max_tokens, temperature, self._model.answer)

    def stream(
        self,
        system: str,
        user: str,
        hear: Callable[[str], None],
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
    ) -> Completion:
        """Answer one prompt as `OpenAIChat.stream` does, within the budget."""
        return self._complete(
            system,
            user,
            max_tokens,
            temperature,
            lambda system, user, **how: self._model.stream_answer(system, user, hear, **how),
        )

    def _complete(
        self,
        system: str,
        user: str,
        max_tokens: int | None,
        temperature: float,
        answer: Callable[..., Completion],
    ) -> Completion:
        counted = self._tokeniser.count(system) + self._tokeniser.count(user)
        spent = Usage()
        again = 0  # tokens that an answer which was cut is asked for again with
        while True:
            prompt = counted * self._factor
            most = max(1, min(self._model.largest_output, int(self._model.window - prompt)))
            most = most if max_tokens is None else min(most, max_tokens)
            with self._budget.reserve(partial(self._cost, prompt, most, again)) as grant:
                bound = self._affordable(grant, prompt, most)
                limit = max_tokens if bound is None else bound
                done = answer(system, user, max_tokens=limit, temperature=temperature, account=grant)
                self._note(counted, done, grant)
            spent += done.usage
            if bound is None or done.finish_reason != "length":
                return replace(done, usage=spent)
            again = 2 * bound

    def _cost(self, prompt: float, most: int, again: int) -> Cost:
        """Return what a call may cost, by the answers so far."""
        usual = again or self._longest or FIRST_OUTPUT
        # nothing is ample before the first answer: it is waited for where money is short
        ample = again or AMPLE * self._longest or most
        return Cost(*(self._price.usd(prompt, min(output, most)) for output in (usual, ample, most)))

    def _affordable(self, grant: Grant, prompt: float, most: int) -> int | None:
        """Return the tokens of output that a grant covers; None where it covers every answer."""
        if not self._price.output or grant.usd >= self._price.usd(prompt, most):
            return None
        return max(1, int((grant.usd - self._price.usd(prompt)) * 1e6 / self._price.output))

    def _note(self, counted: int, done: Completion, grant: Grant) -> None:
        """Learn from an answer; where the server did not count its tokens, we do."""
        usage = done.usage
        output = usage.output_tokens or self._tokeniser.count(done.text)
        if not grant.spent_usd and not usage.input_tokens:
            grant.paid(Usage(1, counted, output, self._price.usd(counted, output)))
        with self._lock:
            self._longest = max(self._longest, output)
            if usage.calls == 1 and counted:
                self._factor = max(self._factor, usage.input_tokens / counted)


class BudgetedEmbedding:
    """An EmbeddingModel that asks only what its budget still covers; raises BudgetReached besides its errors."""

    def __init__(self, model: OpenAIEmbedding, price: Price, budget: Budget, tokeniser: Tokeniser) -> None:
        self._model = model
        self._price = price
        self._budget = budget
        self._tokeniser = tokeniser

    @property
    def name(self) -> str:
        """Stored with the vectors: another name means another space."""
        return self._model.name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._model.dimension

    @property
    def max_tokens(self) -> int:
        """Longer texts are split before they come here."""
        return self._model.max_tokens

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors as `OpenAIEmbedding.embed` does, within the budget."""
        tokens = sum(self._tokeniser.count(text) for text in texts)
        cost = self._price.usd(tokens * MARGIN)
        with self._budget.reserve(lambda: Cost(cost, cost, cost)) as grant:
            vectors = self._model.embed(texts, account=grant)
            if not grant.spent_usd:
                grant.paid(Usage(1, tokens, 0, self._price.usd(tokens)))
        return vectors
