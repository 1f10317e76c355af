"""What every pipeline's process does: read its job, import and connect, wait for the word, run, say what it took.

The job is one line of JSON on standard input; the answers are lines of JSON on standard output. The packages differ by
pipeline, so this module imports nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Job:
    """What to load, with which servers."""

    uri: str  # of Neo4j
    username: str
    password: str
    base_url: str  # of the scripted model
    file: str  # the text
    passages: int
    folder: str  # for whatever it keeps
    at_once: int  # calls in flight
    gleanings: int
    dimension: int  # of vectors


def serve(prepare: Callable[[Job], Callable[[], dict[str, object]]]) -> None:
    """Run one pipeline.

    `prepare` imports and connects, and returns the call to be measured. That call returns counts of what is there
    afterwards: chunks, nodes, relationships; and, where it can, when each of its stages was over.
    """
    told = os.fdopen(os.dup(1), "w")  # some pipelines print; only our lines go to standard output
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
    job = Job(**json.loads(sys.stdin.readline()))
    run = prepare(job)
    gc.collect()
    print(json.dumps({"rss_mb": _status("VmRSS")}), file=told, flush=True)
    sys.stdin.readline()
    cpu, clock = cpu_seconds(), time.perf_counter()
    counts = run()
    seconds, cpu = time.perf_counter() - clock, cpu_seconds() - cpu
    measured = {"seconds": seconds, "cpu": cpu, "peak_mb": _status("VmHWM"), "end_mb": _status("VmRSS")}
    print(json.dumps({**measured, "counts": counts}), file=told, flush=True)


def cpu_seconds() -> float:
    """Return the CPU time of this process, all its threads, and its children that have ended."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(who)
        total += used.ru_utime + used.ru_stime
    return total


def _status(name: str) -> float:
    """Return a size of this process in MB; the peak alone where there is no /proc."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) / 1024
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
