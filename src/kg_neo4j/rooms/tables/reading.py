"""Tables as they come: files, queries and DataFrames become rows of cells under the names of columns."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from kg_neo4j import plugins
from kg_neo4j.acquire.decoding import clean, normalise_text
from kg_neo4j.acquire.interface import cell_text
from kg_neo4j.errors import UnreadableSource, UsageError

KINDS = "kg_neo4j.tables"  # entry points by suffix: rows of a file's bytes, of a sheet, in an encoding
MAX_COLUMNS = 2_000
MAX_CELLS = 50_000_000
MAX_BYTES = 2_000_000_000
_MOST_BAD = 0.5  # share of rows with another number of cells: then the names are on another line


class Number(str):
    """A cell that is a number where it comes from: no sign in it stands between thousands."""


class TableRow(NamedTuple):
    """A row: the line or row of its source, from 1, and its cells; a bad one has fewer or more than there are names."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, read. Columns have names that differ."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    header: int  # line of the names; 0 where they stand on none


def read_file(path: Path, *, sheet: str | None = None, header: int | None = None, encoding: str | None = None) -> Table:
    """Return the table of a file; its names are on the line `header`, else on the first one that is not empty.

    Raises UsageError for a kind that is not read. Raises UnreadableSource, with the line, where it is no table: also
    for two columns of one name, and where most rows have another number of cells than there are names.
    """
    return _table(_reader(path)(_bytes(path), sheet, encoding), header)


def sheets_of(path: Path) -> Sequence[str | None]:
    """Return the names of the sheets of a workbook with several; None for a file that is one table. Raises as above."""
    names = getattr(_reader(path), "names", None)
    found = names(_bytes(path)) if names else ()
    return found if len(found) > 1 else [None]


def _reader(path: Path) -> Any:
    kind = path.suffix.lower().removeprefix(".")
    if kind not in (known := plugins.found(KINDS)):
        raise UnreadableSource(f"no table; these are read: {', '.join(known)}")
    return plugins.load(known[kind])


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UnreadableSource(f"more than {MAX_BYTES:,} bytes", hint="part the file, or read it from a database")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableSource(f"it cannot be read: {error.strerror or error}") from error


def of_frame(frame: Any) -> Table:
    """Return the table of a pandas DataFrame, without its index. Raises UnreadableSource as `read_file` does."""
    if isinstance(frame, Table):
        return frame
    if not hasattr(frame, "itertuples"):
        raise UnreadableSource(f"a {type(frame).__name__} is no DataFrame of pandas", hint="make one of it")
    cells = frame.astype(object).where(frame.notna(), None)
    return _table(enumerate(itertools.chain([frame.columns], cells.itertuples(index=False, name=None))), 0)


def of_query(address: str, query: str) -> Table:
    """Return what a query of a database gives. Raises UsageError without SQLAlchemy, else UnreadableSource."""
    try:
        import sqlalchemy
    except ImportError as error:
        raise UsageError("a query needs the package sqlalchemy", hint="pip install 'kg-neo4j[sql]'") from error
    try:
        with sqlalchemy.create_engine(address).connect() as connection:
            result = connection.execute(sqlalchemy.text(query))
            return _table(enumerate(itertools.chain([[*result.keys()]], result)), 0)
    except (sqlalchemy.exc.SQLAlchemyError, ImportError) as error:
        said = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise UnreadableSource(f"the database says: {said}", hint="check its address and the query") from error


def _table(given: Iterable[tuple[int, Sequence[Any]]], header: int | None) -> Table:
    rows = (TableRow(line, tuple(map(cell_of, row))) for line, row in given)
    filled = (row for row in rows if any(row.cells))
    head = next((row for row in filled if header is None or row.line >= header), None)
    if head is None or head.line > (header or head.line):
        raise UnreadableSource(f"line {header} is empty" if header else "it is empty: no line has the names of columns")
    if len(head.cells) > MAX_COLUMNS:
        raise UnreadableSource(f"{len(head.cells):,} columns; at most {MAX_COLUMNS:,} are read")
    found = list(itertools.islice(filled, MAX_CELLS // len(head.cells) + 1))
    if len(found) * len(head.cells) > MAX_CELLS:
        raise UnreadableSource(f"more than {MAX_CELLS:,} cells", hint="part the file, or read it from a database")
    width = len(head.cells)
    while not head.cells[width - 1] and not any(any(row.cells[width - 1 :]) for row in found):
        width -= 1  # columns that are empty to the last row
    cut = tuple(TableRow(row.line, row.cells if any(row.cells[width:]) else row.cells[:width]) for row in found)
    bad = [row for row in cut if len(row.cells) != width]
    if len(bad) > _MOST_BAD * len(cut):
        why = f"line {bad[0].line} has {len(bad[0].cells)} cells, line {head.line} with the names has {width}"
        raise UnreadableSource(f"{why}; so do {len(bad):,} of {len(cut):,} rows", hint="name the line: header = ...")
    names = [name or f"column {place}" for place, name in enumerate(head.cells[:width], 1)]
    for place, name in enumerate(names, 1):
        if (first := names.index(name) + 1) != place:
            why = f"line {head.line}: " * bool(head.line) + f"the columns {first} and {place} are both called {name!r}"
            raise UnreadableSource(why, hint="rename one of them, or name another line: header = ...")
    return Table(tuple(names), cut, head.line)


def cell_of(value: Any) -> str:
    """Return a value as a cell: one line of text, or a number."""
    text = cell_text(value.decode("utf-8", "replace") if isinstance(value, bytes) else value)
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return Number(text) if value == value else ""  # noqa: PLR0124 (NaN is no value)
    text = text if text.isascii() and text.isprintable() else normalise_text(clean(text))
    return " ".join(text.split())
