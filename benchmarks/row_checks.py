"""What do the checks of rows flag? Rows of a large model, and rows that a reader made wrong on purpose.

    python benchmarks/row_checks.py FOLDER     of texts: those that tests/data/recorded/README.md names

The passages of extraction_unseen.jsonl are found in the texts by their SHA-256. Each answer is read as `kg load` reads
it, then once more for each of its planted rows, which takes the place of the row it was made from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from kg_neo4j.acquire import files  # noqa: E402 - after the path is set
from kg_neo4j.extract import schema as schemas  # noqa: E402
from kg_neo4j.extract.reading import Reading, Shown, interpret  # noqa: E402
from kg_neo4j.records import Chunk, Extraction, ModelAnswer, NodeRow, RelationshipRow  # noqa: E402

RECORDED = HERE.parent / "tests" / "data" / "recorded"
POLISH = "lalka"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", type=Path, help="a folder; its folders are searched, too")
    options = parser.parse_args(arguments)
    answers = _lines("extraction_unseen.jsonl")
    planted: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for each in _lines("planted_rows.jsonl"):
        planted[each["document"], each["chunk"]].append(each)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for said in answers:
        language = "Polish" if said["document"].startswith(POLISH) else "English"
        text = passage(options.texts, said)
        right = read(said, text, said["answer"])
        rows = rows_of(right)
        found["right rows flagged"][language] += sum(bool(row.flags) for row in rows)
        found["right rows flagged"][f"{language}, all"] += len(rows)
        for each in planted[said["document"], said["chunk"]]:
            if each["row"] not in said["answer"].splitlines():
                raise SystemExit(f"not a row of the answer: {each['row']}")
            wrong = read(said, text, said["answer"].replace(each["row"], each["planted"], 1))
            noticed = _flagged(wrong) - _flagged(right) or len(wrong.rejections) > len(right.rejections)
            found[f"{each['kind']} noticed"][language] += bool(noticed)
            found[f"{each['kind']} noticed"][f"{language}, all"] += 1
    for name, counts in sorted(found.items()):
        shown = (f"{counts[each]:>4} of {counts[f'{each}, all']:<4} {each}" for each in ("English", "Polish"))
        print(f"{name:<30}" + "   ".join(shown))


def passage(folder: Path, said: Mapping[str, Any]) -> str:
    """Return the text that an answer was given to."""
    length = said["offsets"][-1][1]
    for file in sorted(folder.rglob("*.txt")):
        read_by_us = next(iter(files.read([str(file)], graph="main")))
        for text in (file.read_text(encoding="utf-8", errors="replace"), getattr(read_by_us, "text", "")):
            for start in range(len(text) - length + 1):
                if start and not text[start - 1].isspace():
                    continue
                if hashlib.sha256(text[start : start + length].encode()).hexdigest() == said["sha256"]:
                    return text[start : start + length]
    raise SystemExit(f"the text of {said['document']} is not in {folder}")


def read(said: Mapping[str, Any], text: str, answer: str) -> Extraction:
    """Read an answer as a load does."""
    chunk = Chunk("c" * 32, "d" * 32, "main", 0, text, 0, 0, len(text))
    offsets = tuple((start, end) for start, end in said["offsets"])
    given = ModelAnswer(answer, "model", "prompt", "stop", offsets=offsets, around=said.get("around") or "-")
    return interpret(chunk, [given], Reading(schemas.load("lean"), "flag", "c"), Shown(text, offsets=offsets))


def rows_of(extraction: Extraction) -> list[NodeRow | RelationshipRow]:
    """Return all accepted rows."""
    return [*extraction.nodes, *extraction.relationships]


def _flagged(extraction: Extraction) -> Counter[tuple[int, str]]:
    return Counter((row.line, flag) for row in rows_of(extraction) for flag in row.flags)


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (RECORDED / name).read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
