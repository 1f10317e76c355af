"""The tables of a bulk build: what they hold, how files of extractions fill them, and how they are opened."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j.errors import UsageError
from kg_neo4j.extract import exchange
from kg_neo4j.extract.schema import ColumnKind, Schema
from kg_neo4j.graph.archive_records import known
from kg_neo4j.graph.database import absent_if_empty
from kg_neo4j.graph.documents import LoadConfiguration, chunk_properties, document_properties
from kg_neo4j.graph.identity import fact_id, mention_key
from kg_neo4j.graph.recorder import RARE, digest, finish_row, rare_values, stored_row
from kg_neo4j.records import Document, Extraction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

KIND_OF = {ColumnKind.TEXT: "s", ColumnKind.DATE: "s", ColumnKind.YEAR: "i", ColumnKind.NUMBER: "n"}
_PLACE = {"_file": "i", "_chunk": "s", "_document": "s", "_index": "i"}
_OWN = {"id": "s", "graph": "s"}
_VECTOR = {"embedding": "f", "embedding_hash": "s"}
_PASSAGE = {"_chunk": "s", "text": "s", "start": "i", "end": "i", "embedding": "f"}
_FACT = {"_fact": "s", "_source": "s", "_type": "s", "_target": "s"}

PAGE = 10_000  # rows read or written at a time
_SILENT = "SET enable_progress_bar = false"  # the bar would go to the standard output

Embed = Callable[[Sequence[Mapping[str, Any]]], Iterable[Mapping[str, Any]]]  # chunks -> vector, hash, and passages
Columns = Mapping[str, str]  # name -> kind, as in archive_records.toml; a name that begins with _ is no property


def columns_of(schema: Schema) -> dict[str, Columns]:
    """Return the columns of each table. `_file` is the number of the file that a row is from."""
    of_nodes, of_facts = (
        {column.name: KIND_OF[column.kind] for column in columns}
        for columns in (schema.node_properties, schema.relationship_properties)
    )
    return {
        "documents": {"_file": "i", **_OWN, **stored("Document")},
        "chunks": {"_file": "i", **_OWN, **stored("Chunk"), **_VECTOR},
        "passages": {"_file": "i", "_document": "s", **_OWN, **_PASSAGE},
        "answers": {"_file": "i", "_chunk": "s", **_OWN, **stored("Answer")},
        "mentions": {**_PLACE, **stored("MENTIONED_IN"), **of_nodes},
        "statements": {**_PLACE, **_FACT, **stored("STATED_IN"), **of_facts},
    }


def stored(of: str) -> Columns:
    """Return the properties that recording writes on nodes of a label or relationships of a type; no vectors."""
    left_out = ("embedding", "wrong", "by_hand", "lost")  # a build corrects nothing
    return {name: kind for name, (kind, _) in known(of).items() if not name.startswith(left_out)}


def write_tables(
    files: Iterable[tuple[int, Path]], folder: Path, graph: str, schema: Schema, embed: Embed | None = None
) -> None:
    """Write what numbered files hold as the tables in `folder`, with ids as recording gives them.

    With `embed`, chunks have vectors. Raises UsageError for files of another graph or schema, and UnreadableSource for
    a torn one.
    """
    columns = columns_of(schema)
    filler = _TableFiller(schema, columns)
    for number, path in files:
        seen: set[str] = set()
        for header, extractions in exchange.read(path):
            exchange.refuse_other_graph(path, header.document, graph)
            found = LoadConfiguration(**header.configuration)  # type: ignore[arg-type]
            if found.schema_hash != schema.hash:
                raise UsageError(
                    f"{path} was extracted with the schema {found.schema!r}, other files with {schema.name!r}",
                    hint="build them as two graphs, or extract all with one schema",
                )
            if header.document.id not in seen:
                seen.add(header.document.id)
                filler.add(number, header.document, found, extractions)
    if embed is not None:
        filler.embed_chunks(embed)
    with whole_folder(folder) as partial:
        for name, rows in filler.rows.items():
            write_table(partial / f"{name}.parquet", columns[name], rows)


class _TableFiller:
    """Makes the rows of the tables."""

    def __init__(self, schema: Schema, columns: Mapping[str, Columns]) -> None:
        self.rows: dict[str, list[list[Any]]] = {name: [] for name in columns}
        self._columns = {name: list(of) for name, of in columns.items()}
        self._node_columns = [column.name for column in schema.node_properties]
        self._columns_of_facts = [column.name for column in schema.relationship_properties]
        self._identity = [column.name for column in schema.relationships if column.identity]

    def add(
        self, number: int, document: Document, configuration: LoadConfiguration, extractions: Iterable[Extraction]
    ) -> None:
        """Add the rows of a document."""
        self._put("documents", {"_file": number, **document_properties(document, configuration)})
        for extraction in {each.chunk.id: each for each in extractions}.values():  # a chunk has one extraction
            chunk, graph = extraction.chunk, document.graph
            finished = finish_row(graph, extraction, digest(extraction))
            properties = {**chunk_properties(chunk, document.title), **finished["properties"]}
            self._put("chunks", {"_file": number, **properties})
            answers = {each["id"]: each for each in reversed(finished["answers"])}  # the first of an id counts
            for answer in answers.values():
                self._put("answers", {"_file": number, "_chunk": chunk.id, **answer})
            place = [number, chunk.id, chunk.document_id, chunk.index]
            keys: dict[str, str] = {}
            for index, node in enumerate(extraction.nodes):
                keys[node.node_id] = key = mention_key(graph, node.name, node.type)
                named = [*stored_row("", index, node)[1:], key, node.name, node.type, *map(rare_values(node).get, RARE)]
                self.rows["mentions"].append([*place, *named, *map(node.properties.get, self._node_columns)])
            for index, each in enumerate(extraction.relationships):
                ends = keys[each.source_id], each.type, keys[each.target_id]
                identity = [str(each.properties.get(name, "")) for name in self._identity]
                piece = [*stored_row("", index, each)[1:], None if each.stated else False]
                fact = [fact_id(*ends, identity), *ends, *piece, *map(rare_values(each).get, RARE)]
                self.rows["statements"].append([*place, *fact, *map(each.properties.get, self._columns_of_facts)])

    def embed_chunks(self, embed: Embed) -> None:
        """Give the chunks that have words their passages and vectors."""
        columns = self._columns["chunks"]
        vector, hashed = map(columns.index, ("embedding", "embedding_hash"))
        worded = [(row, dict(zip(columns, row, strict=True))) for row in self.rows["chunks"]]
        worded = [(row, chunk) for row, chunk in worded if chunk["text"] and chunk["text"].strip()]
        for (row, chunk), found in zip(worded, embed([chunk for _, chunk in worded]), strict=True):
            row[vector], row[hashed] = found["vector"], found["hash"]
            of = {
                "_file": chunk["_file"],
                "graph": chunk["graph"],
                "_chunk": chunk["id"],
                "_document": chunk["document_id"],
            }
            for each in found["passages"]:
                self._put("passages", {**of, **each, "embedding": each["vector"]})

    def _put(self, table: str, values: dict[str, Any]) -> None:
        self.rows[table].append([absent_if_empty(values.get(name)) for name in self._columns[table]])


@contextlib.contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Yield the folder to write, which gets the name `folder` when it is whole."""
    partial = folder.with_name(f"{folder.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    yield partial
    partial.rename(folder)


def write_table(path: Path, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows, with a value for each of `columns`, as a Parquet file."""
    import pyarrow
    from pyarrow import parquet

    types = {"s": pyarrow.string(), "i": pyarrow.int64(), "n": pyarrow.float64(), "b": pyarrow.bool_()}
    lists = {"l": pyarrow.list_(pyarrow.string()), "w": pyarrow.list_(pyarrow.int64())}
    types |= {**lists, "f": pyarrow.list_(pyarrow.float32())}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    remaining = iter(rows)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while page := list(itertools.islice(remaining, PAGE)):
            values = zip(*page, strict=True)
            arrays = [pyarrow.array(column, of.type) for column, of in zip(values, schema, strict=True)]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


@contextlib.contextmanager
def opened(folder: Path, schema: Schema, *, memory_mb: int, threads: int = 1) -> Iterator[DuckDBPyConnection]:
    """Yield a connection that shows the tables below `folder`; what does not fit `memory_mb` goes to its disk.

    A document that two files hold is shown once, as the first of them has it.
    Raises UsageError where DuckDB is not installed.
    """
    try:
        import duckdb
    except ImportError as error:
        raise UsageError("a bulk build needs DuckDB", hint="pip install 'kg-neo4j[bulk]'") from error
    config = {"memory_limit": f"{memory_mb}MB", "threads": threads, "temp_directory": str(folder / "spill")}
    with duckdb.connect(config=config) as connection:  # type: ignore[arg-type]
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(_SILENT)
        for name in columns_of(schema):
            connection.read_parquet(str(folder / "tables" / "*" / f"{name}.parquet")).create_view(f"all_{name}")
        has_repeated = _show_repeated(connection, folder / "repeated.parquet")
        for name, columns in columns_of(schema).items():
            document = next(each for each in ("_document", "document_id", "id") if each in columns)
            if name == "answers":
                document = "(SELECT any_value(document_id) FROM all_chunks WHERE all_chunks.id = _chunk)"
            kept = f" WHERE NOT EXISTS (SELECT 1 FROM repeated WHERE _id = {document} AND _kept <> _file)"
            connection.execute(f"CREATE VIEW {name} AS SELECT * FROM all_{name}{kept if has_repeated else ''}")
        yield connection


def _show_repeated(connection: DuckDBPyConnection, path: Path) -> bool:
    """Show documents that several files hold as the view `repeated`; return whether there are any.

    They are looked for once: counting millions of ids takes memory that a process does not give back.
    """
    if not path.is_file():
        repeated = "SELECT id AS _id, min(_file) AS _kept FROM all_documents GROUP BY id HAVING count(*) > 1"
        partial = path.with_name(f"{path.name}.partial")
        connection.sql(repeated).write_parquet(str(partial))
        partial.rename(path)
    connection.read_parquet(str(path)).create_view("repeated")
    return bool(connection.execute("SELECT 1 FROM repeated LIMIT 1").fetchall())


def stream(connection: DuckDBPyConnection, sql: str, **params: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query, which has a cursor of its own."""
    cursor = connection.cursor()
    cursor.execute(_SILENT)
    cursor.execute(sql, params)
    while rows := cursor.fetchmany(PAGE):
        yield from rows
