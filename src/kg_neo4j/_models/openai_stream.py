"""Answers as they come (server-sent events): events become the JSON object that a whole answer would have been."""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from kg_neo4j._models import openai_faults
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_faults import Passing
from kg_neo4j._models.protocols import Listener

_UTF16 = codecs.getincrementaldecoder("utf-16-le")
BEGINS = (b"data:", b"event:", b": ")  # of a stream that is called something else


class Streamed(dict[str, Any]):
    """The answer that events gave: choices, and usage where the server counts. `fault` ended it too early."""

    fault: Passing | None = None


@dataclass
class Heard:
    """What came of a stream so far."""

    endpoint: Endpoint
    read_object: Callable[[bytes], Any]
    listener: Listener | None = None  # gets each piece; what it returns ends the stream
    pieces: list[str] = field(default_factory=list)
    message: dict[str, Any] = field(default_factory=dict)  # what an answer has besides its text
    finish_reason: str | None = None
    usage: Any = None  # as the server counts; None: it did not say
    is_over: bool = False  # the server said so, or the listener wants no more
    joined: codecs.IncrementalDecoder = field(default_factory=lambda: _UTF16("replace"))  # a pair may come in two

    def take(self, line: bytes) -> None:
        """Read one line: an event, or a comment that keeps the connection. Raises as `read_object` does."""
        data = line.removeprefix(b"data:").strip()
        if self.is_over or not data or not line.startswith(b"data:"):
            return
        if data == b"[DONE]":
            self.is_over = True
            return
        event = self.read_object(data.decode("utf-8", "replace").encode())
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


async def lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of a stream. Only line feeds and carriage returns end one: texts may have other line breaks."""
    rest = bytearray()
    async for piece in pieces:
        rest += piece
        if b"\n" in piece or b"\r" in piece:
            *whole, rest = rest.replace(b"\r", b"\n").split(b"\n")
            for line in whole:
                yield bytes(line)
    yield bytes(rest)
