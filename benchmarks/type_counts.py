"""Hubs and types of a graph made of recorded answers of a large model; and what `kg types propose` makes of them.

    python benchmarks/type_counts.py TEXT [--sample changed.txt] [--model]

TEXT is the file whose chunks were recorded (tests/data/recorded/README.md says which). Without recorded answers
(`--offline`) the built-in rules read it. The graph is made in the database of the settings under the name
`bench-types`, and deleted. With `--model` the model of the settings proposes, otherwise the table of synonyms.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

from kg_neo4j import Settings, load
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import FollowUp
from kg_neo4j.graph.connection import connect
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.pipeline.commands.report import report
from kg_neo4j.pipeline.options import LoadOptions
from kg_neo4j.progress import SILENT
from kg_neo4j.records import ModelAnswer
from kg_neo4j.rooms.types.deciding import NODE, RELATIONSHIP, decide_types, list_types
from kg_neo4j.rooms.types.proposing import propose_types

RECORDED = Path(__file__).parents[1] / "tests" / "data" / "recorded"
GRAPH = "bench-types"
EMPTY = "sentences,node_id,node_type,name\n"


class Recorded:
    """An extractor that says what was recorded of a chunk, by the hash of its text."""

    name, config_hash, converses, notes = "recorded", "recorded-types", True, ()

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        for path in sorted(RECORDED.glob("extraction_*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                if row["task"] == "extract" and row["schema"] == "lean":
                    known = self.answers.get(row["sha256"], {"wording": 0})
                    self.answers[row["sha256"]] = max(known, row, key=lambda each: int(each.get("wording", 0)))
        self.found = 0

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        """Return what was recorded."""
        row = self.answers.get(hashlib.sha256(task.chunk.text.encode()).hexdigest())
        if row is None:
            return ModelAnswer(EMPTY, self.name, "recorded", "stop")
        self.found += 1
        raw = row["offsets"]
        places = json.loads(raw) if isinstance(raw, str) else raw
        offsets = tuple((int(start), int(end)) for start, end in places)
        return ModelAnswer(str(row["answer"]), self.name, "recorded", "stop", offsets=offsets, around="")

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        """Return no more rows: rows that need a repair stay rejected."""
        return ModelAnswer(EMPTY, self.name, "recorded", "stop", step=question.step)

    def keep(self, answer: ModelAnswer) -> None:
        """Nothing is paid for."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the graph")
    parser.add_argument("--sample", type=Path, help="file for the changes")
    given = parser.parse_args()
    settings = Settings(graph=GRAPH)
    quiet = settings if given.model else settings.model_copy(update={"model": None, "openai_base_url": None})
    with connect(settings, SILENT, to_write=True, as_it_is=True) as database:
        delete_graph(database, GRAPH)
    recorded = None if given.offline else Recorded()
    made = load([str(given.text)], settings=quiet, options=LoadOptions(gleanings=0, wave=0), extractor=recorded)
    print(f"nodes {made.nodes}, relationships {made.relationships}, notes {made.notes}")
    if recorded:
        print(f"recorded answers {recorded.found} of {made.chunks} chunks")
    show(settings)
    print("most connected:", report("most-connected", settings=settings, parameters={"limit": 10}).rows)
    print("same names:", report("same-names", settings=settings).rows)
    proposed = propose_types(settings=quiet)
    decided = decide_types(proposed.changes, settings=quiet, rule=proposed.proposed_by)
    print(f"proposed by {proposed.proposed_by}: {len(proposed.changes)} changes, chunks {decided.chunks}")
    show(settings)
    if given.sample:
        lines = [f"{each.kind} {each.type} -> {each.becomes} {each.inverse} {each.reason}" for each in proposed.changes]
        given.sample.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if not given.keep:
        with connect(settings, SILENT, to_write=True, as_it_is=True) as database:
            delete_graph(database, GRAPH)


def show(settings: Settings) -> None:
    """Print how many types there are, and which is the largest."""
    types = list_types(settings=settings)
    for kind in (NODE, RELATIONSHIP):
        sizes = Counter({each.type: each.count for each in types if each.kind == kind})
        top = ", ".join(f"{name} {count}" for name, count in sizes.most_common(5))
        taken = max((sizes[each.type] for each in types if each.kind == kind and each.includes), default=0)
        share = taken / max(1, sizes.total())
        print(f"{kind} types {len(sizes)} of {sizes.total()}; largest {top}; largest that takes others in {share:.0%}")


if __name__ == "__main__":
    main()
