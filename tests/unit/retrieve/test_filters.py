"""Years of dates as texts give them, and filters that cannot be meant."""

from __future__ import annotations

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.records import Filters
from kg_neo4j.retrieve import filters as filtering
from kg_neo4j.retrieve.filters import check, say, years_of

ROWS = [
    {
        "id": "a" * 32,
        "names": ["Rain Road (film)", "films/rain.md", "The Road"],
        "source": "rain.md",
        "language": "en",
        "kind": "file",
    },
    {"id": "b" * 32, "names": ["Żółw", "notes/ZOLW.txt"], "source": "my/ZOLW.txt", "language": "pl", "kind": "file"},
    {
        "id": "c" * 32,
        "names": ["Who? [draft]", "en.wikipedia.org/1"],
        "source": "Who?",
        "language": None,
        "kind": "wikipedia",
    },
]


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
    ("wanted", "found"),
    [
        ("rain road (film)", "a"),
        ("The Road", "a"),
        ("rain.md", "a"),
        ("films/rain.md", "a"),
        ("a" * 32, "a"),
        ("films/*", "a"),
        ("*road*", "a"),
        ("ŻÓŁW", "b"),
        ("Z\u0307o\u0301łw", "b"),
        ("zolw.tx?", "b"),
        ("my/*", "b"),
        ("Who? [draft]", "c"),
        ("Who? [*", "c"),
        ("*", "abc"),
    ],
)
def test_a_document_is_named_by_id_title_key_file_or_pattern(wanted: str, found: str) -> None:
    assert [row["id"][0] for row in filtering._named(wanted, ROWS, "g")] == list(found)


def test_a_name_that_nothing_bears_is_refused_with_what_is_near() -> None:
    with pytest.raises(UsageError, match="'Rain Rood'") as refused:
        filtering._named("Rain Rood", [*ROWS, {**ROWS[0], "names": ["Rain Road"]}], "g")
    assert refused.value.hint == "there are 'Rain Road (film)', 'Rain Road', and 2 more"
    with pytest.raises(UsageError) as refused:
        filtering._named("nothing alike", ROWS, "g")
    assert "'Żółw'" in str(refused.value.hint)


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    rows = [{**ROWS[0], "names": ["a" * 3_000]}]
    with pytest.raises(UsageError):
        filtering._named("a*" * 40 + "b", rows, "g")


@pytest.mark.parametrize(
    "filters", [Filters(since=1804, until=1799), Filters(since=20_000), Filters(until=-20_000)], ids=str
)
def test_years_that_cannot_be_meant_are_refused(filters: Filters) -> None:
    with pytest.raises(UsageError):
        check(filters)


def test_filters_are_said_in_words() -> None:
    assert say(Filters(("Ada",), ("en", "pl"), (), ("PERSON",), 1799, 1804)) == (
        "document Ada; language en, pl; type PERSON; dated 1799 to 1804"
    )
    assert say(Filters(since=-44)) == "dated -44 or later"
    assert say(Filters(until=1900)) == "dated 1900 or earlier"
    assert not Filters()
    assert Filters(until=0)
