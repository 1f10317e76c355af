"""What can be said of a server without one."""

from __future__ import annotations

import pytest

from kg_neo4j.graph.database import DatabaseAddress, batches, can_search, is_supported


@pytest.mark.parametrize(
    ("version", "supported"),
    [
        ("5.26.30", True),
        ("5.27-aura", True),
        ("2026.03.1", True),
        ("2025.11-aura", True),
        ("5.25.1", False),
        ("4.4.40", False),
        ("unknown", False),
    ],
)
def test_versions_that_can_be_used(version: str, supported: bool) -> None:
    assert is_supported(version) is supported


@pytest.mark.parametrize(
    ("version", "can"),
    [("2026.03.1", True), ("2026.10-aura", True), ("2026.02.3", False), ("5.26.30", False), ("unknown", False)],
)
def test_versions_that_search_inside_a_graph(version: str, can: bool) -> None:
    assert can_search(version) is can


def test_an_address_is_shown_without_its_secrets() -> None:
    address = DatabaseAddress("neo4j+s://ada:canary@db.example:7687", "ada", "canary")
    assert address.shown == "neo4j+s://db.example:7687"
    assert "canary" not in repr(address).replace(address.uri, "")


def test_batches_hold_all_rows_in_order() -> None:
    assert [list(batch) for batch in batches([1, 2, 3, 4, 5], 2)] == [[1, 2], [3, 4], [5]]
    assert list(batches([], 2)) == []
