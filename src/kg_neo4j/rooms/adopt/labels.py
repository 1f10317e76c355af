"""Labels of the other graph in queries of a model: entities that have rows of a label are read by it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Reader

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")  # what a query that a model writes can say


def read_labels(reader: Reader, graph: str, own: Collection[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return how the keys of rows begin, by label, and a line about each label for a prompt.

    Left out are labels that `graph` has as its own, and those that a query cannot name.
    """
    starts: dict[str, list[str]] = {}
    lines: list[str] = []
    for row in reader.read(queries.get("adopt/labels"), graph=graph):
        there = json.loads(row["adopted"])
        if _PLAIN.fullmatch(there["label"]) and there["label"] not in own:
            starts.setdefault(there["label"], []).append(row["start"])
            names = (
                name if name == column else f"{name} (there {column})" for name, column in there["columns"].items()
            )
            all_names = " ".join(", ".join(names).split())
            lines.append(
                f"(:{there['label']} {{{all_names}}})  {row['rows']:,} of the Entity nodes, rows of another graph"
            )
    return starts, lines
