"""How fast is the graph writer, beside others? The same extraction result, one real Neo4j, one round after another.

    make bench          or          python benchmarks/load.py [--rounds 3] [--json]

What is written. 22,000 nodes and 107,600 relationships that 2,000 chunks gave (corpus.py), with the same columns for
everybody. "rows" are nodes and relationships together.

- kg-neo4j writes its whole data model: document, chunks, the answers word for word, entities, relationships and the
  facts beside them, evidence with quote and place for every row, under a lease; then it settles.
- kg-neo4j again: the same once more, every extraction handed to the writer. It must change nothing.
- kg-neo4j, lean rows: the same with the rows of the default schema, which name sentences and describe nothing.
- CREATE batches: the driver alone, nodes and relationships only. A floor, not a rival.
- neo4j-graphrag: its Neo4jWriter, with the chunks that its pipeline adds by default, and without them; each with its
  own batch size (1,000) and with 5,000. Its better batch size counts.
- langchain-neo4j: add_graph_documents with baseEntityLabel, with and without its chunks (include_source).

How it is measured. Each writer runs in a process and an environment of its own, all with the same driver and its Rust
extension. What is timed is writing alone: objects are built, the driver is connected, constraints and indexes stand
before. Before each run the database is emptied, also of constraints and indexes, which each writer makes for itself.
After each run the nodes, relationships and chunks in the database are counted; a wrong count ends the benchmark. The
order of the writers rotates by round. Before the first round each writer runs once without being counted, which warms
the server up.

How to read it. Times differ between machines and between days: believe the ratios of one run, and look at their range
over the rounds. "CPU" is what the writer's process and the server used, in seconds, medians: less noisy than the clock
on a busy machine, but it does not see that our writer works while the server does. "met" says whether a ratio is what
we ask of ourselves; missing it is no error (exit code 0).

The first start makes the environments under out/bench (minutes, several hundred MB). It needs about 4 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import environments  # noqa: E402 - after the path is set
import figures  # noqa: E402
import server  # noqa: E402
from writers.frame import Job  # noqa: E402

import corpus  # noqa: E402
from kg_neo4j.progress import Silent  # noqa: E402


@dataclass(frozen=True)
class Run:
    """One writer in one setting."""

    name: str
    title: str
    module: str  # of writers/
    peer: str | None = None  # whose environment; None: ours
    batch: int = 0  # 0: the writer's own
    source: bool = True
    again: bool = False  # on what the run before left
    entity: str = "Entity"
    chunk: str | None = "Chunk"


# Runs of one group stay together; groups rotate.
GROUPS: dict[str, tuple[Run, ...]] = {
    "ours": (
        Run("ours", "kg-neo4j", "ours"),
        Run("ours-again", "kg-neo4j again", "ours", again=True),
    ),
    "ours-lean": (Run("ours-lean", "kg-neo4j, lean rows", "ours_lean"),),
    "create": (Run("create", "CREATE batches", "plain", source=False, entity="Plain", chunk=None),),
    "graphrag": tuple(
        Run(
            f"graphrag{'' if source else '-bare'}{f'-{batch}' if batch else ''}",
            f"neo4j-graphrag, batches of {batch or 1_000:,}{'' if source else ', without chunks'}",
            "graphrag",
            "neo4j-graphrag",
            batch,
            source,
            entity="__Entity__",
        )
        for source in (True, False)
        for batch in (0, 5_000)
    ),
    "langchain": tuple(
        Run(
            f"langchain{'' if source else '-bare'}",
            f"langchain-neo4j{'' if source else ', without chunks'}",
            "langchain",
            "langchain-neo4j",
            source=source,
            entity="__Entity__",
            chunk="Document",
        )
        for source in (True, False)
    ),
}
TITLES = {run.name: run.title for runs in GROUPS.values() for run in runs}


class Notes(Silent):
    """Shows what fetching the server says."""

    def note(self, message: str) -> None:
        """Show it beside the results, not among them."""
        print(message, file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table or JSON."""
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that the server ends with us
    runs = {name: GROUPS[name] for name in options.only}
    peers = {run.peer for group in runs.values() for run in group if run.peer}
    pythons = {peer: environments.python_of(peer, options.cache) for peer in sorted(peers)}
    measurements: list[figures.Measurement] = []
    rows = sum(corpus.counts())
    with server.running(options.cache, Notes()) as database:
        for group in runs.values():
            _measure_group(database, group[:1], pythons, 0)
        for number in range(1, options.rounds + 1):
            for group in _rotated(list(runs.values()), number - 1):
                measurements += _measure_group(database, group, pythons, number)
            if options.log:
                _log(options.log, number, figures.table(measurements, rows, TITLES))
        version = database.version()
    if options.json:
        print(json.dumps({"neo4j": version, "rounds": options.rounds, **figures.as_json(measurements, rows)}, indent=2))
    else:
        nodes, relationships = corpus.counts()
        print(f"\n{nodes:,} nodes, {relationships:,} relationships, {corpus.CHUNKS:,} chunks; Neo4j {version}\n")
        print(figures.table(measurements, rows, TITLES))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often each writer runs (default 3)")
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS), help="which writers (default all)")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench", help="where environments are kept")
    parser.add_argument("--log", type=Path, help="append the table so far to this file after each round")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    return options


def _rotated(groups: list[tuple[Run, ...]], by: int) -> list[tuple[Run, ...]]:
    start = by % len(groups)
    return groups[start:] + groups[:start]


def _measure_group(
    database: server.PrivateServer, group: Sequence[Run], pythons: dict[str, Path], number: int
) -> list[figures.Measurement]:
    found = []
    for run in group:
        if not run.again:
            database.empty()
        measured = _measure(database, run, pythons.get(run.peer or "", Path(sys.executable)), number)
        _check(database, run)
        label = f"round {number}" if number else "warm-up"
        print(f"{label:>8}  {run.title:<50} {measured.seconds:7.2f} s", file=sys.stderr)
        found.append(measured)
    return found


def _measure(database: server.PrivateServer, run: Run, python: Path, number: int) -> figures.Measurement:
    """Start the writer, let it build, then give the word and read what it took."""
    job = Job(database.uri, server.USERNAME, database.password, corpus.CHUNKS, run.batch, run.source)
    path = [HERE] if run.peer else [HERE, HERE.parent / "src"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    with subprocess.Popen(
        [python, "-m", f"writers.{run.module}"],
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
            raise SystemExit(f"{run.title} failed before it wrote")
        server_cpu = database.cpu_seconds()
        process.stdin.write("go\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        server_cpu = database.cpu_seconds() - server_cpu
        if process.wait() or not answer:
            raise SystemExit(f"{run.title} failed")
    said = json.loads(answer)
    if said["note"] == "FAILURE" or (run.again and said["note"] != "0 changes"):
        raise SystemExit(f"{run.title}: {said['note']}")
    return figures.Measurement(run.name, number, said["seconds"], said["client_cpu"], server_cpu)


def _check(database: server.PrivateServer, run: Run) -> None:
    """End the benchmark where the database does not hold what was given."""
    entity = f"`{run.entity}`"
    found = [
        database.rows(f"MATCH (n:{entity}) RETURN count(n)")[0][0],
        database.rows(f"MATCH (:{entity})-[r]->(:{entity}) RETURN count(r)")[0][0],
    ]
    wanted = list(corpus.counts())
    if run.chunk:
        found.append(database.rows(f"MATCH (n:`{run.chunk}`) RETURN count(n)")[0][0])
        wanted.append(corpus.CHUNKS if run.source else 0)
    if found != wanted:
        raise SystemExit(f"{run.title}: nodes, relationships, chunks in the database are {found}, given were {wanted}")


def _log(file: Path, number: int, table: str) -> None:
    with file.open("a", encoding="utf-8") as log:
        log.write(f"== {time.strftime('%H:%M:%S')} after round {number}\n{table}\n\n")


if __name__ == "__main__":
    main()
