"""Asks a model what it can do, and extracts a known passage. Probes are bounded; one that fails leaves the others."""

from __future__ import annotations

import json
import re
import time
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kg_neo4j import data_files, factory
from kg_neo4j._models import tokens
from kg_neo4j._models.answer_text import has_ended, without_thoughts
from kg_neo4j._models.budget import Budget
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Task
from kg_neo4j.errors import BudgetReached, ContextTooLong, ModelError
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.engine import extract_chunk
from kg_neo4j.extract.reading import shorten
from kg_neo4j.pipeline.options import LoadOptions, extraction_config
from kg_neo4j.progress import Progress
from kg_neo4j.records import Chunk, Document, Extraction, Usage
from kg_neo4j.settings import Settings

STEPS = (1_500, 8_000, 32_000)  # tokens of the prompts that are tried; the last one is the longest
LONGEST = 4_000  # tokens of an answer; one about a chunk of 1,200 tokens has some 1,000
SLOW_S = 90.0  # that a prompt may take to be read, and an answer to be written, about
THOUGHT_TOKENS, ANSWER_TOKENS = 600, 60  # room for thoughts; and for three numbers, or one word
NOTICED = 20  # tokens that no text shows: fewer are the server's own marks
COUNTED_LESS = 0.8  # of the tokens that a server should count: below that it read a part
ENOUGH, STAGE = "enough", "questions"  # our reason to end an answer; what is counted

_DATA = data_files.beside(__file__)
_SYSTEMS, _QUESTIONS, _DOORS = _DATA.table("systems"), _DATA.table("questions"), _DATA.lines("doors")
_NUMBERS = [each.rstrip(".").rpartition(" ")[2] for each in _DOORS]
_FILLER, _TEXT, FACTS = _DATA.lines("filler"), _DATA.text("text").strip(), _DATA.rows("facts", 4)
_NAMES = {each.strip(): row[0] for row in _DATA.rows("names", 2) for each in row[1].casefold().split("/")}
_NAMES |= {name.casefold(): name for row in FACTS for name in row[:2]}
_EDGE = re.compile(r"^[\"' ]*(?:the )?[\"' ]*|[\"' ]+$")
_DOCUMENT = Document("fitness", "fitness", "file", "fitness", _DATA.text("title"), "", _TEXT, "")


@dataclass(frozen=True, slots=True)
class _Probe(Task[Completion]):
    """Ask one question as extraction asks: what the user sets for extraction holds here, too."""

    kind: ClassVar[str] = "fitness"
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


@dataclass(slots=True)
class TestedModel:
    """The model under test, and what asking it has cost."""

    settings: Settings
    budget: Budget | None
    progress: Progress
    room: int = 0  # tokens of each answer for thoughts that cannot be switched off
    usage: Usage = field(default_factory=Usage)
    notes: str = ""  # of the client: how this server differs

    def ask(self, name: str, most: int, question: str = "", fields: Mapping[str, Any] | None = None) -> Probed:
        """Ask the question `name` of probes.toml, or another one; the answer has at most so many tokens."""
        task = _Probe(_SYSTEMS[name], question or _QUESTIONS[name], most)
        options = {"model_options": {**self.settings.model_options, **(fields or {})}}
        self.progress.advance(STAGE)
        started, heard = time.monotonic(), list[float]()

        def listen(_: str) -> str | None:
            heard.append(time.monotonic() - started)
            return ENOUGH if heard[-1] - heard[0] > SLOW_S or len(heard) > most else None

        try:  # by a door that nothing has stopped
            door = factory.door(self.settings.model_copy(update=options), budget=self.budget)
            said = (answer := door.ask(task, listen)).result()
        except (ModelError, BudgetReached) as error:  # an answer without content is a thought that took its place
            return Probed(error=error, thought=most if "without content" in str(error) else 0)
        self.usage += answer.usage
        self.notes += "".join(answer.notes) if said.finish_reason != ENOUGH else ""  # no server counts what we ended
        text, usage = without_thoughts(said.text), said.usage
        shown, all_shown = tokens.load().count(text), tokens.load().count(said.text)
        spent = most if said.is_cut and not text.strip() else 0  # on what is not shown
        thought = max(all_shown - shown, usage.reasoning_tokens, usage.output_tokens - shown, spent)
        first_s = heard[0] if len(heard) > 1 else 0.0
        return Probed(text, said.finish_reason or "", thought, usage, first_s, time.monotonic() - started)


@dataclass(frozen=True, slots=True)
class LengthFound:
    """How long a prompt or an answer may be, in the server's tokens where it counts them."""

    tokens: int  # of the longest one that came whole
    limit: int | None  # a longer one is cut or refused; None: that was not seen
    how: str  # what happens there, or why longer ones were not tried
    tokens_a_second: float = 0.0


def find_window(subject: TestedModel, most: int) -> LengthFound:
    """Return the longest prompt, up to `most` tokens of ours: numbers at both ends of it must come back."""
    whole, broken, limit, speed, factor, how = 0, 0, 0, 0.0, 1.0, ""
    for _ in range(8):
        size = (whole + broken) // 2 if broken else min(next((each for each in STEPS if each > whole), most), most)
        if limit or (broken and broken - whole <= max(300, broken // 10)):
            break
        if size < 1.05 * whole or (whole and size > SLOW_S * speed):
            slow = f": {size:,} tokens would take some {size / speed:,.0f} s" if size > SLOW_S * speed else ""
            how = how or f"longer ones were not tried{slow}"
            break
        said = subject.ask("window", ANSWER_TOKENS + subject.room, report(size))
        found, read = [number in said.text for number in _NUMBERS], said.usage.input_tokens
        is_partly_read = 0 < read < COUNTED_LESS * factor * size
        if isinstance(said.error, ContextTooLong):
            broken, how = size, "longer ones are refused"
            numbers = map(int, re.findall(r"\d{3,7}", str(said.error).replace(",", "")))
            limit = min((each for each in numbers if 512 <= each < 1.3 * size), default=0)
        elif said.error:
            how = f"a prompt of {size:,} tokens failed: {said.error}"
            break
        elif found[0] and found[-1]:
            whole, speed = size, size / max(said.seconds, 0.001)
            factor = read / size if read else 1.0
        elif not whole and not is_partly_read:
            how = f"the model does not find three numbers in {size:,} tokens of text, so no cut can be seen"
            break
        else:
            broken, limit = size, read if is_partly_read else 0
            how = f"longer ones lose their {'end' if found[0] else 'beginning'} without an error"
    arrived = int(whole * factor) // 100 * 100
    return LengthFound(arrived, limit or (arrived if broken else None), how, speed * factor)


def report(size: int) -> str:
    """Return a text of about so many tokens that hides three numbers, and the question for them."""
    a_line = tokens.load().count("\n".join(_FILLER)) / len(_FILLER) + 2
    lines = [f"{number}. {_FILLER[number % len(_FILLER)]}" for number in range(1, max(2, int((size - 150) / a_line)))]
    lines.insert(len(lines) // 2, _DOORS[1])
    return "\n".join((_DOORS[0], *lines, _DOORS[2], "", _QUESTIONS["window"]))


def find_longest(subject: TestedModel, most: int) -> LengthFound:
    """Return the longest answer, up to `most` tokens."""
    said = subject.ask("longest", most)
    if said.error:
        return LengthFound(0, None, str(said.error))
    written = said.usage.output_tokens or tokens.load().count(said.text)
    is_limit = said.reason != ENOUGH and has_ended(said.reason) is False and written < 0.9 * most
    how = "longer ones were not tried" if written >= 0.9 * most or said.reason == ENOUGH else "the model ended it"
    seconds, limit = max(said.seconds - said.first_s, 0.001), written if is_limit else None
    return LengthFound(written, limit, "longer ones are cut" if is_limit else how, written / seconds)


@dataclass(frozen=True, slots=True)
class Thinking:
    """Whether a model thinks, and what ends that."""

    tokens: int  # of thoughts in an answer of one word; 0: it does not think
    left: int  # of them with `switch`; more than NOTICED: they cannot be switched off
    switch: str  # a line of [model_options] that ends the thoughts, or shortens them most; empty: none does
    tried: Mapping[str, str]  # what became of each line


def find_thinking(subject: TestedModel, first: Probed) -> Thinking:
    """Return what becomes of the thoughts of the first answer with each field that may end them."""
    best, left, tried, right = "", first.thought, dict[str, str](), _DATA.text("thought_answer")
    for line in _DATA.lines("switches") if first.thought > NOTICED else ():
        said = subject.ask("thought", THOUGHT_TOKENS, fields=tomllib.loads(line))
        is_right = right in said.text or (right not in first.text and bool(said.text.strip()))
        thought = f"{said.thought} tokens of thought{'' if is_right else ', no right answer'}"
        tried[line] = shorten(str(said.error)) if said.error else thought
        if is_right and said.thought < min(left, first.thought / 2):
            best, left = line, said.thought
        if best and left <= NOTICED:
            break
    return Thinking(first.thought if first.thought > NOTICED else 0, left, best, tried)


def find_constraints(subject: TestedModel) -> Mapping[str, str]:
    """Return what becomes of each way to constrain an answer to words that no question asks for."""
    found = {}
    for way, fields in _DATA.table("constraints").items():
        said = subject.ask("constraint", ANSWER_TOKENS + subject.room, fields=json.loads(fields))
        found[way] = shorten(str(said.error)) if said.error else "ignored"
        if any(word in said.text for word in _DATA.words("constraint_words")):
            found[way] = "works after the thought" if said.thought > NOTICED else "works"
    return found


@dataclass(frozen=True, slots=True)
class PassageRead:
    """What a schema gave on the passage."""

    schema: str
    found: int = 0  # facts that rows state
    missing: tuple[str, ...] = ()  # the others; none where the model gave no answer
    read: int = 0  # rows
    accepted: int = 0
    tokens_a_row: float = 0.0  # of output, for each accepted row
    tokens_a_second: float = 0.0  # likewise, over the whole time
    problem: str = ""


def read_passage(subject: TestedModel, schema: str) -> PassageRead:
    """Extract the passage with a schema. Rejected rows are not asked for again; a cut answer is continued."""
    chunk = Chunk("fitness", "fitness", "fitness", 0, _TEXT, tokens.load().count(_TEXT), 0, len(_TEXT))
    door, started = factory.door(subject.settings, budget=subject.budget), time.monotonic()
    config = extraction_config(subject.settings, LoadOptions(schema=schema), door)
    try:
        found = extract_chunk(ChunkTask(_DOCUMENT, chunk, limit=LONGEST), config)
    except (ModelError, BudgetReached) as error:
        return PassageRead(schema, problem=str(error))
    subject.usage += found.usage
    accepted, missing, used = found.rows_read - len(found.rejections), missing_facts(found), found.usage.output_tokens
    figures = (accepted, used / max(accepted, 1), used / (time.monotonic() - started))
    return PassageRead(schema, len(FACTS) - len(missing), missing, found.rows_read, *figures, found.detail)


def missing_facts(found: Extraction) -> tuple[str, ...]:
    """Return the facts that no relationship states, in the order of the file."""
    names = {node.node_id: _NAMES.get(plain := _EDGE.sub("", node.name.casefold()), plain) for node in found.nodes}
    types: dict[tuple[str, str], str] = defaultdict(str)
    for row in found.relationships:
        types[names[row.source_id], names[row.target_id]] += f" {row.type.upper()}"
    return tuple(
        f"{first} - {second}"
        for first, second, forward, turned in FACTS
        if not any(part in types[first, second] for part in forward.split())
        and not any(part in types[second, first] for part in turned.split())
    )
