"""What spans cost: loads of examples/ without a model, with and without a tracer, in turn.

    python benchmarks/tracing.py [--rounds 5]

Each load is a process of its own, on a Neo4j of its own in a temporary folder, into a graph that is deleted afterwards.
Communities are left out: they make no span. The tracer is the SDK's; it keeps all spans in memory. The first round of
each kind is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from pathlib import Path

from kg_neo4j import LoadOptions, Settings, load, tracing
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.local_server import local_neo4j
from kg_neo4j.progress import SILENT

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
KINDS = ("without a tracer", "with a tracer")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="Loads of each kind (default 5).")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(loaded(arguments.child)))
        return
    home = Path(tempfile.mkdtemp(prefix="kg-tracing-"))
    managed = Settings().model_copy(update={"home": home, "neo4j_uri": None, "db_bolt_port": 0, "db_http_port": 0})
    with local_neo4j(managed) as local:
        server = local.start()
    own = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
    try:
        found: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
        for number in range(arguments.rounds + 1):
            for kind in KINDS[:: 1 if number % 2 else -1]:
                ran = subprocess.run(
                    [sys.executable, __file__, "--child", kind],
                    env={**environment(), **own},
                    stdout=subprocess.PIPE,
                    check=True,
                )
                found[kind] += [json.loads(ran.stdout)] * bool(number)
                print(number, kind, found[kind][-1:], flush=True)
    finally:
        local.stop(force=True)
        shutil.rmtree(home, ignore_errors=True)
    print(f"{'':20}  seconds  CPU s  spans  microseconds a span   (medians of {arguments.rounds})")
    for kind, runs in found.items():
        names = ("wall", "cpu", "spans", "one")
        wall, cpu, spans, one = (statistics.median(each[name] for each in runs) for name in names)
        print(f"{kind:20} {wall:8.2f} {cpu:6.2f} {spans:6.0f} {one * 1e6:20.1f}")
    for name in ("wall", "cpu"):
        ratios = [with_[name] / without[name] for without, with_ in zip(*found.values(), strict=True)]
        least, most, middle = min(ratios), max(ratios), statistics.median(ratios)
        print(f"{name}: with / without, pair by pair: {middle:.3f} ({least:.3f} to {most:.3f})")


def loaded(kind: str) -> dict[str, float]:
    """Load the examples in this process, and return seconds, seconds of processor time, and spans."""
    exporter = None
    if kind == KINDS[1]:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        trace.set_tracer_provider(provider)
    settings = Settings(graph="tracing")
    began, cpu = time.monotonic(), used()
    load([str(EXAMPLES)], settings=settings, options=LoadOptions(analytics=False))
    done = {"wall": time.monotonic() - began, "cpu": used() - cpu}
    with connect(settings, SILENT) as database:
        delete_graph(database, settings.graph)
    return {**done, "spans": len(exporter.get_finished_spans()) if exporter else 0, "one": of_one()}


def used() -> float:
    """Return the processor time of this process, in seconds."""
    found = resource.getrusage(resource.RUSAGE_SELF)
    return found.ru_utime + found.ru_stime


def of_one() -> float:
    """Return the seconds that one span takes."""

    def one() -> None:
        with tracing.span("chunk", {"kg_neo4j.chunk": 1}) as note:
            note({"kg_neo4j.rows": 1})

    return min(timeit.repeat(one, number=1_000, repeat=20)) / 1_000


def environment() -> dict[str, str]:
    """Return the environment of a child: no model, no settings of the caller."""

    return {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "NEO4J_", "OPENAI_"))}


if __name__ == "__main__":
    main()
