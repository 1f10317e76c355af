"""The answer that a clause of a passage states: a name, a date or a number in the place that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from kg_neo4j.offline.extracting.candidates import CandidateSentence
from kg_neo4j.offline.extracting.clauses import parse
from kg_neo4j.offline.extracting.extractive import choose, cite
from kg_neo4j.offline.extracting.verbs import asked_verbs, has_equal
from kg_neo4j.offline.short.likely import ORDINALS, asks_for_words, candidates
from kg_neo4j.offline.short.stating import asks_what_is_not, denies, names_all, says_no, states
from kg_neo4j.records import Citation
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.words import fold, is_stop_word, same_word, split_words

if TYPE_CHECKING:
    from spacy.tokens import Doc

_NAMES = (Asks.PERSON, Asks.PLACE, Asks.OTHER)
_UNDONE = frozenset("cancelled canceled vacant abandoned".split())
_PRONOUNS = frozenset("he she it they him her them his hers its their theirs i me my we us our who whose".split())
_WHERE = re.compile(
    r"\b(?P<preposition>in|at|near|to|into|from|on|outside|around|towards?|beside|through|of|for|via|between)"
    r"(?:\s(?:the|a|an))?(?:\s(?!by\b|with\b|and\b|as\b|when\b|until\b)[a-z-]+)?\s$",
    re.IGNORECASE,
)
WORDS = 0.7  # of the question that a sentence has which may answer it; chosen on six articles of SQuAD 2.0


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """Some words that answer, and the sentence that states it."""

    value: str
    citation: Citation


def find_stated(question: Question, found: Found) -> StatedAnswer | None:
    """Return what the sentences that answer state; None where none has what is asked for in its place."""
    if not asks_for_words(question):
        return None
    for candidate in choose(question, found, partial(may_answer, question, loosely=True)):
        text = candidate.sentence.text
        if "respectively" in candidate.words:
            continue
        doc = parse(text)
        names = {fold(token.text) for token in doc if token.pos_ == "PROPN"}
        for each in candidates(question, text):
            if _repeats(question, each.value) or each.value.endswith(("'s", "’s")):
                continue
            if question.asks is Asks.PLACE and not _is_place(question, text[: each.start]):
                continue
            if question.asks in _NAMES and not names.intersection(map(fold, split_words(each.value))):
                continue
            if states(question.text, each.value, doc, _known(candidate)):
                return StatedAnswer(each.value, cite(candidate))
    return None


def _is_place(question: Question, before: str) -> bool:
    """Return whether what stands before a name says where: "to" or "from" alone, where the question ends so."""
    found = _WHERE.search(before)
    ends = re.search(r"\b(?:to|from)(?=\??$)", question.text)
    return found is not None and (ends is None or found["preposition"].lower() == ends[0])


def may_answer(question: Question, candidate: CandidateSentence, *, loosely: bool = False) -> bool:
    """Return whether a sentence without a short answer may hold one.

    It asks nothing itself, has most words of the question and others, denies where the question does, and calls nothing
    off. Where a date, a number or a name is asked for, it has one, beside all names of the question. With `loosely`,
    another verb may stand for the question's.
    """
    text = candidate.sentence.text
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
        return any(_is_new(word, question.terms) for word in candidate.words)
    return names_all(question.text, doc, known) and any(
        not _repeats(question, each.value) for each in candidates(question, text)
    )


def _is_new(word: str, asked: Sequence[str]) -> bool:
    return not is_stop_word(word) and not any(same_word(word, each) for each in asked)


def _share(question: Question, source: Doc, known: frozenset[str], loosely: bool) -> float:
    """Return the share of the question's terms that a sentence has, but for names and what goes without saying."""
    words = frozenset(fold(form) for token in source for form in (token.text, token.lemma_))
    if any(term in ORDINALS and term not in words for term in question.terms):
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
