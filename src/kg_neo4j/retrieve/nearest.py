"""The passages nearest to a question that found no answer: of each its best sentence. Pure."""

from __future__ import annotations

from kg_neo4j.records import Citation
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.retrieve.words import family, fold, same_word, split_words

PASSAGES = 3
LOOKED_AT = 8  # chunks, the best first
FEWEST_WORDS = 4  # of a sentence; a shorter one is a heading


def nearest(question: Question, found: Found) -> tuple[Citation, ...]:
    """Return the best sentences of three chunks: those with the most terms of the question, names counting twice.

    A chunk without any of its terms is none of them.
    """
    ranked = []
    for rank, chunk in enumerate([each for each in found.chunks if each.score > 0][:LOOKED_AT]):
        scored = [
            (_terms(question, each.text), -place, each)
            for place, each in enumerate(split_sentences(chunk.text))
            if len(split_words(each.text)) >= FEWEST_WORDS
        ]
        if scored and (best := max(scored, key=lambda each: each[:2]))[0]:
            sentence = best[2]
            citation = Citation(chunk.id, chunk.document, sentence.start, sentence.end, sentence.text)
            ranked.append((-best[0], rank, citation))
    ranked.sort(key=lambda each: each[:2])
    return tuple(citation for _, _, citation in ranked[:PASSAGES])


def _terms(question: Question, sentence: str) -> int:
    """Return how many terms of a question a sentence has, names twice."""
    words = {fold(word) for word in split_words(sentence)}
    return sum(
        1 + (term in question.names)
        for term in question.terms
        if term in words or family(term) & words or any(same_word(term, word) for word in words)
    )
