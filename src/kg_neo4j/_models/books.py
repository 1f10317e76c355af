"""What calls to models cost and when they may be made: the books of one process.

The books of many workers are `kg_neo4j_scale.ledger.Ledger`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

FIRST_OUTPUT = 500  # tokens expected of the first answer
MARGIN = 1.05  # other tokenisers; until a server has counted
FRAME = 16  # tokens of a prompt that are the server's own words around the messages


@dataclass(frozen=True, slots=True)
class Hold:
    """A reservation, in US dollars. One that holds nothing is closed."""

    id: str
    held: float  # still set aside
    paid: float  # for the answers to its calls, and for calls whose outcome is unknown
    owner: str = ""  # see `owners`
    at: float = 0.0  # when it was made, in seconds since 1970


@dataclass(frozen=True, slots=True)
class Clocks:
    """When the next request to a server may be made, by the requests and by the tokens before it; in seconds."""

    server: str
    requests: float = 0.0
    tokens: float = 0.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What the answers of a model taught: the most seen of each."""

    model: str
    factor: float = MARGIN  # the server's tokens for one of ours
    longest: int = 0  # tokens of an answer; 0: there is none yet

    @property
    def usual(self) -> int:
        """Tokens that are expected of an answer."""
        return self.longest or FIRST_OUTPUT

    def prompt(self, counted: int) -> float:
        """Return the tokens that the server may count for a prompt in which we counted so many."""
        return counted * self.factor + FRAME

    def after(self, counted: int, read: int, written: int) -> Seen:
        """Return what is known after an answer: our count of its prompt, the server's, and that of the answer."""
        factor = max(self.factor, read / counted) if counted else self.factor
        return replace(self, factor=factor, longest=max(self.longest, written))


Record = Hold | Clocks | Seen


@dataclass(slots=True)
class State:
    """All records, folded. Use within `opened` only."""

    holds: dict[str, Hold] = field(default_factory=dict)  # those that are not closed
    clocks: dict[str, Clocks] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    version: int = 0  # grows with each record
    unwritten: list[Record] = field(default_factory=list)
    _closed_usd: float = 0.0

    @property
    def paid_usd(self) -> float:
        """What was paid so far, without what is set aside."""
        return self._closed_usd + sum(hold.paid for hold in self.holds.values())

    @property
    def taken_usd(self) -> float:
        """What was paid or is set aside."""
        return self.paid_usd + sum(hold.held for hold in self.holds.values())

    def write(self, record: Record) -> None:
        """Take a record, and have it kept when `opened` ends."""
        self.take(record)
        self.unwritten.append(record)

    def take(self, record: Record) -> None:
        """Put a record in the place of the last one about the same."""
        self.version += 1
        if isinstance(record, Clocks):
            self.clocks[record.server] = record
        elif isinstance(record, Seen):
            self.seen[record.model] = record
        elif record.held > 0:
            self.holds[record.id] = record
        else:
            self.holds.pop(record.id, None)
            self._closed_usd += record.paid


@dataclass(eq=False, repr=False)
class Books:
    """The state, kept for the threads of this process. Does not pickle."""

    where: str = ""  # for messages; empty: in this process
    _state: State = field(default_factory=State)
    _change: threading.Condition = field(default_factory=threading.Condition)
    _made: int = 0

    @contextmanager
    def opened(self) -> Iterator[State]:
        """Give the state to one caller at a time; what it writes is kept afterwards."""
        with self._change:
            yield self._state
            self._state.unwritten.clear()
            self._change.notify_all()

    def wait(self, version: int) -> None:
        """Return when the state may be another than that of `version`."""
        with self._change:
            self._change.wait_for(lambda: self._state.version != version)

    def new_hold(self, usd: float) -> Hold:
        """Return a reservation of this process. Call it within `opened`."""
        self._made += 1
        return Hold(str(self._made), usd, 0.0)

    def is_lost(self, hold: Hold) -> bool:
        """Return True where the process that would close a reservation has ended. Call it within `opened`."""
        return False  # threads close what they opened
