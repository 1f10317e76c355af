"""How often the sentences that answer a question are in the prompt.

    python benchmarks/evidence.py                    the half that no weight was chosen by, 2,500 tokens
    python benchmarks/evidence.py --half 0 --tokens 1500
    python benchmarks/evidence.py --multihop ../shared/data/multihop/musique_dev    after `kg eval retrieval` on it

Loads the documents of benchmarks/claims.py without a model into the graph "asking", and asks the questions of
tests/data/asking/places.jsonl: one sentence answers, several do, or a list. No model is called. A question counts where
every sentence of its answer stands whole in what would be shown; one of a multi-hop set where all documents that it
needs are among those that would be.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from claims import DATA, FOLDERS, ROOT, document, half_of, rows

from kg_neo4j import Settings, factory, load
from kg_neo4j.graph.connection import connect
from kg_neo4j.pipeline.commands.ask import Answerer, answerer
from kg_neo4j.progress import SILENT
from kg_neo4j.retrieve.ask import MODES, prepare
from kg_neo4j.retrieve.interface import LOCAL, NAIVE, AskOptions, Search
from kg_neo4j.retrieve.packing import PackedContext, pack_found
from kg_neo4j.retrieve.question import fulltext_query, read
from kg_neo4j.retrieve.routing import route
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j_lab.retrieval.questions import graph_name, read_passages, read_questions

GRAPH = "asking"


def main() -> None:
    options = _options()
    if options.multihop:
        _print_multihop(options.multihop, options.tokens)
        return
    settings = Settings(graph=GRAPH, model=None, openai_api_key=None, openai_base_url=None)
    paths = [path for folder in FOLDERS for path in (ROOT / folder).glob("*") if path.suffix in (".md", ".rst", ".txt")]
    load([str(path) for path in sorted(paths) if path.name != "README.md"], settings=settings)
    counts: Counter[tuple[str, bool]] = Counter()
    tokens = 0
    asked = [row for row in rows("places") if half_of(row["question"]) == options.half and document(row["document"])]
    with connect(settings, SILENT) as database:
        asking = answerer(settings, database, factory.door(settings))
        for row in asked:
            packed = _packed(asking, GRAPH, row["question"], options.tokens)
            texts = (" ".join(each.chunk.text[start:end] for start, end in each.sentences) for each in packed.sources)
            shown = " | ".join(map(_plain, texts))
            tokens += packed.tokens
            is_there = all(each in shown for span in row["spans"] for each in _sentences(row["document"], *span))
            counts[row["kind"], is_there] += 1
    for kind in ("one", "several", "list"):
        print(f"{kind:8} {counts[kind, True]:3} of {counts[kind, True] + counts[kind, False]}")
    right = sum(count for (_, is_there), count in counts.items() if is_there)
    print(f"together {right:3} of {counts.total()}, {tokens / max(1, counts.total()):,.0f} tokens; set {DATA.name}")


def _print_multihop(folder: Path, tokens: int) -> None:
    passages = read_passages(folder / "corpus.jsonl")
    questions = read_questions(folder / "questions.jsonl", passages)
    graph = graph_name(passages)
    settings = Settings(graph=graph, model=None, openai_api_key=None, openai_base_url=None)
    complete = 0
    with connect(settings, SILENT) as database:
        asking = answerer(settings, database, factory.door(settings))
        for each in questions:
            shown = {source.chunk.document for source in _packed(asking, graph, each.text, tokens).sources}
            complete += all(passages[place].title in shown for place in each.gold)
    print(f"{folder.name}: all documents of {complete} of {len(questions)} questions")


def _packed(asking: Answerer, graph: str, question: str, tokens: int) -> PackedContext:
    """Return what a model would be shown."""
    asked = read(question)
    search = Search(graph, asked, words=fulltext_query(asked), options=AskOptions())
    routing, linked = route(asking.database, search)
    mode = routing.mode if routing.mode in (LOCAL, NAIVE) else NAIVE
    search = replace(search, mode=mode, linked=linked)
    search, _ = prepare(asking.database, search, asking.embedder, asking.tokeniser, MODES[mode].labels)
    return pack_found(MODES[mode].retrieve(asking.database, search), asked, asking.tokeniser, tokens)


def _sentences(name: str, start: int, end: int) -> list[str]:
    found = document(name)
    text = found.text[start:end] if found else ""
    return [plain for each in split_sentences(text) if (plain := _plain(each.text))]


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text).casefold().split())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", type=int, choices=(0, 1), default=1)
    parser.add_argument("--tokens", type=int, default=2_500)
    parser.add_argument("--multihop", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
