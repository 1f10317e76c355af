"""How long do many documents take, and how much memory: extracted, recorded, built in bulk; by commit and by process?

    python benchmarks/size.py words [--base c5cfcea] [--rounds 3] [TEXT ...]
    python benchmarks/size.py engines [--workers 2] [--copies 8] [--rounds 3] [TEXT ...]
    python benchmarks/size.py record [--documents 10000] [--base REV] [--rounds 1] [--json]
    python benchmarks/size.py documents FOLDER --count N [--first K]
    python benchmarks/size.py bulk [--documents 100000] [--load 4000] [--base c5cfcea] [--rounds 1] [--shards FOLDER]
    python benchmarks/size.py million [--documents 1000000] [--shards FOLDER]
    python benchmarks/size.py growth [--documents 10000 100000 1000000] [--rounds 3 3 1] --json FILE [--picture FILE]

words: one process extracts the same text as `kg extract` does, by the code of the base commit and by the code at hand
in turn. Each run is a fresh process that loads its models and reads a few sentences before the clock starts. Without
TEXT the texts of examples/ are read.

engines: `kg extract` of copies of the texts by each engine in turn, with the start of the processes. The files must be
the same.

record: what it takes to record many small documents, and where the time goes (size_record.py). Target: "record" of
files and of texts takes at most 2 ms a document.

documents: writes extractions of made documents as `kg extract` does (documents.py), after a check that the product
reads 200 answers about them in the same way. Document k is the same in any set. Several processes may write parts of
one set; let `--first` be a multiple of 250.

bulk: `kg build --bulk` and `kg export`, compared with `load` and `kg export`, of this tree and of the base. Each run
has a managed home of its own, without a store. Vectors and communities are off. A load takes a server that runs, the
build starts one. Loads may take fewer documents than the build, by a multiple of 250: what they take a document grows
with their number. Of as many documents, the exports of the build and of the load must have the same bytes. Targets: at
least twice as fast as the load, and 3 times as fast as that of c5cfcea.

million: the whole build with vectors of chunks and communities, of all documents and of a tenth of them, by stage.
Then two questions in `local`, in a new process. Targets: without communities a document takes at most 1.3 times as
long as at the tenth, our processes at most 1.5 times as much memory, and the second question under 1 s.

growth: builds of several sizes, then questions in `local`, then a load of 250 more documents; slopes with intervals,
and what the lines say of ten million documents (size_growth.py). Runs are kept in FILE; what it has is not run again.

`--shards FOLDER`: what `documents` wrote there is taken; otherwise it is written first. The work goes to TMPDIR.

The code of a base is a git worktree in a temporary folder.

How to read it. Times differ between machines and between days: believe the ratio of one run, and look at its range
over the rounds. "CPU" is what the process itself used, in words a second: less noisy than the clock on a busy machine.
All run in the environment of this Python, so the base is run with the packages of today.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("KG_BENCHMARK_ROOT", HERE.parent))  # whose code is measured
sys.path.insert(0, str(ROOT / "src"))
EXAMPLES = sorted(path for path in (HERE.parent / "examples").glob("*.md") if path.name != "README.md")
WARMING = "Ada Lovelace was born in London in 1815. In 1835 she married William King, who lived in Surrey."


@dataclass(frozen=True)
class Run:
    """What one process measured of itself."""

    words: int
    seconds: float
    cpu_s: float
    peak_mb: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the section that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    sections = parser.add_subparsers(required=True, metavar="SECTION")
    add_extracting(sections)
    add_building(sections)
    options = parser.parse_args(arguments)
    options.section(options)


def add_extracting(sections: Any) -> None:
    """Add the sections about extraction."""
    words = sections.add_parser("words", help="words a second of one process, compared with a base commit")
    engines = sections.add_parser("engines", help="one process and several, the start of each included")
    words.set_defaults(section=compare_words)
    engines.set_defaults(section=compare_engines)
    for each in (words, engines):
        each.add_argument(
            "texts", nargs="*", type=Path, default=EXAMPLES, metavar="TEXT", help="files (default examples)"
        )
        each.add_argument("--rounds", type=int, default=3, help="how often each runs (default 3)")
    words.add_argument("--base", default="c5cfcea", help="commit to compare with (default c5cfcea)")
    engines.add_argument("--copies", type=int, default=8, help="of each text (default 8)")
    engines.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    child = sections.add_parser("extract", help="one run of `words`: extract files, print the measurement as JSON")
    child.add_argument("texts", nargs="+", type=Path)
    child.set_defaults(section=lambda options: print(json.dumps(asdict(extract(options.texts)))))


def add_building(sections: Any) -> None:
    """Add the sections about graphs of made documents."""
    made = sections.add_parser("documents", help="write extractions of made documents, for `kg load` and `kg build`")
    made.add_argument("folder", type=Path)
    made.add_argument("--count", type=int, required=True)
    made.add_argument("--first", type=int, default=0, help="number of the first one (default 0)")
    made.set_defaults(section=write_documents)
    record = sections.add_parser("record", help="recording documents one by one, by stage")
    record.add_argument("--base", help="a commit to compare with")
    record.add_argument("--json", action="store_true", help="the measurements, one JSON object")
    record.set_defaults(section=record_documents)
    child = sections.add_parser("load", help="one run of `record`: load in all ways, print a line of JSON for each")
    child.add_argument("folder", type=Path)
    child.add_argument("server", type=int, help="its process")
    child.set_defaults(section=load_documents)
    bulk = sections.add_parser("bulk", help="building in bulk, compared with loading")
    bulk.add_argument("--load", type=int, default=4_000, help="documents of the loads (default 4000)")
    bulk.add_argument("--base", default="c5cfcea", help="commit to compare with (default c5cfcea)")
    bulk.set_defaults(section=compare_ways)
    million = sections.add_parser("million", help="the whole build of a million documents, and of a tenth")
    million.set_defaults(section=measure_million)
    growth = sections.add_parser("growth", help="time and memory over the number of documents, and a picture")
    growth.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="sizes")
    growth.add_argument("--rounds", type=int, nargs="+", default=[3, 3, 1], help="how often each size is built")
    growth.add_argument("--json", type=Path, required=True, help="file that keeps the runs")
    growth.add_argument("--picture", type=Path, help="an SVG to draw")
    growth.set_defaults(section=measure_growth)
    for each, count in ((record, 10_000), (child, 10_000), (bulk, 100_000), (million, 1_000_000)):
        each.add_argument("--documents", type=int, default=count, help=f"how many (default {count})")
    for each in (record, bulk):
        each.add_argument("--rounds", type=int, default=1, help="how often each runs (default 1)")
    for each in (bulk, million):
        each.add_argument("--shards", type=Path, metavar="FOLDER", help="what `documents` wrote")


def record_documents(options: argparse.Namespace) -> None:
    """Measure the loads of made documents, of this tree and of a base."""
    import size_record

    if options.base is None:
        size_record.measure(options, {"this tree": ROOT})
        return
    with worktree(options.base) as base:
        size_record.measure(options, {options.base: base, "this tree": ROOT})


def load_documents(options: argparse.Namespace) -> None:
    """Load made documents in all ways."""
    import size_record

    size_record.child(options)


def compare_ways(options: argparse.Namespace) -> None:
    """Compare building with loading."""
    import size_build

    with worktree(options.base) as base:
        size_build.compare_ways(options, base)


def measure_million(options: argparse.Namespace) -> None:
    """Measure the whole build."""
    import size_build

    size_build.measure_million(options)


def measure_growth(options: argparse.Namespace) -> None:
    """Measure builds of several sizes."""
    import size_growth

    size_growth.measure(options)


def write_documents(options: argparse.Namespace) -> None:
    """Write made documents as files of extractions, after a check that the product reads 200 of them in this way."""
    import documents

    shards = documents.Shards()
    shards.check(range(options.first, options.first + 200))
    started = time.perf_counter()
    shards.write(options.folder, options.first, options.count)
    seconds = time.perf_counter() - started
    print(f"{options.count:,} documents in {seconds:,.0f} s, {seconds * 1_000 / options.count:.2f} ms each")


def compare_words(options: argparse.Namespace) -> None:
    """Print words a second and peak memory of the base and of the present code, and their ratio."""
    runs: dict[str, list[Run]] = {options.base: [], "present": []}
    with worktree(options.base) as base:
        for _ in range(options.rounds):
            for name, folder in ((options.base, base), ("present", ROOT)):
                runs[name].append(run(folder, options.texts))
    print(f"{runs['present'][0].words:,} words, {options.rounds} rounds; medians")
    print(f"{'':10}{'words/s':>10}{'CPU':>10}{'peak MB':>10}")
    for name, each in runs.items():
        clock = statistics.median(one.words / one.seconds for one in each)
        processor = statistics.median(one.words / one.cpu_s for one in each)
        print(f"{name[:9]:10}{clock:10,.0f}{processor:10,.0f}{max(one.peak_mb for one in each):10,.0f}")
    pairs = list(zip(*runs.values(), strict=True))
    for title, ratios in (
        ("words/s", [before.seconds / after.seconds for before, after in pairs]),
        ("CPU", [before.cpu_s / after.cpu_s for before, after in pairs]),
    ):
        print(f"ratio by {title}: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def run(folder: Path, texts: Sequence[Path]) -> Run:
    """Extract texts in a fresh process with the code in `folder`, and return what it measured."""
    keys = ("KG_", "OPENAI_", "NEO4J_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(keys)}
    done = subprocess.run(
        [sys.executable, str(HERE / "size.py"), "extract", *(str(text.resolve()) for text in texts)],
        env={**environment, "KG_BENCHMARK_ROOT": str(folder)},
        cwd=folder,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return Run(**json.loads(done.stdout))


def extract(texts: Sequence[Path]) -> Run:
    """Extract texts to a temporary folder, after a few sentences that load the models."""
    import kg_neo4j
    from kg_neo4j.settings import Settings
    from kg_neo4j_scale.extract import extract

    if not Path(kg_neo4j.__file__).is_relative_to(Path.cwd()):
        sys.exit(f"{kg_neo4j.__file__} is not the code in {Path.cwd()}")
    words = sum(len(text.read_text(encoding="utf-8-sig").split()) for text in texts)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "warming.txt").write_text(WARMING, encoding="utf-8")
        extract([str(folder / "warming.txt")], to=str(folder / "warming"), settings=Settings())
        started, used = time.perf_counter(), time.process_time()
        extract([str(text) for text in texts], to=str(folder / "texts"), settings=Settings())
        seconds, cpu_s = time.perf_counter() - started, time.process_time() - used
    return Run(words, seconds, cpu_s, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def compare_engines(options: argparse.Namespace) -> None:
    """Print words a second of one process, and of one and several workers, and the ratios within each round."""
    kinds = {"local": ["--engine", "local"]}
    kinds |= {f"processes, {n}": ["--engine", "processes", "--workers", str(n)] for n in (1, options.workers)}
    runs: dict[str, list[Run]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = write_copies(options.texts, folder / "docs", options.copies)
        for number in range(options.rounds):
            for kind, arguments in kinds.items():
                runs[kind].append(timed(words, folder / "docs", folder / f"{kind}-{number}", arguments))
        trees = {kind: digests(folder / f"{kind}-0") for kind in kinds}
    print(f"{words:,} words in {len(options.texts) * options.copies} files, {options.rounds} rounds; medians")
    print(f"{'':14}{'words/s':>10}{'seconds':>10}{'MB a worker':>13}")
    for kind, each in runs.items():
        seconds = statistics.median(one.seconds for one in each)
        print(f"{kind:14}{words / seconds:10,.0f}{seconds:10.1f}{max(one.peak_mb for one in each):13,.0f}")
    last = f"processes, {options.workers}"
    for kind in ("local", "processes, 1"):
        ratios = [one.seconds / many.seconds for one, many in zip(runs[kind], runs[last], strict=True)]
        print(f"{last} against {kind}: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    print("the same files" if len({tuple(sorted(tree.items())) for tree in trees.values()}) == 1 else "OTHER FILES")


def write_copies(texts: Sequence[Path], folder: Path, copies: int) -> int:
    """Write each text several times, with a first line of its own; return the words of all."""
    folder.mkdir()
    words = 0
    for number in range(copies):
        for text in texts:
            copy = f"Copy {number}.\n\n{text.read_text(encoding='utf-8-sig')}"
            (folder / f"{text.stem}-{number}.txt").write_text(copy, encoding="utf-8")
            words += len(copy.split())
    return words


def timed(words: int, docs: Path, target: Path, arguments: Sequence[str]) -> Run:
    """Run `kg extract` as users do, start of the workers included."""
    keys = ("KG_", "OPENAI_", "NEO4J_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(keys)}
    command = [sys.executable, "-m", "kg_neo4j", "extract", str(docs), "--to", str(target), *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, env={**environment, "PYTHONPATH": str(ROOT / "src")}, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(words, seconds, used, after.ru_maxrss / 1024)


def digests(folder: Path) -> dict[str, str]:
    """Return the hash of each file."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """Yield a folder with the files of a commit, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "base"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", str(folder)], check=True)


if __name__ == "__main__":
    main()
