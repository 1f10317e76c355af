"""The sorted export: one JSON object a line, without times, run ids or vectors, so that equal graphs give equal bytes.

Lines come in a fixed order of kinds and, within a kind, of ids. Object keys are sorted; text is UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TextIO

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database

# Written by runs, not by content: left out. Vectors are stored answers and differ between models.
LEFT_OUT = ("embedding", "embedding_hash", "embedding_model", "recorded", "display_number")
NODE_KINDS = ("Answer", "Chunk", "Community", "Decision", "Detail", "Document", "Entity", "Fact", "Summary")


def export(database: Database, graph: str, file: TextIO) -> int:
    """Write all nodes and relationships of `graph` as JSON lines to `file` and return their number."""
    count = 0
    for line in lines(database, graph):
        file.write(line + "\n")
        count += 1
    return count


def lines(database: Database, graph: str) -> Iterator[str]:
    """Yield the lines of the export without their line ends."""
    for kind in NODE_KINDS:
        for row in database.stream(queries.get("write/export_nodes"), graph=graph, label=kind):
            properties = {name: value for name, value in row["properties"].items() if name not in LEFT_OUT}
            yield _line({"kind": "node", "labels": sorted(row["labels"]), "properties": properties})
    for kind in NODE_KINDS:
        for row in database.stream(queries.get("write/export_relationships"), graph=graph, label=kind):
            properties = {name: value for name, value in row["properties"].items() if name not in LEFT_OUT}
            ends = {"start": row["start"], "end": row["end"]}
            yield _line({"kind": "relationship", "type": row["type"], **ends, "properties": properties})


def _line(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
