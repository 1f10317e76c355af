"""Sheets of Excel and OpenDocument, and CSV. Each sheet is a section, each row a line that ends with its number."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from kg_neo4j.acquire.decoding import decode, normalise_text
from kg_neo4j.acquire.docx_text import check_archive
from kg_neo4j.acquire.interface import ParsedText, ReadOptions, TextBuilder
from kg_neo4j.errors import UnreadableSource
from kg_neo4j_readers.rows import text_of

MAX_SHEETS = 1_000
MAX_CELLS = 5_000_000  # of one sheet, empty ones too
_DELIMITERS = ",;\t|"
_SNIFFED = 20_000  # characters


def read_sheets(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the sheets of a workbook that are not hidden; formulas as the values that were last computed.

    Raises UnreadableSource for what is encrypted, damaged, too large or no workbook.
    """
    import python_calamine as calamine

    if data.startswith(b"PK"):
        check_archive(data)
    try:
        book = calamine.load_workbook(io.BytesIO(data))
        metadata = book.sheets_metadata
        if len(metadata) > MAX_SHEETS:
            raise UnreadableSource(f"{len(metadata):,} sheets; at most {MAX_SHEETS:,} are read")
        builder, hidden = TextBuilder(), 0
        for sheet in metadata:
            if sheet.visible != calamine.SheetVisibleEnum.Visible:
                hidden += 1
            elif sheet.typ == calamine.SheetTypeEnum.WorkSheet:
                _add(builder, book.get_sheet_by_name(sheet.name))
    except calamine.PasswordError as error:
        raise UnreadableSource("encrypted", hint="remove the password first") from error
    except (calamine.CalamineError, OSError) as error:
        raise UnreadableSource(f"damaged workbook: {' '.join(str(error).split())[:200]}") from error
    left_out = f"{hidden:,} hidden sheet{'s'[: hidden > 1]} left out" if hidden else ""
    return replace(builder.build(), left_out=left_out)


def _add(builder: TextBuilder, sheet: Any) -> None:
    height, width = sheet.total_height, sheet.total_width
    if height * width > MAX_CELLS:
        raise UnreadableSource(f"a sheet of {height:,} x {width:,} cells; at most {MAX_CELLS:,} are read")
    rows = [[_text(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False)]
    for (top, left), (bottom, _) in getattr(sheet, "merged_cell_ranges", None) or ():
        for row in rows[top : bottom + 1]:  # a cell that spans several rows is in each of them
            row[left] = row[left] or rows[top][left]
    if text := text_of(enumerate(rows, 1)):
        builder.add_heading(sheet.name, 1, "# ")
        builder.add(text)


def _text(value: object) -> str:
    """Return a value as people write it: whole numbers without a point, days without an hour."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, datetime.datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    return value.isoformat(" ") if isinstance(value, datetime.datetime) else str(value)


def read_csv(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the rows of a CSV file, whose delimiter is found by its first rows; a row that is ragged stays so.

    Raises UnreadableSource for what is not text.
    """
    text = normalise_text(decode(data, encoding=options.encoding))
    return ParsedText(text_of(enumerate(_rows(text, _delimiter(text[:_SNIFFED])), 1)))


def read_tsv(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the rows of a file whose cells stand between tabs. Raises UnreadableSource for what is not text."""
    return ParsedText(text_of(enumerate(_rows(normalise_text(decode(data, encoding=options.encoding)), "\t"), 1)))


def _rows(text: str, delimiter: str) -> Iterator[Sequence[str]]:
    csv.field_size_limit(len(text) + 1)
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
