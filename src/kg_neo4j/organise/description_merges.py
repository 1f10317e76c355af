"""From the descriptions of one element to the tasks of a model, and from its answers to a summary. Pure.

Descriptions that do not fit one task are merged in steps: groups of them, then the results. What is asked next is a
function of the descriptions and of the answers so far, so stored answers replay to the same summary. An answer that
cannot be used (empty, a table, too long, about something else, numbers from nowhere) is asked for once more; what is
too long even then is cut at a sentence, and what is of no use is replaced by the most informative sentences.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kg_neo4j._models import prompts
from kg_neo4j._models.door import EXTRACTIVE, MODEL, Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Request, Task, TaskAnswer, once_more
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.acquire.sentences import cut_at_sentence, cut_at_word, sentences
from kg_neo4j.errors import ContentFiltered
from kg_neo4j.graph.answers import AnswerSubjects

RULES_VERSION = 1  # of the steps, the checks and the extracts: raised when the same answers give another summary
SUMMARY_TOKENS = 150  # of a summary, as it is asked for
LONGEST_TOKENS = 200  # of a summary that is taken as it is
SHORTEST = 20  # characters of a summary
STEP_TOKENS = 6_000  # of descriptions in one question, at most; less where the window is smaller
ROUNDS = 2  # an answer that cannot be used is asked for once more
LET_THROUGH = 0.25  # share of an answer's words that must stand in the descriptions

_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_TABLE_LINE = re.compile(r"^\s*(?:(?:node|relationship)_id\b|[\[{|])|^[^,\n]*(?:,[^\s,][^,\n]*|,(?=,|$)){2,}$")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<!\w)\d{3,}(?!\w)")
_GROUPED = re.compile(r"(?<=\d)[,.\u00a0\u202f ](?=\d{3}\b)")


@dataclass(frozen=True, slots=True)
class Element:
    """An entity or a fact, and all that is said of it: distinct descriptions in the order of evidence."""

    label: str  # "Entity" or "Fact"
    id: str
    name: str
    texts: tuple[str, ...]

    @property
    def digest(self) -> str:
        """What a stored summary is known by: the rules and everything that it is made from."""
        return hash_id("summary", str(RULES_VERSION), self.label, self.name, *self.texts)


@dataclass(frozen=True, slots=True)
class Merge(Task[str]):
    """Asks for one text in place of several about one element."""

    kind: ClassVar[str] = "description"
    rounds: ClassVar[int] = ROUNDS
    reads_whole: ClassVar[bool] = False
    element: Element
    texts: tuple[str, ...]
    graph: str
    model: str  # name
    tokeniser: Tokeniser

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the messages. The mark hashes the descriptions, so none can contain its own end."""
        descriptions = "\n".join(f"- {text}" for text in self.texts)
        from_documents = f"{self.element.name}\0{descriptions}".encode("utf-8", "surrogatepass")
        return prompts.load("describe").render(
            subject="relationship" if self.element.label == "Fact" else "thing",
            name=" ".join(self.element.name.split())[:300],
            count=str(len(self.texts)),
            descriptions=descriptions,
            words=str(words(self.texts, self.tokeniser)),
            boundary=hashlib.sha256(from_documents).hexdigest()[:12],
            complaint=once_more(complaint),
        )

    def accept(self, said: Completion) -> str | Complaint[str]:
        """Return the summary that was said; of one with a problem what can be kept, which may be nothing."""
        why = problem(said, self.texts, self.tokeniser)
        return Complaint(why, salvage(said, self.texts, self.tokeniser)) if why else clean(said.text)

    def key(self, round: int) -> str:
        """Return the id of an answer."""
        asked = hash_id(self.element.label, self.element.name, *self.texts)
        return hash_id("description", self.graph, asked, prompts.load("describe").hash, self.model, str(round))

    def request(self, complaint: str, round: int) -> Request:
        """Return what the model gets in one round, with the key and the place of its answer."""
        system, user = self.messages(complaint)
        place = AnswerSubjects((self.element.id,), prompts.load("describe").hash)
        return Request(self.kind, system, user, key=self.key(round), place=place, round=round)


@dataclass(frozen=True, slots=True)
class DescriptionMerge:
    """What became of an element's descriptions."""

    text: str
    method: str  # "model" or "extractive"
    answers: tuple[str, ...] = ()  # ids of those it rests on


@dataclass(slots=True)
class Merging:
    """One element on its way to a summary: while there is none, `tasks` says what must be answered first."""

    element: Element
    graph: str
    model: str  # name, of those whose answers count
    door: Door
    tokeniser: Tokeniser
    summary: DescriptionMerge | None = field(default=None, init=False)
    tasks: Sequence[Merge] = field(default=(), init=False)
    _groups: Sequence[tuple[str, ...]] = field(default=(), init=False)
    _used: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        half = self.room // 2
        self._prepare([cut_at_word(text, self.tokeniser, half) for text in self.element.texts])

    @property
    def room(self) -> int:
        """Tokens of descriptions in one task; two of the longest ones fit."""
        prompt = 500  # prompts/describe.md with names
        return max(200, min(STEP_TOKENS, self.door.window - prompt - 2 * LONGEST_TOKENS))

    def take(self, answers: Sequence[TaskAnswer[str]]) -> None:
        """Go on with the answers to `tasks`, in their order; none of them is unanswered."""
        # Where a filter declined, sentences are taken, whatever was said before.
        said = [None if answer.error else answer.value for answer in answers]
        self._used += [key for answer in answers for key in answer.keys]
        if len(self._groups) == 1:
            method = MODEL if said[0] else EXTRACTIVE
            text = said[0] or self.door.fallback(self._merge(self.element.texts))
            self.summary = DescriptionMerge(text, method, tuple(self._used))
            return
        merged = {task.texts: text or self.door.fallback(task) for task, text in zip(self.tasks, said, strict=True)}
        self._prepare([merged.get(group, group[0]) for group in self._groups])

    def _merge(self, texts: tuple[str, ...]) -> Merge:
        return Merge(self.element, texts, self.graph, self.model, self.tokeniser)

    def _prepare(self, texts: Sequence[str]) -> None:
        """Put texts together, in order, as far as they fit one task; one that is alone is merged in the next step."""
        groups: list[tuple[str, ...]] = []
        group: list[str] = []
        filled = 0
        for text in texts:
            tokens = self.tokeniser.count(text) + 3  # its mark and its line end
            if len(group) > 1 and filled + tokens > self.room:
                groups.append(tuple(group))
                group, filled = [], 0
            group.append(text)
            filled += tokens
        self._groups = [*groups, tuple(group)]
        asked = [each for each in self._groups if len(each) > 1 or len(self._groups) == 1]
        self.tasks = [self._merge(each) for each in asked]


def is_unanswered(answer: TaskAnswer[str]) -> bool:
    """Return whether a task is to be asked again in the next run; what a filter declined is not."""
    return answer.error is not None and not isinstance(answer.error, ContentFiltered)


def words(texts: Sequence[str], tokeniser: Tokeniser) -> int:
    """Return how many words of the descriptions' own language a summary may have: models count words, not tokens."""
    sample = " ".join(texts)[:4_000]
    return max(20, SUMMARY_TOKENS * len(sample.split()) // max(tokeniser.count(sample), 1) // 5 * 5)


def clean(text: str) -> str:
    """Return what was said as one paragraph, without thoughts and fences."""
    return " ".join(_FENCE.sub("", text).split()).strip()


def problem(said: Completion, texts: Sequence[str], tokeniser: Tokeniser) -> str:
    """Say why an answer cannot be taken as it is, in words for the model; empty where it can."""
    text = clean(said.text)
    if not text:
        return "it was empty"
    if said.is_cut:
        return "it was cut off"
    if _is_table(said.text):
        return "it was a table or CSV"
    if len(text) < SHORTEST:
        return "it said next to nothing"
    if not _is_about(text, texts):
        return "it did not say what the descriptions say, in their language"
    if strange := _strange_numbers(text, texts):
        return f"no description has the number {sorted(strange)[0]}"
    return f"it had {len(text.split())} words" if tokeniser.count(text) > LONGEST_TOKENS else ""


def salvage(said: Completion, texts: Sequence[str], tokeniser: Tokeniser) -> str:
    """Return what can be kept of an answer with a problem: whole sentences that fit and bring no number; or nothing."""
    text = clean(said.text)
    if _is_table(said.text) or not _is_about(text, texts):
        return ""
    found = [text[start:end] for start, end in sentences(text, 0, len(text))]
    if said.is_cut:
        found = found[:-1]
    kept = " ".join(sentence for sentence in found if not _strange_numbers(sentence, texts))
    cut = cut_at_sentence(kept, tokeniser, LONGEST_TOKENS)
    return cut if len(cut) >= SHORTEST else ""


def _is_table(text: str) -> bool:
    lines = [line for line in _GROUPED.sub("", text).splitlines() if line.strip() and not _FENCE.match(line)]
    tabular = sum(bool(_TABLE_LINE.match(line)) for line in lines)
    return tabular > 0 and tabular * 2 >= len(lines)


def _is_about(text: str, texts: Sequence[str]) -> bool:
    """Say whether enough of the words of `text` stand in the descriptions, endings aside."""
    mine = _stems(text)
    theirs = set().union(*(_stems(each) for each in texts))
    return not mine or len(mine & theirs) >= LET_THROUGH * len(mine)


def _stems(text: str) -> set[str]:
    """Return the beginnings of words; single characters of scripts that put no space between words."""
    stems: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if word[-1] >= "\u2e80":
            stems.update(word)
        elif len(word) > 4:
            stems.add(word[:5])
    return stems


def _strange_numbers(text: str, texts: Sequence[str]) -> set[str]:
    """Return the numbers of three or more digits that no description has."""
    found = long_numbers(text)
    return found - long_numbers(" ".join(texts)) if found else found


def long_numbers(text: str) -> set[str]:
    """Return the numbers of three or more digits in a text, without what groups their digits."""
    return set(_NUMBER.findall(_GROUPED.sub("", text)))
