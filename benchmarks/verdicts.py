"""How often `kg verify` is right: precision and recall of each verdict, on claims whose verdict is known.

    python benchmarks/verdicts.py                                     the half of tests/data/claims.json kept for this
    python benchmarks/verdicts.py --half 0 --show                     the half that rules were chosen on, every case
    python benchmarks/verdicts.py benchmarks/keyless/kept.zip         claims on ten texts, written to mislead

The halves of claims.json are by the SHA-256 of the claim. Rules were chosen on half 0, on keyless/open and on
second.zip. A passage is a document of the graph. A right claim should be stated; one that is denied, turned round, or
wrong in a value contradicted; one about somebody else, or that the text does not decide, not found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from keyless import _rows, _texts, unpacked

from kg_neo4j import KnowledgeGraph, LoadOptions, SourceText
from kg_neo4j.pipeline.commands.verify import VerifiedClaim

CLAIMS = Path(__file__).resolve().parents[1] / "tests" / "data" / "claims.json"
STATED, CONTRADICTED, NOT_FOUND = VERDICTS = "stated", "contradicted", "not found"
EXPECTED = {
    "supported": STATED,
    "right": STATED,
    **dict.fromkeys(("number", "negated", "swapped", "opposite", "reversed", "value", "wrong_value"), CONTRADICTED),
    **dict.fromkeys(("name", "other", "subject", "wrong_subject", "hypothetical"), NOT_FOUND),
}


class Passages:
    """Passages as a source of documents."""

    name = "passages"

    def __init__(self, entries: Sequence[Mapping[str, str]]) -> None:
        self._entries = entries

    def texts(self) -> Iterator[SourceText]:
        """Yield the passages."""
        for each in self._entries:
            yield SourceText(each["title"], each["text"])


def main() -> None:
    options = _options()
    judged = list(of_texts(options.folder) if options.folder else of_passages(options.half))
    if options.show:
        for kind, claim in judged:
            if claim.verdict != EXPECTED[kind]:
                quote = " ".join(claim.citations[0].quote.split()) if claim.citations else ""
                print(f"    {kind}, {claim.verdict}: {claim.claim} | {quote} {claim.reason}")
    pairs = Counter((EXPECTED[kind], claim.verdict) for kind, claim in judged)
    for verdict in VERDICTS:
        right = pairs[verdict, verdict]
        said = sum(count for (_, given), count in pairs.items() if given == verdict)
        wanted = sum(count for (expected, _), count in pairs.items() if expected == verdict)
        print(f"{verdict:13} precision {_share(right, said)}  recall {_share(right, wanted)}")
    print("right claims called contradicted:", pairs[STATED, CONTRADICTED])
    print("wrong claims called stated:", dict(Counter(k for k, c in judged if c.verdict == STATED != EXPECTED[k])))


def of_passages(half: int) -> Iterator[tuple[str, VerifiedClaim]]:
    """Yield the claims of one half, each with its kind, verified on a graph of all passages."""
    entries = json.loads(CLAIMS.read_text(encoding="utf-8"))
    with KnowledgeGraph("verdicts-passages") as graph:
        graph.load(Passages(entries), options=LoadOptions(analytics=False))
        for entry in entries:
            kinds = {each["text"]: each["kind"] for each in entry["claims"] if _half(each["text"]) == half}
            yield from _verified(graph, kinds)


def of_texts(folder: Path) -> Iterator[tuple[str, VerifiedClaim]]:
    """Yield the claims on the texts of a folder or ZIP file, each verified on a graph of its text."""
    with unpacked(folder) as unzipped:
        for name, path in _texts(unzipped, ()):
            with KnowledgeGraph(f"verdicts-{name}".replace("_", "-")) as graph:
                graph.load(path, options=LoadOptions(analytics=False))
                rows = _rows(unzipped, name, "claims")
                yield from _verified(graph, {row["claim"]: row.get("kind") or row["fault"] or "right" for row in rows})


def _verified(graph: KnowledgeGraph, kinds: Mapping[str, str]) -> Iterator[tuple[str, VerifiedClaim]]:
    found = graph.verify("\n\n".join(kinds)) if kinds else None
    for each in found.claims if found else ():
        if each.claim in kinds:  # but not a part of a claim that was read as two sentences
            yield kinds[each.claim], each


def _half(claim: str) -> int:
    return int(hashlib.sha256(claim.encode()).hexdigest(), 16) % 2


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole}={part / whole:.2f}" if whole else "-"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="texts with claims; else tests/data/claims.json")
    parser.add_argument("--half", type=int, choices=(0, 1), default=1, help="of claims.json")
    parser.add_argument("--show", action="store_true", help="print every claim that was not verified as expected")
    return parser.parse_args()


if __name__ == "__main__":
    main()
