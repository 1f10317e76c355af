"""Summaries and details are written: several at a time, what stands is kept, and what no one wrote is composed.

Each answer is stored first (`answers`), so a run that stops here loses nothing that was paid for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from kg_neo4j._models.door import EXTRACTIVE
from kg_neo4j._models.tasks import OF_ONE_TASK, TaskAnswer, Unanswered
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import cut_at_sentence, cut_at_word
from kg_neo4j.errors import ContentFiltered
from kg_neo4j.organise.tree.authors import Author
from kg_neo4j.organise.tree.stored import Node
from kg_neo4j.organise.tree.written import DECLINED, DETAIL, EMPTY, LONG, TreeItem, WriteText, WrittenText
from kg_neo4j.progress import SILENT, Progress

T = TypeVar("T")


class Unfinished(Exception):
    """Questions are left: the model failed or the budget is used up. What was answered is stored."""


@dataclass(frozen=True, slots=True)
class Text:
    """What was written."""

    text: str  # empty: there is nothing to say of this aspect
    token_count: int
    method: str
    flags: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()  # keys of those that it rests on


def silent_json(silent: Mapping[str, Text]) -> str:
    """Return what is stored of texts that say nothing, by the hash of what they are made from: method and keys."""
    return json.dumps({digest: [text.method, *text.answers] for digest, text in silent.items()}, sort_keys=True)


def read_silent(stored: str) -> Mapping[str, Text]:
    """Return what `silent_json` wrote."""
    return {digest: Text("", 0, said[0], (), tuple(said[1:])) for digest, said in json.loads(stored).items()}


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


@dataclass(slots=True)
class Writing:
    """How texts of one tree are written."""

    authors: Mapping[str, Author]  # by name of the aspect, "detail", or "detail:" and the name of an aspect
    fallback: Author  # what stands in for it writes what its author did not
    tokeniser: Tokeniser
    max_tokens: int
    standing: Mapping[str, Node]  # nodes that are stored
    silent: Mapping[str, Text] = field(default_factory=dict)  # notes that are not, by hash of what they are made from
    progress: Progress = SILENT
    written: int = 0  # texts that are not those that stand

    def write(self, items: Sequence[TreeItem]) -> Mapping[str, Text]:
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

    def _standing(self, item: TreeItem) -> Text | None:
        """Return what is stored, where it was made from the same, by this author or by a better one."""
        node = self.standing.get(item.id)
        method = self._author(item).method
        if node is None:
            known = self.silent.get(item.hash)
            return known if known and method in (known.method, EXTRACTIVE) else None
        if node.properties["hash"] != item.hash:
            return None
        if method not in (node.properties["method"], EXTRACTIVE):
            return None
        said = node.properties
        return Text(
            said["text"],
            said["token_count"],
            said["method"],
            tuple(said.get("flags", ())),
            tuple(said.get("answers", ())),
        )

    def _text(self, item: TreeItem, answer: TaskAnswer[WrittenText] | None) -> Text:
        """Return what was said; composed of the text's own sentences where that is nothing."""
        if item.may_be_silent and answer is not None and isinstance(answer.error, Unanswered):
            return Text(item.id, 0, EXTRACTIVE)  # a plan: there may be as many notes, each of its own
        said = _said(answer) if answer else WrittenText("", self._author(item).method)
        flags = (*item.flags, *said.flags)
        keys = tuple(dict.fromkeys(answer.keys)) if answer else ()
        is_silent = item.may_be_silent and answer is not None and answer.value is not None
        if not said.text.strip() and not is_silent:
            flags = flags if said.method == EXTRACTIVE else (*flags, EMPTY)
            said = self.fallback.door.instead(self.fallback.question(item))
        if item.may_be_silent and not said.text.strip():
            return Text("", 0, said.method, flags, keys)
        text = said.text.strip() or cut_at_word(item.context.strip(), self.tokeniser, self.max_tokens)
        if self.tokeniser.count(text) > self.max_tokens:
            text = cut_at_sentence(text, self.tokeniser, self.max_tokens) or cut_at_word(
                text, self.tokeniser, self.max_tokens
            )
            flags = (*flags, LONG)
        return Text(text, self.tokeniser.count(text), said.method, flags, keys)


def _said(answer: TaskAnswer[WrittenText]) -> WrittenText:
    """Return what was said, or nothing, with the reason."""
    if answer.value is not None:
        return answer.value
    flags = answer.task.flags if isinstance(answer.task, WriteText) else ()
    return WrittenText("", EXTRACTIVE, (*flags, DECLINED if isinstance(answer.error, ContentFiltered) else EMPTY))
