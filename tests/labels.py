"""Labels of nodes, as Leiden gives them, for tests."""

from __future__ import annotations

from collections.abc import Mapping


def cells(labels: Mapping[int, tuple[int, ...]]) -> dict[tuple[int, ...], list[int]]:
    """Return who shares their labels on all levels, from num -> labels."""
    found: dict[tuple[int, ...], list[int]] = {}
    for num, each in labels.items():
        found.setdefault(each, []).append(num)
    return found
