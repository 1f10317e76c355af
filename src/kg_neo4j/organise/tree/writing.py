"""Summaries and details are written: several at a time, what stands is kept, and what no one wrote is composed.

Each answer is stored first (`answers`), so a run that stops here loses nothing that was paid for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kg_neo4j._models.door import EXTRACTIVE
from kg_neo4j._models.tasks import OF_ONE_TASK, Answer
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import cut_at_sentence, cut_at_word
from kg_neo4j.errors import ContentFiltered
from kg_neo4j.organise.tree.authors import Author
from kg_neo4j.organise.tree.questions import Item
from kg_neo4j.organise.tree.stored import Node
from kg_neo4j.organise.tree.written import DECLINED, EMPTY, LONG, WriteText, Written
from kg_neo4j.progress import SILENT, Progress

T = TypeVar("T")


class Unfinished(Exception):
    """Questions are left: the model failed or the budget is used up. What was answered is stored."""


@dataclass(frozen=True, slots=True)
class Text:
    """What was written."""

    text: str
    token_count: int
    method: str
    flags: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()  # keys of those that it rests on


def finished(answers: Iterable[Answer[T]], count: int, what: str, progress: Progress) -> list[Answer[T]]:
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

    authors: Mapping[str, Author]  # by name of the aspect, or "detail"
    fallback: Author  # what stands in for it writes what its author did not
    tokeniser: Tokeniser
    max_tokens: int
    standing: Mapping[str, Node]  # nodes that are stored
    progress: Progress = SILENT
    written: int = 0  # texts that are not those that stand

    def write(self, items: Sequence[Item]) -> Mapping[str, Text]:
        """Return what is written of each item of one level, by id. Raises Unfinished."""
        texts = {item.id: text for item in items if (text := self._standing(item)) is not None}
        missing = [item for item in items if item.id not in texts]
        groups: dict[int, list[Item]] = {}
        for item in missing:
            if item.context.strip():
                groups.setdefault(id(self.authors[item.aspect]), []).append(item)
        asked = [item for some in groups.values() for item in some]
        what = f"summaries of level {items[0].level}" if items and items[0].level else "details"
        answers = finished(self._answers(groups.values()), len(asked), what, self.progress)
        said = {item.id: answer for item, answer in zip(asked, answers, strict=True)}
        for item in missing:
            texts[item.id] = self._text(item, said.get(item.id))
            before = self.standing.get(item.id)
            self.written += before is None or before.properties["text"] != texts[item.id].text
        return texts

    def _answers(self, groups: Iterable[Sequence[Item]]) -> Iterator[Answer[Written]]:
        """Ask each author for its items; none after one that failed."""
        for items in groups:
            author = self.authors[items[0].aspect]
            yield from author.door.ask_all([author.question(item) for item in items])
            if author.door.stopped is not None:
                return

    def _standing(self, item: Item) -> Text | None:
        """Return what is stored, where it was made from the same, by this author or by a better one."""
        node = self.standing.get(item.id)
        method = self.authors[item.aspect].method
        if node is None or node.properties["hash"] != item.hash:
            return None
        if method not in (node.properties["method"], EXTRACTIVE):
            return None
        said = node.properties
        return Text(said["text"], said["token_count"], said["method"], tuple(said["flags"]), tuple(said["answers"]))

    def _text(self, item: Item, answer: Answer[Written] | None) -> Text:
        """Return what was said; composed of the text's own sentences where that is nothing."""
        said = _said(answer) if answer else Written("", self.authors[item.aspect].method)
        flags = (*item.flags, *said.flags)
        if not said.text.strip():
            flags = flags if said.method == EXTRACTIVE else (*flags, EMPTY)
            said = self.fallback.door.instead(self.fallback.question(item))
        text = said.text.strip() or cut_at_word(item.context.strip(), self.tokeniser, self.max_tokens)
        if self.tokeniser.count(text) > self.max_tokens:
            text = cut_at_sentence(text, self.tokeniser, self.max_tokens) or cut_at_word(
                text, self.tokeniser, self.max_tokens
            )
            flags = (*flags, LONG)
        keys = tuple(dict.fromkeys(answer.keys)) if answer else ()
        return Text(text, self.tokeniser.count(text), said.method, flags, keys)


def _said(answer: Answer[Written]) -> Written:
    """Return what was said, or nothing, with the reason."""
    if answer.value is not None:
        return answer.value
    flags = answer.task.flags if isinstance(answer.task, WriteText) else ()
    return Written("", EXTRACTIVE, (*flags, DECLINED if isinstance(answer.error, ContentFiltered) else EMPTY))
