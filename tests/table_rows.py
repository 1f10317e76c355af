"""Tables made in tests, and what the rows of tables become: one line for each row."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from kg_neo4j._models import tokens
from kg_neo4j._models.door import Door
from kg_neo4j.acquire import chunking
from kg_neo4j.errors import UsageError
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.extract.engine import extract_all
from kg_neo4j.pipeline.options import LoadOptions, extraction_config
from kg_neo4j.records import Extraction
from kg_neo4j.rooms.tables import loading
from kg_neo4j.settings import Settings

NO_DOOR = cast("Door", None)  # rows answer for themselves: no model is asked
_END, _FREE, _TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD  # sectors of a compound file


def loaded(folder: Path, sources: Sequence[Any], table_map: Any, **options: Any) -> list[str]:
    """Return what each row becomes, by the real readers; or the one line, with its hint, that refuses the tables."""
    settings, asked = Settings(), LoadOptions(table_map=table_map, root=str(folder), **options)
    try:
        found = loading.tables_of(sources, settings, asked)
    except UsageError as error:
        why = f"refused: {error}".replace(f"{folder}/", "")
        return [f"{why} ({error.hint})" if error.hint else why]
    assert found is not None
    documents, extractor, read = found
    lines: list[str] = []
    for document in documents:
        chunks = chunking.chunk(document, tokens.load(tokens.APPROXIMATION))
        job = DocumentJob(document, chunks, chunks)
        config = extraction_config(settings, read, NO_DOOR, extractor=extractor, schema=cast("Any", read.schema))
        lines += [f"{each.chunk.line}: {'; '.join(_said(each))}" for _, each in extract_all([job], config)]
    return lines


def _said(found: Extraction) -> Iterator[str]:
    """Yield the nodes, relationships, refused rows and values of one row of a table; else why there are none."""
    names = {node.node_id: node.name for node in found.nodes}
    for node in found.nodes:
        yield " ".join([node.type, node.name, *_values(node.properties)])
    for row in found.relationships:
        yield " ".join([names[row.source_id], row.type, names[row.target_id], *_values(row.properties)])
    yield from (f"rejected: {each.detail}" for each in found.rejections)
    yield from (f"left out: {each.column} {each.value}" for each in found.dropped)
    if not (found.nodes or found.rejections):
        yield f"{found.outcome}: {found.detail}" if found.outcome == "failed" else found.outcome


def _values(properties: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{name}={value!r}" for name, value in properties.items() if name != "table_key")


def people(source: str, properties: Mapping[str, Any] | None = None, **table: Any) -> dict[str, Any]:
    """Return a map of one table whose rows are persons; more keys are those of the table, `node` adds to the node."""
    node = {"type": "PERSON", "name": "name", "properties": dict(properties or {})} | table.pop("node", {})
    return {"tables": [{"file": source, "nodes": {"it": node}} | table]}


def workbook(*rows: Sequence[Any], change: Callable[[openpyxl.Workbook], object] | None = None) -> bytes:
    """Return an xlsx with these rows; `change` gets the workbook before it is written."""
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.worksheets[0].append(row)
    if change is not None:
        change(book)
    book.save(file)
    return file.getvalue()


def computed(book: bytes, value: str, *, kind: str = "n") -> bytes:
    """Return a workbook with `value`, of a kind, for each of its formulas; openpyxl writes none."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            text = re.sub("</f><v ?/>|</f><v></v>", f"</f>{value}", old.read(name).decode())
            new.writestr(name, re.sub("<c ([^>]*)><f>", rf'<c \1 t="{kind}"><f>', text))
    return file.getvalue()


def parquet(columns: Mapping[str, Any]) -> bytes:
    """Return a Parquet file with these columns."""
    return parquet_of(pa.table(dict(columns)))


def parquet_of(table: pa.Table) -> bytes:
    """Return a table as a Parquet file."""
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def encrypted_workbook() -> bytes:
    """Return what Excel writes for a workbook with a password: a compound file with the part "EncryptedPackage"."""
    size = 4_096
    sectors = [_TABLE, _END, *range(3, 3 + size // 512 - 1), _END]
    parts = [("Root Entry", 5, 1, _END, 0), ("EncryptedPackage", 2, _FREE, 2, size), ("", 0, _FREE, 0, 0)]
    head = struct.pack("<8s16x5H6x9I", bytes.fromhex("d0cf11e0a1b11ae1"), 0x3E, 3, 0xFFFE, 9, 6, *_HEAD)
    head += struct.pack("<109I", 0, *[_FREE] * 108)
    entries = b""
    for name, kind, child, start, length in [*parts, parts[-1]]:
        coded = name.encode("utf-16-le")
        entries += struct.pack("<64sHBB3I", coded, len(coded) + 2, kind, 1, _FREE, _FREE, child)
        entries += struct.pack("<36xIQ", start, length)
    table = struct.pack("<128I", *sectors, *[_FREE] * (128 - len(sectors)))
    return head + table + entries + bytes(size)


_HEAD = (0, 1, 1, 0, 4_096, _END, 0, _END, 0)  # sectors of folders and tables, where they begin, and small parts
