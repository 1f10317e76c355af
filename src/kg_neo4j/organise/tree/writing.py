"""Summaries and details are written: by the model, its replacement, or summarisers of the caller's own.

Several at a time; what stands is kept, and what no one wrote is composed. Each answer is stored first (`answers`), so
a run that stops here loses nothing that was paid for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from kg_neo4j._models import prompts
from kg_neo4j._models.door import EXTRACTIVE, MODEL, Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import OF_ONE_TASK, Request, Task, TaskAnswer, Unanswered
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import cut_at_sentence, cut_at_word
from kg_neo4j.errors import ContentFiltered, ModelUnavailable
from kg_neo4j.organise.tree.aspects import prompt_of
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.organise.tree.stored import Node
from kg_neo4j.organise.tree.summarisers import AbstractSummariser
from kg_neo4j.organise.tree.written import (
    DECLINED,
    DETAIL,
    EMPTY,
    LONG,
    Subject,
    TreeItem,
    WriteText,
    WrittenText,
    write_detail,
    write_summary,
)
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Usage

T = TypeVar("T")


class Unfinished(Exception):
    """Questions are left: the model failed or the budget is used up. What was answered is stored."""


def silent_json(silent: Mapping[str, WrittenText]) -> str:
    """Return what is stored of texts that say nothing, by the hash of what they are made from: method and keys."""
    return json.dumps({digest: [text.method, *text.answers] for digest, text in silent.items()}, sort_keys=True)


def read_silent(stored: str) -> Mapping[str, WrittenText]:
    """Return what `silent_json` wrote."""
    return {digest: WrittenText("", said[0], answers=tuple(said[1:])) for digest, said in json.loads(stored).items()}


def finished(answers: Iterable[TaskAnswer[T]], count: int, what: str, progress: Progress) -> list[TaskAnswer[T]]:
    """Return the answers as they come. Raises Unfinished where fewer than `count` could be had."""
    if not count:
        return []
    progress.start(what, count)
    found, stopped = [], None
    for answer in answers:
        progress.advance(what)
        if answer.error is None or isinstance(answer.error, OF_ONE_TASK):
            found.append(answer)
        else:
            stopped = answer.error
    progress.finish(what)
    if stopped is not None:
        raise Unfinished(f"{count - len(found)} of {count} {what} are left: {stopped}")
    return found


@dataclass(frozen=True, slots=True)
class Author:
    """Writes texts: a question for each of them, and the door that it goes through."""

    method: str
    door: Door
    question: Callable[[TreeItem], Task[WrittenText]]


def model_author(door: Door, subject: Subject, aspects: Sequence[Aspect], max_tokens: int) -> Author:
    """Return the author that is a model, or its replacement.

    Raises UsageError for a prompt of an aspect that cannot be used.
    """
    known = {aspect.name: (aspect, prompt_of(aspect)) for aspect in aspects}
    detail, of_aspect = prompts.load("detail"), prompts.load("detail_aspect")

    def question(item: TreeItem) -> WriteText:
        if item.may_be_silent:
            return write_detail(subject, item, of_aspect, max_tokens, known[item.aspect][0])
        if item.kind == DETAIL:
            return write_detail(subject, item, detail, max_tokens)
        return write_summary(subject, item, *known[item.aspect], max_tokens)

    return Author(door.method, door, question)


@dataclass(frozen=True, slots=True)
class Summarised:
    """The layer of a summariser: it stands where a model is asked."""

    summariser: AbstractSummariser
    max_tokens: int
    said: dict[str, WrittenText] = field(default_factory=dict)  # by id of the item, until it is accepted
    window: int = 0

    @property
    def name(self) -> str:
        """Stored with its text."""
        return self.summariser.method

    def complete(self, request: Request) -> Completion:
        """Call the summariser. Raises what it raises."""
        item = request.place
        if not isinstance(item, TreeItem):
            raise TypeError("a summariser writes items")
        try:
            said = self.summariser.write(item.context, self.max_tokens, item.before)
        except OF_ONE_TASK as error:  # nothing is stored instead of what it says
            raise ModelUnavailable(str(error)) from error
        self.said[item.id] = said
        return Completion(said.text, None, Usage())

    def keep(self, hash: str, said: Completion) -> None:
        """Nothing is kept here."""


@dataclass(frozen=True, slots=True)
class WriteOwn(Task[WrittenText]):
    """Asks a summariser; what one of the caller's own says is stored like a model's answer."""

    kind: ClassVar[str] = "own"
    by: Summarised
    item: TreeItem
    key: str  # empty: it is not stored

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the text."""
        return "", self.item.context

    def accept(self, said: Completion) -> WrittenText:
        """Return what it says; its flags are there where it was called now."""
        return self.by.said.pop(self.item.id, None) or WrittenText(said.text, self.by.name)

    def request(self, complaint: str, round: int) -> Request:
        """Return what the summariser gets."""
        return Request(self.item.kind, *self.messages(), cached=False, key=self.key, place=self.item)


def is_stored(summariser: AbstractSummariser) -> bool:
    """Say whether what a summariser says is stored: that of one of the caller's own, with a method of its own."""
    return summariser.method not in (MODEL, EXTRACTIVE)


def own_author(by: Summarised, door: Door, subject: Subject) -> Author:
    """Return the author that is a summariser; `door` leads to it."""
    most = str(by.max_tokens)

    def question(item: TreeItem) -> WriteOwn:
        parts = ("own", by.name, item.aspect, most, item.context, *item.before)
        return WriteOwn(by, item, subject.key(item.kind, *parts) if is_stored(by.summariser) else "")

    return Author(by.name, door, question)


@dataclass(slots=True)
class Writing:
    """How texts of one tree are written."""

    authors: Mapping[str, Author]  # by name of the aspect, "detail", or "detail:" and the name of an aspect
    fallback: Author  # what stands in for it writes what its author did not
    tokeniser: Tokeniser
    max_tokens: int
    standing: Mapping[str, Node]  # nodes that are stored
    silent: Mapping[str, WrittenText] = field(default_factory=dict)  # notes that are not, by what they are made from
    progress: Progress = SILENT
    written: int = 0  # texts that are not those that stand

    def write(self, items: Sequence[TreeItem]) -> Mapping[str, WrittenText]:
        """Return what is written of each item of one level, by id. Raises Unfinished."""
        texts = {item.id: text for item in items if (text := self._standing(item)) is not None}
        missing = [item for item in items if item.id not in texts]
        groups: dict[int, list[TreeItem]] = {}
        for item in missing:
            if item.context.strip():
                groups.setdefault(id(self._author(item)), []).append(item)
        asked = [item for some in groups.values() for item in some]
        what = f"summaries of level {items[0].level}" if items and items[0].level else "details"
        answers = finished(self._answers(groups.values()), len(asked), what, self.progress)
        said = {item.id: answer for item, answer in zip(asked, answers, strict=True)}
        for item in missing:
            texts[item.id] = self._text(item, said.get(item.id))
            before = self.standing.get(item.id)
            said_now = texts[item.id].text
            self.written += bool(said_now) and (before is None or before.properties["text"] != said_now)
        return texts

    def _author(self, item: TreeItem) -> Author:
        """Return who writes an item: of a note on an aspect the one named for it, else the one of all notes."""
        if item.kind != DETAIL:
            return self.authors[item.aspect]
        return self.authors.get(f"{DETAIL}:{item.aspect}") or self.authors[DETAIL]

    def _answers(self, groups: Iterable[Sequence[TreeItem]]) -> Iterator[TaskAnswer[WrittenText]]:
        """Ask each author for its items; none after one that failed."""
        for items in groups:
            author = self._author(items[0])
            yield from author.door.ask_all([author.question(item) for item in items])
            if author.door.stopped is not None:
                return

    def _standing(self, item: TreeItem) -> WrittenText | None:
        """Return what is stored, where it was made from the same, by this author or by a better one."""
        node = self.standing.get(item.id)
        method = self._author(item).method
        if node is None:
            known = self.silent.get(item.hash)
            return known if known and method in (known.method, EXTRACTIVE) else None
        said = node.properties
        if said["hash"] != item.hash or method not in (said["method"], EXTRACTIVE):
            return None
        flags, answers = tuple(said.get("flags", ())), tuple(said.get("answers", ()))
        return WrittenText(said["text"], said["method"], flags, said["token_count"], answers)

    def _text(self, item: TreeItem, answer: TaskAnswer[WrittenText] | None) -> WrittenText:
        """Return what was said; composed of the text's own sentences where that is nothing."""
        if item.may_be_silent and answer is not None and isinstance(answer.error, Unanswered):
            return WrittenText(item.id, EXTRACTIVE)  # a plan: there may be as many notes, each of its own
        said = _said(answer) if answer else WrittenText("", self._author(item).method)
        flags = (*item.flags, *said.flags)
        keys = tuple(dict.fromkeys(answer.keys)) if answer else ()
        is_silent = item.may_be_silent and answer is not None and answer.value is not None
        if not said.text.strip() and not is_silent:
            flags = flags if said.method == EXTRACTIVE else (*flags, EMPTY)
            said = self.fallback.door.fallback(self.fallback.question(item))
        if item.may_be_silent and not said.text.strip():
            return WrittenText("", said.method, flags, 0, keys)
        text = said.text.strip() or cut_at_word(item.context.strip(), self.tokeniser, self.max_tokens)
        if self.tokeniser.count(text) > self.max_tokens:
            most = (text, self.tokeniser, self.max_tokens)
            text = cut_at_sentence(*most) or cut_at_word(*most)
            flags = (*flags, LONG)
        return WrittenText(text, said.method, flags, self.tokeniser.count(text), keys)


def _said(answer: TaskAnswer[WrittenText]) -> WrittenText:
    """Return what was said, or nothing, with the reason."""
    if answer.value is not None:
        return answer.value
    flags = answer.task.flags if isinstance(answer.task, WriteText) else ()
    return WrittenText("", EXTRACTIVE, (*flags, DECLINED if isinstance(answer.error, ContentFiltered) else EMPTY))
