"""What a ledger costs: reservations by one process and by eight, the pace, and reading the file from its beginning.

python benchmarks/ledger.py [FOLDER]        FOLDER is on the disk to be measured; the current folder by default
"""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kg_neo4j._models.budget import Budget, Cost
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.throttle import Throttle
from kg_neo4j.records import Usage
from kg_neo4j_scale.ledger import Ledger

CALLS = 800
READ = 100_000
SPAWN = multiprocessing.get_context("spawn")


def call(budget: Budget) -> None:
    with budget.reserve(lambda _: Cost(0.001, 0.001, 0.001)) as grant:
        grant.paid(Usage(1, 1, 1, 0.0005))


def timed(work: Callable[[], None], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - began))
    return taken


def reserve(path: Path, times: int, start: float, out: multiprocessing.SimpleQueue[list[float]]) -> None:
    budget = Budget(1e6, Ledger(path))
    time.sleep(max(0.0, start - time.time()))
    out.put(timed(lambda: call(budget), times))


def show(what: str, taken: list[float], calls_a_second: float) -> None:
    taken.sort()
    median, late = taken[len(taken) // 2], taken[len(taken) * 95 // 100]
    print(f"{what:32} median {median:6.2f} ms   95 % {late:6.2f} ms   {calls_a_second:6.0f} a second")


def pace(path: Path) -> list[float]:
    throttle = Throttle(Endpoint("http://127.0.0.1:9/v1", rpm=10**9, tpm=10**9, ledger=Ledger(path)))

    async def once() -> None:
        async with throttle.turn(100.0):
            await throttle.used(100, 90.0)

    with asyncio.Runner() as runner:
        return timed(lambda: runner.run(once()), CALLS)


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else ".") as folder:
        path = Path(folder) / "ledger.jsonl"
        for number in (1, 8):
            out = SPAWN.SimpleQueue()
            start = time.time() + 3 + number
            crew = [SPAWN.Process(target=reserve, args=(path, CALLS // number, start, out)) for _ in range(number)]
            for each in crew:
                each.start()
            taken = [part for _ in crew for part in out.get()]
            show(f"reserve and close, {number} process{'es' * (number > 1)}", taken, CALLS / (time.time() - start))
        taken = pace(Path(folder) / "pace.jsonl")
        show("pace and correction, 1 process", taken, CALLS * 1000 / sum(taken))
        lines = path.read_bytes()
        path.write_bytes(lines * (READ // (2 * CALLS)))
        began = time.process_time()
        with Ledger(path).opened():
            size = path.stat().st_size
        print(f"{READ} calls are {size / 1e6:.0f} MB, read in {time.process_time() - began:.1f} s of processor time")


if __name__ == "__main__":
    main()
