"""Answers from one paragraph, without a model: SQuAD 2.0, half of whose questions their paragraph does not answer.

    python benchmarks/squad.py ../shared/data/squad2/part.json                 six articles that choices were made on
    python benchmarks/squad.py ../shared/data/squad2/part.json --half kept      the other four

Prints how many short answers are right and wrong, then how many best sentences without one have the answer, do not, or
are shown although nothing answers. An answer is right where it has an accepted form.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path

from keyless import plain

from kg_neo4j.retrieve.interface import FoundChunk
from kg_neo4j.retrieve.question import Question, read
from kg_neo4j_offline.passages import best
from kg_neo4j_offline.short.reading import find_stated

OPEN = 6  # articles, the first ones
SEED = 5


def main() -> None:
    options = _options()
    articles = json.loads(options.file.read_text(encoding="utf-8"))["data"]
    chosen = articles[:OPEN] if options.half == "open" else articles[OPEN:]
    rows = [
        (article["title"].replace("_", " "), paragraph["context"], row)
        for article in chosen
        for paragraph in article["paragraphs"]
        for row in paragraph["qas"]
    ]
    random.Random(SEED).shuffle(rows)
    counts: Counter[str] = Counter()
    for title, text, row in rows[: options.limit]:
        chunk = FoundChunk("c", text, 0, "", title, 1.0)
        counts[outcome(read(row["question"]), chunk, [answer["text"] for answer in row["answers"]])] += 1
    for name, count in sorted(counts.items()):
        print(f"{count:6,}  {name}")


def outcome(question: Question, chunk: FoundChunk, accepted: list[str]) -> str:
    """Return what is given, and whether it is right."""
    sentences = [sentence for sentence, _ in best(question, [chunk])][:1]
    stated = "".join(find_stated(question, each) for each in sentences)
    said = stated or "".join(each.text for each in sentences)
    kind = "short" if stated else "sentence"
    if not said:
        return "nothing, answerable" if accepted else "nothing, unanswerable"
    if not accepted:
        return f"{kind}, unanswerable"
    is_right = any(f" {plain(each).strip()} " in plain(said) for each in accepted)
    return f"{kind}, right" if is_right else f"{kind}, wrong"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="a file in the format of SQuAD 2.0")
    parser.add_argument("--half", choices=("open", "kept"), default="open")
    parser.add_argument("--limit", type=int, help="questions at most")
    return parser.parse_args()


if __name__ == "__main__":
    main()
