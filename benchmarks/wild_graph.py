"""Which documents are found for questions on long, dirty web pages, next to flat search in the same run?

    python benchmarks/wild_graph.py FOLDER [--misses]

FOLDER is a copy of WildGraphBench (arXiv 2602.02053): QA/TOPIC/questions.jsonl and corpus/TOPIC/ARTICLE/,
with references.jsonl and reference_pages. A page is a document, and a question needs the pages of its ref_urls. Pages
are loaded into a graph of their own, which stays, in the Neo4j of your settings. Then BM25, vectors and both fused rank
whole pages, and the modes naive and local rank chunks; a page has the rank of its best chunk.
--misses prints each question whose pages `local` ranks lower than the best flat way, with their ranks.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from kg_neo4j import Settings  # noqa: E402 - after the path is set
from kg_neo4j._cli.terminal import progress  # noqa: E402
from kg_neo4j.acquire.decoding import clean, normalise_text  # noqa: E402
from kg_neo4j.errors import KgError, SourceNotFound, UnreadableSource  # noqa: E402
from kg_neo4j.graph.report_format import Cell, Report, render  # noqa: E402
from kg_neo4j_lab.retrieval.scorecard import RetrievalCard, RetrievalOptions, score_retrieval  # noqa: E402

DEPTHS = (5, 20)
TITLE_CHARACTERS = 80  # of a title, in the name of its page's file

Row = dict[str, Any]


def read(folder: Path) -> tuple[list[Row], list[Row]]:
    """Return pages and questions as `kg eval retrieval` reads them. Raises SourceNotFound and UnreadableSource."""
    files = sorted(folder.glob("corpus/*/*/reference_pages/*.txt"))
    asked = [(file, row) for file in sorted(folder.glob("QA/*/questions.jsonl")) for row in _lines(file)]
    if not files or not asked:
        raise SourceNotFound(f"no pages and questions of WildGraphBench in {str(folder)!r}")
    numbers = {(file.parent.parent, _bare(file.stem)): number for number, file in enumerate(files)}
    pages: list[Row] = []
    for number, file in enumerate(files):
        text = clean(normalise_text(file.read_text("utf-8", errors="replace")))
        pages.append({"idx": number, "title": file.stem, "text": text})
    of_url: dict[tuple[str, str], int] = {}
    for article in sorted({file.parent.parent for file in files}):
        for row in _lines(article / "references.jsonl"):
            if (number := numbers.get((article, _bare(row["title"])))) is not None:
                of_url[article.parent.name, row["url"]] = number
    questions: list[Row] = []
    for at, (file, row) in enumerate(asked, 1):
        topic, urls = file.parent.name, row["ref_urls"]
        if lost := [url for url in urls if (topic, url) not in of_url]:
            raise UnreadableSource(f"{file}, question {at}: no page of {lost[0]}")
        gold = sorted({of_url[topic, url] for url in urls})
        kind = ", ".join(row["question_type"]).replace("_", "-")
        questions.append({"id": f"{topic}/{at}", "question": row["question"], "gold": gold, "type": kind})
    return pages, questions


def table(card: RetrievalCard) -> Report:
    """Return the recall of documents, way by way, and by type of question."""
    kinds = sorted({kind for score in card.scores.values() for kind in score.types})
    rows: list[tuple[Cell, ...]] = []
    for way, score in card.scores.items():
        cells = [f"{100 * score.recall[k]:.1f} ({_span(score.interval[k])})" for k in DEPTHS]
        cells += [" / ".join(f"{100 * score.types[kind][k]:.1f}" for k in DEPTHS) for kind in kinds]
        rows.append((way, *cells))
    gained = [
        f"{way} against {card.best_flat}, recall@5: {each.points:+.1f} ({each.low:+.1f} to {each.high:+.1f}) points"
        for way, each in card.differences.items()
    ]
    columns = ("Way", *(f"Recall@{k}" for k in DEPTHS), *(f"{kind}, @5 / @20" for kind in kinds))
    return Report("wild", f"{card.asked:,} questions over {card.passages:,} pages", columns, tuple(rows), tuple(gained))


def _lines(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def _bare(title: str) -> str:
    """Return a title as files are named: ASCII letters and digits, no marks, cut."""
    kept = re.sub(r"[^A-Za-z0-9 -]", "", re.sub(r"[_\s]+", " ", title))
    return " ".join(kept.split())[:TITLE_CHARACTERS].strip()


def _span(interval: tuple[float, float]) -> str:
    return "-".join(f"{100 * edge:.1f}" for edge in interval)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--misses", action="store_true", help="print what the graph ranks lower")
    options = parser.parse_args()
    try:
        pages, questions = read(options.folder)
        with tempfile.TemporaryDirectory() as scratch, progress() as bars:
            for name, rows in (("pages", pages), ("questions", questions)):
                text = "".join(json.dumps(row) + "\n" for row in rows)
                (Path(scratch) / f"{name}.jsonl").write_text(text, "utf-8")
            names = (f"{scratch}/pages.jsonl", f"{scratch}/questions.jsonl")
            card = score_retrieval(*names, settings=Settings(), options=RetrievalOptions(depths=DEPTHS), progress=bars)
    except KgError as error:
        raise SystemExit(f"error: {error}") from error
    report = table(card)
    print(f"{report.title}; graph {card.graph}, {card.load.nodes:,} entities\n")
    print(render(report, "markdown"))
    print("\n".join(("", *report.notes, *card.notes)))
    if options.misses:
        for question in questions:
            at = {way: found[question["id"]] for way, found in card.by_question.items()}
            if at["local"] < at[card.best_flat]:
                print(f"\n{question['id']} {question['question']}\n  needs {question['gold']}, recall@5 {at}")


if __name__ == "__main__":
    main()
