"""A budget is kept before each call: test plan row 31."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import numpy as np
import pytest

from fake_llm import FakeLlm, Reply
from kg_neo4j._models.books import FIRST_OUTPUT, FRAME, MARGIN, Seen
from kg_neo4j._models.budget import Budget, Cost, Grant
from kg_neo4j._models.budgeted import BudgetedChat, BudgetedEmbedding
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_embedding import OpenAIEmbedding
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.prices import Price
from kg_neo4j._models.tokens import Approximation
from kg_neo4j.errors import BadModelAnswer, BudgetReached, ContentFiltered, ModelError, ModelUnavailable, UsageError
from kg_neo4j.records import Usage

PRICE = Price(10.0, 100.0)  # the scripted server reports 100 and 20 tokens: 0.003 USD a call
CALL = 0.003


def chat(llm: FakeLlm, budget: Budget, *, price: Price = PRICE, window: int = 8_000, retries: int = 3) -> BudgetedChat:
    endpoint = Endpoint(llm.url, retries=retries, sleep=lambda _: asyncio.sleep(0))
    return BudgetedChat(OpenAIChat("m", endpoint, window=window, price=price), price, budget, Approximation())


def ask_until_it_is_reached(model: BudgetedChat, threads: int) -> int:
    """Ask from many threads until each is refused; return the number of answers."""
    answers: list[str] = []
    refused: list[BudgetReached] = []

    def work() -> None:
        try:
            while True:
                answers.append(model.complete("be brief", "hello").text)
        except BudgetReached as reached:
            refused.append(reached)

    crew = [threading.Thread(target=work) for _ in range(threads)]
    for each in crew:
        each.start()
    for each in crew:
        each.join(60)
    assert len(refused) == threads
    return len(answers)


def test_the_call_that_would_pass_the_limit_is_not_made(llm: FakeLlm) -> None:
    budget = Budget(0.1)
    model = chat(llm, budget)
    assert ask_until_it_is_reached(model, 1) == llm.calls == 33
    assert budget.spent_usd == pytest.approx(33 * CALL)
    with pytest.raises(BudgetReached, match=r"0\.1 USD is used up: 0\.0990 USD are spent") as reached:
        model.complete("be brief", "hello")
    assert llm.calls == 33
    assert (reached.value.exit_code, reached.value.limit_usd) == (3, 0.1)
    assert "--budget-usd" in (reached.value.hint or "")


@pytest.mark.parametrize("limit", [0.06, 0.1, 0.5])
def test_sixteen_threads_never_spend_more_and_use_what_there_is(llm: FakeLlm, limit: float) -> None:
    budget = Budget(limit)
    answers = ask_until_it_is_reached(chat(llm, budget), 16)
    assert answers == llm.calls
    assert budget.spent_usd <= limit
    assert limit - budget.spent_usd < 2 * CALL


def test_a_budget_below_the_first_call_asks_nobody(llm: FakeLlm) -> None:
    with pytest.raises(BudgetReached):
        chat(llm, Budget(PRICE.usd(0, FIRST_OUTPUT))).complete("be brief", "hello")
    assert llm.calls == 0


def test_an_answer_is_bounded_by_what_is_left_and_asked_for_again_with_more(llm: FakeLlm) -> None:
    budget = Budget(0.5)  # the longest answer of this window would cost 0.8
    model = chat(llm, budget)
    llm.say("as long as all").say("half", "length").say("whole")
    model.complete("be brief", "hello")
    done = model.complete("be brief", "hello")
    assert (done.text, done.usage.calls) == ("whole", 2)
    bounds = [request.body["max_tokens"] for request in llm.requests]
    assert 4_900 < bounds[0] < 5_000  # the first one may cost all that there is
    assert 600 < bounds[1] < 700  # the later ones an eighth of what is left
    assert bounds[2] == 2 * bounds[1]
    assert budget.spent_usd == pytest.approx(3 * CALL)


def test_an_answer_that_all_the_money_does_not_cover_ends_the_run(llm: FakeLlm) -> None:
    budget = Budget(0.5)
    llm.usage = (100, 4_980)
    llm.say("half", "length")
    with pytest.raises(BudgetReached):
        chat(llm, budget).complete("be brief", "hello")
    assert llm.calls == 1
    assert budget.spent_usd <= 0.5


def test_a_bound_that_the_caller_wants_is_kept(llm: FakeLlm) -> None:
    model = chat(llm, Budget(10.0))
    llm.say("cut", "length")
    assert model.complete("be brief", "hello", max_tokens=7).text == "cut"
    assert [request.body.get("max_tokens") for request in llm.requests] == [7]


def test_with_enough_money_answers_are_not_bounded(llm: FakeLlm) -> None:
    chat(llm, Budget(10.0)).complete("be brief", "hello")
    assert "max_tokens" not in llm.requests[0].body


def test_answers_that_were_paid_for_and_are_of_no_use_count(llm: FakeLlm) -> None:
    budget = Budget(10.0)
    model = chat(llm, budget)
    llm.say(None).say("yes")
    assert model.complete("be brief", "hello").usage.usd == pytest.approx(2 * CALL)
    llm.say(None).say(None)
    with pytest.raises(BadModelAnswer):
        model.complete("be brief", "hello")
    llm.say("I", "content_filter")
    with pytest.raises(ContentFiltered):
        model.complete("be brief", "hello")
    assert budget.spent_usd == pytest.approx(5 * CALL)


def test_a_second_try_is_not_made_where_the_first_has_used_the_budget_up(llm: FakeLlm) -> None:
    budget = Budget(0.06)
    llm.usage = (100, 580)
    llm.say(None)
    with pytest.raises(BudgetReached):
        chat(llm, budget).complete("be brief", "hello")
    assert llm.calls == 1
    assert budget.spent_usd == pytest.approx(0.059)


def test_refusals_cost_nothing(llm: FakeLlm) -> None:
    budget = Budget(10.0)
    llm.fail(429).fail(503).say("yes")
    chat(llm, budget).complete("be brief", "hello")
    assert budget.spent_usd == pytest.approx(CALL)


# -- calls whose outcome is unknown cost what was set aside for them


LONGEST = PRICE.usd(3 * MARGIN + FRAME, 8_000)  # by our tokeniser the prompt has 3 tokens


@pytest.mark.parametrize(
    "reply",
    [
        Reply(reset=True),
        Reply(body=b"{}", cut=1),
        Reply(500, b"{}"),
        Reply(502, b"a page"),
        Reply(408, b"{}"),
        Reply(body=b"not JSON"),
        Reply(body=b'{"error": {"message": "lost"}}'),
        Reply(400, b'{"error": {"message": "filtered", "code": "content_filter"}}'),
        Reply(400, b'{"error": {"message": "too long", "code": "context_length_exceeded"}}'),
    ],
)
def test_a_call_that_the_server_may_have_counted_is_spent(llm: FakeLlm, reply: Reply) -> None:
    budget = Budget(10.0)
    llm.script(reply)
    with pytest.raises(ModelError):
        chat(llm, budget, retries=0).complete("be brief", "hello")
    assert budget.spent_usd == pytest.approx(LONGEST)


def test_a_call_that_is_not_answered_in_time_is_spent_and_its_repeat_is_paid_besides(llm: FakeLlm) -> None:
    budget = Budget(10.0)
    llm.hang().say("yes")
    endpoint = Endpoint(llm.url, timeout_s=1.0, sleep=lambda _: asyncio.sleep(0))
    model = BudgetedChat(OpenAIChat("m", endpoint, window=8_000, price=PRICE), PRICE, budget, Approximation())
    assert model.complete("be brief", "hello").text == "yes"
    assert budget.spent_usd == pytest.approx(LONGEST + CALL)


def test_a_repeat_that_an_unknown_call_leaves_no_money_for_is_not_made(llm: FakeLlm) -> None:
    budget = Budget(1.2)  # the longest answer costs 0.8
    llm.script(Reply(reset=True))
    with pytest.raises(BudgetReached):
        chat(llm, budget).complete("be brief", "hello")
    assert llm.calls == 1
    assert budget.spent_usd == pytest.approx(LONGEST)


@pytest.mark.parametrize("status", [401, 404, 409, 422, 429, 503, 529])
def test_a_call_that_was_refused_costs_nothing(llm: FakeLlm, status: int) -> None:
    budget = Budget(10.0)
    llm.fail(status)
    with pytest.raises(ModelError):
        chat(llm, budget, retries=0).complete("be brief", "hello")
    assert budget.spent_usd == 0


def test_a_call_to_nobody_costs_nothing() -> None:
    budget = Budget(10.0)
    with FakeLlm() as gone:
        pass
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        chat(gone, budget, retries=1).complete("be brief", "hello")
    assert budget.spent_usd == 0


def test_a_window_that_is_full_is_not_asked_for_again(llm: FakeLlm) -> None:
    """All the money covers more than the window has room for, and less than its length."""
    budget = Budget(PRICE.usd(3 * MARGIN + FRAME, 7_990))
    llm.say("cut", "length")
    assert chat(llm, budget).complete("be brief", "hello").text == "cut"
    assert [request.body["max_tokens"] for request in llm.requests] == [8_000 - FRAME - 4]


def test_a_server_that_counts_nothing_is_counted_for(llm: FakeLlm) -> None:
    budget = Budget(10.0)
    llm.script(llm.json({"choices": [{"message": {"content": "one two three"}, "finish_reason": "stop"}], "usage": {}}))
    chat(llm, budget).complete("one two", "three four")
    assert budget.spent_usd == pytest.approx(PRICE.usd(4, 3))


def test_a_call_waits_for_what_others_give_back() -> None:
    budget = Budget(1.0)
    cost = Cost(0.6, 0.6, 0.6)
    granted: list[float] = []
    with budget.reserve(lambda _: cost) as first:
        waiting = threading.Thread(target=lambda: granted.append(budget.reserve(lambda _: cost).usd))
        waiting.start()
        waiting.join(0.05)
        assert granted == []
        first.paid(Usage(1, 1, 1, 0.1))
    waiting.join(60)
    assert granted == [0.6]


def test_a_call_that_waited_for_the_first_answer_expects_what_that_one_cost(llm: FakeLlm) -> None:
    """A first answer is expected to cost 0.05 USD and costs 0.003: what is left is enough for more."""
    second = threading.Event()

    class Watched(Budget):
        def reserve(self, estimate: Callable[[Seen], Cost], model: str = "") -> Grant:
            if threading.current_thread() is waiting:
                second.set()
            return super().reserve(estimate, model)

    def answer(prompt: str, user: str) -> str:
        assert second.wait(60)
        return "yes"

    llm.rules = answer
    budget = Watched(0.0525)
    model = chat(llm, budget)
    waiting = threading.Thread(target=lambda: model.complete("be brief", "hello"))
    first = threading.Thread(target=lambda: model.complete("be brief", "hello"))
    first.start()
    llm.wait_for_calls(1)
    waiting.start()
    for each in (first, waiting):
        each.join(60)
    assert llm.calls == 2
    assert budget.spent_usd == pytest.approx(2 * CALL)


def test_a_budget_that_is_reached_stays_so() -> None:
    budget = Budget(1.0)
    with pytest.raises(BudgetReached):
        budget.reserve(lambda _: Cost(1.1, 1.1, 1.1))
    with pytest.raises(BudgetReached):
        budget.reserve(lambda _: Cost(0.1, 0.1, 0.1))


def test_embeddings_are_paid_from_the_same_budget(llm: FakeLlm) -> None:
    price = Price(1_000.0)
    budget = Budget(0.05)
    embedder = OpenAIEmbedding("e", Endpoint(llm.url), price=price)
    model = BudgetedEmbedding(embedder, price, budget, Approximation())
    assert np.isclose(np.linalg.norm(model.embed(["one two three four"])), 1.0)
    spent = budget.spent_usd
    assert 0 < spent < 0.05
    with pytest.raises(BudgetReached):
        model.embed(["many words " * 50])
    assert (budget.spent_usd, llm.calls) == (spent, 1)


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_a_budget_is_above_zero(limit: float) -> None:
    with pytest.raises(UsageError, match="a budget of"):
        Budget(limit)
