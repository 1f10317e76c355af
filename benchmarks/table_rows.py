"""How long do tables take, and how much memory, next to neo4j-graphrag's writer? The same nodes and relationships.

    python benchmarks/table_rows.py [--rows 10000 100000] [--rounds 3]

Ours is a whole load by a map: the files are read, each row becomes a chunk with its evidence, answers are kept, names
are compared; once without and once with vectors and communities. neo4j-graphrag's Neo4jWriter is given objects that are
built before; once without and once with a chunk for each row. It keeps no evidence, and has no update. One Neo4j, which
is emptied before each run; the order rotates; memory is the peak of the writer's process.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import environments  # noqa: E402 - after the path is set
import server  # noqa: E402
from writers.frame import Job  # noqa: E402

from kg_neo4j.progress import Silent  # noqa: E402

PEER = "neo4j-graphrag"
RUNS = {
    "kg-neo4j": ("rows_ours", False),
    "kg-neo4j, vectors and communities": ("rows_ours", True),
    "neo4j-graphrag": ("rows_graphrag", False),
    "neo4j-graphrag, chunks": ("rows_graphrag", True),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000], help="rows of people")
    parser.add_argument("--only", nargs="+", choices=RUNS, default=list(RUNS), help="which runs (default all)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each runs")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench", help="where environments are kept")
    options = parser.parse_args(arguments)
    pythons = {"rows_ours": Path(sys.executable), "rows_graphrag": environments.python_of(PEER, options.cache)}
    names = options.only
    with server.running(options.cache, Silent()) as database:
        for rows in options.rows:
            found: dict[str, list[tuple[float, float, str]]] = {name: [] for name in names}
            for number in range(options.rounds):
                for name in names[number % len(names) :] + names[: number % len(names)]:
                    database.empty()
                    found[name].append(_run(database, *RUNS[name], rows, pythons))
            print(f"{rows:,} rows, median of {options.rounds}: seconds, CPU of writer and server, peak memory")
            for name, measured in found.items():
                seconds = statistics.median(each[0] for each in measured)
                cpu = statistics.median(each[1] for each in measured)
                print(f"  {name:36} {seconds:8.1f} s {cpu:8.1f} s {measured[-1][2]:>9}", flush=True)


def _run(
    database: server.PrivateServer, module: str, source: bool, rows: int, pythons: dict[str, Path]
) -> tuple[float, float, str]:
    job = Job(database.uri, server.USERNAME, database.password, rows, 0, source)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent / "src")])}
    with subprocess.Popen(
        [pythons[module], "-m", f"writers.{module}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asdict(job)) + "\n")
        process.stdin.flush()
        if not process.stdout.readline():
            raise SystemExit(f"{module} failed before it wrote")
        before = database.cpu_seconds()
        process.stdin.write("go\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        server_cpu = database.cpu_seconds() - before
        if process.wait() or not answer:
            raise SystemExit(f"{module} failed")
    said = json.loads(answer)
    if said["note"] == "FAILURE":
        raise SystemExit(f"{module}: the writer says that it failed")
    people = int(database.rows("MATCH (n:PERSON) RETURN count(n)")[0][0])
    if people != rows:
        raise SystemExit(f"{module}: {people:,} people for {rows:,} rows")
    return said["seconds"], said["client_cpu"] + server_cpu, said["note"]


if __name__ == "__main__":
    main()
