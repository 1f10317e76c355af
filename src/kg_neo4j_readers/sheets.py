"""Sheets of Excel and OpenDocument, CSV, JSON lines and Parquet: as text, and as the rows of tables.

As text each sheet is a section, and each row a line that ends with its number.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from zipfile import ZipFile

from kg_neo4j.acquire.decoding import decode, normalise_text
from kg_neo4j.acquire.docx_text import check_archive
from kg_neo4j.acquire.interface import ParsedText, ReadOptions, TextBuilder, cell_text
from kg_neo4j.errors import UnreadableSource
from kg_neo4j_readers.rows import text_of

MAX_SHEETS = 1_000
MAX_CELLS = 5_000_000  # of one sheet, empty ones too
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # a part of a workbook that has a password
_NO_VALUE = re.compile(rb"(?:</f>|<f[^>]*/>)(?:<v ?/>|<v></v>)?</c>")  # after a formula
_DELIMITERS = ",;\t|"
_SNIFFED = 20_000  # characters
csv.field_size_limit(2**31 - 1)  # the limit is one for all threads: a file that lowers it fails the next one


def read_sheets(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the sheets of a workbook that are not hidden; formulas as the values that were last computed.

    Raises UnreadableSource for what is encrypted, damaged, too large or no workbook.
    """
    builder, hidden = TextBuilder(), 0
    with _opened(data) as (book, visible):
        hidden = len(book.sheets_metadata) - len(visible)
        for name in visible:
            if text := text_of((line, [*map(cell_text, row)]) for line, row in _cells(book, name)):
                builder.add_heading(name, 1, "# ")
                builder.add(text)
    left_out = f"{hidden:,} hidden sheet{'s'[: hidden > 1]} left out" if hidden else ""
    return replace(builder.build(), left_out=left_out)


def sheet_rows(data: bytes, sheet: str | None, encoding: str | None) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the rows of a sheet with their numbers; without a name, of the only one. Raises as `read_sheets` does."""
    if data.startswith(b"PK"):
        _check_formulas(data)
    with _opened(data) as (book, visible):
        listed = ", ".join(visible)[:200]
        if sheet is None and len(visible) != 1:
            raise UnreadableSource(f"{len(visible)} sheets: {listed}", hint="name one of them")
        if sheet is not None and sheet not in visible:
            raise UnreadableSource(f"no sheet {sheet!r}; there are: {listed}")
        yield from _cells(book, sheet or visible[0])


def _check_formulas(data: bytes) -> None:
    """Raise UnreadableSource for a formula without a value, as programs that do not compute write them."""
    check_archive(data)
    with ZipFile(io.BytesIO(data)) as archive:
        for name in (each for each in archive.namelist() if each.startswith("xl/worksheets/sheet")):
            sheet = archive.read(name)
            for found in _NO_VALUE.finditer(sheet):
                cell = sheet[sheet.rfind(b"<c ", 0, found.start()) : found.start()].partition(b">")[0].decode()
                if " t=" not in cell:  # else it is a text, and may be empty
                    where = "".join(re.findall(r' r="(\w+)"', cell))
                    why = f"cell {where} of {name} is a formula without a value"
                    raise UnreadableSource(why, hint="open it in Excel or LibreOffice, and save it")


def sheet_names(data: bytes) -> Sequence[str]:
    """Return the names of the sheets that are not hidden. Raises as `read_sheets` does."""
    with _opened(data) as (_, visible):
        return visible


vars(sheet_rows)["names"] = sheet_names  # a reader of tables with `names` has several in a file


@contextmanager
def _opened(data: bytes) -> Iterator[tuple[Any, Sequence[str]]]:
    """Open a workbook, with the names of the sheets that are not hidden."""
    import python_calamine as calamine

    if data.startswith(b"PK"):
        check_archive(data)
    try:
        book = calamine.load_workbook(io.BytesIO(data))
        metadata = book.sheets_metadata
        if len(metadata) > MAX_SHEETS:
            raise UnreadableSource(f"{len(metadata):,} sheets; at most {MAX_SHEETS:,} are read")
        shown, sheet = calamine.SheetVisibleEnum.Visible, calamine.SheetTypeEnum.WorkSheet
        yield book, [each.name for each in metadata if each.visible == shown and each.typ == sheet]
    except (calamine.CalamineError, OSError) as error:
        if isinstance(error, calamine.PasswordError) or _ENCRYPTED in data:
            raise UnreadableSource("encrypted", hint="remove the password first") from error
        raise UnreadableSource(f"damaged workbook: {' '.join(str(error).split())[:200]}") from error


def _cells(book: Any, name: str) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the rows of a sheet; a cell that spans several is in each of them."""
    sheet = book.get_sheet_by_name(name)
    height, width = sheet.total_height, sheet.total_width
    if height * width > MAX_CELLS:
        raise UnreadableSource(f"a sheet of {height:,} x {width:,} cells; at most {MAX_CELLS:,} are read")
    rows = sheet.to_python(skip_empty_area=False)
    for (top, left), (bottom, _) in getattr(sheet, "merged_cell_ranges", None) or ():
        for row in rows[top : bottom + 1]:
            row[left] = row[left] or rows[top][left]
    yield from enumerate(rows, 1)


def read_csv(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the rows of a CSV file, whose delimiter is found by its first rows; a row that is ragged stays so.

    Raises UnreadableSource for what is not text.
    """
    text = normalise_text(decode(data, encoding=options.encoding))
    return ParsedText(text_of(enumerate(_rows(text, _delimiter(text[:_SNIFFED])), 1)))


def read_tsv(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the rows of a file whose cells stand between tabs. Raises UnreadableSource for what is not text."""
    return ParsedText(text_of(enumerate(_rows(normalise_text(decode(data, encoding=options.encoding)), "\t"), 1)))


def csv_rows(data: bytes, sheet: str | None, encoding: str | None) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the rows of a CSV file with the lines on which they begin. Raises UnreadableSource for bad quotes, too."""
    text = normalise_text(decode(data, encoding=encoding))
    yield from _numbered(text, _delimiter(text[:_SNIFFED]))


def tsv_rows(data: bytes, sheet: str | None, encoding: str | None) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the rows of a file whose cells stand between tabs, as `csv_rows` does."""
    yield from _numbered(normalise_text(decode(data, encoding=encoding)), "\t")


def _numbered(text: str, delimiter: str) -> Iterator[tuple[int, Sequence[str]]]:
    reader, line = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        hint = "close its quotes, and double those within"
        raise UnreadableSource(f"line {line}: no CSV: {error}", hint=hint) from error


def json_rows(data: bytes, sheet: str | None, encoding: str | None) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the names that the objects of JSON lines have, then their values. Raises UnreadableSource with the line."""
    found: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(decode(data, encoding=encoding).split("\n"), 1):
        try:
            value = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError) as error:
            why = str(error).replace("line 1 column", "column")
            raise UnreadableSource(f"line {number}: no JSON: {why}", hint="one object a line") from error
        if not isinstance(value, dict):
            raise UnreadableSource(f"line {number}: no object with the columns")
        found += [(number, value)] * bool(value)
    names = list(dict.fromkeys(name for _, row in found for name in row))
    yield 0, names
    yield from ((number, [row.get(name) for name in names]) for number, row in found)


def parquet_rows(data: bytes, sheet: str | None, encoding: str | None) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the names of the columns of a Parquet file, then its rows. Raises UnreadableSource for what is none."""
    from pyarrow import ArrowException, BufferReader
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(BufferReader(data)) as file:
            yield 0, file.schema_arrow.names
            columns = ([each.to_pylist() for each in batch.columns] for batch in file.iter_batches())
            yield from enumerate((row for batch in columns for row in zip(*batch, strict=True)), 1)
    except (ArrowException, OSError, ValueError, OverflowError) as error:  # also a time that Python does not have
        raise UnreadableSource(f"no Parquet file: {' '.join(str(error).split())[:200]}") from error


def _rows(text: str, delimiter: str) -> Iterator[Sequence[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    except csv.Error as error:
        raise UnreadableSource(f"no CSV: {error}") from error


def _delimiter(head: str) -> str:
    """Return the sign that parts as many cells in most rows; a comma where none does."""

    def fits(sign: str) -> tuple[int, int]:
        counts = [len(row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=sign) if row][:50]
        usual = max(set(counts), key=counts.count, default=1)
        return (counts.count(usual) if usual > 1 else 0, usual)

    return max(_DELIMITERS, key=fits)
