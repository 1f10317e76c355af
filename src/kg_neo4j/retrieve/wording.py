"""How many words of a question texts have, and whether a text repeats what was read before. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeVar

from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.words import fold, is_stop_word, split_words

K1, B = 1.5, 0.75  # Okapi BM25
LETTERS = 6  # that two forms of a word share
Key = TypeVar("Key")
REPEATED = 0.5  # of a text's sentences stand in what was read before: it says too little that is new


def weigh(terms: Sequence[str], words: Mapping[Key, Sequence[str]]) -> dict[Key, float]:
    """Return the BM25 weight of texts, given as the `beginnings` of their words, for folded `terms`.

    A word is rare or common among these texts.
    """
    wanted = {term[:LETTERS] for term in terms}
    mean = sum(map(len, words.values())) / max(1, len(words))
    known = Counter(word for each in words.values() for word in wanted & set(each))
    rarity = {word: math.log(1 + (len(words) - count + 0.5) / (count + 0.5)) for word, count in known.items()}
    weights = {}
    for each, its in words.items():
        counts = Counter(its)
        norm = K1 * (1 - B + B * len(its) / mean) if mean else K1
        weights[each] = sum(rarity[word] * counts[word] / (counts[word] + norm) for word in known if counts[word])
    return weights


def shared(terms: Sequence[str], text: str) -> int:
    """Return how many of the folded `terms` stand in a text."""
    return len({term[:LETTERS] for term in terms} & set(beginnings(text)))


def beginnings(text: str) -> list[str]:
    """Return the first letters of the words that say something, in their order."""
    return [word[:LETTERS] for word in map(fold, split_words(text)) if not is_stop_word(word)]


def repeats(text: str, said: str) -> bool:
    """Return whether half of the sentences of `text` or more are in `said`, which is `plain`."""
    sentences = split_sentences(text)
    known = sum(plain(each.text) in said for each in sentences)
    return bool(said and sentences) and known >= REPEATED * len(sentences)


def plain(text: str) -> str:
    """Return text on one line."""
    return " ".join(text.split())
