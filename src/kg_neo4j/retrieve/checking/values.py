"""Numbers, dates and years of lives in a statement, and where they stand. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kg_neo4j.retrieve.checking.statement import Statement, number_at, number_of, read
from kg_neo4j.words import MONTHS, family, same_word

Date = tuple[int | None, int, int | None]  # day, month, year
_AROUND = (6, 12)  # words on each side of a number, in the claim and in the text
_LIFESPAN = re.compile(r"\([^()]*\d{3,4}[^()]*[–—-][^()]*\d{3,4}[^()]*\)")


def words_of_lives(*texts: str) -> frozenset[str]:
    """Return the words of birth and death where a bracket, such as "(1769 – 1859)", says both."""
    has_both = any(_LIFESPAN.search(text) for text in texts)
    return family("born") | family("die") if has_both else frozenset()


def other_end(said: Statement, texts: Iterable[str]) -> str:
    """Return whether "Ada (1769 – 1859)" has the claim's year, but as the other end of the life."""
    is_birth, is_death = (bool(said.words & family(word)) for word in ("born", "die"))
    years = {number for number in said.numbers if may_be_year(number)}
    if is_birth == is_death or len(years) != 1:
        return ""
    for match in (match for text in texts for match in _LIFESPAN.finditer(text)):
        born, died = (read(part).numbers for part in re.split("[–—-]", match[0], maxsplit=1))
        mine, others = (born, died) if is_birth else (died, born)
        if years & others and not years & mine:
            return "the cited text has that year for the other end of the life"
    return ""


def numbers_of(statement: Statement) -> Iterator[tuple[int, str]]:
    """Yield the numbers of a statement, each with the place of its word."""
    for place in range(len(statement.order)):
        if (number := number_at(statement.order, place)) in statement.numbers and number is not None:
            yield place, number


def likeness(said: Statement, place: int, told: Statement, other: int) -> float:
    """Return how much the words around two numbers are alike, the nearer the more: 0 to 1."""
    mine, theirs = (
        _around(each, at, reach) for (each, at), reach in zip(((said, place), (told, other)), _AROUND, strict=True)
    )
    score = 0.0
    for word, weight in mine.items():
        found = max((each for key, each in theirs.items() if same_word(key, word) or key in family(word)), default=0.0)
        score += min(weight, 0.5) * min(found + 0.2, 0.6) if found else 0.0
    most = sum(min(weight, 0.5) * min(weight + 0.2, 0.6) for weight in mine.values())
    return min(score / most, 1.0) if most else 0.0


def _around(statement: Statement, place: int, reach: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for other in range(max(0, place - reach), min(len(statement.order), place + reach + 1)):
        word = statement.order[other]
        if other != place and (word in statement.content or word in MONTHS or word in statement.numbers):
            found[word] = max(found.get(word, 0.0), 1 / (1 + abs(place - other)))
    return found


def may_be_year(number: str) -> bool:
    """Return whether a number has the four figures of a year."""
    return number.isdigit() and len(number) == 4


def agrees(date: Date, other: Date) -> bool:
    """Return whether two dates have no day, month or year that differs; None agrees with any."""
    return all(mine is None or theirs is None or mine == theirs for mine, theirs in zip(date, other, strict=True))


def dates(order: Sequence[str], *, bare: bool = False) -> list[Date]:
    """Return the dates with a month in them: (day, month, year), None for what is not said beside the month.

    With `bare` also months without anything beside them.
    """
    found = []
    order = [word for word in order if word != "of"]
    for index, word in enumerate(order):
        month = MONTHS.get(word)
        before = number_of(order[index - 1]) if index else None
        after = number_of(order[index + 1]) if index + 1 < len(order) else None
        later = number_of(order[index + 2]) if index + 2 < len(order) else None
        if month is None or not (before or after or bare):
            continue
        day = next((int(each) for each in (before, after) if each and _is_day(each)), None)
        years = (each for each in (after, later) if each and not _is_day(each))
        year = next((int(each) for each in years if each.isdigit() and len(each) < 10), None)
        found.append((day, month, year))
    return found


def _is_day(number: str) -> bool:
    return number.isdigit() and len(number) < 3 and 1 <= int(number) <= 31
