"""A limit on what a run spends with models, kept before each call and not after it.

What a call may cost is set aside before it is made, and what it did not cost is given back. Where the price of the
longest possible answer is not free any more, less is set aside and the answer is bounded by it. A call waits while
others hold what it needs; when nobody holds anything and it is still not enough, the budget is reached: by then every
call that was made is answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from kg_neo4j.errors import BudgetReached, UsageError
from kg_neo4j.records import Usage

SHARE = 8  # a call may cost so much of what is free, if it is more than ample
_HINT = "what was recorded is kept; the same command with a larger --budget-usd goes on from there"


class Account(Protocol):
    """Who pays for the HTTP calls that one question takes."""

    def begin(self) -> None:
        """Allow the next HTTP call, or raise BudgetReached."""

    def paid(self, usage: Usage) -> None:
        """Take note of an answer that was paid for, of use or not."""


class Unlimited:
    """An account without a limit."""

    def begin(self) -> None:
        """Allow it."""

    def paid(self, usage: Usage) -> None:
        """Note nothing."""


UNLIMITED: Account = Unlimited()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call may cost, in US dollars: as much as calls did so far, amply counted, and at most."""

    usual: float
    ample: float
    most: float


class Budget:
    """US dollars that one run may spend, shared by all its models and threads. Does not pickle."""

    def __init__(self, limit_usd: float) -> None:
        """Refuse a limit that is not above zero: UsageError."""
        if not limit_usd > 0:
            raise UsageError(f"a budget of {limit_usd:g} USD", hint="more than 0; `--dry-run` says what a load costs")
        self.limit_usd = limit_usd
        self._spent = 0.0
        self._held = 0.0
        self._open = 0  # grants
        self._is_reached = False  # and stays so: a cheaper call is not made after a dearer one was refused
        self._change = threading.Condition()

    @property
    def spent_usd(self) -> float:
        """What was paid so far, by all models together."""
        return self._spent

    def reserve(self, estimate: Callable[[], Cost]) -> Grant:
        """Set aside what a call may cost; waits while other calls hold it. Raises BudgetReached.

        `estimate` is asked again after each wait: the calls that were waited for may have shown what a call costs.
        """
        with self._change:
            while True:
                cost = estimate()
                free = self.limit_usd - self._spent - self._held
                if self._is_reached or (not self._open and free < cost.usual):
                    raise self._reached(cost.usual)
                if free >= cost.ample:
                    usd = min(cost.most, max(cost.ample, free / SHARE))
                    break
                if not self._open:
                    usd = free
                    break
                self._change.wait()
            self._held += usd
            self._open += 1
        return Grant(self, usd)

    def hold_again(self, usd: float) -> None:
        """Set aside for a repeated call, at once; raises BudgetReached where it is not free."""
        with self._change:
            if self.limit_usd - self._spent - self._held < usd:
                raise self._reached(usd)
            self._held += usd

    def spend(self, usd: float, held: float) -> None:
        """Note a payment, of which `held` was set aside."""
        with self._change:
            self._spent += usd
            self._held -= held
            self._change.notify_all()

    def close(self, held: float) -> None:
        """Give back what a grant still holds."""
        with self._change:
            self._held -= held
            self._open -= 1
            if not self._open:
                self._held = 0.0  # nothing is left of rounding
            self._change.notify_all()

    def _reached(self, usd: float) -> BudgetReached:
        self._is_reached = True
        self._change.notify_all()
        return BudgetReached(
            f"the budget of {self.limit_usd:g} USD is used up: {self._spent:.4f} USD are spent, "
            f"and the next call is expected to cost {usd:.4f} USD",
            limit_usd=self.limit_usd,
            spent_usd=self._spent,
            hint=_HINT,
        )


class Grant:
    """What is set aside for one question; an Account, and a context manager that gives the rest back."""

    def __init__(self, budget: Budget, usd: float) -> None:
        self.usd = usd  # as granted
        self.spent_usd = 0.0
        self._budget = budget
        self._left = usd
        self._answered = False

    def __enter__(self) -> Grant:
        """Return self."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give back what was not spent."""
        self._budget.close(self._left)

    def begin(self) -> None:
        """Set the same aside once more where an answer was paid for and has to be asked for again."""
        if self._answered:
            self._budget.hold_again(max(self.usd - self._left, 0.0))
            self._left = max(self.usd, self._left)

    def paid(self, usage: Usage) -> None:
        """Spend what an answer cost."""
        usd = usage.usd or 0.0
        part = min(usd, self._left)
        self._answered = True
        self._left -= part
        self.spent_usd += usd
        self._budget.spend(usd, part)
