"""How good and how fast are the embedders that need no server? Recall of passages, words a second, size.

    python benchmarks/embedding.py [--data DIR] [--set NAME] [--passages N] [--teacher DIR] [--half] [--json]

For each set of ../shared/data/multihop: passages (title, line break, text) are ranked for every question, all questions
of a set are asked; recall@2 and @5 are averaged over the questions. Speed: whitespace words of the 1,890 passages of
musique_dev, over processor time, after one passage to warm up. BM25 (k1 1.5, b 0.75, no stemmer here) is a reference,
no embedder.

The embedding model of KG_EMBEDDING_BASE_URL and KG_EMBEDDING_MODEL, where they are set, is asked as a load asks it; a
server's speed is by the clock. --half asks the first half of the questions of each set, and leaves the others unseen.
--passages makes a small pool: the first N, and the questions that they answer.

all-MiniLM-L6-v2, the teacher of `static`, is shown with --teacher: a folder with NAME.npz for each set, arrays "corpus"
and "questions", as `python -m training.embedder.reference` writes them; it cannot run in this environment.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from kg_neo4j import Settings, factory  # noqa: E402 - after the path is set
from kg_neo4j_offline.embedder import hashed_embedding, static_embedding  # noqa: E402 - after the path is set
from kg_neo4j_offline.embedder.static_words import FUNCTION_WORDS, Weighing, weigh  # noqa: E402

DATA = HERE.parents[1] / "shared" / "data"
SETS = ("2wiki_dev", "musique_dev", "hotpotqa_dev")
MOST = (2, 5)
PLAIN = Weighing(1.0, 0.0, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--teacher", type=Path)
    parser.add_argument("--set", action="append", choices=SETS)
    parser.add_argument("--passages", type=int)
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    read_one = partial(read, half=options.half, most=options.passages)
    sets = {name: read_one(options.data / "multihop" / name) for name in options.set or SETS}
    rows = [measure("hashed (former)", hashed_embedding.HashedEmbedding(), sets, 0)]
    size = sum(file.stat().st_size for file in static_embedding.FOLDER.iterdir())
    rows.append(measure("static", static_embedding.StaticEmbedding(), sets, size))
    settings = Settings()
    if not factory.embeds_built_in(settings):
        rows.append(measure(settings.embedding_model, factory.embedding_model(settings), sets, 0, time.monotonic))
    rows.append({"name": "BM25", **{name: recall(bm25(c, q), g) for name, (c, q, g) in sets.items()}})
    if options.teacher:
        rows.append({"name": "all-MiniLM-L6-v2", **{n: recall(taught(options.teacher, n), sets[n][2]) for n in sets}})
    print(json.dumps(rows, indent=2) if options.json else table(rows))


def read(folder: Path, *, half: bool, most: int | None) -> tuple[list[str], list[str], list[list[int]]]:
    corpus, questions = (
        [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").split("\n") if line]
        for name in ("corpus.jsonl", "questions.jsonl")
    )
    questions = questions[: len(questions) // 2] if half else questions
    texts = [f"{row['title']}\n{row['text']}" for row in corpus[:most]]
    questions = [row for row in questions if max(row["gold"]) < len(texts)]
    return texts, [row["question"] for row in questions], [row["gold"] for row in questions]


def measure(name, model, sets, size, clock=time.process_time) -> dict:
    model.embed(["One passage to warm up."])
    row = {"name": name}
    for key, (corpus, questions, gold) in sets.items():
        began = clock()
        vectors = model.embed(corpus)
        if key == "musique_dev":
            row["words/s"] = round(sum(len(text.split()) for text in corpus) / (clock() - began))
        row[key] = recall(model.embed(questions) @ vectors.T, gold)
    return {**row, "MB": round(size / 1e6, 1)}


def bm25(corpus: list[str], questions: list[str]) -> np.ndarray:
    bags = [Counter(words(text)) for text in corpus]
    lengths = np.array([sum(bag.values()) for bag in bags])
    holders: dict[str, list[tuple[int, int]]] = {}
    for number, bag in enumerate(bags):
        for word, count in bag.items():
            holders.setdefault(word, []).append((number, count))
    scores = np.zeros((len(questions), len(corpus)))
    for row, question in enumerate(questions):
        for word in words(question):
            found = holders.get(word, [])
            rare = math.log(1 + (len(corpus) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                scores[row, number] += rare * count / (count + 1.5 * (0.25 + 0.75 * lengths[number] / lengths.mean()))
    return scores


def words(text: str) -> list[str]:
    known = weigh(text, PLAIN)
    return [word for word, weight in known.items() if word not in FUNCTION_WORDS for _ in range(count_of(weight))]


def count_of(weight: float) -> int:
    return round(math.exp(weight - 1))


def taught(folder: Path, name: str) -> np.ndarray:
    with np.load(folder / f"{name}.npz", allow_pickle=False) as arrays:
        return arrays["questions"].astype(np.float32) @ arrays["corpus"].astype(np.float32).T


def recall(scores: np.ndarray, gold: list[list[int]]) -> list[float]:
    order = np.argsort(-scores, axis=1, kind="stable")
    shares = [
        [len(set(own) & set(row[:most].tolist())) / len(set(own)) for most in MOST]
        for own, row in zip(gold, order, strict=True)
    ]
    return [round(100 * float(each), 1) for each in np.mean(shares, axis=0)]


def table(rows: list[dict]) -> str:
    names = [name for name in SETS if name in rows[0]]
    lines = [f"{'recall@2 / @5, %':25}" + "".join(f"{name:>16}" for name in names) + f"{'words/s':>12}{'MB':>7}"]
    for row in rows:
        cells = "".join(f"{row[name][0]:>9} /{row[name][1]:>5}" for name in names)
        lines.append(f"{row['name']:25}{cells}{row.get('words/s', '-'):>12}{row.get('MB', '-'):>7}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
