"""Nodes of a tree in one order: by meaning and by words, fused. Pure.

Words are weighed over all nodes that were found, leaves, summaries and details together (BM25 with k1 1.5, b 0.75),
because an index of chunks and one of other nodes do not compare. Two forms of a word are one by their first letters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words

RANKS = 60  # reciprocal rank fusion (Cormack et al. 2009), as in the mode naive
K1, B = 1.5, 0.75
LETTERS = 6  # that two forms of a word share
REPEATED = 0.5  # of a node's sentences stand in what was chosen before: it says too little that is new

Row = Mapping[str, Any]


def fuse(question: Question, near: Sequence[Row], worded: Sequence[Row]) -> list[Row]:
    """Return the rows of nodes by reciprocal ranks, best first: those `near` in their order, all by their words."""
    rows = {row["id"]: row for row in (*near, *worded)}
    weights = _weights(question, rows)
    by_words = sorted((each for each in rows if weights[each] > 0), key=lambda each: (-weights[each], each))
    scores: dict[str, float] = {}
    for ranked in ([row["id"] for row in near], by_words):
        for rank, each in enumerate(ranked, 1):
            scores[each] = scores.get(each, 0.0) + 1 / (RANKS + rank)
    return [{**rows[each], "score": scores[each]} for each in sorted(scores, key=lambda each: (-scores[each], each))]


def repeats(text: str, said: str) -> bool:
    """Return whether half of the sentences of `text` or more are in `said`, which is `plain`."""
    sentences = split_sentences(text)
    known = sum(plain(each.text) in said for each in sentences)
    return bool(said and sentences) and known >= REPEATED * len(sentences)


def plain(text: str) -> str:
    """Return text on one line."""
    return " ".join(text.split())


def _weights(question: Question, rows: Mapping[str, Row]) -> dict[str, float]:
    wanted = {term[:LETTERS] for term in question.terms}
    texts = {each: _beginnings(row["text"] or "") for each, row in rows.items()}
    mean = sum(len(words) for words in texts.values()) / max(1, len(texts))
    known = Counter(word for words in texts.values() for word in wanted & set(words))
    rarity = {word: math.log(1 + (len(rows) - count + 0.5) / (count + 0.5)) for word, count in known.items()}
    weights = {}
    for each, words in texts.items():
        counts = Counter(words)
        norm = K1 * (1 - B + B * len(words) / mean) if mean else K1
        weights[each] = sum(rarity[word] * counts[word] / (counts[word] + norm) for word in known if counts[word])
    return weights


def _beginnings(text: str) -> list[str]:
    return [word[:LETTERS] for word in map(fold, split_words(text)) if not is_stop_word(word)]
