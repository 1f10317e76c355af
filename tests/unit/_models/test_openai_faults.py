"""Waiting times, without a server: test plan row 23."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from kg_neo4j._models.openai_faults import retry_after_s, wait_s

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(("seconds", "expected"), [(30, 30.0), (3600, 60.0), (0, 0.0), (-30, None)])
def test_dates_count_from_now(seconds: int, expected: float | None) -> None:
    value = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert retry_after_s({"retry-after": value}, NOW) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("12", 12.0),
        ("1.5", 1.5),
        ("99999999", 60.0),
        ("-1", None),
        ("inf", None),
        ("nan", None),
        ("", None),
        ("x" * 99, None),
        ("Wed, 99 Nov 2026 12:00:30 GMT", None),
        ("20 Nov 2026 12:00:30", 30.0),
    ],
)
def test_seconds_are_capped_and_nonsense_is_ignored(value: str, expected: float | None) -> None:
    assert retry_after_s({"retry-after": value}, NOW) == expected


def test_without_a_header_nothing_is_told() -> None:
    assert retry_after_s({}, NOW) is None


def test_untold_waits_double_up_to_a_minute() -> None:
    assert [wait_s(call, None, 0.0) for call in (1, 2, 3, 4, 20)] == [0.5, 1.0, 2.0, 4.0, 60.0]


@pytest.mark.parametrize("told", [0.0, 7.0, 60.0])
def test_jitter_only_lengthens_and_stays_small(told: float) -> None:
    assert wait_s(1, told, 0.0) == told
    assert told < wait_s(1, told, 1.0) <= told + 5.0
