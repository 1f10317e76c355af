"""From the descriptions of one element to the tasks of a model, and from its answers to a summary. Pure.

Descriptions that do not fit one task are merged in steps: groups of them, then the results. What is asked next is a
function of the descriptions and of the answers so far, so stored answers replay to the same summary. A description ends
with its number, such as [3], and a sentence or clause of an answer with the numbers of those that it joins. What cannot
be used is asked for once more. Of a second answer faultless sentences are kept, or else the most informative ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from kg_neo4j._models import prompts
from kg_neo4j._models.door import EXTRACTIVE, MODEL, Door
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Prompted, Request, TaskAnswer
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.acquire.sentences import cut_at_word, sentences
from kg_neo4j.errors import ContentFiltered
from kg_neo4j.graph.answers import AnswerSubjects

RULES_VERSION = 2  # of the steps, the checks and the extracts: raised when the same answers give another summary
SUMMARY_TOKENS = 150  # of a summary, as it is asked for
LONGEST_TOKENS = 200  # of a summary that is taken as it is
SHORTEST = 20  # characters of a summary
STEP_TOKENS = 6_000  # of descriptions in one question, at most; less where the window is smaller
CLAUSE = 4  # words at least: what has fewer before a mark may need it, as in "[1] says that"
ROUNDS = 2  # an answer that cannot be used is asked for once more

_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_MARK = re.compile(r"\s*\[(\d{1,6})\]")  # [3]
_OPEN = re.compile(r"\[(?=[\d\[])")  # of a description: no mark of its own, also within another
_COMMA = re.compile(r"(?<=\d)\s*[,;]\s*(?=\d[\d,; ]*\])")  # of [1, 3]
ENDS = r"[.!?…。！？।॥۔؟።։။]+[\"'”’»)」』]*"  # of a sentence
_LATE = re.compile(rf"({ENDS})((?:\s*\[\d+\])+)")  # marks after it
_RUN = re.compile(rf"(?:\s*\[\d{{1,6}}\])+(?=[,;،，；、]|\s\w|(?:{ENDS})?$)")  # marks that end a sentence or clause
_NUMBER = re.compile(r"(?<!\w)\d{3,}(?!\w)")
_GROUPED = re.compile(r"(?<=\d)[,.\u00a0\u202f ](?=\d{3}\b)")


@dataclass(frozen=True, slots=True)
class Element:
    """An entity or a fact, and all that is said of it: distinct descriptions in the order of evidence."""

    label: str  # "Entity" or "Fact"
    id: str
    name: str
    texts: tuple[str, ...]
    places: tuple[Sequence[str], ...] = ()  # of each text: "CHUNK ROW" of the evidence that has it

    @property
    def digest(self) -> str:
        """What a stored summary is known by: a hash of the rules and of what is said, and one of where it is said."""
        places = (f"{n} {place}" for n, found in enumerate(self.places) for place in found)
        said = hash_id("summary", str(RULES_VERSION), self.label, self.name, *self.texts)
        return f"{said}-{hash_id(*places)}"


@dataclass(frozen=True, slots=True)
class Merge(Prompted[str]):
    """Asks for one text in place of several about one element. All have marks, the text that is taken as well."""

    kind: ClassVar[str] = "description"
    prompt_name: ClassVar[str] = "describe"
    rounds: ClassVar[int] = ROUNDS
    reads_whole: ClassVar[bool] = False
    element: Element
    texts: tuple[str, ...]
    graph: str
    model: str  # name
    tokeniser: Tokeniser

    def values(self) -> Mapping[str, str]:
        """Return what the placeholders stand for."""
        return {
            "subject": "relationship" if self.element.label == "Fact" else "thing",
            "name": " ".join(self.element.name.split())[:300],
            "count": str(len(self.texts)),
            "descriptions": "\n".join(f"- {text}" for text in self.texts),
            "words": str(words(self.texts, self.tokeniser)),
        }

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
        place = AnswerSubjects((self.element.id,), prompts.load("describe").hash)
        return replace(Prompted.request(self, complaint, round), key=self.key(round), place=place)


@dataclass(frozen=True, slots=True)
class DescriptionMerge:
    """What became of an element's descriptions."""

    text: str  # without marks
    sources: Sequence[tuple[str, int]]  # "START END" of a sentence, and the number of a description
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
        self._prepare(numbered(cut_at_word(text, self.tokeniser, half) for text in self.element.texts))

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
            used = tuple(self._used)
            self.summary = DescriptionMerge(*read_marks(said[0]), MODEL, used) if said[0] else self.extract(used)
            return
        merged = {task.texts: text or self.door.fallback(task) for task, text in zip(self.tasks, said, strict=True)}
        self._prepare([merged.get(group, group[0]) for group in self._groups])

    def extract(self, answers: tuple[str, ...] = ()) -> DescriptionMerge:
        """Return the most informative sentences of the descriptions."""
        text = self.door.fallback(self._merge(numbered(self.element.texts)))
        return DescriptionMerge(*read_marks(text), EXTRACTIVE, answers)

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
    """Return what was said as one paragraph, without thoughts and fences; marks stand before the end of a sentence."""
    return _LATE.sub(r"\2\1", _COMMA.sub("][", " ".join(_FENCE.sub("", text).split())))


def numbered(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts with their numbers from 1 on at their ends."""
    return tuple(clean(f"{_OPEN.sub('(', without_marks(text))} [{n}]") for n, text in enumerate(texts, 1))


def without_marks(text: str) -> str:
    """Return a text without any mark."""
    return _MARK.sub("", text)


def read_marks(text: str) -> tuple[str, list[tuple[str, int]]]:
    """Return a text without marks, and for each mark "START END" of its sentence in that text, and its number."""
    bare, begin, found = "", 0, list[tuple[str, int]]()
    for sentence in _sentences(text):
        if without_marks(sentence).strip(" ."):  # marks alone belong to the sentence before
            begin = len(bare) + bool(bare)
            bare = f"{bare} {without_marks(sentence)}".strip()
        found += [(f"{begin} {len(bare)}", int(number)) for number in dict.fromkeys(_MARK.findall(sentence))]
    return bare, found


def problem(said: Completion, texts: Sequence[str], tokeniser: Tokeniser) -> str:
    """Say why an answer cannot be taken as it is, in words for the model; empty where it can."""
    text = clean(said.text)
    bare = without_marks(text)
    if said.is_cut and bare:
        return "it was cut off"
    if len(bare) < SHORTEST:
        return "it said next to nothing" if bare else "it was empty"
    too_long = f"it had {len(bare.split())} words" if tokeniser.count(bare) > LONGEST_TOKENS else ""
    return next(filter(None, (_fault(each, texts) for each in _sentences(text))), too_long)


def salvage(said: Completion, texts: Sequence[str], tokeniser: Tokeniser) -> str:
    """Return what can be kept of an answer with a problem: whole sentences without a fault that fit; or nothing."""
    found = _sentences(clean(said.text))
    kept = [each for each in (found[:-1] if said.is_cut else found) if not _fault(each, texts)]
    while tokeniser.count(without_marks(" ".join(kept))) > LONGEST_TOKENS:
        kept.pop()
    return " ".join(kept) if len(without_marks(" ".join(kept))) >= SHORTEST else ""


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text))]


def _fault(sentence: str, texts: Sequence[str]) -> str:
    """Say what is wrong with the marks and the numbers of a sentence; empty where nothing is."""
    shown, [*clauses, end] = " ".join(texts), _RUN.split(sentence)
    is_ended = clauses and (len(clauses) == 1 or min(len(each.split()) for each in clauses) >= CLAUSE)
    if not is_ended or any(map(str.isalnum, end)) or _OPEN.search(bare := " ".join(clauses)):
        return "a sentence did not have numbers of descriptions at its end, and nowhere else"
    if unknown := set(_MARK.findall(sentence)) - set(_MARK.findall(shown)):
        return f"there is no description [{min(unknown)}]"
    strange = long_numbers(bare) - long_numbers(without_marks(shown))
    return f"no description has the number {min(strange)}" if strange else ""


def long_numbers(text: str) -> set[str]:
    """Return the numbers of three or more digits in a text, without what groups their digits."""
    return set(_NUMBER.findall(_GROUPED.sub("", text)))
