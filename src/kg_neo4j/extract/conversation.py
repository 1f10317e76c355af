"""The conversation about one chunk: the first answer, what to do when it is truncated, gleaning, repair.

whole ── not whole? ── continue ── still not? ── two halves ── or, where no half can be made, asked once more
  │                                                each cut or too long half is halved once more
  ├── repeats itself, or takes its whole limit? ── two halves within what is left of RUNAWAY_SHARE, and no more
  ├── rows that are facts? ── part after part of the sentences, halved once where it is cut, and no more
  └── glean, up to N rounds, until a round brings nothing new (the length study)
        └── repair: once, for the rows that were rejected for a reason that can be repaired
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kg_neo4j._models import tokens
from kg_neo4j._models.answer_text import PROMPT_CUT, RUNAWAY
from kg_neo4j.errors import BadModelAnswer, ContentFiltered, ContextTooLong, KgError
from kg_neo4j.extract.context import NO_CONTEXT, ChunkTask, Context, last_sentences, rank
from kg_neo4j.extract.interface import Extractor, FollowUp
from kg_neo4j.extract.reading import AGAIN, CONTINUE, GLEAN, HALF, REPAIR, USABLE, Rounds, is_cut, shorten, without_rows
from kg_neo4j.records import ChunkOutcome, Extraction, ModelAnswer, Rejection, RejectionReason
from kg_neo4j.words import split_words

REPAIRED_AT_ONCE = 40  # rejected rows shown to the model; more than that is no slip
OUTCOMES = {ContentFiltered: ChunkOutcome.FILTERED, ContextTooLong: ChunkOutcome.TOO_LONG}  # of a chunk; else failed
RUNAWAY_SHARE = 6  # tokens of all answers for one of the text, after an answer that has no end
NO_WORDS = "-"  # nothing that is stored is empty
LEAST_TOKENS = 100  # that a half may take; else it is not asked
HALVINGS = 2  # a text is cut in at most four parts
REPAIRABLE = frozenset(RejectionReason) - {
    RejectionReason.TRUNCATED,
    RejectionReason.BAD_CHARACTER,
    RejectionReason.ANSWER_TOO_LARGE,
}


@dataclass(slots=True)
class Conversation:
    """One chunk's questions and answers. Used once."""

    task: ChunkTask
    extractor: Extractor
    rounds: Rounds  # of the task's chunk; nothing is said yet
    gleanings: int
    repair: bool
    problems: list[str] = field(default_factory=list)  # of further rounds that gave nothing

    def hold(self) -> Extraction:
        """Ask until everything is said. Raises ModelRefused, ModelUnavailable or what a budget raises."""
        try:
            self._ask_whole()
        except (ContentFiltered, ContextTooLong, BadModelAnswer) as error:
            return self._nothing(OUTCOMES.get(type(error), ChunkOutcome.FAILED), error)
        further = self.extractor.converses and self.task.limit is None and not self._in_parts
        if further and self.rounds.extraction().outcome in USABLE:
            self._glean()
        if further and self.repair:
            self._repair()
        found = self.rounds.extraction()
        if self.problems and not found.detail:
            found = replace(found, detail=shorten("; ".join(self.problems), 300))
        return found

    def repair_again(self, stored: tuple[ModelAnswer, ...]) -> Extraction:
        """Ask once more for the rows of stored answers that are still in quarantine."""
        for answer in stored:
            self.rounds.add(answer)
        self._repair()
        return self.rounds.extraction()

    # -- the first answer

    @property
    def _in_parts(self) -> bool:
        return bool(self.rounds.reading.schema.facts and self.rounds.shown.offsets) and self.extractor.converses

    def _ask_whole(self) -> None:
        if self._in_parts:
            lines = self.rounds.shown.text.splitlines(keepends=True)
            size = self.rounds.reading.schema.sentences_a_call or len(lines)
            self._ask_each(["".join(lines[at : at + size]) for at in range(0, len(lines), size)], HALVINGS)
            return
        try:
            whole = self._without_context_where_too_long()
        except ContextTooLong:
            self._ask_halves(self.rounds.shown.text, HALVINGS)
            return
        self._add(whole)
        if not self.extractor.converses:
            return
        if whole.finish_reason == RUNAWAY:
            text = self.rounds.shown.text
            left = RUNAWAY_SHARE * tokens.load().count(text) - tokens.load().count(whole.text)
            self.task = replace(self.task, limit=left // 2)
            if left // 2 >= LEAST_TOKENS:
                self._ask_halves(text, 1)
            return
        if is_cut(whole) or self.rounds.extraction().outcome is ChunkOutcome.TRUNCATED:
            if self.rounds.nodes and whole.finish_reason != PROMPT_CUT:
                self._try(CONTINUE)
            still = self.rounds.extraction().outcome is ChunkOutcome.TRUNCATED and is_cut(self.rounds.answers[-1])
            if still and len(self._halves(self.rounds.shown.text)) == 2:
                self._ask_halves(self.rounds.shown.text, HALVINGS)
                return
        found = self.rounds.extraction()
        if found.outcome is ChunkOutcome.TRUNCATED or (found.outcome is ChunkOutcome.FAILED and not found.rejections):
            self._try(AGAIN, why=found.detail)

    def _without_context_where_too_long(self) -> ModelAnswer:
        try:
            return self._answer(self.rounds.shown.text)
        except ContextTooLong:
            if self.task.context == NO_CONTEXT:
                raise
            self.task = replace(self.task, context=NO_CONTEXT)
            return self._answer(self.rounds.shown.text)

    def _ask_halves(self, text: str, depth: int) -> None:
        """Ask about the two halves of `text`; a half that is cut or too long is halved in its turn, `depth` times."""
        halves = self._halves(text)
        if len(halves) < 2 or not depth:
            raise ContextTooLong(f"a text of {len(text)} characters cannot be cut further")
        self._ask_each(halves, depth)

    def _ask_each(self, parts: Sequence[str], depth: int) -> None:
        failed: KgError | None = None
        for part in parts:
            try:
                self._ask_part(part, depth)
            except (ContentFiltered, BadModelAnswer) as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def _ask_part(self, part: str, depth: int) -> None:
        offsets = self.rounds.shown.offsets
        if self._in_parts:  # sentences before it and names so far say who "she" is; higher numbers are refused
            first, last = (int(line.split(maxsplit=1)[0]) for line in (part, part.splitlines()[-1]))
            before = last_sentences(self.task.chunk.text[: offsets[first - 1][0]], self.task.document.language)
            names = rank((self.task.context.known, [(node.name, node.type) for node in self.rounds.nodes]))
            self.task = replace(self.task, context=Context(before or self.task.context.before, names))
            offsets = offsets[:last]
        try:
            answer = replace(self._answer(part), step=HALF, offsets=offsets)
        except ContextTooLong:
            self._ask_halves(part, depth - 1)
            return
        if is_cut(answer) and depth > 1 and len(self._halves(part)) == 2:
            self._ask_halves(part, depth - 1)
            self.rounds.charge(answer.usage)
        else:
            self._add(answer)

    # -- further rounds

    def _glean(self) -> None:
        for _ in range(self.gleanings):
            rows = len(self.rounds.nodes) + len(self.rounds.relationships)
            self._try(GLEAN)
            if len(self.rounds.nodes) + len(self.rounds.relationships) == rows:
                break

    def _repair(self) -> None:
        wanted = tuple(each for each in self.rounds.rejections if each.reason in REPAIRABLE and not each.repaired)
        if wanted and not self._in_parts:
            self._try(REPAIR, wanted[:REPAIRED_AT_ONCE])

    def _try(self, step: str, rejections: tuple[Rejection, ...] = (), why: str = "") -> None:
        """Ask a further question; where it cannot be answered, the rows that stand are kept and the reason is noted."""
        question = FollowUp(step, tuple(self.rounds.nodes), tuple(self.rounds.relationships), rejections, why)
        try:
            answer = self._answer(self.rounds.shown.text, question)
        except (ContentFiltered, ContextTooLong, BadModelAnswer) as error:
            self.problems.append(f"{step}: {error}")
        else:
            self._add(replace(answer, step=step))

    def _answer(self, text: str, question: FollowUp | None = None) -> ModelAnswer:
        """Ask the extractor. An error that is not of its protocol is a bad answer: it fails this chunk alone.

        Raises the ModelError subclasses of `Extractor.answer`.
        """
        name = self.extractor.name
        try:
            if question is None:
                answer: object = self.extractor.answer(self.task, text)
            else:
                answer = self.extractor.follow_up(self.task, text, question)
        except KgError:
            raise
        except Exception as error:  # the built-in rules' or a plugin's; the chunk is listed and asked about again
            raise BadModelAnswer(f"{name} raised {_described(error)}") from error
        if not isinstance(answer, ModelAnswer):
            raise BadModelAnswer(f"{name} returned {type(answer).__name__}, not a ModelAnswer")
        return answer

    # -- bookkeeping

    def _halves(self, text: str) -> tuple[str, ...]:
        """Return both halves; numbered sentences stay whole, and keep their numbers."""
        return split_in_two(text, (r"\n",)) if self.rounds.shown.offsets else split_in_two(text)

    def _add(self, answer: ModelAnswer) -> None:
        numbered = replace(
            answer,
            round=len(self.rounds.answers),
            context_hash=self.task.context.hash,
            offsets=answer.offsets or self.rounds.shown.offsets,
            around=self._around(answer.text) if self.extractor.converses else None,
        )
        if self.rounds.add(numbered):
            self.extractor.keep(numbered)

    def _around(self, said: str) -> str:
        """Return the words that an answer may use of the title and headings, and of what came before the chunk."""
        task, names = self.task, (name for name, _ in self.task.context.known)
        headed = split_words(f"{task.document.title} {task.chunk.section}")
        own, used = set(split_words(task.chunk.text)), {word[:3].casefold() for word in split_words(said)}
        before = (word for word in split_words(" ".join((task.context.before, *names))) if word not in own)
        return " ".join(word for word in dict.fromkeys((*headed, *before)) if word[:3].casefold() in used) or NO_WORDS

    def _nothing(self, outcome: ChunkOutcome, error: Exception) -> Extraction:
        if self.rounds.answers:
            found = self.rounds.extraction()
            outcome = found.outcome if found.outcome is ChunkOutcome.FAILED else ChunkOutcome.TRUNCATED
            return replace(found, outcome=outcome, detail=shorten(f"{found.detail}; {error}".removeprefix("; "), 300))
        return without_rows(self.task.chunk, self.rounds.reading, outcome, str(error))


def _described(error: Exception) -> str:
    """Return the kind of an error, the line of code that raised it, and its words."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} ({Path(place.filename).name}, line {place.lineno}): {error}"


def split_in_two(text: str, borders: Sequence[str] = (r"\n\n+", r"(?<=[.!?])\s+", r"\s+")) -> tuple[str, ...]:
    """Return the two halves of `text`, cut at the paragraph, else sentence, else space nearest to its middle."""
    middle = len(text) // 2
    for border in borders:
        places = [match.end() for match in re.finditer(border, text) if text[match.end() :].strip()]
        near = [place for place in places if len(text) // 4 <= place <= len(text) - len(text) // 4]
        if near:
            place = min(near, key=lambda place: abs(place - middle))
            return text[:place], text[place:]
    return (text,)
