"""The section `record` of size.py: what it takes to record many small documents, and where the time goes.

The documents are those of documents.py. The server is of the product's own jars and settings. Vectors and analytics are
off.

- files: the extractions are in files of `kg extract`; `load` of that folder into an empty graph.
- files again: the same folder once more, which changes nothing.
- texts: `load` of the documents themselves into an empty graph: they are cut, recorded and extracted.
- texts, other setting: the same with `rebuild` and another chunk size: each document has its answers in the graph.

What is measured. "ms" is milliseconds a document. Transactions are timed in the process that loads, and told apart by
their queries; "record" is what brings documents and chunks into the graph: the state that is read, the answers that
are there, the transaction that writes. "evidence" is what the recorder reads and writes, in a thread of its own, so
that the stages of a load overlap and their sum is above "whole". "client" and "server" are CPU time. The code of the
base is measured with this file, on the same server, which is emptied in between.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
import server
from documents import GRAPH, OPTIONS, SHARDS, Reader, Shards, document, told

from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.extract import exchange
from kg_neo4j.progress import SILENT

SIZE = Path(__file__).resolve().with_name("size.py")
OTHER = LoadOptions(analytics=False, vectors=False, rebuild=True, chunk_tokens=700)
STAGES = {  # the first stage one of whose queries a transaction has
    "evidence": ("write/finish_chunks", "write/recorded_chunks"),
    "record": (
        *("write/document_state", "write/document_states", "write/merge_document", "write/merge_documents"),
        *("write/stored_answers", "write/known_names", "write/withdraw_evidence", "write/delete_chunks"),
    ),
    "settle": ("write/unsettled_facts", "write/unsettled_entities", "write/fact_evidence", "write/entity_evidence"),
}


class Clock:
    """Adds up the time of transactions by stage."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._local = threading.local()
        self._lock = threading.Lock()

    def wrap(self) -> None:
        """Time the transactions of all connections of this process, and the reading of files of extractions."""
        from kg_neo4j.graph.database import Database, Transaction

        run, query, stream, read = Database._run, Transaction.stream, Database.stream, exchange.read

        def timed_run(database: Database, work: Callable[..., Any], **options: Any) -> Any:
            self._local.names = names = []
            with self._timed(lambda: names):
                return run(database, work, **options)

        def noted(transaction: Transaction, asked: Any, /, **params: Any) -> Any:
            self._local.names.append(asked.name)
            return query(transaction, asked, **params)

        def timed_stream(database: Database, asked: Any, /, **params: Any) -> Any:
            with self._timed(lambda: [asked.name]):
                return iter(list(stream(database, asked, **params)))

        def timed_read(path: Path) -> Any:
            with self._timed(lambda: ["read files"]):
                return list(read(path)) if SHARDS else read(path)

        Database._run, Transaction.stream, Database.stream = timed_run, noted, timed_stream  # type: ignore[method-assign, assignment]
        exchange.read = timed_read

    @contextlib.contextmanager
    def _timed(self, names: Callable[[], list[str]]) -> Iterator[None]:
        started = time.perf_counter()
        yield
        taken = time.perf_counter() - started
        found = names()
        stage = next((stage for stage, asked in STAGES.items() if set(asked) & set(found)), "rest")
        with self._lock:
            self.seconds["read files" if found == ["read files"] else stage] += taken


@dataclass(frozen=True)
class Measurement:
    """One load: milliseconds a document."""

    load: str
    whole: float
    stages: dict[str, float]
    client: float  # CPU
    server: float  # CPU


def child(options: argparse.Namespace) -> None:
    """Load in all ways, and print a line for each."""
    count, folder = options.documents, options.folder
    settings = Settings().model_copy(update={"graph": GRAPH})
    known = [told(number) for number in range(count)]
    given = [document(number, each.text) for number, each in enumerate(known)]
    read = Reader(known)
    if not folder.exists():
        Shards().write(folder, 0, count)
    clock = Clock()
    clock.wrap()
    process = psutil.Process(options.server)

    def measured(name: str, work: Callable[[], Any], changes: bool) -> None:
        clock.seconds.clear()
        cpu, started, used = process.cpu_times(), time.perf_counter(), time.process_time()
        report = work()
        whole, used, after = time.perf_counter() - started, time.process_time() - used, process.cpu_times()
        if report.documents != count or bool(report.changes) != changes or report.failed_chunks:
            raise SystemExit(f"{name}: {report}")
        ms = 1_000 / count
        stages = {stage: taken * ms for stage, taken in clock.seconds.items()}
        of_server = (after.user + after.system - cpu.user - cpu.system) * ms
        print(json.dumps(asdict(Measurement(name, whole * ms, stages, used * ms, of_server))), flush=True)
        print(f"{name}: {whole * ms:.1f} ms a document", file=sys.stderr)

    measured("files", lambda: load([str(folder)], settings=settings, options=OPTIONS), True)
    measured("files again", lambda: load([str(folder)], settings=settings, options=OPTIONS), False)
    from kg_neo4j.graph.connection import connect
    from kg_neo4j.graph.constraints import delete_graph

    with connect(settings, SILENT) as database:
        delete_graph(database, GRAPH)
    measured("texts", lambda: load(settings=settings, options=OPTIONS, documents=given, extractor=read), True)
    measured(
        "texts, other setting",
        lambda: load(settings=settings, options=OTHER, documents=given, extractor=read),
        True,
    )


def run(root: Path, count: int, folder: Path, neo4j: server.PrivateServer) -> list[Measurement]:
    """Measure the code of `root` in a process of its own."""
    neo4j.empty()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "NEO4J_", "OPENAI_"))}
    given = {
        "NEO4J_URI": neo4j.uri,
        "NEO4J_USERNAME": server.USERNAME,
        "NEO4J_PASSWORD": neo4j.password,
        "KG_BENCHMARK_ROOT": str(root),
    }
    command = [sys.executable, str(SIZE), "load", "--documents", str(count), str(folder), str(neo4j.pid)]
    done = subprocess.run(command, env={**kept, **given}, stdout=subprocess.PIPE, text=True, check=True)
    return [Measurement(**json.loads(line)) for line in done.stdout.splitlines()]


def table(found: dict[str, list[list[Measurement]]]) -> Iterator[str]:
    """Yield the lines of the table: medians over the rounds."""
    stages = ("read files", "record", "evidence", "settle", "rest")
    yield f"{'ms a document':22}{'':14}" + "".join(f"{name:>12}" for name in ("whole", *stages, "client", "server"))
    for place, name in enumerate(each.load for each in next(iter(found.values()))[0]):
        rows = {}
        for tree, rounds in found.items():
            taken = [each[place] for each in rounds]
            values = [
                (each.whole, *(each.stages.get(s, 0.0) for s in stages), each.client, each.server) for each in taken
            ]
            rows[tree] = [statistics.median(column) for column in zip(*values, strict=True)]
            yield f"{name:22}{tree:14}" + "".join(f"{value:12.2f}" for value in rows[tree])
        if len(rows) > 1:
            first, second = rows.values()
            ratios = [
                f"{old / new:12.1f}" if new >= 0.005 else f"{'':12}" for old, new in zip(first, second, strict=True)
            ]
            yield f"{'':22}{'times faster':14}" + "".join(ratios)


def measure(options: argparse.Namespace, trees: dict[str, Path]) -> None:
    """Measure each tree in turn, and print the table."""
    found: defaultdict[str, list[list[Measurement]]] = defaultdict(list)
    cache = SIZE.parents[1] / "out" / "bench"
    with tempfile.TemporaryDirectory() as place, server.running(cache, SILENT) as neo4j:
        for tree, root in trees.items():  # warms up the server, and the files of code
            run(root, 200, Path(place) / f"warm {tree}", neo4j)
        for _ in range(options.rounds):
            for tree, root in trees.items():
                found[tree].append(run(root, options.documents, Path(place) / tree, neo4j))
    if options.json:
        print(json.dumps({tree: [[asdict(each) for each in one] for one in rounds] for tree, rounds in found.items()}))
    else:
        print("\n".join(table(found)))
