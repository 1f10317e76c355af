"""Years of dates as texts give them, and filters that cannot be meant."""

from __future__ import annotations

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.records import Filters
from kg_neo4j.retrieve.filters import say, years_of
from kg_neo4j.retrieve.interface import check_filters


@pytest.mark.parametrize(
    ("date", "years"),
    [
        ("1804", (1804, 1804)),
        ("c. 570", (570, 570)),
        ("14 May 1804", (1804, 1804)),
        ("May 1804", (1804, 1804)),
        ("1799-1804", (1799, 1804)),
        ("from 1799 to 1804", (1799, 1804)),
        ("44 BC", (-44, -44)),
        ("100-44 BC", (-100, -44)),
        ("01.05.1990", (1990, 1990)),
        ("1990-05-01", (1990, 1990)),
        ("1800s", (1800, 1800)),
        ("long ago", None),
        ("", None),
        ("٢٠٠١", (2001, 2001)),
    ],
)
def test_years_are_read_from_dates_as_texts_give_them(date: str, years: tuple[int, int] | None) -> None:
    assert years_of(date) == years


@pytest.mark.parametrize(
    "filters", [Filters(since=1804, until=1799), Filters(since=20_000), Filters(until=-20_000)], ids=str
)
def test_years_that_cannot_be_meant_are_refused(filters: Filters) -> None:
    with pytest.raises(UsageError):
        check_filters(filters)


def test_filters_are_said_in_words() -> None:
    assert say(Filters(("Ada",), ("en", "pl"), (), ("PERSON",), 1799, 1804)) == (
        "document Ada; language en, pl; type PERSON; dated 1799 to 1804"
    )
    assert say(Filters(since=-44)) == "dated -44 or later"
    assert say(Filters(until=1900)) == "dated 1900 or earlier"
    assert not Filters()
    assert Filters(until=0)
