"""Who writes summaries and notes: the model or its replacement, summarisers of the caller's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kg_neo4j._models import prompts
from kg_neo4j._models.door import EXTRACTIVE, MODEL, Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import OF_ONE_TASK, Request, Task
from kg_neo4j.errors import ModelUnavailable
from kg_neo4j.organise.tree.aspects import prompt_of
from kg_neo4j.organise.tree.interface import Aspect, Summariser
from kg_neo4j.organise.tree.summarisers import AbstractSummariser
from kg_neo4j.organise.tree.written import (
    DETAIL,
    Subject,
    TreeItem,
    WriteText,
    WrittenText,
    write_detail,
    write_summary,
)
from kg_neo4j.records import Usage


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

    summariser: Summariser
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
            said = self._written(item)
        except OF_ONE_TASK as error:  # nothing is stored instead of what it says
            raise ModelUnavailable(str(error)) from error
        self.said[item.id] = said
        return Completion(said.text, None, Usage())

    def keep(self, hash: str, said: Completion) -> None:
        """Nothing is kept here."""

    def _written(self, item: TreeItem) -> WrittenText:
        if isinstance(self.summariser, AbstractSummariser):
            return self.summariser.write(item.context, self.max_tokens, item.before)
        return WrittenText(self.summariser.summarize(item.context, self.max_tokens).strip(), self.name)


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


def is_stored(summariser: Summariser) -> bool:
    """Say whether what a summariser says is stored: that of one of the caller's own, with a method of its own."""
    return summariser.method not in (MODEL, EXTRACTIVE)


def own_author(by: Summarised, door: Door, subject: Subject) -> Author:
    """Return the author that is a summariser; `door` leads to it."""
    most = str(by.max_tokens)

    def question(item: TreeItem) -> WriteOwn:
        parts = ("own", by.name, item.aspect, most, item.context, *item.before)
        return WriteOwn(by, item, subject.key(item.kind, *parts) if is_stored(by.summariser) else "")

    return Author(by.name, door, question)
