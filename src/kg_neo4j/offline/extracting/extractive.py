"""Answers without a model: the sentences of the sources that answer best, word for word, each with its place. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kg_neo4j.offline.extracting.candidates import CandidateSentence, prepare
from kg_neo4j.offline.extracting.chaining import chain
from kg_neo4j.offline.extracting.matching import Matcher, MatchScore
from kg_neo4j.records import Citation
from kg_neo4j.retrieve.interface import Found, FoundFact
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.sentences import readable
from kg_neo4j.retrieve.words import fold, split_words

FOUND_COVERAGE = 0.5  # below, the graph holds no answer; set on the questions of tests/data/questions
FOUND_FITNESS = 0.75  # chosen on six articles of SQuAD 2.0
DEFINING_FITNESS = 0.95  # of a definition
SENTENCES = 2  # at most
NEXT_SHARE = {Asks.DEFINITION: 0.75, Asks.OTHER: 0.8}  # of the best sentence's fitness that a further one needs
OTHER_SHARE = 0.85  # likewise, where one date, place, number or person is asked for
ALIKE = 0.6  # share of words above which a sentence adds nothing
MORE = 0.1  # coverage that two sentences of two documents must have beyond the best single one
FACT_BONUS = 0.25  # for words that a fact between the question's entities rests on


@dataclass(frozen=True, slots=True)
class Extract:
    """An answer made of sentences. Without any, nothing answers."""

    text: str
    citations: tuple[Citation, ...]


def extract(question: Question, found: Found, accept: Callable[[CandidateSentence], bool] = lambda _: True) -> Extract:
    """Return one or two sentences that answer `question`, best first; none where none that is accepted does well."""
    chosen = choose(question, found, accept)
    text = " ".join(f"{readable(candidate.sentence.text)} [{n}]" for n, candidate in enumerate(chosen, 1))
    return Extract(text, tuple(cite(candidate) for candidate in chosen))


def choose(question: Question, found: Found, accept: Callable[[CandidateSentence], bool]) -> list[CandidateSentence]:
    """Return the sentences that `extract` makes an answer of."""
    question = _with_names(question, found)
    candidates = prepare(found.chunks)
    matcher = Matcher(question, candidates)
    stated = _stated_words(question, found)
    scored = []
    for order, candidate in enumerate(candidates):
        score = matcher.score(candidate)
        if score.answers and score.coverage >= FOUND_COVERAGE:
            bonus = FACT_BONUS if _overlaps(candidate, stated) else 0.0
            scored.append((score.fitness + bonus, -order, score, candidate))
    scored.sort(key=lambda item: item[:2], reverse=True)
    chosen = _best(question, [(fitness, score, candidate) for fitness, _, score, candidate in scored])
    linked = chain(question, candidates, matcher)
    if linked is not None and (not chosen or linked.coverage > scored[0][2].coverage + MORE):
        chosen = [linked.first, linked.second]
    return [each for each in chosen if accept(each)]


def cite(candidate: CandidateSentence) -> Citation:
    """Return the citation of a sentence."""
    sentence = candidate.sentence
    return Citation(candidate.chunk.id, candidate.chunk.document, sentence.start, sentence.end, sentence.text)


def _with_names(question: Question, found: Found) -> Question:
    """Return the question with the names of the graph that it uses, where it is written without capitals."""
    if question.names:
        return question
    known = {
        fold(word)
        for entity in found.entities
        if entity.named
        for word in split_words(entity.name)
        if word[0].isupper()
    }
    names = tuple(term for term in question.terms if term in known)
    return replace(question, names=names, full_names=tuple((name,) for name in names))


def _best(question: Question, ranked: Sequence[tuple[float, MatchScore, CandidateSentence]]) -> list[CandidateSentence]:
    least = DEFINING_FITNESS if question.asks is Asks.DEFINITION else FOUND_FITNESS
    if not ranked or ranked[0][0] < least:
        return []
    share = NEXT_SHARE.get(question.asks, OTHER_SHARE)
    chosen: list[CandidateSentence] = []
    for fitness, score, candidate in ranked:
        if len(chosen) == SENTENCES or fitness < share * ranked[0][0]:
            break
        if score.coverage >= 0.9 * ranked[0][1].coverage and not any(_alike(candidate, other) for other in chosen):
            chosen.append(candidate)
    return chosen


def _alike(left: CandidateSentence, right: CandidateSentence) -> bool:
    mine, theirs = frozenset(left.words), frozenset(right.words)
    return len(mine & theirs) >= ALIKE * min(len(mine), len(theirs))


def _stated_words(question: Question, found: Found) -> dict[str, list[tuple[int, int]]]:
    """Return, by chunk, the places of facts between two entities that the question names."""
    named = {entity.id for entity in found.entities if entity.named}
    places: dict[str, list[tuple[int, int]]] = {}
    for fact in found.facts:
        if _concerns(fact, named, question):
            for place in fact.statements:
                if place.start is not None and place.end is not None:
                    places.setdefault(place.chunk_id, []).append((place.start, place.end))
    return places


def _concerns(fact: FoundFact, named: set[str], question: Question) -> bool:
    """Return whether a fact ties two named entities, or one by a relation that the question's terms speak of."""
    ends = {fact.source_id, fact.target_id}
    if len(question.names) > 1 and ends <= named:
        return True
    return bool(ends & named) and any(term in fact.type.lower().split("_") for term in question.others)


def _overlaps(candidate: CandidateSentence, places: dict[str, list[tuple[int, int]]]) -> bool:
    sentence = candidate.sentence
    return any(start < sentence.end and sentence.start < end for start, end in places.get(candidate.chunk.id, ()))
