"""The built-in extractor on every text of ../shared/data: it raises nothing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest

from kg_neo4j._models import tokens
from kg_neo4j.acquire.chunking import chunk
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk
from kg_neo4j.records import ChunkOutcome
from kg_neo4j_offline.extractor.extractor import OfflineExtractor
from offline_reading import document

SHORTEST = 40  # characters of a string in a table or in JSON that is read as a text


def strings(value: Any) -> Iterator[str]:
    """Yield the strings of a JSON value; lists of words are joined to sentences."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        yield " ".join(value)
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def texts(path: Path) -> Iterator[str]:
    """Yield what a file has to read: all of it, or the strings of its rows."""
    if path.suffix == ".parquet":
        yield from (each for row in pandas.read_parquet(path).to_dict("records") for each in strings(row))
        return
    whole = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text, kind = whole.decode("utf-8", "replace"), path.name.removesuffix(".gz").rpartition(".")[2]
    if kind == "json":
        yield from strings(json.loads(text))
    elif kind == "jsonl":
        yield from (each for line in text.splitlines() if line.strip() for each in strings(json.loads(line)))
    elif kind == "conllu":
        sentences = [line.partition("= ")[2] for line in text.splitlines() if line.startswith("# text = ")]
        yield from ("\n".join(sentences[first : first + 40]) for first in range(0, len(sentences), 40))
    else:
        yield text


@pytest.mark.long
@pytest.mark.timeout(7_200)
def test_no_text_raises(shared_data: Path, record_property: Any) -> None:
    schema, tokeniser = schemas.load("described"), tokens.load()
    config = ExtractionConfig(schema, OfflineExtractor(schema))
    read, failed = 0, []
    for path in sorted(each for each in shared_data.rglob("*") if each.is_file()):
        for text in dict.fromkeys(each for each in texts(path) if len(each) >= SHORTEST):
            whole = document(text, path.stem)
            found = [extract_chunk(ChunkTask(whole, part), config) for part in chunk(whole, tokeniser)]
            read += len(found)
            failed += [(path.name, each.detail) for each in found if each.outcome is ChunkOutcome.FAILED]
    record_property("figures", f"{read} chunks of ../shared/data read without a model, {len(failed)} failed")
    assert failed == []
    assert read > 10_000
