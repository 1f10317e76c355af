"""Which aspects a cluster shows: a model names them, or its replacement does; and what an answer names.

Small models follow "one name a line" best, so that is asked for; lists, JSON, titles instead of names, other spellings
and remarks beside a name are read as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from kg_neo4j._models import prompts
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, TaskAnswer, Unanswered
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import cut_at_word
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.organise.tree.writing import finished
from kg_neo4j.organise.tree.written import ASPECTS, Subject, TreeTask
from kg_neo4j.progress import SILENT, Progress

ANSWER_TOKENS = 200  # room for all names; more than that is no list of them
MOST_REJECTED = 50  # that are kept

_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•–—+>#]+|\(?\d{1,2}[.)]|\(?[a-z]\))\s+")
_ITEM_END = re.compile(r"[,;|\n]")
_REMARK = re.compile(r"\s*(?::|\s[-–—]+\s|\(|->|=)\s*")
# "plot: no"
_DENIED = re.compile(r"(?:no|not|none|absent|missing|false|n/?a|0|weak|unclear|nicht|nie|brak)\b", re.IGNORECASE)
_NO_WORD = re.compile(r"[\W_]+")
_IDLE = frozenset("the a an of and or aspect aspects narrative".split())
_STEM = 5  # letters that two words share, of which one begins with the other: symbol, symbolism


@dataclass(frozen=True, slots=True)
class NamedAspects:
    """What an answer names."""

    names: tuple[str, ...]  # in the order of the set, each once
    rejected: tuple[str, ...]  # what is no aspect's name, as it was written


@dataclass(frozen=True, slots=True)
class NameAspects(TreeTask[tuple[str, ...]]):
    """Asks which aspects a text shows; an answer that names none is asked for once more."""

    kind: ClassVar[str] = ASPECTS
    rounds: ClassVar[int] = 2
    text: str
    aspects: Sequence[Aspect]
    max_tokens: int | None = ANSWER_TOKENS

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the system and the user message."""
        return naming_messages(self.text, self.aspects, complaint)

    def accept(self, said: Completion) -> tuple[str, ...] | Complaint[tuple[str, ...]]:
        """Return the names in the answer."""
        found = read_names(said.text, self.aspects)
        return found.names or Complaint(complaint(found, self.aspects))


@dataclass(frozen=True, slots=True)
class ClusterAspects:
    """The aspects of one cluster."""

    aspects: tuple[str, ...]
    flag: str = ""  # what was wrong with the answers
    answers: tuple[str, ...] = ()  # keys of those that it rests on


@dataclass(frozen=True, slots=True)
class TreeNamer:
    """Names the aspects of clusters of one tree."""

    door: Door
    subject: Subject
    aspects: tuple[Aspect, ...]
    leaves: tuple[str, ...]  # texts of all leaves of the tree: what is usual in it
    progress: Progress = SILENT

    def name(self, texts: Sequence[str]) -> Sequence[ClusterAspects]:
        """Return the aspects of each text. Raises Unfinished."""
        return self.door.do(NameClusters(self, tuple(texts)))


@dataclass(frozen=True, slots=True)
class NameClusters(Job[Sequence[ClusterAspects]]):
    """Names the aspects that texts show; where two answers name no aspect, the stand-in does."""

    kind: ClassVar[str] = "name_clusters"
    by: TreeNamer
    texts: tuple[str, ...]

    def by_model(self, door: Door) -> Sequence[ClusterAspects]:
        """Ask about each text."""
        of = self.by.subject
        shown = [fitting(text, self.by.aspects, of.tokeniser, of.window) for text in self.texts]
        answers = door.ask_all([NameAspects(of, text, self.by.aspects) for text in shown])
        found = finished(answers, len(self.texts), "names of aspects", self.by.progress)
        return [self._named(text, answer, door) for text, answer in zip(self.texts, found, strict=True)]

    def _named(self, text: str, answer: TaskAnswer[tuple[str, ...]], door: Door) -> ClusterAspects:
        if isinstance(answer.error, Unanswered):  # a plan: as many summaries as there may be
            return ClusterAspects(tuple(aspect.name for aspect in self.by.aspects))
        if answer.value is not None:
            return ClusterAspects(answer.value, "", answer.keys)
        [cued] = door.fallback(replace(self, texts=(text,)))
        return ClusterAspects(cued.aspects, f"{door.name} named no aspect of the list: found by cues", answer.keys)


def naming_messages(text: str, aspects: Sequence[Aspect], complaint: str = "") -> tuple[str, str]:
    """Return system and user message; `complaint` is that of the answer before, or empty."""
    return prompts.load("aspects").render(
        aspects="\n".join(f"{aspect.name}: {aspect.title}. {aspect.question}" for aspect in aspects),
        text=text,
        complaint=complaint,
    )


def fitting(text: str, aspects: Sequence[Aspect], tokeniser: Tokeniser, window: int) -> str:
    """Return the text, or its beginning where it does not fit a question in a window of so many tokens."""
    asked = sum(tokeniser.count(message) for message in naming_messages("", aspects))
    return cut_at_word(text, tokeniser, max(50, window - asked - ANSWER_TOKENS - 100))


def complaint(named: NamedAspects, aspects: Sequence[Aspect]) -> str:
    """Return what is said to a model whose answer named none."""
    wrong = f" {json.dumps(named.rejected[0][:60], ensure_ascii=False)} is not one of them." if named.rejected else ""
    listed = ", ".join(aspect.name for aspect in aspects)
    return f"\nYour last answer named no aspect of the list.{wrong} Choose at least one of: {listed}."


def read_names(text: str, aspects: Sequence[Aspect]) -> NamedAspects:
    """Return the aspects that an answer names, and what in it is none. Never an error, whatever the answer is."""
    found: set[str] = set()
    rejected: list[str] = []
    for item in _items(_FENCE.sub("", text).strip(), aspects):
        head, _, remark = _split(item)
        if remark and _DENIED.match(remark) and _match(head, aspects):
            continue
        names = _match(item, aspects) or _match(head, aspects)
        if not names and remark:  # "Aspects: plot, character"
            names = _match(remark, aspects)
        if not names and item.endswith(":"):
            continue
        if names:
            found |= names
        elif len(rejected) < MOST_REJECTED:
            rejected.append(item)
    return NamedAspects(tuple(aspect.name for aspect in aspects if aspect.name in found), tuple(rejected))


def _items(said: str, aspects: Sequence[Aspect]) -> Iterator[str]:
    """Yield what may be a name: entries of JSON, or parts of lines."""
    if (entries := _json_entries(said)) is None:
        lines = [_BULLET.sub("", line) for line in said.splitlines()]
        entries = [part for line in lines for part in _parts(line, aspects)]
    for entry in entries:
        item = entry.strip().strip("\"'`*_.[]{}“”„« »").strip()
        if item:
            yield item


def _parts(line: str, aspects: Sequence[Aspect]) -> list[str]:
    """Divide a line at commas, unless they stand in the remark beside a name."""
    head, _, remark = _split(line)
    pieces = _ITEM_END.split(line)
    if not remark or _ITEM_END.search(head):
        return pieces
    if _match(head, aspects):
        return pieces if any(_match(_split(piece)[0], aspects) for piece in pieces[1:]) else [line]
    return [f"{head}:", *_ITEM_END.split(remark)]


def _split(item: str) -> tuple[str, str, str]:
    """Return what stands before a colon, dash or bracket, that sign, and what comes after it."""
    if (match := _REMARK.search(item)) is None:
        return item, "", ""
    return item[: match.start()].strip("\"'`*_ "), match[0], item[match.end() :].strip("\"'`*_ )")


def _json_entries(said: str) -> list[str] | None:
    """Return the names in the first JSON list or object of an answer; None where there is none."""
    start = min((place for place in (said.find("["), said.find("{")) if place >= 0), default=-1)
    if start < 0:
        return None
    try:
        data, _ = json.JSONDecoder(strict=False).raw_decode(said, start)
    except (ValueError, RecursionError):
        return None
    return list(_strings(data))


def _strings(data: object, depth: int = 0) -> Iterator[str]:
    """Yield strings of lists, keys whose value is true or 1, and strings below keys."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list) and depth < 4:
        for each in data:
            yield from _strings(each, depth + 1)
    elif isinstance(data, dict) and depth < 4:
        if isinstance(data.get("name"), str):  # {"name": "plot", "reason": "..."}
            yield data["name"]
            return
        for key, value in data.items():
            if isinstance(value, bool | int | float):
                yield from [str(key)] if value else []
            else:
                yield from _strings(value, depth + 1)


def _match(item: str, aspects: Sequence[Aspect]) -> set[str]:
    """Return the aspects that an item names: one, or several joined by "and"."""
    if one := _match_one(item, aspects):
        return {one}
    pieces = re.split(r"\s+(?:and|&|und|oraz|i)\s+|\s*/\s*", item)
    matched = [_match_one(piece, aspects) for piece in pieces]
    return {name for name in matched if name} if len(pieces) > 1 and all(matched) else set()


def _match_one(item: str, aspects: Sequence[Aspect]) -> str | None:
    """Return the aspect whose name or title an item is, or the only one that has all of its words."""
    words = _words(item)
    if not words or len(words) > 8:
        return None
    for aspect in aspects:
        if words in (_words(aspect.name), _words(aspect.title)):
            return aspect.name
    own = [word for word in words if word not in _IDLE]
    named = []
    for aspect in aspects:
        others = [other for other in _words(aspect.name) + _words(aspect.title) if other not in _IDLE]
        if own and all(any(_is_same(word, other) for other in others) for word in own):
            named.append(aspect.name)
    return named[0] if len(named) == 1 else None


def _words(text: str) -> list[str]:
    return [word for word in _NO_WORD.sub(" ", text.casefold()).split() if word]


def _is_same(word: str, other: str) -> bool:
    """Say whether two words are one, or one of them only has an ending more."""
    short, long = sorted((word, other), key=len)
    return short == long or (long.startswith(short) and (len(short) >= _STEM or long == short + "s"))
