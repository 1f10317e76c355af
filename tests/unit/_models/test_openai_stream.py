"""Answers that come word by word, from a real HTTP server; what a broken stream costs."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from fake_llm import FakeLlm, Reply
from kg_neo4j._models import tokens
from kg_neo4j._models.books import FRAME, MARGIN
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.budgeted import BudgetedChat
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.prices import Price
from kg_neo4j._models.protocols import Completion, StreamingChatModel
from kg_neo4j._models.workers import Crew
from kg_neo4j.errors import (
    BadModelAnswer,
    BudgetReached,
    ContentFiltered,
    ModelRefused,
    ModelUnavailable,
    RequestRefused,
)
from kg_neo4j.records import Usage

SAID = "Ada Lind was born in Oslo [C1]."
PRICE = Price(1.0, 2.0)  # USD for a million tokens
EVENTS = (("Content-Type", "text/event-stream"),)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


def chat(llm: FakeLlm, price: Price | None = PRICE) -> OpenAIChat:
    return OpenAIChat("fake", Endpoint(llm.url, retries=0), window=8_000, price=price)


def stream(llm: FakeLlm) -> tuple[Completion, list[str]]:
    heard: list[str] = []
    return chat(llm).stream("system", "user", heard.append, max_tokens=100), heard


def test_words_are_heard_as_they_come_and_the_server_counts_them(llm: FakeLlm) -> None:
    done, heard = stream(llm.say(SAID))
    assert (done.text, "".join(heard)) == (SAID, SAID)
    assert len(heard) == 7
    assert done.usage == Usage(1, 100, 20, pytest.approx(0.00014))
    assert done.note == ""
    body = llm.requests[0].body
    assert (body["stream"], body["stream_options"], body["max_tokens"]) == (True, {"include_usage": True}, 100)


def test_tokens_are_counted_here_where_the_server_does_not_and_a_note_says_so(llm: FakeLlm) -> None:
    llm.counts_streams = False
    done, _ = stream(llm.say(SAID))
    written = tokens.load().count(SAID)
    assert done.usage.output_tokens == written
    assert done.usage.input_tokens > 0
    assert done.usage.usd == pytest.approx((done.usage.input_tokens + 2 * written) / 1e6)
    assert "counted here" in done.note


def test_a_stream_that_breaks_is_asked_for_again_and_both_are_paid(llm: FakeLlm) -> None:
    llm.script(replace(llm.completion(SAID), cut=500)).say("Whole.")
    done, heard = stream(llm)
    assert done.text == "Whole."
    assert "the stream broke" in "".join(heard)
    assert done.usage.calls == 2
    assert done.usage.input_tokens > 100
    assert done.usage.output_tokens > 20
    assert "by estimate" in done.note
    assert llm.calls == 2
    assert "stream" not in llm.requests[1].body


@pytest.mark.parametrize(
    "reply",
    [
        lambda llm: Reply(200, b'data: {"choices": [{"delta": {"content": "Ada "}}]}\n\ndata: {broken\n\n', EVENTS),
        lambda llm: Reply(200, b'data: {"choices": [{"delta": {"content": "Ada "}}]}\n\n', EVENTS),
        lambda llm: Reply(
            200,
            b'data: {"choices": [{"delta": {"content": "Ada "}}]}\n\ndata: {"error": {"message": "no"}}\n\n',
            EVENTS,
        ),
    ],
)
def test_whatever_ends_a_stream_early_is_asked_for_again(llm: FakeLlm, reply: Callable[[FakeLlm], Reply]) -> None:
    done, _ = stream(llm.script(reply(llm)).say("Whole."))
    assert done.text == "Whole."
    assert done.usage.calls == 2


def test_a_filter_that_ends_a_stream_has_refused_the_text(llm: FakeLlm) -> None:
    body = b'data: {"choices": [{"delta": {"content": "Ada "}}]}\n\n'
    body += b'data: {"error": {"message": "filter", "code": "content_filter"}}\n\n'
    with pytest.raises(ContentFiltered):
        stream(llm.script(Reply(200, body, EVENTS)))
    assert llm.calls == 1


def events(*said: object) -> Reply:
    """Return a stream of these texts, each an event."""
    choices = [{"delta": {"content": text}, "finish_reason": None} for text in said]
    shown = [json.dumps({"choices": [choice]}) for choice in (*choices, {"delta": {}, "finish_reason": "stop"})]
    return Reply(200, "".join(f"data: {event}\n\n" for event in (*shown, "[DONE]")).encode(), EVENTS)


@pytest.mark.parametrize(
    ("said", "text", "shown"),
    [
        (("\ud83d", "\ude00"), "\U0001f600", ["\U0001f600"]),
        (("a\ud83d", "\ude00b"), "a\U0001f600b", ["a", "\U0001f600b"]),
        (("a\ud83d", "b"), "a\ufffdb", ["a", "\ufffdb"]),
        (("a", "\ude00\ud83d"), "a\ufffd\ufffd", ["a", "\ufffd", "\ufffd"]),
        (("\ud83d\ud83d\ude00",), "\ufffd\U0001f600", ["\ufffd\U0001f600"]),
    ],
)
def test_surrogates_in_pieces_become_characters(llm: FakeLlm, said: tuple[str], text: str, shown: list[str]) -> None:
    done, heard = stream(llm.script(events(*said)))
    assert (done.text, heard) == (text, shown)


@pytest.mark.parametrize("gap", ["\u2028", "\x85", "\x0c", "\x1e", "\u2029"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_break_within_a_text_ends_no_event(llm: FakeLlm, gap: str, end: str) -> None:
    reply = events(f"Ada{gap}Lind")
    written = json.dumps(gap)[1:-1] if gap < " " else gap  # control characters alone must be escaped in JSON
    body = reply.body.decode().replace(json.dumps(gap)[1:-1], written).replace("\n", end)
    done, _ = stream(llm.script(replace(reply, body=body.encode())))
    assert (done.text, done.usage.calls) == (f"Ada{gap}Lind", 1)


def test_usage_of_a_stream_that_cannot_be_is_bounded(llm: FakeLlm) -> None:
    llm.usage = (10**400, 10**30)
    done, _ = stream(llm.say(SAID))
    assert (done.usage.input_tokens, done.usage.output_tokens) == (10**9, 10**9)


@pytest.mark.parametrize("status", [400, 405, 422, 501])
@pytest.mark.parametrize("message", ["nothing known", "streaming is not supported"])
def test_a_server_that_does_not_stream_is_asked_for_whole_answers_from_then_on(
    llm: FakeLlm, status: int, message: str
) -> None:
    llm.fail(status, message=message).say("Whole.").say("And more.")
    model = chat(llm)
    heard: list[str] = []
    first, second = (model.stream("s", "u", heard.append) for _ in range(2))
    assert ([first.text, second.text], heard) == (["Whole.", "And more."], ["Whole.", "And more."])
    assert "stream" in first.note
    assert (second.note, tuple(model.notes.values())) == ("", (first.note,))
    assert [request.body.get("stream") for request in llm.requests] == [True, None, None]


@pytest.mark.parametrize("status", [429, 500])
def test_a_fault_that_can_pass_is_asked_again_as_a_stream(llm: FakeLlm, status: int) -> None:
    model = OpenAIChat("fake", Endpoint(llm.url, retries=1, sleep=lambda _: asyncio.sleep(0)))
    llm.fail(status).say(SAID)
    heard: list[str] = []
    assert model.stream("s", "u", heard.append).text == SAID
    assert len(heard) == 7


def test_a_refused_request_of_a_server_that_streams_is_not_asked_again(llm: FakeLlm) -> None:
    model = chat(llm)
    llm.say(SAID).fail(422, message="nothing known")
    model.stream("s", "u", lambda _: None)
    with pytest.raises(RequestRefused):
        model.stream("s", "u", lambda _: None)
    assert llm.calls == 2


def test_a_model_that_only_streams_is_asked_for_streams_from_then_on(llm: FakeLlm) -> None:
    llm.fail(400, message="This model only supports streaming.").say(SAID).say(SAID)
    model = chat(llm)
    first, second = (model.complete("s", "u") for _ in range(2))
    assert (first.text, second.text, second.usage.calls) == (SAID, SAID, 1)
    assert "only as a stream" in first.note
    assert [request.body.get("stream") for request in llm.requests] == [None, True, True]


@pytest.mark.parametrize("kind", ["text/event-stream", "text/plain", "application/json"])
def test_a_stream_that_was_not_asked_for_is_read(llm: FakeLlm, kind: str) -> None:
    done = chat(llm.script(replace(events("Ada ", "Lind."), headers=(("Content-Type", kind),)))).complete("s", "u")
    assert (done.text, done.finish_reason) == ("Ada Lind.", "stop")
    assert "counted here" in done.note


def test_a_stream_that_was_not_asked_for_and_breaks_is_asked_for_again(llm: FakeLlm) -> None:
    model = OpenAIChat("fake", Endpoint(llm.url, retries=1, sleep=lambda _: asyncio.sleep(0)))
    broken = Reply(200, b'data: {"choices": [{"delta": {"content": "Ada "}}]}\n\n', EVENTS)
    assert model.complete("s", "u") if llm.script(broken, events("Ada Lind")) else None
    llm.script(broken, broken)
    with pytest.raises(BadModelAnswer, match="ended before the answer did"):
        model.complete("s", "u")
    assert llm.calls == 4


def test_a_stream_whose_connection_stays_open_after_its_end_is_whole(llm: FakeLlm) -> None:
    llm.script(Reply(200, events("Ada Lind").body.removesuffix(b"data: [DONE]\n\n"), EVENTS, holds=True))
    done = OpenAIChat("fake", Endpoint(llm.url, timeout_s=0.5, retries=0)).stream("s", "u", lambda _: None)
    assert (done.text, done.finish_reason, done.usage.calls) == ("Ada Lind", "stop", 1)


def test_a_refusal_in_pieces_has_refused_the_text(llm: FakeLlm) -> None:
    pieces = [{"choices": [{"delta": {"refusal": each}}]} for each in ("I will ", "not.")]
    body = "".join(f"data: {json.dumps(each)}\n\n" for each in pieces) + "data: [DONE]\n\n"
    with pytest.raises(ContentFiltered, match=r"I will not\."):
        stream(llm.script(Reply(200, body.encode(), EVENTS)))


def test_a_stream_whose_last_event_has_a_message_and_no_end_is_read(llm: FakeLlm) -> None:
    event = {"choices": [{"message": {"content": [{"type": "text", "text": "Ada"}]}, "finish_reason": "stop"}]}
    done, heard = stream(llm.script(Reply(200, b"data: " + json.dumps(event).encode(), EVENTS)))
    assert (done.text, heard) == ("Ada", ["Ada"])


# -- listeners that end a call


def test_a_listener_ends_the_call_at_the_server(llm: FakeLlm) -> None:
    """The server sends a row every tenth of a second for as long as somebody listens."""
    row = b'data: {"choices": [{"delta": {"content": "n1,PERSON,Ada\\n"}}]}\n\n'
    llm.script(Reply(200, row, EVENTS, endless=True, pause_s=0.02))
    heard: list[str] = []

    def enough(piece: str) -> str | None:
        heard.append(piece)
        return "runaway" if len(heard) == 10 else None

    done = chat(llm).stream("s", "u", enough)
    assert (done.text, done.finish_reason) == ("n1,PERSON,Ada\n" * 10, "runaway")
    assert done.usage.output_tokens == tokens.load().count(done.text)
    assert done.usage.usd == pytest.approx((done.usage.input_tokens + 2 * done.usage.output_tokens) / 1e6)
    assert len(heard) == 10
    assert llm.closed.wait(2)


def test_a_reason_for_a_whole_answer_is_its_finish_reason(llm: FakeLlm) -> None:
    body = llm.completion(SAID).body.replace(b'"id": "fake"', b'"id": "other"')
    done = chat(llm.script(Reply(200, body))).stream("s", "u", lambda _: "runaway")
    assert (done.text, done.finish_reason) == (SAID, "runaway")


def test_an_interrupt_ends_the_calls_of_other_threads_at_the_server(llm: FakeLlm) -> None:
    row = b'data: {"choices": [{"delta": {"content": "more "}}]}\n\n'
    llm.script(Reply(200, row, EVENTS, endless=True, pause_s=0.02))
    begun = threading.Event()
    model = chat(llm)

    def work(item: int) -> Completion:
        return model.stream("s", "u", lambda _: begun.set())

    crew: Crew[int, Completion] = Crew(work, 2)
    crew.begin(1)
    former = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where pytest runs in the background
    try:
        threading.Thread(target=lambda: (begun.wait(10), os.kill(os.getpid(), signal.SIGINT))).start()
        with pytest.raises(KeyboardInterrupt):
            crew.take()
    finally:
        signal.signal(signal.SIGINT, former)
    crew.stop()
    assert llm.closed.wait(2)
    crew.wait(2)
    (done,) = crew.finished()
    assert isinstance(done.error, ModelUnavailable)
    assert "interrupted" in str(done.error)
    assert model.complete("s", "u").text  # the client goes on


def test_a_server_that_answers_in_one_piece_is_understood(llm: FakeLlm) -> None:
    body = llm.completion(SAID).body.replace(b'"id": "fake"', b'"id": "other"')
    done, heard = stream(llm.script(Reply(200, body)))
    assert (done.text, heard, done.usage.calls) == (SAID, [SAID], 1)


def test_real_refusals_are_raised(llm: FakeLlm) -> None:
    with pytest.raises(ModelRefused):
        stream(llm.fail(401))
    with pytest.raises(ModelUnavailable):
        stream(llm.fail(503))
    with pytest.raises(ContentFiltered):
        stream(llm.say(SAID, "content_filter"))
    assert llm.calls == 3


def test_an_empty_stream_is_paid_and_asked_for_again(llm: FakeLlm) -> None:
    done, _ = stream(llm.say("").say("Whole."))
    assert (done.text, done.usage.calls) == ("Whole.", 2)


def test_a_budget_pays_for_streams_too(llm: FakeLlm) -> None:
    budget = Budget(1.0)
    model = BudgetedChat(chat(llm), PRICE, budget, tokens.load())
    assert isinstance(model, StreamingChatModel)
    model.stream("s", "u", lambda _: None)
    assert budget.spent_usd == pytest.approx(0.00014)
    llm.counts_streams = False
    llm.say(SAID)
    done = model.stream("s", "u", lambda _: None)
    assert budget.spent_usd == pytest.approx(0.00014 + (done.usage.usd or 0))


def test_a_broken_stream_is_paid_from_the_budget(llm: FakeLlm) -> None:
    budget = Budget(1.0)
    model = BudgetedChat(chat(llm), PRICE, budget, tokens.load())
    llm.script(replace(llm.completion(SAID), cut=500)).say("Whole.")
    done = model.stream("s", "u", lambda _: None)
    assert done.usage.calls == 2
    prompt = 2 * MARGIN + FRAME
    longest = PRICE.usd(prompt, model.window)  # the server may have counted so much
    assert budget.spent_usd == pytest.approx(longest + PRICE.usd(*llm.usage))


def test_nothing_is_streamed_that_the_budget_does_not_cover(llm: FakeLlm) -> None:
    model = BudgetedChat(chat(llm), PRICE, Budget(1e-6), tokens.load())
    with pytest.raises(BudgetReached):
        model.stream("s" * 4_000, "u", lambda _: None)
    assert llm.calls == 0
