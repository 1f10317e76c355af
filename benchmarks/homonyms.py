"""Names with one bearer, or two: which pairs of rows become one node, and about which there is a question.

    python benchmarks/homonyms.py [--unseen] [--wrong]
    python benchmarks/homonyms.py --recorded

Each pair of tests/data/names is two rows of two documents. Nothing is stored: the rules that settle rows and those of
`kg resolve` are called as they are, with the rows' types, years, roles and places. `--wrong` lists the pairs that are
joined and should not be, and those that are apart without a question. `--recorded` lists the names that the recorded
answers of a large model give several types of one family: all answers on one text together, whatever was asked.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from kg_neo4j.extract.values import ValueRefused, parse_year
from kg_neo4j.graph.identity import mention_key, normalise
from kg_neo4j.graph.resolution.bearers import Gathered, kind_of
from kg_neo4j.graph.resolution.candidates import Sources
from kg_neo4j.graph.resolution.decisions import components
from kg_neo4j.graph.resolution.derived import changed_decisions
from kg_neo4j.graph.resolution.proposals import propose
from kg_neo4j.rooms.namesakes.conflicts import may_be_two

NAMES = Path(__file__).parents[1] / "tests" / "data" / "names"


def outcome(rows: list[dict[str, str]]) -> str:
    """Return "joined", "asked to join", "asked to part" (joined, with a question) or "apart"."""
    gathered = Gathered()
    found: dict[str, tuple[str, list[Any], list[Any]]] = {}
    for row in rows:
        key = mention_key("homonyms", row["name"], row["type"])
        _, names, documents = found.setdefault(key, (row["type"], [], []))
        names.append((row["name"], 1))
        documents.append((row["document"], 0, year(row["start_date"]), year(row["end_date"])))
    mentioned = [gathered.mentioned(key, *of) for key, of in found.items()]
    keys, made = changed_decisions("homonyms", mentioned, Sources(), ())
    shown = components(each.decision for each in made)
    if len({shown.entity(each.key) for each in keys}) == 1:
        one, other = (([row["role"]], [row["location"]]) for row in rows)
        return "asked to part" if may_be_two(one, other) else "joined"
    asked = propose(keys, Sources(), [each.decision for each in made]).proposals
    return "asked to join" if asked else "apart"


def year(text: str) -> list[int]:
    """Return the year of a date, if it has one that can be read."""
    with contextlib.suppress(ValueRefused):
        return [parse_year(text, "date")] if text else []
    return []


def recorded() -> None:
    """Print the names that the rule of one family joins in recorded answers, with what is said of them."""
    said: defaultdict[tuple[str, str, str], defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in sorted((NAMES.parent / "recorded").glob("extraction_*.jsonl")):
        for answer in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            header: list[str] = []
            for row in csv.reader(io.StringIO(answer["answer"] or "")):
                header = row if "node_type" in row else [] if "relationship_type" in row else header
                given = dict(zip(header, row, strict=False)) if row != header and len(row) == len(header) else {}
                if given:
                    kind = kind_of(given["node_type"].upper())
                    of = (answer["document"], normalise(given["name"]), kind.family)
                    said[of][kind.type].add(given.get("role") or given.get("description") or "")
    joined = {of: types for of, types in sorted(said.items()) if len(types) > 1}
    for (document, name, _), types in joined.items():
        print(f"{document}: {name}: {'; '.join(f'{each} {sorted(words)[-1][:60]}' for each, words in types.items())}")
    print(f"{len(joined)} names")


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unseen", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--recorded", action="store_true")
    given = parser.parse_args()
    if given.recorded:
        recorded()
        return
    path = NAMES / ("homonyms_unseen.jsonl" if given.unseen else "homonyms.jsonl")
    counts: Counter[tuple[str, str]] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        became = outcome(pair["rows"])
        counts[pair["kind"], became] += 1
        if given.wrong and became == {"two": "joined", "one": "apart"}[pair["kind"]]:
            print(pair["kind"], pair["pair"], [(row["name"], row["type"]) for row in pair["rows"]])
    for kind in ("two", "one"):
        print(kind, {became: count for (of, became), count in sorted(counts.items()) if of == kind})


if __name__ == "__main__":
    main()
