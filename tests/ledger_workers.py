"""Workers that ask a model within one budget, killed at random moments and replaced.

    python tests/ledger_workers.py URL LEDGER BUDGET_USD KILLS SEED

Four processes of two threads each ask until the budget is reached. So many of them are killed; the number is printed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

import openai  # noqa: F401 (before the forks: it takes a second)

from kg_neo4j._models import tokens
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.budgeted import BudgetedChat
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.prices import Price
from kg_neo4j.errors import BudgetReached
from kg_neo4j_scale.ledger import Ledger

PRICE = Price(10.0, 100.0)
WINDOW = 400  # tokens
WORKERS, THREADS = 4, 2
KILL_EVERY = 5_000  # bytes of the ledger, at most: some 25 calls, however busy the machine is
LATER_S = 0.03  # at most: about as long as a call takes
DONE = 3


def chat(url: str, ledger: Ledger, limit_usd: float) -> BudgetedChat:
    """Return a model of the budget."""
    model = OpenAIChat("m", Endpoint(url), window=WINDOW, price=PRICE)
    return BudgetedChat(model, PRICE, Budget(limit_usd, ledger), tokens.load())


def work(model: BudgetedChat, seed: int) -> None:
    """Ask until the budget is reached."""
    chance = random.Random(seed)
    try:
        while True:
            model.complete(
                "be brief", " ".join(chance.choices(("one", "two", "seven", "eleven"), k=chance.randrange(100, 200)))
            )
    except BudgetReached:
        return


def start(model: BudgetedChat, seed: int) -> int:
    """Fork a worker and return its process id."""
    if pid := os.fork():
        return pid
    try:
        threads = [threading.Thread(target=work, args=(model, seed + each)) for each in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os._exit(DONE)
    finally:
        os._exit(1)


def main(url: str, ledger: str, limit_usd: str, kills: str, seed: str) -> int:
    """Start workers, kill and replace them, and wait for the last; return how many were killed."""
    chance = random.Random(int(seed))
    model = chat(url, Ledger(ledger), float(limit_usd))
    Path(ledger).touch()
    living = {start(model, chance.randrange(1 << 30)) for _ in range(WORKERS)}
    killed, until = 0, 0
    while living:
        time.sleep(chance.random() * LATER_S)
        if killed < int(kills) and Path(ledger).stat().st_size >= until:
            until = Path(ledger).stat().st_size + chance.randrange(KILL_EVERY)
            os.kill(chance.choice(sorted(living)), signal.SIGKILL)  # a zombie takes no harm
        for pid in list(living):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                continue
            living.remove(pid)
            if os.WIFSIGNALED(status):
                killed += 1
                living.add(start(model, chance.randrange(1 << 30)))
            elif os.WEXITSTATUS(status) != DONE:
                sys.exit(f"a worker ended with {os.WEXITSTATUS(status)}")
    return killed


if __name__ == "__main__":
    print(main(*sys.argv[1:]))  # noqa: T201
