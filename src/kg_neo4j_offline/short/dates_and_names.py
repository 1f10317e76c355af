"""Names and dates as sentences write them. Pure; English."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kg_neo4j import data_files

MONTHS = tuple("January February March April May June July August September October November December".split())
MONTH = f"(?:{'|'.join(MONTHS)})"
_PARTS = data_files.beside(__file__).parts("parts", month=MONTH)
NAME, DATE = _PARTS["name"], _PARTS["date"]


@dataclass(frozen=True, slots=True)
class SaidWords:
    """Words of a text, and where they stand: offsets into it."""

    value: str
    start: int
    end: int


def when_of(text: str) -> tuple[int, ...] | None:
    """Return (year, month, day) of a date, as much of it as is said; negative years BC."""
    numbers = [int(number) for number in re.findall(r"\d+", text) if len(number) < 10]
    years = [number for number in numbers if number > 31] or numbers[-1:]
    if not years:
        return None
    year = -years[-1] if re.search(r"\bB\.?C", text) else years[-1]
    month = next((place for place, name in enumerate(MONTHS, 1) if name in text), 0)
    days = [number for number in numbers if number <= 31 and number != years[-1]]
    if not month:
        return (year,)
    return (year, month, days[0]) if days else (year, month)
