"""How a long call says where it is. The library never prints; the command line passes an object that draws bars."""

from __future__ import annotations

import sys
from collections import Counter
from pkgutil import resolve_name
from typing import Protocol

RECEIVED: Counter[str] = Counter()  # "tokens" of answers that have arrived: a piece of a stream counts as one


class Progress(Protocol):
    """Receives the progress of named stages. Calls come from one thread at a time for each stage.

    An inherited method does nothing.
    """

    def start(self, stage: str, total: int | None = None) -> None:
        """Begin `stage`; `total` is the number of units, None where it is not known."""
        return

    def advance(self, stage: str, units: int = 1) -> None:
        """`units` more units of `stage` are done."""
        return

    def count(self, what: str, value: float) -> None:
        """`value` is what the run has so far of `what`: "documents", "USD"."""
        return

    def finish(self, stage: str) -> None:
        """`stage` is over."""
        return

    def note(self, message: str) -> None:
        """One line worth showing to a person (a fall-back taken, a source skipped)."""
        return


class Silent(Progress):
    """The default: says nothing."""


SILENT: Progress = Silent()


def chosen(wanted: bool | Progress | None) -> Progress:
    """Return what shows progress. None: a line in a notebook, nothing elsewhere; True: a line, False: nothing."""
    if wanted is None:
        wanted = "IPython" in sys.modules and hasattr(sys.modules["IPython"].get_ipython(), "kernel")
    return resolve_name("kg_neo4j.rooms.notebooks.bars:LineProgress")() if wanted is True else wanted or SILENT
