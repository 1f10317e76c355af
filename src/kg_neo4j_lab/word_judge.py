"""Statements compared by their words, without a model: a proxy, labelled as one wherever its figures are shown. Pure.

A statement is a sentence. Two agree where one of them has the words of the other, with its names, numbers and denials,
as the check of claims holds a claim against what it cites; what the question says counts as said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kg_neo4j.retrieve.checking.support import CitedPassage, supports
from kg_neo4j.retrieve.sentences import readable, split_sentences


@dataclass(frozen=True, slots=True)
class ComparedStatements:
    """The statements of an answer and of the golden answer, sorted."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    missing: tuple[str, ...]


def compare(question: str, answer: str, golden: str, normalise: Callable[[str], str]) -> ComparedStatements:
    """Compare the sentences of two texts; those that are the same when they are normalised agree."""
    said, wanted = _statements(answer), _statements(golden)

    def agree(one: str, other: str) -> bool:
        pairs = ((one, other), (other, one))
        return normalise(one) == normalise(other) or any(
            supports(claim, [CitedPassage(text, question)]).supported for claim, text in pairs
        )

    made = {each for each in said if any(agree(each, other) for other in wanted)}
    met = {each for each in wanted if any(agree(other, each) for other in said)}
    return ComparedStatements(
        tuple(each for each in said if each in made),
        tuple(each for each in said if each not in made),
        tuple(each for each in wanted if each not in met),
    )


def _statements(text: str) -> list[str]:
    found = [readable(each.text).strip() for each in split_sentences(text)]
    return list(dict.fromkeys(each for each in found if each)) or [text.strip()]
