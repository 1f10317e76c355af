"""Parameters of queries, so that sending many costs little."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class _Unprinted(list[Any]):
    """A list with a short text."""

    def __repr__(self) -> str:
        """Return how many there are."""
        return f"<{len(self)} items>"


def unprinted(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters that the driver sends as they are, but cannot print.

    It makes a text of all of them for its log, whether there is one or not: of 450,000 numbers that takes 0.2 s of CPU,
    and sending them 0.01.
    """
    return {name: _Unprinted(value) if isinstance(value, list | tuple) else value for name, value in params.items()}
