"""The answer that a clause of a passage states: a name, a date or a number in the place that the question asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kg_neo4j.offline.extracting.candidates import Candidate, prepare
from kg_neo4j.offline.extracting.clauses import parse
from kg_neo4j.offline.extracting.matching import Matcher
from kg_neo4j.offline.short.likely import asks_for_words, candidates
from kg_neo4j.offline.short.stating import denies, names_all, states
from kg_neo4j.records import Citation
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.words import fold, split_words

_NAMES = (Asks.PERSON, Asks.PLACE, Asks.OTHER)
SENTENCES = 12  # that are read, those with most of the question's words


@dataclass(frozen=True, slots=True)
class Stated:
    """Some words that answer, and the sentence that states it."""

    value: str
    citation: Citation


def find_stated(question: Question, found: Found) -> Stated | None:
    """Return what the first sentence states that does; None where none has what is asked for in its place."""
    if not asks_for_words(question):
        return None
    for candidate in _likeliest(question, found):
        text = candidate.sentence.text
        doc = parse(text)
        names = {fold(token.text) for token in doc if token.pos_ == "PROPN"}
        for each in candidates(question, text):
            if _repeats(question, each.value) or each.value.endswith(("'s", "’s")):
                continue
            if question.asks in _NAMES and not names.intersection(map(fold, split_words(each.value))):
                continue
            if states(question.text, each.value, doc, _known(candidate)):
                return Stated(each.value, cite(candidate))
    return None


def may_answer(question: Question, candidate: Candidate) -> bool:
    """Return whether a sentence without a short answer may hold one: it has the names, such a value, and no denial.

    True of what no word answers: how, why, who somebody is.
    """
    if not asks_for_words(question):
        return True
    text = candidate.sentence.text
    doc = parse(text)
    if not names_all(question.text, doc, _known(candidate)) or denies(question.text, doc):
        return False
    return any(not _repeats(question, each.value) for each in candidates(question, text))


def _repeats(question: Question, value: str) -> bool:
    return bool({fold(word) for word in split_words(value)} & set(question.terms))


def cite(candidate: Candidate) -> Citation:
    """Return the citation of a sentence."""
    chunk, sentence = candidate.chunk, candidate.sentence
    return Citation(chunk.id, chunk.document, sentence.start, sentence.end, sentence.text)


def _likeliest(question: Question, found: Found) -> Iterator[Candidate]:
    sentences = prepare(found.chunks)
    matcher = Matcher(question, sentences)
    covered = [matcher.coverage(matcher.matched(each)) for each in sentences]
    best = sorted(range(len(sentences)), key=lambda place: (-covered[place], place))
    yield from (sentences[place] for place in best[:SENTENCES])


def _known(candidate: Candidate) -> frozenset[str]:
    """Return words of what a sentence may speak of without naming it: names before it, and its document's title."""
    return candidate.title | candidate.context
