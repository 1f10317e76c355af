"""A file that holds a graph is no text: `kg load` names the command that reads it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kg_neo4j.acquire import files
from kg_neo4j.graph import archive
from kg_neo4j.graph.archive_records import Header
from kg_neo4j.records import Document, SkippedSource

EXPORT = b'{"kind":"node","labels":["Answer"],"properties":{"graph":"main","id":"a"}}\n'


def read(path: Path) -> Document | SkippedSource:
    (found,) = files.read([str(path)], graph="g")
    return found


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    "data",
    [EXPORT, EXPORT * 900, archive.first_line(Header("main", True)) + EXPORT],
    ids=["export", "long export", "archive"],
)
def test_a_graph_is_skipped_and_the_command_that_reads_it_is_named(
    tmp_path: Path, data: bytes, compressed: bool
) -> None:
    path = tmp_path / "graph.jsonl"
    path.write_bytes(gzip.compress(data) if compressed else data)
    found = read(path)
    assert isinstance(found, SkippedSource)
    assert found.reason == f"a graph, not a text (`kg import {path}` brings it back)"


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "event", "labels": ["a"], "properties": {}}\n{"kind": "event"}\n',
        '{"text":"Ada met Charles.","labels":["PERSON"]}\n',
        'The line {"kind":"node","labels":["Answer"],"properties":{ begins an export.\n',
    ],
)
def test_json_lines_of_something_else_stay_a_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(text, "utf-8")
    found = read(path)
    assert isinstance(found, Document)
    assert found.text.strip() == text.strip()
