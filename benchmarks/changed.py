"""What does one changed file cost in a graph of many, beside ten such files in an empty one?

    python benchmarks/changed.py [--documents 400 4000] [--rounds 3] [--json]

Each document is a file with one passage of about 1,000 tokens (passages.py). A scripted model (chat_server.py, a
process of its own) answers at once, so that what is measured is ours and the server's. In each round ten files are
loaded into an empty graph of their own; then one file of the large graph gets the text of a new passage and is loaded
again, with communities and without: what it stated goes, and as much comes. "of ten" is the time of the changed file
divided by that of the ten files. "growth" is its time in the largest graph divided by that in the smallest.

Targets: at most 0.25 of the ten files, and a growth of at most 1.3.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import server  # noqa: E402 - after the path is set
from chat_server import DIMENSION  # noqa: E402
from passages import Passage, passages  # noqa: E402
from pipeline import scripted_model  # noqa: E402
from pipelines.ours import Stages  # noqa: E402

from kg_neo4j import LoadOptions, Settings, load  # noqa: E402
from kg_neo4j._models import tokens  # noqa: E402
from kg_neo4j.progress import SILENT  # noqa: E402

OF_TEN, GROWTH = 0.25, 1.3  # what is wanted
TEN = 10
Over = dict[str, tuple[float, float]]  # seconds and CPU seconds at the end of each stage
KINDS = {"with communities": True, "without": False}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--documents", type=int, nargs="+", default=[400, 4000], help="of the graph (400 4000)")
    parser.add_argument("--rounds", type=int, default=3, help="changed files for each size (3)")
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench", help="where the server works")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args(arguments)
    tokens.load()
    found: dict[int, dict[str, list[float]]] = {}
    stages: dict[str, Over] = {}
    with server.running(options.cache, SILENT) as database, tempfile.TemporaryDirectory() as made:
        for count in options.documents:
            database.empty()
            every = list(passages(count + len(KINDS) * options.rounds))
            with scripted_model(len(every), 0.0) as chat:
                files = _write(Path(made) / str(count), every[:count])
                others = iter(every[count:])
                where = {
                    "neo4j_uri": database.uri,
                    "neo4j_username": server.USERNAME,
                    "neo4j_password": database.password,
                    "home": Path(made) / "home",
                    "openai_base_url": chat.url("ours"),
                    "openai_api_key": "none",
                    "model": "scripted",
                    "model_window": 32_000,
                    "embedding_model": "scripted-embedding",
                    "model_concurrency": 16,
                    "answer_cache": False,
                }
                settings = Settings(**where, graph="large")
                seconds, _ = _load(files, settings, analytics=True)
                print(f"{count} documents, vectors of {DIMENSION}: loaded in {seconds:.1f} s", file=sys.stderr)
                times: dict[str, list[float]] = {"ten files": [], **{kind: [] for kind in KINDS}}
                for number in range(options.rounds):
                    own = Settings(**where, graph=f"ten{number}")
                    times["ten files"].append(_load(files[:TEN], own, analytics=True)[0])
                    for kind, analytics in KINDS.items():
                        file = files[(len(KINDS) * number + analytics) * 3 + TEN]
                        file.write_text(next(others).text, encoding="utf-8")
                        seconds, its = _load([file], settings, analytics=analytics)
                        times[kind].append(seconds)
                        stages[f"{count}, {kind}"] = its
                        print(f"{count}, {kind}: {seconds:.2f} s", _shown(its), file=sys.stderr)
                found[count] = times
    print(json.dumps({"seconds": found, "stages": stages}, indent=2) if options.json else _table(found))


def _write(folder: Path, texts: Sequence[Passage]) -> list[Path]:
    folder.mkdir()
    files = []
    for passage in texts:
        files.append(folder / f"{passage.index:05}.txt")
        files[-1].write_text(passage.text, encoding="utf-8")
    return files


def _load(files: Sequence[Path], settings: Settings, *, analytics: bool) -> tuple[float, Over]:
    stages = Stages()
    options = LoadOptions(chunk_tokens=1000, gleanings=0, analytics=analytics)
    begun = time.perf_counter()
    report = load([str(each) for each in files], settings=settings, options=options, progress=stages)
    seconds = time.perf_counter() - begun
    if report.failed_chunks or report.rows.rejected or not report.changes:
        raise SystemExit(f"failed: {report.failed_chunks[:3]} {report.rejections}")
    return seconds, stages.over


def _shown(over: Over) -> str:
    before, parts = 0.0, []
    for name, (now, _) in over.items():
        parts.append(f"{name} {now - before:.2f}")
        before = now
    return ", ".join(parts)


def _table(found: dict[int, dict[str, list[float]]]) -> str:
    lines = [f"{'documents':>9} {'ten files':>10} {'changed file':>20} {'seconds':>8} {'of ten':>7}   target {OF_TEN}"]
    middle = {count: {kind: statistics.median(each) for kind, each in times.items()} for count, times in found.items()}
    for count, times in middle.items():
        for kind in KINDS:
            ten, one = times["ten files"], times[kind]
            lines.append(f"{count:>9} {ten:>10.2f} {kind:>20} {one:>8.2f} {one / ten:>7.2f}")
    for kind in KINDS:
        growth = middle[max(middle)][kind] / middle[min(middle)][kind]
        lines.append(f"growth, {kind}: {growth:.2f}   target {GROWTH}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
