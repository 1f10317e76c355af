"""Calls to OpenAI-compatible servers: a client for each, a deadline, and retries for what can pass.

One event loop in a thread of its own serves all clients of a process, so that callers may have a loop of their own.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import os
import random
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from kg_neo4j import interrupts
from kg_neo4j._models import openai_bodies, openai_faults
from kg_neo4j._models.budget import UNLIMITED, Account
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_faults import Passing
from kg_neo4j._models.openai_stream import BEGINS, Heard, lines
from kg_neo4j._models.protocols import Listener
from kg_neo4j._models.throttle import Throttle
from kg_neo4j.errors import ModelUnavailable

if TYPE_CHECKING:
    import openai

T = TypeVar("T")
Data = Mapping[str, Any]
Open = Callable[[], AbstractAsyncContextManager["openai.AsyncAPIResponse[Any]"]]

MAX_COUNT = 1_000_000_000  # tokens of a call: no window is as long, and sums of them stay below 2^63
MAX_OBJECTS = 1_000_000  # lists and objects in one answer: each takes up to 90 bytes, however short its text is

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_clients: dict[Endpoint, openai.AsyncOpenAI] = {}


# ------------------------------------------------------------------------------------------ the loop and its clients


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the shared loop and return its result.

    An interrupt, also of the thread that waits for this one, cancels it, so that the server hears of it.
    """
    global _loop  # noqa: PLW0603 (one loop a process)
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="kg-models", daemon=True).start()
        future = asyncio.run_coroutine_threadsafe(coroutine, _loop)
    try:
        with interrupts.ended_by(future.cancel):
            return future.result()
    except CancelledError:
        raise ModelUnavailable("the call was ended, because the run was interrupted") from None
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


throttle = cache(Throttle)  # of an endpoint, made at the first call; for use on the shared loop only


def _forget() -> None:
    """Start again in a forked child: threads and connections stay with the parent."""
    global _loop, _lock  # noqa: PLW0603 (one loop a process)
    _lock = threading.Lock()
    _loop = None
    _clients.clear()
    throttle.cache_clear()


async def _close(clients: list[openai.AsyncOpenAI]) -> None:
    for each in clients:
        await each.close()


@atexit.register
def _stop() -> None:
    if _loop is not None:
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(_close(list(_clients.values())), _loop).result(timeout=2)


os.register_at_fork(after_in_child=_forget)

# ------------------------------------------------------------------------------------------ one call and its repeats


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What one HTTP call needs, and its repeats."""

    endpoint: Endpoint
    model: str
    opened: Open  # begins one HTTP call
    account: Account = UNLIMITED  # pays for each
    tokens: float = 0.0  # that prompt and answer are expected to have, where the endpoint limits tokens
    listener: Listener | None = None  # gets the pieces of an answer that comes as a stream


def served_models(endpoint: Endpoint) -> frozenset[str]:
    """Return the names of the models that a server lists, which costs nothing. Raises ModelError."""
    models: Any = client(endpoint).models.with_streaming_response

    def parse(data: Data) -> frozenset[str]:
        listed = data.get("data")
        rows = listed if isinstance(listed, list) else []
        return frozenset(str(each["id"]) for each in rows if isinstance(each, dict) and "id" in each)

    return run(call(ModelCall(endpoint, "", models.list), parse))


async def call(question: ModelCall, parse: Callable[[Data], T]) -> T:
    """Make a call and return what `parse` makes of its JSON object; repeat it while faults can pass.

    `parse` raises Passing or a ModelError for an answer that cannot be used. A stream that broke after its first words
    is not repeated here: `parse` gets what came, with the fault. Raises the ModelError of the last try.
    """
    endpoint = question.endpoint
    calls = 0
    while True:
        calls += 1
        try:
            return parse(await _once(question))
        except Passing as fault:
            if calls >= min(endpoint.retries + 1, fault.calls):
                raise fault.error from None
            pause = openai_faults.wait_s(calls, fault.told_s, random.random())
        await endpoint.sleep(pause)


async def _once(question: ModelCall) -> Data:
    endpoint = question.endpoint
    sent = throttle(endpoint)
    async with sent.turn(question.tokens) as began:
        await question.account.begin()
        heard = Heard(endpoint, partial(read_object, endpoint=endpoint), question.listener)
        try:
            with translated(question, sent, began):
                async with asyncio.timeout(endpoint.timeout_s) as deadline, question.opened() as response:
                    data = await _read(response, heard, deadline)
        except Passing as fault:
            if not heard.pieces:
                raise
            data = heard.answer()
            data.fault = None if heard.finish_reason else fault  # some servers leave the connection open
        await sent.used(count_tokens(data.get("usage")), question.tokens)
        sent.answered(began, response.headers)
    return data


async def _read(response: openai.AsyncAPIResponse[Any], heard: Heard, deadline: asyncio.Timeout) -> Data:
    """Return the JSON object of an answer, whole or a stream, as it was asked for or not."""
    if "event-stream" not in response.headers.get("content-type", ""):
        body = await read_body(response)
        if not body[:100].lstrip().startswith(BEGINS):
            return read_object(body, heard.endpoint)
        for line in body.replace(b"\r", b"\n").split(b"\n"):  # events under another name
            heard.take(line)
        return heard.end()
    async for line in lines(response.iter_bytes()):
        heard.take(line)
        if heard.is_over:
            break
        deadline.reschedule(asyncio.get_running_loop().time() + heard.endpoint.timeout_s)  # for the next piece
    return heard.end()


@contextmanager
def translated(question: ModelCall, sent: Throttle, began: float) -> Iterator[None]:
    """Raise what a failed HTTP call means, Passing or a ModelError; a call that was refused costs nothing."""
    import openai

    try:
        yield
    except openai.APIStatusError as error:
        fault = openai_faults.from_status(error, question.endpoint, question.model)
        if isinstance(fault, Passing) and error.status_code in openai_faults.TOO_MANY:
            sent.refused(began, fault.told_s)
        if openai_faults.is_free(error.status_code, fault):
            question.account.refused()
        raise fault from None
    except (openai.APIConnectionError, openai_faults.http_library().HTTPError, TimeoutError) as error:
        if type(error.__cause__ or error).__name__ in openai_faults.UNSENT:
            question.account.refused()
        raise openai_faults.unreachable(error, question.endpoint) from None


async def read_body(response: openai.AsyncAPIResponse[Any]) -> bytes:
    """Return the body of an answer; the client's hook bounds it. Its pieces may be of one byte each."""
    body = bytearray()
    async for piece in response.iter_bytes():
        body += piece
    return bytes(body)


def read_object(body: bytes, endpoint: Endpoint) -> Data:
    """Return the JSON object in `body`; an error object with status 200 is an error."""
    if body.count(b"{") + body.count(b"[") > MAX_OBJECTS:
        raise openai_faults.bad_answer(f"an answer of more than {MAX_OBJECTS} lists and objects", endpoint)
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        start = body[:80].decode("utf-8", "replace")
        raise openai_faults.bad_answer(f"the answer is not JSON: {start!r}", endpoint) from None
    if not isinstance(data, dict):
        raise openai_faults.bad_answer("the answer is no JSON object", endpoint)
    if data.get("error") or data.get("object") == "error":
        raise openai_faults.from_body(data, endpoint)
    return data


def read_count(value: object) -> int:
    """Return a number of tokens as a server gave it, at most MAX_COUNT; 0 where it is no whole number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0 or value % 1:
        return 0
    return int(min(value, MAX_COUNT))


def count_tokens(usage: object) -> int:
    """Return the tokens of a call, as the server counted them; 0 where it does not say."""
    fields = usage if isinstance(usage, dict) else {}
    parts = (read_count(fields.get(name)) for name in ("prompt_tokens", "completion_tokens"))
    return read_count(fields.get("total_tokens")) or sum(parts)
