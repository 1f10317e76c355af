"""The words of a sentence that are likely what a question asks for: its date, number, place or name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.short.passage_patterns import DATE, NAME
from kg_neo4j.retrieve.words import family, fold, is_stop_word, same_word, word_spans

_NUMBERS = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|dozens?)"
_PATTERNS = {
    Asks.TIME: re.compile(rf"\b{DATE}\b|\b\d{{1,2}}(?:st|nd|rd|th) century\b"),
    Asks.NUMBER: re.compile(rf"\b\d[\d,.]*(?: (?:million|billion|thousand|percent))?(?<![,.])|\b{_NUMBERS}\b"),
    Asks.MEASURE: re.compile(rf"\b\d[\d,.]*(?<![,.])\s?[a-zA-Z²]+|\b{_NUMBERS} [a-z]+"),
    Asks.AGE: re.compile(rf"\b\d{{1,3}}\b|\b{_NUMBERS}\b"),
    Asks.PLACE: re.compile(rf"{NAME}(?:, {NAME})?"),
    Asks.PERSON: re.compile(NAME),
    Asks.OTHER: re.compile(NAME),
}
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


def find_likely(question: Question, sentence: str) -> Likely | None:
    """Return what in `sentence` is of the kind that is asked for and nearest to what the question says of it."""
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
    best: Likely | None = None
    best_gap = float("inf")
    for each in _candidates(question, sentence):
        words = [fold(each.value[start:end]) for start, end in word_spans(each.value)]
        if any(word in asked and not is_stop_word(word) for word in words):
            continue
        gaps = sorted(abs(place - (each.start + each.end) / 2) for place in said)
        gap = sum(gaps[:3]) / len(gaps[:3]) if gaps else float(each.start)
        if gap < best_gap:
            best, best_gap = each, gap
    return best


def _is_asked(word: str, asked: set[str]) -> bool:
    return word in asked or bool(family(word) & asked) or any(same_word(word, other) for other in asked)


def _candidates(question: Question, sentence: str) -> Iterator[Likely]:
    for match in _PATTERNS[question.asks].finditer(sentence):
        value, start = match[0], match.start()
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


def first_likely(question: Question, sentences: Sequence[str]) -> tuple[int, Likely] | None:
    """Return the place of the first sentence that has something likely, and that."""
    for place, sentence in enumerate(sentences):
        likely = find_likely(question, sentence)
        if likely is not None:
            return place, likely
    return None
