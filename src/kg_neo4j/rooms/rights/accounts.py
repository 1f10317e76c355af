"""What each token has spent today (UTC), in a file that survives a restart; and budgets that keep to its limit.

What a call may cost is in the file before the call is made. So a server that is killed has counted too much, not too
little.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from filelock import FileLock, Timeout

from kg_neo4j import jsonl_log
from kg_neo4j._models.books import Books, Hold, Seen, State
from kg_neo4j._models.budget import Budget, Cost, Grant
from kg_neo4j.errors import BudgetReached, UsageError, cannot_write
from kg_neo4j.rooms.rights import audit


@dataclass(eq=False, repr=False)
class Spending:
    """The files of a server, one for each day. One server at a time counts in a folder."""

    folder: Path
    today: Callable[[], date] = lambda: datetime.now(UTC).date()
    _books: dict[str, DayBooks] = field(default_factory=dict)
    _lock: FileLock | None = None

    def books(self, token: str) -> DayBooks:
        """Return the books of a token. Raises UsageError where another server counts in the folder."""
        if self._lock is None:
            lock = FileLock(self.folder / "spent.lock", timeout=0, mode=0o600)
            try:
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                lock.acquire()
            except Timeout:
                why = f"another server counts what tokens spend in {self.folder}"
                raise UsageError(why, hint="one server for a folder, or another KG_HOME") from None
            except OSError as error:
                raise cannot_write(self.folder, error) from error
            self._lock = lock
        return self._books.setdefault(token, DayBooks(token=token, spending=self))

    def file(self, day: date) -> Path:
        """Return where the reservations of a day are: JSON lines, the last one of an id counts."""
        return self.folder / f"spent-{day}.jsonl"

    def spent(self, day: date, token: str) -> float:
        """Return what a token has spent on a day. What was set aside and not closed counts as spent."""
        data = self.file(day).read_bytes() if self.file(day).is_file() else b""
        try:
            rows = [row for row in map(json.loads, jsonl_log.whole_lines(data)[0]) if row["token"] == token]
            return float(sum({row["id"]: row["held"] + row["paid"] for row in rows}.values()))
        except (ValueError, LookupError, TypeError):
            raise UsageError(f"{self.file(day)} is damaged", hint="without it, today begins at 0 again") from None

    def keep(self, day: date, token: str, holds: list[Hold]) -> None:
        """Append reservations, before their calls are made. Raises a KgError where that is impossible."""
        rows = ({"token": token, "id": each.id, "held": each.held, "paid": each.paid} for each in holds)
        try:
            jsonl_log.append_to(self.file(day), b"".join(json.dumps(row).encode() + b"\n" for row in rows), 0o600)
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def close(self) -> None:
        """Let another server have the folder."""
        if self._lock is not None:
            self._lock.release()
        self._lock, self._books = None, {}


@dataclass(eq=False, repr=False)
class DayBooks(Books):
    """What one token has spent today. With a new day they begin at 0; calls that run go on in it."""

    token: str = ""
    spending: Spending = field(default_factory=lambda: Spending(Path()))
    _day: date | None = None

    @contextmanager
    def opened(self) -> Iterator[State]:
        """Give the state of today to one caller at a time; what it writes is in the file afterwards."""
        with self._change:
            if (day := self.spending.today()) != self._day:
                self._day, self._state = day, self._begun(day, self._state)
            yield self._state
            if holds := [each for each in self._state.unwritten if isinstance(each, Hold)]:
                self.spending.keep(day, self.token, holds)
            self._state.unwritten.clear()
            self._change.notify_all()

    def _begun(self, day: date, last: State) -> State:
        state = State(seen=last.seen, version=last.version)
        state.take(Hold("earlier", 0.0, self.spending.spent(day, self.token)))
        for each in last.holds.values():
            state.write(each)
        return state

    def new_hold(self, usd: float) -> Hold:
        """Return a reservation that no earlier server had."""
        return Hold(secrets.token_hex(8), usd, 0.0)


class TokenBudget(Budget):
    """What one token may spend a day."""

    def __init__(self, token: str, limit_usd: float, books: DayBooks) -> None:
        super().__init__(limit_usd, books)
        self._token, self._today = token, books.spending.today

    def reserve(self, estimate: Callable[[Seen], Cost], model: str = "") -> Grant:
        """Set aside what a call may cost; a refused call refuses no later one, which may be cheaper, or of tomorrow."""
        self._is_reached = False
        return super().reserve(estimate, model)

    def close(self, hold: Hold) -> None:
        """Note what the calls of a grant cost, for the request that made them, too."""
        super().close(hold)
        audit.paid(hold.paid)

    def _reached(self, usd: float, state: State) -> BudgetReached:
        spent, again = self._spent(state), self._today() + timedelta(days=1)
        return BudgetReached(
            f"the token {self._token!r} has spent {spent:.4f} of {self.limit_usd:g} USD today, "
            f"and the next call is expected to cost {usd:.4f} USD",
            limit_usd=self.limit_usd,
            spent_usd=spent,
            hint=f"it may spend again from {again} 00:00 UTC",
        )
