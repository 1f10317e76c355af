"""What a model adds to a search where it is asked to: a question taken apart, passages put in order. One call each.

Both are of help, never needed: an answer that cannot be used leaves what was found as it was, and a note says so.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.protocols import ChatModel
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundEntity, FoundFact

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
class Assistance:
    """What a model is asked to do for a search."""

    decompose: bool = False
    rerank: bool = False


@dataclass(frozen=True, slots=True)
class Assisted:
    """What was found with a model's help."""

    found: Found
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    model_seconds: float = 0.0


def assist(
    question: str,
    found: Found,
    assistance: Assistance,
    search: Callable[[str], Found],
    using: tuple[ChatModel, Tokeniser] | None,
) -> Assisted:
    """Return `found` with what `search` finds for the parts of `question`, and in the order that the model gives it.

    Without a model, `found` as it is. Raises the errors of the model that concern every question.
    """
    if using is None:
        return Assisted(found)
    usage, notes, seconds = Usage(), [], 0.0
    if assistance.decompose:
        started = time.monotonic()
        parts, took, why = take_apart(question, using[0])
        usage, seconds = usage + took, seconds + time.monotonic() - started
        found = fuse([found, *(search(part) for part in parts)]) if parts else found
        notes.append(f"searched for its parts, too: {' | '.join(parts)}" if parts else why)
    if assistance.rerank and len(found.chunks) > 1:
        started = time.monotonic()
        found, took, why = put_in_order(question, found, *using)
        usage, seconds = usage + took, seconds + time.monotonic() - started
        notes.append(why)
    return Assisted(found, usage, tuple(note for note in notes if note), seconds)


def take_apart(question: str, model: ChatModel) -> tuple[tuple[str, ...], Usage, str]:
    """Return the parts of a question, the question itself left out, what that took, and why there are none."""
    said, usage, why = _ask(model, "decompose", {"question": question, "most": str(PARTS)})
    lines = [_BULLET.sub("", line).strip() for line in said.splitlines()]
    asked = [line for line in lines if line.isprintable() and len(line) <= LONGEST and any(map(str.isalnum, line))]
    parts = tuple(dict.fromkeys(line for line in asked if line.casefold() != question.casefold()))
    if len(parts) > PARTS:
        return (), usage, f"the model took the question apart into {len(parts)}, so it was searched for as it is"
    return parts, usage, why


def put_in_order(question: str, found: Found, model: ChatModel, tokeniser: Tokeniser) -> tuple[Found, Usage, str]:
    """Return `found` with the best passages in the model's order, those that it leaves out behind them."""
    ranked = [chunk for chunk in found.chunks if chunk.score > 0][:RANKED]
    room = model.window - PROMPT_TOKENS - ANSWER_TOKENS - tokeniser.count(question)
    shown: list[str] = []
    for number, chunk in enumerate(ranked, 1):
        text = f"[{number}] {chunk.document}\n{_beginning(chunk.text, tokeniser)}"
        room -= tokeniser.count(text) + 2
        if room < 0:
            break
        shown.append(text)
    if len(shown) < 2:
        return found, Usage(), ""
    said, usage, why = _ask(model, "rerank", {"question": question, "passages": "\n\n".join(shown)})
    numbers = list(dict.fromkeys(int(each) for each in _NUMBERS.findall(said) if len(each) < 4))
    chosen = [number for number in numbers if 1 <= number <= len(shown)]
    if not chosen:
        return found, usage, why or ("" if numbers == [0] else "the model gave no order of passages")
    order = [ranked[number - 1] for number in chosen]
    order += [chunk for chunk in ranked if chunk not in order]
    scores = sorted((chunk.score for chunk in ranked), reverse=True)
    best = [replace(chunk, score=score) for chunk, score in zip(order, scores, strict=True)]
    behind = [chunk for chunk in found.chunks if chunk.id not in {each.id for each in ranked}]
    return replace(found, chunks=(*best, *behind)), usage, ""


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


def _beginning(text: str, tokeniser: Tokeniser) -> str:
    spans = tokeniser.spans(text)
    return text if len(spans) <= SHOWN_TOKENS else text[: spans[SHOWN_TOKENS][0]].rstrip() + " …"


def _ask(model: ChatModel, name: str, given: dict[str, str]) -> tuple[str, Usage, str]:
    """Return what a model says to a prompt, what that took, and why it says nothing of use."""
    prompt = prompts.load(name)
    system, user = prompt.render(**given, fence=hash_id("fence", *given.values())[:8])
    try:
        completion = model.complete(system, user, max_tokens=ANSWER_TOKENS, temperature=prompt.temperature)
    except (ContentFiltered, BadModelAnswer, ContextTooLong) as error:
        return "", Usage(calls=1), f"{name}: {error}"
    return without_thoughts(completion.text).strip(), completion.usage, ""
