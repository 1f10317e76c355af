"""Summaries and details are written: several at a time, what stands is kept, and what nobody wrote is said.

What is asked first is stored first (`answers`), so a run that stops here loses nothing that was paid for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j._models.workers import Crew
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.errors import BudgetReached, ModelError
from kg_neo4j.organise.description_extracts import cut_at_sentence, cut_at_word
from kg_neo4j.organise.tree.answers import Answers, Unanswered
from kg_neo4j.organise.tree.interface import Summariser
from kg_neo4j.organise.tree.stored import Node
from kg_neo4j.organise.tree.summarisers import EXTRACTIVE, MODEL, AbstractSummariser
from kg_neo4j.organise.tree.written import EMPTY, LONG, Written
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage

Failure = ModelError | BudgetReached

A = TypeVar("A")
B = TypeVar("B")


class Unfinished(Exception):
    """Questions are left: the model failed or the budget is used up. What was answered is stored."""


@dataclass(frozen=True, slots=True)
class Item:
    """A summary or a detail to be written."""

    id: str  # of its node
    kind: str  # "summary" or "detail"
    aspect: str  # "detail" for details
    context: str
    hash: str  # of all that it is made from
    flags: tuple[str, ...] = ()
    before: tuple[str, ...] = ()  # notes on the same leaf that there are already


@dataclass(frozen=True, slots=True)
class Text:
    """What was written."""

    text: str
    token_count: int
    method: str
    flags: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()  # keys of those that it rests on


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a plan found: nobody has answered it."""

    kind: str
    aspect: str
    level: int
    tokens: int


@dataclass(slots=True)
class Crewed(Generic[A, B]):
    """Works on items several at a time; what fails for all stops the rest."""

    work: Callable[[A], B]
    concurrency: int
    progress: Progress
    _stopped: Failure | None = None

    def all(self, items: Sequence[A], what: str) -> list[B]:
        """Return the results in the order of `items`. Raises Unfinished where some could not be had."""
        if not items:
            return []
        self.progress.start(what, len(items))
        crew: Crew[tuple[int, A], B | Failure] = Crew(self._one, self.concurrency)
        found: dict[int, B] = {}
        failures: list[Failure] = []
        try:
            for numbered in enumerate(items):
                crew.begin(numbered)
            for _ in items:
                done = crew.take()
                self.progress.advance(what)
                if done.error is not None:
                    raise done.error
                if isinstance(done.result, ModelError | BudgetReached):
                    failures.append(done.result)
                elif done.result is not None:
                    found[done.item[0]] = done.result
        finally:
            crew.stop()
        self.progress.finish(what)
        if failures:
            raise Unfinished(f"{len(failures)} of {len(items)} {what} are left: {self._stopped or failures[0]}")
        return [found[place] for place in range(len(items))]

    def _one(self, numbered: tuple[int, A]) -> B | Failure:
        if self._stopped is not None:
            return self._stopped
        try:
            return self.work(numbered[1])
        except (ModelError, BudgetReached) as error:
            self._stopped = error
            return error


@dataclass(slots=True)
class Writing:
    """How texts of one tree are written."""

    summarisers: Mapping[str, Summariser]  # by name
    fallbacks: Mapping[str, AbstractSummariser]  # likewise; they need nobody
    answers: Answers
    tokeniser: Tokeniser
    max_tokens: int
    concurrency: int
    standing: Mapping[str, Node]  # nodes that are stored
    progress: Progress = SILENT
    asks: bool = True  # else what nobody has answered is stood in for, and counted in `open`
    written: int = 0  # texts that are not those that stand
    open: dict[str, OpenQuestion] = field(default_factory=dict)

    def write(self, items: Sequence[Item], level: int) -> Mapping[str, Text]:
        """Return what is written of each item, by id. Raises Unfinished."""
        kept = {item.id: text for item in items if (text := self._standing(item)) is not None}
        missing = [item for item in items if item.id not in kept]
        what = f"summaries of level {level}" if level else "details"
        at_once = self.concurrency if self.asks else 1
        crewed: Crewed[Item, Text] = Crewed(lambda item: self._write(item, level), at_once, self.progress)
        found = crewed.all(missing, what)
        for item, text in zip(missing, found, strict=True):
            before = self.standing.get(item.id)
            self.written += before is None or before.properties["text"] != text.text
        return {**kept, **{item.id: text for item, text in zip(missing, found, strict=True)}}

    def _standing(self, item: Item) -> Text | None:
        """Return what is stored, where it was made from the same, by this summariser or by a better one."""
        node = self.standing.get(item.id)
        method = self.summarisers[item.aspect].method
        if node is None or node.properties["hash"] != item.hash:
            return None
        if method not in (node.properties["method"], EXTRACTIVE):
            return None
        said = node.properties
        return Text(said["text"], said["token_count"], said["method"], tuple(said["flags"]), tuple(said["answers"]))

    def _write(self, item: Item, level: int) -> Text:
        with self.answers.noting() as used:
            try:
                said = self._said(item, self.summarisers[item.aspect])
            except Unanswered as question:
                self.open[question.key] = OpenQuestion(item.kind, item.aspect, level, question.tokens)
                said = Written("", self.summarisers[item.aspect].method)
        flags = (*item.flags, *said.flags)
        if not said.text.strip():
            composed = self.fallbacks[item.aspect].write(item.context, self.max_tokens, item.before)
            flags = flags if said.method == EXTRACTIVE else (*flags, EMPTY)
            said = Written(composed.text, EXTRACTIVE)
        text = said.text.strip() or cut_at_word(item.context.strip(), self.tokeniser, self.max_tokens)
        if self.tokeniser.count(text) > self.max_tokens:
            text = cut_at_sentence(text, self.tokeniser, self.max_tokens) or cut_at_word(
                text, self.tokeniser, self.max_tokens
            )
            flags = (*flags, LONG)
        return Text(text, self.tokeniser.count(text), said.method, flags, tuple(dict.fromkeys(used)))

    def _said(self, item: Item, summariser: Summariser) -> Written:
        """Return what the summariser says; what one of the user's own said is stored, too."""
        if summariser.method in (MODEL, EXTRACTIVE):
            return _written(summariser, item, self.max_tokens)
        own = ("own", summariser.method, item.aspect, str(self.max_tokens), item.context, *item.before)
        key = hash_id(item.kind, self.answers.graph, self.answers.tree_id, *own)
        with self.answers.alone(key):
            stored = self.answers.find(key)
            if stored is not None:
                return Written(stored[0], summariser.method)
            if not self.asks:
                raise Unanswered(key, self.tokeniser.count(item.context))
            said = _written(summariser, item, self.max_tokens)
            self.answers.store(key, item.kind, Completion(said.text, None, Usage()), summariser.method)
        return said


def _written(summariser: Summariser, item: Item, max_tokens: int) -> Written:
    if isinstance(summariser, AbstractSummariser):
        return summariser.write(item.context, max_tokens, item.before)
    return Written(summariser.summarize(item.context, max_tokens).strip(), summariser.method)
