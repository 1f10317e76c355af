"""Whether a question is about one of a narrative's aspects, and about which. Pure.

English. Each cue is the word that the reason for a choice says, with the words by which aspects of that kind are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kg_neo4j import data_files
from kg_neo4j.retrieve.question import Question


@dataclass(frozen=True, slots=True)
class Cue:
    """How one aspect is asked for."""

    said: str  # in a reason: "the question is about a theme"
    aspects: tuple[str, ...]  # parts of the names of aspects that answer it, the best first
    pattern: re.Pattern[str]


_DATA = data_files.beside(__file__)
_PARTS = _DATA.table("parts")
CUES = tuple(
    Cue(said, tuple(aspects.split()), re.compile(rf"\b(?:{data_files.fill(pattern, _PARTS)})", re.IGNORECASE))
    for said, (aspects, pattern) in _DATA.lists("cues").items()
)


def asked_cue(question: Question) -> Cue | None:
    """Return how a question asks about an aspect of a narrative; None where it does not."""
    return next((cue for cue in CUES if cue.pattern.search(question.text)), None)


def fitting(cue: Cue, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the names of aspects that a cue means, the best first."""
    known = sorted(set(names))
    return tuple(dict.fromkeys(name for part in cue.aspects for name in known if part in name))
