"""A streamed answer, made whole: what the words cost is counted, and a stream that fails is asked for in one piece."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_neo4j._models.budget import Account
from kg_neo4j._models.openai_faults import Passing
from kg_neo4j._models.openai_stream import Data, Heard, Open, StreamBroken, stream
from kg_neo4j._models.protocols import Completion
from kg_neo4j.errors import BadModelAnswer, ModelRefused, ModelUnavailable
from kg_neo4j.records import Usage

if TYPE_CHECKING:
    from kg_neo4j._models.openai_chat import OpenAIChat

ESTIMATED = "the server did not count the tokens of the stream; they are counted here"


def answer_streamed(
    model: OpenAIChat,
    opened: Open,
    whole: Callable[[], Completion],
    hear: Callable[[str], None],
    account: Account,
    prompt: str,
) -> Completion:
    """Return the answer that `opened` streams; `whole` asks for it in one piece where that fails."""
    try:
        heard = stream(model.endpoint, model.name, opened, hear)
    except (ModelRefused, ModelUnavailable, BadModelAnswer) as refused:
        # nothing was heard: `whole` waits and tries again, and a real refusal is raised by it
        return replace(whole(), note=f"the model's server did not stream the answer: {refused}")
    except StreamBroken as broken:
        usage = _usage(model, broken.heard, prompt)
        account.paid(usage)
        hear("\n(the stream broke here; the answer is asked for again as a whole)\n")
        done = whole()
        note = f"the stream broke and the answer was asked for again: {broken.why}; {usage.output_tokens} tokens of it"
        note += " are counted as the server did" if broken.heard.usage else " are counted by estimate"
        return replace(done, usage=usage + done.usage, note=note)
    if heard.whole is not None:
        return _unstreamed(model, heard.whole, whole, hear, account)
    return _completed(model, heard, whole, account, prompt)


def _unstreamed(
    model: OpenAIChat, data: Data, whole: Callable[[], Completion], hear: Callable[[str], None], account: Account
) -> Completion:
    """Return the answer of a server that gave it in one piece; one that cannot be used is asked for once more."""
    try:
        done = model.parse(data, account)
    except Passing:
        return whole()
    hear(done.text)
    return done


def _completed(
    model: OpenAIChat, heard: Heard, whole: Callable[[], Completion], account: Account, prompt: str
) -> Completion:
    usage = _usage(model, heard, prompt)
    note = "" if heard.usage is not None else ESTIMATED
    account.paid(usage)
    choice = {"message": {"content": heard.text}, "finish_reason": heard.finish_reason}
    try:
        done = model.read({"choices": [choice]}, usage)
    except Passing:
        again = whole()  # an empty answer was paid for, too
        return replace(again, usage=usage + again.usage)
    return replace(done, note=note)


def _usage(model: OpenAIChat, heard: Heard, prompt: str) -> Usage:
    """Return what a stream cost: as the server counts, else by our tokeniser."""
    if heard.usage is not None:
        return model.counted(heard.usage)
    from kg_neo4j._models import tokens

    tokeniser = tokens.load()
    return model.priced(tokeniser.count(prompt), tokeniser.count(heard.text))
