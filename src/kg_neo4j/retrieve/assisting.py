"""What a model adds to a search where it is asked to: a question taken apart, passages put in order. One call each.

Both are of help, never needed: an answer that cannot be used leaves what was found as it was, and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted, TaskAnswer
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundEntity, FoundFact, Search

PARTS = 4  # questions that one is taken apart into, at most
LONGEST = 500  # characters of one of them
RANKED = 20  # passages that are put in order
SHOWN_TOKENS = 120  # of each
ANSWER_TOKENS = 300
PROMPT_TOKENS = 500
_RANK = 60  # reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)

_BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s*")
_NUMBERS = re.compile(r"\d+")
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
    """Adds what `find` finds for the parts of a question to what was found, and puts passages in order.

    Raises the errors of the model that concern every question.
    """

    kind: ClassVar[str] = "assist"
    search: Search
    found: Found
    how: AskContext
    find: Callable[[str], Found]  # what answers another question

    def by_model(self, door: Door) -> Assisted:
        """Ask for the parts and for the order, where the options say so."""
        question, options = self.search.question.text, self.search.options
        found, usage, notes, seconds = self.found, Usage(), [], 0.0
        if options.decompose:
            apart = door.ask(Decompose(question))
            usage, seconds = usage + apart.charged, seconds + apart.seconds
            found = fuse([found, *(self.find(part) for part in apart.value)]) if apart.value else found
            notes.append(f"also searched for its parts: {' | '.join(apart.value)}" if apart.value else _why(apart))
        if options.rerank and len(found.chunks) > 1:
            shown = _shown(question, found, door.window, self.how.tokeniser)
            if len(shown) > 1:
                ordered = door.ask(Rerank(question, found, shown))
                usage, seconds = usage + ordered.charged, seconds + ordered.seconds
                found = ordered.value or found
                notes.append(_why(ordered))
        return Assisted(found, usage, tuple(note for note in notes if note), seconds)


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
        lines = [_BULLET.sub("", line).strip() for line in without_thoughts(said.text).strip().splitlines()]
        asked = [line for line in lines if line.isprintable() and len(line) <= LONGEST and any(map(str.isalnum, line))]
        parts = tuple(dict.fromkeys(line for line in asked if line.casefold() != self.question.casefold()))
        if len(parts) > PARTS:
            return Complaint(f"the model split the question into {len(parts)}, so it was searched for as it is")
        return parts


@dataclass(frozen=True, slots=True)
class Rerank(Prompted[Found]):
    """Asks for the order of the best passages; those that it leaves out come behind them."""

    kind: ClassVar[str] = "rerank"
    cached: ClassVar[bool] = False
    max_tokens = ANSWER_TOKENS
    question: str
    found: Found
    shown: Sequence[str]  # the best passages, numbered

    def values(self) -> dict[str, str]:
        """Return the question and the passages."""
        given = {"question": self.question, "passages": "\n\n".join(self.shown)}
        return {**given, "fence": hash_id("fence", *given.values())[:8]}

    def accept(self, said: Completion) -> Found | Complaint[Found]:
        """Return what was found in the order of an answer."""
        listed = _NUMBERS.findall(without_thoughts(said.text))
        numbers = list(dict.fromkeys(int(each) for each in listed if len(each) < 4))
        chosen = [number for number in numbers if 1 <= number <= len(self.shown)]
        if not chosen:
            return self.found if numbers == [0] else Complaint("the model gave no order of passages")
        ranked = _ranked(self.found)
        order = [ranked[number - 1] for number in chosen]
        order += [chunk for chunk in ranked if chunk not in order]
        scores = sorted((chunk.score for chunk in ranked), reverse=True)
        best = [replace(chunk, score=score) for chunk, score in zip(order, scores, strict=True)]
        behind = [chunk for chunk in self.found.chunks if chunk.id not in {each.id for each in ranked}]
        return replace(self.found, chunks=(*best, *behind))


def _why(answer: TaskAnswer[Any]) -> str:
    """Return why an answer is of no use; empty where it is."""
    return f"{answer.task.kind}: {answer.error}" if answer.error else answer.problem


def _ranked(found: Found) -> list[FoundChunk]:
    return [chunk for chunk in found.chunks if chunk.score > 0][:RANKED]


def _shown(question: str, found: Found, window: int, tokeniser: Tokeniser) -> list[str]:
    """Return the beginnings of the best passages, as far as the model's window goes."""
    room = window - PROMPT_TOKENS - ANSWER_TOKENS - tokeniser.count(question)
    shown: list[str] = []
    for number, chunk in enumerate(_ranked(found), 1):
        text, spans = chunk.text, tokeniser.spans(chunk.text)
        if len(spans) > SHOWN_TOKENS:
            text = text[: spans[SHOWN_TOKENS][0]].rstrip() + " …"
        text = f"[{number}] {chunk.document}\n{text}"
        room -= tokeniser.count(text) + 2
        if room < 0:
            break
        shown.append(text)
    return shown


def fuse(founds: Sequence[Found]) -> Found:
    """Return what several searches found, each kind by reciprocal rank; the first one's mode, everybody's notes."""
    first = founds[0]
    return Found(
        first.mode,
        _fused([found.chunks for found in founds]),
        _fused([found.entities for found in founds]),
        _fused([found.facts for found in founds]),
        tuple(dict.fromkeys(note for found in founds for note in found.notes)),
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
