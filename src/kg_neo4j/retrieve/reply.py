"""From what was found to a reply: sentences of the sources, or a model's answer with its claims checked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from kg_neo4j._models.door import Door, Job
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Usage
from kg_neo4j.retrieve.answer import ModelReply, ask_model
from kg_neo4j.retrieve.checking.claims import (
    DROP,
    QUOTED,
    SUPPORTED,
    UNCITED,
    UNSUPPORTED,
    CheckedClaims,
    check_claims,
    settle,
)
from kg_neo4j.retrieve.checking.judge import judge
from kg_neo4j.retrieve.interface import Found, Reply, Search
from kg_neo4j.retrieve.means import Means
from kg_neo4j.retrieve.words import fold, is_stop_word, split_words


@dataclass(frozen=True, slots=True)
class FurtherSearch:
    """How to search for what a first search did not find: within the same graph and filters."""

    database: Database
    search: Search
    find: Callable[[str], Found]  # what answers another question


@dataclass(frozen=True, slots=True)
class AnswerFromSources(Job[Reply]):
    """Answers a question from what was found. Raises the model's errors."""

    kind: ClassVar[str] = "from_sources"
    search: Search
    found: Found
    how: Means
    further: FurtherSearch | None = None  # None: what was found is all

    def by_model(self, door: Door) -> Reply:
        """Answer with the model; without one valid citation its answer is replaced by sentences of the sources."""
        if not self.found.chunks:
            return Reply("")
        started = time.monotonic()
        answer = ask_model(self.search, self.found, door, self.how)
        made = Reply("", evidence=answer.packed.evidence, usage=answer.usage, notes=_notes(answer, self.search))
        if answer.checked is None and not answer.silent:
            return replace(made, model_seconds=time.monotonic() - started)
        checked, usage, said = _checked(answer, self.found, door, self.how)
        seconds = time.monotonic() - started
        made = replace(made, usage=made.usage + usage, notes=(*made.notes, *said), model_seconds=seconds)
        if checked is not None and checked.citations:
            return _cited(answer, checked, made)
        why = answer.silent or "the model's answer cited no source and was left out"
        if checked is not None and not answer.silent:
            why = said[-1]
        instead = door.instead(replace(self, further=None))
        notes = [*made.notes, *((why,) if why not in made.notes else ()), *(instead.notes if instead.text else ())]
        return replace(instead, usage=made.usage, notes=tuple(notes), model_seconds=made.model_seconds)


def _cited(answer: ModelReply, checked: CheckedClaims, made: Reply) -> Reply:
    short = answer.short if _is_cited(answer.short, checked) else ""
    if answer.short and not short:
        made = replace(made, notes=(*made.notes, f"left out the short answer “{answer.short}”: no source says it"))
    ways = answer.checked.ways if answer.checked else {}
    told = replace(made, text=checked.text, citations=checked.citations, claims=checked.claims)
    return replace(told, short=short, ways=ways)


def _is_cited(short: str, checked: CheckedClaims) -> bool:
    """Return whether the words of a short answer are in what is cited; yes and no always are."""
    words = [word for word in map(fold, split_words(short)) if not is_stop_word(word)]
    there = {fold(word) for each in checked.citations for word in split_words(f"{each.document} {each.quote}")}
    there |= {
        fold(word)
        for claim in checked.claims
        if claim.support in (SUPPORTED, QUOTED)
        for word in split_words(claim.text)
    }
    return fold(short) in ("yes", "no") or all(word in there for word in words)


def _notes(answer: ModelReply, search: Search) -> tuple[str, ...]:
    notes = list(answer.notes)
    if answer.packed.left_out:
        notes.append(f"{answer.packed.left_out} further hits did not fit into {search.context_tokens:,} tokens")
    if answer.checked is not None and answer.checked.invalid:
        notes.append(f"removed citations of sources that were not given: {', '.join(answer.checked.invalid)}")
    return tuple(notes)


def _checked(answer: ModelReply, found: Found, door: Door, how: Means) -> tuple[CheckedClaims | None, Usage, list[str]]:
    """Return the answer, checked, or None where it cites nothing; what judging cost; and what to say of it."""
    if answer.checked is None or not answer.checked.citations:
        return None, Usage(), []
    text, citations = answer.checked.text, answer.checked.citations
    claims = check_claims(text, citations, found, door.instead)
    verdicts, usage, problem = judge(claims, citations, door) if how.judge else ({}, Usage(), "")
    notes = [problem] if problem else []
    checked = settle(text, citations, claims, how.unsupported, verdicts)
    done = "dropped" if how.unsupported == DROP else "marked"
    for claim in (*checked.claims, *checked.dropped):
        if claim.support == UNSUPPORTED:
            notes.append(f"{done} as unsupported: “{claim.text}” ({claim.reason})")
    if uncited := checked.count(UNCITED):
        said = "were dropped: they cite no source" if how.unsupported == DROP else "of the answer cite no source"
        notes.append(f"{uncited} sentences {said}")
    if not checked.citations:
        notes.append("nothing in the model's answer was supported by its sources, so it was left out")
    return checked, usage, notes
