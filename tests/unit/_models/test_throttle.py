"""Fewer calls at a time for a server that has too many, for all callers: test plan rows 23 and 24."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest

from fake_llm import FakeLlm, Reply
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_embedding import OpenAIEmbedding
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.throttle import Throttle, duration_s
from kg_neo4j.errors import ModelUnavailable


class Clock:
    """Time that passes only by waiting for it."""

    def __init__(self) -> None:
        self.time = 1_000.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def endpoint(clock: Clock, url: str = "http://127.0.0.1:9/v1", concurrency: int = 8, retries: int = 0) -> Endpoint:
    return Endpoint(url, retries=retries, concurrency=concurrency, sleep=clock.sleep, now=clock.now)


def limited(**told: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"x-ratelimit-{name.replace('_', '-')}", value) for name, value in told.items())


# -- how many at a time


def test_a_refusal_halves_once_for_all_calls_in_flight_and_answers_add_one_a_round(clock: Clock) -> None:
    throttle = Throttle(endpoint(clock))
    began = [clock.now() for _ in range(8)]
    limits = []
    for each in began:
        throttle.refused(each, None)
        limits.append(throttle.limit)
    assert limits == [4.0] * 8
    clock.time += 1
    throttle.refused(clock.now(), None)
    assert throttle.limit == 2.0
    clock.time += 1
    for answers, limit in ((2, 2), (1, 3), (3, 4), (30, 8), (50, 8)):
        for _ in range(answers):
            throttle.answered(clock.now(), {})
        assert int(throttle.limit) == limit


def test_one_call_is_always_allowed(clock: Clock) -> None:
    throttle = Throttle(endpoint(clock, concurrency=1))
    for _ in range(5):
        clock.time += 1
        throttle.refused(clock.now(), None)
    assert throttle.limit == 1.0


def test_answers_to_calls_of_before_the_refusal_do_not_speed_up(clock: Clock) -> None:
    throttle = Throttle(endpoint(clock))
    throttle.refused(clock.now(), None)
    for _ in range(20):
        throttle.answered(clock.now() - 1, {})
    assert throttle.limit == 4.0


def test_a_call_waits_for_its_turn_and_a_cancelled_one_takes_nobodys(clock: Clock) -> None:
    async def scene() -> None:
        throttle = Throttle(endpoint(clock, concurrency=2))
        begun: list[str] = []

        async def call(name: str, done: asyncio.Event) -> None:
            async with throttle.turn():
                begun.append(name)
                await done.wait()

        done = {name: asyncio.Event() for name in "abcd"}
        tasks = {name: asyncio.create_task(call(name, done[name])) for name in "abcd"}
        await _settled()
        assert begun == ["a", "b"]
        tasks["c"].cancel()
        done["a"].set()
        await _settled()
        assert begun == ["a", "b", "d"]
        assert throttle.in_flight == 2
        done["b"].set()
        done["d"].set()
        await _settled()
        assert throttle.in_flight == 0

    _run(scene())


def test_a_halved_limit_is_kept_by_those_that_wait(clock: Clock) -> None:
    async def scene() -> None:
        throttle = Throttle(endpoint(clock, concurrency=4))
        async with AsyncExitStack() as calls:
            began = [await calls.enter_async_context(throttle.turn()) for _ in range(4)]
            throttle.refused(began[0], None)
        async with AsyncExitStack() as calls:
            for _ in range(2):
                await calls.enter_async_context(throttle.turn())
            third = asyncio.create_task(calls.enter_async_context(throttle.turn()))
            await _settled()
            assert not third.done()
            third.cancel()

    _run(scene())


# -- when


def test_retry_after_holds_back_all_callers_and_not_only_the_one_that_was_told(llm: FakeLlm, clock: Clock) -> None:
    told, other = (OpenAIChat(name, endpoint(clock, llm.url)) for name in ("told", "other"))
    llm.fail(429, retry_after="7")
    with pytest.raises(ModelUnavailable):
        told.complete("s", "u")
    assert clock.waits == []
    other.complete("s", "u")
    assert clock.waits == [7.0]
    other.complete("s", "u")
    assert clock.waits == [7.0]
    assert llm.calls == 3


def test_the_caller_that_was_told_waits_once(llm: FakeLlm, clock: Clock) -> None:
    llm.fail(429, retry_after="7").say("yes")
    assert OpenAIChat("m", endpoint(clock, llm.url, retries=1)).complete("s", "u").text == "yes"
    assert len(clock.waits) == 1
    assert 7 <= clock.waits[0] <= 12


@pytest.mark.parametrize(
    ("told", "waits"),
    [
        ({"remaining_requests": "0", "reset_requests": "3s"}, [3.0]),
        ({"remaining_requests": "0", "limit_requests": "60", "reset_requests": "1m0s"}, [1.0]),
        ({"remaining_tokens": "40", "limit_tokens": "1040", "reset_tokens": "10s"}, [pytest.approx(0.8)]),
        ({"remaining_tokens": "40", "reset_tokens": "2s"}, [2.0]),
        ({"remaining_tokens": "0", "limit_tokens": "0", "reset_tokens": "6m0s"}, [60.0]),
        ({"remaining_tokens": "120", "limit_tokens": "1000", "reset_tokens": "10s"}, []),
        ({"remaining_requests": "1", "reset_requests": "9s"}, []),
        ({"remaining_requests": "0", "reset_requests": "soon"}, []),
        ({"remaining_requests": "-1", "reset_requests": "9s"}, []),
        ({"remaining_requests": "0"}, []),
    ],
)
def test_headers_that_say_that_nothing_is_left_hold_the_next_call_back(
    llm: FakeLlm, clock: Clock, told: dict[str, str], waits: list[float]
) -> None:
    chat = OpenAIChat("m", endpoint(clock, llm.url))
    llm.script(Reply(body=llm.completion("yes").body, headers=limited(**told))).say("next")
    assert chat.complete("s", "u").text == "yes"  # of 120 tokens
    assert chat.complete("s", "u").text == "next"
    assert clock.waits == waits


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("20ms", 0.02),
        ("2m59.56s", 179.56),
        ("1h2m3s", 3_723.0),
        ("7m", 420.0),
        ("12", 12.0),
        ("0.5", 0.5),
        ("", None),
        ("soon", None),
        ("-5s", None),
        ("1d", 86_400.0),
        ("2026-11-20T12:00:00Z", None),
        ("9" * 40, None),
    ],
)
def test_durations_are_read_as_servers_write_them(text: str, seconds: float | None) -> None:
    assert duration_s(text) == (None if seconds is None else pytest.approx(seconds))


# -- a limit of requests and tokens a minute


def begun(clock: Clock, limited: Endpoint, tokens: Sequence[float]) -> list[float]:
    """Return when calls that all ask at once begin, in seconds from now."""
    times: list[float] = []
    start = clock.now()

    async def scene() -> None:
        throttle = Throttle(limited)

        async def call(expected: float) -> None:
            async with throttle.turn(expected) as at:
                times.append(at - start)

        for each in tokens:
            await call(each)

    _run(scene())
    return times


def test_requests_are_spaced_evenly(clock: Clock) -> None:
    assert begun(clock, replace(endpoint(clock), rpm=30), [0] * 5) == pytest.approx([0, 2, 4, 6, 8])


def test_no_minute_has_more_requests_than_the_limit_after_a_pause_either(clock: Clock) -> None:
    throttle = Throttle(replace(endpoint(clock), rpm=30))

    async def scene() -> list[float]:
        times = []
        for pause in [0] * 20 + [300] + [0] * 60 + [1] * 60:
            clock.time += pause
            async with throttle.turn() as at:
                times.append(at)
        return times

    times = asyncio.run(scene())
    assert max(sum(at <= each < at + 60 - 1e-6 for each in times) for at in times) == 30


def test_tokens_are_spaced_evenly_and_the_slower_clock_holds(clock: Clock) -> None:
    limited = replace(endpoint(clock), rpm=60, tpm=6_000)
    assert begun(clock, limited, [500, 10, 10, 1_000, 0]) == pytest.approx([0, 5, 6, 7, 17])


@pytest.mark.parametrize(("usage", "wait_s"), [((100, 20), 1.2), ((100, 900), 10.0)])
def test_the_servers_count_corrects_the_estimate(
    llm: FakeLlm, clock: Clock, usage: tuple[int, int], wait_s: float
) -> None:
    """The first answer is expected to have 500 tokens, the next one as many as the first had."""
    llm.usage = usage
    model = OpenAIChat("m", replace(endpoint(clock, llm.url), tpm=6_000))
    model.complete("s", "u")
    model.complete("s", "u")
    assert clock.waits == [pytest.approx(wait_s)]
    llm.usage = (100, 20)
    model.complete("s", "u")
    assert clock.waits[1] == pytest.approx(wait_s)  # by what the second one had


def test_a_repeated_call_and_an_embedding_count(llm: FakeLlm, clock: Clock) -> None:
    limited = replace(endpoint(clock, llm.url, retries=1), rpm=1)
    llm.fail(500)
    OpenAIChat("m", limited).complete("s", "u")
    assert clock.time >= 1_000 + 60
    OpenAIEmbedding("e", limited).embed(["one"])
    assert clock.time >= 1_000 + 120
    assert llm.calls == 3


def test_a_server_that_refused_is_not_sent_a_burst_by_those_whose_turn_came_meanwhile() -> None:
    """Four calls wait for their turns, 50 ms apart, when the first is refused for 0.4 s: they begin 50 ms apart."""
    begun: list[float] = []

    async def scene() -> None:
        throttle = Throttle(Endpoint("http://127.0.0.1:9/v1", rpm=1_200))

        async def call() -> None:
            async with throttle.turn() as at:
                begun.append(at)

        async with throttle.turn() as refused:
            waiting = [asyncio.create_task(call()) for _ in range(4)]
            await _settled()
            throttle.refused(refused, 0.4)
            begun.append(throttle.opens_at)
        await asyncio.gather(*waiting)

    _run(scene())
    opened, *times = begun
    assert [place for place, at in enumerate(times) if at < opened + place * 0.05 - 0.002] == []
    assert len(times) == 4


# -- what is said stays


def test_sixteen_callers_get_every_answer_whatever_is_refused(llm: FakeLlm, clock: Clock) -> None:
    for _ in range(5):
        llm.answer(4).fail(429, retry_after="1").fail(503)
    chat = OpenAIChat("m", endpoint(clock, llm.url, concurrency=16, retries=50))
    said: dict[int, str] = {}

    def ask(number: int) -> None:
        user = f"{number}.1 Ada wrote note {number} in London.\n\nQuestion: what note {number}"
        said[number] = chat.complete("s", user).text

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(40)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert said == {number: f"Ada wrote note {number} in London [{number}.1]." for number in range(40)}
    assert llm.calls == 40 + 10  # each refusal is one more request, and no other


def _run(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scene)


async def _settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)
