"""What a person sees: progress bars and notes on standard error, tables on standard output."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kg_neo4j import data_files
from kg_neo4j._cli.shapes import plain
from kg_neo4j.errors import UsageError
from kg_neo4j.progress import RECEIVED, Silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from kg_neo4j.progress import Progress
    from kg_neo4j.records import Usage

PIPED_WIDTH = 400  # characters of a table that no terminal shows
EVERY_S = 10.0  # between two lines of a log
SOON_S = 3.0  # before the first one of a stage that is done once


@dataclass(slots=True)
class Wordiness:
    """What --quiet and --verbose ask for; set by the options of every command."""

    is_quiet: bool = False
    is_verbose: bool = False


wordiness = Wordiness()


@dataclass(slots=True)
class _Stage:
    total: int | None
    started: float
    done: int = 0
    before: int = field(default_factory=lambda: RECEIVED["tokens"])

    @property
    def received(self) -> str:
        """What answers are coming while it runs: "1,204 tokens received, 19.8 a second"; empty where none are."""
        tokens = RECEIVED["tokens"] - self.before
        each_s = _figure(tokens / max(time.monotonic() - self.started, 0.001))
        return f"{tokens:,} tokens received, {each_s} a second" if tokens else ""

    def said(self) -> str:
        """Return how far the stage is: "120 of 400 done, 3.1 a second, 1 min 30 s left"."""
        seconds = time.monotonic() - self.started
        if not self.done:
            return f"nothing done yet, {duration(seconds)}" if self.total else f"{duration(seconds)} so far"
        if self.total is None:
            return f"{self.done:,} done, {_figure(self.done / seconds)} a second"
        left = duration(seconds * (self.total - self.done) / self.done)
        return f"{self.done:,} of {self.total:,} done, {_figure(self.done / seconds)} a second, {left} left"


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3g}" if value < 100 else f"{value:,.0f}"


def duration(seconds: float) -> str:
    """Return seconds in words: "1 min 30 s"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


@dataclass(eq=False)
class QuietProgress(Silent):
    """Knows how far each stage is, and shows nothing while it runs."""

    _stack: ExitStack
    _stages: dict[str, _Stage] = field(default_factory=dict, init=False)  # those that run

    def start(self, stage: str, total: int | None = None) -> None:
        """Follow a stage."""
        self._stages[stage] = _Stage(total, time.monotonic())

    def advance(self, stage: str, units: int = 1) -> None:
        """Count what is done."""
        self._stages[stage].done += units

    def finish(self, stage: str) -> None:
        """Follow a stage no longer; with --verbose, note how long it took."""
        ended = self._stages.pop(stage, None)
        if wordiness.is_verbose and ended:
            done = f"{ended.done:,} done, " if ended.done else ""
            self.note(f"{stage}: {done}{time.monotonic() - ended.started:.1f} s")

    def interrupted(self) -> None:
        """Print how far the stages are that run."""
        for name, stage in self._stages.items():
            typer.echo(f"{name}: {stage.said()}", err=True)


@dataclass(eq=False)
class LogProgress(QuietProgress):
    """Prints a line on standard error every ten seconds: the stage, how far it is, the rate, the time left.

    The first one comes after three seconds for a stage that terminal.toml describes: Neo4j starts.
    """

    every_s: float = EVERY_S
    _counts: dict[str, float] = field(default_factory=dict, init=False)
    _thread: threading.Thread | None = None
    _over: threading.Event = field(default_factory=threading.Event, init=False)

    def start(self, stage: str, total: int | None = None) -> None:
        """Begin to report a stage."""
        if self._thread is None:
            self._stack.callback(self._over.set)
            self._thread = threading.Thread(target=self._report, name="kg-progress", daemon=True)
            self._thread.start()
        super().start(stage, total)

    def count(self, what: str, value: float) -> None:
        """Keep a figure of the run for the next line."""
        self._counts[what] = value

    def note(self, message: str) -> None:
        """Print a line."""
        typer.echo(message, err=True)

    def _report(self) -> None:
        described, first = data_files.beside(__file__).table("stages"), True
        while not self._over.wait(min(SOON_S, self.every_s) if first else self.every_s):
            for name, stage in list(self._stages.items()):
                if not first or name in described:
                    counts = [f"{_figure(value)} {what}" for what, value in self._counts.items()]
                    parts = f"{described.get(name, name)}: {stage.said()}", *filter(None, [stage.received]), *counts
                    typer.echo(", ".join(parts), err=True)
            first = False


@dataclass(eq=False)
class TerminalProgress(QuietProgress):
    """Draws one bar a stage on standard error, which is a terminal."""

    _drawn: Bars | None = None  # nothing is drawn before a stage begins
    _tasks: dict[str, TaskID] = field(default_factory=dict, init=False)

    def start(self, stage: str, total: int | None = None) -> None:
        """Add a bar."""
        super().start(stage, total)
        self._tasks[stage] = self._bars.add_task(stage, total=total, stage=self._stages[stage])

    def advance(self, stage: str, units: int = 1) -> None:
        """Move a bar."""
        super().advance(stage, units)
        self._bars.advance(self._tasks[stage], units)

    def finish(self, stage: str) -> None:
        """Fill a bar."""
        task = self._bars.tasks[self._tasks[stage]]
        self._bars.update(task.id, total=task.completed or 1, completed=task.completed or 1)
        super().finish(stage)

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
            received = TextColumn("{task.fields[stage].received}")
            self._drawn = self._stack.enter_context(Progress(*columns, received, console=console))
        return self._drawn


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Yield what shows progress on standard error: bars on a terminal, lines in a log; nothing where `quiet`.

    An interrupt prints how far the work is.
    """
    kind: type[QuietProgress] = TerminalProgress if sys.stderr.isatty() else LogProgress
    with ExitStack() as stack:
        shown = (QuietProgress if quiet or wordiness.is_quiet else kind)(stack)
        try:
            yield shown
        except KeyboardInterrupt:
            stack.close()
            shown.interrupted()
            raise


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
    Console(width=None if sys.stdout.isatty() else PIPED_WIDTH).print(table)


def show_table(value: Any, columns: Sequence[str], rows: Iterable[Sequence[object]], *, as_json: bool) -> None:
    """Print a value as JSON, or to a person the rows that are made of it."""
    show(value, lambda _: print_table(columns, rows), as_json=as_json)


def print_facts(facts: Mapping[str, object]) -> None:
    """Print aligned `name  value` lines to standard output."""
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        sys.stdout.write(f"{name:<{width}}  {value}\n")


def show(value: Any, said: Mapping[str, object] | str | Callable[[Any], None], *, as_json: bool) -> None:
    """Print a value as JSON, or to a person what is said of it: facts, text, or what a function prints."""
    if as_json:
        print_json(value)
    elif callable(said):
        said(value)
    elif isinstance(said, str):
        print_text(said)
    else:
        print_facts(said)


def print_estimates(assumptions: Iterable[str]) -> None:
    """Print what a plan assumes."""
    for assumption in assumptions:
        typer.echo(f"estimated: {assumption}")


def print_error(kind: str, message: str, hint: str | None, *, as_json: bool) -> None:
    """Print an error: for a person to standard error, as JSON to standard output."""
    if as_json:
        typer.echo(json_text({"error": {"type": kind, "message": message, "hint": hint}}))
        return
    typer.echo(f"error: {message}", err=True)
    if hint:
        typer.echo(f"  try: {hint}", err=True)


def confirm(question: str, *, yes: bool) -> None:
    """Ask a person; exit with 1 where the answer is no. Raises UsageError where no terminal can give an answer."""
    if not yes and not sys.stdin.isatty():
        raise UsageError(f"{question} No terminal is there to answer", hint="the same command with --yes")
    if not yes and not typer.confirm(question, err=True):
        typer.echo("nothing was changed", err=True)
        raise typer.Exit(1)


def remark(name: str, lines: Iterable[object]) -> None:
    """Print each line to standard error, after what it is: "note: ..."; nothing with --quiet."""
    for line in () if wordiness.is_quiet else lines:
        typer.echo(f"{name}: {line}", err=True)


def price(usage: Usage, unknown: str = "unknown") -> str:
    """Return what calls cost, in USD, or `unknown`."""
    return unknown if usage.usd is None else f"{usage.usd:.4f} USD"


def spent(usage: Usage) -> str:
    """Return calls, tokens and price in one line."""
    if not usage.calls:
        return "no paid calls"
    cached = f" ({usage.cached_tokens:,} of them cached)" if usage.cached_tokens else ""
    thoughts = f" ({usage.reasoning_tokens:,} of them thoughts)" if usage.reasoning_tokens else ""
    tokens = f"{usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out{thoughts}"
    return f"{usage.calls} calls, {tokens}, {price(usage, 'price not known')}"


def usage_facts(usage: Usage, unknown: str = "unknown") -> dict[str, object]:
    """Return tokens and price for `print_facts`; nothing where no call was made."""
    if not usage.calls:
        return {}
    return {"tokens": f"{usage.input_tokens} input + {usage.output_tokens} output", "price": price(usage, unknown)}


def write_file(target: Path, text: str, *, force: bool) -> None:
    """Write a file that a command makes. Raises UsageError where there is one and `force` is off, or it cannot be."""
    if target.exists() and not force:
        raise UsageError(f"there is a file {target} already", hint="another place with --to, or --force")
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error}") from error


def print_text(text: str) -> None:
    """Print text to standard output."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(_cell(each) for each in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
