"""Files of extractions become rows of the tables, with ids as recording gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.extract import exchange
from kg_neo4j.extract.exchange import ExtractedDocument
from kg_neo4j.extract.schema import Schema
from kg_neo4j.graph.bulk.tables import columns_of, write_table
from kg_neo4j.graph.database import absent_if_empty
from kg_neo4j.graph.documents import LoadConfiguration, chunk_properties, document_properties, embedded_text
from kg_neo4j.graph.identity import fact_id, mention_key
from kg_neo4j.graph.recorder import digest, finish_row, stored_row
from kg_neo4j.records import Document, Extraction

Rows = dict[str, list[list[Any]]]  # by table
Embed = Callable[[Sequence[str]], Iterable[tuple[Any, str]]]  # texts -> a vector, and the hash it is known by


def write_tables(
    files: Iterable[tuple[int, Path]], folder: Path, graph: str, schema: Schema, embed: Embed | None = None
) -> None:
    """Write what numbered files hold as the tables in `folder`, which gets its name when they are whole.

    With `embed`, chunks have vectors.

    Raises UsageError for files of another graph or schema, and UnreadableSource for a torn one.
    """
    columns = columns_of(schema)
    rows: Rows = {name: [] for name in columns}
    reader = _TableFiller(schema, {name: list(of) for name, of in columns.items()}, rows)
    for number, path in files:
        seen: set[str] = set()
        for header, extractions in exchange.read(path):
            exchange.refuse_other_graph(path, header.document, graph)
            _refuse_other_schema(path, header, schema)
            if header.document.id not in seen:
                seen.add(header.document.id)
                reader.add(number, header, extractions)
    if embed is not None:
        _embed_chunks(rows["chunks"], list(columns["chunks"]), embed)
    partial = folder.with_name(f"{folder.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    for name, found in rows.items():
        write_table(partial / f"{name}.parquet", columns[name], found)
    partial.rename(folder)


def _embed_chunks(rows: Sequence[list[Any]], names: Sequence[str], embed: Embed) -> None:
    text, heading, vector, hashed = map(names.index, ("text", "heading", "embedding", "embedding_hash"))
    worded = [row for row in rows if row[text] and row[text].strip()]
    for row, found in zip(worded, embed([embedded_text(row[heading], row[text]) for row in worded]), strict=True):
        row[vector], row[hashed] = found


def _refuse_other_schema(path: Path, header: ExtractedDocument, schema: Schema) -> None:
    found = LoadConfiguration(**header.configuration)  # type: ignore[arg-type]
    if found.schema_hash != schema.hash:
        raise UsageError(
            f"{path} was extracted with the schema {found.schema!r}, other files with {schema.name!r}",
            hint="build them as two graphs, or extract all with one schema",
        )


class _TableFiller:
    """Adds the rows of documents to the tables."""

    def __init__(self, schema: Schema, columns: dict[str, list[str]], rows: Rows) -> None:
        self._columns = columns
        self._rows = rows
        self._node_columns = [column.name for column in schema.node_properties]
        self._columns_of_facts = [column.name for column in schema.relationship_properties]
        self._identity = [column.name for column in schema.relationships if column.identity]

    def add(self, number: int, header: ExtractedDocument, extractions: Sequence[Extraction]) -> None:
        configuration = LoadConfiguration(**header.configuration)  # type: ignore[arg-type]
        self._put("documents", {"_file": number, **document_properties(header.document, configuration)})
        for extraction in {each.chunk.id: each for each in extractions}.values():  # a chunk has one extraction
            self._add_chunk(number, header.document, extraction)

    def _add_chunk(self, number: int, document: Document, extraction: Extraction) -> None:
        chunk, graph = extraction.chunk, document.graph
        finished = finish_row(graph, extraction, digest(extraction))
        self._put("chunks", {"_file": number, **chunk_properties(chunk, document.title), **finished["properties"]})
        for answer in {
            each["id"]: each for each in reversed(finished["answers"])
        }.values():  # the first of an id counts
            self._put("answers", {"_file": number, "_chunk": chunk.id, **answer})
        place = [number, chunk.id, chunk.document_id, chunk.index]
        mentions, statements = self._rows["mentions"], self._rows["statements"]
        keys: dict[str, str] = {}
        for index, node in enumerate(extraction.nodes):
            keys[node.node_id] = key = mention_key(graph, node.name, node.type)
            named = [*stored_row("", index, node)[1:], key, node.name, node.type]
            mentions.append([*place, *named, *map(node.properties.get, self._node_columns)])
        for index, each in enumerate(extraction.relationships):
            ends = keys[each.source_id], each.type, keys[each.target_id]
            identity = [str(each.properties.get(name, "")) for name in self._identity]
            piece = [*stored_row("", index, each)[1:], None if each.stated else False]
            fact = [fact_id(*ends, identity), *ends]
            statements.append([*place, *fact, *piece, *map(each.properties.get, self._columns_of_facts)])

    def _put(self, table: str, values: dict[str, Any]) -> None:
        self._rows[table].append([absent_if_empty(values.get(name)) for name in self._columns[table]])
