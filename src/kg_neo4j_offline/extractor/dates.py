"""Dates and years in English text. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from kg_neo4j_offline.extractor.lexicon import MONTHS

_MONTH = "(?:" + "|".join(sorted((name.capitalize() for name in MONTHS), key=len, reverse=True)) + r")\b\.?"
_ABOUT = r"(?:(?:c\.|ca\.|circa|about|around|approximately)\s*)?"
_ERA = r"(?:\s*(?P<{}>BCE|BC|CE|AD)\b)?"
_YEAR = r"(?P<{}>\d{{3,4}})(?![\d,]\d)"
_DATE = re.compile(
    rf"\b{_ABOUT}(?:"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\b)"
    rf"(?:,?\s+{_YEAR.format('day_year')}{_ERA.format('day_era')})?"
    rf"|{_MONTH}(?:\s+of)?\s+{_YEAR.format('month_year')}{_ERA.format('month_era')}"
    r"|(?:1[0-9]|20)[0-9]0s\b"
    rf"|(?<![\d,.$£€#])(?P<year>\d{{1,4}})\s*(?P<year_era>BCE|BC|CE|AD)\b"
    r"|(?<![\d,.$£€#])(?P<bare>1\d{3}|20\d{2}|[3-9]\d{2})(?![\d,.]\d|\d|[a-z%°])"
    r")"
)
_YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|until|till|by|from|to|during|after|before|of|circa|early|late|mid|year|years|between|and|around|about|"
    r"born|died|founded|established|opened|built|published|autumn|spring|summer|winter)|[(–—-]|c\.|ca\.|b\.|d\.|,)\s*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s+(?!(?:he|she|it|they|the|a|an|his|her|and|or|to|at|in|by|on|with|as|when|where|after|that|who|is|was|had|but|for|of|from|until|because|while|both|this|under|its|their|only|there|she)\b)[a-z]+"
)

# "1867 – 1934", "1867 in Warsaw – 1934", "1867, Warsaw – c. 1934", "5 January [O.S. 25 December 1642] – 1727"
_PLACE = r"(?:,?\s+(?:in|at|near)\s+[^()–—;\d]{2,60}|,\s+[^()–—;\d]{2,60})?"
_UNTIL = re.compile(rf"\s*\]?{_PLACE}\s*(?:[–—-]|\bto\b)\s*(?:c\.|ca\.|circa|died|d\.)?\s*")


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A date in a text. `year` is None where it names none (8 June) or a decade."""

    start: int
    end: int
    text: str
    year: int | None
    exact: bool  # names a day


def find_dates(text: str) -> list[DateSpan]:
    """Return the dates of `text` in order, without overlaps."""
    found = []
    for match in _DATE.finditer(text):
        if match["bare"] is not None and not _is_year(text, match):
            continue
        number = match["day_year"] or match["month_year"] or match["year"] or match["bare"]
        era = match["day_era"] or match["month_era"] or match["year_era"]
        year = int(number) if number else None
        if year is not None and era in ("BC", "BCE"):
            year = -year
        shown = " ".join(match[0].split())
        day = re.match(r"\d{1,2}\D|[A-Z][a-z]+\.?\s+\d{1,2}\D", shown + " ")
        found.append(DateSpan(match.start(), match.end(), shown, year, bool(day) and number != match["year"]))
    return found


def _is_year(text: str, match: re.Match[str]) -> bool:
    """Tell a bare number that is a year from one that counts things."""
    before = text[max(0, match.start() - 14) : match.start()]
    if "c." in match[0] or "circa" in match[0]:
        return True
    if not _YEAR_BEFORE.search(before):
        return False
    return not (len(match["bare"]) == 3 or before.rstrip().endswith(",")) or not _COUNTED.match(text, match.end())


def life_years(text: str, dates: list[DateSpan]) -> tuple[DateSpan | None, DateSpan | None]:
    """Return the birth and death dates that the text of a parenthesis gives: `1769 – 1859`, `born 1862`, `d. 632`.

    `dates` are those of `text`, with offsets into it.
    """
    years = [date for date in dates if date.year is not None]
    for first, second in pairwise(years):
        if _UNTIL.fullmatch(text, first.end, second.start):
            if first.year and second.year and 0 > second.year > -first.year:  # "387 – 312 BCE" says it once
                first = replace(first, year=-first.year)  # noqa: PLW2901
            return first, second
    birth = death = None
    for date in years:
        words = text[max(0, date.start - 16) : date.start].lower()
        if re.search(r"(?:\bborn|\bb\.)(?: on| in| c\.)?\s*$", words):
            birth = birth or date
        elif re.search(r"(?:\bdied|\bd\.|\bdeath|†)(?: on| in| c\.)?\s*$", words):
            death = death or date
    return birth, death
