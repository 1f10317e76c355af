"""What a token has spent today: refused before the call that would pass the limit, and kept over restarts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import pytest

from kg_neo4j._models.budget import Budget, Cost
from kg_neo4j.errors import BudgetReached, UsageError
from kg_neo4j.records import Usage
from kg_neo4j.rooms.rights.accounts import Spending, TokenBudget

TODAY, TOMORROW = date(2026, 11, 30), date(2026, 12, 1)


@pytest.fixture
def spending(tmp_path: Path) -> Iterator[Spending]:
    made = Spending(tmp_path / "rights", lambda: TODAY)
    yield made
    made.close()


def budget(spending: Spending, limit: float = 1.0, token: str = "anna") -> TokenBudget:
    return TokenBudget(token, limit, spending.books(token))


def spend(of: Budget, usd: float) -> None:
    with of.reserve(lambda _: Cost(usd, usd, usd)) as grant:
        grant.paid(Usage(1, 10, 10, usd))


def test_a_call_that_would_pass_the_limit_is_refused_and_a_cheaper_one_is_not(spending: Spending) -> None:
    of = budget(spending)
    spend(of, 0.7)
    with pytest.raises(BudgetReached) as refused:
        spend(of, 0.5)
    assert str(refused.value) == (
        "the token 'anna' has spent 0.7000 of 1 USD today, and the next call is expected to cost 0.5000 USD"
    )
    assert refused.value.hint == "it may spend again from 2026-12-01 00:00 UTC"
    spend(of, 0.2)
    assert of.spent_usd == pytest.approx(0.9)
    spend(budget(spending, token="bert"), 0.8)  # money of its own
    assert budget(spending, 2.0).spent_usd == pytest.approx(0.9)  # another limit, the same account


def test_what_was_spent_survives_a_restart_and_what_was_open_counts(spending: Spending) -> None:
    spend(budget(spending), 0.3)
    open_calls = ExitStack()
    open_calls.enter_context(budget(spending).reserve(lambda _: Cost(0.4, 0.4, 0.4)))
    spending.close()
    later = Spending(spending.folder, lambda: TODAY)
    assert budget(later).spent_usd == pytest.approx(0.7)
    with pytest.raises(BudgetReached):
        spend(budget(later), 0.4)
    spend(budget(later), 0.1)
    rows = [json.loads(line) for line in later.file(TODAY).read_text("utf-8").splitlines()]
    assert {row["token"] for row in rows} == {"anna"}
    with later.file(TODAY).open("ab") as file:
        file.write(b'{"token": "anna", "id": "to')  # torn by a kill
    later.close()
    assert budget(Spending(spending.folder, lambda: TODAY)).spent_usd == pytest.approx(0.8)


def test_the_reservation_is_on_the_disk_before_the_call(spending: Spending) -> None:
    with budget(spending).reserve(lambda _: Cost(0.4, 0.4, 0.4)):
        assert spending.spent(TODAY, "anna") == pytest.approx(0.4)
    assert spending.spent(TODAY, "anna") == 0.0


def test_a_new_day_begins_at_nothing_and_calls_that_run_go_on_in_it(tmp_path: Path) -> None:
    day = [TODAY]
    spending = Spending(tmp_path, lambda: day[0])
    of = budget(spending)
    spend(of, 0.9)
    with pytest.raises(BudgetReached):
        spend(of, 0.2)
    with of.reserve(lambda _: Cost(0.05, 0.05, 0.05)) as grant:
        day[0] = TOMORROW
        grant.paid(Usage(1, 10, 10, 0.05))
    assert of.spent_usd == pytest.approx(0.05)
    spend(of, 0.9)
    spending.close()
    assert budget(Spending(tmp_path, lambda: TOMORROW)).spent_usd == pytest.approx(0.95)


def test_many_threads_never_pass_the_limit_together(spending: Spending) -> None:
    of, done = budget(spending), list[float]()

    def work() -> None:
        for _ in range(5):
            try:
                spend(of, 0.03)
                done.append(0.03)
            except BudgetReached:
                pass

    threads = [threading.Thread(target=work) for _ in range(10)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(30)
    assert sum(done) == pytest.approx(0.99)
    assert spending.spent(TODAY, "anna") == pytest.approx(0.99)


def test_one_server_counts_in_a_folder(spending: Spending) -> None:
    spending.books("anna")
    other = Spending(spending.folder)
    with pytest.raises(UsageError, match="another server counts"):
        other.books("anna")
    spending.close()
    assert other.books("anna")
    other.close()


def test_no_call_is_made_where_nothing_can_be_written(tmp_path: Path) -> None:
    spending = Spending(tmp_path / "rights", lambda: TODAY)
    of = budget(spending)
    spending.file(TODAY).mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        spend(of, 0.1)
    spending.close()


@pytest.mark.parametrize(
    "line", [b"nonsense", b'{"token": "anna"}', b"[1]", b'{"token": "anna", "id": "1", "held": "x", "paid": 0}']
)
def test_a_damaged_file_opens_no_budget(tmp_path: Path, line: bytes) -> None:
    spending = Spending(tmp_path, lambda: TODAY)
    spending.file(TODAY).write_bytes(line + b"\n")
    with pytest.raises(UsageError, match="is damaged"):
        spend(budget(spending), 0.1)
    spending.close()
