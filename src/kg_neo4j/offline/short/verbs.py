"""Verbs that say the same thing of the same subject and object, and nouns for those who do it. Pure; English."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kg_neo4j import data_files
from kg_neo4j.retrieve.words import same_word

_DATA = data_files.beside(__file__)
_GROUPS = tuple(frozenset(line.split()) for line in _DATA.lines("same"))
_AGENTS = {verb: frozenset(nouns.split()) for verb, nouns in _DATA.rows("agents", 2)}


def with_particle(verb: str, after: str) -> str:
    """Return a folded verb with the word behind it where both are known as one: "set_up"; else the verb."""
    both = f"{verb}_{after}"
    return both if _groups(both) else verb


def says_the_same(verb: str, others: Iterable[str]) -> bool:
    """Return whether a folded verb is one of the others, in any form, or may stand for one; "set_up" has a particle."""
    return any(same_word(verb, other) or _groups(verb) & _groups(other) for other in others)


def agents_of(verb: str) -> frozenset[str]:
    """Return the nouns for one who does what a folded verb says: "founder"; empty where none is known."""
    return frozenset().union(
        *(nouns for base, nouns in _AGENTS.items() if same_word(base, verb) or _groups(base) & _groups(verb))
    )


@lru_cache(maxsize=4096)
def _groups(verb: str) -> frozenset[int]:
    """Return the numbers of the groups that have a verb, in any of its forms."""
    word, _, particle = verb.partition("_")
    return frozenset(
        number
        for number, group in enumerate(_GROUPS)
        if any(same_word(word, own) and particle == other for own, _, other in (each.partition("_") for each in group))
    )
