"""Which weights does the last ranking of the mode `local` want, and what do they give on questions that took no part?

    python benchmarks/ranking.py FOLDER FOLDER ...

A folder holds corpus.jsonl and questions.jsonl, whose passages `kg eval retrieval` (or `make bench-retrieval`) loaded
before. For each set the weights are learned on all others, as many questions of each, and recall@5 is measured on the
set itself: with the first walk and flat search alone, with the weights of the others, and with those that ship. Then
the weights learned on all sets are printed. Where the second walk begins is not learned but given: --begin.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from scipy.optimize import minimize  # noqa: E402 - after the path is set

from kg_neo4j import factory  # noqa: E402
from kg_neo4j._models import tokens  # noqa: E402
from kg_neo4j.graph import queries  # noqa: E402
from kg_neo4j.graph.connection import connect  # noqa: E402
from kg_neo4j.progress import Silent  # noqa: E402
from kg_neo4j.retrieve import local, naive, ranking  # noqa: E402
from kg_neo4j.retrieve.ask import prepare  # noqa: E402
from kg_neo4j.retrieve.interface import Search  # noqa: E402
from kg_neo4j.retrieve.linking import named  # noqa: E402
from kg_neo4j.retrieve.pagerank import spread  # noqa: E402
from kg_neo4j.retrieve.question import read  # noqa: E402
from kg_neo4j.settings import Settings  # noqa: E402
from kg_neo4j_lab.retrieval.questions import graph_name, read_passages, read_questions  # noqa: E402

AT = 5
MOST = 120  # questions of one set that are learned from, so that none has the most to say
RIDGE = 0.01
RESAMPLES = 2_000


@dataclass(frozen=True)
class Asked:
    """A question's candidates, which of them are gold, and how many gold passages there are."""

    candidates: ranking.Candidates
    worded: Sequence[str]  # the best finds by words
    gold: np.ndarray
    wanted: int

    def signs(self, begin: float) -> np.ndarray:
        """Return walk, nearness, second walk and place by words of each candidate, shape (candidates, 4)."""
        return np.array(ranking.signs_of(self.candidates, self.worded, begin)).T

    def recall(self, scores: np.ndarray) -> float:
        """Return the share of gold passages among the best of `scores`."""
        return float(self.gold[np.argsort(-scores, kind="stable")[:AT]].sum()) / self.wanted


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--begin", type=float, default=ranking.WEIGHTS.begin)
    options = parser.parse_args()
    sets = {folder.name: questions(folder) for folder in options.folders}
    shipped = ranking.WEIGHTS
    print(f"{'recall@5, %':<16} {'questions':>9} {'first':>6} {'others':>6} {'gained, 95 %':>20} {'shipped':>8}")
    for name, asked in sets.items():
        others = [some(each) for other, each in sets.items() if other != name]
        weights = learn([each for one in others for each in one], options.begin) if others else np.zeros(4)
        first = np.array([each.recall(np.array(each.candidates.walk)) for each in asked])
        unseen = np.array([each.recall(each.signs(options.begin) @ weights) for each in asked])
        ours = np.array([each.recall(np.array(ranking.weigh(each.candidates, each.worded, shipped))) for each in asked])
        low, high = interval(unseen - first)
        print(
            f"{name:<16} {len(asked):>9} {100 * first.mean():>6.1f} {100 * unseen.mean():>6.1f} "
            f"{100 * (unseen - first).mean():>6.1f} ({low:.1f} to {high:.1f}) {100 * ours.mean():>8.1f}"
        )
    every = learn([each for asked in sets.values() for each in some(asked)], options.begin)
    print("learned on all: walk {:.2f}, near {:.2f}, again {:.2f}, words {:.2f}".format(*every))


def questions(folder: Path) -> list[Asked]:
    """Return what the mode `local` has before its last ranking, for each question of a folder."""
    passages = read_passages(str(folder / "corpus.jsonl"))
    settings = Settings().model_copy(update={"graph": graph_name(passages, "")})
    embedder, tokeniser = factory.embedding_model(settings), tokens.load()
    found = []
    with connect(settings, Silent()) as database:
        rows = database.read(queries.get("retrieve/passages"), graph=settings.graph)
        numbers = {row["chunk"]: int(row["key"].partition("/")[0]) for row in rows}
        if not numbers:
            raise SystemExit(f"{folder} is not loaded: run kg eval retrieval on it first")
        for each in read_questions(str(folder / "questions.jsonl"), passages):
            search, _ = prepare(database, Search(settings.graph, read(each.text)), embedder, tokeniser)
            linked = named(database, search)
            best = naive.retrieve(database, search, local.FLAT)
            flat = [chunk.id for chunk in best.chunks]
            reached = spread(database, settings.graph, linked, () if linked else flat[: local.FIRST])
            candidates = ranking.compare(database, search, reached.chunks, flat)
            gold = np.array([numbers[chunk] in each.gold for chunk in candidates.ids], float)
            found.append(Asked(candidates, best.worded, gold, len(each.gold)))
    return found


def some(asked: Sequence[Asked]) -> list[Asked]:
    """Return at most `MOST` of them, the same ones each time."""
    return [asked[place] for place in np.random.default_rng(0).permutation(len(asked))[:MOST]]


def learn(asked: Sequence[Asked], begin: float) -> np.ndarray:
    """Return the weights under which gold passages are likeliest to be drawn, each by its score's exponential."""
    known = [(each.signs(begin), each.gold / each.gold.sum()) for each in asked if each.gold.any()]
    width = np.concatenate([signs for signs, _ in known]).std(0)

    def loss(weights: np.ndarray) -> float:
        total = RIDGE * float(weights @ weights)
        for signs, share in known:
            scores = signs @ (weights / width)
            total -= float(share @ (scores - scores.max() - math.log(np.exp(scores - scores.max()).sum()))) / len(known)
        return total

    return minimize(loss, np.ones(4), method="L-BFGS-B").x / width


def interval(gained: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of a mean, in points, from resamples of the questions."""
    drawn = np.random.default_rng(0).choice(gained, (RESAMPLES, len(gained))).mean(1)
    low, high = 100 * np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


if __name__ == "__main__":
    main()
