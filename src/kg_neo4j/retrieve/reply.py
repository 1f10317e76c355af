"""From what was found to an answer: sentences of the sources, or a model's words with their claims checked."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, cast

from kg_neo4j import tracing
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Prompted
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.errors import ContextTooLong
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Answer, Citation, Claim, Usage
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.checking.citations import CheckedAnswer, check
from kg_neo4j.retrieve.checking.claims import ACCUSED, DROP, UNCITED, CheckedClaims, check_claims, judge, settle
from kg_neo4j.retrieve.checking.support import QUOTED, SUPPORTED
from kg_neo4j.retrieve.interface import NOT_IN_GRAPH, UNANSWERED, Found, Search
from kg_neo4j.retrieve.packing import PackedContext, pack_found, render
from kg_neo4j.retrieve.question import Question
from kg_neo4j.words import fold, split_words

ANSWER_TOKENS = 800  # room for the answer within the model's window; five sentences need 200
PROMPT_TOKENS = 500  # the prompt without evidence and question
SMALLEST_CONTEXT = 200  # tokens; below, the evidence is not made smaller any more
LONGEST_SHORT = 200  # characters; a longer one is no short answer

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # what a terminal obeys
_LINE = r"^[ \t]*[*_]*{}[*_]*\s*:[*_]*[ \t]*(?P<said>.*)$"
_SHORT, _MISSING = (re.compile(_LINE.format(each), re.I | re.M) for each in ("short answer", "not stated"))


@dataclass(frozen=True, slots=True)
class FurtherSearch:
    """How to search for what a first search did not find: within the same graph and filters."""

    database: Database
    search: Search


@dataclass(frozen=True, slots=True)
class AnswerFromSources(Job[Answer]):
    """Answers a question from what was found. Raises the model's errors."""

    kind: ClassVar[str] = "from_sources"
    search: Search
    found: Found
    how: AskContext
    further: FurtherSearch | None = None  # None: what was found is all

    def by_model(self, door: Door) -> Answer:
        """Answer with the model; without one valid citation its answer is replaced by sentences of the sources.

        A context that the model finds too long is halved and sent again, down to 200 tokens.
        """
        if not self.found.chunks:
            return UNANSWERED
        started = time.monotonic()
        question, tokeniser, most = self.search.question, self.how.tokeniser, self.search.context_tokens
        room = door.window - ANSWER_TOKENS - PROMPT_TOKENS - tokeniser.count(question.text)
        budget = max(SMALLEST_CONTEXT, min(most, room))
        answer = door.ask(AnswerQuestion(question, self.found, tokeniser, budget), self.how.on_token)
        if isinstance(answer.error, ContextTooLong):
            raise answer.error
        packed = cast("AnswerQuestion", answer.task).packed
        said = answer.value or ModelReply(None)
        notes = list(answer.notes)
        if packed.left_out:
            notes.append(f"{packed.left_out} further hits did not fit into {most:,} tokens")
        if said.answer is not None and said.answer.invalid:
            notes.append(f"removed citations of sources that were not given: {', '.join(said.answer.invalid)}")
        made = replace(UNANSWERED, evidence=packed.evidence, usage=answer.charged, notes=tuple(notes))
        if answer.value is not None and answer.problem:
            made = replace(made, notes=(*made.notes, "the model's answer was truncated"))
        silent = "" if answer.value else answer.problem  # the provider's filter, or nothing usable came back
        if said.answer is None and not silent:
            return replace(made, model_seconds=time.monotonic() - started)
        why = silent or "the model's answer cited no source and was left out"
        if said.answer is not None and said.answer.citations:
            checked, usage, notes = _checked(question.text, said.answer, self.found, door, self.how)
            made = replace(made, usage=made.usage + usage, notes=(*made.notes, *notes))
            if checked.citations:
                descents = tuple(said.answer.tree_paths[each] for each in checked.citations)
                made = replace(made, descents=descents, model_seconds=time.monotonic() - started)
                return _cited(said, checked, made)
            why = notes[-1]
        seconds = time.monotonic() - started
        fallback = door.fallback(replace(self, further=None))
        notes = [*made.notes, *((why,) if why not in made.notes else ()), *(fallback.notes if fallback.answer else ())]
        return replace(fallback, usage=made.usage, notes=tuple(notes), model_seconds=seconds)


def _cited(said: ModelReply, checked: CheckedClaims, made: Answer) -> Answer:
    """Return the answer with what was checked, and with the short answer where its names and numbers are cited."""
    short = said.short
    words = [fold(word) for word in split_words(short) if not word.islower()]
    stands = [claim for claim in checked.claims if claim.support in (SUPPORTED, QUOTED)]
    texts = [f"{each.document} {each.quote}" for claim in stands for each in _quotes(claim, checked)]
    texts += [claim.text for claim in stands]
    there = {fold(word) for text in texts for word in split_words(text)}
    if short and (not stands or (fold(short) not in ("yes", "no") and not there.issuperset(words))):
        made = replace(made, notes=(*made.notes, f"left out the short answer “{short}”: no source says it"))
        short = ""
    limits = (f"Not stated: {said.missing}.",) if said.missing else ()
    made = replace(made, short=short, limits=limits)
    return replace(made, answer=checked.text, found=True, citations=checked.citations, claims=checked.claims)


def _quotes(claim: Claim, checked: CheckedClaims) -> list[Citation]:
    return [checked.citations[number - 1] for number in claim.citations]


@tracing.span("check")
def _checked(
    question: str, answer: CheckedAnswer, found: Found, door: Door, how: AskContext
) -> tuple[CheckedClaims, Usage, list[str]]:
    """Return the answer with its claims checked; what judging cost; and what to say of it."""
    text, citations = answer.text, answer.citations
    claims = check_claims(text, citations, found)
    verdicts, usage, problem = judge(question, claims, citations, found, door) if how.judge else ({}, Usage(), "")
    notes = [problem] if problem else []
    checked = settle(text, citations, claims, how.unsupported, verdicts)
    done = "dropped" if how.unsupported == DROP else "marked"
    for claim in (*checked.claims, *checked.dropped):
        if claim.support in ACCUSED:
            notes.append(f"{done} as {claim.support}: “{claim.text}” ({claim.reason})")
    if uncited := checked.count(UNCITED):
        said = "were dropped: they cite no source" if how.unsupported == DROP else "of the answer cite no source"
        notes.append(f"{uncited} sentences {said}")
    if not checked.citations:
        notes.append("nothing in the model's answer was supported by its sources, so it was left out")
    return checked, usage, notes


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model made of the evidence. `answer` is None where it said that the evidence holds none."""

    answer: CheckedAnswer | None
    short: str = ""  # the fewest words that answer, as the model gave them
    missing: str = ""  # what of the question the evidence does not answer, likewise


def _taken(line: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return an answer without its last such line, and what that says, without marks."""
    match = next(reversed(list(line.finditer(text))), None)
    rest = (text[: match.start()] + text[match.end() :]).strip() if match else text
    return (rest, check(match["said"], ()).text.strip(' .*_"“”')) if match and rest else (text, "")


@dataclass(frozen=True)
class AnswerQuestion(Prompted[ModelReply]):
    """Answers `question` from the best of `found` that fits `budget` tokens."""

    kind: ClassVar[str] = "answer"
    cached: ClassVar[bool] = False
    max_tokens = ANSWER_TOKENS
    question: Question
    found: Found
    tokeniser: Tokeniser
    budget: int

    @cached_property
    def packed(self) -> PackedContext:
        """What the model is shown."""
        return pack_found(self.found, self.question, self.tokeniser, self.budget)

    def values(self) -> dict[str, str]:
        """Return the evidence and the question."""
        return {"context": render(self.packed.sources), "question": self.question.text}

    def accept(self, said: Completion) -> ModelReply:
        """Return the answer with its citations checked, and what its last line "Short answer: ..." says."""
        text, short = _taken(_SHORT, _CONTROL.sub(" ", said.text).strip())
        text, missing = _taken(_MISSING, text)
        if NOT_IN_GRAPH.match(text):
            return ModelReply(None)
        short = "" if short in ("-", "–", "—") or len(short) > LONGEST_SHORT else short
        return ModelReply(check(text, self.packed.sources), short, missing)

    def smaller(self) -> Sequence[AnswerQuestion]:
        """Return the question with half of the evidence, down to 200 tokens."""
        if self.budget <= SMALLEST_CONTEXT:
            return ()
        return (replace(self, budget=max(SMALLEST_CONTEXT, self.budget // 2)),)
