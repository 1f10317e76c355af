"""The annotated passages of Re-DocRED as running text, and passages of the same style without annotation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from training.split import is_test, part

from kg_neo4j_lab.extraction import gold

LABELS = ("PER", "LOC", "ORG", "MISC", "TIME", "NUM")

Span = tuple[int, int, str]  # characters, the end exclusive, and the type


@dataclass(frozen=True)
class Passage:
    """A passage as it would be read: running text, and where the mentions stand in it."""

    title: str
    text: str
    spans: tuple[Span, ...] = ()
    words: tuple[str, ...] = ()  # the data set's own tokens


def annotated(data: Path, *parts: str) -> list[Passage]:
    """Return the passages of Re-DocRED whose titles fall into `parts`."""
    passages = gold.read(data / "redocred" / "dev_revised.json").passages
    return [_passage(each) for each in passages if part(each.title) in parts]


def unannotated(data: Path) -> list[Passage]:
    """Return the passages of the three multi-hop sets, each text once, none with a title that falls into the test."""
    found: dict[str, Passage] = {}
    for name in ("2wiki_dev", "musique_dev", "hotpotqa_dev"):
        with (data / "multihop" / name / "corpus.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if not is_test(row["title"]):
                    found.setdefault(row["text"], Passage(row["title"], row["text"]))
    return list(found.values())


def _passage(read: gold.GoldPassage) -> Passage:
    mentions = {(each.start, each.end, each.type) for entity in read.entities for each in entity.mentions}
    words = [read.text[start:end] for places in read.tokens for start, end in places if start < end]
    return Passage(read.title, read.text, tuple(sorted(mentions)), tuple(words))
