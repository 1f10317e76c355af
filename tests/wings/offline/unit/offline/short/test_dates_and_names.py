"""Names and dates as sentences write them."""

from __future__ import annotations

import re
import time

import pytest

from kg_neo4j_offline.short.dates_and_names import DATE, NAME, when_of


@pytest.mark.parametrize(
    "name", ["Jean-Paul Sartre", "Abd al-Malik", "J.-P. Belmondo", "Ludwig van der Berg", "Rio-de-Janeiro", "A-C-G-T-A"]
)
def test_a_name_with_hyphens_is_one_name(name: str) -> None:
    assert re.fullmatch(NAME, name)


@pytest.mark.parametrize("pattern", [NAME, DATE])
def test_hostile_text_is_read_in_bounded_time(pattern: str) -> None:
    texts = ("1890 – " * 3_000, "Ada of the " * 3_000, "A " * 9_000, "A-" * 9_000, "A.-" * 6_000, "A al-" * 6_000)
    started = time.process_time()
    for text in texts:
        re.findall(pattern, f"{text}x")
    assert time.process_time() - started < 20  # s; a pattern that backtracks takes hours, these take milliseconds


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("4 May 1890", (1890, 5, 4)),
        ("May 4, 1890", (1890, 5, 4)),
        ("May 1890", (1890, 5)),
        ("1890", (1890,)),
        ("44 BC", (-44,)),
        ("no date", None),
        (f"4 May {'9' * 5_000}", (4, 5)),
    ],
)
def test_dates_are_compared_by_year_month_and_day(text: str, when: tuple[int, ...] | None) -> None:
    assert when_of(text) == when
