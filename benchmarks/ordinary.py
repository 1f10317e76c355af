"""What a person without a key gets on ordinary documents: passages, short answers, names, density.

    python benchmarks/ordinary.py ../shared/data/ordinary/peps                  the half of the questions kept apart
    python benchmarks/ordinary.py ../shared/data/ordinary/peps --half open      the half that settings were chosen by
    python benchmarks/ordinary.py FOLDER --questions FILE --names FILE          a folder of yours
    python benchmarks/ordinary.py ../shared/data/ordinary/peps --chunks 4 --limit 10    with KG_MODEL

Questions lie in benchmarks/ordinary/NAME.questions.jsonl: the answering sentence is a span of a document, an
unanswerable question has no answers. NAME.names.txt lists full names that a reader of the folder would want. A sentence
is shown if four fifths of its words stand in one of the passages.

With --chunks the model of KG_MODEL reads that many parts of different documents, a chunk each, and answers questions
from the folder, which is loaded without it. --limit keeps so many questions, six of ten with an answer. Rows and
answers are printed, for a reader to judge.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from kg_neo4j import KnowledgeGraph, Settings, load

HERE = Path(__file__).with_name("ordinary")
SHOWN = 0.8  # of the words of a sentence
FACTS = """MATCH (a:Entity {graph: $graph})-[r]->(b:Entity) MATCH (:Fact {id: r.fact_id})-[s:STATED_IN]->()
RETURN DISTINCT a.name, type(r), b.name, s.quote ORDER BY a.name, type(r), b.name, s.quote"""
PART = 4_400  # characters of a document that a model reads, at most: one chunk


def main() -> None:
    options = _options()
    name = options.folder.name
    if options.chunks:
        by_model(options)
        return
    report = load([str(options.folder)], settings=Settings(graph=f"ordinary-{name}"))
    print(*report.notes, sep="\n")
    rows = _questions(options, name)
    with KnowledgeGraph(f"ordinary-{name}") as graph:
        counts = ask(graph, rows, options.folder)
        frames = graph.to_pandas()
    listed = (options.names or HERE / f"{name}.names.txt").read_text("utf-8").splitlines()
    found = {_plain(each) for each in frames.entities["name"]}
    counts["listed names"], counts["of these nodes"] = len(listed), sum(_plain(each) in found for each in listed)
    counts["nodes"], counts["relationships"] = len(frames.entities), len(frames.relationships)
    for what, count in counts.items():
        print(f"{count:6} {what}")


def by_model(options: argparse.Namespace) -> None:
    """Print what a model reads in some chunks, and its answers from the whole folder."""
    name, graph = options.folder.name, f"ordinary-{options.folder.name}"
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(options.folder.iterdir(), key=lambda path: _order(path.name))[: options.chunks]:
            paragraphs = path.read_text("utf-8").split("\n\n")
            part = "\n\n".join(paragraphs[len(paragraphs) // 3 :])[:PART]
            (Path(folder) / path.name).write_text(part.rpartition("\n\n")[0] or part, "utf-8")
        load([folder], settings=Settings(graph=f"{graph}-model"))
    with KnowledgeGraph(f"{graph}-model") as read:
        frames = read.to_pandas()
        tokens = read.query("MATCH (c:Chunk {graph: $graph}) RETURN sum(c.token_count) AS tokens")["tokens"][0]
        facts = read.query(FACTS)
    print(*(" | ".join(map(str, row)) for row in facts.itertuples(index=False)), sep="\n")
    print(f"{len(frames.relationships)} relationships, {len(frames.entities)} nodes, {tokens} tokens")
    print(*(f"{row['name']} ({row['type']})" for row in frames.entities.to_dict("records")), sep="\n")
    load([str(options.folder)], settings=Settings(graph=graph, model=None, openai_api_key=None, openai_base_url=None))
    rows = _questions(options, name)
    with KnowledgeGraph(graph) as whole, ThreadPoolExecutor(len(rows)) as pool:
        for row, answer in zip(rows, pool.map(lambda row: whole.ask(row["question"]), rows), strict=True):
            print(f"{row['question']}\n    {row['answers']}\n    {answer.answer} ({answer.short})")


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


def _questions(options: argparse.Namespace, name: str) -> list[dict]:
    lines = (options.questions or HERE / f"{name}.questions.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["half"] == options.half]
    if not options.limit:
        return rows
    rows.sort(key=lambda row: _order(row["question"]))
    answerable = round(0.6 * options.limit)
    kept = [row for row in rows if row["answers"]][:answerable]
    return kept + [row for row in rows if not row["answers"]][: options.limit - answerable]


def _order(text: str) -> str:
    return sha256(text.encode()).hexdigest()


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
    parser.add_argument("--chunks", type=int)
    parser.add_argument("--limit", type=int)
    return parser.parse_args()


if __name__ == "__main__":
    main()
