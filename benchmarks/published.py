"""How many of the passages that a question needs are found, next to published figures?

    python benchmarks/published.py POOL [--limit N]        make bench-retrieval POOL=POOL

POOL is a folder with corpus.jsonl and questions.jsonl, a folder with one NAME_corpus.json and NAME.json as HippoRAG
published them, or FOLDER/NAME where there are several. It is loaded into a graph of its own, which stays, in the Neo4j
of your settings. Then BM25, vectors, both fused, and the modes naive and local are measured: recall@2, recall@5, and
the share of questions all of whose passages are among the first ten, with the 95 % interval of resampled questions. The
published figures are in published.toml; none of them is measured here.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from kg_neo4j import Settings  # noqa: E402 - after the path is set
from kg_neo4j._cli.terminal import progress  # noqa: E402
from kg_neo4j.errors import KgError, SourceNotFound, UsageError  # noqa: E402
from kg_neo4j.graph.report_format import Cell, Report, render  # noqa: E402
from kg_neo4j_lab.retrieval.scorecard import RetrievalCard, RetrievalOptions, score_retrieval  # noqa: E402

DEPTHS = (2, 5)
WHOLE = 10  # depth at which all that a question needs is there, or not


@dataclass(frozen=True, slots=True)
class Pool:
    """One published set: its questions and passages."""

    key: str
    name: str
    questions: int
    passages: int


@dataclass(frozen=True, slots=True)
class System:
    """What was published of one system. Recalls are in percent, by the key of a pool."""

    name: str
    recall5: Mapping[str, float]
    indexing: str  # what a chat model does while passages are indexed
    search: str  # and for one question
    embedder: str
    source: str
    checked: str
    recall2: Mapping[str, float] = field(default_factory=dict)


def read_published(file: Path = HERE / "published.toml") -> tuple[tuple[Pool, ...], tuple[System, ...]]:
    """Return the pools and the systems of a file."""
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    pools = tuple(Pool(key, **row) for key, row in rows["pools"].items())
    return pools, tuple(System(**row) for row in rows["systems"])


def files_of(pool: str) -> tuple[Path, Path]:
    """Return the files of passages and of questions. Raises SourceNotFound, and UsageError for several sets."""
    folder = Path(pool)
    if (folder / "corpus.jsonl").is_file():
        corpus, questions = folder / "corpus.jsonl", folder / "questions.jsonl"
    else:
        at, pattern = (folder, "*_corpus.json") if folder.is_dir() else (folder.parent, f"{folder.name}_corpus.json")
        listed = sorted(at.glob(pattern))
        names = [file.name.removesuffix("_corpus.json") for file in listed]
        if len(names) > 1:
            raise UsageError(f"{pool} has several sets: {', '.join(names)}", hint=f"name one: {folder / names[0]}")
        if not names:
            raise SourceNotFound(f"no corpus.jsonl and no NAME_corpus.json in {pool!r}")
        corpus, questions = listed[0], listed[0].with_name(f"{names[0]}.json")
    if not questions.is_file():
        raise SourceNotFound(f"no file {str(questions)!r}")
    return corpus, questions


def pool_of(corpus: Path, pools: Sequence[Pool]) -> Pool | None:
    """Return the published pool that a file or its folder is named after."""
    name = (corpus.resolve().parent.name if corpus.stem == "corpus" else corpus.stem).lower()
    return next((pool for pool in pools if pool.key in name), None)


def table(card: RetrievalCard, pool: Pool | None, systems: Sequence[System], model: str = "none") -> Report:
    """Return what was measured, and below it what was published for this pool. `model` extracted the graph."""
    rows: list[tuple[Cell, ...]] = []
    for way, score in card.scores.items():
        cells = [f"{100 * score.recall[k]:.1f} ({_span(score.interval[k])})" for k in DEPTHS]
        cells.append(f"{100 * score.all_gold[WHOLE]:.1f} ({_span(score.all_gold_interval[WHOLE])})")
        embedder = "none" if way == "bm25" else card.embedder
        rows.append((way, *cells, model if way == "local" else "none", "none", embedder, "measured"))
    for each in systems if pool else ():
        if pool and pool.key in each.recall5:
            recall2 = each.recall2.get(pool.key)
            cells = ["" if recall2 is None else f"{recall2:.1f}", f"{each.recall5[pool.key]:.1f}", ""]
            rows.append((each.name, *cells, each.indexing, each.search, each.embedder, each.source))
    columns = (
        "Way or system",
        "Recall@2",
        "Recall@5",
        "All gold in the top 10",
        "Model when indexing",
        "Model per question",
        "Embedder",
        "Source",
    )
    title = f"{card.asked:,} questions over {card.passages:,} passages"
    return Report("published", title, columns, tuple(rows), (comparable(card, pool),))


def comparable(card: RetrievalCard, pool: Pool | None) -> str:
    """Say whether the measured figures and the published ones are of the same questions and passages."""
    here = f"{card.asked:,} questions over {card.passages:,} passages"
    if pool is None:
        return f"No published pool is named like this one ({here}), so no published figure is shown."
    there = f"{pool.questions:,} questions over {pool.passages:,} passages"
    if (card.asked, card.passages) == (pool.questions, pool.passages):
        return f"The sizes are those of the published pool of {pool.name} ({there})."
    return (
        f"Not comparable: this is not the published pool of {pool.name}. "
        f"It has {here}; the published one has {there}. Fewer passages are easier to search."
    )


def _span(interval: tuple[float, float]) -> str:
    return "-".join(f"{100 * edge:.1f}" for edge in interval)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pool", metavar="POOL")
    parser.add_argument("--limit", type=int, help="maximum number of questions")
    options = parser.parse_args()
    pools, systems = read_published()
    try:
        corpus, questions = files_of(options.pool)
        settings = Settings()
        wanted = RetrievalOptions(depths=(*DEPTHS, WHOLE), limit=options.limit)
        with progress() as bars:
            card = score_retrieval(str(corpus), str(questions), settings=settings, options=wanted, progress=bars)
    except KgError as error:
        raise SystemExit(f"error: {error}") from error
    report = table(card, pool_of(corpus, pools), systems, "none" if settings.offline else settings.model)
    print(f"{report.title}; graph {card.graph}, {card.load.nodes:,} entities\n")
    print(render(report, "markdown"))
    print("\n".join(("", *report.notes, *card.notes)))


if __name__ == "__main__":
    main()
