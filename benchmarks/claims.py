"""How often the check of claims is right, on a large model's own claims and on claims that were made wrong.

    python benchmarks/claims.py            the half that no rule was chosen by
    python benchmarks/claims.py --half 0   the other half; --show prints every case

The claims are those of tests/data/asking/claims.jsonl: sentences of answers, with the places of the sentences that they
cite, judged by a reader. planted.jsonl has some of them made wrong by a reader who did not know the check. Halves are
by the SHA-256 of the question. Where a text is not present its claims are left out, and counted.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from kg_neo4j.acquire import files
from kg_neo4j.records import Document
from kg_neo4j.retrieve.checking.support import SUPPORTED, CitedPassage, supports
from kg_neo4j.retrieve.sentences import split_sentences

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data" / "asking"
FOLDERS = (
    "examples",
    "tests/data/recorded",
    "tests/data/peers",
    *(f"../shared/data/{each}" for each in ("ordinary/peps", "ordinary/legal", "narrative")),
)
WRONG = "number date name negation direction subject".split()
Row = Mapping[str, Any]


def main() -> None:
    options = _options()
    for kind, counts in count(options.half, show=options.show).items():
        share = counts[SUPPORTED] / max(1, counts.total())
        print(f"{kind:10} {counts.total():4} claims, {share:4.0%} supported   {dict(sorted(counts.items()))}")


def count(half: int, *, show: bool = False) -> dict[str, Counter[str]]:
    """Return how many claims of a half have each verdict: "right", and each kind of wrong ones."""
    claims = {row["id"]: row for row in rows("claims") if half_of(row["question"]) == half}
    found: dict[str, Counter[str]] = {kind: Counter() for kind in ("right", *WRONG)}
    asked = [("right", row["claim"], row) for row in claims.values()]
    asked += [(row["kind"], row["claim"], claims[row["of"]]) for row in rows("planted") if row["of"] in claims]
    for kind, claim, row in asked:
        if not row["right"]:
            continue
        if any(document(each[0]) is None for each in row["cited"]):
            found[kind]["text not present"] += 1
            continue
        verdict = supports(claim, list(_passages(row["cited"])))
        found[kind][verdict.level] += 1
        if show and verdict.supported != (kind == "right"):
            print(f"    {kind}, {verdict.level}: {claim} ({verdict.reason})")
    return found


def rows(name: str) -> list[Row]:
    """Return the rows of a file of the set."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def half_of(question: str) -> int:
    """Return the half that a question belongs to: 0, or 1, which is kept apart."""
    return int(sha256(question.encode()).hexdigest(), 16) % 2


@cache
def document(name: str) -> Document | None:
    """Return a document as `kg load` reads it; None where the file is not there."""
    places = (ROOT / folder / f"{name}{suffix}" for folder in FOLDERS for suffix in (".md", ".rst", ".txt"))
    for path in filter(Path.exists, places):
        (found,) = files.read([str(path)], graph="claims", encoding=None)
        return found if isinstance(found, Document) else None
    return None


@cache
def _sentences(name: str) -> Sequence[tuple[int, int]]:
    found = document(name)
    return [(each.start, each.end) for each in split_sentences(found.text)] if found else []


def _passages(cited: Sequence[tuple[str, int, int]]) -> Iterator[CitedPassage]:
    """Yield what a claim cites, with its heading and the sentences next to it."""
    for name, start, end in cited:
        found = document(name)
        if found is None:
            raise ValueError(f"{name} is not present")
        before = [each for each in _sentences(name) if each[1] <= start][-1:]
        after = [each for each in _sentences(name) if each[0] >= end][:1]
        section = next((each.title for each in reversed(found.sections) if each.start <= start), "")
        near = " ".join(found.text[slice(*each)] for each in (*before, *after))
        yield CitedPassage(found.text[start:end], f"{found.title} {section}".replace("_", " "), (), near)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", type=int, choices=(0, 1), default=1)
    parser.add_argument("--show", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
