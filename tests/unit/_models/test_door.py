"""The door to a model: what it asks, how often, and what becomes of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

from fake_llm import FakeLlm
from kg_neo4j import factory
from kg_neo4j._models import prompts
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.door import Door, open_door
from kg_neo4j._models.layers import FILTERED, TOO_LONG, UNREADABLE, Unasked
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted, Request, Task, TaskAnswer, Unanswered, once_more
from kg_neo4j.errors import (
    BadModelAnswer,
    BudgetReached,
    ContentFiltered,
    ContextTooLong,
    ModelRefused,
    ModelUnavailable,
    RequestRefused,
)
from kg_neo4j.settings import Settings


@dataclass(frozen=True, slots=True)
class Sum(Task[int]):
    """Asks for a number; an odd one is used only where there is no even one."""

    kind: ClassVar[str] = "sum"
    rounds: ClassVar[int] = 2
    words: str
    key: str = ""

    def messages(self, complaint: str = "") -> tuple[str, str]:
        return "Answer with a number.", f"{self.words}{once_more(complaint)}"

    def accept(self, said: Completion) -> int | Complaint[int]:
        if not said.text.isdecimal():
            return Complaint(f"{said.text!r} is no number")
        number = int(said.text)
        return number if number % 2 == 0 else Complaint(f"{number} is odd", number, faults=1)

    def smaller(self) -> Sequence[Task[int]]:
        half = len(self.words) // 2
        return (Sum(self.words[:half]), Sum(self.words[half:])) if half else ()

    def request(self, complaint: str, round: int) -> Request:
        system, user = self.messages(complaint)
        return Request(self.kind, system, user, key=f"{self.key}/{round}" if self.key else "", round=round)


@dataclass(frozen=True, slots=True)
class Words(Task[str]):
    """Takes any words."""

    kind: ClassVar[str] = "words"

    def messages(self, complaint: str = "") -> tuple[str, str]:
        return "Say something.", once_more(complaint)

    def accept(self, said: Completion) -> str | Complaint[str]:
        return said.text


class Named(Prompted[str]):
    """Asks with a prompt file; what is said in words of one line is accepted."""

    kind: ClassVar[str] = "statements"
    rounds: ClassVar[int] = 2

    def values(self) -> Mapping[str, str]:
        return {"question": "Who?", "answer": "Ada", "fence": "f"}

    def accept(self, said: Completion) -> str | Complaint[str]:
        return said.text if "\n" not in said.text else Complaint("it has two lines")


@dataclass(frozen=True, slots=True)
class Shorter(Sum):
    """Asks with fewer words where there are too many."""

    def smaller(self) -> Sequence[Task[int]]:
        return (Sum(self.words[:4]),)


@dataclass
class Memory:
    """A store of answers in a dictionary."""

    remembers: frozenset[str] = frozenset({FILTERED})
    rows: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    reads: list[Sequence[str]] = field(default_factory=list)

    def read(self, keys: Sequence[str]) -> Mapping[str, tuple[str, str | None]]:
        self.reads.append(keys)
        return {key: self.rows[key] for key in keys if key in self.rows}

    def write(self, request: Request, said: Completion, model: str) -> None:
        assert model == "m"
        self.rows.setdefault(request.key, (said.text, said.finish_reason))


def door(llm: FakeLlm, cache: AnswerCache | None = None, concurrency: int = 1, budget: Budget | None = None) -> Door:
    settings = Settings(openai_base_url=llm.url, openai_api_key="k", model="m", model_retries=0)
    model = factory.chat_model(settings, budget=budget)
    assert model
    return open_door(model, cache, concurrency)


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "answers.sqlite3")


def test_an_accepted_answer_is_a_value_that_was_paid_for(llm: FakeLlm) -> None:
    answer = door(llm.say("4")).ask(Sum("two and two"))
    assert (answer.value, answer.usage.calls, answer.problem, answer.error) == (4, 1, "", None)
    assert answer.result() == 4


def test_a_refused_answer_is_asked_for_once_more_with_the_complaint(llm: FakeLlm) -> None:
    answer = door(llm.say("four").say("4")).ask(Sum("two and two"))
    assert (answer.value, answer.usage.calls) == (4, 2)
    assert llm.requests[1].user.endswith("'four' is no number. Keep to the rules.")


@pytest.mark.parametrize(
    ("first", "second", "value"), [("3", "four", 3), ("3", "5", 5), ("four", "5", 5), ("four", "five", None)]
)
def test_after_the_last_round_the_better_answer_counts(
    llm: FakeLlm, first: str, second: str, value: int | None
) -> None:
    answer = door(llm.say(first).say(second)).ask(Sum("two and two"))
    assert (answer.value, llm.calls) == (value, 2)
    assert answer.problem
    if value is None:
        with pytest.raises(BadModelAnswer, match="is no number"):
            answer.result()


def test_an_answer_of_use_is_not_paid_for_twice_and_one_of_no_use_is(llm: FakeLlm, cache: AnswerCache) -> None:
    llm.say("4").say("5").say("7")
    for words, calls in (("even", 1), ("even", 0), ("odd", 2), ("odd", 2)):
        before = llm.calls
        llm.say("5").say("5") if words == "odd" and before == 3 else None
        assert door(llm, cache).ask(Sum(words)).usage.calls == llm.calls - before == calls, words


def test_stored_answers_come_first_and_are_written_before_they_are_used(llm: FakeLlm, cache: AnswerCache) -> None:
    store = Memory()
    first = door(llm.say("four").say("4"), cache).storing(store).ask(Sum("x", key="k"))
    assert first.keys == ("k/0", "k/1")
    assert store.rows == {"k/0": ("four", "stop"), "k/1": ("4", "stop")}
    again = door(llm, cache).storing(store).ask(Sum("another text", key="k"))
    assert (again.value, again.keys, again.usage.calls, llm.calls) == (4, first.keys, 0, 2)


def test_what_is_cached_is_stored_and_costs_nothing(llm: FakeLlm, cache: AnswerCache) -> None:
    door(llm.say("4"), cache).ask(Sum("x"))
    store = Memory()
    answer = door(llm, cache).storing(store).ask(Sum("x", key="k"))
    assert (answer.usage.calls, store.rows) == (0, {"k/0": ("4", "stop")})


def test_a_remembered_error_is_raised_again_without_a_call_and_another_one_is_asked_about_again(llm: FakeLlm) -> None:
    store = Memory()
    llm.say("", finish_reason="content_filter")
    for _ in range(2):
        answer = door(llm).storing(store).ask(Sum("x", key="k"))
        assert isinstance(answer.error, ContentFiltered)
        assert (answer.keys, answer.charged.calls) == (("k/0",), 1)
    assert llm.calls == 1
    llm.fail(400, code="context_length_exceeded").say("4")
    asked = door(llm).storing(store)
    assert isinstance(asked.ask(Sum("x", key="other")).error, ContextTooLong)
    assert asked.ask(Sum("x", key="other")).value == 4


def test_a_remembered_length_is_raised_again(llm: FakeLlm) -> None:
    store = Memory(frozenset({TOO_LONG}))
    llm.fail(400, code="context_length_exceeded")
    for _ in range(2):
        assert isinstance(door(llm).storing(store).ask(Sum("x", key="k")).error, ContextTooLong)
    assert llm.calls == 1


def test_many_tasks_are_read_from_the_store_at_once(llm: FakeLlm) -> None:
    store = Memory(rows={f"{number}/0": (str(2 * number), "stop") for number in range(20)})
    answers = list(door(llm).storing(store).ask_all([Sum("x", key=str(number)) for number in range(20)]))
    assert [answer.value for answer in answers] == [2 * number for number in range(20)]
    assert (len(store.reads), llm.calls) == (1, 0)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_answers_come_in_the_order_of_tasks(llm: FakeLlm, concurrency: int) -> None:
    llm.rules = lambda _, user: str(2 * int(user))
    answers = list(door(llm, concurrency=concurrency).ask_all([Sum(str(number)) for number in range(30)]))
    assert [answer.value for answer in answers] == [2 * number for number in range(30)]


def test_one_key_is_asked_about_once_by_many_threads(llm: FakeLlm) -> None:
    llm.rules = lambda *_: "4"
    asked = door(llm, concurrency=8).storing(Memory())
    answers = list(asked.ask_all([Sum("x", key="k") for _ in range(16)]))
    assert {answer.value for answer in answers} == {4}
    assert (llm.calls, sum(answer.usage.calls for answer in answers)) == (1, 1)


def test_a_task_that_is_too_long_is_cut_until_it_fits(llm: FakeLlm) -> None:
    llm.fail(400, code="context_length_exceeded").say("2").say("4").say("6")
    answers = list(door(llm).ask_all([Sum("ab"), Sum("c")]))
    assert [answer.value for answer in answers] == [2, 4, 6]


def test_what_concerns_every_task_stops_the_rest(llm: FakeLlm) -> None:
    asked = door(llm.say("2").fail(401).say("4"))
    answers: list[TaskAnswer[int]] = list(asked.ask_all([Sum("a"), Sum("b"), Sum("c")]))
    assert [type(answer.error) for answer in answers] == [type(None), ModelRefused, ModelRefused]
    assert llm.calls == 2
    with pytest.raises(ModelRefused):
        asked.ask(Sum("d"))
    assert asked.again().ask(Sum("d")).value == 4


def refusing(llm: FakeLlm, *messages: str) -> Door:
    """Return a door to a server that refuses one request after the other in these words; an empty one is answered."""
    for message in messages:
        llm.fail(400, message=message) if message else llm.say("2")
    return door(llm.say("4"))


def test_three_first_requests_that_are_refused_alike_stop_the_rest(llm: FakeLlm) -> None:
    asked = refusing(llm, "field 7 of 'ab' is odd", "field 12 of 'c' is odd", "field 3 of '' is odd")
    answers: list[TaskAnswer[int]] = list(asked.ask_all([Sum("a"), Sum("b"), Sum("c"), Sum("d")]))
    assert [type(answer.error) for answer in answers] == [RequestRefused, RequestRefused, ModelRefused, ModelRefused]
    assert "the first 3 requests ended in this way" in str(answers[3].error)
    assert llm.calls == 3
    assert asked.again().ask(Sum("d")).value == 4


@pytest.mark.parametrize("messages", [("", *["odd"] * 3), ("odd", "", "odd", "odd"), ("odd", "even", "odd", "odd")])
def test_refusals_of_which_one_is_another_are_those_of_their_tasks(llm: FakeLlm, messages: tuple[str, ...]) -> None:
    answers: list[TaskAnswer[int]] = list(refusing(llm, *messages).ask_all([Sum(each) for each in "abcde"]))
    errors = [RequestRefused if message else type(None) for message in (*messages, "")]
    assert [type(answer.error) for answer in answers] == errors
    assert answers[4].value == 4


def test_a_refused_request_is_neither_stored_nor_hidden_from_who_asks_it_alone(llm: FakeLlm) -> None:
    store = Memory(remembers=frozenset({UNREADABLE}))
    asked = refusing(llm, "strange").storing(store)
    with pytest.raises(RequestRefused, match="strange"):
        asked.ask(Sum("a", "a"))
    assert store.rows == {}
    assert asked.ask(Sum("a", "a")).value == 4


def test_what_was_learnt_of_the_server_is_a_note_of_the_door(llm: FakeLlm, cache: AnswerCache) -> None:
    asked = door(llm.fail(400, message="temperature is not supported").say("4"), cache).storing(Memory())
    assert asked.ask(Sum("a")).notes == asked.notes == ("the model's server refuses temperature, which is left out",)


def test_after_a_stop_known_answers_are_still_given(llm: FakeLlm, cache: AnswerCache) -> None:
    door(llm.say("4"), cache).ask(Sum("cached"))
    store = Memory(rows={"stored/0": ("6", "stop")})
    asked = door(llm.fail(401), cache).storing(store)
    tasks = [Sum("new", "new"), Sum("x", "stored"), Sum("cached", "cached"), Sum("another", "another")]
    assert [answer.value for answer in asked.ask_all(tasks)] == [None, 6, 4, None]
    assert store.rows["cached/0"] == ("4", "stop")
    assert llm.calls == 2


def test_no_model_is_asked_for_what_is_stored(llm: FakeLlm) -> None:
    asked = Door(Unasked()).storing(Memory(rows={"k/0": ("4", "stop")}))
    answers: list[TaskAnswer[int]] = list(asked.ask_all([Sum("x", "k"), Sum("y", "l")]))
    assert [(answer.value, type(answer.error)) for answer in answers] == [(4, type(None)), (None, ModelUnavailable)]


def test_a_plan_names_the_first_request_that_would_be_paid_for(llm: FakeLlm, cache: AnswerCache) -> None:
    door(llm.say("4"), cache).ask(Sum("cached"))
    rows = {"even/0": ("4", "stop"), "odd/0": ("5", "stop"), "odds/0": ("5", "stop"), "odds/1": ("7", "stop")}
    store = Memory(rows={**rows, "no/0": ("", FILTERED)})
    stored = set(store.rows)
    asked: list[Request] = []
    counting = door(llm, cache).storing(store).counting(asked)
    for words in ("even", "odd", "odds", "no", "cached", "new"):
        counting.ask(Sum(words, words))
    assert [(request.key, request.round) for request in asked] == [("odd/1", 1), ("new/0", 0)]
    assert "5 is odd" in asked[0].user
    assert (llm.calls, set(store.rows)) == (1, stored)


def test_what_was_paid_for_a_task_that_is_replaced_is_counted(llm: FakeLlm) -> None:
    llm.say("x").fail(400, code="context_length_exceeded").say("4").say("6")
    assert [answer.usage.calls for answer in door(llm).ask_all([Sum("ab")])] == [2, 1]
    llm.say("x").fail(400, code="context_length_exceeded").say("8")
    assert door(llm).ask(Shorter("four and four")).usage.calls == 2


def test_a_budget_that_is_reached_stops_the_rest(llm: FakeLlm, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["m"]\ninput = 1000.0\noutput = 1000.0\n', encoding="utf-8")
    settings = Settings(
        openai_base_url=llm.url, openai_api_key="k", model="m", model_retries=0, prices=prices, model_window=4000
    )
    model = factory.chat_model(settings, budget=Budget(0.0001))
    assert model
    answers = list(open_door(model).ask_all([Sum("a"), Sum("b")]))
    assert [type(answer.error) for answer in answers] == [BudgetReached, BudgetReached]
    assert llm.calls == 0


def test_an_error_in_the_second_round_leaves_the_first_answer(llm: FakeLlm) -> None:
    answer = door(llm.say("3").say("", finish_reason="content_filter")).ask(Sum("x"))
    assert (answer.value, answer.result()) == (3, 3)
    assert isinstance(answer.error, ContentFiltered)


def test_a_store_that_fails_ends_the_run(llm: FakeLlm) -> None:
    class Broken(Memory):
        def write(self, request: Request, said: Completion, model: str) -> None:
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        list(door(llm.say("4"), concurrency=1).storing(Broken()).ask_all([Sum("x", key="k"), Sum("y", key="l")]))
    assert llm.calls == 1


def test_a_prompted_task_sends_its_prompt_with_the_temperature_and_the_complaint(
    llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = replace(prompts.load("statements"), temperature=0.25)
    monkeypatch.setattr(prompts, "load", {"statements": prompt}.__getitem__)
    assert door(llm.say("one\ntwo").say("one")).ask(Named()).value == "one"
    rendered = [prompt.render(**Named().values(), complaint=each) for each in ("", once_more("it has two lines"))]
    assert [request.prompt for request in llm.requests] == ["\n".join(each) for each in rendered]
    assert [request.body["temperature"] for request in llm.requests] == [0.25, 0.25]


def test_a_door_that_counts_takes_what_is_there_and_asks_nothing(llm: FakeLlm, cache: AnswerCache) -> None:
    door(llm.say("2"), cache).ask(Sum("cached"))
    store = Memory(rows={"s/0": ("4", "stop"), "bad/0": ("four", "stop")})
    asked: list[Request] = []
    tasks = [Sum("cached"), Sum("stored", key="s"), Sum("bad", key="bad"), Sum("open", key="o"), Sum("ab")]
    answers = list(door(llm, cache).counting(asked).storing(store).ask_all(tasks))
    assert [answer.value for answer in answers] == [2, 4, None, None, None]
    assert [type(answer.error) for answer in answers] == [type(None)] * 2 + [Unanswered] * 3
    assert [request.key for request in asked] == ["bad/1", "o/0", ""]
    assert asked[0].user.endswith("'four' is no number. Keep to the rules.")
    assert (llm.calls, sum(answer.usage.calls for answer in answers)) == (1, 0)
    assert store.rows.keys() == {"s/0", "bad/0"}


@pytest.mark.parametrize("said", ["<thinking>a plan</thinking>Yes.", "a plan</think>Yes.", "[THINK]a plan[/THINK]Yes."])
def test_no_task_reads_thoughts(llm: FakeLlm, said: str) -> None:
    llm.say(said)
    assert open_door(factory.chat_model(Settings(openai_base_url=llm.url, model="fake"))).ask(Words()).value == "Yes."


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS", "error"])
def test_a_cut_answer_is_used_with_a_problem(llm: FakeLlm, reason: str) -> None:
    llm.say("It was a", finish_reason=reason)
    answer = open_door(factory.chat_model(Settings(openai_base_url=llm.url, model="fake"))).ask(Words())
    assert answer.value == "It was a"
    assert "truncated" in answer.problem
