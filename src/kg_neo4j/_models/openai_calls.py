"""One call to an OpenAI-compatible server: a deadline, and retries for what can pass."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from kg_neo4j._models import openai_faults, openai_loop
from kg_neo4j._models.budget import UNLIMITED, Account
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_faults import Passing
from kg_neo4j._models.throttle import Throttle

if TYPE_CHECKING:
    import tenacity
    from openai import AsyncAPIResponse

T = TypeVar("T")
Data = Mapping[str, Any]
Open = Callable[[], AbstractAsyncContextManager["AsyncAPIResponse[Any]"]]

MAX_COUNT = 1_000_000_000  # tokens of a call: no window is as long, and sums of them stay below 2^63
MAX_OBJECTS = 1_000_000  # lists and objects in one answer: each takes up to 90 bytes, however short its text is


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What one HTTP call needs, and its repeats."""

    endpoint: Endpoint
    model: str
    opened: Open  # begins one HTTP call
    account: Account  # pays for each
    tokens: float = 0.0  # that prompt and answer are expected to have, where the endpoint limits tokens


def call(question: ModelCall, parse: Callable[[Data], T]) -> T:
    """Make a call and return what `parse` makes of its JSON object; repeat it while faults can pass.

    `parse` raises Passing or a ModelError for an answer that cannot be used. Raises the ModelError of the last try.
    """
    return openai_loop.run(_retried(question, parse))


def served_models(endpoint: Endpoint) -> frozenset[str]:
    """Return the names of the models that a server lists, which costs nothing. Raises ModelError."""
    models: Any = openai_loop.client(endpoint).models.with_streaming_response

    def parse(data: Data) -> frozenset[str]:
        listed = data.get("data")
        rows = listed if isinstance(listed, list) else []
        return frozenset(str(each["id"]) for each in rows if isinstance(each, dict) and "id" in each)

    return call(ModelCall(endpoint, "", models.list, UNLIMITED), parse)


async def _retried(question: ModelCall, parse: Callable[[Data], T]) -> T:
    import tenacity

    def waits(state: tenacity.RetryCallState) -> float:
        return openai_faults.wait_s(state.attempt_number, _fault(state).told_s, random.random())

    def is_over(state: tenacity.RetryCallState) -> bool:
        return state.attempt_number >= min(question.endpoint.retries + 1, _fault(state).calls)

    retrying = tenacity.AsyncRetrying(
        retry=tenacity.retry_if_exception_type(Passing),
        wait=waits,
        stop=is_over,
        sleep=question.endpoint.sleep,
        reraise=True,
    )
    try:
        return await retrying(_once, question, parse)
    except Passing as fault:
        raise fault.error from None


def _fault(state: tenacity.RetryCallState) -> Passing:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, Passing):
        raise TypeError(f"only faults that can pass are repeated, not {error!r}")
    return error


async def _once(question: ModelCall, parse: Callable[[Data], T]) -> T:
    endpoint = question.endpoint
    throttle = openai_loop.throttle(endpoint)
    async with throttle.turn(question.tokens) as began:
        await question.account.begin()
        with translated(question, throttle, began):
            async with asyncio.timeout(endpoint.timeout_s):
                async with question.opened() as response:
                    body, headers = await read_body(response), response.headers
        data = read_object(body, endpoint)
        await throttle.used(count_tokens(data.get("usage")), question.tokens)
        throttle.answered(began, headers)
    return parse(data)


@contextmanager
def translated(question: ModelCall, throttle: Throttle, began: float) -> Iterator[None]:
    """Raise what a failed HTTP call means, Passing or a ModelError; a call that was refused costs nothing."""
    import openai

    try:
        yield
    except openai.APIStatusError as error:
        fault = openai_faults.from_status(error, question.endpoint, question.model)
        if isinstance(fault, Passing) and error.status_code in openai_faults.TOO_MANY:
            throttle.refused(began, fault.told_s)
        if openai_faults.is_free(error.status_code, fault):
            question.account.refused()
        raise fault from None
    except openai_faults.transport_errors() as error:
        if openai_faults.is_unsent(error):
            question.account.refused()
        raise openai_faults.unreachable(error, question.endpoint) from None


async def read_body(response: AsyncAPIResponse[Any]) -> bytes:
    """Return the body of an answer; the client's hook bounds it. Its pieces may be of one byte each."""
    body = bytearray()
    async for piece in response.iter_bytes():
        body += piece
    return bytes(body)


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
    if error := data.get("error"):
        fields: Data = error if isinstance(error, dict) else {"message": error}
        said = endpoint.redact(str(fields.get("message")))
        known = openai_faults.meaning(fields, said, endpoint.address)
        raise known or openai_faults.bad_answer(f"an error instead of an answer: {said}", endpoint)
    return data
