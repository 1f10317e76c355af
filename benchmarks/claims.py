"""How often the check of claims is right, on a large model's own claims and on claims that were made wrong.

    python benchmarks/claims.py            the half that no rule was chosen by
    python benchmarks/claims.py --half 0   the other half; --show prints every case
    python benchmarks/claims.py --judge    words, a model, a model for what words do not support, and both together

The claims are those of tests/data/asking/claims.jsonl: sentences of answers, with the places of the sentences that they
cite, judged by a reader; later_claims.jsonl has those of answers that were given later, which no rule was chosen by.
planted.jsonl has some of them made wrong by a reader who did not know the check. beside.jsonl has claims that their
sentences say, and that do not answer the question. Halves are by the SHA-256 of the question. Where a text is not
present its claims are left out, and counted. Verdicts of a model that judged.jsonl lacks are asked of KG_MODEL, and
added to it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from kg_neo4j.acquire import files
from kg_neo4j.acquire.sentences import table_head
from kg_neo4j.factory import door
from kg_neo4j.records import Document, Usage
from kg_neo4j.retrieve.checking.claims import TOGETHER, JudgeClaims, join, show
from kg_neo4j.retrieve.checking.support import SUPPORTED, CitedPassage, supports
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data" / "asking"
FOLDERS = (
    "examples",
    "tests/data/recorded",
    "tests/data/peers",
    *(f"../shared/data/{each}" for each in ("ordinary/peps", "ordinary/legal", "narrative")),
)
RIGHT = ("right", "later")
Row = Mapping[str, Any]


def main() -> None:
    options = _options()
    if options.judge:
        _print_judged(options.half)
        return
    for kind, counts in count(options.half, show=options.show).items():
        share = counts[SUPPORTED] / max(1, counts.total())
        print(f"{kind:10} {counts.total():4} claims, {share:4.0%} supported   {dict(sorted(counts.items()))}")


def count(half: int, *, show: bool = False) -> dict[str, Counter[str]]:
    """Return how many claims of a half have each verdict of the words, by kind."""
    found: dict[str, Counter[str]] = {}
    for each in cases(half):
        counts = found.setdefault(each.kind, Counter())
        if not each.is_present:
            counts["text not present"] += 1
            continue
        verdict = supports(each.claim, list(_passages(each.cited)))
        counts[verdict.level] += 1
        if show and verdict.supported != (each.kind in RIGHT):
            print(f"    {each.kind}, {verdict.level}: {each.claim} ({verdict.reason})")
    return found


def _print_judged(half: int) -> None:
    asked = [each for each in cases(half) if each.is_present]
    by_model, usage = _judged(asked)
    by_words = {each.key: supports(each.claim, list(_passages(each.cited))).level for each in asked}
    after = {key: level if level == SUPPORTED else by_model[key] for key, level in by_words.items()}
    both = {key: join(level, by_model[key]) for key, level in by_words.items()}
    ways = (("words", by_words), ("model", by_model), ("model after words", after), ("both together", both))
    for name, verdicts in ways:
        counts: dict[str, Counter[str]] = {}
        for each in asked:
            counts.setdefault(each.kind, Counter())[verdicts[each.key]] += 1
        print(
            name, *(f"  {kind:10} {counts[kind].total():4} claims, {dict(counts[kind])}" for kind in counts), sep="\n"
        )
    left = sum(level != SUPPORTED for level in by_words.values())
    print(f"{usage.calls} calls asked now: {usage}; {left} of {len(asked)} claims are not supported by words")


def _judged(judged: Sequence[Case]) -> tuple[dict[str, str], Usage]:
    """Return a model's verdict on each case; what is not recorded is asked, ten claims a call, and recorded."""
    recorded = DATA / "judged.jsonl"
    known = {row["key"]: row["verdict"] for row in (rows("judged") if recorded.exists() else ())}
    asked = sorted((each for each in judged if each.key not in known), key=lambda each: each.key)
    groups = [asked[first : first + TOGETHER] for first in range(0, len(asked), TOGETHER)]
    tasks = [
        JudgeClaims(tuple(show(each.question, each.claim, _passages(each.cited)) for each in group)) for group in groups
    ]
    usage = Usage()
    answers = door(Settings()).ask_all(tasks) if tasks else ()
    for group, answer in zip(groups, answers, strict=True):
        usage += answer.usage
        for place, verdict in answer.result().items():
            known[group[place].key] = verdict.level
    lines = (json.dumps({"key": key, "verdict": known[key]}) for key in sorted(known))
    recorded.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return known, usage


@dataclass(frozen=True)
class Case:
    """A claim, and what it is: "right", "later", a kind of wrong ones, or "beside"."""

    kind: str
    question: str
    claim: str
    cited: Sequence[tuple[str, int, int]]

    @property
    def key(self) -> str:
        """What it is called in judged.jsonl: nothing that says whether it is right."""
        return sha256("\n".join((self.question, self.claim)).encode()).hexdigest()[:16]

    @property
    def is_present(self) -> bool:
        """Whether the texts are there that it cites."""
        return all(document(name) for name, *_ in self.cited)


def cases(half: int) -> Iterator[Case]:
    """Yield the claims of a half: right ones, later ones, wrong ones by kind, and those beside the question."""
    claims = {row["id"]: row for row in rows("claims") if row["right"]}
    found = [("right", row["claim"], row) for row in claims.values()]
    found += [("later", row["claim"], row) for row in rows("later_claims") if row["right"]]
    found += [(row["kind"], row["claim"], claims[row["of"]]) for row in rows("planted") if row["of"] in claims]
    found += [("beside", row["claim"], row) for row in rows("beside")]
    for kind, claim, row in found:
        if half_of(row["question"]) == half:
            yield Case(kind, row["question"], claim, row["cited"])


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
        (found,) = files.read([str(path)], graph="claims")
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
        head = table_head(found.text, start)
        near = " ".join(found.text[slice(*each)] for each in ([head] if head else (*before, *after)))
        yield CitedPassage(found.text[start:end], f"{found.title} {section}".replace("_", " "), (), near)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", type=int, choices=(0, 1), default=1)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--judge", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
