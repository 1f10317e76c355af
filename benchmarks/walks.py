"""What does the walk over the stored graph find, beside PageRank by GDS and beside no walk at all?

    python benchmarks/walks.py FOLDER FOLDER ... [--limit 100]

A folder holds corpus.jsonl and questions.jsonl, whose passages `kg eval retrieval` (or `make bench-retrieval`) loaded
before, into a server with GDS. Every question is asked three times, in turn: with GDS, with the walk that runs where it
is missing, and without a walk. Seconds are those of the walk alone, the median and the 95th percentile.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from unittest import mock

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from kg_neo4j import factory  # noqa: E402 - after the path is set
from kg_neo4j._models import tokens  # noqa: E402
from kg_neo4j.errors import GdsMissing  # noqa: E402
from kg_neo4j.graph import queries  # noqa: E402
from kg_neo4j.graph.connection import connect  # noqa: E402
from kg_neo4j.graph.database import Database  # noqa: E402
from kg_neo4j.progress import Silent  # noqa: E402
from kg_neo4j.retrieve import local, pagerank  # noqa: E402
from kg_neo4j.retrieve.ask import prepare  # noqa: E402
from kg_neo4j.retrieve.interface import Linked, Scope, Search  # noqa: E402
from kg_neo4j.retrieve.projection_cache import KeptProjection  # noqa: E402
from kg_neo4j.retrieve.question import read  # noqa: E402
from kg_neo4j.settings import Settings  # noqa: E402
from kg_neo4j_lab.retrieval.questions import GoldQuestion, graph_name, read_passages, read_questions  # noqa: E402
from kg_neo4j_lab.retrieval.scores import compare, interval  # noqa: E402

AT = 5
GDS, STORED, NONE = "GDS", "stored", "no walk"


class Walks:
    """Takes the place of `pagerank.spread`: walks in the way that is chosen, and keeps the times."""

    def __init__(self) -> None:
        self.way = GDS
        self.seconds: dict[str, list[float]] = {GDS: [], STORED: [], NONE: []}
        self._spread = pagerank.spread

    def __call__(
        self, database: Database, graph: str, start: Linked, chunks: list[str], scope: Scope | None
    ) -> pagerank.Reached:
        """Return what the walk reaches."""
        started = time.perf_counter()
        found = pagerank.Reached()
        if self.way == GDS:
            found = self._spread(database, graph, start, chunks, scope)
        elif self.way == STORED:
            with mock.patch.object(KeptProjection, "walk", side_effect=GdsMissing("left out")):
                found = self._spread(database, graph, start, chunks, scope)
        self.seconds[self.way].append(time.perf_counter() - started)
        return found


def measure(folder: Path, limit: int | None) -> tuple[dict[str, list[float]], Walks]:
    """Return the recall of each question by each way, and the times."""
    passages = read_passages(str(folder / "corpus.jsonl"))
    settings = Settings().model_copy(update={"graph": graph_name(passages, "")})
    embedder, tokeniser, walks = factory.embedding_model(settings), tokens.load(), Walks()
    recalls: dict[str, list[float]] = {GDS: [], STORED: [], NONE: []}
    with connect(settings, Silent()) as database, mock.patch.object(local, "spread", walks):
        rows = database.read(queries.get("retrieve/passages"), graph=settings.graph)
        numbers = {row["chunk"]: int(row["key"].partition("/")[0]) for row in rows}
        if not numbers:
            raise SystemExit(f"{folder} is not loaded: run kg eval retrieval on it first")

        def recall(asked: GoldQuestion) -> float:
            search, _ = prepare(database, Search(settings.graph, read(asked.text)), embedder, tokeniser)
            found = [numbers[each.id] for each in local.retrieve(database, search, 20).chunks if each.score > 0]
            return len(asked.gold & set(list(dict.fromkeys(found))[:AT])) / len(asked.gold)

        questions = read_questions(str(folder / "questions.jsonl"), passages)[:limit]
        recall(questions[0])  # the projection is made, and the queries are planned, before the clock starts
        walks.seconds[GDS].clear()
        for asked in questions:
            for walks.way in (GDS, STORED, NONE):
                recalls[walks.way].append(recall(asked))
    return recalls, walks


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    for folder in options.folders:
        recalls, walks = measure(folder, options.limit)
        print(f"{folder.name}, {len(recalls[GDS])} questions")
        for way, values in recalls.items():
            low, high = interval(values)
            more, times = compare(values, recalls[GDS]), walks.seconds[way]
            print(
                f"  {way:<8} recall@{AT} {100 * np.mean(values):5.1f} ({100 * low:.1f}-{100 * high:.1f}), "
                f"beyond GDS {more.points:5.1f} ({more.low:.1f} to {more.high:.1f}); "
                f"{1000 * np.percentile(times, 50):,.0f} / {1000 * np.percentile(times, 95):,.0f} ms"
            )


if __name__ == "__main__":
    main()
