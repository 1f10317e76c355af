"""How often the rules know whom a pronoun means, against pronouns that were read by hand.

    python benchmarks/coreference.py [--wrong] ../shared/data

benchmarks/pronouns.jsonl holds, for each text, [offset, word, pattern of the names that are right] of every n-th
pronoun outside direct speech; an empty pattern means that nobody named is meant. The set "tuned" was looked at while
the rules were made; "unseen" was read and written down before they were tried on it, and tried once. Re-DocRED itself
marks no pronouns.

Printed for each set: pronouns with the right referent, a wrong one, none; and what naming the document's subject every
time would give.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kg_neo4j._models import tokens
from kg_neo4j.acquire import chunking
from kg_neo4j.records import Document
from kg_neo4j_lab.extraction import gold
from kg_neo4j_offline.extractor import extractor
from kg_neo4j_offline.extractor.document_subject import topic_of
from kg_neo4j_offline.extractor.entities import EntityDraft
from kg_neo4j_offline.extractor.ner import find_trained
from kg_neo4j_offline.extractor.parsed_text import sentences

HERE = Path(__file__).resolve().parent
CHUNK_TOKENS = 1_200  # the default of `kg load`


def main() -> None:
    folder = Path(sys.argv[-1])
    totals: dict[str, Counter[str]] = {}
    passages = {passage.title: passage.text for passage in gold.read(folder / "redocred" / "dev_revised.json").passages}
    for line in (HERE / "pronouns.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        source = row["source"]
        text = passages[row["title"]] if source == "redocred" else _path(source, folder).read_text(encoding="utf-8")
        document = _document(source, row["title"], text)
        meant = dict(_referents(document))
        for at, word, pattern in row["pronouns"]:
            assert text[at : at + len(word)] == word, f"{source} has changed"
            said = meant.get(at)
            outcome = _outcome(said, pattern)
            group = f"{row['set']}, {'passages' if source == 'redocred' else 'whole texts'}"
            for name in (group, row["set"]):
                counts = totals.setdefault(name, Counter())
                counts[outcome] += 1
                counts["pronouns"] += 1
                counts["subject"] += bool(pattern and re.search(pattern, _subject(document)))
            if "--wrong" in sys.argv and not outcome.startswith("right"):
                print(f"{outcome}: {source} {row['title']} at {at}: {word} -> {said}, right is {pattern or 'nobody'}")
    for name, counts in sorted(totals.items()):
        linked = counts["right"] + counts["wrong"]
        print(
            f"{name:22} {counts['pronouns']:3} pronouns: right {counts['right']:3}, wrong {counts['wrong']}, "
            f"none {counts['none']}, rightly none {counts['rightly none']}; precision {counts['right'] / linked:.3f}; "
            f"the subject every time: {counts['subject']}"
        )


def _referents(document: Document) -> Iterator[tuple[int, str]]:
    """Yield (offset into the document, name of whom the word means) for all words that mean somebody."""
    for chunk in chunking.chunk(document, tokens.load(), max_tokens=CHUNK_TOKENS):
        parsed = sentences(chunk.text)
        extractor.read(chunk.text, parsed, find_trained(chunk.text), topic_of(document, chunk))
        for sentence in parsed:
            for item in sentence.items:
                if isinstance(item.entity, EntityDraft):
                    yield chunk.start + item.start, item.entity.name


def _outcome(said: str | None, pattern: str) -> str:
    if said is None:
        return "none" if pattern else "rightly none"
    return "right" if pattern and re.search(pattern, said) else "wrong"


def _subject(document: Document) -> str:
    first = next(iter(chunking.chunk(document, tokens.load(), max_tokens=CHUNK_TOKENS)))
    topic = topic_of(document, first)
    return topic.name if topic is not None else document.title


def _document(source: str, title: str, text: str) -> Document:
    name = title or Path(source).stem
    return Document("d" * 32, "g", "file", name, name, name, text, "0" * 64, language="en")


def _path(source: str, folder: Path) -> Path:
    shared = "../shared/data/"
    return folder / source.removeprefix(shared) if source.startswith(shared) else HERE.parent / source


if __name__ == "__main__":
    main()
