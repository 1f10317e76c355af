"""The answer that a clause of a passage states: a name, a date or a number in the place that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kg_neo4j import data_files
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.words import fold, same_word, split_words
from kg_neo4j_offline.extracting.clauses import parse
from kg_neo4j_offline.extracting.verbs import asked_verbs, has_equal
from kg_neo4j_offline.passages import ANSWERS, CandidateSentence
from kg_neo4j_offline.short.dates_and_names import DATE, MONTH, NAME, SaidWords
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


def find_stated(question: Question, candidate: CandidateSentence) -> str:
    """Return the name, date or number that a clause of a sentence states; "" where none has it in the asked place."""
    if not asks_for_words(question) or "respectively" in candidate.words:
        return ""
    doc, known = parse(candidate.text), _known(candidate)
    if not _fits(question, candidate, doc, known):
        return ""
    names = {fold(token.text) for token in doc if token.pos_ == "PROPN"}
    places = {fold(token.text) for token in doc if token.ent_type_ == "LOC"}
    for each in _likely(question, candidate.text):
        said = set(map(fold, split_words(each.value)))
        if _repeats(question, each.value) or each.value.endswith(("'s", "’s")):
            continue
        if question.asks in _NAMES and not names & said:
            continue
        is_place = places & said and _stands_where(question, candidate.text[: each.start])
        if (question.asks is not Asks.PLACE or is_place) and states(question.text, each.value, doc, known):
            return each.value
    return ""


def _stands_where(question: Question, before: str) -> bool:
    """Return whether what stands before a place says where: "to" alone, where the question ends so."""
    where = _PATTERNS["where"].search(before)
    ends = re.search(r"\b(?:to|from)(?=\??$)", question.text)
    return where is not None and not (ends and where["preposition"].lower() != ends[0])


def _fits(question: Question, candidate: CandidateSentence, doc: Doc, known: frozenset[str]) -> bool:
    """Return whether a sentence has most words of the question, denies where it does, and calls nothing off."""
    agrees = says_no(doc) if asks_what_is_not(question.text) else not denies(question.text, doc)
    if not agrees or _UNDONE.intersection(candidate.words) - set(question.terms):
        return False
    return _share(question, doc, known) >= WORDS and names_all(question.text, doc, known)


def _share(question: Question, source: Doc, known: frozenset[str]) -> float:
    """Return the share of the question's terms that a sentence has, but for names and what goes without saying."""
    words = frozenset(fold(form) for token in source for form in (token.text, token.lemma_))
    if any(term in _ORDINALS and term not in words for term in question.terms):
        return 0.0  # the sixth is not the fourth
    terms = [term for term in question.others if term not in known]
    said, verbs = [fold(token.text) for token in source], asked_verbs(question)
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
