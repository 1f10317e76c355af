"""Parts of passages to show: around the words of a search, or nearest to a question without an answer. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kg_neo4j.records import Citation
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.retrieve.words import family, fold, same_word, split_words

AROUND = 180  # characters of a passage before and after the first word that was looked for
PASSAGES = 3  # nearest to a question
LOOKED_AT = 8  # chunks, the best first
FEWEST_WORDS = 4  # of a sentence; a shorter one is a heading


@dataclass(frozen=True, slots=True)
class Highlight:
    """Words of a passage, and whether they were looked for."""

    text: str
    is_hit: bool


def excerpt(text: str, words: str) -> tuple[Highlight, ...]:
    """Return the part of a passage around the first of `words` in it, or its beginning, in pieces."""
    text = " ".join(re.sub(r"(?m)^#{1,6}\s+", "", text).split())
    wanted = [re.escape(each) for each in re.findall(r"\w+", words) if len(each) > 2]
    pattern = re.compile(rf"\b(?:{'|'.join(wanted)})\b" if wanted else r"(?!)", re.IGNORECASE)
    found = pattern.search(text)
    first = max((found.start() if found else 0) - AROUND, 0)
    first = text.find(" ", first) + 1 if first else 0
    last = min(first + 2 * AROUND + 60, len(text))
    last = text.rfind(" ", 0, last) if last < len(text) else last
    pieces, at = [Highlight("… ", is_hit=False)] if first else [], first
    for hit in pattern.finditer(text, first, last):
        pieces += [Highlight(text[at : hit.start()], is_hit=False), Highlight(hit.group(), is_hit=True)]
        at = hit.end()
    return (*pieces, Highlight(text[at:last] + (" …" if last < len(text) else ""), is_hit=False))


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
