"""What makes a command start and end quickly. For the command line alone: the process is its own.

A question takes 1 s of processor time without it. Of that, 0.3 s are the driver's import of pandas and pyarrow, 0.25 s
the search for garbage while modules are imported and when the process ends.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

_PLACE = "neo4j._optional_deps"  # where the driver looks for numpy (np), pandas (pd), pyarrow (pa, pa_compute)


class _OptionalPackages(ModuleType):
    """Says of all optional packages but numpy that they are not installed."""

    def __getattr__(self, name: str) -> Any:
        """Return numpy, or None for any other package."""
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
