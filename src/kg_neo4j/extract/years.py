"""Years as models write them, read strictly. Pure."""

from __future__ import annotations

import re
import unicodedata

from kg_neo4j.extract.values import ValueRefused
from kg_neo4j.records import RejectionReason

MIN_YEAR, MAX_YEAR = -9999, 9999
MAX_LENGTH = 80  # characters; no date is longer

_ABOUT = (
    r"(?:(?:c|ca|cca|circa|about|around|approx|approximately|before|after|by|early|mid|late|probably|possibly|or|"
    r"ok|około|um|etwa|vers|env|in)\b\.?|[~≈])\s*"
)
_AFTER_CHRIST = r"(?:ad|ce|a\.\s?d\.?|c\.\s?e\.?|n\.\s?e\.|n\.\s?chr\.?)"
_BEFORE_CHRIST = r"(?:bce?|b\.\s?c\.?(?:\s?e\.?)?|p\.\s?n\.\s?e\.?|v\.\s?chr\.?|av\.?\s?j\.?-c\.?)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|winter)\.?"
)


def _year(group: str) -> str:
    """Return the expression for one year with its era; the number is in `group`, BC in `group`_bc."""
    return (
        rf"(?:{_ABOUT}){{0,2}}(?:{_AFTER_CHRIST}\s*)?(?P<{group}>[-−]?[0-9]{{1,4}})(?:\.0+|s)?(?:\s*\?)?"
        rf"(?:\s*(?:{_AFTER_CHRIST}|(?P<{group}_bc>{_BEFORE_CHRIST})))?"
    )


_FORMS = tuple(
    re.compile(form)
    for form in (
        # 570, c. 570 CE, 4 BC, 570-573, between 570 and 573: the first year counts
        rf"(?:between\s+|from\s+)?{_year('year')}"
        rf"(?:\s*(?:[-–—/,]|or|and|to)\s*{_year('second')})?",
        r"(?P<year>-?[0-9]{4})-[0-9]{2}(?:-[0-9]{2})?(?:t[0-9:.]+z?)?",  # 1990-05-01
        r"[0-9]{1,2}[./][0-9]{1,2}[./](?P<year>[0-9]{4})",  # 01.05.1990
        # 1 May 1990, in any language
        rf"(?:{_ABOUT}){{0,2}}[0-9]{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?[^\W\d_]{{3,}}\.?,?\s+(?P<year>[0-9]{{3,4}})",
        rf"(?:{_ABOUT}){{0,2}}{_MONTH}\s+(?:[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s+)?(?P<year>[0-9]{{3,4}})",  # May 1, 1990
    )
)
_REMARK = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")


def parse_year(text: str, what: str) -> int:
    """Return the year, negative for BC: "c. 570" gives 570, "4 BC" gives -4, "1990-05-01" gives 1990.

    Of a range the first year counts. Raises ValueRefused (BAD_VALUE) where no year can be read, or outside -9999 to
    9999; `what` names the column.
    """
    if len(text) <= MAX_LENGTH:
        plain = unicodedata.normalize("NFKC", text).casefold().strip()
        latin = "".join(str(int(char)) if char.isdecimal() else char for char in plain)
        shortened = _REMARK.sub("", latin) or latin.strip("()[]")
        for form in _FORMS:
            if match := form.fullmatch(shortened):
                return _signed(match)
    raise ValueRefused(
        RejectionReason.BAD_VALUE, f"{what}: {text[:80]!r} is not a year between {MIN_YEAR} and {MAX_YEAR}"
    )


def _signed(match: re.Match[str]) -> int:
    found = match.groupdict()
    year = int(found["year"].replace("−", "-"))
    before = found.get("year_bc") or (found.get("second_bc") and "-" not in found["year"])
    return -abs(year) if before else year
