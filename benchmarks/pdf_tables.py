"""What is kept of PDF files: rows and cells of tables, paragraphs, footnotes; and what should be left out but is not.

python benchmarks/pdf_tables.py tests/data/pdf/seen tests/data/pdf/unseen
python benchmarks/pdf_tables.py tests/data/pdf/seen --tool pdfplumber-lines    # with that package installed: its tables

Next to NAME.pdf is NAME.json with the sources: paragraphs, headings, tables, footnotes, headers and footers. A row is
kept where its cells are on one line, in their order; a cell where it is a cell of the line that has most of its row. A
paragraph and a footnote are whole where their words come without others between them, footnotes and headings
in a paragraph of their own. False rows are lines of cells that no table has.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from kg_neo4j.acquire.readers import kinds
from kg_neo4j.acquire.sandbox import Sandbox

NAMES = ("rows", "cells", "false", "paragraphs", "footnotes", "headings", "running left", "s")
HEAD = " ".join(f"{name:>12}" for name in NAMES) + "  file"


def by_pdfplumber(path: Path, strategy: str) -> str:
    """Return the rows of the tables that pdfplumber finds, as lines of cells."""
    settings = {"vertical_strategy": strategy, "horizontal_strategy": strategy}
    with import_module("pdfplumber").open(path) as pdf:
        tables = [table for page in pdf.pages for table in page.extract_tables(settings)]
    return "\n".join(" | ".join(" ".join((cell or "").split()) for cell in row) for table in tables for row in table)


def by_camelot(path: Path, flavor: str) -> str:
    """Return the rows of the tables that camelot finds, as lines of cells."""
    tables = import_module("camelot").read_pdf(str(path), pages="all", flavor=flavor, suppress_stdout=True)
    rows = [row for table in tables for row in table.df.values.tolist()]
    return "\n".join(" | ".join(" ".join(str(cell).split()) for cell in row) for row in rows)


TOOLS: dict[str, Callable[[Path], str]] = {
    **{f"pdfplumber-{each}": partial(by_pdfplumber, strategy=each) for each in ("lines", "text")},
    **{f"camelot-{each}": partial(by_camelot, flavor=each) for each in ("lattice", "stream", "hybrid")},
}


def plain(text: str) -> str:
    """Return words as they are compared: white space, hyphens at ends of lines and quotes alike are alike."""
    text = text.translate({0xAD: None, 0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"', 0xA0: " ", 0x2212: "-"})
    return " ".join(text.split())


def measured(text: str, truth: dict[str, Any], *, show: bool) -> list[int]:
    """Return pairs of what is kept and what there is, in the order of HEAD."""
    lines = [plain(line) for line in text.splitlines() if line.strip()]
    celled = [[plain(cell) for cell in line.split("|")] for line in lines]
    rows = [[plain(cell) for cell in row] for table in truth["tables"] for row in table["rows"]]
    kept_rows = kept_cells = cells = 0
    owned = set[int]()
    for row in rows:
        filled = [cell for cell in row if cell]
        cells += len(filled)
        scores = [sum(cell in line for cell in filled) if len(line) > 1 else 0 for line in celled]
        best = max(range(len(scores)), key=lambda place: (scores[place], place not in owned), default=0)
        kept_cells += scores[best] if scores else 0
        owned |= {place for place, score in enumerate(scores) if 2 * score >= len(filled)}
        pattern = re.compile(r".*?".join(map(re.escape, filled)))
        is_kept = any(pattern.search(line) for line in lines)
        kept_rows += is_kept
        if show and (not is_kept or (scores and scores[best] < len(filled))):
            print("   row:", " | ".join(row), "\n    ->:", " | ".join(celled[best]) if scores else "")
    false = [line for place, line in enumerate(celled) if len(line) > 1 and place not in owned]
    flat, blocks = plain(text), [plain(block) for block in text.split("\n\n")]
    whole = [plain(each) in flat for each in truth["paragraphs"]]
    apart = [
        any(plain(each) in block and len(block) < len(plain(each)) + 400 for block in blocks)
        for each in truth["footnotes"]
    ]
    body = flat
    for each in (*truth["paragraphs"], *truth["headings"], *truth["footnotes"]):
        body = body.replace(plain(each), "\n")
    pieces = [line.strip() for line in body.split("\n")]
    running = {plain(each) for each in truth["running"]}
    left = sum(piece.count(each) for each in running for piece in pieces if len(each) > 4)
    if show:
        for line in false:
            print("   false:", " | ".join(line))
        for each, is_kept in zip(truth["paragraphs"], whole, strict=True):
            if not is_kept:
                print("   paragraph:", each[:300])
        for each, is_kept in zip(truth["footnotes"], apart, strict=True):
            if not is_kept:
                print("   footnote:", each[:200])
        if left:
            print("   running:", [each for each in running if any(each in piece for piece in pieces)][:8])
    heads = sum(plain(each) in blocks for each in truth["headings"])
    tables = [kept_rows, len(rows), kept_cells, cells, len(false)]
    return [*tables, sum(whole), len(whole), sum(apart), len(apart), heads, len(truth["headings"]), left]


def shown(found: Sequence[int], seconds: float, name: str) -> str:
    """Return a line under HEAD."""
    rows, of_rows, cells, of_cells, false, whole, of_whole, apart, of_apart, heads, of_heads, left = found
    texts = [f"{rows}/{of_rows}", f"{cells}/{of_cells}", str(false), f"{whole}/{of_whole}", f"{apart}/{of_apart}"]
    texts += [f"{heads}/{of_heads}", str(left), f"{seconds:.2f}"]
    return " ".join(f"{text:>12}" for text in texts) + f"  {name}"


def main() -> None:
    """Print a line for each file and one for each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="what is not kept")
    parser.add_argument("--tool", choices=TOOLS, help="a library in place of our reader; its tables alone count")
    given = parser.parse_args()
    print(HEAD)
    with Sandbox() as sandbox:
        for folder in given.folders:
            totals, spent = [0] * 12, 0.0
            for path in sorted(folder.glob("*.pdf")):
                truth = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
                start = time.perf_counter()
                ours = given.tool is None
                text = sandbox.parse(kinds()[".pdf"], path.read_bytes()).text if ours else TOOLS[given.tool](path)
                seconds = time.perf_counter() - start
                found = measured(text, truth, show=given.show)
                totals, spent = [one + other for one, other in zip(totals, found, strict=True)], spent + seconds
                print(shown(found, seconds, path.name))
            print(shown(totals, spent, f"{folder.name}, all"))


if __name__ == "__main__":
    sys.exit(main())
