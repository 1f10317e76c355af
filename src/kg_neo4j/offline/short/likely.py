"""The words of a sentence that are likely what a question asks for: its date, number, place or name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kg_neo4j.offline.extracting.signs import ANSWERS
from kg_neo4j.offline.short.passage_patterns import DATE, MONTH, NAME
from kg_neo4j.retrieve.question import Asks, Question

_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?)"  # without its year
ORDINALS = tuple(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth thirtieth".split()
)
_ORDINAL = rf"(?:(?:twenty|thirty)-)?(?:{'|'.join(ORDINALS)})"
_NUMBERS = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|dozens?)"
_PATTERNS = {
    Asks.TIME: re.compile(rf"\b{DATE}\b|\b{_DAY}\b|\b{_ORDINAL} of {MONTH}\b|\b\d{{1,2}}(?:st|nd|rd|th) century\b"),
    Asks.NUMBER: re.compile(rf"\b\d[\d,.]*(?: (?:million|billion|thousand|percent))?(?<![,.])|\b{_NUMBERS}\b"),
    Asks.MEASURE: re.compile(rf"\b\d[\d,.]*(?<![,.])\s?[a-zA-Z²]+|\b{_NUMBERS} [a-z]+"),
    Asks.AGE: re.compile(r"(?<=\bage of )[\w-]+|(?<=\baged )[\w-]+|(?<=\bage )\d+|\b[\w-]+(?= years old\b)"),
    Asks.PLACE: re.compile(rf"{NAME}(?:, {NAME})?"),
    Asks.PERSON: re.compile(NAME),
    Asks.OTHER: re.compile(NAME),
}
_DATE = re.compile(rf"\b{DATE}\b")
_DATES = (Asks.TIME, Asks.AGE)  # what asks for anything else does not ask for a part of a date
_YEAR = re.compile(r"\b(?:what|which) year\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:which|what) (?!(?:is|was|are|were|did|does|do|has|have|had|will|would|can|could|should|may|might|must|"
    r"shall|kind|type|sort|percentage|part|position|genre)\b)"
    r"(?:[\w’'-]+ ){0,4}?[a-z]+",
    re.IGNORECASE,
)
_NO_NAME = frozenset(
    "he she it his her they their the this that in on at after before when while a an as by for".split()
)


@dataclass(frozen=True, slots=True)
class Likely:
    """Words of a sentence: offsets into it."""

    value: str
    start: int
    end: int


def asks_for_words(question: Question) -> bool:
    """Return whether a few words can answer: a date, a number, a place, a person, or "which" of something."""
    if question.asks in (Asks.TIME, Asks.NUMBER, Asks.MEASURE, Asks.AGE, Asks.PLACE, Asks.PERSON):
        return True
    return question.asks is Asks.OTHER and _NAMED.search(question.text) is not None


def candidates(question: Question, sentence: str) -> Iterator[Likely]:
    """Yield what in a sentence is of the kind that is asked for, whatever it says of it."""
    dates = [match.span() for match in _DATE.finditer(sentence)] if question.asks not in _DATES else []
    for match in _PATTERNS[question.asks].finditer(sentence):
        value, start = match[0], match.start()
        if any(first <= start < last for first, last in dates):
            continue
        if question.asks is Asks.MEASURE and not ANSWERS[Asks.MEASURE].search(value):  # "4,300 films"
            continue
        if question.asks in (Asks.PLACE, Asks.PERSON, Asks.OTHER):
            first = value.split(" ")[0]
            if first.lower() in _NO_NAME:
                value, start = (
                    value[len(first) :].lstrip(" ,"),
                    start + len(value) - len(value[len(first) :].lstrip(" ,")),
                )
        elif question.asks is Asks.TIME and _YEAR.search(question.text):
            year = re.search(r"\d{3,4}", value)
            if year is None:
                continue
            value, start = year[0], start + year.start()
        value = value.rstrip(" .,")
        if value:
            yield Likely(value, start, start + len(value))
            if question.asks is Asks.PLACE and ", " in value:
                first = value.partition(", ")[0]
                yield Likely(first, start, start + len(first))
