"""A chat model behind an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kg_neo4j._models import openai_faults, openai_loop, tokens
from kg_neo4j._models.budget import UNLIMITED, Account
from kg_neo4j._models.ledger import Seen
from kg_neo4j._models.openai_calls import Data, ModelCall, call, read_count
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.openai_models import largest_output, window_of
from kg_neo4j._models.openai_stream import Heard, StreamBroken, stream
from kg_neo4j._models.prices import Price
from kg_neo4j._models.protocols import Completion
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ModelRefused, ModelUnavailable
from kg_neo4j.records import Usage

MAX_TEXT = 4_000_000  # characters: four times what the longest output of a known model has
ESTIMATED = "the server did not count the tokens of the stream; they are counted here"
MAX_REASON = 40  # characters: "content_filter" is the longest that is known


class OpenAIChat:
    """A ChatModel. Safe to call from several threads; pickles (connections are made where it is used)."""

    def __init__(self, name: str, endpoint: Endpoint, *, window: int | None = None, price: Price | None = None) -> None:
        """`window` is prompt and answer together, in tokens; None looks the model up, 8,000 where it is unknown."""
        self._name = name
        self._endpoint = endpoint
        self._window = window or window_of(name)
        self._price = price
        self._seen = Seen(name)  # kept where the endpoint limits tokens
        self._renamed: dict[str, str | None] = {}  # optional parameters that this server wants otherwise, or not at all

    def __repr__(self) -> str:
        """Name the model and its server; no key."""
        return f"OpenAIChat({self._name!r}, {self._endpoint.address!r})"

    @property
    def name(self) -> str:
        """The model's name, as stored with its answers."""
        return self._name

    @property
    def window(self) -> int:
        """Prompt and answer together, in tokens."""
        return self._window

    @property
    def largest_output(self) -> int:
        """The most tokens an answer can have."""
        return largest_output(self._name, self._window)

    def complete(
        self, system: str, user: str, *, max_tokens: int | None = None, temperature: float = 0.0
    ) -> Completion:
        """Answer one prompt.

        Retries rate limits, server errors, broken connections and timeouts, and once an answer that breaks the
        protocol. Raises ModelRefused, ModelUnavailable, ContextTooLong, ContentFiltered or BadModelAnswer otherwise.
        An answer cut at its first token is a Completion with an empty text and finish reason "length".
        """
        return self.answer(system, user, max_tokens=max_tokens, temperature=temperature, account=UNLIMITED)

    def answer(
        self, system: str, user: str, *, max_tokens: int | None, temperature: float, account: Account
    ) -> Completion:
        """Answer one prompt as `complete` does, and have `account` pay; raises what it raises, too."""
        messages = [{"role": "system", "content": _sendable(system)}, {"role": "user", "content": _sendable(user)}]
        wanted: dict[str, Any] = {"temperature": temperature}
        if max_tokens is not None:
            wanted["max_tokens"] = max_tokens
        for _ in range(4):  # each pass drops or renames one of at most three parameters
            try:
                return self._call(messages, self._adapted(wanted), account)
            except openai_faults.UnsupportedParameter as refused:
                if refused.parameter not in self._adapted(wanted):
                    raise
                original = "max_tokens" if refused.parameter == "max_completion_tokens" else refused.parameter
                self._renamed[original] = refused.renamed
        return self._call(messages, {}, account)

    def stream(
        self,
        system: str,
        user: str,
        hear: Callable[[str], None],
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
    ) -> Completion:
        """Answer one prompt as `complete` does, and tell `hear` the words as they come.

        A server that does not stream, and a stream that breaks, is asked for the whole answer; `Completion.note` says
        so. What was heard of a broken stream is paid for by an estimate, because the server's count did not come.
        """
        return self.stream_answer(system, user, hear, max_tokens=max_tokens, temperature=temperature, account=UNLIMITED)

    def stream_answer(
        self,
        system: str,
        user: str,
        hear: Callable[[str], None],
        *,
        max_tokens: int | None,
        temperature: float,
        account: Account,
    ) -> Completion:
        """Answer one prompt as `stream` does, and have `account` pay."""
        wanted: dict[str, Any] = {"temperature": temperature}
        if max_tokens is not None:
            wanted["max_tokens"] = max_tokens
        messages = [{"role": "system", "content": _sendable(system)}, {"role": "user", "content": _sendable(user)}]
        create: Any = openai_loop.client(self._endpoint).chat.completions.with_streaming_response.create

        def opened() -> Any:
            return create(
                model=self._name,
                messages=messages,
                stream=True,
                stream_options={"include_usage": True},
                **self._adapted(wanted),
            )

        def whole() -> Completion:
            return self.answer(system, user, max_tokens=max_tokens, temperature=temperature, account=account)

        try:
            counted, expected = self._expected(messages)
            heard = stream(ModelCall(self._endpoint, self._name, opened, account, expected), hear)
        except (ModelRefused, ModelUnavailable, BadModelAnswer) as refused:
            # nothing was heard: `whole` waits and tries again, and a real refusal is raised by it
            return replace(whole(), note=f"the model's server did not stream the answer: {refused}")
        except StreamBroken as broken:
            usage = self._streamed_usage(broken.heard, system, user)
            if broken.heard.usage is not None:  # else only the server knows what it cost
                account.paid(usage)
            hear("\n(the stream broke here; the whole answer is requested again)\n")
            done = whole()
            by = "are counted as the server did" if broken.heard.usage else "are counted by estimate"
            note = f"the stream broke and the answer was requested again: {broken.why}; "
            return replace(done, usage=usage + done.usage, note=f"{note}{usage.output_tokens} tokens of it {by}")
        if heard.whole is not None:
            return self._unstreamed(heard.whole, whole, hear, account)
        usage = self._streamed_usage(heard, system, user)
        account.paid(usage)
        self._learn(counted, usage)
        choice = {"message": {"content": heard.text}, "finish_reason": heard.finish_reason}
        try:
            done = self._read({"choices": [choice]}, usage)
        except openai_faults.Passing:
            again = whole()  # an empty answer was paid for, too
            return replace(again, usage=usage + again.usage)
        return replace(done, note="" if heard.usage is not None else ESTIMATED)

    def _unstreamed(
        self, data: Data, whole: Callable[[], Completion], hear: Callable[[str], None], account: Account
    ) -> Completion:
        """Return the answer of a server that gave it in one piece; one that cannot be used is asked for once more."""
        usage = self._counted(data.get("usage"))
        account.paid(usage)
        try:
            done = self._read(data, usage)
        except openai_faults.Passing:
            return whole()
        hear(done.text)
        return done

    def _streamed_usage(self, heard: Heard, system: str, user: str) -> Usage:
        """Return what a stream cost: as the server counts, else by our tokeniser."""
        if heard.usage is not None:
            return self._counted(heard.usage)
        count = tokens.load().count
        read, written = count(f"{system}\n{user}"), count(heard.text)
        return Usage(1, read, written, self._price.usd(read, written, 0) if self._price else None)

    def _adapted(self, wanted: dict[str, Any]) -> dict[str, Any]:
        named = {self._renamed.get(name, name): value for name, value in wanted.items()}
        return {name: value for name, value in named.items() if name is not None}

    def _call(self, messages: list[dict[str, str]], options: dict[str, Any], account: Account) -> Completion:
        client = openai_loop.client(self._endpoint)
        create: Any = client.chat.completions.with_streaming_response.create
        spent = [Usage()]  # answers that were paid for and could not be used

        def opened() -> Any:
            return create(model=self._name, messages=messages, **options)

        def parse(data: Data) -> Completion:
            usage = self._counted(data.get("usage"))
            account.paid(usage)
            self._learn(counted, usage)
            spent[0] += usage
            return self._read(data, spent[0])

        counted, expected = self._expected(messages)
        return call(ModelCall(self._endpoint, self._name, opened, account, expected), parse)

    def _expected(self, messages: list[dict[str, str]]) -> tuple[int, float]:
        """Return our count of a prompt, and the tokens expected of the call; zeros where tokens are not limited."""
        if not self._endpoint.tpm:
            return 0, 0.0
        counted = sum(tokens.load().count(message["content"]) for message in messages)
        return counted, self._seen.prompt(counted) + self._seen.usual

    def _learn(self, counted: int, usage: Usage) -> None:
        if counted:
            self._seen = self._seen.after(counted, usage.input_tokens, usage.output_tokens)

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


def _sendable(text: str) -> str:
    """Replace lone surrogates, which JSON in UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
