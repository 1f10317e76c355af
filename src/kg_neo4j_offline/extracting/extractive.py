"""Answers without a model: the sentences of the sources that answer best, word for word, each with its place. Pure.

Two sentences may answer together where none does alone: "Where was the director of Rain Road born?" is answered by
"Rain Road is a film by Ada Lind." and, of the document "Ada Lind", "Lind was born in Oslo.". The second sentence stands
in a document that the first one names, or names the first one's document; together they must cover what is asked, and
the one that answers must hold what is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kg_neo4j.records import Citation
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.sentences import readable
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words
from kg_neo4j_offline.extracting.matching import CandidateSentence, Matcher, MatchScore, defines, prepare

FOUND_COVERAGE = 0.5  # below, the graph holds no answer; set on the questions of tests/data/questions
FOUND_FITNESS = 0.75  # chosen on six articles of SQuAD 2.0
DEFINING_FITNESS = 0.95  # of a definition
SENTENCES = 2  # at most
NEXT_SHARE = {Asks.DEFINITION: 0.75, Asks.OTHER: 0.8}  # of the best sentence's fitness that a further one needs
OTHER_SHARE = 0.85  # likewise, where one date, place, number or person is asked for
ALIKE = 0.6  # share of words above which a sentence adds nothing
MORE = 0.1  # coverage that two sentences of two documents must have beyond the best single one
FACT_BONUS = 0.25  # for words that a fact between the question's entities rests on
FIRST = 12  # sentences that may come first of two
CHAIN_COVERAGE = 0.6  # of the question by both together
TYPED = 0.3  # how near to what the second one says there must be what is asked for
_BRACKETS = re.compile(r"\s*\([^()]*\)$")
_Ranked = tuple[float, MatchScore, CandidateSentence]


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
    ranked: list[_Ranked] = []
    for candidate in candidates:
        score = matcher.score(candidate)
        if score.answers and score.coverage >= FOUND_COVERAGE:
            places = stated.get(candidate.chunk.id, ())
            sentence = candidate.sentence
            overlaps = any(start < sentence.end and sentence.start < end for start, end in places)
            ranked.append((score.fitness + (FACT_BONUS if overlaps else 0.0), score, candidate))
    ranked.sort(key=lambda each: -each[0])
    chosen = _best(question, ranked)
    linked = chain(question, candidates, matcher)
    if linked is not None and (not chosen or linked[0] > ranked[0][1].coverage + MORE):
        chosen = list(linked[1:])
    return [each for each in chosen if accept(each)]


def cite(candidate: CandidateSentence) -> Citation:
    """Return the citation of a sentence."""
    sentence = candidate.sentence
    return Citation(candidate.chunk.id, candidate.chunk.document, sentence.start, sentence.end, sentence.text)


def _with_names(question: Question, found: Found) -> Question:
    """Return the question with the names of the graph that it uses, where it is written without capitals."""
    if question.names:
        return question
    named = [entity.name for entity in found.entities if entity.named]
    known = {fold(word) for name in named for word in split_words(name) if word[0].isupper()}
    names = tuple(term for term in question.terms if term in known)
    return replace(question, names=names, full_names=tuple((name,) for name in names))


def _best(question: Question, ranked: Sequence[_Ranked]) -> list[CandidateSentence]:
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
    """Return, by chunk, the places of facts that tie two named entities, or one by a relation that is asked for."""
    named = {entity.id for entity in found.entities if entity.named}
    places: dict[str, list[tuple[int, int]]] = {}
    for fact in found.facts:
        ends = {fact.source_id, fact.target_id}
        said = ends & named and any(term in fact.type.lower().split("_") for term in question.others)
        if said or (len(question.names) > 1 and ends <= named):
            for place in fact.statements:
                if place.start is not None and place.end is not None:
                    places.setdefault(place.chunk_id, []).append((place.start, place.end))
    return places


def chain(
    question: Question, candidates: Sequence[CandidateSentence], matcher: Matcher
) -> tuple[float, CandidateSentence, CandidateSentence] | None:
    """Return the two sentences that answer best together, or None where no two do well enough.

    They come with the share of the question's terms in both, 0 to 1.
    """
    if not question.names or question.asks in (Asks.DEFINITION, Asks.YES_NO):
        return None
    asked = frozenset(question.names)
    matched = [matcher.matched(candidate) for candidate in candidates]
    named = [sum(each[name] for name in asked) for each in matched]
    best, best_fitness = None, 0.0
    for first in sorted(range(len(candidates)), key=lambda number: (-named[number], number))[:FIRST]:
        if not named[first]:
            break
        for second, candidate in enumerate(candidates):
            if not _leads(candidates[first], candidate, asked):
                continue
            covered = {term: max(value, matched[second][term]) for term, value in matched[first].items()}
            coverage = matcher.coverage(covered)
            if coverage < CHAIN_COVERAGE or not all(covered[name] for name in question.names):
                continue
            typed, opens = matcher.typed(candidate), _opens(candidate)
            new = sum(matched[second][term] for term in question.others)
            fitness = coverage + 0.3 * typed + 0.1 * opens
            if typed >= TYPED and (new or opens) and (best is None or fitness > best_fitness):
                best, best_fitness = (coverage, candidates[first], candidate), fitness
    return best


def _leads(first: CandidateSentence, second: CandidateSentence, asked: frozenset[str]) -> bool:
    """Tell whether the first sentence names the second one's document, or the second names the first one's."""
    if first.chunk.document == second.chunk.document:
        return False
    return _names(first, _title(second.chunk.document), asked) or _names(second, _title(first.chunk.document), asked)


@lru_cache(maxsize=1 << 10)
def _title(document: str) -> frozenset[str]:
    words = split_words(_BRACKETS.sub("", document))
    return frozenset(folded for word in words if not is_stop_word(folded := fold(word)))


def _names(candidate: CandidateSentence, title: frozenset[str], asked: frozenset[str]) -> bool:
    """Tell whether a sentence names all of a title that the question does not name itself."""
    if not title or title <= asked or not all(word in candidate.words for word in title):
        return False
    return title <= {word for word, capital in zip(candidate.words, candidate.capitals, strict=True) if capital}


def _opens(candidate: CandidateSentence) -> bool:
    """Tell whether a sentence says what its document is about."""
    sentence = candidate.sentence
    return sentence.start == 0 and defines(sentence.text, 0, len(candidate.chunk.document)) > 0
