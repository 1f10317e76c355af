"""The chat client against a real HTTP server that misbehaves: test plan rows 12, 23 to 29, 74."""

from __future__ import annotations

import asyncio
import base64
import os
import pickle
import resource
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from fake_llm import FakeLlm, Reply, Request
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.protocols import Completion
from kg_neo4j.errors import (
    BadModelAnswer,
    ContentFiltered,
    ContextTooLong,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    RequestRefused,
    UsageError,
)
from kg_neo4j.records import Usage

KEY = "sk-canary-0123456789abcdef"


class Clock:
    """Notes how long the client wanted to wait, and does not wait."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def chat(llm: FakeLlm, clock: Clock) -> OpenAIChat:
    return OpenAIChat("m", Endpoint(llm.url, SecretStr(KEY), timeout_s=5, retries=3, sleep=clock.sleep))


def ask(chat: OpenAIChat) -> Completion:
    return chat.complete("be brief", "hello", max_tokens=7)


def test_a_plain_answer(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.say("yes")
    assert ask(chat) == Completion("yes", "stop", Usage(1, 100, 20, None))
    body = llm.requests[0].body
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("m", 7, 0.0)
    assert llm.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_content_in_parts_and_missing_usage_are_understood(llm: FakeLlm, chat: OpenAIChat) -> None:
    parts = [{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}]
    llm.script(llm.json({"choices": [{"message": {"content": parts}, "finish_reason": None}], "usage": None}))
    assert ask(chat) == Completion("yes", None, Usage(1, 0, 0, None))


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("1000000000000000000000000000000", 10**9),
        ("1" + "0" * 400, 10**9),
        ("-5", 0),
        ("NaN", 0),
        ("Infinity", 0),
        ("-Infinity", 0),
        ("1e400", 0),
        ("7.0", 7),
        ("7.5", 0),
        ("1e18", 10**9),
        ("true", 0),
        ('"7"', 0),
        ("[7]", 0),
        ("null", 0),
    ],
)
def test_numbers_of_tokens_that_cannot_be_are_bounded(llm: FakeLlm, chat: OpenAIChat, given: str, read: int) -> None:
    said = '{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": %s, '
    said += '"completion_tokens": %s, "total_tokens": %s, "prompt_tokens_details": {"cached_tokens": %s}}}'
    llm.script(*[Reply(body=(said.replace("%s", given)).encode())] * 2)
    for _ in range(2):  # the throttle has learnt from the first
        usage = ask(chat).usage
        assert (usage.input_tokens, usage.output_tokens) == (read, read)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (rb"a\ud83d", "a\ufffd"),
        (rb"\ude00b", "\ufffdb"),
        (rb"\ud83d\ude00", "\U0001f600"),
        (rb"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (b"\xed\xa0\xbd", "\ufffd"),
        ("ż\U0001f600".encode(), "ż\U0001f600"),
    ],
)
def test_lone_surrogates_in_an_answer_are_replaced(llm: FakeLlm, chat: OpenAIChat, said: bytes, read: str) -> None:
    llm.script(Reply(body=b'{"choices": [{"message": {"content": "%s"}, "finish_reason": "%s"}]}' % (said, said)))
    done = ask(chat)
    assert (done.text, done.finish_reason) == (read, read)


@pytest.mark.parametrize("place", ["message", "refusal"])
def test_lone_surrogates_in_an_error_are_replaced(llm: FakeLlm, chat: OpenAIChat, place: str) -> None:
    if place == "message":
        llm.fail(400, message="no \ud83d")
    else:
        llm.say(None, refusal="no \ud83d")
    with pytest.raises(ModelError, match="no \ufffd"):
        ask(chat)


def test_an_answer_longer_than_any_output_is_refused(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.say("x" * 4_000_001).say("x" * 4_000_001)
    with pytest.raises(BadModelAnswer, match="4000000 characters"):
        ask(chat)


def test_a_cut_answer_is_no_error_even_when_it_is_empty(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.say(None, "length").say("half", "length")
    assert ask(chat).finish_reason == "length"
    assert ask(chat).text == "half"


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_can_pass_is_asked_again(llm: FakeLlm, chat: OpenAIChat, clock: Clock, status: int) -> None:
    llm.fail(status).fail(status).say("yes")
    assert ask(chat).text == "yes"
    assert llm.calls == 3
    assert len(clock.waits) == 2
    assert 0.5 <= clock.waits[0] <= 1.0 <= clock.waits[1] <= 2.0


def test_retries_end(llm: FakeLlm, chat: OpenAIChat) -> None:
    for _ in range(10):
        llm.fail(503, message="overloaded")
    with pytest.raises(ModelUnavailable, match="overloaded") as error:
        ask(chat)
    assert llm.calls == 4  # one, and three more
    assert error.value.hint


@pytest.mark.parametrize(
    ("told", "at_least", "at_most"),
    [
        ("7", 7, 12),
        ("0", 0, 0.2),
        ("300", 300, 305),
        ("-5", 0.5, 1),
        ("soon", 0.5, 1),
        ("nan", 0.5, 1),
        ("1e999", 0.5, 1),
    ],
)
def test_retry_after_is_honoured(
    llm: FakeLlm, chat: OpenAIChat, clock: Clock, told: str, at_least: float, at_most: float
) -> None:
    llm.fail(429, retry_after=told).say("yes")
    ask(chat)
    assert at_least <= clock.waits[0] <= at_most


def test_a_wait_above_the_limit_is_named_with_it(llm: FakeLlm, chat: OpenAIChat, clock: Clock) -> None:
    llm.fail(429, retry_after="3600", message="come back later")
    with pytest.raises(ModelUnavailable, match=r"come back later; it asks to wait 3,600 s, .* at most 300 s") as error:
        ask(chat)
    assert (llm.calls, clock.waits) == (1, [])
    assert "stored" in (error.value.hint or "")


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "OPENAI_API_KEY"), (402, "credit"), (403, "OPENAI_API_KEY"), (404, "KG_MODEL")]
)
def test_what_concerns_every_request_is_asked_once(llm: FakeLlm, chat: OpenAIChat, status: int, hint: str) -> None:
    llm.fail(status, message="no such thing")
    with pytest.raises(ModelRefused, match="no such thing") as raised:
        ask(chat)
    assert llm.calls == 1
    assert hint in (raised.value.hint or "")


@pytest.mark.parametrize("status", [400, 405, 418, 422, 501])
def test_what_is_not_known_concerns_this_request_and_is_asked_once(llm: FakeLlm, chat: OpenAIChat, status: int) -> None:
    llm.fail(status, message="no such thing")
    with pytest.raises(RequestRefused, match="no such thing"):
        ask(chat)
    assert llm.calls == 1


def test_an_empty_account_does_not_pass(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.fail(429, code="insufficient_quota")
    with pytest.raises(ModelRefused, match="scripted fault"):
        ask(chat)
    assert llm.calls == 1


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("context_length_exceeded", "too long"),
        (None, "This model's maximum context length is 8192 tokens."),
        (None, "the request exceeds the available context size"),
    ],
)
def test_a_prompt_that_is_too_long(llm: FakeLlm, chat: OpenAIChat, code: str | None, message: str) -> None:
    llm.fail(400, code=code, message=message)
    with pytest.raises(ContextTooLong):
        ask(chat)
    assert llm.calls == 1


@pytest.mark.parametrize(
    "script",
    [
        lambda llm: llm.fail(400, code="content_filter"),
        lambda llm: llm.fail(400, message="The response was filtered: ResponsibleAIPolicyViolation"),
        lambda llm: llm.say("I", "content_filter"),
        lambda llm: llm.say("I", "SAFETY"),
        lambda llm: llm.fail(403, message="requires moderation: your input was flagged"),
        lambda llm: llm.script(llm.json({"error": {"message": "Content Exists Risk", "code": 400}})),
        lambda llm: llm.script(Reply(body=b'{"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}')),
        lambda llm: llm.say(None, refusal="I will not."),
    ],
)
def test_a_filtered_text(llm: FakeLlm, chat: OpenAIChat, script: Callable[[FakeLlm], object]) -> None:
    script(llm)
    with pytest.raises(ContentFiltered):
        ask(chat)
    assert llm.calls == 1


def test_parameters_that_a_model_refuses_are_renamed_or_dropped_once(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.fail(400, param="max_tokens", message="Use 'max_completion_tokens' instead.")
    llm.fail(400, param="temperature", message="Only the default (1) value is supported.")
    llm.say("yes").say("again")
    first, second = ask(chat), ask(chat)
    assert (first.text, second.text, second.note) == ("yes", "again", "")
    assert "max_completion_tokens instead of max_tokens" in first.note
    assert "refuses temperature" in first.note
    assert "; ".join(tuple(chat.notes.values())) == first.note
    assert llm.calls == 4
    for request in llm.requests[2:]:
        assert set(request.body) == {"model", "messages", "max_completion_tokens"}


def test_a_limit_on_output_that_is_too_large_is_dropped_and_never_loops(llm: FakeLlm, chat: OpenAIChat) -> None:
    for _ in range(20):
        llm.fail(400, param="max_tokens", message="max_tokens is too large: 7.")
    with pytest.raises(RequestRefused, match="too large"):
        ask(chat)
    assert llm.calls == 2
    assert "max_tokens" not in llm.requests[1].body


def test_a_parameter_is_named_by_the_words_alone(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.fail(422, message="`temperature` cannot be set for this model").say("yes").say("again")
    assert (ask(chat).text, ask(chat).text, llm.calls) == ("yes", "again", 3)
    assert ["temperature" in request.body for request in llm.requests] == [True, False, False]


def test_a_limit_on_output_is_lowered_to_what_the_server_takes(llm: FakeLlm) -> None:
    chat = OpenAIChat("fake", Endpoint(llm.url, retries=0), window=100_000)
    llm.fail(400, message="Range of max_tokens should be [1, 8192]").say("yes").say("again")
    for _ in range(2):
        chat.complete("s", "u", max_tokens=20_000)
    ask(chat)
    assert [request.body["max_tokens"] for request in llm.requests] == [20_000, 8_192, 8_192, 7]
    assert tuple(chat.notes.values()) == ("the model's server takes at most 8192 for max_tokens",)


def test_a_server_that_always_wants_less_is_left(llm: FakeLlm, chat: OpenAIChat) -> None:
    for most in range(900, 0, -1):
        llm.fail(400, message=f"max_tokens must be at most {most}")
    with pytest.raises(RequestRefused):
        chat.complete("s", "u", max_tokens=1_000)
    assert llm.calls == 10


def test_without_a_system_role_its_text_stands_before_the_users(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.fail(400, message="System role not supported").say("yes").say("again")
    assert (ask(chat).text, ask(chat).text, llm.calls) == ("yes", "again", 3)
    for request in llm.requests[1:]:
        assert request.body["messages"] == [{"role": "user", "content": "be brief\n\nhello"}]
    assert "no system role" in "".join(tuple(chat.notes.values()))


def test_many_threads_learn_a_refusal_once(llm: FakeLlm, chat: OpenAIChat) -> None:
    """The server refuses each request that has a temperature, in whatever order they come."""

    def refuse(request: Request) -> Reply | None:
        error = {"error": {"message": "temperature is not supported"}}
        return llm.json(error, 400) if "temperature" in request.body else None

    llm.faults = refuse
    answers: list[Completion] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(chat))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert len([each for each in answers if each.note]) == 1
    assert tuple(chat.notes.values()) == ("the model's server refuses temperature, which is left out",)


# -- prompts that a server cuts

LONG = "The river runs past the old mill and the town. " * 150  # of some 1,650 tokens


def counted(llm: FakeLlm, **usage: object) -> Reply:
    choice = {"message": {"content": "yes"}, "finish_reason": "stop"}
    return llm.json({"choices": [choice], "usage": {"completion_tokens": 5, **usage}})


def test_a_prompt_of_which_the_server_counts_a_part_was_cut(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.script(counted(llm, prompt_tokens=256), counted(llm, prompt_tokens=250))
    done, again = (chat.complete("s", LONG) for _ in range(2))
    assert (done.finish_reason, again.finish_reason) == ("prompt_cut", "prompt_cut")
    assert "counted 256 tokens of a prompt of some 1," in done.note
    assert "num_ctx" in done.note
    assert tuple(chat.notes.values()) == (done.note,)


def test_a_prompt_that_is_counted_as_long_as_one_that_was_cut_was_cut_too(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.script(*(counted(llm, prompt_tokens=1_024) for _ in range(3)))
    done = [chat.complete("s", LONG * times) for times in (2, 1)]
    assert [each.finish_reason for each in done] == ["prompt_cut", "prompt_cut"]
    assert chat.complete("s", LONG[: len(LONG) * 2 // 3]).finish_reason == "stop"


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 0},
        {},
        {"prompt_tokens": 900},
        {"prompt_tokens": 100, "cache_read_input_tokens": 1500},
        {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 1500}},
        {"prompt_tokens": 100, "prompt_cache_hit_tokens": 1500},
    ],
)
def test_a_server_that_counts_otherwise_cuts_nothing(llm: FakeLlm, chat: OpenAIChat, usage: dict[str, object]) -> None:
    llm.script(counted(llm, **usage))
    done = chat.complete("s", LONG)
    assert (done.finish_reason, done.note) == ("stop", "")


def test_a_server_that_counted_more_before_cuts_nothing(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.script(counted(llm, prompt_tokens=1_600), counted(llm, prompt_tokens=100))
    assert [chat.complete("s", LONG).finish_reason for _ in range(2)] == ["stop", "stop"]


def test_a_short_prompt_is_never_called_cut(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.script(counted(llm, prompt_tokens=3))
    assert chat.complete("s", LONG[:2_000]).finish_reason == "stop"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=b'{"error": {"message": "backend died"}}'),
        Reply(body=b'{"choices": []}'),
        Reply(body=b'{"choices": null}'),
        Reply(body=b'{"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}]}'),
        Reply(body=b'{"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}'),
        Reply(body=b'{"choices": [{"message": null}]}'),
        Reply(body=b'{"choices": ["x"]}'),
        Reply(body=b'{"choices": [{"message": {"content": null, "tool_calls": [{"id": "1"}]}}]}'),
        Reply(body=b'{"choices": [{"mess'),
        Reply(body=b"[" * 200_000),
        Reply(body=b"[]"),
        Reply(body=b"<html>busy</html>", headers=(("Content-Type", "text/html"),)),
        Reply(body=b"\xff\xfe\x00"),
        Reply(body=b""),
    ],
)
def test_an_answer_that_breaks_the_protocol_is_asked_for_once_more(
    llm: FakeLlm, chat: OpenAIChat, reply: Reply
) -> None:
    llm.script(reply).say("yes")
    assert ask(chat).text == "yes"
    llm.script(reply, reply, reply)
    with pytest.raises(BadModelAnswer):
        ask(chat)
    assert llm.calls == 4


def test_a_paid_answer_that_could_not_be_used_is_counted(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.say(None).say("yes")
    assert ask(chat).usage == Usage(2, 200, 40, None)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(reset=True),
        Reply(body=b'{"choices": []}' * 50, cut=20),
        Reply(body=b'{"choices": []}' * 50, cut=20, chunked=True),
    ],
)
def test_a_broken_connection_passes(llm: FakeLlm, chat: OpenAIChat, reply: Reply) -> None:
    llm.script(reply, reply).say("yes")
    assert ask(chat).text == "yes"
    assert llm.calls == 3


@pytest.mark.parametrize("reply", [Reply(hang=True), Reply(body=b" " * 10_000, drip_s=0.05)])
def test_the_deadline_covers_the_whole_call(llm: FakeLlm, clock: Clock, reply: Reply) -> None:
    chat = OpenAIChat("m", Endpoint(llm.url, timeout_s=0.4, retries=1, sleep=clock.sleep))
    llm.script(reply, reply)
    with pytest.raises(ModelUnavailable, match="did not answer within") as error:
        ask(chat)
    assert llm.calls == 2
    assert "KG_MODEL_TIMEOUT_S" in (error.value.hint or "")


def test_nobody_listens(clock: Clock) -> None:
    with FakeLlm() as gone:
        url = gone.url
    with pytest.raises(ModelUnavailable, match="cannot be reached") as error:
        ask(OpenAIChat("m", Endpoint(url, retries=2, sleep=clock.sleep)))
    assert "OPENAI_BASE_URL" in (error.value.hint or "")
    assert len(clock.waits) == 2


def test_a_body_without_end_is_cut_off(llm: FakeLlm, chat: OpenAIChat) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    endless = Reply(body=b" " * 1_000_000, repeat=100)
    llm.script(endless, endless)
    with pytest.raises(BadModelAnswer, match="more than"):
        ask(chat)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200 * 1024  # KiB


def test_many_threads_share_one_client(llm: FakeLlm, chat: OpenAIChat) -> None:
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(chat).text)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 16
    assert llm.calls == 16


def test_it_works_where_an_event_loop_runs_already(llm: FakeLlm, chat: OpenAIChat) -> None:
    async def notebook() -> str:
        return ask(chat).text

    llm.say("yes")
    assert asyncio.run(notebook()) == "yes"


def test_lone_surrogates_can_be_sent(llm: FakeLlm, chat: OpenAIChat) -> None:
    llm.say("yes")
    chat.complete("s", "a\ud800b")
    assert llm.requests[0].user == "a?b"


def test_it_pickles(llm: FakeLlm) -> None:
    copy = pickle.loads(pickle.dumps(OpenAIChat("m", Endpoint(llm.url, SecretStr(KEY)), window=9000)))
    assert (copy.name, copy.window) == ("m", 9000)
    assert copy.complete("a", "b").text


@pytest.mark.parametrize(
    ("name", "window"),
    [("gpt-4", 8_192), ("gpt-4o-mini", 128_000), ("gpt-4.1-nano", 1_047_576), ("qwen2.5:14b", 8_000)],
)
def test_windows_are_looked_up_by_the_longest_prefix(name: str, window: int) -> None:
    assert OpenAIChat(name, Endpoint()).window == window


# -- secrets


@pytest.mark.parametrize(
    "script",
    [
        lambda llm: llm.fail(401, message=f"Incorrect API key provided: {KEY}. Password hunter22."),
        lambda llm: llm.fail(400, message=f"bad {KEY}", code="context_length_exceeded"),
        lambda llm: llm.script(*[Reply(body=f'{{"error": {{"message": "{KEY}"}}}}'.encode())] * 2),
        lambda llm: llm.script(*[Reply(body=f"<html>{KEY} hunter22".encode())] * 2),
        lambda llm: llm.fail(404),
        lambda llm: llm.script(*[Reply(reset=True)] * 2),
        lambda llm: llm.say(None, refusal=f"no {KEY}"),
    ],
)
def test_no_secret_is_in_any_text(llm: FakeLlm, clock: Clock, script: Callable[[FakeLlm], object]) -> None:
    url = llm.url.replace("http://", "http://bob:hunter22@")
    endpoint = Endpoint(url, SecretStr(KEY), retries=1, sleep=clock.sleep)
    chat = OpenAIChat("m", endpoint)
    script(llm)
    with pytest.raises(ModelError) as raised:
        ask(chat)
    shown = "".join(traceback.format_exception(raised.value)) + repr(chat) + repr(endpoint) + str(raised.value.hint)
    assert KEY not in shown
    assert "hunter22" not in shown


@pytest.mark.parametrize("offset", range(3))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_key_in_base64_is_masked(encode: Callable[[bytes], bytes], offset: int) -> None:
    said = encode(b"?" * offset + KEY.encode() + b" and more").decode()
    shown = Endpoint(api_key=SecretStr(KEY)).redact(f"bad header {said}")
    assert shown.startswith("bad header ")
    assert "***" in shown
    hidden = encode(b"?" * offset + KEY.encode())[4:-4].decode()
    assert not [hidden[at : at + 8] for at in range(len(hidden) - 7) if hidden[at : at + 8] in shown]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"Incorrect API key provided: {KEY[:12]}****{KEY[-10:]}.", "Incorrect API key provided: **********."),
        (f"{KEY[3:11]} {KEY[5:]}", "*** ***"),
        (f"{KEY}{KEY}", "***"),
        (f"starts with {KEY[:7]}", f"starts with {KEY[:7]}"),
        ("a short answer", "a short answer"),
        ("\x1b[31mred\u202e \ud83d", "\ufffd[31mred\ufffd \ufffd"),
    ],
)
def test_parts_of_a_key_are_masked(said: str, shown: str) -> None:
    assert Endpoint(api_key=SecretStr(KEY)).redact(said) == shown


@pytest.mark.parametrize("url", ["ftp://host/v1", "host:8000", "http://", "http://host:99999/v1", "", "http://[::1/v1"])
def test_an_address_that_is_none_is_refused_before_any_call(url: str) -> None:
    with pytest.raises(UsageError, match="OPENAI_BASE_URL"):
        Endpoint(url)


@pytest.mark.parametrize("key", ["sk-ż", "sk a", "sk\n\nx", "sk\0"])
def test_a_key_that_is_none_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as error:
        Endpoint(api_key=SecretStr(key))
    assert key not in str(error.value)


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' is too large: 7000. This model's maximum context length is 8192 tokens and your request has 2801",
        "This model's maximum context length is 8192 tokens. However, you requested 9801 tokens (2801 in the messages, "
        "7000 in the completion).",
    ],
)
def test_a_limit_that_does_not_fit_the_window_is_left_out_before_the_text_is_halved(
    llm: FakeLlm, chat: OpenAIChat, message: str
) -> None:
    llm.fail(400, message=message).say("yes").fail(400, code="context_length_exceeded", message="prompt too long")
    assert chat.complete("s", "u", max_tokens=7_000).text == "yes"
    with pytest.raises(ContextTooLong):
        chat.complete("s", "u", max_tokens=7_000)
    assert ["max_tokens" in request.body for request in llm.requests] == [True, False, False]


def test_a_call_waits_while_another_thread_imports_httpx(tmp_path: Path) -> None:
    """spaCy imports it, and openai looks at what of it is there."""
    (tmp_path / "httpx.py").write_text(
        "import time\ntime.sleep(2)\nclass Client: pass\nAsyncClient = URL = Response = Timeout = Client\n", "utf-8"
    )
    program = (
        "import sys, threading, time\nfrom kg_neo4j._models.openai_chat import OpenAIChat\n"
        "from kg_neo4j._models.openai_endpoint import Endpoint\nimport openai\n"
        "threading.Thread(target=__import__, args=('httpx',)).start()\n"
        "while 'httpx' not in sys.modules: time.sleep(0.01)\n"
        "print(OpenAIChat('m', Endpoint(sys.argv[1], retries=0)).complete('be brief', 'hello').text)"
    )
    with FakeLlm() as llm:
        llm.say("yes")
        command = [sys.executable, "-c", program, llm.url]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "yes"), done.stderr
