"""Files that hold a graph: archives and plain exports, one JSON object a line, checked to the last byte before use.

A plain export (`graph/export.py`) is nodes, then relationships. An archive has a first line with the format, the graph
and its vectors, a last line with counts and a SHA-256 of all lines before it, and is compressed by gzip. A file comes
from outside: what a line may say is in `archive_records`.

Two files are compared as a reader of the graph sees it: documents, entities, facts, their evidence. Ids, vectors,
analyses and settings are not compared, so graphs of different names can be. What counts of an entity or a fact is what
its evidence gave: aliases, and the columns of the schema.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import itertools
import json
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kg_neo4j.display import Readable
from kg_neo4j.errors import BadArchive, UsageError
from kg_neo4j.graph import archive_records as records
from kg_neo4j.graph.archive_records import Header, NodeLine, Properties, RelationshipLine
from kg_neo4j.graph.constraints import VectorSpace

FORMAT = "kg-neo4j archive"
VERSION = 1
_KINDS = {"Document": "document", "Entity": "entity", "Fact": "fact"}
_EVIDENCE = {"MENTIONED_IN": "entity", "STATED_IN": "fact"}
MAX_LINE = 64 << 20  # bytes, decompressed; a chunk, an answer or the clusters of a tree need a hundredth


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that was read to its end and found whole."""

    path: Path
    header: Header
    sha256: str  # of its lines; an archive's last one left out
    nodes: int
    relationships: int


def first_line(header: Header) -> bytes:
    """Return the first line of an archive."""
    vectors = {"model": header.vectors.name, "dimension": header.vectors.dimension} if header.vectors else None
    values = {"graph": header.graph, "vectors": vectors, "state": header.state}
    return line({"kind": "archive", "format": FORMAT, "version": VERSION, **values})


def last_line(nodes: int, relationships: int, sha256: str) -> bytes:
    """Return the last line of an archive."""
    return line({"kind": "end", "nodes": nodes, "relationships": relationships, "sha256": sha256})


def line(record: Mapping[str, object]) -> bytes:
    """Return a record as a line: keys sorted, UTF-8."""
    text = json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"


def check(path: Path) -> CheckedFile:
    """Read a file to its end and return what it holds.

    Raises BadArchive, with the line, for a file that is not whole or was changed. Also for one from a newer kg-neo4j,
    and for labels, types, ends, ids or values that kg-neo4j does not write. Memory does not grow with the file.
    """
    whole = _Whole()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="kg-import-") as folder,
            contextlib.closing(sqlite3.connect(Path(folder) / "ids.sqlite3", isolation_level=None)) as ids,
        ):
            for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
                ids.execute(f"PRAGMA {pragma}")
            ids.execute("CREATE TABLE ids (id TEXT PRIMARY KEY, base TEXT NOT NULL) WITHOUT ROWID")
            ids.execute("BEGIN")
            for number, record in _records(path, whole):
                try:
                    _check_ids(ids, record)
                except ValueError as error:
                    raise _bad(path, number, error) from None
    except sqlite3.OperationalError as error:
        where = tempfile.gettempdir()
        hint = "free some space there, or set TMPDIR to another folder"
        raise UsageError(f"cannot keep the ids of {path} in {where}: {error}", hint=hint) from error
    return whole.checked(path)


def read(checked: CheckedFile) -> Iterator[NodeLine | RelationshipLine]:
    """Yield the records of a file that `check` found whole, nodes first.

    Raises BadArchive where it has changed since then.
    """
    whole = _Whole()
    yield from (record for _, record in _records(checked.path, whole))
    if whole.checked(checked.path) != checked:
        raise BadArchive(f"{checked.path} was changed while it was read", hint="run the same command again")


def _check_ids(ids: sqlite3.Connection, record: NodeLine | RelationshipLine) -> None:
    """Check that each id of a file is there once, and that both ends of a relationship are among them."""
    if isinstance(record, NodeLine):
        try:
            ids.execute("INSERT INTO ids VALUES (?, ?)", (record.properties["id"], record.base))
        except sqlite3.IntegrityError:
            raise ValueError(f"the id {record.properties['id']!r} is there twice") from None
        return
    bases = []
    for end in (record.start, record.end):
        row = ids.execute("SELECT base FROM ids WHERE id = ?", (end,)).fetchone()
        if row is None:
            raise ValueError(f"an end is not there: {end!r}")
        bases.append(str(row[0]))
    if not records.own_relationship(record.type, *bases):
        raise ValueError(f"no {record.type} leads from {bases[0]} to {bases[1]}")


class _Whole:
    """What has been read of a file so far."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.digest = hashlib.sha256()
        self.nodes = self.relationships = 0
        self.is_ended = False

    def record(self, value: Properties, header: Header, size: int) -> NodeLine | RelationshipLine | None:
        """Return the record of a line, and count it; None for the last one of an archive, which has to agree."""
        kind = value.get("kind")
        if self.is_ended:
            raise ValueError("there is more after the last line")
        if kind == "end" and header.is_archive:
            self.is_ended = True
            said, counted = (value.get("nodes"), value.get("relationships")), (self.nodes, self.relationships)
            if said != counted:
                raise ValueError(f"it says {said}, and {counted} nodes and relationships came")
            if value.get("sha256") != self.digest.hexdigest():
                raise ValueError("the checksum differs: the file was changed")
            return None
        if kind == "node":
            if self.relationships:
                raise ValueError("a node comes after relationships")
            self.nodes += 1
            return records.node(value, header, size)
        if kind == "relationship":
            self.relationships += 1
            return records.relationship(value, size)
        raise ValueError(f"neither a node nor a relationship: {str(kind)[:40]!r}")

    def checked(self, path: Path) -> CheckedFile:
        if self.header is None:
            raise BadArchive(f"{path} is empty")
        if self.header.is_archive and not self.is_ended:
            raise BadArchive(f"{path} is not whole: its last line is missing", hint="copy or write the archive again")
        return CheckedFile(path, self.header, self.digest.hexdigest(), self.nodes, self.relationships)


def _records(path: Path, whole: _Whole) -> Iterator[tuple[int, NodeLine | RelationshipLine]]:
    """Yield the records of a file with the numbers of their lines, and count them in `whole`."""
    for number, raw in _lines(path):
        record = None
        try:
            value = json.loads(raw.decode("utf-8"), parse_constant=_refused)
            if not isinstance(value, dict):
                raise ValueError("not a JSON object")
            header = whole.header = whole.header or _header(path, value)
            if number > 1 or not header.is_archive:
                record = whole.record(value, header, len(raw))
        except (ValueError, RecursionError) as error:
            raise (_neither(path) if whole.header is None else _bad(path, number, error)) from None
        if not whole.is_ended:
            whole.digest.update(raw)
        if record is not None:
            yield number, record


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the numbered lines of a file, decompressed where it is compressed, never more than one at a time."""
    try:
        if path.is_dir():
            raise BadArchive(f"{path} is a folder", hint="name the file in it")
        with path.open("rb") as file:
            is_compressed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            stream = gzip.GzipFile(fileobj=file) if is_compressed else file
            for number in itertools.count(1):
                raw = stream.readline(MAX_LINE + 1)
                if not raw:
                    return
                if len(raw) > MAX_LINE:
                    raise BadArchive(f"{path}, line {number}: longer than {MAX_LINE:,} bytes")
                if not raw.endswith(b"\n"):
                    raise _neither(path) if number == 1 else BadArchive(f"{path} is not whole: line {number} is cut")
                yield number, raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadArchive(f"{path} is not whole, or damaged: {error}", hint="copy or write it again") from error
    except OSError as error:
        raise BadArchive(f"cannot read {path}: {error.strerror}") from error


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _neither(path: Path) -> BadArchive:
    return BadArchive(f"{path} is neither an archive nor an export of kg-neo4j", hint=f"`kg load {path}` reads texts")


def _bad(path: Path, number: int, error: Exception) -> BadArchive:
    return BadArchive(f"{path}, line {number}: {str(error) or type(error).__name__}")


def _header(path: Path, value: Properties) -> Header:
    """Return what the first line says, of either kind of file."""
    properties = value.get("properties")
    is_archive = value.get("kind") == "archive" and value.get("format") == FORMAT
    if value.get("kind") == "node" and isinstance(properties, dict) and isinstance(value.get("labels"), list):
        value = {"graph": properties.get("graph")}
    elif not is_archive:
        raise _neither(path)
    try:
        version = value.get("version") if is_archive else VERSION
        if type(version) is not int or version < 1:
            raise ValueError(f"not a version: {str(version)[:40]!r}")
        if version > VERSION:
            raise BadArchive(
                f"{path} was made by a newer kg-neo4j: format {version}, this one reads {VERSION}",
                hint="upgrade kg-neo4j and import it again",
            )
        records.check_text("graph", value.get("graph"))
        space = _space(value.get("vectors"))
        known = records.properties("GraphState", {} if value.get("state") is None else value["state"], None)
        if not known.keys() <= records.known("GraphState").keys():
            raise ValueError(f"state: unknown keys {sorted(known)}")
        return Header(value["graph"], is_archive, space, known)
    except ValueError as error:
        raise _bad(path, 1, error) from None


def _space(vectors: Any) -> VectorSpace | None:
    if vectors is None:
        return None
    if not isinstance(vectors, dict) or type(vectors.get("dimension")) is not int:
        raise ValueError("vectors: not a model and a dimension")
    records.check_text("vectors: model", vectors.get("model"))
    if not 1 <= vectors["dimension"] <= records.MAX_DIMENSION:
        raise ValueError(f"vectors: {vectors['dimension']} dimensions; at most {records.MAX_DIMENSION}")
    return VectorSpace(vectors["model"], vectors["dimension"])


# ------------------------------------------------------------------------------- what two files differ in


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A place in the texts."""

    document: str  # its key: a path, an address or a title
    quote: str  # "" where the evidence has none


@dataclass(frozen=True, slots=True)
class GraphDifference(Readable):
    """One document, entity or fact that is not the same in both."""

    kind: str  # "document", "entity" or "fact"
    name: str  # "notes/a.txt", "Ada Lovelace (PERSON)", "Ada Lovelace MET Charles Babbage"
    change: str  # "added", "removed" or "changed"
    fields: tuple[str, ...] = ()  # of what changed: "text" of a document, "aliases" or columns of the schema
    evidence_added: tuple[TextPlace, ...] = ()
    evidence_removed: tuple[TextPlace, ...] = ()


@dataclass(slots=True)
class _Element:
    """What is compared of one document, entity or fact; several that are called the same are one."""

    values: Counter[tuple[str, str]] = field(default_factory=Counter)  # name and value of a property
    evidence: Counter[TextPlace] = field(default_factory=Counter)


def compare(before: Path, after: Path) -> tuple[GraphDifference, ...]:
    """Return how `after` differs from `before`: documents, then entities, then facts, each by name.

    Both are files of `kg export`, archives or not. Memory grows with the graphs. Raises BadArchive for another file.
    """
    old, new = _elements_of(before), _elements_of(after)
    differences = []
    for key in sorted({*old, *new}):
        one, other = old.get(key), new.get(key)
        if one == other:
            continue
        was, now = one or _Element(), other or _Element()
        change = "added" if one is None else "removed" if other is None else "changed"
        fields = {name for name, _ in (was.values - now.values) + (now.values - was.values)}
        evidence = _listed(now.evidence - was.evidence), _listed(was.evidence - now.evidence)
        differences.append(
            GraphDifference(*key, change, tuple(sorted(fields)) if change == "changed" else (), *evidence)
        )
    return tuple(differences)


def _listed(evidence: Counter[TextPlace]) -> tuple[TextPlace, ...]:
    return tuple(sorted(evidence.elements(), key=lambda each: (each.document, each.quote)))


def _elements_of(path: Path) -> dict[tuple[str, str], _Element]:
    nodes: dict[str, NodeLine] = {}
    lines: list[RelationshipLine] = []
    for record in read(check(path)):
        if isinstance(record, NodeLine):
            if record.base in (*_KINDS, "Chunk"):
                nodes[record.properties["id"]] = record
        elif record.type in _EVIDENCE:
            lines.append(record)
    compared = {"document": {"text"}, "entity": {"aliases"}, "fact": {"stated"}}
    for each in lines:
        compared[_EVIDENCE[each.type]] |= each.properties.keys() - records.known(each.type).keys()
    elements: dict[tuple[str, str], _Element] = {}
    keys: dict[str, tuple[str, str]] = {}
    for id_, node in nodes.items():
        if kind := _KINDS.get(node.base):
            keys[id_] = (kind, _name(kind, node.properties, nodes))
            values = node.properties | ({"text": node.properties.get("sha256")} if kind == "document" else {})
            element = elements.setdefault(keys[id_], _Element())
            element.values.update((name, repr(values[name])) for name in compared[kind] & values.keys())
    for each in lines:
        document = nodes[nodes[each.end].properties["document_id"]].properties["key"]
        elements[keys[each.start]].evidence[TextPlace(document, each.properties.get("quote", ""))] += 1
    return elements


def _name(kind: str, values: Mapping[str, Any], nodes: Mapping[str, NodeLine]) -> str:
    if kind == "document":
        return str(values["key"])
    if kind == "entity":
        return f"{values['name']} ({values['type']})"
    ends = (nodes[values.get(f"{end}_id") or values[f"{end}_key"]].properties["name"] for end in ("source", "target"))
    return f" {values['type']} ".join(ends)
