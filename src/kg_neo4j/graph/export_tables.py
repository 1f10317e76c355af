"""The entities and relationships of a graph in formats of other tools: CSV and GraphML. Evidence is not in them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import whole

LINES = (".jsonl", ".ndjson", ".json", ".gz")  # written by export.py
SUFFIXES = (".csv", ".graphml")
_NODE = {
    "name": "string",
    "type": "string",
    "description": "string",
    "evidence": "long",
    "community": "long",
    "pagerank": "double",
}
_EDGE = {"type": "string", "evidence": "long", "fact_id": "string"}
_COLUMNS = ("source", "target", *_EDGE)  # of the CSV of relationships
_XML_REFUSES = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "")


@dataclass(frozen=True, slots=True)
class TablesReport:
    """What was written, and where."""

    paths: tuple[Path, ...]
    nodes: int
    relationships: int


def check(target: Path) -> None:
    """Raise UsageError for a file whose suffix names no format of an export."""
    if target.suffix.lower() not in (*LINES, *SUFFIXES):
        raise UsageError(
            f"no format has the suffix {target.suffix!r}", hint=f"{target.stem}.jsonl, {target.stem}.csv or .graphml"
        )


def export_tables(database: Database, graph: str, target: Path) -> TablesReport:
    """Write `target`, a .graphml file, or for a .csv file NAME-nodes.csv and NAME-relationships.csv next to it.

    Nodes are in the order of their ids, relationships of source, type and target. Each file is written whole or not at
    all. Raises UsageError where it cannot be written.
    """
    nodes = database.read(queries.get("retrieve/all_entities"), graph=graph)
    relationships = database.read(queries.get("retrieve/all_relationships"), graph=graph)
    paths: tuple[Path, ...] = (target,)
    if target.suffix.lower() == ".csv":
        paths = tuple(target.with_name(f"{target.stem}-{part}.csv") for part in ("nodes", "relationships"))
        for path, rows, columns in zip(paths, (nodes, relationships), (("id", *_NODE), _COLUMNS), strict=True):
            _write_csv(path, columns, rows)
    else:
        with whole(target) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in _graphml(nodes, relationships))
    return TablesReport(paths, len(nodes), len(relationships))


def _write_csv(path: Path, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
    with whole(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(columns), extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _graphml(nodes: Iterable[Mapping[str, Any]], relationships: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for kind, columns in (("node", _NODE), ("edge", _EDGE)):
        for name, type_ in columns.items():
            yield f'<key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>'
    yield '<graph edgedefault="directed">'
    for row in nodes:
        yield f"<node id={quoteattr(row['id'])}>{_data('node', _NODE, row)}</node>"
    for row in relationships:
        ends = f"source={quoteattr(row['source'])} target={quoteattr(row['target'])}"
        yield f"<edge {ends}>{_data('edge', _EDGE, row)}</edge>"
    yield "</graph>"
    yield "</graphml>"


def _data(kind: str, columns: Iterable[str], row: Mapping[str, Any]) -> str:
    return "".join(
        f'<data key="{kind}_{name}">{escape(str(row[name]).translate(_XML_REFUSES))}</data>'
        for name in columns
        if row[name] is not None
    )
