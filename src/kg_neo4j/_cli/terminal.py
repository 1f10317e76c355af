"""What a person sees: progress bars and notes on standard error, tables on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import typer

from kg_neo4j._cli.shapes import plain

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from kg_neo4j.progress import Progress
    from kg_neo4j.records import Usage

PIPED_WIDTH = 400  # characters of a table that no terminal shows


class TerminalProgress:
    """Draws one bar a stage on standard error; plain notes where standard error is no terminal."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._drawn: Bars | None = None  # nothing is drawn before a stage begins
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

    @property
    def _bars(self) -> Bars:
        if self._drawn is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            console = Console(stderr=True)
            columns = (TextColumn("{task.description:>12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            bars = Progress(*columns, console=console, disable=not console.is_terminal)
            self._drawn = self._stack.enter_context(bars)
        return self._drawn


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Yield an object that shows progress on standard error, or says nothing where `quiet`."""
    from kg_neo4j.progress import SILENT

    if quiet:
        yield SILENT
        return
    with ExitStack() as stack:
        yield TerminalProgress(stack)


def print_json(value: Any) -> None:
    """Print one JSON value to standard output; records as `shapes` has them."""
    sys.stdout.write(json_text(plain(value), indent=2) + "\n")


def json_text(value: Any, indent: int | None = None) -> str:
    """Return JSON that standard output can encode: all in ASCII where a character could not be written otherwise."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # a lone surrogate, as in a file name of bad bytes; or a terminal of few characters
        return json.dumps(value, indent=indent)
    return text


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Print a table to standard output; numbers are aligned right. Cells are text, never markup or control characters.

    It is as wide as the terminal; where there is none (a file, a pipe) lines stay whole.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from kg_neo4j.graph.report_format import CONTROL

    listed = [list(row) for row in rows]
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for index, column in enumerate(columns):
        numeric = bool(listed) and all(isinstance(row[index], int | float) for row in listed)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        cells = ("\n".join(CONTROL.sub(" ", line) for line in _cell(value).split("\n")) for value in row)
        table.add_row(*map(Text, cells))
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    console.print(table)


def print_facts(facts: Mapping[str, object]) -> None:
    """Print aligned `name  value` lines to standard output."""
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        sys.stdout.write(f"{name:<{width}}  {value}\n")


def show(value: Any, said: Mapping[str, object] | str, *, as_json: bool) -> None:
    """Print a value as JSON, or to a person what is said of it: facts or text."""
    if as_json:
        print_json(value)
    elif isinstance(said, str):
        print_text(said)
    else:
        print_facts(said)


def print_estimates(assumptions: Iterable[str]) -> None:
    """Print what a plan assumes."""
    for assumption in assumptions:
        typer.echo(f"estimated: {assumption}")


def remark(name: str, lines: Iterable[object]) -> None:
    """Print each line to standard error, after what it is: "note: ..."."""
    for line in lines:
        typer.echo(f"{name}: {line}", err=True)


def price(usage: Usage, unknown: str = "unknown") -> str:
    """Return what calls cost, in USD, or `unknown`."""
    return unknown if usage.usd is None else f"{usage.usd:.4f} USD"


def cost(usage: Usage) -> str:
    """Return calls, tokens and price in one line."""
    if not usage.calls:
        return "no paid calls"
    tokens = f"{usage.input_tokens} + {usage.output_tokens} tokens"
    return f"{usage.calls} calls, {tokens}, {price(usage, 'price unknown')}"


def spent(usage: Usage) -> str:
    """Return the same as a scorecard has it."""
    if not usage.calls:
        return "no calls"
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    return f"{usage.calls} calls, {tokens}, {price(usage, 'price not known')}"


def percent(share: float | None) -> str:
    """Return a share of 0 to 1 in percent; nothing for None."""
    return "" if share is None else f"{100 * share:.1f}"


def percents(edges: tuple[float, float] | None) -> str:
    """Return an interval in percent."""
    return "-".join(map(percent, edges or ()))


def usage_facts(usage: Usage, unknown: str = "unknown") -> dict[str, object]:
    """Return tokens and price for `print_facts`; nothing where no call was made."""
    if not usage.calls:
        return {}
    return {"tokens": f"{usage.input_tokens} input + {usage.output_tokens} output", "price": price(usage, unknown)}


def print_text(text: str) -> None:
    """Print text to standard output."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(_cell(each) for each in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
