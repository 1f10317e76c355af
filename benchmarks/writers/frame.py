"""What every writer's process does: read its job, build what its API wants, wait for the word, write, say how long.

The job is one line of JSON on standard input; the answers are lines of JSON on standard output. The interpreter and
the packages differ by writer, so this module imports nothing but the standard library.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """What to write, and where."""

    uri: str
    username: str
    password: str
    chunks: int  # of corpus.chunk_rows
    batch: int  # rows a batch; 0: the writer's own default
    source: bool  # write the chunks, and which nodes they speak of, too


def serve(prepare: Callable[[Job], Callable[[], str]]) -> None:
    """Run one writer.

    `prepare` builds the objects, connects, creates the constraints that the writer wants, and returns the call to be
    timed. That call returns a line about what it did.
    """
    job = Job(**json.loads(sys.stdin.readline()))
    write = prepare(job)
    gc.collect()
    _say({"ready": True})
    sys.stdin.readline()
    cpu, clock = time.process_time(), time.perf_counter()
    note = write()
    seconds, cpu_seconds = time.perf_counter() - clock, time.process_time() - cpu
    _say({"seconds": seconds, "client_cpu": cpu_seconds, "note": note})


def _say(message: dict[str, object]) -> None:
    print(json.dumps(message), flush=True)
