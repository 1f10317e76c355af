"""Asks a model what it can do. Each probe is bounded; one that fails leaves the others."""

from __future__ import annotations

import json
import re
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kg_neo4j import data_files, factory
from kg_neo4j._models import tokens
from kg_neo4j._models.answer_text import has_ended, without_thoughts
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Task
from kg_neo4j.errors import BudgetReached, ContextTooLong, ModelError, RequestRefused
from kg_neo4j.records import Usage
from kg_neo4j.settings import Settings

STEPS = (1_500, 8_000, 32_000)  # tokens of the prompts that are tried; the last one is the longest
MOST_TRIALS = 8  # prompts
LONGEST = 4_000  # tokens of an answer; one about a chunk of 1,200 tokens has some 1,000
SLOW_S = 90.0  # that one call may take, about
THOUGHT_TOKENS, ANSWER_TOKENS = 600, 60  # room for thoughts; and for three numbers, or one word
NOTICED = 20  # tokens that no text shows: fewer are the server's own marks
COUNTED_LESS = 0.8  # of the tokens that a server should count: below that it read a part
WORKS, AFTER, IGNORED, REFUSED, FAILED = "works", "works after the thought", "ignored", "refused", "failed"
ENOUGH = "enough"  # our reason to end an answer

_DATA = data_files.beside(__file__)
_DOORS, _FILLER = _DATA.lines("doors"), _DATA.lines("filler")
_NUMBERS = [each.rstrip(".").rpartition(" ")[2] for each in _DOORS]


@dataclass(frozen=True, slots=True)
class _Probe(Task[Completion]):
    """Ask one question as extraction asks: what the user sets for extraction holds here, too."""

    kind: ClassVar[str] = "extract"
    reads_whole: ClassVar[bool] = False
    reads_thoughts: ClassVar[bool] = True
    system: str
    user: str
    max_tokens: int | None

    def messages(self, complaint: str = "") -> tuple[str, str]:
        return self.system, self.user

    def accept(self, said: Completion) -> Completion:
        return said


@dataclass(frozen=True, slots=True)
class Probed:
    """What came of one question."""

    text: str = ""  # without thoughts
    reason: str = ""
    thought: int = 0  # tokens that the text does not show
    usage: Usage = field(default_factory=Usage)
    first_s: float = 0.0  # until the first piece of a stream; else 0
    seconds: float = 0.0
    error: ModelError | BudgetReached | None = None

    @property
    def failed(self) -> str:
        """How a question failed; empty where it did not."""
        return (REFUSED if isinstance(self.error, RequestRefused) else FAILED) if self.error else ""


@dataclass(slots=True)
class Subject:
    """The model under test, and what asking it has cost."""

    settings: Settings
    budget: Budget | None
    room: int = 0  # tokens of each answer for thoughts that cannot be switched off
    usage: Usage = field(default_factory=Usage)
    notes: dict[str, None] = field(default_factory=dict)  # of the client: how this server differs

    def with_fields(self, fields: Mapping[str, Any]) -> Settings:
        """Return the settings with further fields of the request's body."""
        return self.settings.model_copy(update={"model_options": {**self.settings.model_options, **fields}})

    def ask(self, name: str, most: int, question: str = "", fields: Mapping[str, Any] | None = None) -> Probed:
        """Ask the question `name` of probes.toml, or another one; the answer has at most so many tokens."""
        task = _Probe(_DATA.text(f"{name}_system"), question or _DATA.text(f"{name}_question"), most)
        started, heard = time.monotonic(), list[float]()

        def listen(_: str) -> str | None:
            heard.append(time.monotonic() - started)
            return ENOUGH if heard[-1] > SLOW_S else None

        try:  # by a door that nothing has stopped
            answer = factory.door(self.with_fields(fields or {}), budget=self.budget).ask(task, listen)
        except (ModelError, BudgetReached) as error:
            return Probed(error=error)
        self.usage += answer.usage
        self.notes |= dict.fromkeys(part for note in answer.notes for part in note.split("; "))
        if (said := answer.value) is None:
            return Probed(error=answer.error)
        text = without_thoughts(said.text)
        shown, all_shown = tokens.load().count(text), tokens.load().count(said.text)
        hidden = max(said.usage.reasoning_tokens, said.usage.output_tokens - shown) if said.usage.output_tokens else 0
        if not text.strip() and has_ended(said.finish_reason) is False:
            hidden = max(hidden, most)  # the limit went to what is not shown
        first_s = heard[0] if len(heard) > 1 else 0.0
        thought = max(all_shown - shown, hidden)
        return Probed(text, said.finish_reason or "", thought, said.usage, first_s, time.monotonic() - started)


@dataclass(frozen=True, slots=True)
class WindowFound:
    """How long a prompt may be, in the server's tokens where it counts them."""

    whole: int  # of the longest prompt that arrived whole
    limit: int | None  # a longer one is cut or refused; None: that was not seen
    how: str  # what happens there, or why longer prompts were not tried


def find_window(subject: Subject, most: int) -> WindowFound:
    """Return the window, up to `most` tokens of ours: numbers at both ends of a prompt must come back."""
    whole, broken, limit, speed, factor, how = 0, 0, 0, 0.0, 1.0, ""
    for _ in range(MOST_TRIALS):
        size, why = (0, "") if limit else _next_size(whole, broken, most, speed)
        if not size:
            how = how or why
            break
        said = subject.ask("window", ANSWER_TOKENS + subject.room, report(size))
        found, read = [number in said.text for number in _NUMBERS], said.usage.input_tokens
        is_partly_read = 0 < read < COUNTED_LESS * factor * size
        if isinstance(said.error, ContextTooLong):
            broken, how = size, "a longer one is refused"
            numbers = map(int, re.findall(r"\d{3,7}", str(said.error).replace(",", "")))
            limit = min((each for each in numbers if 512 <= each < 1.3 * size), default=0)
        elif said.error:
            how = f"one of {size:,} tokens failed: {said.error}"
            break
        elif found[0] and found[2]:
            whole, speed = size, size / max(said.seconds, 0.001)
            factor = read / size if read else 1.0
        elif not whole and not is_partly_read:
            how = f"the model does not find three numbers in {size:,} tokens of text, so no cut can be seen"
            break
        else:
            broken, limit = size, read if is_partly_read else 0
            how = f"a longer one loses its {'end' if found[0] else 'beginning'} without an error"
    arrived = int(whole * factor) // 100 * 100
    return WindowFound(arrived, limit or (arrived if broken else None), how)


def _next_size(whole: int, broken: int, most: int, speed: float) -> tuple[int, str]:
    """Return the next prompt's tokens; 0 where the search is over, and why longer ones are not tried."""
    if broken:
        return ((whole + broken) // 2 if broken - whole > max(300, broken // 10) else 0), ""
    size = min(next((each for each in STEPS if each > whole), most), most)
    if whole and size / speed > SLOW_S:
        in_time = int(speed * SLOW_S * 0.8)
        return in_time if in_time > 1.4 * whole else 0, f"{size:,} would take some {size / speed:,.0f} s"
    return size if size > 1.05 * whole else 0, "longer ones were not tried"


def report(size: int) -> str:
    """Return a text of about so many tokens that hides three numbers, and the question for them."""
    a_line = tokens.load().count("\n".join(_FILLER)) / len(_FILLER) + 2
    lines = [f"{number}. {_FILLER[number % len(_FILLER)]}" for number in range(1, max(2, int((size - 150) / a_line)))]
    middle = len(lines) // 2
    parts = (_DOORS[0], *lines[:middle], _DOORS[1], *lines[middle:], _DOORS[2], "", _DATA.text("window_question"))
    return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class LongestAnswer:
    """How long an answer may be."""

    tokens: int
    is_limit: bool  # the server ended it below what was asked for
    how: str
    streams: bool = False
    tokens_a_second: float = 0.0


def find_longest(subject: Subject, most: int) -> LongestAnswer:
    """Return the longest answer, up to `most` tokens."""
    said = subject.ask("longest", most)
    if said.error:
        return LongestAnswer(0, False, str(said.error))
    written = said.usage.output_tokens or tokens.load().count(said.text)
    is_limit = has_ended(said.reason) is False and written < 0.9 * most
    how = "the server ends it there" if is_limit else "all that was asked for"
    if said.reason == ENOUGH or has_ended(said.reason):
        how = f"stopped after {SLOW_S:g} s" if said.reason == ENOUGH else "the model ended it"
    return LongestAnswer(written, is_limit, how, said.first_s > 0, written / max(said.seconds - said.first_s, 0.001))


@dataclass(frozen=True, slots=True)
class Thinking:
    """Whether a model thinks, and what ends that."""

    tokens: int  # of thoughts in an answer of one word; 0: it does not think
    left: int  # of them with `switch`; more than NOTICED: they cannot be switched off
    switch: str  # a line of [model_options] that ends the thoughts, or shortens them most; empty: none does
    tried: Mapping[str, str]  # what became of each line


def find_thinking(subject: Subject, first: Probed) -> Thinking:
    """Return what becomes of the thoughts of the first answer with each field that may end them."""
    best, left, tried, right = "", first.thought, dict[str, str](), _DATA.text("thought_answer")
    for line in _DATA.lines("switches") if first.thought > NOTICED else ():
        said = subject.ask("thought", THOUGHT_TOKENS, fields=tomllib.loads(line))
        is_right = right in said.text or (right not in first.text and bool(said.text.strip()))
        tried[line] = said.failed or f"{said.thought} tokens of thought{'' if is_right else ', no right answer'}"
        if not said.error and is_right and said.thought < min(left, first.thought / 2):
            best, left = line, said.thought
        if best and left <= NOTICED:
            break
    return Thinking(first.thought if first.thought > NOTICED else 0, left, best, tried)


def find_constraints(subject: Subject) -> Mapping[str, str]:
    """Return what becomes of each way to constrain an answer to words that no question asks for."""
    found = {}
    for way, fields in _DATA.table("constraints").items():
        said = subject.ask("constraint", ANSWER_TOKENS + subject.room, fields=json.loads(fields))
        is_held = any(word in said.text for word in _DATA.words("constraint_words"))
        found[way] = said.failed or ((AFTER if said.thought > NOTICED else WORKS) if is_held else IGNORED)
    return found
