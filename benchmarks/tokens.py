"""Compare the approximate tokeniser with o200k_base on texts: NAME=FILE,FILE ... (docs/decisions/0002-tokens.md)."""

from __future__ import annotations

import sys
from pathlib import Path

from kg_neo4j._models import tokens
from kg_neo4j.acquire import chunking
from kg_neo4j.records import Document


def compare(name: str, texts: list[str]) -> str:
    """Return a row: characters, true tokens, approximate / true, the same for the lowest and the highest chunk."""
    true, ours = tokens.load("o200k_base"), tokens.load("approximate-1")
    if true.name != "o200k_base":
        sys.exit("the encoding cannot be had: set TIKTOKEN_CACHE_DIR")
    total = sum(map(true.count, texts))
    documents = [Document("0" * 32, "g", "file", name, name, name, text, "") for text in texts]
    chunks = [chunk for document in documents for chunk in chunking.chunk(document, true)]
    spread = [ours.count(chunk.text) / chunk.token_count for chunk in chunks]
    ratio = sum(map(ours.count, texts)) / total
    return f"{name} {sum(map(len, texts)):,} {total:,} {ratio:.3f} {min(spread):.2f} {max(spread):.2f}"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        given, _, files = argument.partition("=")
        print(compare(given, [Path(file).read_text(encoding="utf-8-sig") for file in files.split(",")]))
