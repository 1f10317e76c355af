"""Search for the parts of a question, which a model names in one call.

An answer that cannot be used leaves what was found as it was, and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundEntity, FoundFact, Search

PARTS = 4  # questions that one is taken apart into, at most
LONGEST = 500  # characters of one of them
ANSWER_TOKENS = 300
_RANK = 60  # reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)

_BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s*")
_Item = TypeVar("_Item", FoundChunk, FoundEntity, FoundFact)


@dataclass(frozen=True, slots=True)
class Assisted:
    """What was found with a model's help."""

    found: Found
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    model_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Assist(Job[Assisted]):
    """Adds what `find` finds for the parts of a question to what was found.

    Raises the errors of the model that concern every question.
    """

    kind: ClassVar[str] = "assist"
    search: Search
    found: Found
    find: Callable[[str], Found]  # what answers another question

    def by_model(self, door: Door) -> Assisted:
        """Ask for the parts, where the options say so."""
        if not self.search.options.decompose:
            return Assisted(self.found)
        apart = door.ask(Decompose(self.search.question.text))
        if not apart.value:
            note = f"{Decompose.kind}: {apart.error}" if apart.error else apart.problem
            return Assisted(self.found, apart.charged, (note,) if note else (), apart.seconds)
        found = fuse([self.found, *(self.find(part) for part in apart.value)])
        note = f"also searched for its parts: {' | '.join(apart.value)}"
        return Assisted(found, apart.charged, (note,), apart.seconds)


@dataclass(frozen=True, slots=True)
class Decompose(Prompted[tuple[str, ...]]):
    """Asks for the parts of a question; the question itself is none of them."""

    kind: ClassVar[str] = "decompose"
    cached: ClassVar[bool] = False
    max_tokens = ANSWER_TOKENS
    question: str

    def values(self) -> dict[str, str]:
        """Return the question, and how many parts there may be."""
        given = {"question": self.question, "most": str(PARTS)}
        return {**given, "fence": hash_id("fence", *given.values())[:8]}

    def accept(self, said: Completion) -> tuple[str, ...] | Complaint[tuple[str, ...]]:
        """Return the lines of an answer that can be searched for."""
        lines = [_BULLET.sub("", line).strip() for line in said.text.strip().splitlines()]
        asked = [line for line in lines if line.isprintable() and len(line) <= LONGEST and any(map(str.isalnum, line))]
        parts = tuple(dict.fromkeys(line for line in asked if line.casefold() != self.question.casefold()))
        if len(parts) > PARTS:
            return Complaint(f"the model split the question into {len(parts)}, so it was searched for as it is")
        return parts


def fuse(founds: Sequence[Found]) -> Found:
    """Return what several searches found, each kind by reciprocal rank; the first one's mode, everybody's notes."""
    first = founds[0]
    return Found(
        first.mode,
        _fused([found.chunks for found in founds]),
        _fused([found.entities for found in founds]),
        _fused([found.facts for found in founds]),
        tuple(dict.fromkeys(note for found in founds for note in found.notes)),
        beginnings=first.beginnings,
    )


def _fused(lists: Iterable[Sequence[_Item]]) -> tuple[_Item, ...]:
    items: dict[str, _Item] = {}
    scores: dict[str, float] = {}
    for ranked in lists:
        for rank, item in enumerate(ranked):
            items.setdefault(item.id, item)
            scores[item.id] = scores.get(item.id, 0.0) + (1 / (_RANK + rank + 1) if item.score > 0 else 0.0)
    order = sorted(items, key=lambda each: (-scores[each], each))
    return tuple(replace(items[each], score=scores[each]) for each in order)
