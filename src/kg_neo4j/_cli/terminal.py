"""What a person sees: progress bars and notes on standard error, tables on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from kg_neo4j.progress import Progress

PIPED_WIDTH = 400  # characters of a table that no terminal shows


class TerminalProgress:
    """Draws one bar a stage on standard error; plain notes where standard error is no terminal."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def start(self, stage: str, total: int | None = None) -> None:
        """Add a bar."""
        self._tasks[stage] = self._bars.add_task(stage, total=total)

    def advance(self, stage: str, units: int = 1) -> None:
        """Move a bar."""
        self._bars.advance(self._tasks[stage], units)

    def finish(self, stage: str) -> None:
        """Fill a bar."""
        task = self._bars.tasks[self._tasks[stage]]
        self._bars.update(task.id, total=task.completed or 1, completed=task.completed or 1)

    def note(self, message: str) -> None:
        """Print a line above the bars."""
        self._bars.console.print(message, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Yield an object that shows progress on standard error, or says nothing where `quiet`."""
    from kg_neo4j.progress import SILENT

    if quiet:
        yield SILENT
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description:>12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        yield TerminalProgress(bars)


def print_json(value: Any) -> None:
    """Print one JSON value to standard output."""
    sys.stdout.write(json_text(value, indent=2) + "\n")


def json_text(value: Any, indent: int | None = None) -> str:
    """Return JSON that standard output can encode: all in ASCII where a character could not be written otherwise."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # a lone surrogate, as in a file name of bad bytes; or a terminal of few characters
        return json.dumps(value, indent=indent)
    return text


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Print a table to standard output; numbers are aligned right. Cells are text, never markup.

    It is as wide as the terminal; where there is none (a file, a pipe) lines stay whole.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    listed = [list(row) for row in rows]
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for index, column in enumerate(columns):
        numeric = bool(listed) and all(isinstance(row[index], int | float) for row in listed)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        table.add_row(*(Text(_cell(value)) for value in row))
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    console.print(table)


def print_facts(facts: Mapping[str, object]) -> None:
    """Print aligned `name  value` lines to standard output."""
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        sys.stdout.write(f"{name:<{width}}  {value}\n")


def print_text(text: str) -> None:
    """Print text to standard output."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(_cell(each) for each in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
