"""The sections `bulk` and `million` of size.py: what it takes to build a graph in bulk, compared with loading it."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import psutil

SIZE = Path(__file__).resolve().with_name("size.py")
ROOT = Path(os.environ.get("KG_BENCHMARK_ROOT", SIZE.parents[1]))  # whose code is measured
GRAPH = "size"
KEPT = ("KG_CACHE", "KG_DB_HEAP_MB", "KG_DB_PAGECACHE_MB", "KG_DB_START_TIMEOUT_S")
SAMPLE_S, DISK_EVERY = 0.5, 10
MEMORY = ("ours", "importer", "server")
DISK = ("work", "store")
PLAIN = ("--vectors", "none", "--no-analytics")
LOAD = """
import sys
from kg_neo4j import LoadOptions, Settings, load
settings = Settings().model_copy(update={"graph": sys.argv[1]})
report = load([sys.argv[2]], settings=settings, options=LoadOptions(analytics=False, vectors=False))
print(report.documents)
"""
ASK = """
import json, sys, time
from kg_neo4j import Settings, ask
settings = Settings().model_copy(update={"graph": sys.argv[1]})
taken = []
for question in sys.argv[2:]:
    started = time.perf_counter()
    answer = ask(question, settings=settings, mode="local")
    taken.append([time.perf_counter() - started, bool(answer.citations)])
print(json.dumps(taken))
"""


@dataclass
class Taken:
    """What one way took for so many documents: seconds by stage, MB."""

    documents: int
    seconds: dict[str, float] = field(default_factory=dict)
    peak_mb: dict[str, float] = field(default_factory=lambda: dict.fromkeys((*MEMORY, *DISK), 0.0))
    stage_mb: dict[str, tuple[float, float]] = field(default_factory=dict)  # memory of ours, and disk after it

    @property
    def ms(self) -> float:
        """Milliseconds a document."""
        return sum(self.seconds.values()) * 1_000 / self.documents


class Home:
    """A managed server of a benchmark's own, without a store at first."""

    def __init__(self, root: Path, place: Path) -> None:
        self.root, self.place = root, place
        ours = {name: os.environ[name] for name in KEPT if name in os.environ}
        kept = {name: said for name, said in os.environ.items() if not name.startswith(("KG_", "NEO4J_", "OPENAI_"))}
        ours |= {"KG_HOME": str(place), "KG_DB_BOLT_PORT": "0", "KG_DB_HTTP_PORT": "0", "PYTHONPATH": str(root / "src")}
        self.environment = {**kept, **ours, "KG_BENCHMARK_ROOT": str(root)}

    def run(self, *arguments: str | Path) -> tuple[str, float]:
        """Run Python with the code of `root`; return what it printed and its seconds. SystemExit where it fails."""
        started = time.perf_counter()
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{command[1:]} in {self.root} ended with {done.returncode}: {done.stdout[-2_000:]}")
        return done.stdout, time.perf_counter() - started

    def kg(self, *arguments: str | Path) -> tuple[str, float]:
        """Run `kg`."""
        return self.run("-m", "kg_neo4j", *arguments)


class Watch:
    """Looks now and then at the memory of all processes of one home, and at its disk."""

    def __init__(self, home: Home, work: Path, taken: Taken) -> None:
        self._home, self._work, self._taken = str(home.place), work, taken
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._note({"store": sum(folder_mb(data) for data in Path(self._home).glob("*/data"))})

    def _sample(self) -> None:
        for number in itertools.count():
            sizes: defaultdict[str, float] = defaultdict(float)
            ours = {child.pid for child in psutil.Process().children(recursive=True)}
            for process in psutil.process_iter(["pid", "cmdline", "memory_info"]):
                command, memory = " ".join(process.info["cmdline"] or ()), process.info["memory_info"]
                is_java = self._home in command and "-Xmx" in command
                if memory is not None and (is_java or process.info["pid"] in ours):
                    kind = "ours" if not is_java else "importer" if "AdminTool" in command else "server"
                    sizes[kind] += memory.rss / 1e6
            if number % DISK_EVERY == 0:
                sizes["work"] = folder_mb(self._work)
            self._note(sizes)
            if self._stop.wait(SAMPLE_S):
                return

    def _note(self, sizes: dict[str, float]) -> None:
        peak = self._taken.peak_mb
        peak.update({name: max(size, peak[name]) for name, size in sizes.items()})


def folder_mb(folder: Path) -> float:
    """Return the MB that a folder takes on disk; files may go meanwhile."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                size += Path(place, name).lstat().st_blocks * 512
    return size / 1e6


@contextlib.contextmanager
def new_home(root: Path = ROOT) -> Iterator[Home]:
    """Yield a home without a store; its server is stopped in the end."""
    with tempfile.TemporaryDirectory(prefix="size-home-") as place:
        home = Home(root, Path(place))
        try:
            yield home
        finally:
            home.kg("db", "stop")


# ------------------------------------------------------------------------------------------------------ the two ways


def build(home: Home, folder: Path, count: int, *flags: str) -> Taken:
    """Build in bulk."""
    taken = Taken(count)
    with Watch(home, folder / f".build-{GRAPH}", taken):
        said, whole = home.kg("build", folder, "--bulk", "--graph", GRAPH, "--json", *flags)
    report = json.loads(said)
    if report["documents"] != count:
        raise SystemExit(f"{report['documents']} documents were built of {count}")
    for each in report["stages"]:
        taken.seconds[each["stage"]] = each["seconds"]
        taken.stage_mb[each["stage"]] = each["peak_mb"], each["disk_mb"]
    taken.seconds["rest"] = whole - sum(taken.seconds.values())
    return taken


def load(home: Home, folder: Path, count: int) -> Taken:
    """Load into an empty graph of a server that runs."""
    taken = Taken(count)
    home.kg("db", "start")
    with Watch(home, folder, taken):
        said, taken.seconds["load"] = home.run("-c", LOAD, GRAPH, folder)
    if int(said) != count:
        raise SystemExit(f"{said} documents were loaded of {count}")
    return taken


def export(home: Home, target: Path, taken: Taken) -> str:
    """Export the graph and return the hash of the file."""
    _, taken.seconds["export"] = home.kg("export", target, "--graph", GRAPH)
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# ------------------------------------------------------------------------------------------------------ the sections


def compare_ways(options: argparse.Namespace, base: Path) -> None:
    """Print what building and loading take, and whether both give one graph."""
    many, few, given = options.documents, options.load, options.shards
    with tempfile.TemporaryDirectory(prefix="size-") as name:
        place = Path(name)
        large, small, old = shards(place / "large", many, given), shards(place / "small", few, given), place / "old"
        Home(base, place).run(SIZE, "documents", old, "--count", str(few))
        ways = {
            f"bulk, {many:,}": (build, ROOT, large, many),
            f"bulk, {few:,}": (build, ROOT, small, few),
            f"load, {few:,}": (load, ROOT, small, few),
            f"load of {options.base}, {few:,}": (load, base, old, few),
        }
        rounds: dict[str, list[Taken]] = {way: [] for way in ways}
        for _ in range(options.rounds):
            hashes: list[str] = []
            for number, (way, (measure, root, folder, count)) in enumerate(ways.items()):
                with new_home(root) as home:
                    taken = measure(home, folder, count, *(PLAIN if measure is build else ()))
                    hashes.append(export(home, place / f"{number}.jsonl", taken))
                rounds[way].append(taken)
                print(f"{way}: {taken.ms:.2f} ms a document", file=sys.stderr, flush=True)
            differing = difference(place / "1.jsonl", place / "2.jsonl") if hashes[1] != hashes[2] else ""
            if differing:
                break
    print("\n".join(table(rounds)))
    if differing:
        raise SystemExit(f"the exports differ:\n{differing}")
    print(f"built and loaded, {few:,} documents give the same export")


def shards(folder: Path, count: int, given: Path | None) -> Path:
    """Return a folder with the files of so many documents: links to those of `given`, else new ones."""
    import documents

    if given is None:
        documents.Shards().write(folder, 0, count)
        return folder
    folder.mkdir()
    wanted = [f"{first:08}" for first in range(0, count, documents.IN_A_FILE)]
    for path in (documents.exchange.file_of(given, name).absolute() for name in wanted):
        (folder / path.name).symlink_to(path)
    return folder


def difference(one: Path, other: Path) -> str:
    """Return the first lines that differ."""
    with one.open() as mine, other.open() as theirs:
        pairs = itertools.zip_longest(mine, theirs, fillvalue="nothing\n")
        return next("{}{}".format(*pair) for pair in pairs if pair[0] != pair[1])


def table(rounds: dict[str, list[Taken]]) -> Iterator[str]:
    """Yield the lines of the table of both ways: medians over the rounds."""
    stages = list(dict.fromkeys(stage for each in rounds.values() for stage in each[0].seconds))
    yield f"{'ms a document':28}" + "".join(f"{stage:>12}" for stage in (*stages, "whole"))
    whole = []
    for name, each in rounds.items():
        cells = [median(one.seconds.get(stage, 0.0) * 1_000 / one.documents for one in each) for stage in stages]
        whole.append(median(one.ms for one in each))
        yield f"{name:28}" + "".join(f"{cell:12.2f}" if cell else f"{'':12}" for cell in (*cells, whole[-1]))
    yield f"\n{'MB at most':28}" + "".join(f"{kind:>12}" for kind in (*MEMORY, *DISK))
    for name, each in rounds.items():
        cells = [median(one.peak_mb[kind] for one in each) for kind in (*MEMORY, *DISK)]
        yield f"{name:28}" + "".join(f"{cell:12,.0f}" for cell in cells)
    bulk, _, load, base = rounds
    yield f"\n{bulk} is {whole[2] / whole[0]:.1f} times as fast as {load}, {whole[3] / whole[0]:.1f} times as {base}"


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def measure_million(options: argparse.Namespace) -> None:
    """Print what a whole build takes, with vectors of chunks and communities, at both sizes; then two questions."""
    import documents

    found: list[Taken] = []
    asked: list[list[tuple[float, bool]]] = []
    people = [documents.entity(number).name for number in (0, 13)]
    questions = [f"Whom did {name} teach?" for name in people]
    with tempfile.TemporaryDirectory(prefix="size-") as name:
        for count in (options.documents // 10, options.documents):
            folder = shards(Path(name) / str(count), count, options.shards)
            with new_home() as home:
                found.append(build(home, folder, count, "--vectors", "chunks"))
                said, _ = home.run("-c", ASK, GRAPH, *questions)
            asked.append(json.loads(said))
            print(f"{count:,} documents: {found[-1].ms:.2f} ms each", file=sys.stderr, flush=True)
    print("\n".join(growth(*found)))
    for taken, answers in zip(found, asked, strict=True):
        for which, (seconds, known) in zip(("first", "second"), answers, strict=True):
            said = "passages found" if known else "none found"
            print(f"the {which} question in local, {taken.documents:,} documents: {seconds:.2f} s, {said}")


def growth(tenth: Taken, whole: Taken) -> Iterator[str]:
    """Yield a line for each stage: seconds and peak memory of both sizes, disk, and the ratios."""
    yield f"{'':28}{tenth.documents:>20,}{whole.documents:>20,}{'times':>22}"
    yield f"{'':28}" + f"{'seconds':>10}{'MB':>10}" * 2 + f"{'a document':>12}{'MB':>10}{'disk MB':>10}"

    def line(name: str, stages: Sequence[str]) -> str:
        seconds = [sum(one.seconds.get(stage, 0.0) for stage in stages) for one in (tenth, whole)]
        noted = [[one.stage_mb[stage] for stage in stages if stage in one.stage_mb] for one in (tenth, whole)]
        peaks = [max((memory for memory, _ in each), default=0.0) for each in noted]
        disk = max((mb for _, mb in noted[1]), default=0.0)
        ratio = (seconds[1] / whole.documents) / (seconds[0] / tenth.documents) if seconds[0] else 0.0
        memory = peaks[1] / peaks[0] if peaks[0] else 0.0
        both = "".join(f"{a:10.1f}{b:10,.0f}" for a, b in zip(seconds, peaks, strict=True))
        return f"{name:28}{both}{ratio:12.2f}{memory:10.2f}{disk:10,.0f}"

    for stage in whole.seconds:
        yield line(stage, [stage])
    yield line("whole, without communities", [stage for stage in whole.seconds if stage != "communities"])
    for kind in (*MEMORY, *DISK):
        before, after = tenth.peak_mb[kind], whole.peak_mb[kind]
        yield f"{kind + ', at most':28}{before:20,.0f}{after:20,.0f}{'':12}{after / max(before, 1):10.2f}"
