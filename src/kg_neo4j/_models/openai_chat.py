"""A chat model behind an OpenAI-compatible server. A stream is another way to get the same answer."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kg_neo4j._models import openai_client, openai_faults, tokens
from kg_neo4j._models.answer_text import PROMPT_CUT, has_ended
from kg_neo4j._models.books import Seen
from kg_neo4j._models.budget import UNLIMITED, Account
from kg_neo4j._models.model_options import refused_field
from kg_neo4j._models.openai_client import Data, ModelCall, Streamed, read_count, text_of
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_models import largest_output, thinks, window_of
from kg_neo4j._models.prices import Price
from kg_neo4j._models.protocols import Completion, Listener
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong, ModelRefused, RequestRefused
from kg_neo4j.records import Usage

MAX_TEXT = 4_000_000  # characters: four times what the longest output of a known model has
ESTIMATED = "the server did not count the tokens of the stream; they are counted here"
BROKEN = "\n(the stream broke here; the whole answer is requested again)\n"
MAX_REASON = 40  # characters: "content_filter" is the longest that is known
MOST_FORMS = 10  # of one request: there are at most five parameters, two roles, and streams or none
NEW_NAME = "max_completion_tokens"
SMALLEST_OUTPUT = 16  # tokens: a smaller number in an error is no limit on output
CONSTRAINTS = dict.fromkeys(("grammar", "structured_outputs", "response_format"), "unset KG_CONSTRAIN, which sends it")
SURELY_LONG = 1_000  # tokens of a prompt of which a server may have cut a part
THOUGHTS = 25_000  # tokens that thoughts may take, at least (OpenAI, guide to reasoning models, November 2026)
# usage that some servers do not count as tokens of the prompt: Anthropic, DeepSeek
_RENAMED = re.compile(rf"(?:use|instead|try|mean|to)\b[^.]{{0,30}}{NEW_NAME}", re.IGNORECASE)
_COMPLETION = re.compile(r"completion|max_(?:new_)?tokens|output", re.IGNORECASE)
_APART = ("cached_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "prompt_cache_hit_tokens")

Messages = list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Ways:
    """What requests to a server leave out, or have under another name. Pickles."""

    renamed: Mapping[str, str | None] = field(default_factory=dict)  # optional parameters; None: left out
    most_output: int | None = None  # tokens that the server accepts as a limit
    streams_only: bool = False
    joins_system: bool = False  # the system text stands before the user's text: there is no such role

    def options(self, temperature: float, max_tokens: int | None, *, streams: bool) -> dict[str, Any]:
        """Return the optional parameters as this server takes them."""
        most = min((each for each in (max_tokens, self.most_output) if each), default=None) if max_tokens else None
        wanted: dict[str, Any] = {"temperature": temperature, "max_tokens": most}
        if self.streams_only or (streams and "stream" not in self.renamed):
            wanted |= {"stream": True, "stream_options": {"include_usage": True}}
        named = {self.renamed.get(name, name): value for name, value in wanted.items() if value is not None}
        return {name: value for name, value in named.items() if name is not None}

    def messages(self, system: str, user: str) -> list[dict[str, str]]:
        """Return the messages. Lone surrogates, which JSON in UTF-8 cannot carry, are replaced."""
        parts = [("user", f"{system}\n\n{user}")] if self.joins_system else [("system", system), ("user", user)]
        return [{"role": role, "content": text.encode("utf-8", "replace").decode("utf-8")} for role, text in parts]

    def after(self, fault: openai_faults.Fault, options: Mapping[str, Any]) -> tuple[Ways, str]:
        """Return how to ask after a request with `options` was refused, and what was learnt: empty, if nothing."""
        if fault.kind == openai_faults.STREAM_ONLY and not self.streams_only:
            return replace(self, streams_only=True), "answers only as a stream"
        if fault.kind == openai_faults.NO_SYSTEM and not self.joins_system:
            return replace(self, joins_system=True), "has no system role; that text stands before the user's"
        limit = next((name for name in ("max_tokens", NEW_NAME) if name in options), None)
        if limit and "context" in fault.said.lower() and _COMPLETION.search(fault.said):  # they are too long together
            return self.renaming("max_tokens", None), "has no room for prompt and limit; none is sent for answers"
        name = next((name for name in fault.names if name in options), None)
        if name is None or fault.kind != openai_faults.PARAMETER:
            return self, ""
        original = "max_tokens" if name == NEW_NAME else name
        if name == "max_tokens" and _RENAMED.search(fault.said):
            return self.renaming(name, NEW_NAME), f"takes {NEW_NAME} instead of {name}"
        limits = [int(each) for each in re.findall(r"\d{2,9}", fault.said.replace(",", "")) if original == "max_tokens"]
        if fitting := [each for each in limits if SMALLEST_OUTPUT <= each < options[name]]:
            return replace(self, most_output=max(fitting)), f"takes at most {max(fitting)} for {name}"
        return self.renaming(original, None), f"refuses {name}, which is left out"

    def renaming(self, name: str, new: str | None) -> Ways:
        """Return how to ask with a parameter under another name, or with None without it."""
        return replace(self, renamed={**self.renamed, name: new})


class _BrokenStream(Exception):
    """A stream that ended after its first words; the message says why, and what it cost."""


class OpenAIChat:
    """A ChatModel. Safe to call from several threads; pickles (connections are made where it is used)."""

    def __init__(self, name: str, endpoint: Endpoint, *, window: int | None = None, price: Price | None = None) -> None:
        """`window` is prompt and answer together, in tokens; None looks the model up, 8,000 where it is unknown."""
        self.name, self.address = name, endpoint.address
        self.window = window or window_of(name)
        self.largest_output = largest_output(name, self.window)
        self._endpoint = endpoint
        self._price = price
        self._seen = Seen(name)  # kept where the endpoint limits tokens
        self._ways = Ways()  # how this server wants to be asked
        self._streams = False  # an answer came as a stream, or a whole one was refused, too
        self._most_read = 0  # tokens that the server counted in a prompt
        self._cut_at = 0  # tokens that it counted in one that it cut
        self._thought = 0  # the most tokens of thoughts in an answer
        self.notes: dict[str, str] = {}  # what was learnt of the server: the first note of each kind

    def __repr__(self) -> str:
        return f"OpenAIChat({self.name!r}, {self._endpoint.address!r})"

    def complete(
        self,
        system: str,
        user: str,
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        options: Data | None = None,
        account: Account = UNLIMITED,
        on_token: Listener | None = None,
    ) -> Completion:
        """Answer one prompt, have `account` pay, and tell `on_token` the words as they come; it may end the call.

        `options` are further fields of the request's body; where the server refuses one, ModelRefused says which.
        Retries rate limits, server errors, broken connections and timeouts, and once an answer that breaks the
        protocol. A request that the server wants in another form is made again in that form, and for the whole answer
        where it does not stream or a stream breaks (see `Completion.note`). Raises ModelRefused, ModelUnavailable,
        ContextTooLong, ContentFiltered, RequestRefused or BadModelAnswer otherwise, and what `account` raises. An
        answer cut at its first token is a Completion with an empty text and finish reason "length".
        """
        max_tokens = largest_output(self.name, max_tokens) if max_tokens else None
        spent, notes = [Usage()], list[str]()  # on answers that could not be used
        is_whole, unstreamed = on_token is None, None
        named = {name: None if name in CONSTRAINTS else value for name, value in (options or {}).items()}
        for form in itertools.count(1):
            ways = self._ways
            sent, streams_only = ways.options(temperature, max_tokens, streams=not is_whole), ways.streams_only
            try:
                asked = {**sent, **({"extra_body": options} if options else {})}
                done = self._call(ways.messages(system, user), asked, on_token, account, spent)
                break
            except _BrokenStream as broken:
                is_whole, on_token = True, None
                notes.append(str(broken))
            except (BadModelAnswer, ContextTooLong) as error:
                what, fault = "", getattr(error, "fault", None) if form < MOST_FORMS else None
                if fault and ways != self._ways:
                    continue  # another thread has learnt it
                if fault:
                    self._ways, what = ways.after(fault, sent)
                if what:
                    notes.append(self._note(what, f"the model's server {what}"))
                elif isinstance(error, RequestRefused) and (name := refused_field(error.fault.said, named)):
                    hint = f"remove or correct {name} in model_options"
                    raise ModelRefused(str(error), hint=CONSTRAINTS.get(name, hint)) from None
                elif isinstance(error, BadModelAnswer) and "stream" in sent and not (self._streams or streams_only):
                    is_whole, unstreamed = True, error
                else:
                    self._streams |= unstreamed is not None
                    raise
        if unstreamed is not None:  # and the whole answer came
            self._ways = self._ways.renaming("stream", None)
            notes.append(self._note("stream", f"the model's server did not stream the answer: {unstreamed}"))
        return replace(done, note="; ".join(each for each in (*notes, done.note) if each))

    def stream(self, system: str, user: str, on_token: Listener, **how: Any) -> Completion:
        """Answer one prompt as `complete` does, and tell `on_token` the words as they come; it may end the call."""
        return self.complete(system, user, on_token=on_token, **how)

    def thoughts(self, options: Data) -> int:
        """Return the tokens that its thoughts may take besides an answer of limited length; 0: it has none."""
        return max(THOUGHTS, 2 * self._thought) if self._thought or thinks(self.name, options) else 0

    def _note(self, kind: str, text: str) -> str:
        self.notes.setdefault(kind, text)
        return text

    def _call(
        self, messages: Messages, options: Data, listener: Listener | None, account: Account, spent: list[Usage]
    ) -> Completion:
        openai_client.client(self._endpoint)  # made by the thread that asks: it may import, or run a command

        def opened(own: Any) -> Any:
            return own.chat.completions.with_streaming_response.create(model=self.name, messages=messages, **options)

        counted = _count(messages) if self._endpoint.tpm else 0
        expected = self._seen.prompt(counted) + self._seen.usual if counted else 0.0

        def parse(data: Data) -> Completion:
            is_streamed = isinstance(data, Streamed)
            fault = data.fault if isinstance(data, Streamed) else None
            note = "" if "usage" in data or not is_streamed else ESTIMATED
            usage = self._estimated(data, messages) if note else self._counted(data.get("usage"))
            self._thought = max(self._thought, usage.reasoning_tokens)
            if not (note and fault):  # else only the server knows what it cost
                account.paid(usage)
            spent[0] += usage
            if fault and not listener:
                raise fault
            if fault and listener:
                listener(BROKEN)
                by = "by estimate" if note else "as the server did"
                why = f"the stream broke and the answer was requested again: {fault.error}"
                raise _BrokenStream(f"{why}; {usage.output_tokens} tokens of it are counted {by}")
            if counted:
                self._seen = self._seen.after(counted, usage.input_tokens, usage.output_tokens)
            done = self._read(data, spent[0])
            self._streams |= is_streamed
            reason = listener(done.text) if listener and not is_streamed else None
            if cut := self._cut_prompt(data.get("usage"), messages):
                reason, note = PROMPT_CUT, cut
            return replace(done, finish_reason=reason or done.finish_reason, note=note and self._note(note[:20], note))

        question = ModelCall(self._endpoint, self.name, opened, account, expected, listener)
        return openai_client.run(openai_client.call(question, parse))

    def _cut_prompt(self, found: object, messages: Messages) -> str:
        """Return a note where the server counted less than half of a long prompt; else an empty text.

        A server that counts nothing, counts cached tokens apart, or has counted more elsewhere, cuts no prompt.
        """
        fields: Data = found if isinstance(found, dict) else {}
        read = read_count(fields.get("prompt_tokens"))
        details = fields.get("prompt_tokens_details")
        apart = {**fields, **(details if isinstance(details, dict) else {})}
        known = read + sum(read_count(apart.get(name)) for name in _APART)
        self._most_read = max(self._most_read, read)
        if not read or 2 * read < self._most_read or sum(len(each["content"]) for each in messages) < 4 * known:
            return ""  # half of a prompt has some 8 characters a token
        counted = _count(messages)
        if counted <= SURELY_LONG or (2 * known >= counted and not (read == self._cut_at and 1.2 * known < counted)):
            return ""
        self._cut_at = read
        what = f"counted {read:,} tokens of a prompt of some {counted:,}: it cuts prompts to the length of its context"
        return f"the model's server {what}; raise that (num_ctx in Ollama) and set KG_MODEL_WINDOW"

    def _read(self, data: Data, spent: Usage) -> Completion:
        """Return the answer in a server's JSON object; raises Passing and ModelErrors."""
        choices = data.get("choices")
        if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
            if (fault := openai_faults.classify(200, {}, data)).kind == openai_faults.FILTERED:
                raise openai_faults.from_fault(fault, self._endpoint, self._endpoint.address, self.name)
            count = len(choices) if isinstance(choices, list) else "no"
            raise openai_faults.bad_answer(f"an answer with {count} choices instead of one", self._endpoint)
        message = choices[0].get("message")
        reason = choices[0].get("finish_reason")
        reason = str(reason)[:MAX_REASON] if reason else None
        fields: Data = message if isinstance(message, dict) else {}
        if (reason and openai_faults.is_filtered(reason)) or fields.get("refusal"):
            said = self._endpoint.redact(str(fields.get("refusal") or "stopped by the content filter"))
            raise ContentFiltered(f"{self._endpoint.address}: the model declined this text: {said}")
        if fields.get("tool_calls") or fields.get("function_call"):
            raise openai_faults.bad_answer("a tool call, although no tool was offered", self._endpoint)
        text = text_of(fields.get("content"))
        if len(text) > MAX_TEXT:
            raise openai_faults.bad_answer(f"an answer of more than {MAX_TEXT} characters", self._endpoint)
        if not text.strip() and has_ended(reason) is not False:
            raise openai_faults.bad_answer("an answer without content", self._endpoint)
        return Completion(text, reason, spent)

    def _counted(self, found: object) -> Usage:
        """Return the usage of one call as a server counts it; zeros for what it does not say."""
        fields: Data = found if isinstance(found, dict) else {}
        read, written = (read_count(fields.get(name)) for name in ("prompt_tokens", "completion_tokens"))
        cached = _detail(fields.get("prompt_tokens_details"), "cached_tokens")
        thought = _detail(fields.get("completion_tokens_details"), "reasoning_tokens")
        if read_count(fields.get("total_tokens")) == read + written + thought:
            written += thought  # xAI counts them apart
        usd = self._price.usd(read, written, cached) if self._price else None
        return Usage(1, read, written, usd, cached, min(thought, written))

    def _estimated(self, data: Data, messages: Messages) -> Usage:
        """Return the usage of one call by our tokeniser."""
        read, written = _count(messages), tokens.load().count(data["choices"][0]["message"]["content"])
        return Usage(1, read, written, self._price.usd(read, written, 0) if self._price else None)


def _detail(found: object, name: str) -> int:
    return read_count(found.get(name)) if isinstance(found, dict) else 0


def _count(messages: Messages) -> int:
    return sum(tokens.load().count(message["content"]) for message in messages)
