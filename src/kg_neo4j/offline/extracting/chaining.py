"""Two sentences that answer together where none does alone: the second one speaks of what the first one names. Pure.

"Where was the director of Rain Road born?" is answered by "Rain Road is a film by Ada Lind." and, of the document "Ada
Lind", "Lind was born in Oslo.". The second sentence stands in a document that the first one names, or names the first
one's document; together they must cover what is asked, and the one that answers must hold what is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from kg_neo4j.offline.extracting.candidates import CandidateSentence
from kg_neo4j.offline.extracting.matching import Matcher
from kg_neo4j.offline.extracting.signs import defines
from kg_neo4j.retrieve.question import Asks, Question
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words

FIRST = 12  # sentences that may come first
COVERAGE = 0.6  # of the question by both together
TYPED = 0.3  # how near to what is said there must be what is asked for
_BRACKETS = re.compile(r"\s*\([^()]*\)$")


@dataclass(frozen=True, slots=True)
class Chain:
    """A sentence, and the one that answers with its help."""

    first: CandidateSentence
    second: CandidateSentence
    coverage: float  # share of the question's terms in both together, 0 to 1
    fitness: float


def chain(question: Question, candidates: Sequence[CandidateSentence], matcher: Matcher) -> Chain | None:
    """Return the two sentences that answer best together, or None where no two do well enough."""
    if not question.names or question.asks in (Asks.DEFINITION, Asks.YES_NO):
        return None
    matched = [matcher.matched(candidate) for candidate in candidates]
    asked = frozenset(question.names)
    order = sorted(range(len(candidates)), key=lambda number: (-_named(matched[number], asked), number))
    best: Chain | None = None
    for first in order[:FIRST]:
        if not _named(matched[first], asked):
            break
        for second in range(len(candidates)):
            if not _leads(candidates[first], candidates[second], asked):
                continue
            covered = {term: max(value, matched[second][term]) for term, value in matched[first].items()}
            coverage = matcher.coverage(covered)
            if coverage < COVERAGE or not all(covered[name] for name in question.names):
                continue
            typed = matcher.typed(candidates[second])
            new = sum(matched[second][term] for term in question.others)
            if typed < TYPED or (not new and not _opens(candidates[second])):
                continue
            fitness = coverage + 0.3 * typed + 0.1 * _opens(candidates[second])
            if best is None or fitness > best.fitness:
                best = Chain(candidates[first], candidates[second], coverage, fitness)
    return best


def _named(matched: dict[str, float], names: frozenset[str]) -> float:
    return sum(matched[name] for name in names)


def _leads(first: CandidateSentence, second: CandidateSentence, asked: frozenset[str]) -> bool:
    """Tell whether the first sentence names the second one's document, or the second names the first one's."""
    if first.chunk.document == second.chunk.document:
        return False
    forth, back = _title(second.chunk.document), _title(first.chunk.document)
    return _names(first, forth, asked) or _names(second, back, asked)


@lru_cache(maxsize=1 << 10)
def _title(document: str) -> frozenset[str]:
    words = split_words(_BRACKETS.sub("", document))
    return frozenset(folded for word in words if not is_stop_word(folded := fold(word)))


def _names(candidate: CandidateSentence, title: frozenset[str], asked: frozenset[str]) -> bool:
    """Tell whether a sentence names all of a title that the question does not name itself."""
    if not title or title <= asked or not all(word in candidate.words for word in title):
        return False
    capitals = {word for word, capital in zip(candidate.words, candidate.capitals, strict=True) if capital}
    return title <= capitals


def _opens(candidate: CandidateSentence) -> float:
    """Return 1 for the sentence that says what its document is about."""
    return float(
        candidate.sentence.start == 0 and defines(candidate.sentence.text, 0, len(candidate.chunk.document)) > 0
    )
