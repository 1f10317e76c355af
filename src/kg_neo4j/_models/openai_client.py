"""Calls to OpenAI-compatible servers: a client for each, a deadline, and retries for what can pass.

A stream (server-sent events) becomes the JSON object that a whole answer would have been. One event loop in a thread
of its own serves all clients of a process, so that callers may have a loop of their own.
"""

from __future__ import annotations

import asyncio
import atexit
import codecs
import contextlib
import json
import os
import random
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import CancelledError
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from kg_neo4j import interrupts
from kg_neo4j._models import openai_bodies, openai_endpoint, openai_faults
from kg_neo4j._models.budget import UNLIMITED, Account
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_faults import Passing
from kg_neo4j._models.protocols import Listener
from kg_neo4j._models.throttle import Throttle
from kg_neo4j.errors import ModelUnavailable

if TYPE_CHECKING:
    import openai

T = TypeVar("T")
Data = Mapping[str, Any]
Open = Callable[["openai.AsyncOpenAI"], AbstractAsyncContextManager["openai.AsyncAPIResponse[Any]"]]

EVENTS = (b"data:", b"event:", b": ")  # how a stream begins, whatever the server calls it
MAX_COUNT = 1_000_000_000  # tokens of a call: no window is as long, and sums of them stay below 2^63
MAX_OBJECTS = 1_000_000  # lists and objects in one answer: each takes up to 90 bytes, however short its text is

_UTF16 = codecs.getincrementaldecoder("utf-16-le")
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_clients: dict[Endpoint, openai.AsyncOpenAI] = {}


# ------------------------------------------------------------------------------------------ the loop and its clients


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the shared loop and return its result; an interrupt cancels it, at the server, too."""
    global _loop  # noqa: PLW0603 (one loop a process)
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="kg-models", daemon=True).start()
        future = asyncio.run_coroutine_threadsafe(coroutine, _loop)
    interrupts.endings.append(future.cancel)
    try:
        return future.result()
    except CancelledError:
        raise ModelUnavailable("the call was ended, because the run was interrupted") from None
    finally:
        interrupts.endings.remove(future.cancel)
        future.cancel()


def client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    """Return the client of `endpoint`, made at the first call. It repeats nothing and follows no redirect."""
    with _lock:
        import openai  # by one thread: two at once may each see a half of it

        if find_spec("httpx"):
            import_module("httpx")  # openai looks at it where another thread (of spaCy) has begun to import it

        if endpoint not in _clients:
            gateway: dict[str, Any] = {"proxy": endpoint.proxy.get_secret_value()} if endpoint.proxy else {}
            if endpoint.ca_bundle:
                gateway["verify"] = endpoint.certificates()
            http_client = openai.DefaultAsyncHttpxClient(
                timeout=endpoint.timeout_s,
                follow_redirects=False,  # a prompt goes to no address but the user's
                headers={"Accept-Encoding": openai_bodies.ACCEPTED},
                event_hooks={"response": [openai_bodies.bound_bodies(endpoint)]},
                **gateway,
            )
            _clients[endpoint] = openai.AsyncOpenAI(
                api_key=endpoint.secret,
                base_url=endpoint.root,
                default_headers=endpoint.all_headers(),
                default_query=endpoint.query,
                max_retries=0,
                http_client=http_client,
            )
        return _clients[endpoint]


throttle = cache(Throttle)  # of an endpoint, made at the first call; for use on the shared loop only


def _forget() -> None:
    """Start again in a forked child: threads and connections stay with the parent."""
    global _loop, _lock  # noqa: PLW0603 (one loop a process)
    _lock, openai_endpoint.key_lock = threading.Lock(), threading.Lock()
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
    opened: Open  # begins one HTTP call with a client
    account: Account = UNLIMITED  # pays for each
    tokens: float = 0.0  # that prompt and answer are expected to have, where the endpoint limits tokens
    listener: Listener | None = None  # gets the pieces of an answer that comes as a stream


def served_models(endpoint: Endpoint) -> frozenset[str]:
    """Return the names of the models that a server lists, which costs nothing. Raises ModelError."""
    client(endpoint)

    def parse(data: Data) -> frozenset[str]:
        listed = data.get("data")
        rows = listed if isinstance(listed, list) else []
        return frozenset(str(each["id"]) for each in rows if isinstance(each, dict) and "id" in each)

    return run(call(ModelCall(endpoint, "", lambda own: own.models.with_streaming_response.list()), parse))


async def call(question: ModelCall, parse: Callable[[Data], T]) -> T:
    """Make a call and return what `parse` makes of its JSON object; repeat it while faults can pass.

    `parse` raises Passing or a ModelError for an answer that cannot be used. A stream that broke after its first words
    is not repeated here: `parse` gets what came, with the fault. Raises the ModelError of the last try. A key that a
    command printed is asked for again, once, where the server refuses it.
    """
    endpoint = question.endpoint
    calls = renewals = 0
    while True:
        calls += 1
        try:
            return parse(await _once(question))
        except _KeyRefused as refused:
            renewals += 1
            if renewals > 1 or not await asyncio.to_thread(_renew, endpoint, refused.key):
                raise refused.error from None
            continue
        except Passing as fault:
            if calls >= min(endpoint.retries + 1, fault.calls):
                raise fault.error from None
            pause = openai_faults.wait_s(calls, fault.told_s, random.random())
        await endpoint.sleep(pause)


class _KeyRefused(Exception):
    """A 401 for a key that a command printed; `error` is raised where it prints no other one."""

    def __init__(self, key: str, error: Exception) -> None:
        super().__init__(str(error))
        self.key, self.error = key, error


def _renew(endpoint: Endpoint, refused: str) -> bool:
    """Have the command print a key again; return whether it is another one, which the client then sends."""
    key = openai_endpoint.printed_key(endpoint.key_command, refused) if endpoint.key_command else refused
    with _lock:
        _clients[endpoint] = _clients[endpoint].copy(api_key=key, default_headers=endpoint.all_headers())
    return key != refused


async def _once(question: ModelCall) -> Data:
    """Make one HTTP call; raise what a failed one means. One that was refused costs nothing."""
    import openai

    endpoint, sent = question.endpoint, throttle(question.endpoint)
    async with sent.turn(question.tokens) as began:
        await question.account.begin()
        heard = Heard(endpoint, question.listener)
        own = client(endpoint)
        try:
            async with asyncio.timeout(endpoint.timeout_s) as deadline, question.opened(own) as response:
                data = await _read(response, heard, deadline)
        except openai.APIStatusError as error:
            fault = openai_faults.from_status(error, endpoint, question.model)
            if isinstance(fault, Passing) and error.status_code in openai_faults.TOO_MANY:
                sent.refused(began, fault.told_s)
            if openai_faults.is_free(error.status_code, fault):
                question.account.refused()
            if error.status_code == 401 and endpoint.key_command:
                raise _KeyRefused(own.api_key, fault) from None
            raise fault from None
        except (Passing, openai.APIConnectionError, openai_faults.http_library().HTTPError, TimeoutError) as error:
            if type(error.__cause__ or error).__name__ in openai_faults.UNSENT:
                question.account.refused()
            broke = error if isinstance(error, Passing) else openai_faults.unreachable(error, endpoint)
            if not heard.pieces:
                raise broke from None
            data = heard.answer()
            data.fault = None if heard.finish_reason else broke  # some servers leave the connection open
        await sent.used(count_tokens(data.get("usage")), question.tokens)
        sent.answered(began, response.headers)
    return data


async def _read(response: openai.AsyncAPIResponse[Any], heard: Heard, deadline: asyncio.Timeout) -> Data:
    """Return the JSON object of an answer, whole or a stream, as it was asked for or not."""
    if "event-stream" not in response.headers.get("content-type", ""):
        body = await read_body(response)
        if not body[:100].lstrip().startswith(EVENTS):
            return read_object(body, heard.endpoint)
        for line in body.replace(b"\r", b"\n").split(b"\n"):  # events under another name
            heard.take(line)
        return heard.end()
    async for line in _lines(response.iter_bytes()):
        heard.take(line)
        if heard.is_over:
            break
        deadline.reschedule(asyncio.get_running_loop().time() + heard.endpoint.timeout_s)  # for the next piece
    return heard.end()


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


# ------------------------------------------------------------------------------------------ answers as they come


class Streamed(dict[str, Any]):
    """The answer that events gave: choices, and usage where the server counts. `fault` ended it too early."""

    fault: Passing | None = None


@dataclass
class Heard:
    """What came of a stream so far."""

    endpoint: Endpoint
    listener: Listener | None = None  # gets each piece; what it returns ends the stream
    pieces: list[str] = field(default_factory=list)
    message: dict[str, Any] = field(default_factory=dict)  # what an answer has besides its text
    finish_reason: str | None = None
    usage: Any = None  # as the server counts; None: it did not say
    is_over: bool = False  # the server ended it, or the listener wants no more
    joined: codecs.IncrementalDecoder = field(default_factory=lambda: _UTF16("replace"))  # a pair may come in two

    def take(self, line: bytes) -> None:
        """Read one line: an event, or a comment that keeps the connection. Raises as `read_object` does."""
        data = line.removeprefix(b"data:").strip()
        if self.is_over or not data or not line.startswith(b"data:"):
            return
        if data == b"[DONE]":
            self.is_over = True
            return
        event = read_object(data.decode("utf-8", "replace").encode(), self.endpoint)
        if isinstance(event.get("usage"), dict):
            self.usage = event["usage"]
        choices = event.get("choices")
        if not isinstance(choices, list) or not choices:
            return  # the last event has the usage alone
        choice = choices[0]
        delta = (choice.get("delta") or choice.get("message") or {}) if isinstance(choice, dict) else None
        if not isinstance(delta, dict):
            raise openai_faults.bad_answer("an event of a stream without a choice", self.endpoint)
        if reason := choice.get("finish_reason"):
            self.finish_reason = str(reason)
        self.message |= {name: delta[name] for name in ("tool_calls", "function_call") if delta.get(name)}
        self.message["refusal"] = self.message.get("refusal", "") + text_of(delta.get("refusal"))
        self._add(text_of(delta.get("content")))

    def end(self) -> Streamed:
        """Return the answer of a stream that has ended. Raises Passing where it ended before the answer did."""
        self._add("", is_last=True)
        if not self.is_over and self.finish_reason is None:
            raise openai_faults.bad_answer("the stream ended before the answer did", self.endpoint)
        return self.answer()

    def answer(self) -> Streamed:
        """Return what came so far."""
        message = {**self.message, "content": "".join(self.pieces)}
        choice = {"message": message, "finish_reason": self.finish_reason}
        return Streamed(choices=[choice], **({} if self.usage is None else {"usage": self.usage}))

    def _add(self, piece: str, *, is_last: bool = False) -> None:
        """Add a piece of the text, and tell what can be shown: half of a pair of surrogates waits for the other."""
        whole = self.joined.decode(piece.encode("utf-16-le", "surrogatepass"), is_last)
        if whole:
            self.pieces.append(whole)
        if whole and self.listener is not None and (wish := self.listener(whole)):
            self.finish_reason, self.is_over = wish, True


def text_of(content: object) -> str:
    """Return the text of a message: a string, or the text parts of a list; empty where there is none."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of a stream. Only line feeds and carriage returns end one: texts may have other line breaks."""
    rest = bytearray()
    async for piece in pieces:
        rest += piece
        if b"\n" in piece or b"\r" in piece:
            *whole, rest = rest.replace(b"\r", b"\n").split(b"\n")
            for line in whole:
                yield bytes(line)
    yield bytes(rest)
