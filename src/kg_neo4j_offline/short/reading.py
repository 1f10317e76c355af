"""The answer that a clause of a passage states: a name, a date or a number in the place that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from kg_neo4j import data_files
from kg_neo4j.records import Citation
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.words import fold, is_stop_word, same_word, split_words
from kg_neo4j_offline.extracting.clauses import parse
from kg_neo4j_offline.extracting.extractive import choose, cite
from kg_neo4j_offline.extracting.matching import ANSWERS, CandidateSentence
from kg_neo4j_offline.extracting.verbs import asked_verbs, has_equal
from kg_neo4j_offline.short.passage_reading import DATE, MONTH, NAME, SaidWords
from kg_neo4j_offline.short.stating import asks_what_is_not, denies, names_all, says_no, states

if TYPE_CHECKING:
    from spacy.tokens import Doc

_DATA = data_files.beside(__file__)
_UNDONE, _PRONOUNS, _NO_NAME = map(_DATA.word_set, ("undone", "pronouns", "no_name"))
_ORDINALS = _DATA.words("ordinals")
_PARTS = _DATA.parts("parts", date=DATE, month=MONTH, name=NAME, ordinals="|".join(_ORDINALS))
_ASKED = {Asks(name): re.compile(data_files.fill(each, _PARTS)) for name, each in _DATA.table("asked").items()}
_PATTERNS = {name: re.compile(each, re.IGNORECASE) for name, each in _DATA.table("patterns").items()}
_DATE = re.compile(rf"\b{DATE}\b")
_NAMES = (Asks.PERSON, Asks.PLACE, Asks.OTHER)
WORDS = 0.7  # of the question that a sentence has which may answer it; chosen on six articles of SQuAD 2.0


def find_stated(question: Question, found: Found) -> tuple[str, Citation] | None:
    """Return what an answering sentence states, and that sentence; None where none has what is asked for in place."""
    if not asks_for_words(question):
        return None
    for candidate in choose(question, found, partial(may_answer, question, loosely=True)):
        text = candidate.text
        if "respectively" in candidate.words:
            continue
        doc = parse(text)
        names = {fold(token.text) for token in doc if token.pos_ == "PROPN"}
        for each in _likely(question, text):
            if _repeats(question, each.value) or each.value.endswith(("'s", "’s")):
                continue
            if question.asks is Asks.PLACE:  # what stands before says where: "to" alone, where the question ends so
                where = _PATTERNS["where"].search(text[: each.start])
                ends = re.search(r"\b(?:to|from)(?=\??$)", question.text)
                if where is None or (ends and where["preposition"].lower() != ends[0]):
                    continue
            if question.asks in _NAMES and not names.intersection(map(fold, split_words(each.value))):
                continue
            if states(question.text, each.value, doc, _known(candidate)):
                return each.value, cite(candidate)
    return None


def may_answer(question: Question, candidate: CandidateSentence, *, loosely: bool = False) -> bool:
    """Return whether a sentence without a short answer may hold one.

    It asks nothing itself, has most words of the question and others, denies where the question does, and calls nothing
    off. Where a date, a number or a name is asked for, it has one, beside all names of the question. With `loosely`,
    another verb may stand for the question's.
    """
    text = candidate.text
    if text.rstrip("\"'”’) ").endswith("?"):
        return False
    if question.asks is Asks.YES_NO:
        return True
    doc, known = parse(text), _known(candidate)
    agrees = says_no(doc) if asks_what_is_not(question.text) else not denies(question.text, doc)
    if _UNDONE.intersection(candidate.words) - set(question.terms):
        return False
    if not agrees or _share(question, doc, known | candidate.before, loosely) < WORDS:
        return False
    if not asks_for_words(question):
        new = (word for word in candidate.words if not is_stop_word(word))
        return any(not any(same_word(word, each) for each in question.terms) for word in new)
    return names_all(question.text, doc, known) and any(
        not _repeats(question, each.value) for each in _likely(question, text)
    )


def _share(question: Question, source: Doc, known: frozenset[str], loosely: bool) -> float:
    """Return the share of the question's terms that a sentence has, but for names and what goes without saying."""
    words = frozenset(fold(form) for token in source for form in (token.text, token.lemma_))
    if any(term in _ORDINALS and term not in words for term in question.terms):
        return 0.0  # the sixth is not the fourth
    terms = [term for term in question.others if term not in known]
    said, verbs = [fold(token.text) for token in source], asked_verbs(question) if loosely else {}
    found = [
        term for term in terms if any(same_word(term, each) for each in words) or has_equal(verbs.get(term, ""), said)
    ]
    return len(found) / len(terms) if terms else 1.0


def _repeats(question: Question, value: str) -> bool:
    return bool({fold(word) for word in split_words(value)} & set(question.terms))


def _known(candidate: CandidateSentence) -> frozenset[str]:
    """Return words of what a sentence may speak of without naming it: names before it, and its document's title.

    Nothing where no pronoun stands for them.
    """
    return candidate.title | candidate.context if _PRONOUNS & set(candidate.words) else frozenset()


def asks_for_words(question: Question) -> bool:
    """Return whether a few words can answer: a date, a number, a place, a person, or "which" of something."""
    if question.asks is Asks.OTHER:
        return _PATTERNS["named"].search(question.text) is not None
    return question.asks in _ASKED


def _likely(question: Question, sentence: str) -> Iterator[SaidWords]:
    """Yield what in a sentence is of the kind that is asked for, whatever it says of it."""
    by_date = question.asks in (Asks.TIME, Asks.AGE)  # what asks for anything else does not ask for a part of a date
    dates = [] if by_date else [match.span() for match in _DATE.finditer(sentence)]
    for match in _ASKED[question.asks].finditer(sentence):
        value, start = match[0], match.start()
        if any(first <= start < last for first, last in dates):
            continue
        if question.asks is Asks.MEASURE and not ANSWERS[Asks.MEASURE].search(value):  # "4,300 films"
            continue
        if question.asks in _NAMES:
            first, _, rest = value.partition(" ")
            if first.lower() in _NO_NAME:
                start += len(value) - len(rest.lstrip(" ,"))
                value = rest.lstrip(" ,")
        elif question.asks is Asks.TIME and _PATTERNS["year"].search(question.text):
            year = re.search(r"\d{3,4}", value)
            if year is None:
                continue
            value, start = year[0], start + year.start()
        value = value.rstrip(" .,")
        if value:
            yield SaidWords(value, start, start + len(value))
            if question.asks is Asks.PLACE and ", " in value:
                first = value.partition(", ")[0]
                yield SaidWords(first, start, start + len(first))
