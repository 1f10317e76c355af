"""How many requests are worked on at once: a few run, some wait, and the next one is refused at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from kg_neo4j._serve import limits
from kg_neo4j._serve.refusals import Refused

T = TypeVar("T")


class Turnstile:
    """Runs the service's methods in threads. A request that takes too long keeps its thread until its work ends."""

    def __init__(self, threads: int = limits.THREADS, most: int = limits.MOST_AT_ONCE) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="kg-serve")
        self._most = most
        self._inside = 0
        self._lock = threading.Lock()

    async def do(self, work: Callable[..., T], *args: Any, **named: Any) -> T:
        """Return what `work` returns. Raises Refused: 429 where too many wait, 504 after `limits.REQUEST_S`."""
        future = self.begin(work, *args, **named)
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), limits.REQUEST_S)
        except TimeoutError:
            future.cancel()
            raise Refused(f"no answer within {limits.REQUEST_S:.0f} seconds", 504, hint="ask for less") from None
        except asyncio.CancelledError:  # the caller is gone
            future.cancel()
            raise

    def begin(self, work: Callable[..., T], *args: Any, **named: Any) -> Future[T]:
        """Begin work without waiting for it. Raises Refused with 429 where too many wait."""
        with self._lock:
            if self._inside >= self._most:
                raise Refused(f"{self._most} requests are being answered", 429, hint="try again in a second")
            self._inside += 1
        future = self._pool.submit(work, *args, **named)
        future.add_done_callback(self._leave)
        return future

    def close(self) -> None:
        """Let what runs end, and begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _leave(self, _: Future[Any]) -> None:
        with self._lock:
            self._inside -= 1
