"""The words of a sentence that are likely what a question asks for: its date, number, place or name. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j.offline.short.passage_patterns import DATE, NAME
from kg_neo4j.retrieve.kinds import PERSON, PLACE
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.words import family, fold, is_stop_word, same_word, word_spans

_NUMBERS = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|dozens?)"
_PATTERNS = {
    Asks.TIME: re.compile(rf"\b{DATE}\b|\b\d{{1,2}}(?:st|nd|rd|th) century\b"),
    Asks.NUMBER: re.compile(rf"\b\d[\d,.]*(?: (?:million|billion|thousand|percent))?(?<![,.])|\b{_NUMBERS}\b"),
    Asks.MEASURE: re.compile(rf"\b\d[\d,.]*(?<![,.])\s?[a-zA-Z²]+|\b{_NUMBERS} [a-z]+"),
    Asks.AGE: re.compile(r"(?<=\bage of )[\w-]+|(?<=\baged )[\w-]+|(?<=\bage )\d+|\b[\w-]+(?= years old\b)"),
    Asks.PLACE: re.compile(rf"{NAME}(?:, {NAME})?"),
    Asks.PERSON: re.compile(NAME),
    Asks.OTHER: re.compile(NAME),
}
_KINDS = {Asks.PERSON: PERSON, Asks.PLACE: PLACE}
LOOKED_AT = 6  # names of a sentence, the nearest first
_DATE = re.compile(rf"\b{DATE}\b")
_NO_DATES = (Asks.NUMBER, Asks.MEASURE)  # what asks for these does not ask for the numbers of a date
_YEAR = re.compile(r"\b(?:what|which) year\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:which|what) (?!(?:is|was|are|were|did|does|do|has|have|had|kind|type|sort|percentage|part|"
    r"position|genre)\b)"
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


def find_likely(
    question: Question, sentence: str, kinds: Callable[[str], Collection[str]] | None = None
) -> Likely | None:
    """Return what in `sentence` is of the kind that is asked for and nearest to what the question says of it.

    `kinds` tells of a name what kinds of things bear it: a person is asked for, a place is none.
    """
    if not asks_for_words(question):
        return None
    spans = word_spans(sentence)
    folded = [fold(sentence[start:end]) for start, end in spans]
    asked = {fold(question.text[start:end]) for start, end in word_spans(question.text)}
    said = [
        (start + end) / 2
        for (start, end), word in zip(spans, folded, strict=True)
        if not is_stop_word(word) and _is_asked(word, asked)
    ]
    found: list[tuple[float, Likely]] = []
    for each in _candidates(question, sentence):
        words = [fold(each.value[start:end]) for start, end in word_spans(each.value)]
        if any(word in asked and not is_stop_word(word) for word in words):
            continue
        gaps = sorted(abs(place - (each.start + each.end) / 2) for place in said)
        gap = sum(gaps[:3]) / len(gaps[:3]) if gaps else float(each.start)
        found.append((gap, each))
    ranked = [each for _, each in sorted(found, key=lambda pair: pair[0])]
    wanted = _KINDS.get(question.asks)
    if kinds is None or wanted is None:
        return next(iter(ranked), None)
    return next((each for each in ranked[:LOOKED_AT] if wanted in _kinds(each.value, kinds)), None)


def _kinds(value: str, kinds: Callable[[str], Collection[str]]) -> Collection[str]:
    """Return the kinds of a name; of "Oslo, Norway" those that both parts are of."""
    first, _, second = value.partition(", ")
    return kinds(value) or (set(kinds(first)) & set(kinds(second)) if second else ())


def _is_asked(word: str, asked: set[str]) -> bool:
    return word in asked or bool(family(word) & asked) or any(same_word(word, other) for other in asked)


def _candidates(question: Question, sentence: str) -> Iterator[Likely]:
    dates = [match.span() for match in _DATE.finditer(sentence)] if question.asks in _NO_DATES else []
    for match in _PATTERNS[question.asks].finditer(sentence):
        value, start = match[0], match.start()
        if any(first <= start < last for first, last in dates):
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


def first_likely(
    question: Question, sentences: Sequence[str], kinds: Callable[[str], Collection[str]]
) -> tuple[int, Likely] | None:
    """Return the place of the first sentence that has something likely, and that."""
    for place, sentence in enumerate(sentences):
        likely = find_likely(question, sentence, kinds)
        if likely is not None:
            return place, likely
    return None
