"""Verbs that say the same thing of the same subject and object, and nouns for those who do it. Pure; English."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from kg_neo4j import data_files
from kg_neo4j.retrieve.question import Question
from kg_neo4j.words import BASES, fold, same_word, split_words

_DATA = data_files.beside(__file__)
_GROUPS = tuple(frozenset(line.split()) for line in _DATA.lines("same"))
_PARTICLES = frozenset(verb.partition("_")[2] for group in _GROUPS for verb in group) - {""}
_AGENTS = {verb: frozenset(nouns.split()) for verb, nouns in _DATA.rows("agents", 2)}


def with_particle(verb: str, after: str) -> str:
    """Return a folded verb with the word behind it where both are known as one: "set_up"; else the verb."""
    return f"{verb}_{after}" if after in _PARTICLES and _groups(f"{verb}_{after}") else verb


def asked_verbs(question: Question) -> dict[str, str]:
    """Return each term of a question, with the particle behind it where both are known as one verb."""
    words = [fold(word) for word in split_words(question.text)]
    return {term: term for term in question.terms} | {
        word: with_particle(word, after) for word, after in pairwise((*words, "")) if word in question.terms
    }


def says_the_same(verb: str, others: Iterable[str]) -> bool:
    """Return whether a folded verb is one of the others, in any form, or may stand for one; "set_up" has a particle."""
    return any(same_word(verb, other) or _groups(verb) & _groups(other) for other in others)


def has_equal(verb: str, words: Sequence[str]) -> bool:
    """Return whether folded words, in the order of a sentence, have another verb that may stand for a folded one."""
    mine = _groups(verb)
    return bool(mine) and any(mine & _groups(with_particle(*pair)) for pair in pairwise((*words, "")))


def agents_of(verb: str) -> frozenset[str]:
    """Return the nouns for one who does what a folded verb says: "founder"; empty where none is known."""
    return frozenset().union(
        *(nouns for base, nouns in _AGENTS.items() if same_word(base, verb) or _groups(base) & _groups(verb))
    )


@lru_cache(maxsize=1 << 16)
def _groups(verb: str) -> frozenset[int]:
    """Return the numbers of the groups that have a verb, in any of its forms."""
    word, _, particle = verb.partition("_")
    alike = {each for start in _starts(word) for each in _BY_START.get(start, ())}
    return frozenset(number for number, own, other in alike if particle == other and same_word(word, own))


def _starts(word: str) -> set[str]:
    """Return how each form of a word begins: two forms of one share a beginning, their own or that of their bases."""
    return {word[:2], BASES.get(word, word)[:2]}


_BY_START: dict[str, list[tuple[int, str, str]]] = {}  # beginning -> group, verb and particle
for _number, _group in enumerate(_GROUPS):
    for _own, _, _particle in (each.partition("_") for each in _group):
        for _start in _starts(_own):
            _BY_START.setdefault(_start, []).append((_number, _own, _particle))
