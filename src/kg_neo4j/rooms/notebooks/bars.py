"""Progress as one line that is replaced: below the cell of a notebook, or on standard error."""

from __future__ import annotations

import html
import sys
import time
import warnings
from typing import Any

from kg_neo4j.progress import Silent

EVERY_S = 0.2  # between two changes of the line


class LineProgress(Silent):
    """Shows how far the stages are that run; when the last one ends, the line is emptied."""

    def __init__(self) -> None:
        self._stages: dict[str, tuple[int, int | None]] = {}  # done, of how many
        self._counts: dict[str, float] = {}
        self._line: Any = None  # where IPython shows it
        self._cell: int | None = None  # the number of that cell
        self._at = 0.0
        if _notebook():  # a bar of the GDS client wants a package that this line does without
            warnings.filterwarnings("ignore", "IProgress not found")

    def start(self, stage: str, total: int | None = None) -> None:
        """Show a stage. What a call in an earlier cell left when it failed is forgotten."""
        if self._cell != getattr(_notebook(), "execution_count", None):
            self._stages.clear()
        self._stages[stage] = (0, total)
        self._show()

    def advance(self, stage: str, units: int = 1) -> None:
        """Count what is done."""
        done, total = self._stages.get(stage, (0, None))
        self._stages[stage] = (done + units, total)
        if time.monotonic() - self._at >= EVERY_S:
            self._show()

    def count(self, what: str, value: float) -> None:
        """Show a figure of the run with the next change."""
        self._counts[what] = value

    def finish(self, stage: str) -> None:
        """Show a stage no longer."""
        self._stages.pop(stage, None)
        self._show()

    def note(self, message: str) -> None:
        """Print a line that stays, to standard error."""
        sys.stderr.write(f"{message}\n")

    def _show(self) -> None:
        self._at = time.monotonic()
        parts = self._stages.items()
        said = [f"{stage} {done:,}" + (f" of {total:,}" if total else "") for stage, (done, total) in parts]
        line = ", ".join([*said, *(f"{value:,.4g} {what}" for what, value in self._counts.items() if said)])
        if (shell := _notebook()) is None:
            sys.stderr.write(f"\r\x1b[K{line}")
            return
        from IPython import display as shown

        whole = [(done, total) for done, total in self._stages.values() if total]
        bar = f'<progress value="{whole[-1][0]}" max="{whole[-1][1]}"></progress> ' if whole else ""
        page = shown.HTML(bar + html.escape(line))  # type: ignore[no-untyped-call]
        if self._cell == shell.execution_count:
            self._line.update(page)
        else:
            self._cell = shell.execution_count
            self._line = shown.display(page, display_id=True)  # type: ignore[no-untyped-call]


def _notebook() -> Any:
    """Return IPython's shell in a notebook; None elsewhere."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell if hasattr(shell, "kernel") else None
