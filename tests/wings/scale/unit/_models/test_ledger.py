"""One budget and one rate for many workers, by a file that they share."""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import multiprocessing
import pickle
import random
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import ledger_workers
from fake_llm import FakeLlm
from kg_neo4j import owners
from kg_neo4j._models.books import Clocks, Hold, Seen
from kg_neo4j._models.budget import Budget, Cost
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j.errors import BudgetReached, FolderFull, KgError
from kg_neo4j.records import Usage
from kg_neo4j_scale import ledger as ledgers
from kg_neo4j_scale.ledger import Ledger
from small_disk import SmallDisk

STEP_USD = 5.0  # some 400 calls
SPAWN = multiprocessing.get_context("spawn")


def fixed(usd: float) -> Cost:
    return Cost(usd, usd, usd)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


def answers_of_some_length(prompt: str, user: str) -> str:
    time.sleep(random.random() * 0.03)
    return "word " * random.randrange(5, 150)


def kill_workers(path: Path, kills: int) -> None:
    """Kill so many workers, whatever they do; the server's count of tokens never passes the budget."""
    with FakeLlm(counts=True, rules=answers_of_some_length) as llm:
        killed, limit = 0, 0.0
        while killed < kills:
            limit += STEP_USD
            command = [sys.executable, ledger_workers.__file__, llm.url, path, limit, kills - killed, killed]
            killed += int(subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, check=True).stdout)
            while len(llm.counted) < llm.calls:  # what was asked by those that were killed
                time.sleep(0.05)
            usd = sum(ledger_workers.PRICE.usd(*each) for each in llm.counted)
            spent = Budget(limit, Ledger(path)).spent_usd
            assert usd <= spent <= limit
            assert usd > limit / 2
    logging.info("%s kills, %s calls: server %.2f, ledger %.2f of %.2f USD", killed, llm.calls, usd, spent, limit)


def test_fifty_kills_never_exceed_the_budget(path: Path) -> None:
    kill_workers(path, 50)


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_five_hundred_kills_never_exceed_the_budget(path: Path) -> None:
    kill_workers(path, 500)


# -- the file


def test_what_one_reserves_the_others_see_and_what_is_closed_is_free_again(path: Path) -> None:
    mine, theirs = Budget(1.0, Ledger(path)), Budget(1.0, pickle.loads(pickle.dumps(Ledger(path))))
    with mine.reserve(lambda _: fixed(0.7)) as grant:
        with pytest.raises(BudgetReached):
            theirs.hold_again(theirs.reserve(lambda _: fixed(0.2))._hold, 0.4)
        grant.paid(Usage(1, 1, 1, 0.1))
    assert theirs.spent_usd == pytest.approx(0.1)


def test_a_later_run_counts_what_earlier_ones_spent(path: Path) -> None:
    with Budget(1.0, Ledger(path)).reserve(lambda _: fixed(0.7)) as grant:
        grant.paid(Usage(1, 1, 1, 0.6))
    with pytest.raises(BudgetReached, match=rf"0\.6000 USD are spent by all runs that {path} lists") as reached:
        Budget(1.0, Ledger(path)).reserve(lambda _: fixed(0.5))
    assert "a larger --budget-usd continues" in (reached.value.hint or "")
    assert Budget(1.2, Ledger(path)).reserve(lambda _: fixed(0.5)).usd == 0.5


def test_a_reservation_waits_for_one_of_a_living_process_and_not_for_one_of_a_dead(path: Path) -> None:
    """A process that sleeps holds 0.7 of 1 USD; another one waits for it until it is killed."""
    reserve = "from kg_neo4j._models.budget import Budget, Cost; from kg_neo4j_scale.ledger import Ledger; "
    reserve += f"Budget(1.0, Ledger({str(path)!r})).reserve(lambda _: Cost(0.7, 0.7, 0.7)); print('held', flush=True); "
    command = [sys.executable, "-c", f"{reserve}import time; time.sleep(600)"]
    refused: list[BudgetReached] = []

    def work() -> None:
        try:
            Budget(1.0, Ledger(path)).reserve(lambda _: fixed(0.5))
        except BudgetReached as reached:
            refused.append(reached)

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        waiting = threading.Thread(target=work)
        waiting.start()
        waiting.join(5 * ledgers.POLL_S)
        assert waiting.is_alive()
        other.kill()
    waiting.join(60)
    assert [reached.spent_usd for reached in refused] == [pytest.approx(0.7)]


def test_a_process_of_another_machine_is_waited_for_as_long_as_a_question_takes(path: Path) -> None:
    ledger = Ledger(path)
    hold = Hold("h", 0.7, 0.0, "another-machine:1:0.00", time.time())
    with ledger.opened() as state:
        state.write(hold)
        assert not ledger.is_lost(hold)
        assert ledger.is_lost(replace(hold, at=time.time() - ledgers.LONGEST_S - 1))
        assert not ledger.is_lost(replace(hold, owner=owners.this_process()))
        assert ledger.is_lost(replace(hold, owner=owners.this_process().rpartition(":")[0] + ":1.00"))


def test_a_line_that_a_killed_worker_left_unfinished_is_cut(path: Path) -> None:
    whole = Ledger(path)
    with whole.opened() as state:
        state.write(Hold("a", 0.25, 0.0, owners.this_process(), time.time()))
    lines = path.read_bytes()
    with path.open("ab") as file:
        file.write(lines[:-1])  # all but the end of the line
    with whole.opened() as state:
        assert state.taken_usd == 0.25
        state.write(Hold("b", 0.5, 0.0, owners.this_process(), time.time()))
    with Ledger(path).opened() as state:
        assert list(state.holds) == ["a", "b"]


def test_a_damaged_line_is_named(path: Path) -> None:
    for line in (b"\0\0\n", b"[]\n", b'{"id":"a"}\n', b'{"what":1}\n'):
        path.write_bytes(b'{"model":"m","factor":1.5,"longest":7}\n' + line)
        with pytest.raises(KgError, match=rf"{path}, line 2: damaged"):
            Budget(1.0, Ledger(path)).reserve(lambda _: fixed(0.1))


def test_a_ledger_that_was_replaced_is_refused(path: Path) -> None:
    budget = Budget(1.0, Ledger(path))
    with budget.reserve(lambda _: fixed(0.1)):
        pass
    path.write_bytes(b"")
    with pytest.raises(KgError, match="was replaced"):
        budget.reserve(lambda _: fixed(0.1))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(KgError, match=r"none/ledger\.jsonl cannot be used: No such file or directory"):
        Budget(1.0, Ledger(tmp_path / "none" / "ledger.jsonl")).reserve(lambda _: fixed(0.1))


def test_a_line_that_has_no_room_is_not_left_in_part(path: Path) -> None:
    command = (
        "import os, resource; from kg_neo4j._models.budget import Budget, Cost\n"
        "from kg_neo4j.errors import FolderFull\n"
        "from kg_neo4j_scale.ledger import Ledger\n"
        f"path = {str(path)!r}; budget = Budget(1.0, Ledger(path)); cost = Cost(0.25, 0.25, 0.25)\n"
        "budget.reserve(lambda _: cost)\n"
        "size = os.stat(path).st_size\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    budget.reserve(lambda _: cost)\n"
        "except FolderFull as full:\n"
        "    print(full, os.stat(path).st_size == size)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "budget.reserve(lambda _: cost)\n"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == f"no space left for {path}; no call to a model was made that it does not list True\n"
    with Ledger(path).opened() as state:
        assert state.taken_usd == 0.5


@pytest.mark.long
def test_on_a_full_disk_no_call_is_made_and_nothing_is_left_behind(tmp_path: Path, llm: FakeLlm) -> None:
    with SmallDisk(tmp_path / "disk", 1) as disk:
        ledger = Ledger(disk.folder / "ledger.jsonl")
        model = ledger_workers.chat(llm.url, ledger, 10.0)
        model.complete("be brief", "hello")
        disk.fill()
        with contextlib.suppress(FolderFull):
            while True:  # the last page of the file has some room
                model.complete("be brief", "hello")
        calls = llm.calls
        with pytest.raises(FolderFull, match=r"no space left for .*ledger\.jsonl"):
            model.complete("be brief", "hello")
        assert llm.calls == calls
        disk.relieve()
        assert ledger.path.read_bytes().endswith(b"}\n")
        model.complete("be brief", "hello")
        assert llm.calls == calls + 1


def reserve_and_close(path: Path, times: int) -> None:
    budget = Budget(1_000.0, Ledger(path))
    for _ in range(times):
        with budget.reserve(lambda _: fixed(0.001)) as grant:
            grant.paid(Usage(1, 1, 1, 0.001))


def test_threads_and_processes_lose_no_line(path: Path) -> None:
    processes = [SPAWN.Process(target=reserve_and_close, args=(path, 50)) for _ in range(3)]
    ledger = Ledger(path)
    budget = Budget(1_000.0, ledger)

    def work() -> None:
        for _ in range(50):
            with budget.reserve(lambda _: fixed(0.001)) as grant:
                grant.paid(Usage(1, 1, 1, 0.001))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in (*processes, *threads):
        each.start()
    for each in (*processes, *threads):
        each.join(120)
    assert budget.spent_usd == pytest.approx(300 * 0.001)
    with Ledger(path).opened() as state:
        assert state.holds == {}
        assert state.paid_usd == pytest.approx(300 * 0.001)


def test_a_forked_child_reads_the_file_for_itself(path: Path) -> None:
    budget = Budget(1.0, Ledger(path))
    grant = budget.reserve(lambda _: fixed(0.25))
    command = (
        "import os; from kg_neo4j._models.budget import Budget, Cost; from kg_neo4j_scale.ledger import Ledger\n"
        f"budget = Budget(1.0, Ledger({str(path)!r}))\n"
        "mine = budget.reserve(lambda _: Cost(0.125, 0.125, 0.125))\n"
        "if (pid := os.fork()) == 0:\n"
        "    budget.reserve(lambda _: Cost(0.0625, 0.0625, 0.0625))\n"
        "    os._exit(0)\n"
        "os.waitpid(pid, 0)\n"
        "mine.__exit__()\n"
        "print(budget.spent_usd)\n"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert float(done.stdout) == 0.0625  # of the child, which has ended
    with grant:
        assert budget.spent_usd == 0.0625


def test_what_a_model_taught_one_worker_the_next_one_knows(path: Path, llm: FakeLlm) -> None:
    llm.usage = (100, 20)
    ledger_workers.chat(llm.url, Ledger(path), 10.0).complete("be brief", "hello")
    with Ledger(path).opened() as state:
        assert state.seen["m"] == Seen("m", 100 / 3, 20)


# -- the rate


def ask_at_a_pace(url: str, path: Path, times: int) -> None:
    endpoint = Endpoint(url, rpm=RPM, ledger=Ledger(path))
    model = OpenAIChat("m", endpoint, window=8_000)
    crew = [threading.Thread(target=lambda: [model.complete("s", "u") for _ in range(times)]) for _ in range(3)]
    for each in crew:
        each.start()
    for each in crew:
        each.join()


RPM = 600


def test_several_processes_keep_one_pace(path: Path, llm: FakeLlm) -> None:
    """However late each of them is, the n-th request of all comes n-1 gaps after the first reservation, or later."""
    began = time.time()
    processes = [SPAWN.Process(target=ask_at_a_pace, args=(llm.url, path, 4)) for _ in range(3)]
    for each in processes:
        each.start()
    for each in processes:
        each.join(120)
    arrivals = sorted(request.at for request in llm.requests)
    lines = [Clocks(**line) for line in map(json.loads, path.read_text("utf-8").splitlines())]
    slots = [clocks.requests - 60 / RPM for clocks in lines]
    assert len(arrivals) == len(slots) == 36
    assert min(b - a for a, b in itertools.pairwise(slots)) >= 60 / RPM - 1e-6
    early = [slot - arrival for slot, arrival in zip(slots, arrivals, strict=True)]
    assert max(early) < 0.002  # the clock that sleeps is not the one that is read
    assert slots[0] >= began
    assert all(clocks.server == Endpoint(llm.url).address for clocks in lines)
