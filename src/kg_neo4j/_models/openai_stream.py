"""An answer as it comes: server-sent events of an OpenAI-compatible server, read piece by piece.

Nothing is repeated once words were heard: a stream that breaks then raises StreamBroken with all that is known of what
it cost, so that the caller can have it paid and ask for the whole answer.
"""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kg_neo4j._models import openai_faults, openai_loop
from kg_neo4j._models.openai_calls import ModelCall, count_tokens, read_body, read_object, translated
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_faults import Passing
from kg_neo4j.errors import ModelError

if TYPE_CHECKING:
    from openai import AsyncAPIResponse

Data = Mapping[str, Any]
DONE = b"[DONE]"
_UTF16 = codecs.getincrementaldecoder("utf-16-le")


@dataclass
class Heard:
    """What came of a stream so far."""

    pieces: list[str] = field(default_factory=list)
    finish_reason: str | None = None
    usage: Data | None = None  # as the server counts; None: it did not say
    whole: Data | None = None  # the answer of a server that does not stream
    joined: codecs.IncrementalDecoder = field(default_factory=lambda: _UTF16("replace"))  # a pair may come in two

    @property
    def text(self) -> str:
        """All that was heard."""
        return "".join(self.pieces)

    def add(self, piece: str, *, is_last: bool = False) -> str:
        """Add a piece of the text, and return what can be shown: half of a pair of surrogates waits for the other."""
        whole = self.joined.decode(piece.encode("utf-16-le", "surrogatepass"), is_last)
        self.pieces.append(whole)
        return whole


@dataclass
class StreamBroken(Exception):
    """The stream ended before the answer did; words were heard already."""

    heard: Heard
    why: str = ""
    args: tuple[Any, ...] = field(default=())


def stream(question: ModelCall, hear: Callable[[str], None]) -> Heard:
    """Make one call and return its answer; `hear` gets each piece of the text.

    Raises StreamBroken once something was heard; before, the ModelError of the fault. One call is made, no other.
    """
    return openai_loop.run(_stream(question, hear))


async def _stream(question: ModelCall, hear: Callable[[str], None]) -> Heard:
    heard, endpoint = Heard(), question.endpoint
    throttle = openai_loop.throttle(endpoint)
    async with throttle.turn(question.tokens) as began:
        await question.account.begin()
        try:
            with translated(question, throttle, began):
                async with AsyncExitStack() as stack:
                    async with asyncio.timeout(endpoint.timeout_s):  # until the headers, or a whole error, are here
                        response = await stack.enter_async_context(question.opened())
                    await _follow(response, endpoint, heard, hear)
                    throttle.answered(began, response.headers)
        except Passing as fault:
            raise _ended(heard, fault) from None
        except ModelError as error:
            if not heard.text:
                raise
            raise StreamBroken(heard, str(error)) from None
        await throttle.used(count_tokens(heard.usage), question.tokens)
    return heard


def _ended(heard: Heard, fault: Passing) -> Exception:
    return StreamBroken(heard, str(fault.error)) if heard.text else fault.error


async def _follow(
    response: AsyncAPIResponse[Any], endpoint: Endpoint, heard: Heard, hear: Callable[[str], None]
) -> None:
    """Read the events of one answer; the timeout of a call is that of the wait for each piece."""
    if "event-stream" not in response.headers.get("content-type", ""):
        async with asyncio.timeout(endpoint.timeout_s):
            heard.whole = read_object(await read_body(response), endpoint)
        return
    is_done = False
    async for line in _lines(response, endpoint.timeout_s):
        if not line.startswith(b"data:"):
            continue  # comments that keep the connection, names of events
        data = line.removeprefix(b"data:").strip()
        if is_done := data == DONE:
            break
        _take(read_object(data.decode("utf-8", "replace").encode(), endpoint), endpoint, heard, hear)
    if rest := heard.add("", is_last=True):
        hear(rest)
    if not is_done and heard.finish_reason is None:
        raise openai_faults.bad_answer("the stream ended before the answer did", endpoint)


async def _lines(response: AsyncAPIResponse[Any], timeout_s: float) -> AsyncIterator[bytes]:
    """Yield the lines of a stream. Only line feeds and carriage returns end one: texts may have other line breaks."""
    pieces = response.iter_bytes().__aiter__()
    rest = bytearray()
    while True:
        async with asyncio.timeout(timeout_s):
            is_over = await _read_line(pieces, rest)
        *lines, last = rest.replace(b"\r", b"\n").split(b"\n")
        for line in lines if not is_over else (*lines, last):
            yield bytes(line)
        if is_over:
            return
        rest = last


async def _read_line(pieces: AsyncIterator[bytes], rest: bytearray) -> bool:
    """Add pieces to `rest` until a line ends in them; return true where the stream is over."""
    async for piece in pieces:
        rest += piece
        if b"\n" in piece or b"\r" in piece:
            return False
    return True


def _take(event: Data, endpoint: Endpoint, heard: Heard, hear: Callable[[str], None]) -> None:
    """Add one event to what was heard."""
    if isinstance(event.get("usage"), dict):
        heard.usage = event["usage"]
    choices = event.get("choices")
    if not isinstance(choices, list) or not choices:
        return  # the last event has the usage alone
    choice = choices[0]
    if not isinstance(choice, dict) or not isinstance(choice.get("delta") or {}, dict):
        raise openai_faults.bad_answer("an event of a stream without a choice", endpoint)
    piece = (choice.get("delta") or {}).get("content")
    if isinstance(piece, str) and (shown := heard.add(piece)):
        hear(shown)
    reason = choice.get("finish_reason")
    heard.finish_reason = str(reason) if reason else heard.finish_reason
