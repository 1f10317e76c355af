"""The sorted export: one JSON object a line, without times, run ids or vectors, so that equal graphs give equal bytes.

Nodes come first, by label and id, then relationships, by start, type and end. Object keys are sorted; text is UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database

# Written by runs, not by content: left out, like the spelling of a path. Vectors differ between models; an answer may
# come from the cache, where what it took is not always known. The number of a community (export_nodes leaves it out,
# too) is kept as long as most of its members stay together, so it depends on what was loaded before.
LEFT_OUT = (
    *("embedding", "embedding_hash", "recorded", "community", "source", "origin", "resolve_run"),
    *("input_tokens", "output_tokens", "cached"),
    *("fit", "answers"),  # of trees: their clusters and what they rest on, as vectors and answers are
)


def export(database: Database, graph: str, file: TextIO) -> int:
    """Write all nodes and relationships of `graph` as JSON lines to `file` and return their number."""
    count = 0
    for line in lines(database, graph):
        file.write(line + "\n")
        count += 1
    return count


def export_file(database: Database, graph: str, target: Path) -> int:
    """Write the export to `target`, whole or not at all, and return the number of lines."""
    partial = target.with_name(target.name + ".partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            count = export(database, graph, file)
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
    return count


def lines(database: Database, graph: str) -> Iterator[str]:
    """Yield the lines of the export without their line ends."""
    for row in database.stream(queries.get("write/export_nodes"), graph=graph):
        yield _line({"kind": "node", "labels": sorted(row["labels"]), "properties": _kept(row["properties"])})
    for row in database.stream(queries.get("write/export_relationships"), graph=graph):
        ends = {"start": row["start"], "end": row["end"]}
        yield _line({"kind": "relationship", "type": row["type"], **ends, "properties": _kept(row["properties"])})


def _kept(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name not in LEFT_OUT and value is not None}


def _line(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
