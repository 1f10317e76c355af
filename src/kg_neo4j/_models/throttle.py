"""When and how many calls one server is sent: fewer when it says that it has too many, slowly more afterwards.

A refusal for being too many (429), or headers that say that nothing is left, halve the number and hold all callers of
the endpoint back for as long as the server asks; each full round of answers allows one call more, up to the ceiling.
Where the user limits requests or tokens a minute, each call takes 60 s / limit of a clock that all callers share, so
that there is no burst. Tokens are reserved by an estimate, which the server's count corrects.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from kg_neo4j._models.books import Books, Clocks
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_faults import MAX_PAUSE_S, MAX_WAIT_S, duration_s


@dataclass(slots=True)
class Throttle:
    """The calls in flight to one endpoint. Used on one event loop only."""

    endpoint: Endpoint
    limit: float = 0.0  # calls at a time; set to the endpoint's ceiling when made
    in_flight: int = 0
    opens_at: float = 0.0  # nothing is sent before, on the endpoint's clock
    slowed_at: float = -1.0
    tokens: float = 0.0  # of a call, input and output, by those answered last
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)
    _books: Books = field(init=False)

    def __post_init__(self) -> None:
        self.limit = float(self.endpoint.concurrency)
        self._books = self.endpoint.ledger or Books()

    @asynccontextmanager
    async def turn(self, tokens: float = 0.0) -> AsyncIterator[float]:
        """Wait until a call that is expected to take `tokens` may be made; yields the time at which it begins."""
        waited_until = 0.0
        while True:
            if self.opens_at != waited_until and (pause := self.opens_at - self.endpoint.now()) > 0:
                waited_until = self.opens_at
                await self.endpoint.sleep(pause)
            elif self.in_flight < max(1, int(self.limit)):
                break
            else:
                change: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiting.append(change)
                await change
        self.in_flight += 1
        try:
            while self.endpoint.rpm or self.endpoint.tpm:
                if (pause := await self._on_books(self._reserve, tokens)) > 0:
                    await self.endpoint.sleep(pause)
                if (closed_s := self.opens_at - self.endpoint.now()) <= 0:
                    break
                await self.endpoint.sleep(closed_s)  # and reserve again: a server that refused is not sent a burst
            yield self.endpoint.now()
        finally:
            self.in_flight -= 1
            self._wake()

    def refused(self, began: float, wait_s: float | None) -> None:
        """Note that a call that began at `began` was one too many, and how long the server wants to be left alone."""
        if began > self.slowed_at:  # halve, once for all the calls that were in flight together
            self.limit = max(1.0, self.limit / 2)
            self.slowed_at = self.endpoint.now()
        self.opens_at = max(self.opens_at, self.endpoint.now() + min(wait_s or 0.0, MAX_WAIT_S))

    def answered(self, began: float, headers: Mapping[str, str]) -> None:
        """Note an answer; its headers may say that the next call would be one too many."""
        wait_s = max(_until_enough(headers, "requests", 1.0), _until_enough(headers, "tokens", self.tokens))
        if wait_s > 0:
            self.refused(began, wait_s)
        elif began > self.slowed_at:
            self.limit = min(self.limit + 1 / self.limit, float(self.endpoint.concurrency))
            self._wake()

    async def used(self, tokens: int, expected: float) -> None:
        """Note the tokens of a call, so that it is known how many the next one needs; 0: the server did not say."""
        self.tokens = tokens if not self.tokens else 0.8 * self.tokens + 0.2 * tokens
        if self.endpoint.tpm and tokens:
            await self._on_books(self._correct, tokens - expected)

    async def _on_books(self, work: Callable[[float], float], tokens: float) -> float:
        """Do it in another thread where it waits for other processes."""
        return work(tokens) if self.endpoint.ledger is None else await asyncio.to_thread(work, tokens)

    def _reserve(self, tokens: float) -> float:
        """Move the clocks on by one request of `tokens`; return the seconds until it may begin."""
        server, rpm, tpm = self.endpoint.address, self.endpoint.rpm, self.endpoint.tpm
        with self._books.opened() as state:
            now = self.endpoint.now() if self.endpoint.ledger is None else time.time()
            clocks = state.clocks.get(server, Clocks(server))
            begins = max(now, clocks.requests if rpm else now, clocks.tokens if tpm else now)
            requests_until = begins + 60 / rpm if rpm else 0.0
            state.write(Clocks(server, requests_until, begins + tokens * 60 / tpm if tpm else 0.0))
        return begins - now

    def _correct(self, tokens: float) -> float:
        """Move the clock of tokens on by so many, or back."""
        server, tpm = self.endpoint.address, self.endpoint.tpm or 1
        with self._books.opened() as state:
            clocks = state.clocks.get(server, Clocks(server))
            state.write(replace(clocks, tokens=clocks.tokens + tokens * 60 / tpm))
        return 0.0

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)


def _until_enough(headers: Mapping[str, str], kind: str, needed: float) -> float:
    """Return the seconds until `needed` requests or tokens are there again, as far as the headers say; else 0.

    x-ratelimit-reset-* is the time until the whole allowance is back; it comes back evenly.
    """
    left = _number(headers.get(f"x-ratelimit-remaining-{kind}"))
    reset_s = duration_s(headers.get(f"x-ratelimit-reset-{kind}", ""))
    if left is None or reset_s is None or left >= needed:
        return 0.0
    whole = _number(headers.get(f"x-ratelimit-limit-{kind}"))
    share = (needed - left) / (whole - left) if whole is not None and whole > needed else 1.0
    return min(reset_s * share, MAX_PAUSE_S)


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 16 else None
