"""What a model is asked to write of a text, and how its answer is taken: without opening remarks, and whole. Pure.

Each answer is stored, by all that shapes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from kg_neo4j._models.door import MODEL
from kg_neo4j._models.prompts import Prompt
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Request, Task
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.identity import hash_id
from kg_neo4j.acquire.sentences import cut_at_sentence, cut_at_word
from kg_neo4j.organise.tree.interface import SUMMARY_TEMPERATURE, Aspect

ASPECTS, SUMMARY, DETAIL = "aspects", "summary", "detail"  # kinds of answers; "vector" is the fourth
WORDS_A_TOKEN = 0.75  # a model is told words: of tokens it knows nothing
AMPLE_TOKENS = 4_000  # room for an answer in a large window: a model may think before it writes
LARGE_WINDOW = 24_000  # tokens
LEAST_CONTEXT = 200  # tokens of a text in the smallest window
SHORTER = 2  # a note has at most one in so many tokens of its text

EMPTY = "the model wrote nothing of use: made of sentences of the text"
DECLINED = "the model's provider declined: made of sentences of the text"
LONG = "longer than asked for: cut at a sentence"
UNFINISHED = "the answer broke off: cut at a sentence"
SHORTENED = "the text did not fit the model's window: only its beginning was read"

LONGEST_REFUSAL = 300  # characters; a longer text that begins so is a story

_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_LABEL = re.compile(
    r"\A\s*(?:#+\s+[^\n]{0,80}\n+|\**(?:(?:here (?:is|are)|sure|certainly|of course)\b[^\n]{0,120}?[:.!]\**\s*\n+"
    r"|(?:concise |short |brief )?(?:summary|note|notes)(?: of [^\n:]{0,60})?\s*:\**\s*))",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"\A\W*(?:n/?a|none|null|nothing|no (?:summary|content|details?)|empty)\W*\Z", re.IGNORECASE)
_NOTHING_OF = re.compile(
    r"\A\W*(?:(?:the|this) passage (?:says|contains|mentions|has|shows) (?:nothing|no)\b"
    r"|nothing (?:is said )?(?:of|about|on|regarding)\b)[^.\n]{0,120}\W*\Z",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:(?:i['’]?m|i am) (?:sorry|unable)|(?:sorry|unfortunately),? (?:but )?i|i (?:cannot|can['’]t|could not)"
    r"|as an ai)\b",
    re.IGNORECASE,
)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TreeItem:
    """A summary or a detail to be written."""

    id: str  # of its node
    kind: str  # "summary" or "detail"
    aspect: str  # "detail" for details on all that a leaf says
    context: str
    hash: str  # of all that it is made from
    flags: tuple[str, ...] = ()
    before: tuple[str, ...] = ()  # notes on the same leaf that there are already
    level: int = 0  # of summaries, from 1

    @property
    def may_be_silent(self) -> bool:
        """Return whether its text may say nothing: that of a note on one aspect, which a leaf need not show."""
        return self.kind == DETAIL and self.aspect != DETAIL


@dataclass(frozen=True, slots=True)
class Subject:
    """A tree, and the model that is asked about it."""

    graph: str
    tree_id: str
    model: str
    window: int  # of the model
    tokeniser: Tokeniser

    def key(self, kind: str, *parts: str) -> str:
        """Return the key of an answer about this tree."""
        return hash_id(kind, self.graph, self.tree_id, *parts)


@dataclass(frozen=True, slots=True)
class TreeTask(Task[T]):
    """A question about a tree. Its answer is stored by all that shapes it."""

    subject: Subject

    def request(self, complaint: str, round: int) -> Request:
        """Return what the model gets in one round, with the key of its answer."""
        asked = Task.request(self, complaint, round)
        how = (repr(float(asked.temperature)), str(asked.max_tokens))
        return replace(asked, key=self.subject.key(self.kind, self.subject.model, asked.system, asked.user, *how))


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A summary or a note, and how it came about."""

    text: str  # of at most the tokens that were asked for; empty: there is nothing to say
    method: str
    flags: tuple[str, ...] = ()  # what a reader should know; empty: all went well
    token_count: int = 0  # once it is to be stored
    answers: tuple[str, ...] = ()  # keys of those that it rests on


@dataclass(frozen=True, slots=True)
class WriteText(TreeTask[WrittenText]):
    """Asks for a summary or a note; an empty answer is asked for once more."""

    rounds: ClassVar[int] = 2
    reads_whole: ClassVar[bool] = False
    item: TreeItem = field(kw_only=True)  # that is written
    prompt: Prompt
    values: Mapping[str, str]  # of the prompt, but for the text
    text: str  # as much as fits the model's window
    most: int  # tokens of what is written
    flags: tuple[str, ...]
    max_tokens: int | None
    temperature: float = SUMMARY_TEMPERATURE

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the system and the user message."""
        return _rendered(self.prompt, self.text, {**self.values, "complaint": complaint and f"\n{complaint}"})

    def request(self, complaint: str, round: int) -> Request:
        """Return what the model gets in one round, with the place of its answer."""
        return replace(TreeTask.request(self, complaint, round), place=self.item)

    def accept(self, said: Completion) -> WrittenText | Complaint[WrittenText]:
        """Return what was written, of no more tokens than it may have."""
        text, tokeniser = read_text(said.text), self.subject.tokeniser
        if not text:
            return Complaint("Your last answer was empty, or said nothing about the text. Write what is asked for.")
        is_long = tokeniser.count(text) > self.most
        if not is_long and not said.is_cut:
            return WrittenText(text, MODEL, self.flags)
        # of one that broke off the last sentence is not finished
        unbroken = text[: 1 + max(text.rfind(sign) for sign in ".!?…。")]
        whole = cut_at_sentence(text, tokeniser, self.most) if is_long else unbroken
        kept = whole.strip() or cut_at_word(text, tokeniser, self.most)
        return WrittenText(kept, MODEL, (*self.flags, LONG if is_long else UNFINISHED))


@dataclass(frozen=True, slots=True)
class WriteSummary(WriteText):
    """Asks for a summary of one aspect (prompts/summary.md, or the aspect's own prompt)."""

    kind: ClassVar[str] = SUMMARY
    aspect: Aspect = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class WriteDetail(WriteText):
    """Asks for a note (prompts/detail.md), which differs from those before it; or for one on an aspect alone."""

    kind: ClassVar[str] = DETAIL
    aspect: Aspect | None = field(default=None, kw_only=True)

    def accept(self, said: Completion) -> WrittenText | Complaint[WrittenText]:
        """Return the note; of an aspect of which the text says nothing, an empty one."""
        if self.aspect is not None and says_nothing(said.text):
            return WrittenText("", MODEL, self.flags)
        return WriteText.accept(self, said)


def write_summary(subject: Subject, item: TreeItem, aspect: Aspect, prompt: Prompt, max_tokens: int) -> WriteSummary:
    """Return the question for a summary of at most so many tokens."""
    values = {"title": aspect.title, "question": aspect.question, "words": str(words_for(max_tokens))}
    text = _fitting(subject, item.context, max_tokens, prompt, values)
    room = answer_tokens(max_tokens, subject.window)
    return WriteSummary(subject, prompt, values, text, max_tokens, _cut(text, item), room, item=item, aspect=aspect)


def write_detail(
    subject: Subject, item: TreeItem, prompt: Prompt, max_tokens: int, aspect: Aspect | None = None
) -> WriteDetail:
    """Return the question for a note of half of the text's tokens, at most `max_tokens`; None: on all of the text."""
    tokeniser = subject.tokeniser
    most = shorter(item.context, tokeniser, max_tokens)
    said = "\n".join(f"- {' '.join(note.split())}" for note in item.before)
    before = f" There are notes already; yours has other details, or says them in another way:\n{said}" if said else ""
    known = {"before": before, **({"title": aspect.title, "question": aspect.question} if aspect else {})}
    text = _fitting(
        subject, item.context, most, prompt, {**known, "words": str(words_for(shorter("", tokeniser, most)))}
    )
    values = {**known, "words": str(words_for(shorter(text, tokeniser, max_tokens)))}
    room = answer_tokens(most, subject.window)
    return WriteDetail(subject, prompt, values, text, most, _cut(text, item), room, item=item, aspect=aspect)


def answer_tokens(most: int, window: int) -> int:
    """Return the room that a model gets for a text of `most` tokens."""
    return AMPLE_TOKENS if window >= LARGE_WINDOW else min(2 * most + 100, window // 2)


def words_for(max_tokens: int) -> int:
    """Return the words that a model is asked for, for a text of so many tokens."""
    return max(5, int(max_tokens * WORDS_A_TOKEN))


def shorter(context: str, tokeniser: Tokeniser, max_tokens: int) -> int:
    """Return the tokens of a note: half of its text's, at least 10, at most `max_tokens`."""
    return min(max_tokens, max(10, tokeniser.count(context) // SHORTER))


def _fitting(subject: Subject, text: str, most: int, prompt: Prompt, values: Mapping[str, str]) -> str:
    """Return the text, or its beginning where it does not fit the window."""
    asked = sum(subject.tokeniser.count(message) for message in _rendered(prompt, "", {**values, "complaint": ""}))
    room = subject.window - asked - answer_tokens(most, subject.window) - 100  # a complaint, and what the server adds
    return cut_at_word(text, subject.tokeniser, max(LEAST_CONTEXT, room))


def _cut(text: str, item: TreeItem) -> tuple[str, ...]:
    return (SHORTENED,) if text != item.context else ()


def _rendered(prompt: Prompt, text: str, values: Mapping[str, str]) -> tuple[str, str]:
    """Fill a prompt; a user's own need not have every placeholder."""
    known = {**values, "text": text}
    return prompt.render(**{name: known[name] for name in prompt.placeholders if name in known})


def says_nothing(said: str) -> bool:
    """Return whether a model answered that there is nothing to say, in the word of the prompt or in others."""
    text = _bare(said)
    return bool(_NOTHING.match(text) or _NOTHING_OF.match(text))


def read_text(said: str) -> str:
    """Return what a model wrote without thoughts, fences and opening remarks; empty where it is none or a refusal."""
    text = _bare(said)
    if len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') == 2:
        text = text[1:-1].strip()
    is_refusal = len(text) <= LONGEST_REFUSAL and bool(_REFUSAL.match(text))
    if is_refusal or _NOTHING.match(text) or not any(char.isalnum() for char in text):
        return ""
    return re.sub(r"[ \t]*\n\s*", "\n", text)


def _bare(said: str) -> str:
    return _LABEL.sub("", _FENCE.sub("", said).strip(), count=1).strip()
