"""How long is the whole way from a text to a graph, beside others? The same text, one scripted model, one real Neo4j.

    python benchmarks/pipeline.py [--chunks 200 2000] [--only ours graphrag ...] [--json]

What is done. A text of numbered passages of about 1,000 tokens (passages.py), one passage a chunk. The scripted model
(chat_server.py, a process of its own) answers every request after 300 ms, each pipeline in the form that it asks for,
with the same 10 nodes and 12 relationships a passage; it serves the embeddings, too, with the same latency. 16 calls
may be in flight. Each is told to cut at the passages; kg-neo4j has no such option, a target of 1,000 tokens does it.
Every pipeline starts with empty stores and does what it does by default when a document is added:

- kg-neo4j: `load`, with no gleaning and with its default of one: evidence, vectors, communities and all, into Neo4j.
- neo4j-graphrag: SimpleKGPipeline with writer and resolver, into Neo4j; 5 calls in flight are its default, 16 its
  better setting. It has no gleaning. It embeds chunks alone, one blocking call each.
- LightRAG: files and networkx; no gleaning and one, which is its default. Its relationships have no direction, so that
  it counts fewer; so do nano-graphrag's.
- nano-graphrag: files and networkx; one gleaning is its default; reports on communities are part of it.

How it is measured. Each run is a process in an environment of its own. Imports and connections come before the clock
starts. CPU is the time of that process and its children (not of Neo4j or the model), memory its peak resident size.
"calls" are chat requests that came to the server, "embed" requests for embeddings. "bound" is calls x latency / calls
in flight: no pipeline can be faster, embedding left out. Times depend on the machine: believe ratios of one run.

Wanted of kg-neo4j: wall at most 1.25 x bound, CPU at most 15 ms a call, peak memory that does not grow from the
smallest to the largest number of chunks (at most 1.2 times).

The first start makes the environments under out/bench. tiktoken's encoding, which LightRAG and nano-graphrag cannot
start without, is taken from nano-graphrag's environment (litellm carries it). A peer that cannot be installed or that
fails is named with its error; it gets no figure.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import environments  # noqa: E402 - after the path is set
import server  # noqa: E402
from chat_server import DIMENSION  # noqa: E402
from passages import text  # noqa: E402
from pipelines.frame import Job  # noqa: E402

from kg_neo4j.progress import SILENT  # noqa: E402

WALL, CPU_MS, MEMORY = 1.25, 15.0, 1.2  # what is wanted
ENCODINGS = "nano-graphrag-*/[Ll]ib/**/litellm/litellm_core_utils/tokenizers"
WARM_UP = 16  # passages of runs that are not counted


@dataclass(frozen=True)
class Run:
    """One pipeline in one setting."""

    title: str
    module: str  # of pipelines/
    path: str  # of the scripted model
    peer: str | None = None  # whose environment; None: ours
    gleanings: int = 0
    at_once: int = 0  # 0: as many as the others


RUNS: dict[str, Run] = {
    "ours": Run("kg-neo4j, no gleaning", "ours", "ours"),
    "ours-glean": Run("kg-neo4j, one gleaning (default)", "ours", "ours", gleanings=1),
    "graphrag": Run(
        "neo4j-graphrag, 5 at once (default)", "neo4j_graphrag", "neo4j-graphrag", "neo4j-graphrag-openai", at_once=5
    ),
    "graphrag-16": Run("neo4j-graphrag", "neo4j_graphrag", "neo4j-graphrag", "neo4j-graphrag-openai"),
    "lightrag": Run("LightRAG, no gleaning", "lightrag_files", "lightrag", "lightrag"),
    "lightrag-glean": Run("LightRAG, one gleaning (default)", "lightrag_files", "lightrag", "lightrag", gleanings=1),
    "nano": Run("nano-graphrag, no gleaning", "nano_graphrag", "nano-graphrag", "nano-graphrag"),
    "nano-glean": Run(
        "nano-graphrag, one gleaning (default)", "nano_graphrag", "nano-graphrag", "nano-graphrag", gleanings=1
    ),
}


@dataclass(frozen=True)
class Measurement:
    """One run."""

    run: str
    chunks: int
    seconds: float
    cpu: float  # seconds of the client
    start_mb: float  # resident, before the clock started
    peak_mb: float
    calls: int  # chat
    embeddings: int  # requests
    nodes: int
    relationships: int
    bound: float  # seconds: calls x latency / calls in flight
    stages: dict[str, tuple[float, float]]  # of ours: seconds and CPU seconds of each

    @property
    def cpu_ms(self) -> float:
        """CPU a chat call, in milliseconds."""
        return 1000 * self.cpu / max(self.calls, 1)


class Model:
    """The scripted model, running."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"

    def url(self, path: str) -> str:
        """Return the base URL that answers in one pipeline's form."""
        return f"{self.address}/{path}/v1"

    def counts(self) -> dict[str, int]:
        """Return how many requests of each kind came since `forget`."""
        with urllib.request.urlopen(f"{self.address}/counts") as answer:
            return dict(json.load(answer))

    def forget(self) -> None:
        """Start counting anew."""
        urllib.request.urlopen(f"{self.address}/forget").close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table or JSON."""
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that the servers end with us
    missing: dict[str, str] = {}
    pythons = _pythons(options, missing)
    measurements: list[Measurement] = []
    with server.running(options.cache, SILENT) as database:
        with scripted_model(WARM_UP, 0.0) as model, _text(WARM_UP, options.cache) as file:
            for name in {RUNS[each].module: each for each in options.only}.values():  # Neo4j, and compilers at run time
                _measure(database, model, file, WARM_UP, name, options, pythons, missing)
        print(HEAD, file=sys.stderr)
        for chunks in options.chunks:
            with scripted_model(chunks, options.latency) as model, _text(chunks, options.cache) as file:
                for name in options.only:
                    if chunks != options.chunks[0] and RUNS[name].peer:
                        continue  # memory beyond the first size is a question about ours
                    found = _measure(database, model, file, chunks, name, options, pythons, missing)
                    if found:
                        print(_line(found), file=sys.stderr)
                        measurements.append(found)
    if options.json:
        shown = {"measurements": [asdict(each) for each in measurements], "missing": missing}
        print(json.dumps({**shown, "wanted": _wanted(measurements)}, indent=2))
    else:
        print(_table(measurements, missing))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--chunks", type=int, nargs="+", default=[200], help="passages; peers run the first (200)")
    parser.add_argument("--latency", type=float, default=0.3, help="of the model, in seconds (0.3)")
    parser.add_argument("--at-once", type=int, default=16, help="calls in flight (16)")
    parser.add_argument("--only", nargs="+", choices=RUNS, default=list(RUNS), help="which runs (default all)")
    parser.add_argument("--profile", type=Path, help="write cProfile's statistics of our runs into this folder")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench", help="where environments are kept")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    return parser.parse_args(arguments)


def _pythons(options: argparse.Namespace, missing: dict[str, str]) -> dict[str, Path]:
    """Make the environments; one that cannot be made is noted, and its runs are left out."""
    pythons = {}
    wanted = {RUNS[name].peer for name in options.only} - {None}
    if "lightrag" in wanted:
        wanted.add("nano-graphrag")  # which brings the encodings
    for peer in sorted(map(str, wanted)):
        try:
            pythons[peer] = environments.python_of(peer, options.cache)
        except subprocess.CalledProcessError as error:
            missing[peer] = f"could not be installed: {error}"
    return pythons


def _encodings(cache: Path) -> str:
    """Return the folder with tiktoken's encodings; empty where nobody brought them."""
    found = sorted(cache.absolute().glob(ENCODINGS))
    return str(found[0]) if found else os.environ.get("TIKTOKEN_CACHE_DIR", "")


@contextlib.contextmanager
def scripted_model(chunks: int, latency: float) -> Iterator[Model]:
    """Yield the scripted model of so many passages; each answer comes after `latency` seconds."""
    job = json.dumps({"passages": chunks, "latency_s": latency})
    command = [sys.executable, str(HERE / "chat_server.py"), job]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE) as process:
        assert process.stdin
        assert process.stdout
        yield Model(int(process.stdout.readline()))
        process.stdin.close()


@contextlib.contextmanager
def _text(chunks: int, cache: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="text-", dir=cache) as folder:
        file = Path(folder) / "account.txt"
        file.write_text(text(chunks), encoding="utf-8")
        yield file


def _measure(
    database: server.PrivateServer,
    model: Model,
    file: Path,
    chunks: int,
    name: str,
    options: argparse.Namespace,
    pythons: dict[str, Path],
    missing: dict[str, str],
) -> Measurement | None:
    run = RUNS[name]
    if run.peer and run.peer not in pythons:
        return None
    database.empty()
    model.forget()
    at_once = run.at_once or options.at_once
    folder = Path(tempfile.mkdtemp(prefix="store-", dir=options.cache))
    job = Job(
        database.uri,
        server.USERNAME,
        database.password,
        model.url(run.path),
        str(file),
        chunks,
        str(folder),
        at_once,
        run.gleanings,
        DIMENSION,
    )
    try:
        said = _run(run, job, pythons, options)
    finally:
        shutil.rmtree(folder)
    if isinstance(said, str):
        missing[run.title] = said
        return None
    counts, found = model.counts(), said["counts"]
    if found["chunks"] != chunks:
        missing[run.title] = f"made {found['chunks']} chunks of {chunks} passages"
        return None
    calls = counts.get("chat", 0)
    return Measurement(
        name,
        chunks,
        said["seconds"],
        said["cpu"],
        said["start_mb"],
        said["peak_mb"],
        calls,
        counts.get("embeddings", 0),
        found["nodes"],
        found["relationships"],
        calls * options.latency / at_once,
        _differences(found.get("stages", {})),
    )


def _differences(over: dict[str, Sequence[float]]) -> dict[str, tuple[float, float]]:
    """Return what each stage took from when each was over."""
    before: Sequence[float] = (0.0, 0.0)
    stages = {}
    for name, now in over.items():
        stages[name] = (now[0] - before[0], now[1] - before[1])
        before = now
    return stages


def _run(run: Run, job: Job, pythons: dict[str, Path], options: argparse.Namespace) -> dict[str, Any] | str:
    """Start the pipeline, let it import, give the word, and return what it took, or its last line of error."""
    ours = run.peer is None
    path = [HERE, HERE.parent / "src"] if ours else [HERE]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("KG_", "NEO4J_", "OPENAI_"))},
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "TIKTOKEN_CACHE_DIR": _encodings(options.cache),
        "OPENAI_API_KEY": "none",
    }
    command = [str(sys.executable if ours else pythons[str(run.peer)])]
    if ours and options.profile:
        options.profile.mkdir(parents=True, exist_ok=True)
        command += ["-m", "cProfile", "-o", str(options.profile / f"{job.passages}-{run.gleanings}.prof")]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            [*command, "-m", f"pipelines.{run.module}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
            cwd=job.folder,
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(asdict(job)) + "\n")
        process.stdin.flush()
        ready = process.stdout.readline()
        answer = ""
        if ready:
            process.stdin.write("go\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        process.wait()
        if process.returncode or not answer:
            errors.seek(0)
            lines = errors.read().strip().splitlines()
            return "failed: " + (lines[-1] if lines else f"exit code {process.returncode}")
    return {**json.loads(answer), "start_mb": json.loads(ready)["rss_mb"]}


HEAD = (
    f"{'pipeline':<40} {'chunks':>6} {'wall s':>7} {'/ bound':>7} {'CPU s':>7} {'ms/call':>7} {'calls':>6} "
    f"{'embed':>6} {'peak MB':>8} {'start':>6} {'nodes':>6} {'rels':>6}"
)


def _line(each: Measurement) -> str:
    return (
        f"{RUNS[each.run].title:<40} {each.chunks:>6} {each.seconds:>7.2f} {each.seconds / each.bound:>7.2f} "
        f"{each.cpu:>7.2f} {each.cpu_ms:>7.1f} {each.calls:>6} {each.embeddings:>6} {each.peak_mb:>8.0f} "
        f"{each.start_mb:>6.0f} {each.nodes:>6} {each.relationships:>6}"
    )


def _table(measurements: Sequence[Measurement], missing: dict[str, str]) -> str:
    lines = [HEAD, *map(_line, measurements)]
    first = min((each.chunks for each in measurements), default=0)
    ours = next((each for each in measurements if each.run == "ours" and each.chunks == first), None)
    gleaned = next((each for each in measurements if each.run == "ours-glean" and each.chunks == first), None)
    for each in measurements:
        if each.stages:
            shown = ", ".join(f"{name} {wall:.2f} ({cpu:.2f})" for name, (wall, cpu) in each.stages.items())
            lines.append(f"  {each.run} {each.chunks}: seconds (CPU) of {shown}")
    lines += ["", "peer / ours with as many gleanings (above 1: ours is better)"]
    for each in measurements:
        same = gleaned if RUNS[each.run].gleanings else ours
        if RUNS[each.run].peer and same:
            lines.append(
                f"{RUNS[each.run].title:<40} wall {each.seconds / same.seconds:>6.2f}   CPU {each.cpu / same.cpu:>6.2f}"
                f"   CPU a call {each.cpu_ms / same.cpu_ms:>6.2f}   peak memory {each.peak_mb / same.peak_mb:>6.2f}"
            )
    lines += ["", "wanted of kg-neo4j"]
    for wanted in _wanted(measurements):
        verdict = "met" if wanted["met"] else "missed"
        lines.append(f"{wanted['name']:<58} {wanted['value']:>8.2f} {'<= ' + str(wanted['limit']):>9}  {verdict}")
    lines += [f"{name}: {why}" for name, why in missing.items()]
    return "\n".join(lines)


def _wanted(measurements: Sequence[Measurement]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []

    def add(name: str, value: float, limit: float) -> None:
        found.append({"name": name, "value": value, "limit": limit, "met": value <= limit})

    ours = [each for each in measurements if RUNS[each.run].peer is None]
    for each in ours:
        where = f"{RUNS[each.run].title}, {each.chunks} chunks"
        add(f"wall / bound: {where}", each.seconds / each.bound, WALL)
        add(f"ms of CPU a call: {where}", each.cpu_ms, CPU_MS)
    for run in dict.fromkeys(each.run for each in ours):
        sizes = sorted((each for each in ours if each.run == run), key=lambda each: each.chunks)
        if len(sizes) > 1:
            name = f"peak memory {sizes[-1].chunks} / {sizes[0].chunks} chunks: {RUNS[run].title}"
            add(name, sizes[-1].peak_mb / sizes[0].peak_mb, MEMORY)
    return found


if __name__ == "__main__":
    main()
