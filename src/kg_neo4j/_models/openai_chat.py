"""A chat model behind an OpenAI-compatible server: whole answers, and answers as they come (server-sent events)."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kg_neo4j._models import openai_client, openai_faults, tokens
from kg_neo4j._models.books import Seen
from kg_neo4j._models.budget import UNLIMITED, Account
from kg_neo4j._models.openai_client import Data, ModelCall, read_body, read_count, read_object
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_faults import Passing
from kg_neo4j._models.openai_models import largest_output, window_of
from kg_neo4j._models.prices import Price
from kg_neo4j._models.protocols import Completion
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ModelError, ModelRefused, ModelUnavailable
from kg_neo4j.records import Usage

if TYPE_CHECKING:
    from openai import AsyncAPIResponse

MAX_TEXT = 4_000_000  # characters: four times what the longest output of a known model has
ESTIMATED = "the server did not count the tokens of the stream; they are counted here"
MAX_REASON = 40  # characters: "content_filter" is the longest that is known
_UTF16 = codecs.getincrementaldecoder("utf-16-le")


class OpenAIChat:
    """A ChatModel. Safe to call from several threads; pickles (connections are made where it is used)."""

    def __init__(self, name: str, endpoint: Endpoint, *, window: int | None = None, price: Price | None = None) -> None:
        """`window` is prompt and answer together, in tokens; None looks the model up, 8,000 where it is unknown."""
        self.name = name
        self.window = window or window_of(name)
        self.largest_output = largest_output(name, self.window)
        self._endpoint = endpoint
        self._price = price
        self._seen = Seen(name)  # kept where the endpoint limits tokens
        self._renamed: dict[str, str | None] = {}  # optional parameters that this server wants otherwise, or not at all

    def __repr__(self) -> str:
        return f"OpenAIChat({self.name!r}, {self._endpoint.address!r})"

    def complete(
        self,
        system: str,
        user: str,
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        account: Account = UNLIMITED,
    ) -> Completion:
        """Answer one prompt, and have `account` pay.

        Retries rate limits, server errors, broken connections and timeouts, and once an answer that breaks the
        protocol. Raises ModelRefused, ModelUnavailable, ContextTooLong, ContentFiltered or BadModelAnswer otherwise,
        and what `account` raises. An answer cut at its first token is a Completion with an empty text and finish reason
        "length".
        """
        for _ in range(4):  # each pass drops or renames one of at most three parameters
            try:
                return self._call(system, user, self._adapted(max_tokens, temperature), account)
            except openai_faults.UnsupportedParameter as refused:
                if refused.parameter not in self._adapted(max_tokens, temperature):
                    raise
                original = "max_tokens" if refused.parameter == "max_completion_tokens" else refused.parameter
                self._renamed[original] = refused.renamed
        return self._call(system, user, {}, account)

    def stream(
        self,
        system: str,
        user: str,
        on_token: Callable[[str], None],
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        account: Account = UNLIMITED,
    ) -> Completion:
        """Answer one prompt as `complete` does, and tell `on_token` the words as they come.

        A server that does not stream, and a stream that breaks, is asked for the whole answer; `Completion.note` says
        so. What was heard of a broken stream is paid for by an estimate, because the server's count did not come.
        """
        options = self._adapted(max_tokens, temperature)
        how: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature, "account": account}
        whole = partial(self.complete, system, user, **how)
        try:
            options |= {"stream": True, "stream_options": {"include_usage": True}}
            question, counted = self._question(system, user, options, account)
            heard = openai_client.run(_stream(question, on_token))
        except (ModelRefused, ModelUnavailable, BadModelAnswer) as refused:
            # nothing was heard: `whole` waits and tries again, and a real refusal is raised by it
            return replace(whole(), note=f"the model's server did not stream the answer: {refused}")
        usage = self._streamed_usage(heard, system, user)
        if not heard.broken or heard.usage is not None:  # else only the server knows what it cost
            account.paid(usage)
        if heard.broken:
            on_token("\n(the stream broke here; the whole answer is requested again)\n")
            done = whole()
            by = "are counted as the server did" if heard.usage else "are counted by estimate"
            note = f"the stream broke and the answer was requested again: {heard.broken}; "
            return replace(done, usage=usage + done.usage, note=f"{note}{usage.output_tokens} tokens of it {by}")
        return self._heard_whole(heard, usage, whole, on_token, counted)

    def _heard_whole(
        self, heard: Heard, usage: Usage, whole: Callable[[], Completion], on_token: Callable[[str], None], counted: int
    ) -> Completion:
        """Return the answer of a stream that did not break; one that cannot be used is asked for once more."""
        if heard.whole is not None:
            try:
                done = self._read(heard.whole, usage)
            except Passing:
                return whole()
            on_token(done.text)
            return done
        if counted:
            self._seen = self._seen.after(counted, usage.input_tokens, usage.output_tokens)
        choice = {"message": {"content": heard.text}, "finish_reason": heard.finish_reason}
        try:
            done = self._read({"choices": [choice]}, usage)
        except Passing:
            again = whole()  # an empty answer was paid for, too
            return replace(again, usage=usage + again.usage)
        return replace(done, note="" if heard.usage is not None else ESTIMATED)

    def _streamed_usage(self, heard: Heard, system: str, user: str) -> Usage:
        """Return what a stream cost: as the server counts, else by our tokeniser."""
        if heard.whole is not None:
            return self._counted(heard.whole.get("usage"))
        if heard.usage is not None:
            return self._counted(heard.usage)
        count = tokens.load().count
        read, written = count(f"{system}\n{user}"), count(heard.text)
        return Usage(1, read, written, self._price.usd(read, written, 0) if self._price else None)

    def _adapted(self, max_tokens: int | None, temperature: float) -> dict[str, Any]:
        """Return the optional parameters as this server takes them."""
        wanted = {"temperature": temperature, "max_tokens": max_tokens}
        named = {self._renamed.get(name, name): value for name, value in wanted.items() if value is not None}
        return {name: value for name, value in named.items() if name is not None}

    def _question(self, system: str, user: str, options: dict[str, Any], account: Account) -> tuple[ModelCall, int]:
        """Return a call, and our count of its prompt; 0 where the endpoint does not limit tokens.

        Lone surrogates, which JSON in UTF-8 cannot carry, are replaced.
        """
        messages = [
            {"role": role, "content": text.encode("utf-8", "replace").decode("utf-8")}
            for role, text in (("system", system), ("user", user))
        ]
        create: Any = openai_client.client(self._endpoint).chat.completions.with_streaming_response.create
        opened = partial(create, model=self.name, messages=messages, **options)
        counted, expected = 0, 0.0
        if self._endpoint.tpm:
            counted = sum(tokens.load().count(message["content"]) for message in messages)
            expected = self._seen.prompt(counted) + self._seen.usual
        return ModelCall(self._endpoint, self.name, opened, account, expected), counted

    def _call(self, system: str, user: str, options: dict[str, Any], account: Account) -> Completion:
        spent = [Usage()]  # answers that were paid for and could not be used

        def parse(data: Data) -> Completion:
            usage = self._counted(data.get("usage"))
            account.paid(usage)
            if counted:
                self._seen = self._seen.after(counted, usage.input_tokens, usage.output_tokens)
            spent[0] += usage
            return self._read(data, spent[0])

        question, counted = self._question(system, user, options, account)
        return openai_client.run(openai_client.call(question, parse))

    def _read(self, data: Data, spent: Usage) -> Completion:
        """Return the answer in a server's JSON object; raises Passing and ModelErrors."""
        choices = data.get("choices")
        if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
            count = len(choices) if isinstance(choices, list) else "no"
            raise openai_faults.bad_answer(f"an answer with {count} choices instead of one", self._endpoint)
        message = choices[0].get("message")
        reason = choices[0].get("finish_reason")
        reason = str(reason)[:MAX_REASON] if reason else None
        fields: Data = message if isinstance(message, dict) else {}
        if reason == "content_filter" or fields.get("refusal"):
            said = self._endpoint.redact(str(fields.get("refusal") or "stopped by the content filter"))
            raise ContentFiltered(f"{self._endpoint.address}: the model declined this text: {said}")
        if fields.get("tool_calls") or fields.get("function_call"):
            raise openai_faults.bad_answer("a tool call, although no tool was offered", self._endpoint)
        text = _text(fields.get("content"))
        if len(text) > MAX_TEXT:
            raise openai_faults.bad_answer(f"an answer of more than {MAX_TEXT} characters", self._endpoint)
        if not text.strip() and reason != "length":
            raise openai_faults.bad_answer("an answer without content", self._endpoint)
        return Completion(text, reason, spent)

    def _counted(self, found: object) -> Usage:
        """Return the usage of one call as a server counts it; zeros for what it does not say."""
        fields: Data = found if isinstance(found, dict) else {}
        read, written = (read_count(fields.get(name)) for name in ("prompt_tokens", "completion_tokens"))
        details = fields.get("prompt_tokens_details")
        cached = read_count(details.get("cached_tokens")) if isinstance(details, dict) else 0
        return Usage(1, read, written, self._price.usd(read, written, cached) if self._price else None)


def _text(content: object) -> str:
    """Return the text of a message: a string, or the text parts of a list; empty where there is none."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


# ------------------------------------------------------------------------------------------ answers as they come


@dataclass
class Heard:
    """What came of a stream so far."""

    pieces: list[str] = field(default_factory=list)
    finish_reason: str | None = None
    usage: Data | None = None  # as the server counts; None: it did not say
    whole: Data | None = None  # the answer of a server that does not stream
    broken: str = ""  # why the stream ended before the answer did, after words were heard
    joined: codecs.IncrementalDecoder = field(default_factory=lambda: _UTF16("replace"))  # a pair may come in two

    def add(self, piece: str, on_token: Callable[[str], None], *, is_last: bool = False) -> None:
        """Add a piece of the text, and tell what can be shown: half of a pair of surrogates waits for the other."""
        if whole := self.joined.decode(piece.encode("utf-16-le", "surrogatepass"), is_last):
            self.pieces.append(whole)
            on_token(whole)

    @property
    def text(self) -> str:
        """All that was heard."""
        return "".join(self.pieces)


async def _stream(question: ModelCall, on_token: Callable[[str], None]) -> Heard:
    """Make one call and return its answer; `on_token` gets each piece of the text. Nothing is repeated.

    Where nothing was heard, the ModelError of the fault is raised; later, the answer says that it is broken.
    """
    heard, endpoint = Heard(), question.endpoint
    throttle = openai_client.throttle(endpoint)
    async with throttle.turn(question.tokens) as began:
        await question.account.begin()
        try:
            with openai_client.translated(question, throttle, began):
                async with AsyncExitStack() as stack:
                    async with asyncio.timeout(endpoint.timeout_s):  # until the headers, or a whole error, are here
                        response = await stack.enter_async_context(question.opened())
                    await _follow(response, endpoint, heard, on_token)
                    throttle.answered(began, response.headers)
        except (Passing, ModelError) as fault:
            error = fault.error if isinstance(fault, Passing) else fault
            if not heard.text:
                raise error from None
            heard.broken = str(error)
            return heard
        await throttle.used(openai_client.count_tokens(heard.usage), question.tokens)
    return heard


async def _follow(
    response: AsyncAPIResponse[Any], endpoint: Endpoint, heard: Heard, on_token: Callable[[str], None]
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
        if is_done := data == b"[DONE]":
            break
        _take(read_object(data.decode("utf-8", "replace").encode(), endpoint), endpoint, heard, on_token)
    heard.add("", on_token, is_last=True)
    if not is_done and heard.finish_reason is None:
        raise openai_faults.bad_answer("the stream ended before the answer did", endpoint)


async def _lines(response: AsyncAPIResponse[Any], timeout_s: float) -> AsyncIterator[bytes]:
    """Yield the lines of a stream. Only line feeds and carriage returns end one: texts may have other line breaks."""
    pieces = response.iter_bytes().__aiter__()
    rest = bytearray()
    while True:
        is_over = True
        async with asyncio.timeout(timeout_s):
            async for piece in pieces:
                rest += piece
                if b"\n" in piece or b"\r" in piece:
                    is_over = False
                    break
        *lines, last = rest.replace(b"\r", b"\n").split(b"\n")
        for line in lines if not is_over else (*lines, last):
            yield bytes(line)
        if is_over:
            return
        rest = last


def _take(event: Data, endpoint: Endpoint, heard: Heard, on_token: Callable[[str], None]) -> None:
    if isinstance(event.get("usage"), dict):
        heard.usage = event["usage"]
    choices = event.get("choices")
    if not isinstance(choices, list) or not choices:
        return  # the last event has the usage alone
    choice = choices[0]
    if not isinstance(choice, dict) or not isinstance(choice.get("delta") or {}, dict):
        raise openai_faults.bad_answer("an event of a stream without a choice", endpoint)
    piece = (choice.get("delta") or {}).get("content")
    if isinstance(piece, str):
        heard.add(piece, on_token)
    reason = choice.get("finish_reason")
    heard.finish_reason = str(reason) if reason else heard.finish_reason
