"""A process that runs `kg` commands in children of its own, and kills them, kill -9, at a chosen step.

    with CrashPoints() as runner:
        run = runner.run(["load", "a.txt"], environment)                   run.steps: where it could have been killed
        run = runner.run(["load", "a.txt"], environment, kill_at=Step("answered", 3))       run.killed

Starting Python costs more than a small load, so the program imports once and forks for each command. Steps are: an
answer of the model came, it was read, and in every write transaction: before each query, before the commit, after it.
Nothing in the product knows of them: the program wraps its functions in the child.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

ANSWERED, READ, COMMIT, COMMITTED = "answered", "read", "before commit of ", "after commit of "
_EVERYWHERE = "write/hold_lease"  # does not tell one transaction from another


@dataclass(frozen=True)
class Step:
    """The so-manieth step of a name, from 0: threads mix steps of different names in another order each time."""

    name: str
    number: int

    def __str__(self) -> str:
        return f"{self.name} #{self.number}"


@dataclass(frozen=True)
class Run:
    """What became of one command."""

    killed: bool
    exit_code: int
    steps: tuple[Step, ...]  # in order; of a killed run, the last one is where
    output: str


class CrashPoints:
    """The runner as a test sees it. Use as a context manager."""

    def __enter__(self) -> CrashPoints:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", str(Path(__file__).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate("")

    def run(self, arguments: Sequence[str], environment: Mapping[str, str], *, kill_at: Step | None = None) -> Run:
        """Run one command to its end, or until it is at the step `kill_at`."""
        assert self._process.stdin
        assert self._process.stdout
        place = [kill_at.name, kill_at.number] if kill_at else None
        asked = {"arguments": list(arguments), "environment": dict(environment), "kill_at": place}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        said = json.loads(self._process.stdout.readline())
        counts: Counter[str] = Counter()
        steps = []
        for name in said["steps"]:
            steps.append(Step(name, counts[name]))
            counts[name] += 1
        return Run(said["killed"], said["exit_code"], tuple(steps), said["output"])


# ------------------------------------------------------------------------------------------------- in the program


class _Steps:
    """Counts the steps of this process; kills it at one of them."""

    def __init__(self, out: int, kill_at: tuple[str, int] | None) -> None:
        self._out, self._kill_at = out, kill_at
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, name: str) -> None:
        with self._lock:
            os.write(self._out, f"{name}\n".encode())
            if (name, self._counts[name]) == self._kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            self._counts[name] += 1


def _wrap(steps: _Steps) -> None:
    from kg_neo4j._models.openai_chat import OpenAIChat
    from kg_neo4j.extract import reading
    from kg_neo4j.graph import documents, importing
    from kg_neo4j.graph.database import Database, Transaction
    from kg_neo4j.pipeline import run as pipeline_run

    pipeline_run.BATCH_ROWS = 1  # each chunk has a transaction of its own, so that small texts have many steps
    documents.READING_S = 60.0  # documents are put together in the same way on a busy machine
    importing.LINES_A_WRITE = 10  # likewise for small files
    complete, write, run = OpenAIChat.complete, Database.write_transaction, Transaction.run
    extraction = reading.Rounds.extraction
    local = threading.local()

    def stepped_complete(*given: Any, **named: Any) -> Any:
        answer = complete(*given, **named)
        steps.take(ANSWERED)
        return answer

    def stepped_extraction(rounds: Any) -> Any:
        read = extraction(rounds)
        steps.take(READ)
        return read

    def stepped_run(transaction: Any, query: Any, /, **params: Any) -> Any:
        if getattr(local, "name", None) is not None:
            steps.take(query.name)
            local.name = local.name if query.name == _EVERYWHERE else query.name
        return run(transaction, query, **params)

    def stepped_write(database: Any, work: Callable[[Any], Any]) -> Any:
        def stepped_work(transaction: Any) -> Any:
            local.name = ""
            try:
                done = work(transaction)
                steps.take(COMMIT + local.name)
            finally:
                local.last, local.name = local.name, None
            return done

        result = write(database, stepped_work)
        steps.take(COMMITTED + local.last)
        return result

    for owner, name, stepped in (
        (OpenAIChat, "complete", stepped_complete),
        (reading.Rounds, "extraction", stepped_extraction),
        (Transaction, "run", stepped_run),
        (Database, "write_transaction", stepped_write),
    ):
        setattr(owner, name, stepped)


def _child(asked: Mapping[str, Any], steps_out: int, output: int) -> None:
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = ["kg", *asked["arguments"]]
    _wrap(_Steps(steps_out, tuple(asked["kill_at"]) if asked["kill_at"] else None))
    from kg_neo4j._cli.app import main

    main()


def _serve(asked: Mapping[str, Any]) -> dict[str, object]:
    steps_in, steps_out = os.pipe()
    output_in, output_out = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            _child(asked, steps_out, output_out)
        except SystemExit as done:
            code = done.code if isinstance(done.code, int) else 0
        except BaseException as error:  # noqa: BLE001 (the end of a process)
            sys.excepthook(type(error), error, error.__traceback__)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    for end in (steps_out, output_out):
        os.close(end)
    found: dict[int, bytes] = {}
    readers = [threading.Thread(target=lambda end=end: found.update({end: _all(end)})) for end in (steps_in, output_in)]
    for reader in readers:
        reader.start()
    _, status = os.waitpid(pid, 0)
    for reader in readers:
        reader.join()
    code = os.waitstatus_to_exitcode(status)
    steps = found[steps_in].decode().splitlines()
    return {"killed": code == -signal.SIGKILL, "exit_code": code, "steps": steps, "output": found[output_in].decode()}


def _all(end: int) -> bytes:
    with os.fdopen(end, "rb") as file:
        return file.read()


_IMPORTS = (
    *("neo4j", "openai", "numpy", "graphdatascience", "sklearn.mixture", "kg_neo4j._cli.app"),
    *("kg_neo4j.pipeline.commands.load", "kg_neo4j.pipeline.commands.tree"),
)
_MODELS = ("embedder.static_embedding", "networks.relation_model", "networks.trained")  # each has `load`, which keeps


def main() -> None:
    """Import what commands need and read the built-in models, then serve requests until the input ends."""
    for module in _IMPORTS:
        import_module(module)
    for module in _MODELS:
        import_module(f"kg_neo4j_offline.{module}").load()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_serve(cast("dict[str, Any]", json.loads(line)))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
