"""Precision, recall and F1 of the borders of sentences, in English, Polish and German.

    python benchmarks/borders.py ../shared/data                   the half of each text that was kept apart
    python benchmarks/borders.py ../shared/data --half open       the half that rules were written by; shows the faults
    python benchmarks/borders.py ../shared/data --more FOLDER     with NAME.txt of texts that are not in the data

benchmarks/borders/marks.jsonl has the places where sentences end, marked by reading before the rules were changed. A
text is known by its SHA-256; one that is not there is named.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from pathlib import Path

from kg_neo4j.retrieve.sentences import split_sentences

MARKS = Path(__file__).with_name("borders") / "marks.jsonl"
AROUND = 40  # characters that are shown of a fault


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--more", type=Path)
    parser.add_argument("--half", choices=("open", "kept"), default="kept")
    options = parser.parse_args()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in map(json.loads, MARKS.read_text("utf-8").splitlines()):
        text = _text(row, options.data, options.more)
        if text is None:
            print(f"not there: {row['name']} ({row['source']})")
            continue
        middle = text.find("\n", len(text) // 2)
        half = range(middle) if options.half == "open" else range(middle, len(text) + 1)
        right = {each for each in row["ends"] if each in half}
        found = {each.end for each in split_sentences(text) if each.end in half}
        counts[row["language"]] = [
            had + new
            for had, new in zip(counts[row["language"]], (len(right & found), len(found), len(right)), strict=True)
        ]
        for place in sorted(right ^ found) if options.half == "open" else ():
            what = "missing" if place in right else "too many"
            print(f"{row['name']} {what}: {text[max(0, place - AROUND) : place]!r} {text[place : place + AROUND]!r}")
    for language, (both, found_count, marked) in counts.items():
        f1 = 2 * both / (found_count + marked)
        print(
            f"{language}: {marked} borders, precision {both / found_count:.3f}, recall {both / marked:.3f}, F1 {f1:.3f}"
        )


def _text(row: dict, data: Path, more: Path | None) -> str | None:
    """Return the marked text; None where it is not there, or another."""
    if row["start"] is not None:
        path, start = data / row["source"], row["start"]
    elif more is not None:
        path, start = more / f"{row['name']}.txt", 0
    else:
        return None
    text = path.read_text("utf-8-sig")[start : start + row["length"]] if path.is_file() else ""
    return text if hashlib.sha256(text.encode("utf-8")).hexdigest() == row["sha256"] else None


if __name__ == "__main__":
    main()
