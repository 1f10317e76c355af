"""Names with one bearer, or two: which pairs of rows become one node, and about which there is a question.

    python benchmarks/homonyms.py [NUMBER] [--wrong] [--answers FILE]
    python benchmarks/homonyms.py --recorded

A file of tests/data/names has pairs of rows of two documents. Nothing is stored: the rules that settle rows and those
of `kg resolve` are called as they are, with the rows' types, years, roles and places. With `--answers` the questions
are put to a model, as `kg resolve` does: what the file does not know is asked of the model of the settings, and added.
`--wrong` lists the pairs that are joined and should not be, and those that are apart without a question.
`--recorded` lists the names that the recorded answers of a large model give several types of one family: all answers on
one text together, whatever was asked.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import io
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg_neo4j import Settings, factory
from kg_neo4j.extract.values import ValueRefused, parse_year
from kg_neo4j.graph.database import batches
from kg_neo4j.graph.identity import mention_key, normalise
from kg_neo4j.graph.resolution.bearers import Gathered, kind_of
from kg_neo4j.graph.resolution.candidates import Sources
from kg_neo4j.graph.resolution.decisions import components
from kg_neo4j.graph.resolution.derived import changed_decisions
from kg_neo4j.graph.resolution.judgement import PAIRS, ComparePairs, pairs_text
from kg_neo4j.graph.resolution.proposals import ASKED, Proposal, propose
from kg_neo4j.rooms.namesakes.conflicts import questions
from kg_neo4j.rooms.namesakes.near import with_near_names

NAMES = Path(__file__).parents[1] / "tests" / "data" / "names"


@dataclass(frozen=True)
class Outcome:
    """What became of a pair by rules, and what `kg resolve` asks about it."""

    rows: list[dict[str, str]]
    joined: bool
    asked: Proposal | None

    def after(self, answers: dict[int, bool | None]) -> str:
        """Return what becomes of it with a model's answers, by the identity of the question."""
        same = answers.get(id(self.asked))
        if self.asked and self.asked.score >= ASKED and same is None:
            return "joined, asked" if self.joined else "apart, asked"
        return "joined" if (self.joined if same is None else same) else "apart"


def outcome(rows: list[dict[str, str]]) -> Outcome:
    """Return what the rules make of two rows."""
    gathered = Gathered()
    found: dict[str, tuple[str, list[Any], list[Any]]] = {}
    for row in rows:
        key = mention_key("homonyms", row["name"], row["type"])
        _, names, documents = found.setdefault(key, (row["type"], [], []))
        names.append((row["name"], 1))
        documents.append((row["document"], 0, year(row["start_date"]), year(row["end_date"])))
    mentioned = [gathered.mentioned(key, *of) for key, of in found.items()]
    keys, made = changed_decisions("homonyms", mentioned, Sources(), ())
    decisions = [each.decision for each in made]
    shown = components(decisions)
    joined = len({shown.entity(each.key) for each in keys}) == 1
    if joined:
        given = ([[row[each]] if row[each] else [] for each in ("role", "location")] for row in rows)
        said = [[row["document"], row["document"], *values] for row, values in zip(rows, given, strict=True)]
        asked = next(questions([{"key": keys[0].key, "said": said}], keys, decisions), None)
    else:
        proposed = with_near_names(keys, propose(keys, Sources(), decisions))
        asked = next(iter(proposed.open), None)
    return Outcome(rows, joined, asked)


def judge(outcomes: list[Outcome], path: Path) -> dict[int, bool | None]:
    """Return a model's answers, those of the file and new ones, by the identity of the question; keep the new ones."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    known = {row["prompt"]: row["answer"] for row in map(json.loads, lines)}
    asked = [each for each in outcomes if each.asked]
    tasks = []
    for some in batches(asked, PAIRS):
        sides = [
            (side, [[", ".join(filter(None, (row["role"], row["location"]))), row.get("quote"), row["document"]]])
            for each in some
            if each.asked
            for side in (each.asked.left, each.asked.right)
            for row in each.rows
            if row["document"] in side.documents
        ]
        tasks.append((some, ComparePairs(pairs_text(sides), len(some))))
    prompts = [hashlib.sha256(task.shown.encode()).hexdigest() for _, task in tasks]
    new = {prompt: task for prompt, (_, task) in zip(prompts, tasks, strict=True) if prompt not in known}
    for prompt, answer in zip(new, factory.door(Settings()).ask_all([*new.values()]) if new else [], strict=True):
        if answer.value is None:
            raise SystemExit(f"no answer: {answer.problem}")
        known[prompt] = {str(number): said for number, said in answer.value[0].items()}
    answers = {
        id(each.asked): known[prompt].get(str(number), [None])[0]
        for prompt, (some, _) in zip(prompts, tasks, strict=True)
        for number, each in enumerate(some)
    }
    if new:
        text = "".join(json.dumps({"prompt": prompt, "answer": known[prompt]}) + "\n" for prompt in known)
        path.write_text(text, encoding="utf-8")
    return answers


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
    parser.add_argument("number", nargs="?", type=int, default=1)
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--recorded", action="store_true")
    given = parser.parse_args()
    if given.recorded:
        recorded()
        return
    pairs = [
        json.loads(line) for line in (NAMES / f"homonyms_{given.number}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    outcomes = [outcome(pair["rows"]) for pair in pairs]
    answers = judge(outcomes, given.answers) if given.answers else {}
    counts: Counter[tuple[str, str]] = Counter()
    for pair, each in zip(pairs, outcomes, strict=True):
        became = each.after(answers)
        counts[pair["kind"], became] += 1
        if given.wrong and became == {"two": "joined", "one": "apart"}[pair["kind"]]:
            print(pair["kind"], pair["pair"], [(row["name"], row["type"]) for row in pair["rows"]])
    for kind in ("two", "one"):
        print(kind, {became: count for (of, became), count in sorted(counts.items()) if of == kind})


if __name__ == "__main__":
    main()
