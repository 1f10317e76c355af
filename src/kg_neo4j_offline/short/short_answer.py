"""The short answer to a question: a name, a date, a number that one clause states of what is asked.

What stands next to a name (a life, an age, an office) comes first, then what a clause of the best sentence states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kg_neo4j.records import Answer, Citation, Claim, PathStep
from kg_neo4j.retrieve.checking.support import SUPPORTED
from kg_neo4j.retrieve.interface import UNANSWERED, Found
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.sentences import readable
from kg_neo4j.words import fold, is_stop_word, split_words
from kg_neo4j_offline.extracting.clauses import parse
from kg_neo4j_offline.extractor.lexicon import CALENDAR
from kg_neo4j_offline.passages import CandidateSentence
from kg_neo4j_offline.short.dates_and_names import NAME
from kg_neo4j_offline.short.lives import StatedValue, asks_for_life, find_life
from kg_neo4j_offline.short.mentions import lines, mentions
from kg_neo4j_offline.short.reading import find_stated
from kg_neo4j_offline.short.roles import asks_for_role, find_roles

READ_OFF = "answered without a model; the quoted words state it"
NEAR = 60  # characters
LONGEST_QUOTE = 1_000  # characters of a sentence in which a list of names is looked for
_DENIED = re.compile(
    r"\b(?:not|never|nobody|no one|no longer|hardly|scarcely|neither|nor|cannot)\b|n[’']t\b", re.IGNORECASE
)
_RELATIVES = "father|mother|parent|husband|wife|spouse|son|daughter|child|brother|sister|sibling"
_KIN = re.compile(
    rf"(?:['’]s?|the) (?:\w+ )?(?:{_RELATIVES})s?\b", re.IGNORECASE
)  # whose is told by more than a clause
_AND = r",? (?:and|&) (?:the )?"
_LIST = re.compile(rf"{NAME}(?:, {NAME})*{_AND}{NAME}")
_VERBS = ("VERB", "AUX")
_BETWEEN = re.compile(rf"{_AND}|, ")


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """A value, and what sentences say that it is read from: of whom, by which relation, where."""

    value: str
    steps: tuple[tuple[str, str, Citation], ...]


def find_short(question: Question, found: Found, sentence: CandidateSentence) -> ShortAnswer | None:
    """Return the short answer to `question`; None where it asks for nothing of the kind, or none is stated.

    `sentence` is the one that answers best.
    """
    text = " ".join(question.text.split())
    if _KIN.search(text):
        return None
    for asks, find in ((asks_for_life, find_life), (asks_for_role, find_roles)):
        if asks(text):
            read = lines((each.id, each.document, each.text) for each in found.chunks)
            named = [mention for line in read for mention in mentions(line)]
            stated = find(text, named)
            stated = [each for each in stated if not _is_denied(each.mention.line.text, each.mention.start, each.value)]
            if stated and _is_of_kind(question, stated[0].value):
                return _together(stated)
    value = find_stated(question, sentence)
    at = sentence.text.find(value)
    if not value or not _is_of_kind(question, value) or _is_denied(sentence.text, max(at, 0), value):
        return None
    value = _with_those_beside(value, sentence.text, question.text)
    return ShortAnswer(value, ((sentence.chunk.document, "says", sentence.citation),))


def _with_those_beside(value: str, quote: str, question: str) -> str:
    """Return the list of names that a value is in: "Tom Reed and Ann Cole" founded it, not "Tom Reed".

    The words do not tell whether it is one name, as "Museum of Science and Industry". The whole is right in both cases.
    The value alone, where the list has a name of the question, or a new clause begins in it.
    """
    quote = " ".join(quote.split())
    if len(quote) > LONGEST_QUOTE or not _LIST.search(quote):
        return value
    doc = parse(quote)
    for match in _LIST.finditer(doc.text):
        start = match.start()
        while is_stop_word(fold(doc.text[start:].partition(" ")[0])):
            start += len(doc.text[start:].partition(" ")[0]) + 1
        whole = doc.text[start : match.end()]
        parts = _BETWEEN.split(whole)
        if value not in parts:
            continue
        others = {fold(word) for part in parts if part != value for word in split_words(part)}
        following = next((token for token in doc if token.idx >= match.end()), None)  # None: the quote ends here
        begins = (following is None or following.pos_ in _VERBS) and any(
            token.pos_ in _VERBS for token in doc if token.idx < start
        )
        places = any(token.ent_type_ == "LOC" for token in doc if start <= token.idx < match.end())
        is_address = "," in whole and places
        return value if begins or is_address or others & set(map(fold, split_words(question))) else whole
    return value


def _is_denied(text: str, start: int, value: str) -> bool:
    """Return whether words near a value deny what is said: from some words before a place to some behind the value."""
    end = text.find(value, start)
    return _DENIED.search(text, max(0, start - NEAR), (start if end < 0 else end) + len(value) + NEAR) is not None


def _is_of_kind(question: Question, value: str) -> bool:
    """Return whether a value may be a place, where one is asked for: no era, month, feast or day of the week is."""
    return question.asks is not Asks.PLACE or CALENDAR.isdisjoint(map(fold, split_words(value)))


def _together(stated: Sequence[StatedValue]) -> ShortAnswer:
    values = [each.value for each in stated]
    said = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
    return ShortAnswer(said, tuple((each.mention.name, each.relation, each.mention.line.place) for each in stated))


def tell(short: ShortAnswer) -> Answer:
    """Return a short answer for people: first itself, then the words that it rests on, each with its citation."""
    number: dict[Citation, int] = {}
    for _, _, place in short.steps:
        number.setdefault(place, len(number) + 1)
    path = tuple(PathStep(source, relation, short.value, number[place]) for source, relation, place in short.steps)
    said = short.value[:1].upper() + short.value[1:]
    marks = "".join(f" [{count}]" for count in number.values())
    quoted = {count: readable(place.quote) for place, count in number.items()}
    text = "\n".join([f"{said}{marks}", *(f"{quote} [{count}]" for count, quote in quoted.items())])
    claims = (
        Claim(said, tuple(number.values()), SUPPORTED, judged_by="path"),
        *(Claim(quote, (count,), SUPPORTED) for count, quote in quoted.items()),
    )
    answer = replace(UNANSWERED, answer=text, found=True, citations=tuple(number), claims=claims)
    return replace(answer, notes=(READ_OFF,), short=short.value, path=path)
