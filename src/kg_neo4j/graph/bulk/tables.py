"""The tables of a bulk build: what they hold, and how they are opened."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_neo4j.errors import UsageError
from kg_neo4j.extract.schema import ColumnKind, Schema, SchemaColumn
from kg_neo4j.graph.archive_records import known

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyarrow import DataType

KIND_OF = {ColumnKind.TEXT: "s", ColumnKind.YEAR: "i", ColumnKind.NUMBER: "n"}
_PLACE = {"_file": "i", "_chunk": "s", "_document": "s", "_index": "i"}
_OWN = {"id": "s", "graph": "s"}
_VECTOR = {"embedding": "f", "embedding_hash": "s"}
_FACT = {"_fact": "s", "_source": "s", "_type": "s", "_target": "s"}

PAGE = 10_000  # rows read or written at a time
_SILENT = "SET enable_progress_bar = false"  # the bar would go to the standard output

Columns = Mapping[str, str]  # name -> kind, as in archive_records.toml; a name that begins with _ is no property


def columns_of(schema: Schema) -> dict[str, Columns]:
    """Return the columns of each table. `_file` is the number of the file that a row is from."""
    return {
        "documents": {"_file": "i", **_OWN, **stored("Document")},
        "chunks": {"_file": "i", **_OWN, **stored("Chunk"), **_VECTOR},
        "answers": {"_file": "i", "_chunk": "s", **_OWN, **stored("Answer")},
        "mentions": {**_PLACE, **stored("MENTIONED_IN"), **_of_schema(schema.node_properties)},
        "statements": {**_PLACE, **_FACT, **stored("STATED_IN"), **_of_schema(schema.relationship_properties)},
    }


def stored(of: str) -> Columns:
    """Return the properties that recording writes on nodes of a label or relationships of a type; no vectors."""
    return {name: kind for name, (kind, _) in known(of).items() if not name.startswith("embedding")}


def _of_schema(columns: Sequence[SchemaColumn]) -> Columns:
    return {column.name: KIND_OF[column.kind] for column in columns}


def write_table(path: Path, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows, with a value for each of `columns`, as a Parquet file."""
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([(name, _arrow_type(kind)) for name, kind in columns.items()])
    remaining = iter(rows)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while page := list(itertools.islice(remaining, PAGE)):
            values = zip(*page, strict=True)
            arrays = [pyarrow.array(column, of.type) for column, of in zip(values, schema, strict=True)]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _arrow_type(kind: str) -> DataType:
    import pyarrow

    types = {"s": pyarrow.string(), "i": pyarrow.int64(), "n": pyarrow.float64(), "b": pyarrow.bool_()}
    lists = {"l": pyarrow.list_(pyarrow.string()), "w": pyarrow.list_(pyarrow.int64())}
    lists["f"] = pyarrow.list_(pyarrow.float32())
    return (types | lists)[kind]


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
            view = f"CREATE VIEW {name} AS SELECT * FROM all_{name}"
            connection.execute(f"{view} WHERE {_is_kept(columns)}" if has_repeated else view)
        yield connection


def _show_repeated(connection: DuckDBPyConnection, path: Path) -> bool:
    """Show documents that several files hold as the view `repeated`; return whether there are any.

    They are looked for once: counting millions of ids takes memory that a process does not give back.
    """
    if not path.is_file():
        found = connection.sql(
            "SELECT id AS _id, min(_file) AS _kept FROM all_documents GROUP BY id HAVING count(*) > 1"
        )
        partial = path.with_name(f"{path.name}.partial")
        found.write_parquet(str(partial))
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


def _is_kept(columns: Columns) -> str:
    """Return the condition that a row is from the file that counts for its document."""
    document = next(name for name in ("_document", "document_id", "id") if name in columns)
    if "_document" not in columns and "_chunk" in columns:  # answers
        document = "(SELECT any_value(document_id) FROM all_chunks WHERE all_chunks.id = _chunk)"
    return f"NOT EXISTS (SELECT 1 FROM repeated WHERE _id = {document} AND _kept <> _file)"
