"""The engine of one machine: N processes that are handed shards through pipes, and replaced when they die."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe
from queue import SimpleQueue
from typing import Any, Generic

from kg_neo4j.errors import WorkerLost
from kg_neo4j_scale.engines.local import R, T, Work

DEATHS = 3  # of workers that had a task; then it is given up
FAILED_STARTS = 5  # one after the other; then the run ends


def run(work: Work[T, R], shards: Iterator[T], workers: int) -> Iterator[R]:
    """Yield the reports of shards, or other tasks, as they are finished; one whose worker dies goes to another one.

    Raises WorkerLost where no process can be started.
    """
    with contextlib.closing(_Pool(work, shards, workers)) as pool:
        yield from pool.run()


@dataclass(slots=True)
class _Process(Generic[T]):
    """A worker's process, and the shards that it has."""

    popen: subprocess.Popen[bytes]
    pipe: Connection
    listener: threading.Thread | None = None
    at_once: int = 0  # 0: it has not started yet
    shards: dict[str, T] = field(default_factory=dict)

    def end(self) -> int:
        """Kill the process, close its pipe, and return its status."""
        self.popen.kill()
        status = self.popen.wait()
        if self.listener is not None:
            self.listener.join()
        self.pipe.close()
        return status


class _Pool(Generic[T, R]):
    def __init__(self, work: Work[T, R], shards: Iterator[T], workers: int) -> None:
        self._work = work
        self._shards = shards
        self._workers = workers
        self._returned: deque[T] = deque()  # their workers died
        self._deaths: dict[str, int] = {}
        self._failed_starts = 0
        self._processes: list[_Process[T]] = []
        self._said: SimpleQueue[tuple[_Process[T], Any]] = SimpleQueue()  # None: the process has ended

    def run(self) -> Iterator[R]:
        waiting = self._next()
        while waiting is not None or any(each.shards for each in self._processes):
            while waiting is not None and len(self._processes) < self._workers:
                self._start()
            waiting = self._hand_out(waiting)
            if waiting is None and not any(each.shards for each in self._processes):
                return
            process, said = self._said.get()
            if said is None:
                yield from self._bury(process)
            elif isinstance(said, int):
                process.at_once, self._failed_starts = said, 0
            else:
                process.shards.pop(said.shard)
                yield said
            waiting = waiting or self._next()

    def close(self) -> None:
        """End the processes; each ends by itself, too, when the pipe does."""
        for each in self._processes:
            each.end()

    def _next(self) -> T | None:
        return self._returned.popleft() if self._returned else next(self._shards, None)

    def _hand_out(self, waiting: T | None) -> T | None:
        """Give shards to processes that want some; return the one that no process wants yet."""
        for process in self._processes:
            while waiting is not None and len(process.shards) < process.at_once:
                process.shards[waiting.name] = waiting
                with contextlib.suppress(ConnectionError):  # it has just died: the listener reports it
                    process.pipe.send(waiting)
                waiting = self._next()
        return waiting

    def _start(self) -> None:
        bootstrap = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import main; main()"
        ours, theirs = Pipe()
        with theirs:
            popen = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                [sys.executable, "-c", bootstrap, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        process: _Process[T] = _Process(popen, ours)
        self._processes.append(process)
        with contextlib.suppress(ConnectionError):
            ours.send(self._work)
        process.listener = threading.Thread(target=self._listen, args=(process,), name="kg-listen", daemon=True)
        process.listener.start()

    def _listen(self, process: _Process[T]) -> None:
        with contextlib.suppress(EOFError, OSError):  # it has ended
            while True:
                self._said.put((process, process.pipe.recv()))
        self._said.put((process, None))

    def _bury(self, process: _Process[T]) -> Iterator[R]:
        """Take back the shards of a process that died; report those that several processes died with."""
        status = process.end()
        self._processes.remove(process)
        if not process.at_once:
            self._failed_starts += 1
            if self._failed_starts == FAILED_STARTS:
                raise WorkerLost(
                    f"{FAILED_STARTS} processes of workers ended before they were ready, the last with status {status}",
                    hint="`--workers 1` works in this process and shows what is wrong",
                )
        for shard in process.shards.values():
            self._deaths[shard.name] = self._deaths.get(shard.name, 0) + 1
            if self._deaths[shard.name] < DEATHS:
                self._returned.append(shard)
            else:
                yield self._work.given_up(shard, f"{DEATHS} workers died with it or with a document of its shard")


def _end(error: threading.ExceptHookArgs) -> None:
    """End this process by a fault of ours, which standard error shows; the shard is tried again elsewhere."""
    sys.excepthook(error.exc_type, error.exc_value or SystemError(), error.exc_traceback)
    os._exit(1)


def main() -> None:
    """Run in a worker's process: through the pipe come the work, then shards, and reports go back."""
    pipe = Connection(int(sys.argv[1]))
    os.dup2(2, 1)  # standard output has the report of the run alone
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    work = pipe.recv()
    inbox: SimpleQueue[Any] = SimpleQueue()
    outbox = threading.Lock()
    at_once = work.at_once
    pipe.send(at_once)

    def serve() -> None:
        while True:
            shard = inbox.get()
            report = work.run(shard)
            with outbox:
                pipe.send(report)

    threading.excepthook = _end
    for _ in range(at_once):
        threading.Thread(target=serve, daemon=True).start()
    with contextlib.suppress(EOFError, ConnectionError):  # the parent has ended, in one way or another
        while True:
            inbox.put(pipe.recv())
    os._exit(0)
