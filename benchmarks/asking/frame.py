"""What every product's process does: read its job, load, ask, and print what its graph holds and what it answered.

The job is one line of JSON on standard input. The packages differ by product, so this module imports nothing but the
standard library.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

DIMENSION, MODEL, EMBEDDING_MODEL = 384, "model", "embedding"
AT_ONCE = 16  # calls in flight, where a product has an option for it; no answer depends on it
PATIENCE_S = 5_400.0  # for one answer: a person may write it


@dataclass(frozen=True)
class Job:
    """What to load and to ask, with which servers."""

    uri: str  # of Neo4j
    username: str
    password: str
    base_url: str  # of the model, and of vectors
    documents: tuple[tuple[str, str], ...]  # name, path
    questions: tuple[str, ...]
    folder: str  # for whatever it keeps


@dataclass(frozen=True)
class Row:
    """One node or relationship of a graph, as a reader of the graph sees it."""

    documents: tuple[str, ...]  # names of those that it comes from
    words: str
    type: str = ""  # of a relationship, where it has one
    is_relationship: bool = False
    evidence: int = 0  # characters of the shortest text that it points at; 0: none


@dataclass
class Said:
    """What one product made of a job."""

    job: Job
    rows: list[Row] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    loaded_cpu: float = 0.0  # CPU seconds of this process

    def add(self, words: Sequence[str | None], origins: Iterable[str], evidence: int, kind: str | None = None) -> None:
        """Add a row of `words`; `origins` have the names of its documents in them, `kind` is that of a relationship."""
        found = list(origins)
        documents = tuple(name for name, _ in self.job.documents if any(name in each for each in found))
        shown = " | ".join(" ".join(each.split()) for each in words if each)
        self.rows.append(Row(documents, shown, kind or "", kind is not None, evidence))


def serve(run: Callable[[Job, Said], None]) -> None:
    """Run one product; `run` fills in what it made, and calls `cpu_seconds` after its load."""
    told = os.fdopen(os.dup(1), "w")  # some packages print; only our line goes to standard output
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
    values = json.loads(sys.stdin.readline())
    values["documents"] = tuple(map(tuple, values["documents"]))
    said = Said(Job(**values))
    began = cpu_seconds()
    run(said.job, said)
    shown = {"rows": list(map(asdict, said.rows)), "answers": said.answers}
    shown |= {"loaded_cpu": said.loaded_cpu - began, "cpu": cpu_seconds() - began}
    print(json.dumps(shown), file=told, flush=True)


def cpu_seconds() -> float:
    """Return the CPU time of this process, all its threads, and its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
