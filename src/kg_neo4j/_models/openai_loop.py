"""One event loop in a thread of its own, shared by all clients of a process; works where a loop already runs."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from kg_neo4j._models import openai_bodies
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.throttle import Throttle

if TYPE_CHECKING:
    import openai

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_clients: dict[Endpoint, openai.AsyncOpenAI] = {}
_throttles: dict[Endpoint, Throttle] = {}


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the shared loop and return its result; an interrupt of the caller cancels it."""
    future = asyncio.run_coroutine_threadsafe(coroutine, _started())
    try:
        return future.result()
    finally:
        future.cancel()


def client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    """Return the client of `endpoint`, made at the first call. It repeats nothing and follows no redirect."""
    import openai

    with _lock:
        if endpoint not in _clients:
            http_client = openai.DefaultAsyncHttpxClient(
                timeout=endpoint.timeout_s,
                follow_redirects=False,  # a prompt goes to no address but the user's
                headers={"Accept-Encoding": openai_bodies.ACCEPTED},
                event_hooks={"response": [openai_bodies.bound_bodies(endpoint)]},
            )
            _clients[endpoint] = openai.AsyncOpenAI(
                api_key=endpoint.secret, base_url=endpoint.base_url, max_retries=0, http_client=http_client
            )
        return _clients[endpoint]


def throttle(endpoint: Endpoint) -> Throttle:
    """Return the throttle of `endpoint`, made at the first call. For use on the shared loop only."""
    if endpoint not in _throttles:
        _throttles[endpoint] = Throttle(endpoint)
    return _throttles[endpoint]


def _started() -> asyncio.AbstractEventLoop:
    global _loop  # noqa: PLW0603 (one loop a process)
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="kg-models", daemon=True).start()
        return _loop


def _forget() -> None:
    """Begin anew in a forked child: threads and connections stay with the parent."""
    global _loop, _lock  # noqa: PLW0603 (one loop a process)
    _lock = threading.Lock()
    _loop = None
    _clients.clear()
    _throttles.clear()


async def _close(clients: list[openai.AsyncOpenAI]) -> None:
    for each in clients:
        await each.close()


@atexit.register
def _stop() -> None:
    if _loop is not None:
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(_close(list(_clients.values())), _loop).result(timeout=2)


os.register_at_fork(after_in_child=_forget)
