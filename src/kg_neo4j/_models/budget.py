"""A limit on what models may cost, kept before each call and not after it.

What a call may cost is set aside before it is made, and the rest is given back. Where the price of the longest answer
is not free any more, less is set aside and bounds the answer. A call waits while others hold what it needs; when nobody
holds anything and it is still not enough, the budget is reached. A call whose outcome is unknown (without a whole
answer, unless the server refused it, or of a worker that has died) has cost what was set aside for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from kg_neo4j._models.books import Books, Hold, Seen, State
from kg_neo4j.errors import BudgetReached, UsageError
from kg_neo4j.records import Usage

SHARE = 8  # a call may cost so much of what is free, if it is more than ample


class Account:
    """Pays for the HTTP calls that one question takes. This one has no limit."""

    async def begin(self) -> None:
        """Allow the next HTTP call, or raise BudgetReached. Its outcome is unknown from now on."""

    def paid(self, usage: Usage) -> None:
        """Take note of an answer that was paid for, of use or not. One without a count leaves the outcome unknown."""

    def refused(self) -> None:
        """Take note that the call cost nothing."""


UNLIMITED = Account()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call may cost, in US dollars: as much as calls did so far, amply counted, and at most."""

    usual: float
    ample: float
    most: float


class Budget:
    """US dollars that may be spent, shared by all models and threads of a run.

    With a ledger it is the budget of all workers that name the same file, and of all runs that did before.
    """

    def __init__(self, limit_usd: float, ledger: Books | None = None) -> None:
        """Refuse a limit that is not above zero: UsageError."""
        if not limit_usd > 0:
            raise UsageError(f"a budget of {limit_usd:g} USD", hint="more than 0; `--dry-run` says what a load costs")
        self.limit_usd = limit_usd
        self._books: Books = ledger or Books()
        self._is_reached = False  # and stays so: a cheaper call is not made after a dearer one was refused

    @property
    def spent_usd(self) -> float:
        """What was paid so far, by all models together, and what was set aside by workers that have died."""
        with self._books.opened() as state:
            return self._spent(state)

    def reserve(self, estimate: Callable[[Seen], Cost], model: str = "") -> Grant:
        """Set aside what a call may cost; waits while other calls hold it. Raises BudgetReached.

        `estimate` gets what is known of `model`, and is asked again after each wait: the calls that were waited for may
        have shown what a call costs.
        """
        while True:
            with self._books.opened() as state:
                seen = state.seen.get(model, Seen(model))
                usd = self._grantable(estimate(seen), state)
                if usd is not None:
                    hold = self._books.new_hold(usd)
                    state.write(hold)
                    return Grant(self, hold, seen)
                version = state.version
            self._books.wait(version)

    def _grantable(self, cost: Cost, state: State) -> float | None:
        """Return what a call may have; None where it has to wait. Raises BudgetReached."""
        free = self.limit_usd - state.taken_usd
        if free >= cost.ample and not self._is_reached:
            return min(cost.most, max(cost.ample, free / SHARE))
        is_open = not all(self._books.is_lost(hold) for hold in state.holds.values())
        if self._is_reached or (not is_open and free < cost.usual):
            raise self._reached(cost.usual, state)
        return None if is_open else free

    def hold_again(self, hold: Hold, usd: float) -> Hold:
        """Set so much aside for a repeated call, at once; raises BudgetReached where it is not free."""
        again = replace(hold, held=usd)
        with self._books.opened() as state:
            before = state.holds[hold.id]
            if state.taken_usd - before.held - before.paid + again.held + again.paid > self.limit_usd:
                raise self._reached(usd, state)
            state.write(again)
        return again

    def close(self, hold: Hold) -> None:
        """Note what the calls of a grant cost, and give back the rest."""
        with self._books.opened() as state:
            state.write(replace(hold, held=0.0))

    def learn(self, seen: Seen) -> None:
        """Keep what an answer of a model taught, for the next estimates."""
        with self._books.opened() as state:
            known = state.seen.get(seen.model, seen)
            most = Seen(seen.model, max(seen.factor, known.factor), max(seen.longest, known.longest))
            if most != state.seen.get(seen.model):
                state.write(most)

    def _spent(self, state: State) -> float:
        return state.paid_usd + sum(hold.held for hold in state.holds.values() if self._books.is_lost(hold))

    def _reached(self, usd: float, state: State) -> BudgetReached:
        self._is_reached = True
        spent, where = self._spent(state), self._books.where
        of_all = f" by all runs that {where} lists" if where else ""
        return BudgetReached(
            f"the budget of {self.limit_usd:g} USD is used up: {spent:.4f} USD are spent{of_all}, "
            f"and the next call is expected to cost {usd:.4f} USD",
            limit_usd=self.limit_usd,
            spent_usd=spent,
            hint="what was recorded is kept; the same command with a larger --budget-usd continues",
        )


class Grant(Account):
    """What is set aside for one question; a context manager that gives the rest back."""

    def __init__(self, budget: Budget, hold: Hold, seen: Seen) -> None:
        self.usd = hold.held  # as granted
        self.seen = seen  # what was known of the model
        self.spent_usd = 0.0
        self._budget = budget
        self._hold = hold
        self._is_unknown = False  # a call was made, and it is not known what it cost

    def __enter__(self) -> Grant:
        return self

    def __exit__(self, *_: object) -> None:
        self._settle()
        self._budget.close(self._hold)

    async def begin(self) -> None:
        """Set the same aside once more where a call has used it and is repeated."""
        self._settle()
        if self._hold.held < self.usd:
            self._hold = await asyncio.to_thread(self._budget.hold_again, self._hold, self.usd)
        self._is_unknown = True

    def paid(self, usage: Usage) -> None:
        """Spend what an answer cost."""
        if usage.input_tokens or usage.output_tokens:
            self._spend(usage.usd or 0.0)

    def refused(self) -> None:
        """Keep what is set aside for the next call."""
        self._is_unknown = False

    def _settle(self) -> None:
        if self._is_unknown:
            self._spend(self._hold.held)

    def _spend(self, usd: float) -> None:
        self._is_unknown = False
        self.spent_usd += usd
        self._hold = replace(self._hold, held=max(self._hold.held - usd, 0.0), paid=self._hold.paid + usd)
