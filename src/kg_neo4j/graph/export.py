"""The sorted export: one JSON object a line, without times, run ids or vectors, so that equal graphs give equal bytes.

Nodes come first, by label and id, then relationships, by start, type and end. Object keys are sorted; text is UTF-8.
Entities and relationships alone, each with a quote, go to CSV and GraphML for other tools.
An archive holds all that kg-neo4j wrote, and is what `graph/importing.py` reads back; its format is in `archive`.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import heapq
import itertools
import json
import operator
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import archive, queries
from kg_neo4j.graph.archive import CheckedFile
from kg_neo4j.graph.archive_records import TREE_NODES, Header, encoded, is_key, own_labels, own_relationship
from kg_neo4j.graph.database import Database, Row, present
from kg_neo4j.graph.queries import BASE_LABELS, Query

# Written by runs, not by content: left out, like the spelling of a path. Vectors differ between models; an answer may
# come from the cache, where what it took is not always known. The number of a community (export_nodes leaves it out,
# too) is kept as long as most of its members stay together, so it depends on what was loaded before.
LEFT_OUT = (
    *("embedding", "embedding_hash", "recorded", "community", "source", "origin", "resolve_run"),
    *("input_tokens", "output_tokens", "cached"),
    *("fit", "answers", "silent"),  # of trees: their clusters and what they rest on, as vectors and answers are
)
# What a model said of these is left out: the summaries, reports and trees made of it are there.
ANSWERS_LEFT_OUT = ("description", "report", "aspects", "summary", "detail", "vector")
# Labels of nodes, the export's order, and the label that has their id constraint.
# Passages are left out: they are the text of the chunks again.
_BASES = [base for base in BASE_LABELS if base != "Passage"]
KINDS = {base: base for base in _BASES if base != "TreeNode"} | dict.fromkeys(TREE_NODES, "TreeNode")
_LINES = (".jsonl", ".ndjson", ".json", ".gz")  # of an export, or an archive
TABLES = (".csv", ".graphml")
_NODE = {
    **dict.fromkeys(("name", "type", "description"), "string"),
    "evidence": "long",
    "community": "long",
    "pagerank": "double",
}
_EDGE = dict.fromkeys("type quote document start_date end_date fact_id".split(), "string")
_EDGE |= {"evidence": "long", "by_hand": "long"}
_READ = "source type target quote document start_date end_date evidence by_hand"
COLUMNS = tuple(f"{_READ} source_id target_id fact_id".split())  # of relationships
_XML_REFUSES = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "")
PAGE = 1_000  # nodes read at a time: 20 MB with vectors of 1,536


@dataclass(frozen=True, slots=True)
class TablesReport:
    """What was written, and where."""

    paths: tuple[Path, ...]
    nodes: int
    relationships: int


def export(database: Database, graph: str, file: TextIO) -> int:
    """Write all nodes and relationships of `graph` as JSON lines to `file` and return their number."""
    count = 0
    for line in lines(database, graph):
        file.write(line + "\n")
        count += 1
    return count


def export_file(database: Database, graph: str, target: Path) -> int:
    """Write the export as JSON lines to `target`, whole or not at all, and return their number."""
    with whole(target) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        return export(database, graph, file)


def archive_file(
    database: Database, header: Header, target: Path, prove: Callable[[], None]
) -> tuple[CheckedFile, int]:
    """Write the archive of a graph to `target`, whole or not at all. Nothing else may write to the graph meanwhile.

    Returns what it holds, and how many labels, properties and relationships are left out: kg-neo4j did not write them.
    The file is read back and checked before it gets its name, and `prove` raises where another run could write. Nodes
    are read in pages, so memory does not grow with the graph. Raises UsageError where it cannot be written, and
    BadArchive where a property of the graph is of a kind that could not be imported.
    """
    lines = _ArchiveLines(database, header)
    with whole(target) as partial:
        with partial.open("wb") as file, gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            for line in lines.all():
                packed.write(line)
        with partial.open("rb+") as written:
            os.fsync(written.fileno())
        checked = archive.check(partial)
        prove()
    return checked, lines.left_out


@contextlib.contextmanager
def whole(target: Path) -> Iterator[Path]:
    """Yield the file to write, which gets the name `target` when it is whole."""
    if not target.name or target.is_dir():
        raise UsageError(f"cannot write {target}: it is a folder", hint="name the file to write in it")
    partial = target.with_name(target.name + ".partial")
    try:
        yield partial
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}", hint="choose another place") from error
    finally:
        with contextlib.suppress(OSError):  # the first error is the one to report
            partial.unlink()


def lines(database: Database, graph: str) -> Iterator[str]:
    """Yield the lines of the export without their line ends. Nodes are read in pages, as for an archive."""
    nodes = queries.get("write/export_nodes")
    for kind, base in sorted(KINDS.items()):
        for row in _nodes(database, nodes.for_label(base), graph, kind=kind, without=ANSWERS_LEFT_OUT):
            yield _line({"kind": "node", "labels": sorted(row["labels"]), "properties": _kept(row["properties"])})
    by_label = [_relationships(database, base, graph) for base in _BASES]
    for row in heapq.merge(*by_label, key=operator.itemgetter("start")):
        if row["graph"] == graph and not (row["type"] == "ANSWERS" and row["kind"] in ANSWERS_LEFT_OUT):
            ends = {"start": row["start"], "end": row["end"]}
            yield _line({"kind": "relationship", "type": row["type"], **ends, "properties": _kept(row["properties"])})


def _nodes(database: Database, query: Query, graph: str, **params: object) -> Iterator[Row]:
    """Yield the rows of a query about nodes by id, a page at a time."""
    after, size = "", PAGE
    while size == PAGE:
        rows = database.read(query, graph=graph, after=after, limit=PAGE, **params)
        size = len(rows)
        for row in rows:
            after = row["properties"]["id"]
            yield row


def _relationships(database: Database, base: str, graph: str) -> Iterator[Row]:
    """Yield the relationships that nodes of one label begin, by start, type, end, row and fact."""
    query = queries.get("write/export_relationships").for_label(base)
    after, starts = "", PAGE
    while starts == PAGE:
        page, starts = after, 0
        for row in database.stream(query, graph=graph, after=page, limit=PAGE):
            starts += row["start"] != after
            after = row["start"]
            if row["type"] is not None:
                yield row


def _kept(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in present(properties).items() if name not in LEFT_OUT}


def _line(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class _ArchiveLines:
    """The lines of an archive, and what is left out of them."""

    def __init__(self, database: Database, header: Header) -> None:
        self._database = database
        self._header = header
        self.left_out = 0

    def all(self) -> Iterator[bytes]:
        """Yield the lines, the first and the last one included."""
        counts = Counter[object]()
        first = archive.first_line(self._header)
        digest = hashlib.sha256(first)
        yield first
        for record in itertools.chain(self._nodes(), self._relationships()):
            line = archive.line(record)
            counts[record["kind"]] += 1
            digest.update(line)
            yield line
        yield archive.last_line(counts["node"], counts["relationship"], digest.hexdigest())

    def _nodes(self) -> Iterator[dict[str, object]]:
        for base in BASE_LABELS:
            query = queries.get("write/archive_nodes").for_label(base)
            for row in _nodes(self._database, query, self._header.graph):
                labels = own_labels(row["labels"])
                self.left_out += len(row["labels"]) - len(labels)
                yield {"kind": "node", "labels": labels, "properties": self._encoded(row["properties"])}

    def _relationships(self) -> Iterator[dict[str, object]]:
        for base in BASE_LABELS:
            for row in _relationships(self._database, base, self._header.graph):
                end = next((label for label in row["labels"] if label in BASE_LABELS), None)
                if row["graph"] == self._header.graph and own_relationship(row["type"], base, end):
                    named = {"kind": "relationship", "type": row["type"], "start": row["start"], "end": row["end"]}
                    yield {**named, "properties": self._encoded(row["properties"])}
                else:
                    self.left_out += 1

    def _encoded(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        given = present(properties)
        found = {name: encoded(value) for name, value in given.items() if is_key(name)}
        kept = {name: value for name, value in found.items() if value is not None}
        self.left_out += len(given) - len(kept)
        return kept


# ------------------------------------------------------------------------------------- CSV and GraphML


def check_suffix(target: Path) -> None:
    """Raise UsageError for a file whose suffix names no format of an export."""
    if target.suffix.lower() not in (*_LINES, *TABLES):
        hint = f"{target.stem}.jsonl, {target.stem}.csv or .graphml"
        raise UsageError(f"no format has the suffix {target.suffix!r}", hint=hint)


def stated(database: Database, graph: str) -> Iterator[dict[str, Any]]:
    """Yield all relationships, by the names of their ends, each with the words that state it; see COLUMNS."""
    rows = database.read(queries.get("retrieve/all_relationships"), graph=graph)
    chunks = sorted({row["chunk_id"] for row in rows if row["start"] is not None})
    texts = {row["id"]: row["text"] for row in database.read(queries.get("write/chunk_texts"), ids=chunks)}
    for row in rows:  # the server counts other units than characters, so words are taken out here
        text = texts.get(row["chunk_id"], "")
        quote = text[row["start"] : row["end"]] if text and row["start"] is not None else row["quote"]
        yield {name: quote if name == "quote" else row[name] for name in COLUMNS}


def export_tables(database: Database, graph: str, target: Path) -> TablesReport:
    """Write `target`, a .graphml file, or for a .csv file NAME-nodes.csv and NAME-relationships.csv next to it.

    Nodes are in the order of their ids, relationships of source, type and target. Each file is written whole or not at
    all. Raises UsageError where it cannot be written.
    """
    nodes = database.read(queries.get("retrieve/all_entities"), graph=graph)
    relationships: list[Row] = [*stated(database, graph)]
    paths: tuple[Path, ...] = (target,)
    if target.suffix.lower() == ".csv":
        paths = tuple(target.with_name(f"{target.stem}-{part}.csv") for part in ("nodes", "relationships"))
        for path, rows, columns in zip(paths, (nodes, relationships), ((*_NODE, "id"), COLUMNS), strict=True):
            with whole(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    else:
        with whole(target) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in _graphml(nodes, relationships))
    return TablesReport(paths, len(nodes), len(relationships))


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
        ends = f"source={quoteattr(row['source_id'])} target={quoteattr(row['target_id'])}"
        yield f"<edge {ends}>{_data('edge', _EDGE, row)}</edge>"
    yield "</graph>"
    yield "</graphml>"


def _data(kind: str, columns: Iterable[str], row: Mapping[str, Any]) -> str:
    return "".join(
        f'<data key="{kind}_{name}">{escape(str(row[name]).translate(_XML_REFUSES))}</data>'
        for name in columns
        if row[name] is not None
    )
