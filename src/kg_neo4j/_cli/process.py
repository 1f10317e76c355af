"""The process of a command: it starts and ends quickly, and Ctrl-C or SIGTERM stops it within five seconds.

A question takes 1 s of processor time without `prepare`. Of that, 0.3 s are the driver's import of pandas and pyarrow,
0.25 s the search for garbage while modules are imported and when the process ends.

The first signal interrupts the work: what is complete is recorded, calls in flight are dropped. Whatever is still
running four seconds later is left as it is, which is safe at any point; the next run goes on from there. A second
signal leaves at once.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import FrameType, ModuleType
from typing import Any, TypeVar

LEAVE_S = 4.0
SIGNALS = (signal.SIGINT, signal.SIGTERM)

CommandT = TypeVar("CommandT")

_PLACE = "neo4j._optional_deps"  # where the driver looks for numpy (np), pandas (pd), pyarrow (pa, pa_compute)


class _OptionalPackages(ModuleType):
    """Says of all optional packages but numpy that they are not installed."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return import_module("numpy") if name == "np" else None


def prepare() -> None:
    """Have this process import the driver without pandas and pyarrow, and end without a last search for garbage.

    They are installed for the GDS client, which imports them where it is used and hands the driver nothing of theirs.
    """
    if "neo4j" not in sys.modules:
        sys.modules.setdefault(_PLACE, _OptionalPackages(_PLACE))
    atexit.register(gc.freeze)


def continues(command: CommandT) -> CommandT:
    """Mark a command, or a group of them, as one that records what it does: the same command again continues."""
    vars(command)["continues"] = True
    return command


def collect_at_exit() -> None:
    """Search for garbage at the end all the same: DuckDB prints a complaint about what was not collected."""
    atexit.unregister(gc.freeze)


@contextmanager
def without_collection() -> Iterator[None]:
    """Leave garbage where it is: for what is done within seconds."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass(slots=True)
class Interrupts:
    """Whether a signal was received. `exit_code` is 128 and its number: 130 for Ctrl-C, 143 for SIGTERM."""

    exit_code: int = 128 + signal.SIGINT
    received: bool = False

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle both signals within the block; only in the main thread, where Python delivers them."""
        before = {number: signal.signal(number, self._receive) for number in SIGNALS}
        try:
            yield
        finally:
            if not self.received:
                for number, handler in before.items():
                    signal.signal(number, handler)

    def _receive(self, number: int, _: FrameType | None) -> None:
        self.exit_code = 128 + number
        if self.received:
            self._leave()
        self.received = True
        clock = threading.Timer(LEAVE_S, self._leave)
        clock.daemon = True
        clock.start()
        raise KeyboardInterrupt

    def _leave(self) -> None:
        if sys.stderr.isatty():
            os.write(2, b"\x1b[?25h\n")  # a progress bar hides the cursor
        os._exit(self.exit_code)
