"""What a person without a key gets on ordinary documents: passages, short answers, names, density.

    python benchmarks/ordinary.py ../shared/data/ordinary/peps                  the half of the questions kept apart
    python benchmarks/ordinary.py ../shared/data/ordinary/peps --half open      the half that settings were chosen by
    python benchmarks/ordinary.py FOLDER --questions FILE --names FILE          a folder of yours

Questions lie in benchmarks/ordinary/NAME.questions.jsonl: the answering sentence is a span of a document, an
unanswerable question has no answers. NAME.names.txt lists full names that a reader of the folder would want. A sentence
is shown if four fifths of its words stand in one of the passages.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

from kg_neo4j import KnowledgeGraph, Settings, load

HERE = Path(__file__).with_name("ordinary")
SHOWN = 0.8  # of the words of a sentence


def main() -> None:
    options = _options()
    name = options.folder.name
    report = load([str(options.folder)], settings=Settings(graph=f"ordinary-{name}"))
    print(*report.notes, sep="\n")
    lines = (options.questions or HERE / f"{name}.questions.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["half"] == options.half]
    with KnowledgeGraph(f"ordinary-{name}") as graph:
        counts = ask(graph, rows, options.folder)
        frames = graph.to_pandas()
    listed = (options.names or HERE / f"{name}.names.txt").read_text("utf-8").splitlines()
    found = {_plain(each) for each in frames.entities["name"]}
    counts["listed names"], counts["of these nodes"] = len(listed), sum(_plain(each) in found for each in listed)
    counts["nodes"], counts["relationships"] = len(frames.entities), len(frames.relationships)
    for what, count in counts.items():
        print(f"{count:6} {what}")


def ask(graph: KnowledgeGraph, rows: list[dict], folder: Path) -> Counter[str]:
    """Return how many questions have their answering sentence shown, and how many short answers are right or wrong."""
    counts: Counter[str] = Counter()
    for row in rows:
        answer = graph.ask(row["question"])
        if not row["answers"]:
            counts.update(["unanswerable", *["unanswerable with a short answer"] * answer.found])
            continue
        text = (folder / row["document"]).read_text("utf-8")[slice(*row["span"])]
        shown = [f"{each.before} {each.citation.quote} {each.after}" for each in answer.passages]
        counts.update(["answerable", *["with its sentence shown"] * any(_holds(each, text) for each in shown)])
        if answer.found:
            right = any(f" {_plain(each)} " in f" {_plain(answer.short)} " for each in row["answers"])
            counts.update([f"short answers {'right' if right else 'wrong'}"])
    return counts


def _holds(passage: str, sentence: str) -> bool:
    wanted, there = (Counter(_plain(each).split()) for each in (sentence, passage))
    return (wanted & there).total() >= SHOWN * wanted.total()


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("open", "kept"), default="kept")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--names", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
