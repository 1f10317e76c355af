"""A report's rows as text: CSV, JSON or Markdown. Pure. The command line draws tables.

Cells come from documents, so they are data in every format: a spreadsheet meets no formula, a Markdown page no
markup and no control characters.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from pandas import DataFrame

Cell = str | int | float | bool | None | tuple[str | int | float | bool | None, ...]

FORMATS = ("table", "csv", "json", "markdown", "mermaid")  # of the command line, which draws the table itself
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet recognises a formula
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARKUP = re.compile(r"([\\`|<>\[\]*_])")


@dataclass(frozen=True, slots=True)
class Report:
    """What a report found. A row has one cell a column, in the columns' order."""

    name: str  # as on the command line: "most-connected"
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()  # what a name that was given was taken to mean

    def to_dataframe(self) -> DataFrame:
        """Return the rows as a pandas DataFrame."""
        from pandas import DataFrame

        return DataFrame(list(self.rows), columns=list(self.columns))


def render(report: Report, output: str) -> str:
    """Return `report` as "csv", "json", "markdown" or, for the report "schema", "mermaid"; no line end at the end.

    JSON is a list of objects whose keys are the columns. In CSV, text that a spreadsheet would take for a formula gets
    a leading apostrophe; numbers stay as they are. Raises UsageError for another format.
    """
    if output == "json":
        objects = [dict(zip(report.columns, row, strict=True)) for row in report.rows]
        return json.dumps(objects, ensure_ascii=False, indent=2)
    if output == "csv":
        return "\n".join(map(_csv_line, [report.columns, *report.rows]))
    if output == "markdown":
        columns = list(zip(*report.rows, strict=True)) if report.rows else [()] * len(report.columns)
        marks = ["---:" if _is_numeric(cells) else "---" for cells in columns]
        rows = [[_MARKUP.sub(r"\\\1", CONTROL.sub(" ", _text(cell))) for cell in row] for row in report.rows]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in [report.columns, marks, *rows])
    if output == "mermaid" and report.name == "schema":
        return str(resolve_name("kg_neo4j.rooms.types.drawing:mermaid")(report))
    raise UsageError(f"there is no format {output[:40]!r}", hint=f"one of {', '.join(FORMATS)}")


def _csv_line(row: Sequence[Cell]) -> str:
    file = io.StringIO()
    csv.writer(file).writerow([_harmless(cell) for cell in row])  # its "\r\n" makes it quote either character
    return file.getvalue().removesuffix("\r\n")


def _harmless(cell: Cell) -> str | int | float:
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return cell
    text = _text(cell)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _is_numeric(cells: Sequence[Cell]) -> bool:
    """Return whether a column holds numbers and gaps alone; such columns stand right."""
    given = [cell for cell in cells if cell is not None]
    return bool(given) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in given)


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        return ", ".join(map(_text, cell))
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
