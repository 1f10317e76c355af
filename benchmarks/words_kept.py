"""How many words of a file does our text keep, next to those that another tool reads?

    python benchmarks/words_kept.py FILE_OR_FOLDER ... [--missing 8] [--below 97]

Tools: `pdftotext` for PDF, `pandoc` for Word and Markdown, `lynx` for HTML. A file NAME.ref.txt next to NAME is read in
place of the tool. Words are compared without case, ligatures and hyphens, as multisets: `words` is the
share of the reference's words that our text has, `pairs` that of its neighbouring words (the order), `more` the share
of ours that the reference has not. A line of a PDF that comes on several pages, page numbers aside, counts once. The
last line has the medians. Files below --below list the words that are missing.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from kg_neo4j.acquire.decoding import check_encoding
from kg_neo4j.acquire.interface import ReadOptions
from kg_neo4j.acquire.readers import kinds
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import UnreadableSource

TOOLS = {
    "pdf": "pdftotext {} -",
    "docx": "pandoc --from docx --to plain --wrap none --track-changes accept {}",
    "html": "lynx -dump -nolist -width=10000 -display_charset=utf-8 -force_html {}",
    "markdown": "pandoc --from gfm --to plain --wrap none {}",
}
HYPHEN = re.compile(r"(?<=[^\W\d_])(?:[-\u2010\u2011]\s*|\u00ad\s*)(?=[^\W\d_])")
WORD = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|[^\W_\u2e80-\u9fff\uf900-\ufaff]+")  # a Chinese character is a word


def words(text: str) -> list[str]:
    """Return the words of a text, in their order."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return WORD.findall(HYPHEN.sub("", plain))


def once(text: str) -> str:
    """Return a text with form feeds between pages without the edge lines that came on a page before."""
    seen: set[str] = set()
    kept: list[str] = []
    for number, page in enumerate(text.split("\f")):
        lines = [" ".join(line.split()) for line in page.splitlines() if line.strip()]
        edges = {*range(3), *range(len(lines) - 3, len(lines))}
        same = [
            place in edges and (line.isdecimal() or not seen.isdisjoint(_forms(line, number)))
            for place, line in enumerate(lines)
        ]
        kept += [line for line, known in zip(lines, same, strict=True) if not known]
        seen.update(*(_forms(lines[place], number) for place in edges if 0 <= place < len(lines)))
    return "\n".join(kept)


def _forms(line: str, page: int) -> set[str]:
    """Return a line as it is, and with one or all of its numbers less the page's: page numbers become the same."""
    return {
        line,
        *(re.sub(r"\d{1,6}", lambda number: f"#{int(number[0]) - page}", line, count=each) for each in (0, 1)),
    }


def reference(path: Path, kind: str) -> str:
    """Return what the other tool reads."""
    ready = path.with_name(path.name + ".ref.txt")
    if ready.exists():
        return ready.read_text(encoding="utf-8", errors="replace")
    command = [str(path.resolve()) if word == "{}" else word for word in TOOLS[kind].split()]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def share(wanted: list[str] | list[tuple[str, str]], found: list[str] | list[tuple[str, str]]) -> float:
    """Return how much of `wanted` is in `found`, in hundredths."""
    return 100.0 * (Counter(wanted) & Counter(found)).total() / max(1, len(wanted))


def files(names: list[str]) -> Iterator[Path]:
    """Yield the files that are named and those in named folders, but no references."""
    for path in map(Path, names):
        found = sorted(each for each in path.rglob("*") if each.suffix.lower() in kinds()) if path.is_dir() else [path]
        yield from (each for each in found if not each.name.endswith(".ref.txt"))


def main() -> None:
    """Print a line for each file, then the medians of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--missing", type=int, default=8, help="how many missing words are listed")
    parser.add_argument("--below", type=float, default=97.0, help="for files below this share of words")
    parser.add_argument("--all", action="store_true", help="count lines that come on several pages each time")
    given = parser.parse_args()
    shares: dict[str, list[tuple[float, float, float]]] = {}
    print("  words  pairs   more  number      s  file")
    with Sandbox() as sandbox:
        for path in files(given.names):
            suffix = path.suffix.lower()
            kind = "pdf" if suffix == ".pdf" else kinds()[suffix]
            if kind not in TOOLS:
                continue
            other = reference(path, kind)
            wanted = words(other if given.all or kind != "pdf" else once(other))
            started = time.perf_counter()
            try:
                encoding = check_encoding("utf-8") if kind == "markdown" else None
                ours = words(sandbox.parse(kinds()[suffix], path.read_bytes(), ReadOptions(encoding)).text)
            except UnreadableSource as refused:
                print(f"refused: {refused}: {path}")
                continue
            seconds = time.perf_counter() - started
            row = (share(wanted, ours), share([*pairwise(wanted)], [*pairwise(ours)]), 100 - share(ours, wanted))
            shares.setdefault(kind, []).append(row)
            print("{:7.2f}{:7.2f}{:7.2f}".format(*row), f"{len(wanted):7,}{seconds:7.2f}  {path}")
            if row[0] < given.below:
                lost = (Counter(wanted) - Counter(ours)).most_common(given.missing)
                print("         missing:", ", ".join(f"{word} {count}" for word, count in lost))
    for kind, rows in shares.items():
        medians = "{:7.2f}{:7.2f}{:7.2f}".format(*map(statistics.median, zip(*rows, strict=True)))
        print(
            f"{medians}  median of {len(rows)} {kind}; {sum(row[0] < given.below for row in rows)} below {given.below}"
        )


if __name__ == "__main__":
    main()
