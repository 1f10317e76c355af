"""Dates and years in text."""

from __future__ import annotations

import pytest

from kg_neo4j_offline.extractor.dates import find_dates, life_years


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("born on 14 September 1769 in Berlin", [("14 September 1769", 1769)]),
        ("On September 14, 1769 he", [("September 14, 1769", 1769)]),
        ("in April 1789", [("April 1789", 1789)]),
        ("In 1787 he left", [("1787", 1787)]),
        ("from 1799 to 1804", [("1799", 1799), ("1804", 1804)]),
        ("(c. 570 – 8 June 632 CE)", [("c. 570", 570), ("8 June 632 CE", 632)]),
        ("died in 44 BC", [("44 BC", -44)]),
        ("in 613, Muhammad", [("613", 613)]),
        ("in the 1820s", [("1820s", None)]),
        ("on 8 June", [("8 June", None)]),
    ],
)
def test_dates_are_found_with_their_year(text, expected):
    assert [(date.text, date.year) for date in find_dates(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "an army of 10,000 men",
        "1500 soldiers marched",
        "about 300 ships in all",
        "room 1204",
        "in 300 ships",
        "$1999",
        "3.1415",
    ],
)
def test_numbers_that_count_are_not_years(text):
    assert find_dates(text) == []


def test_offsets_point_at_the_words():
    text = "He died in Tegel on 8 April 1835, at home."
    (date,) = find_dates(text)
    assert text[date.start : date.end] == "8 April 1835"
    assert date.exact


@pytest.mark.parametrize(
    ("text", "birth", "death"),
    [
        ("14 September 1769 – 6 May 1859", 1769, 1859),
        ("(1769-1859)", 1769, 1859),
        ("c. 570 – 8 June 632 CE", 570, 632),
        ("born 1862, nicknamed Zosia", 1862, None),
        ("died in 1934", None, 1934),
        ("in office since 1804", None, None),
        ("(387 – 312 BCE)", -387, -312),
        ("20 BC – 14 CE", -20, 14),
        ("(1867 in Warsaw – 1934)", 1867, 1934),
    ],
)
def test_life_years_of_a_parenthesis(text, birth, death):
    found = life_years(text, find_dates(text))
    assert tuple(date.year if date else None for date in found) == (birth, death)
